package webapi

import (
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// A Source is a body that arrives in pieces. Its methods are called within a
// turn; deliver is called once for each Pull, within a turn as well, perhaps at
// once. After done or an error there is no further Pull.
type Source interface {
	Pull(deliver func(chunk []byte, done bool, err goja.Value))
	Cancel(reason goja.Value)
}

// body is the Body mixin of the Fetch standard. At most one of text, bytes,
// source and stream is set; none means a null body.
type body struct {
	text   goja.Value // a string, kept as it is until somebody needs bytes
	bytes  []byte
	source Source
	stream *readableStream
	null   bool
	used   bool
}

func (b *body) disturbed() bool {
	return b.used || b.stream != nil && b.stream.disturbed()
}

// extract takes over a BodyInit and returns the content type it implies.
func (r *Realm) extract(b *body, v goja.Value) (contentType string) {
	b.null = false
	o, ok := v.(*goja.Object)
	if !ok {
		if !jsrt.Defined(v) {
			b.null = true
			return ""
		}
		b.text = v
		if !goja.IsString(v) {
			b.text = r.VM.ToValue(r.str(v))
		}
		return "text/plain;charset=UTF-8"
	}
	if bytes, ok := r.Bytes(o); ok {
		b.bytes = append([]byte{}, bytes...)
		return ""
	}
	if s, ok := streamOf(o); ok {
		if s.disturbed() {
			r.TypeError("This ReadableStream is disturbed (has already been read from), and cannot be used as a body.")
		}
		if s.locked() {
			r.TypeError("This ReadableStream is currently locked to a reader.")
		}
		b.stream = s
		return ""
	}
	if bl, ok := blobOf(o); ok {
		b.bytes = bl.data
		return bl.typ
	}
	if fd, ok := formDataOf(o); ok {
		b.bytes, contentType = encodeMultipart(fd)
		return contentType
	}
	if p, ok := searchParamsOf(o); ok {
		b.text = r.VM.ToValue(p.String())
		return "application/x-www-form-urlencoded;charset=UTF-8"
	}
	b.text = r.VM.ToValue(o.String())
	return "text/plain;charset=UTF-8"
}

// use marks the body as read, or throws if it was.
func (r *Realm) use(b *body) {
	if b.disturbed() {
		r.TypeError("Body has already been used. It can only be used once. Use tee() first if you need to read it twice.")
	}
	if b.stream != nil && b.stream.locked() {
		r.TypeError("This ReadableStream is currently locked to a reader.")
	}
	b.used = !b.null
}

// immediate returns the contents if they are here already.
func (b *body) immediate() ([]byte, bool) {
	switch {
	case b.source != nil:
		return nil, false
	case b.stream != nil:
		return b.stream.whole()
	case b.text != nil:
		return []byte(strings.ToValidUTF8(b.text.String(), "\uFFFD")), true
	}
	return b.bytes, true
}

// empty reports whether the contents are here already, and nothing.
func (b *body) empty() bool {
	if b.source != nil || b.stream != nil {
		return false
	}
	data, _ := b.immediate()
	return len(data) == 0
}

// consume reads the body to its end and returns a promise of what convert makes of it.
func (r *Realm) consume(b *body, convert func([]byte) goja.Value) goja.Value {
	r.use(b)
	if data, ok := b.immediate(); ok {
		return convert(data)
	}
	src := b.source
	if src == nil {
		src = r.sourceOf(b.stream)
	}
	d := r.Defer()
	r.readAll(src, func(data []byte) {
		if thrown := r.Try(func() { d.Resolve(convert(data)) }); thrown != nil {
			d.Reject(thrown)
		}
	}, d.Reject)
	return d.Promise
}

// readAll pulls a source to its end.
func (r *Realm) readAll(src Source, ok func([]byte), fail func(goja.Value)) {
	var data []byte
	var loop func()
	loop = func() {
		// A source that delivers at once must not make the stack grow.
		for again := true; again; {
			again = false
			inPull := true
			src.Pull(func(chunk []byte, done bool, err goja.Value) {
				switch {
				case err != nil:
					fail(err)
				case done:
					ok(append(data, chunk...))
				default:
					data = append(data, chunk...)
					if inPull {
						again = true
					} else {
						loop()
					}
				}
			})
			inPull = false
		}
	}
	loop()
}

// streamObject returns the body as a ReadableStream, or null.
func (r *Realm) streamObject(b *body) goja.Value {
	if b.null {
		return goja.Null()
	}
	if b.stream == nil {
		src := b.source
		if src == nil {
			data, _ := b.immediate()
			src = &bytesSource{data: data}
		}
		b.stream = r.newReadableStream(src)
		b.source, b.text, b.bytes = nil, nil, nil
		if b.used {
			b.stream.disturb(r)
		}
	}
	return b.stream.object()
}

// bytesSource is a source of one chunk.
type bytesSource struct {
	data []byte
}

func (s *bytesSource) Pull(deliver func([]byte, bool, goja.Value)) {
	data := s.data
	s.data = nil
	deliver(data, len(data) == 0, nil)
}

func (s *bytesSource) Cancel(goja.Value) { s.data = nil }

// cloneBody returns a second body with the same contents.
func (r *Realm) cloneBody(b *body) body {
	if b.disturbed() || b.stream != nil && b.stream.locked() {
		r.TypeError("Cannot clone a body that has already been used.")
	}
	if b.source != nil {
		r.streamObject(b)
	}
	if b.stream != nil {
		one, two := r.tee(b.stream)
		b.stream = one
		return body{stream: two}
	}
	return body{text: b.text, bytes: b.bytes, null: b.null}
}

// bodyMembers adds the members of the Body mixin.
func (r *Realm) bodyMembers(c *jsrt.Class, of func(goja.Value) (*body, *headers)) {
	c.Getter("body", func(this goja.Value) goja.Value { b, _ := of(this); return r.streamObject(b) })
	c.Getter("bodyUsed", func(this goja.Value) goja.Value { b, _ := of(this); return r.VM.ToValue(b.disturbed()) })
	c.Async("text", 0, func(f goja.FunctionCall) goja.Value {
		b, _ := of(f.This)
		if b.text != nil && !b.disturbed() && !startsWithBOM(b.text) {
			r.use(b)
			if s := b.text.String(); strings.Contains(s, "\uFFFD") { // perhaps in place of lone surrogates
				return r.VM.ToValue(s)
			}
			return b.text
		}
		return r.consume(b, func(data []byte) goja.Value { return r.VM.ToValue(decodeUTF8(data)) })
	})
	c.Async("json", 0, func(f goja.FunctionCall) goja.Value {
		b, _ := of(f.This)
		return r.consume(b, func(data []byte) goja.Value { return r.ParseJSON(decodeUTF8(data)) })
	})
	c.Async("arrayBuffer", 0, func(f goja.FunctionCall) goja.Value {
		b, _ := of(f.This)
		return r.consume(b, func(data []byte) goja.Value { return r.Buffer(append([]byte{}, data...)) })
	})
	c.Async("bytes", 0, func(f goja.FunctionCall) goja.Value {
		b, _ := of(f.This)
		return r.consume(b, func(data []byte) goja.Value { return r.Uint8Array(append([]byte{}, data...)) })
	})
	c.Async("blob", 0, func(f goja.FunctionCall) goja.Value {
		b, h := of(f.This)
		typ, _ := h.get("content-type")
		return r.consume(b, func(data []byte) goja.Value {
			m, _ := contentType(typ)
			return r.newBlob(append([]byte{}, data...), m.String())
		})
	})
	c.Async("formData", 0, func(f goja.FunctionCall) goja.Value {
		b, h := of(f.This)
		typ, _ := h.get("content-type")
		return r.consume(b, func(data []byte) goja.Value {
			fd, err := r.parseFormData(typ, data)
			if err != nil {
				r.TypeError("%s", err.Error())
			}
			return fd
		})
	})
}

// startsWithBOM reports whether a string starts with a byte order mark.
func startsWithBOM(v goja.Value) bool {
	s, ok := v.(goja.String)
	return ok && s.Length() > 0 && s.CharAt(0) == 0xFEFF
}

// DecodeText returns bytes that came from outside as a string value.
func (r *Realm) DecodeText(s string) goja.Value {
	if utf8.ValidString(s) {
		return r.VM.ToValue(s)
	}
	return r.VM.ToValue(decodeUTF8([]byte(s)))
}

// Stream returns a ReadableStream of data.
func (r *Realm) Stream(data []byte) goja.Value {
	return r.newReadableStream(&bytesSource{data: data}).object()
}

// ReadStream reads a ReadableStream to its end and returns a promise for what
// convert makes of it. ok is false if v is no stream.
func (r *Realm) ReadStream(v goja.Value, convert func([]byte) goja.Value) (promise goja.Value, ok bool) {
	s, ok := streamOf(v)
	if !ok {
		return nil, false
	}
	return r.consume(&body{stream: s}, convert), true
}
