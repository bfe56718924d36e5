package jsrt

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// maxJSONDepth is how deeply JSON may be nested when it is read or written, which
// is done by recursion. What toJSON, a getter or a reviver starts while it is
// read or written counts on. V8 ends near it when it writes.
const maxJSONDepth = 5000

// maxJSONText is how long a string is at most in V8.
const maxJSONText = 1<<29 - 24

// jsonState is what JSON.parse and JSON.stringify of a realm have in common.
type jsonState struct {
	depth       int          // of what is being read or written at the moment
	objectProto *goja.Object // Object.prototype, once known
	scratch     []byte       // for what is written, nil while it is in use
	odd         *jsonOdd
}

// InstallJSON replaces JSON.parse and JSON.stringify of goja, which are slow and differ from V8 in
// what they accept and say. Native code uses the same through [Runtime.ParseJSON] and [Runtime.JSON].
func (rt *Runtime) InstallJSON(json *goja.Object) {
	Hide(json, "parse", rt.Func("parse", 2, func(f goja.FunctionCall) goja.Value {
		text, wtf := wtf8(toString(rt, f.Argument(0)))
		v := rt.parseJSON(text, wtf)
		if reviver, ok := goja.AssertFunction(f.Argument(1)); ok {
			return rt.revive(v, reviver)
		}
		return v
	}))
	Hide(json, "stringify", rt.Func("stringify", 3, func(f goja.FunctionCall) goja.Value {
		w := &jsonWriter{rt: rt}
		w.setReplacer(f.Argument(1))
		w.setGap(f.Argument(2))
		if !w.write(f.Argument(0)) {
			return goja.Undefined()
		}
		defer w.release()
		if w.lone {
			return goja.StringFromUTF16(utf16OfWTF8(string(w.buf)))
		}
		return rt.VM.ToValue(string(w.buf))
	}))
}

// ParseJSON is JSON.parse as it was before any code ran. It runs no code.
func (rt *Runtime) ParseJSON(text string) goja.Value {
	if !utf8.ValidString(text) {
		text = string([]rune(text)) // as goja takes a Go string
	}
	return rt.parseJSON(text, false)
}

// JSON is JSON.stringify of v as it was before any code ran. ok is false if v has no JSON.
func (rt *Runtime) JSON(v goja.Value) (text []byte, ok bool) {
	w := &jsonWriter{rt: rt}
	if !w.write(v) {
		return nil, false
	}
	defer w.release()
	return bytes.Clone(w.buf), true
}

// toString is ToString of ECMA-262.
func toString(rt *Runtime, v goja.Value) goja.String {
	if o, ok := v.(*goja.Object); ok {
		v = o.ToString() // a primitive, not always a string
	}
	switch v := v.(type) {
	case goja.String:
		return v
	case *goja.Symbol:
		rt.TypeError("Cannot convert a Symbol value to a string")
	}
	return rt.VM.ToValue(v.String()).(goja.String)
}

// toLength is ToLength of ECMA-262.
func toLength(v goja.Value) int64 {
	if v == nil {
		return 0
	}
	return min(max(v.ToInteger(), 0), 1<<53-1)
}

// A string of JavaScript may have surrogates without a partner, which UTF-8
// cannot express. Where there are any, text is kept as WTF-8: as if surrogates were characters.

const replacement = "\uFFFD"

// wtf8 returns a string of goja's as UTF-8, or as WTF-8 if it has surrogates without a partner.
func wtf8(v goja.String) (s string, wtf bool) {
	s = v.String()
	if !utf8.ValidString(s) { // a string that Go code made
		return string([]rune(s)), false
	}
	if !strings.Contains(s, replacement) {
		return s, false
	}
	units := make([]uint16, v.Length())
	for i := range units {
		units[i] = v.CharAt(i)
		wtf = wtf || utf16.IsSurrogate(rune(units[i]))
	}
	if !wtf {
		return s, false
	}
	var b []byte
	wtf = false
	for i := 0; i < len(units); i++ {
		c := rune(units[i])
		if utf16.IsSurrogate(c) && i+1 < len(units) {
			if r := utf16.DecodeRune(c, rune(units[i+1])); r != utf8.RuneError {
				b = utf8.AppendRune(b, r)
				i++
				continue
			}
		}
		wtf = wtf || utf16.IsSurrogate(c)
		b = appendWTF8(b, c)
	}
	return string(b), wtf
}

