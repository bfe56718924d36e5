package webapi

import (
	"strconv"

	"github.com/dop251/goja"
)

// A field is an attribute that is shown of an instance of a native class.
type field struct {
	name  string
	value any // what ToValue takes, or a goja.Value
}

// native formats an instance of a native class: the attributes that its state
// gives without running code, then what code added to it.
func (in *inspector) native(o *goja.Object, x any, level int) string {
	var fields []field
	switch x := x.(type) {
	case *domException:
		if entries := in.properties(o, level, nil); len(entries) > 0 {
			return in.join(in.trace(x.trace()), "{", "}", entries, level, false)
		}
		return in.trace(x.trace())
	case *urlObject:
		fields = urlFields(x.record())
	case *searchParams:
		for _, p := range x.list[:min(len(x.list), inspectItems+1)] {
			fields = append(fields, field{quoteJS(cut(p.name, inspectString)), p.value})
		}
		return in.pairs(o, fields, len(x.list), " => ", level)
	case *headers:
		return in.pairs(o, headerFields(x), len(x.kv)/2, ": ", level)
	case *request:
		fields = []field{{"method", x.method}, {"url", x.url}, {"headers", in.r.headersObject(x.list())}}
	case *response:
		fields = []field{{"status", x.status}, {"statusText", x.text()}, {"headers", in.r.headersObject(&x.headers)}, {"ok", x.status >= 200 && x.status < 300}, {"url", x.url}}
	case *blob:
		fields = []field{{"size", len(x.data)}, {"type", x.typ}}
		if x.file {
			fields = append(fields, field{"name", x.name}, field{"lastModified", x.lastModified})
		}
	case *abortSignal:
		fields = []field{{"aborted", x.aborted()}}
		if x.aborted() {
			fields = append(fields, field{"reason", x.why})
		}
	case *event:
		fields = []field{{"type", x.typ}, {"defaultPrevented", x.canceled}, {"cancelable", x.cancelable}, {"timeStamp", x.time}}
		for _, name := range []string{"detail", "message", "filename", "lineno", "colno", "error", "data", "origin"} {
			if v, ok := x.detail[name]; ok {
				fields = append(fields, field{name, v})
			}
		}
	case *performanceEntry:
		fields = []field{{"name", x.name}, {"entryType", x.kind}, {"startTime", x.start}, {"duration", x.duration}, {"detail", x.detail}}
	case interface{ fields() []field }:
		fields = x.fields()
	}
	in.indent += 2
	var entries []string
	for _, f := range fields {
		entries = append(entries, f.name+": "+in.value(in.r.VM.ToValue(f.value), level+1, true))
	}
	in.indent -= 2
	entries = append(entries, in.properties(o, level, nil)...)
	return in.join("", in.prefix(o, kindPlain, "")+"{", "}", entries, level, false)
}

// pairs formats a list of names and values, such as Headers.
func (in *inspector) pairs(o *goja.Object, fields []field, total int, sep string, level int) string {
	var entries []string
	in.indent += 2
	for _, f := range fields[:min(len(fields), inspectItems)] {
		entries = append(entries, f.name+sep+in.value(in.r.VM.ToValue(f.value), level+1, true))
	}
	in.indent -= 2
	if more := total - inspectItems; more > 0 {
		entries = append(entries, "... "+strconv.Itoa(more)+" more items")
	}
	entries = append(entries, in.properties(o, level, nil)...)
	return in.join("", in.prefix(o, kindPlain, "")+"{", "}", entries, level, false)
}

func headerFields(h *headers) (fields []field) {
	for i := 0; i+1 < len(h.kv) && len(fields) <= inspectItems; i += 2 {
		name := h.kv[i]
		if !isIdentifier(name) {
			name = quoteJS(name)
		}
		fields = append(fields, field{name, h.kv[i+1]})
	}
	return fields
}

func urlFields(u *urlRecord) []field {
	return []field{
		{"href", u.text}, {"origin", u.origin()}, {"protocol", u.protocol()}, {"username", u.username()},
		{"password", u.password()}, {"host", u.hostPort()}, {"hostname", u.hostname()}, {"port", u.portText()},
		{"pathname", u.pathname()}, {"search", u.search()}, {"hash", u.hash()},
	}
}
