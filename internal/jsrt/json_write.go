package jsrt

import (
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/dop251/goja"
)

// A jsonWriter writes a value as JSON, as JSON.stringify of ECMA-262 does: it runs
// toJSON, getters and traps of proxies in the order and as often as it says there.
type jsonWriter struct {
	rt       *Runtime
	buf      []byte
	path     []jsonStep // the objects that are open
	replacer goja.Callable
	only     []jsonKey // the properties to write, if filtered
	filtered bool
	gap      string
	indent   string
	lone     bool // gap has surrogates without a partner and is WTF-8, and so buf
	limit    int

	plain   *plainView
	members []jsonMember    // of the plain objects that are open
	ran     int             // goes up when code may have run
	silent  [2]*goja.Object // prototypes that are known to have no toJSON
	since   int             // ran when that was found
}

// A jsonMember is a property of a plain object.
type jsonMember struct {
	name string
	v    goja.Value
}

type jsonStep struct {
	o   *goja.Object
	key string // by which it was reached
}

var (
	proxyType  = reflect.TypeFor[goja.Proxy]()
	bigIntType = reflect.TypeFor[*big.Int]()
)

// write writes v. ok is false if it has no JSON.
func (w *jsonWriter) write(v goja.Value) (ok bool) {
	state := &w.rt.json
	w.buf, state.scratch = state.scratch[:0], nil
	w.limit = w.rt.jsonLimit()
	w.plain = knownPlain()
	if _, object := v.(*goja.Object); object || w.replacer != nil {
		defer func(depth int) { state.depth = depth }(state.depth)
	}
	var holder *goja.Object
	if w.replacer != nil {
		holder = w.rt.VM.NewObject()
		Data(holder, "", v)
	}
	if !w.property(holder, jsonKey{}, v) {
		w.release()
		return false
	}
	return true
}

// release gives the memory back once the text has been copied.
func (w *jsonWriter) release() {
	if cap(w.buf) <= 4<<10 {
		w.rt.json.scratch = w.buf
	}
}

// property is SerializeJSONProperty of a value that holder has for key.
func (w *jsonWriter) property(holder *goja.Object, key jsonKey, v goja.Value) bool {
	w.rt.Yield()
	if v == nil {
		v = goja.Undefined()
	}
	o, object := v.(*goja.Object)
	if object {
		if w.isSilent(o) {
			// nothing to ask
		} else if f := o.Get("toJSON"); f == nil {
			w.noToJSON(o)
		} else {
			w.ran++
			if fn, ok := goja.AssertFunction(f); ok {
				v = w.rt.Call(fn, o, key.value(w.rt))
				o, object = v.(*goja.Object)
			}
		}
	} else if goja.IsBigInt(v) {
		w.ran++
		if fn, ok := goja.AssertFunction(v.ToObject(w.rt.VM).Get("toJSON")); ok {
			v = w.rt.Call(fn, v, key.value(w.rt))
			o, object = v.(*goja.Object)
		}
	}
	if w.replacer != nil {
		w.ran++
		v = w.rt.Call(w.replacer, holder, key.value(w.rt), v)
		o, object = v.(*goja.Object)
	}
	if object {
		return w.object(o, key)
	}
	return w.primitive(v)
}

func (w *jsonWriter) primitive(v goja.Value) bool {
	if s, ok := v.(goja.String); ok {
		w.buf = appendJSONString(w.buf, s)
		return true
	}
	switch {
	case goja.IsNumber(v):
		w.buf = appendJSONNumber(w.buf, v)
	case goja.IsNull(v):
		w.buf = append(w.buf, "null"...)
	case goja.IsUndefined(v):
		return false
	case goja.IsBigInt(v):
		w.rt.TypeError("Do not know how to serialize a BigInt")
	default:
		if _, symbol := v.(*goja.Symbol); symbol {
			return false
		}
		w.buf = strconv.AppendBool(w.buf, v.ToBoolean())
	}
	return true
}

// isSilent reports whether it is known, without asking code, that o has no toJSON.
func (w *jsonWriter) isSilent(o *goja.Object) bool {
	p := w.view(o)
	return p != nil && w.since == w.ran && p.prototype != nil && (p.prototype == w.silent[0] || p.prototype == w.silent[1]) && p.values["toJSON"] == nil
}

