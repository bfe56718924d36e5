package webapi

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// Bounds of what one inspection shows, so that it ends soon and small whatever it is given.
const (
	inspectDepth   = 4       // levels of objects below the first
	promptDepth    = 2       // the same at a prompt
	inspectItems   = 100     // elements of a list, entries of a map
	inspectKeys    = 200     // properties of an object
	inspectString  = 10000   // bytes of a string within an object
	inspectValues  = 5000    // values in all
	inspectBytes   = 1 << 17 // bytes of text in all, about
	inspectWork    = 200000  // looks at a property or 64 bytes in all, about
	inspectBigBits = 1 << 15 // of a BigInt in decimal
	inspectProtos  = 100     // steps along a prototype chain
	inspectLine    = 80      // columns
	inspectCompact = 3       // inner levels that may share a line
)

// Inspect returns a value as text for people, in the manner of Node's
// util.inspect. It runs no code: getters are named, traps of a Proxy passed by.
// Its cost is bounded.
func (r *Realm) Inspect(v goja.Value) string { return r.inspect(v, inspectDepth) }

func (r *Realm) inspect(v goja.Value, depth int) string {
	return r.inspectWith(&inspector{maxDepth: depth}, v)
}

// InspectFor is Inspect as Node's prompt does it: three levels deep and, on request, in colours, by the escape
// sequences of terminals.
func (r *Realm) InspectFor(v goja.Value, colors bool) string {
	return r.inspectWith(&inspector{maxDepth: promptDepth, colors: colors}, v)
}

func (r *Realm) inspectWith(in *inspector, v goja.Value) (s string) {
	in.r, in.values, in.bytes, in.work = r, inspectValues, inspectBytes, inspectWork
	if ex := r.Try(func() { s = in.value(v, 0, true) }); ex != nil {
		return "<value that cannot be shown>"
	}
	return s
}

// An inspector is a run of Inspect.
type inspector struct {
	r        *Realm
	maxDepth int
	colors   bool
	values   int // left
	bytes    int // left
	work     int // left
	indent   int
	current  int // the level that was formatted last
	stack    []*goja.Object
	circular map[*goja.Object]int
}

// value formats any value. quote is false for text that stands for itself.
func (in *inspector) value(v goja.Value, level int, quote bool) string {
	if in.values--; in.values < 0 || in.bytes < 0 || in.work < 0 {
		return "…"
	}
	var s string
	if o, ok := v.(*goja.Object); ok {
		s = in.object(o, level)
	} else {
		s = in.primitive(v, quote)
		in.bytes -= len(s)
		if quote {
			s = in.paint(colorOf(v), s)
		}
	}
	return s
}

func (in *inspector) object(o *goja.Object, level int) string {
	for _, up := range in.stack {
		if up == o {
			if in.circular == nil {
				in.circular = map[*goja.Object]int{}
			}
			if in.circular[o] == 0 {
				in.circular[o] = len(in.circular) + 1
			}
			return in.paint(special, "[Circular *"+strconv.Itoa(in.circular[o])+"]")
		}
	}
	k := kindOf(o)
	if k == kindProxy {
		if o = proxyTarget(o); o == nil {
			return in.paint(special, "<Revoked Proxy>")
		}
		return in.object(o, level)
	}
	if level > in.maxDepth && in.deep(o, k) {
		name := in.prefix(o, k, "")
		if k == kindArray {
			name = "Array"
		}
		return in.paint(special, "["+strings.TrimSpace(name)+"]")
	}
	in.stack = append(in.stack, o)
	before := in.current
	in.current = level
	s, leaf := in.raw(o, k, level)
	if leaf {
		in.current = before
	}
	in.stack = in.stack[:len(in.stack)-1]
	if n := in.circular[o]; n != 0 {
		s = in.paint(special, "<ref *"+strconv.Itoa(n)+">") + " " + s
	}
	return s
}

