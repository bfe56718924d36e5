package webapi

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// prefix is the name before an object's braces: its class, the size, and the
// tag of Symbol.toStringTag if it says something else. It ends in a space.
func (in *inspector) prefix(o *goja.Object, k kind, size string) string {
	name, tag := in.className(o), in.tag(o)
	fallback := map[kind]string{kindMap: "Map", kindSet: "Set", kindArray: "Array", kindPromise: "Promise", kindTypedArray: "TypedArray", kindBuffer: "ArrayBuffer"}[k]
	if name == "" {
		if fallback == "" {
			fallback = "Object"
		}
		name = "[" + fallback + size + ": null prototype]"
	} else {
		name += size
	}
	if tag != "" && tag != in.className(o) {
		name += " [" + tag + "]"
	}
	return name + " "
}

// className is the name of the nearest constructor along the prototype chain.
func (in *inspector) className(o *goja.Object) string {
	ctor := in.r.VM.ToValue("constructor")
	for range inspectProtos {
		if o == nil || kindOf(o) == kindProxy || in.work < 0 {
			return ""
		}
		if d := in.descriptor(o, ctor); d != nil {
			if fn, ok := d.Get("value").(*goja.Object); ok {
				if name := in.functionName(fn); name != "" {
					return name
				}
			}
		}
		o = o.Prototype()
	}
	return ""
}

func (in *inspector) tag(o *goja.Object) string {
	for step := range inspectProtos {
		if o == nil || kindOf(o) == kindProxy {
			return ""
		}
		if d := in.descriptor(o, goja.SymToStringTag); d != nil {
			if step == 0 && d.Get("enumerable").ToBoolean() { // shown as a property
				return ""
			}
			if v := d.Get("value"); v != nil && goja.IsString(v) {
				return head(v, 200)
			}
			return ""
		}
		o = o.Prototype()
	}
	return ""
}

func (in *inspector) functionName(fn *goja.Object) string {
	if kindOf(fn) != kindFunction {
		return ""
	}
	if v := in.r.ownValue(fn, "name"); v != nil && goja.IsString(v) {
		return head(v, 200)
	}
	return ""
}

func (in *inspector) function(fn *goja.Object) string {
	name := in.functionName(fn)
	typ := strings.TrimPrefix(reflect.ValueOf(fn).Elem().FieldByName("self").Elem().Type().String(), "*goja.")
	if typ == "classFuncObject" {
		if name == "" {
			name = "(anonymous)"
		}
		if up := fn.Prototype(); up != nil {
			if parent := in.functionName(up); parent != "" {
				name += " extends " + parent
			}
		}
		return "[class " + name + "]"
	}
	kind := "Function"
	switch {
	case strings.HasPrefix(typ, "async"):
		kind = "AsyncFunction"
	case strings.HasPrefix(typ, "generator"):
		kind = "GeneratorFunction"
	}
	if name == "" {
		return "[" + kind + " (anonymous)]"
	}
	return "[" + kind + ": " + name + "]"
}

func (in *inspector) boxed(o *goja.Object) string {
	switch x := o.Export().(type) {
	case bool:
		return "[Boolean: " + strconv.FormatBool(x) + "]"
	case string:
		return "[Symbol: Symbol(" + cut(x, 200) + ")]"
	case int64, float64:
		return "[Number: " + in.primitive(in.r.VM.ToValue(x), true) + "]"
	default:
		return "[BigInt: " + in.primitive(in.r.VM.ToValue(x), true) + "]"
	}
}

func (in *inspector) collection(o *goja.Object, k kind, level int) (entries []string, open string) {
	r, size := in.r, mapSize
	if k == kindSet {
		size = setSize
	}
	n := r.call(size, o).ToInteger()
	open = in.prefix(o, k, "("+strconv.FormatInt(n, 10)+")") + "{"
	in.indent += 2
	r.walk(o, k, func(key, value goja.Value) bool {
		if len(entries) == inspectItems {
			entries = append(entries, "... "+count(n-inspectItems, "more item"))
			return false
		}
		s := in.value(key, level+1, true)
		if k == kindMap {
			s += " => " + in.value(value, level+1, true)
		}
		entries = append(entries, s)
		return true
	})
	in.indent -= 2
	return append(entries, in.properties(o, level, nil)...), open
}

func (in *inspector) promise(o *goja.Object, level int) []string {
	p, ok := jsrt.IsPromise(o)
	if !ok {
		return nil
	}
	in.indent += 2
	defer func() { in.indent -= 2 }()
	switch p.State() {
	case goja.PromiseStateFulfilled:
		return []string{in.value(p.Result(), level+1, true)}
	case goja.PromiseStateRejected:
		return []string{in.paint(special, "<rejected>") + " " + in.value(p.Result(), level+1, true)}
	}
	return []string{in.paint(special, "<pending>")}
}