// noToJSON notes that o was asked for toJSON and has none. No code ran then, unless there are proxies among its prototypes.
func (w *jsonWriter) noToJSON(o *goja.Object) {
	p := w.view(o)
	if p == nil {
		w.ran++
		return
	}
	for proto := p.prototype; proto != nil; proto = proto.Prototype() {
		if proto.ExportType() == proxyType {
			w.ran++
			return
		}
	}
	if w.since != w.ran {
		w.since, w.silent = w.ran, [2]*goja.Object{}
	}
	w.silent[0], w.silent[1] = p.prototype, w.silent[0]
}

// view returns the view of a plain object or array, or nil.
func (w *jsonWriter) view(o *goja.Object) *plainObject {
	if p := w.plain.objectOf(o); p != nil {
		return p
	}
	p, _ := w.plain.arrayOf(o)
	return p
}

func (w *jsonWriter) object(o *goja.Object, key jsonKey) bool {
	class := ""
	if p := w.plain.objectOf(o); p != nil {
		class = p.class
	} else {
		class = o.ClassName()
	}
	switch class {
	case "Array":
		w.enter(o, key)
		w.array(o)
	case "Object":
		switch o.ExportType() {
		case proxyType:
			w.enter(o, key)
			if isArray(w.rt, o) {
				w.array(o)
			} else {
				w.record(o)
			}
		case bigIntType:
			w.rt.TypeError("Do not know how to serialize a BigInt")
		default:
			if _, callable := goja.AssertFunction(o); callable { // an asynchronous arrow function
				return false
			}
			w.enter(o, key)
			w.record(o)
		}
	case "Number":
		w.ran++
		return w.primitive(o.ToNumber())
	case "String":
		w.ran++
		return w.primitive(toString(w.rt, o))
	case "Boolean":
		b, _ := o.Export().(bool)
		w.buf = strconv.AppendBool(w.buf, b)
		return true
	case "RawJSON":
		w.buf = append(w.buf, o.Get("rawJSON").String()...)
		return true
	default:
		if _, callable := goja.AssertFunction(o); callable {
			return false
		}
		w.enter(o, key)
		w.record(o)
	}
	w.path = w.path[:len(w.path)-1]
	w.rt.json.depth--
	return true
}

// enter opens an object that must not be open already.
func (w *jsonWriter) enter(o *goja.Object, key jsonKey) {
	for i := range w.path {
		if w.path[i].o == o {
			w.circular(i, key)
		}
	}
	if w.rt.json.depth++; w.rt.json.depth > maxJSONDepth {
		w.rt.RangeError("The value is nested too deeply for JSON")
	}
	w.path = append(w.path, jsonStep{o, key.name})
}

func (w *jsonWriter) array(o *goja.Object) {
	var n int64
	if _, a := w.plain.arrayOf(o); a != nil {
		n = int64(a.length)
	} else {
		w.ran++
		n = toLength(o.Get("length"))
	}
	if n == 0 {
		w.buf = append(w.buf, "[]"...)
		return
	}
	w.buf = append(w.buf, '[')
	outer := w.open()
	for i := range n {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.line()
		k := jsonKey{name: jsonIndex(int(i))}
		if !w.property(o, k, w.element(o, int(i), k)) {
			w.buf = append(w.buf, "null"...)
		}
		w.check()
	}
	w.indent = outer
	w.line()
	w.buf = append(w.buf, ']')
}

// element is o[i].
func (w *jsonWriter) element(o *goja.Object, i int, k jsonKey) goja.Value {
	if _, a := w.plain.arrayOf(o); a != nil && i < len(a.values) && w.plain.isValue(a.values[i]) {
		return a.values[i]
	}
	w.ran++
	return o.Get(k.name)
}

// plainRecord writes the properties of o, if it is a plain object. It looks at them once; when
// code has run since, it asks for those that are left as they are now.
func (w *jsonWriter) plainRecord(o *goja.Object) (some, ok bool) {
	p := w.plain.objectOf(o)
	if p == nil || !p.inOrder() {
		return false, false
	}
	from, ran := len(w.members), w.ran
	for _, name := range p.propNames {
		text := string(name)
		if name.AsUtf16() != nil {
			if text = name.String(); strings.Contains(text, replacement) { // see oddKeys
				return false, w.drop(from)
			}
		}
		v := p.values[name]
		if !w.plain.isValue(v) {
			return false, w.drop(from)
		}
		w.members = append(w.members, jsonMember{text, v})
	}
	for i, to := from, len(w.members); i < to; i++ {
		m, k := w.members[i], jsonKey{name: w.members[i].name}
		if w.ran != ran {
			w.ran++
			m.v = k.get(w.rt, o)
		}
		some = w.member(o, k, m.v, some)
	}
	w.drop(from)
	return some, true
}