// deep reports whether an object beyond the depth has something to hide.
func (in *inspector) deep(o *goja.Object, k kind) bool {
	switch k {
	case kindError, kindFunction, kindDate, kindRegExp:
		return false
	case kindArray:
		v := in.r.ownValue(o, "length")
		return v == nil || v.ToInteger() > 0
	case kindPlain:
		return len(in.keys(o)) > 0
	}
	return true
}

// keys lists the own enumerable string keys.
func (in *inspector) keys(o *goja.Object) []string {
	if in.work < 0 {
		return nil
	}
	keys := o.Keys()
	in.work -= len(keys)
	for _, k := range keys {
		in.work -= len(k) / 64
	}
	return keys
}

// proxyTarget returns what is behind a Proxy and those behind it, or nil.
func proxyTarget(o *goja.Object) *goja.Object {
	for range inspectProtos {
		p, ok := o.Export().(goja.Proxy)
		if !ok {
			return o
		}
		if o = p.Target(); o == nil {
			return nil
		}
		if kindOf(o) != kindProxy {
			return o
		}
	}
	return nil
}

// raw formats an object by its kind: what stands before the braces, the braces
// and the entries between them. A leaf has no entries.
func (in *inspector) raw(o *goja.Object, k kind, level int) (s string, leaf bool) {
	r, base, open, end := in.r, "", "{", "}"
	var entries []string
	list := false
	switch k {
	case kindArray, kindArguments:
		list, open, end = true, "[", "]"
		n := int64(0)
		if v := r.ownValue(o, "length"); v != nil {
			n = v.ToInteger()
		}
		if k == kindArguments {
			open = "[Arguments] ["
		} else if name := in.prefix(o, k, "("+strconv.FormatInt(n, 10)+")"); !strings.HasPrefix(name, "Array(") {
			open = name + "["
		}
		entries = in.elements(o, n, level)
		if n <= 10*inspectItems {
			entries = append(entries, in.properties(o, level, isIndex)...)
		}
	case kindTypedArray:
		list, end = true, "]"
		n := r.call(typedLength, o).ToInteger()
		open = in.prefix(o, k, "("+strconv.FormatInt(n, 10)+")") + "["
		entries = in.elements(o, n, level)
	case kindMap, kindSet:
		entries, open = in.collection(o, k, level)
	case kindFunction:
		base = in.paint(special, in.function(o))
		entries = in.properties(o, level, nil)
	case kindError:
		base, entries = in.error(o, level)
	case kindDate:
		base = in.paint(magenta, dateText(o))
		entries = in.properties(o, level, nil)
	case kindRegExp:
		source, flags := r.regExpParts(o)
		in.work -= len(source) / 64
		base = in.paint(red, "/"+cut(source, inspectString)+"/"+flags)
		entries = in.properties(o, level, nil)
	case kindBoxed:
		base = in.paint(yellow, in.boxed(o))
		entries = in.properties(o, level, nil)
	case kindBoxedString:
		v := r.call(stringValue, o)
		base = in.paint(green, "[String: "+in.quoted(v)+"]")
		if len(base) <= 10*inspectItems {
			entries = in.properties(o, level, isIndex)
		}
	case kindBuffer:
		if x := jsrt.Unwrap(o); x != nil {
			return in.native(o, x, level), false
		}
		open = in.prefix(o, k, "") + "{"
		entries = append(in.contents(o), in.properties(o, level, nil)...)
	case kindDataView:
		open = in.prefix(o, k, "") + "{"
		entries = []string{"byteLength: " + r.call(viewLength, o).String(), "byteOffset: " + r.call(viewOffset, o).String()}
	case kindPromise:
		open = in.prefix(o, k, "") + "{"
		entries = append(in.promise(o, level), in.properties(o, level, nil)...)
	case kindWeakMap, kindWeakSet:
		open = in.prefix(o, k, "") + "{"
		entries = []string{in.paint(special, "<items unknown>")}
	default:
		if name := in.prefix(o, k, ""); name != "Object " {
			open = name + "{"
		}
		entries = in.properties(o, level, nil)
	}
	in.bytes -= len(base) + len(open)
	if base != "" && len(entries) == 0 {
		return base, true
	}
	return in.join(base, open, end, entries, level, list), len(entries) == 0
}

