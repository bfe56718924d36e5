package webapi

import (
	"strings"
	"time"
	_ "time/tzdata" // a sandboxed worker has no files

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// maxZones bounds the time zones that a realm keeps.
const maxZones = 32

// zone returns a time zone of the IANA's database by name, in any case, or nil.
func (r *Realm) zone(name string) *time.Location {
	if l, known := r.zones[name]; known {
		return l
	}
	var found *time.Location
	for _, n := range []string{name, capitalized(name), strings.ToUpper(name)} {
		if n == "" || strings.EqualFold(n, "local") || strings.Contains(n, ".") {
			break
		}
		if l, err := time.LoadLocation(n); err == nil {
			found = l
			break
		}
	}
	if r.zones == nil || len(r.zones) >= maxZones {
		r.zones = map[string]*time.Location{}
	}
	r.zones[name] = found
	return found
}

// capitalized is the usual form of a name: America/New_York.
func capitalized(name string) string {
	b := []byte(strings.ToLower(name))
	for i := range b {
		if b[i] >= 'a' && b[i] <= 'z' && (i == 0 || strings.IndexByte("/_-", b[i-1]) >= 0) {
			b[i] -= 'a' - 'A'
		}
	}
	return string(b)
}

// zoneFunc gives intl.js a zone's name and, with a time in milliseconds, its offset then in
// milliseconds, its abbreviation and whether it is summer there.
func (r *Realm) zoneFunc() goja.Value {
	return r.Func("zone", 2, func(c goja.FunctionCall) goja.Value {
		l := r.zone(c.Argument(0).String())
		if l == nil {
			return goja.Undefined()
		}
		if goja.IsUndefined(c.Argument(1)) {
			return r.VM.ToValue(l.String())
		}
		t := time.UnixMilli(c.Argument(1).ToInteger()).In(l)
		abbreviation, offset := t.Zone()
		o := r.VM.NewObject()
		jsrt.Data(o, "offset", r.VM.ToValue(offset*1000))
		jsrt.Data(o, "name", r.VM.ToValue(abbreviation))
		jsrt.Data(o, "summer", r.VM.ToValue(t.IsDST()))
		return o
	})
}