// drop forgets members. It returns false.
func (w *jsonWriter) drop(from int) bool {
	clear(w.members[from:])
	w.members = w.members[:from]
	return false
}

func (w *jsonWriter) record(o *goja.Object) {
	w.buf = append(w.buf, '{')
	outer := w.open()
	some := false
	if w.filtered {
		w.ran++
		for _, k := range w.only {
			some = w.member(o, k, k.get(w.rt, o), some)
		}
	} else if written, ok := w.plainRecord(o); ok {
		some = written
	} else {
		w.ran++
		names := o.Keys()
		if odd := w.rt.oddKeys(o, names); odd != nil {
			for _, k := range odd {
				some = w.member(o, k, k.get(w.rt, o), some)
			}
		} else {
			for _, name := range names {
				k := jsonKey{name: name}
				some = w.member(o, k, k.get(w.rt, o), some)
			}
		}
	}
	w.indent = outer
	if some {
		w.line()
	}
	w.buf = append(w.buf, '}')
}

// member writes the property k of o, whose value is v, unless it has no JSON. some is whether one has been written.
func (w *jsonWriter) member(o *goja.Object, k jsonKey, v goja.Value, some bool) bool {
	mark := len(w.buf)
	if some {
		w.buf = append(w.buf, ',')
	}
	w.line()
	if k.odd != nil {
		w.buf = appendJSONString(w.buf, k.odd.(goja.String))
	} else {
		w.buf = appendJSONText(w.buf, k.name)
	}
	w.buf = append(w.buf, ':')
	if w.gap != "" {
		w.buf = append(w.buf, ' ')
	}
	if !w.property(o, k, v) {
		w.buf = w.buf[:mark]
		return some
	}
	w.check()
	return true
}

func (w *jsonWriter) check() {
	if len(w.buf) > w.limit {
		w.rt.RangeError("Invalid string length")
	}
}

// open indents what follows by one more level and returns the indentation before.
func (w *jsonWriter) open() (outer string) {
	outer = w.indent
	if w.gap != "" {
		w.indent += w.gap
	}
	return outer
}

// line begins a line, if there are lines.
func (w *jsonWriter) line() {
	if w.gap != "" {
		w.buf = append(w.buf, '\n')
		w.buf = append(w.buf, w.indent...)
	}
}

// setReplacer takes the second argument of JSON.stringify.
func (w *jsonWriter) setReplacer(v goja.Value) {
	o, ok := v.(*goja.Object)
	if !ok {
		return
	}
	if w.replacer, ok = goja.AssertFunction(o); ok || !isArray(w.rt, o) {
		return
	}
	w.filtered = true
	seen := map[string]bool{}
	n := toLength(o.Get("length"))
	if n > int64(w.rt.jsonLimit()) { // holes, which take time and nothing else
		w.rt.RangeError("Invalid array length")
	}
	for i := range n {
		v := o.Get(jsonIndex(int(i)))
		if e, ok := v.(*goja.Object); ok {
			if c := e.ClassName(); c != "Number" && c != "String" {
				continue
			}
		} else if !goja.IsString(v) && !goja.IsNumber(v) {
			continue
		}
		s := toString(w.rt, v)
		id, _ := wtf8(s)
		if !seen[id] {
			seen[id] = true
			w.only = append(w.only, keyOf(s))
		}
	}
}

// setGap takes the third argument of JSON.stringify: what stands before each level of nesting.
func (w *jsonWriter) setGap(v goja.Value) {
	if o, ok := v.(*goja.Object); ok {
		switch o.ClassName() {
		case "Number":
			v = o.ToNumber()
		case "String":
			v = toString(w.rt, o)
		}
	}
	const most = 10
	if s, ok := v.(goja.String); ok {
		w.gap, w.lone = wtf8(s.Substring(0, min(s.Length(), most)))
	} else if goja.IsNumber(v) {
		w.gap = strings.Repeat(" ", int(min(max(v.ToInteger(), 0), most)))
	}
}

// jsonIndex returns the name of an element.
func jsonIndex(i int) string {
	if i < len(jsonIndexes()) {
		return jsonIndexes()[i]
	}
	return strconv.Itoa(i)
}

var jsonIndexes = sync.OnceValue(func() *[1000]string {
	t := new([1000]string)
	for i := range t {
		t[i] = strconv.Itoa(i)
	}
	return t
})