// appendWTF8 is utf8.AppendRune for surrogates, too.
func appendWTF8(b []byte, c rune) []byte {
	if utf16.IsSurrogate(c) {
		return append(b, 0xE0|byte(c>>12), 0x80|byte(c>>6)&0x3F, 0x80|byte(c)&0x3F)
	}
	return utf8.AppendRune(b, c)
}

// utf16OfWTF8 decodes WTF-8.
func utf16OfWTF8(s string) []uint16 {
	units := make([]uint16, 0, len(s))
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			units = append(units, uint16(s[i]))
			i++
			continue
		}
		if c, ok := surrogateAt(s, i); ok {
			units = append(units, c)
			i += 3
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		units = utf16.AppendRune(units, r)
		i += n
	}
	return units
}

func surrogateAt(s string, i int) (c uint16, ok bool) {
	if s[i] != 0xED || i+2 >= len(s) || s[i+1] < 0xA0 {
		return 0, false
	}
	return uint16(s[i]&0xF)<<12 | uint16(s[i+1]&0x3F)<<6 | uint16(s[i+2]&0x3F), true
}

// jsonOdd are operations on properties for which goja has no exported function:
// those whose names are no Go string.
type jsonOdd struct{ get, set, define, delete, keys goja.Callable }

var jsonOddProgram = goja.MustCompile("samkit:json", `[(o, k) => o[k], (o, k, v) => { o[k] = v },
	(o, k, v) => Reflect.defineProperty(o, k, {value: v, writable: true, enumerable: true, configurable: true}), (o, k) => Reflect.deleteProperty(o, k), (o) => Object.keys(o)]`, true)

func (rt *Runtime) jsonOdd() *jsonOdd {
	if rt.json.odd == nil {
		v, err := rt.VM.RunProgram(jsonOddProgram)
		if err != nil {
			panic(err)
		}
		fn := func(i string) goja.Callable { f, _ := goja.AssertFunction(v.(*goja.Object).Get(i)); return f }
		rt.json.odd = &jsonOdd{fn("0"), fn("1"), fn("2"), fn("3"), fn("4")}
	}
	return rt.json.odd
}

// A jsonKey is the name of a property.
type jsonKey struct {
	name string
	odd  goja.Value // set if name has lost surrogates without a partner
}

func (k jsonKey) value(rt *Runtime) goja.Value {
	if k.odd != nil {
		return k.odd
	}
	return rt.VM.ToValue(k.name)
}

func (k jsonKey) get(rt *Runtime, o *goja.Object) goja.Value {
	if k.odd != nil {
		return rt.Call(rt.jsonOdd().get, goja.Undefined(), o, k.odd)
	}
	return o.Get(k.name)
}

// keyOf returns the key that a string is.
func keyOf(s goja.String) jsonKey {
	text, wtf := wtf8(s)
	if wtf {
		return jsonKey{s.String(), s}
	}
	return jsonKey{name: text}
}

// oddKeys returns Object.keys(o) if names, which are the same, have lost something.
func (rt *Runtime) oddKeys(o *goja.Object, names []string) (keys []jsonKey) {
	if !slices.ContainsFunc(names, func(s string) bool { return strings.Contains(s, replacement) }) || o.ExportType() == proxyType {
		return nil
	}
	list, ok := rt.Call(rt.jsonOdd().keys, goja.Undefined(), o).(*goja.Object)
	if !ok { // code replaced Object.keys
		return nil
	}
	for i := range toLength(list.Get("length")) {
		if s, ok := list.Get(jsonIndex(int(i))).(goja.String); ok {
			keys = append(keys, keyOf(s))
		}
	}
	return keys
}

// isArray is IsArray of ECMA-262.
func isArray(rt *Runtime, o *goja.Object) bool {
	for o.ExportType() == proxyType {
		p, _ := o.Export().(goja.Proxy)
		if o = p.Target(); o == nil {
			rt.TypeError("Cannot perform 'IsArray' on a proxy that has been revoked")
		}
	}
	return o.ClassName() == "Array"
}

// jsonLimit is how long JSON text may be.
func (rt *Runtime) jsonLimit() int {
	return rt.textLimit(maxJSONText)
}