// join puts entries on one line if they are short and shallow, else on one each.
func (in *inspector) join(base, open, end string, entries []string, level int, list bool) string {
	if base != "" {
		base += " "
	}
	if len(entries) == 0 {
		return base + open + end
	}
	grouped := entries
	if list && len(entries) > 6 {
		grouped = in.groupElements(entries)
	}
	if in.current-level < inspectCompact && len(grouped) == len(entries) {
		total := 2*len(entries) + in.indent + len(open) + len(base) + 10
		oneLine := !strings.Contains(base, "\n")
		for _, e := range entries {
			total += len(in.plain(e))
			oneLine = oneLine && !strings.Contains(e, "\n")
		}
		if oneLine && total <= inspectLine {
			return base + open + " " + strings.Join(entries, ", ") + " " + end
		}
	}
	pad := "\n" + strings.Repeat(" ", in.indent)
	s := base + open + pad + "  " + strings.Join(grouped, ","+pad+"  ") + pad + end
	return s
}

// elements formats the items of a list, holes together.
func (in *inspector) elements(o *goja.Object, n int64, level int) (entries []string) {
	holes := int64(0)
	flush := func() {
		if holes > 0 {
			entries = append(entries, in.paint(grey, "<"+count(holes, "empty item")+">"))
			holes = 0
		}
	}
	in.indent += 2
	defer func() { in.indent -= 2 }()
	i := int64(0)
	for ; i < n && len(entries) < inspectItems && i < 100*inspectItems && in.work >= 0; i++ {
		d := in.descriptor(o, in.r.VM.ToValue(strconv.FormatInt(i, 10)))
		if d == nil {
			holes++
			continue
		}
		flush()
		entries = append(entries, in.described(d, level))
	}
	flush()
	if i < n {
		entries = append(entries, "... "+count(n-i, "more item"))
	}
	return entries
}

// descriptor returns a property descriptor, or nil if there is no such property.
func (in *inspector) descriptor(o *goja.Object, key goja.Value) *goja.Object {
	in.work--
	d, _ := in.r.call(getDescriptor, nil, o, key).(*goja.Object)
	return d
}

// described formats the value of a property, or names its accessors.
func (in *inspector) described(d *goja.Object, level int) string {
	get, set := jsrt.Defined(d.Get("get")), jsrt.Defined(d.Get("set"))
	switch {
	case get && set:
		return in.paint(special, "[Getter/Setter]")
	case get:
		return in.paint(special, "[Getter]")
	case set:
		return in.paint(special, "[Setter]")
	}
	return in.value(d.Get("value"), level+1, true)
}

// properties formats the own enumerable properties but those that skip names.
func (in *inspector) properties(o *goja.Object, level int, skip func(string) bool) (entries []string) {
	in.indent += 2
	defer func() { in.indent -= 2 }()
	shown, more := 0, int64(0)
	for _, key := range in.keys(o) {
		if skip != nil && skip(key) {
			continue
		}
		if shown++; shown > inspectKeys {
			more++
			continue
		}
		if d := in.descriptor(o, in.r.VM.ToValue(key)); d != nil {
			name := cut(key, inspectString)
			if !isIdentifier(key) {
				name = in.paint(green, quoteJS(name))
			}
			in.bytes -= len(name)
			entries = append(entries, name+": "+in.described(d, level))
		}
	}
	for _, sym := range o.Symbols() {
		if shown++; shown > inspectKeys {
			more++
			continue
		}
		if d := in.descriptor(o, sym); d != nil {
			if e := d.Get("enumerable"); e != nil && e.ToBoolean() {
				entries = append(entries, "["+in.paint(green, in.symbol(sym))+"]: "+in.described(d, level))
			}
		}
	}
	if more > 0 {
		noun := " more properties"
		if more == 1 {
			noun = " more property"
		}
		entries = append(entries, "... "+strconv.FormatInt(more, 10)+noun)
	}
	return entries
}
