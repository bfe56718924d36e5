package webapi

import (
	"strings"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// completeDate makes dates print the name of their time zone as V8 does: goja prints
// the abbreviation.
func (r *Realm) completeDate() {
	proto, ok := r.proto("Date").(*goja.Object)
	if !ok {
		return
	}
	for _, name := range [...]string{"toString", "toTimeString"} {
		print, ok := goja.AssertFunction(proto.Get(name))
		if !ok {
			continue
		}
		jsrt.Hide(proto, name, r.Func(name, 0, func(f goja.FunctionCall) goja.Value {
			v := r.Call(print, f.This)
			if s, cut := strings.CutSuffix(v.String(), "(UTC)"); cut {
				return r.VM.ToValue(s + "(Coordinated Universal Time)")
			}
			return v
		}))
	}
}
