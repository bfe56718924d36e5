package webapi

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"slices"
	"strings"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// formData is an entry list of the XMLHttpRequest standard's FormData.
type formData struct {
	entries []formEntry
}

// A formEntry has a text or a file.
type formEntry struct {
	name string
	text string
	file *blob
	obj  goja.Value // the File object, once made
}

func formDataOf(v goja.Value) (*formData, bool) { return jsrt.Is[*formData](v) }

// maxFormEntries bounds what one body can make of itself.
const maxFormEntries = 10_000

var quoteFormName = strings.NewReplacer("\n", "%0A", "\r", "%0D", `"`, "%22")

// encodeMultipart encodes as multipart/form-data, with the escapes that the
// HTML standard gives for names.
func encodeMultipart(fd *formData) (body []byte, contentType string) {
	var random [12]byte
	rand.Read(random[:])
	boundary := "----samkit" + hex.EncodeToString(random[:])
	var b bytes.Buffer
	for _, e := range fd.entries {
		fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=\"%s\"", boundary, quoteFormName.Replace(e.name))
		if e.file != nil {
			typ := e.file.typ
			if typ == "" {
				typ = "application/octet-stream"
			}
			fmt.Fprintf(&b, "; filename=\"%s\"\r\nContent-Type: %s\r\n\r\n", quoteFormName.Replace(e.file.name), typ)
			b.Write(e.file.data)
		} else {
			b.WriteString("\r\n\r\n")
			b.WriteString(crlf(e.text))
		}
		b.WriteString("\r\n")
	}
	fmt.Fprintf(&b, "--%s--\r\n", boundary)
	return b.Bytes(), "multipart/form-data; boundary=" + boundary
}

// crlf makes every line break CR LF.
func crlf(s string) string {
	if !strings.ContainsAny(s, "\r\n") {
		return s
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	return strings.ReplaceAll(s, "\n", "\r\n")
}

// parseFormData makes a FormData object of a body.
func (r *Realm) parseFormData(header string, body []byte) (goja.Value, error) {
	if header == "" {
		return nil, errors.New("Parsing a Body as FormData requires a Content-Type header.")
	}
	typ, _ := contentType(header)
	fd := &formData{}
	var err error
	switch typ.essence {
	case "application/x-www-form-urlencoded":
		err = fd.parseURLEncoded(string(body))
	case "multipart/form-data":
		boundary := typ.param("boundary")
		if boundary == "" {
			return nil, errors.New("No boundary string in Content-Type header. The multipart/form-data MIME type requires a boundary parameter, e.g. 'Content-Type: multipart/form-data; boundary=\"abcd\"'. See RFC 7578, section 4.")
		}
		err = fd.parseMultipart(body, boundary)
	default:
		return nil, fmt.Errorf("Unrecognized Content-Type header value. FormData can only parse the following MIME types: multipart/form-data, application/x-www-form-urlencoded")
	}
	if err != nil {
		return nil, err
	}
	return r.formDataClass().New(fd), nil
}

func (fd *formData) parseURLEncoded(s string) error {
	for pair := range strings.SplitSeq(s, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		if len(fd.entries) >= maxFormEntries {
			return errors.New("FormData has too many entries.")
		}
		decode := func(s string) string { return decodeUTF8WithBOM([]byte(formDecode(s))) } // s may be bytes of any kind
		fd.entries = append(fd.entries, formEntry{name: decode(name), text: decode(value)})
	}
	return nil
}

var unquoteFormName = strings.NewReplacer("%0A", "\n", "%0a", "\n", "%0D", "\r", "%0d", "\r", "%22", `"`)

func (fd *formData) parseMultipart(body []byte, boundary string) error {
	mr := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		part, err := mr.NextRawPart()
		if err == io.EOF {
			return nil
		}
		if err != nil && len(fd.entries) == 0 {
			return errors.New("No initial boundary string (or you have a truncated message).")
		}
		if err != nil {
			return errors.New("Error parsing multipart form data: " + err.Error())
		}
		if len(fd.entries) >= maxFormEntries {
			return errors.New("FormData has too many entries.")
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return errors.New("Error parsing multipart form data: " + err.Error())
		}
		_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
		name, named := params["name"]
		if err != nil || !named {
			return errors.New("No valid Content-Disposition header found in FormData part.")
		}
		e := formEntry{name: unquoteFormName.Replace(name)}
		if file, ok := params["filename"]; ok {
			typ := part.Header.Get("Content-Type")
			if typ == "" {
				typ = "text/plain"
			}
			e.file = &blob{data: data, typ: typ, file: true, name: unquoteFormName.Replace(file)}
		} else {
			e.text = decodeUTF8(data)
		}
		fd.entries = append(fd.entries, e)
	}
}

func (r *Realm) formDataClass() *jsrt.Class {
	return r.Class("FormData", 0, func(c goja.ConstructorCall) any {
		if jsrt.Defined(c.Argument(0)) {
			r.TypeError("Failed to construct 'FormData': parameter 1 is not of type 'HTMLFormElement'.")
		}
		return &formData{}
	}, r.defineFormData)
}