// contents shows the first bytes of an ArrayBuffer.
func (in *inspector) contents(o *goja.Object) []string {
	ab, ok := arrayBuffer(o)
	if !ok || ab.Detached() {
		return []string{"(detached)", "byteLength: 0"}
	}
	data, more := ab.Bytes(), ""
	size := len(data)
	if size > 50 {
		data, more = data[:50], " ... "+count(int64(size-50), "more byte")
	}
	hex := make([]byte, 0, 3*len(data))
	for i, c := range data {
		if i > 0 {
			hex = append(hex, ' ')
		}
		hex = append(hex, upperHex[c>>4]|0x20, upperHex[c&15]|0x20)
	}
	return []string{"[Uint8Contents]: <" + string(hex) + more + ">", "byteLength: " + strconv.Itoa(size)}
}

// error formats an error: its stack, its cause and what code added to it.
func (in *inspector) error(o *goja.Object, level int) (base string, entries []string) {
	stack := ""
	if v := in.r.ownValue(o, "stack"); v != nil && goja.IsString(v) {
		stack = head(v, inspectString)
	}
	if stack == "" {
		stack = "[" + in.errorTitle(o) + "]"
	}
	entries = in.properties(o, level, func(key string) bool {
		return key == "stack" || key == "message" || key == "cause"
	})
	in.indent += 2
	for _, hidden := range []string{"cause", "errors"} {
		if d := in.descriptor(o, in.r.VM.ToValue(hidden)); d != nil && (hidden == "cause" || !d.Get("enumerable").ToBoolean()) {
			entries = append(entries, "["+hidden+"]: "+in.described(d, level))
		}
	}
	in.indent -= 2
	return in.trace(stack), entries
}

func (in *inspector) errorTitle(o *goja.Object) string {
	name := in.className(o)
	if name == "" {
		name = "Error"
	}
	if v := in.r.ownValue(o, "message"); v != nil && goja.IsString(v) && v.ToBoolean() {
		name += ": " + head(v, inspectString)
	}
	return name
}

// trace shows a stack as goja gives it in the form that people know, without
// the engine's own positions: "\tat f (a.js:1:2(3))" is "    at f (a.js:1:2)".
func (in *inspector) trace(stack string) string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimRight(cut(stack, 2*inspectString), "\n"), "\n") {
		if rest, ok := strings.CutPrefix(line, "\tat "); ok {
			if strings.HasPrefix(rest, "samkit.dev/") || strings.Contains(rest, "samkit:") { // our own frames
				continue
			}
			line = "    at " + dropOffset(rest)
		}
		lines = append(lines, line)
	}
	s := strings.Join(lines, "\n"+strings.Repeat(" ", in.indent))
	in.bytes -= len(s)
	return s
}

// dropOffset removes goja's "(pc)" after a position.
func dropOffset(s string) string {
	body, tail := s, ""
	if strings.HasSuffix(body, "))") {
		body, tail = body[:len(body)-1], ")"
	}
	at := strings.LastIndexByte(body, '(')
	if at < 1 || !strings.HasSuffix(body, ")") || !isIndex(body[at+1:len(body)-1]) || !isDigit(body[at-1]) {
		return s
	}
	return body[:at] + tail
}

// groupElements sets many short elements in columns, as Node does.
func (in *inspector) groupElements(entries []string) []string {
	indent := in.indent
	n := len(entries)
	last := ""
	if strings.HasPrefix(entries[n-1], "... ") { // "more items" stands alone
		n--
		last = entries[n]
	}
	total, longest := 0, 0
	widths := make([]int, n)
	for i := range n {
		widths[i] = utf8.RuneCountInString(in.plain(entries[i]))
		total += widths[i] + 2
		longest = max(longest, widths[i])
		if strings.Contains(entries[i], "\n") {
			return entries
		}
	}
	column := longest + 2
	if column*3+indent >= inspectLine || float64(total)/float64(column) <= 5 && longest > 6 {
		return entries
	}
	bias := math.Sqrt(float64(column) - float64(total)/float64(len(entries)))
	biased := math.Max(float64(column)-3-bias, 1)
	columns := int(min(math.Round(math.Sqrt(2.5*biased*float64(n))/biased), math.Floor(float64(inspectLine-indent)/float64(column)), inspectCompact*4, 15))
	if columns <= 1 {
		return entries
	}
	var sizes []int
	for c := range columns {
		w := 0
		for i := c; i < n; i += columns {
			w = max(w, widths[i])
		}
		sizes = append(sizes, w+2)
	}
	numbers := true
	for _, e := range entries[:n] {
		c := strings.TrimPrefix(in.plain(e), "-")
		numbers = numbers && c != "" && (isDigit(c[0]) || c == "NaN" || c == "Infinity")
	}
	var rows []string
	for i := 0; i < n; i += columns {
		var row strings.Builder
		for j := i; j < min(i+columns, n); j++ {
			cell, atEnd := entries[j], j == min(i+columns, n)-1
			if !atEnd {
				cell += ", "
			}
			pad := strings.Repeat(" ", max(0, sizes[j-i]-widths[j]-2))
			switch {
			case numbers:
				row.WriteString(pad + cell)
			case atEnd:
				row.WriteString(cell)
			default:
				row.WriteString(cell + pad)
			}
		}
		rows = append(rows, row.String())
	}
	if last != "" {
		rows = append(rows, last)
	}
	return rows
}
