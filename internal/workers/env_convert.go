package workers

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// text converts an argument of a binding to a string as workerd does: a symbol throws,
// and half of a surrogate pair becomes the three bytes that UTF-8 would have for it.
func (in *instance) text(v goja.Value) string {
	if _, ok := v.(*goja.Symbol); ok {
		in.realm.TypeError("Cannot convert a Symbol value to a string")
	}
	s := v.String()
	if !strings.ContainsRune(s, utf8.RuneError) {
		return s
	}
	str, ok := v.(goja.String)
	if !ok {
		return s // an object's own conversion, which is not asked twice
	}
	var b []byte
	for i := 0; i < str.Length(); i++ {
		u := rune(str.CharAt(i))
		switch {
		case u&0xF800 != 0xD800:
			b = utf8.AppendRune(b, u)
		case u < 0xDC00 && i+1 < str.Length() && str.CharAt(i+1)&0xFC00 == 0xDC00:
			i++
			b = utf8.AppendRune(b, (u-0xD800)<<10+rune(str.CharAt(i))-0xDC00+0x10000)
		default:
			b = append(b, 0xE0|byte(u>>12), 0x80|byte(u>>6)&0x3F, 0x80|byte(u)&0x3F)
		}
	}
	return string(b)
}

// integer converts an option of a binding to an int as workerd does: what is no number
// is 0, and what does not fit throws.
func (in *instance) integer(v goja.Value) int64 {
	f := v.ToNumber().ToFloat()
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	if f = math.Trunc(f); f < math.MinInt32 || f > math.MaxInt32 {
		in.realm.TypeError("Value out of range. Must be between -2147483648 and 2147483647 (inclusive).")
	}
	return int64(f)
}

// required throws where an argument is missing that workerd needs, in its words. method
// is "get", class that of the binding, types what the argument may be.
func (in *instance) required(f goja.FunctionCall, i int, method, class, types string) {
	if len(f.Arguments) <= i {
		in.wrongType(i, method, class, types)
	}
}

// optional throws if an argument is there that is no object.
func (in *instance) optional(f goja.FunctionCall, i int, method, class, types string) {
	if v := f.Argument(i); jsrt.Defined(v) && !goja.IsNull(v) && !isObject(v) {
		in.wrongType(i, method, class, types)
	}
}

func (in *instance) wrongType(i int, method, class, types string) {
	in.realm.TypeError("Failed to execute '%s' on '%s': parameter %d is not of type '%s'.", method, class, i+1, types)
}