// entry makes an entry of the arguments of append and set.
func (r *Realm) entry(f goja.FunctionCall, op string) formEntry {
	if len(f.Arguments) < 2 {
		r.TypeError("Failed to execute '%s' on 'FormData': 2 arguments required, but only %d present.", op, len(f.Arguments))
	}
	e := formEntry{name: r.str(f.Argument(0))}
	b, ok := blobOf(f.Argument(1))
	if !ok {
		if len(f.Arguments) > 2 {
			r.TypeError("Failed to execute '%s' on 'FormData': parameter 2 is not of type 'Blob'.", op)
		}
		e.text = r.str(f.Argument(1))
		return e
	}
	if b.file && len(f.Arguments) < 3 {
		e.file, e.obj = b, f.Argument(1)
		return e
	}
	file := *b
	file.file, file.name = true, "blob"
	if b.file {
		file.name = b.name
	}
	if len(f.Arguments) > 2 {
		file.name = r.str(f.Argument(2))
	}
	e.file = &file
	return e
}

func (r *Realm) defineFormData(c *jsrt.Class) {
	this := func(v goja.Value) *formData { return jsrt.This[*formData](r.Runtime, v) }
	value := func(e *formEntry) goja.Value {
		if e.file == nil {
			return r.VM.ToValue(e.text)
		}
		if e.obj == nil {
			e.obj = r.newFile(e.file)
		}
		return e.obj
	}
	c.Method("append", 2, func(f goja.FunctionCall) goja.Value {
		r.argc(f, 2, "append on FormData")
		fd := this(f.This)
		e := r.entry(f, "append")
		if len(fd.entries) >= maxFormEntries {
			r.RangeError("FormData has too many entries.")
		}
		fd.entries = append(fd.entries, e)
		return goja.Undefined()
	})
	c.Method("set", 2, func(f goja.FunctionCall) goja.Value {
		r.argc(f, 2, "set on FormData")
		fd := this(f.This)
		e := r.entry(f, "set")
		at := slices.IndexFunc(fd.entries, func(o formEntry) bool { return o.name == e.name })
		if at < 0 {
			fd.entries = append(fd.entries, e)
			return goja.Undefined()
		}
		fd.entries[at] = e
		rest := slices.DeleteFunc(fd.entries[at+1:], func(o formEntry) bool { return o.name == e.name })
		fd.entries = fd.entries[:at+1+len(rest)]
		return goja.Undefined()
	})
	c.Method("delete", 1, func(f goja.FunctionCall) goja.Value {
		r.argc(f, 1, "delete on FormData")
		fd, name := this(f.This), r.str(f.Argument(0))
		fd.entries = slices.DeleteFunc(fd.entries, func(e formEntry) bool { return e.name == name })
		return goja.Undefined()
	})
	c.Method("get", 1, func(f goja.FunctionCall) goja.Value {
		r.argc(f, 1, "get on FormData")
		fd, name := this(f.This), r.str(f.Argument(0))
		for k := range fd.entries {
			if fd.entries[k].name == name {
				return value(&fd.entries[k])
			}
		}
		return goja.Null()
	})
	c.Method("getAll", 1, func(f goja.FunctionCall) goja.Value {
		r.argc(f, 1, "getAll on FormData")
		fd, name := this(f.This), r.str(f.Argument(0))
		var all []any
		for k := range fd.entries {
			if fd.entries[k].name == name {
				all = append(all, value(&fd.entries[k]))
			}
		}
		return r.VM.NewArray(all...)
	})
	c.Method("has", 1, func(f goja.FunctionCall) goja.Value {
		r.argc(f, 1, "has on FormData")
		fd, name := this(f.This), r.str(f.Argument(0))
		return r.VM.ToValue(slices.ContainsFunc(fd.entries, func(e formEntry) bool { return e.name == name }))
	})
	c.Method("forEach", 1, func(f goja.FunctionCall) goja.Value {
		r.argc(f, 1, "forEach on FormData")
		fd := this(f.This)
		fn, ok := goja.AssertFunction(f.Argument(0))
		if !ok {
			r.TypeError("Failed to execute 'forEach' on 'FormData': parameter 1 is not of type 'Function'.")
		}
		for k := 0; k < len(fd.entries); k++ {
			e := &fd.entries[k]
			r.Call(fn, f.Argument(1), value(e), r.VM.ToValue(e.name), f.This)
		}
		return goja.Undefined()
	})
	iterate := func(pick func(*formEntry) goja.Value) func(goja.FunctionCall) goja.Value {
		return func(f goja.FunctionCall) goja.Value {
			fd, k := this(f.This), 0
			return r.Iterator("FormData Iterator", func() (goja.Value, bool) {
				if k >= len(fd.entries) {
					return nil, false
				}
				k++
				return pick(&fd.entries[k-1]), true
			})
		}
	}
	c.Method("entries", 0, iterate(func(e *formEntry) goja.Value { return r.VM.NewArray(e.name, value(e)) }))
	c.Method("keys", 0, iterate(func(e *formEntry) goja.Value { return r.VM.ToValue(e.name) }))
	c.Method("values", 0, iterate(value))
	c.Alias(goja.SymIterator, "entries")
}

var formGlobals = []global{class("FormData", (*Realm).formDataClass)}
