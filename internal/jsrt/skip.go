package jsrt

import (
	"reflect"

	"github.com/dop251/goja"
)

// Skip is the function that the seventh parameter of a program takes, or undefined if it has none; see rewriteLoops. It
// is asked for before code runs.
func (rt *Runtime) Skip(p *Program) goja.Value {
	if p.loops == nil {
		return goja.Undefined()
	}
	proto := rt.VM.Get("String").(*goja.Object).Get("prototype").(*goja.Object)
	method := proto.Get("charCodeAt")
	l := knownLayout()
	known := typeBehind(proto).Field(0).Type == l.plain
	pristine := func() bool { // without running a getter
		m := l.propertyOf((*baseObject)(selfWords(proto).data).values["charCodeAt"])
		return m != nil && m.value == method && !m.accessor
	}
	return rt.VM.ToValue(func(call goja.FunctionCall) goja.Value {
		at := call.Argument(1)
		s, ok := call.Argument(0).(goja.String)
		if !ok || !isNumber(at) || at.ExportType().Kind() != reflect.Int64 || at.ToInteger() < 0 || !known || !pristine() {
			return at
		}
		n, i, c := s.Length(), int(at.ToInteger()), &p.loops[call.Argument(2).ToInteger()]
		from := i
		for i < n && !c.has(s.CharAt(i)) {
			i++
		}
		if i == from {
			return at
		}
		return rt.VM.ToValue(i)
	})
}
