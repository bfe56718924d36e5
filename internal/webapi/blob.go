package webapi

import (
	"strings"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// blob is a Blob or, with a name, a File (File API).
type blob struct {
	data         []byte // shared between slices, never written
	typ          string
	file         bool
	name         string
	lastModified int64 // milliseconds since the Unix epoch
}

func blobOf(v goja.Value) (*blob, bool) { return jsrt.Is[*blob](v) }

// newBlob returns a Blob object that takes over data.
func (r *Realm) newBlob(data []byte, typ string) goja.Value {
	return r.blobClass().New(&blob{data: data, typ: typ})
}

func (r *Realm) newFile(b *blob) goja.Value {
	if b.lastModified == 0 {
		b.lastModified = r.Host.Now().UnixMilli()
	}
	b.file = true
	return r.fileClass().New(b)
}

// blobType normalizes a type option: printable ASCII, in lower case, or nothing.
func blobType(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] > 0x7E {
			return ""
		}
	}
	return strings.ToLower(s)
}

// blobParts concatenates the parts given to a constructor.
func (r *Realm) blobParts(v goja.Value, options goja.Value) []byte {
	if goja.IsUndefined(v) {
		return nil
	}
	if _, ok := v.(*goja.Object); !ok {
		r.TypeError("The provided value cannot be converted to a sequence.")
	}
	native := false
	if e := jsrt.Option(options, "endings"); e != nil {
		switch s := r.str(e); s {
		case "native":
			native = true
		case "transparent":
		default:
			r.TypeError("The provided value '%s' is not a valid enum value of type EndingType.", s)
		}
	}
	var data []byte
	r.VM.ForOf(v, func(part goja.Value) bool {
		if b, ok := r.Bytes(part); ok {
			data = append(data, b...)
		} else if b, ok := blobOf(part); ok {
			data = append(data, b.data...)
		} else {
			s := r.str(part)
			if native {
				s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
			}
			data = append(data, s...)
		}
		return true
	})
	return data
}

func (r *Realm) blobClass() *jsrt.Class {
	return r.Class("Blob", 0, func(c goja.ConstructorCall) any {
		b := &blob{data: r.blobParts(c.Argument(0), c.Argument(1))}
		if t := jsrt.Option(c.Argument(1), "type"); t != nil {
			b.typ = blobType(r.str(t))
		}
		return b
	}, r.defineBlob)
}

func (r *Realm) defineBlob(c *jsrt.Class) {
	this := func(v goja.Value) *blob { return jsrt.This[*blob](r.Runtime, v) }
	c.Getter("size", func(v goja.Value) goja.Value { return r.VM.ToValue(len(this(v).data)) })
	c.Getter("type", func(v goja.Value) goja.Value { return r.VM.ToValue(this(v).typ) })
	c.Async("text", 0, func(f goja.FunctionCall) goja.Value { return r.VM.ToValue(decodeUTF8(this(f.This).data)) })
	c.Async("arrayBuffer", 0, func(f goja.FunctionCall) goja.Value {
		return r.Buffer(append([]byte{}, this(f.This).data...))
	})
	c.Async("bytes", 0, func(f goja.FunctionCall) goja.Value {
		return r.Uint8Array(append([]byte{}, this(f.This).data...))
	})
	c.Method("stream", 0, func(f goja.FunctionCall) goja.Value {
		return r.newReadableStream(&bytesSource{data: append([]byte{}, this(f.This).data...)}).object()
	})
	c.Method("slice", 0, func(f goja.FunctionCall) goja.Value {
		b := this(f.This)
		n := int64(len(b.data))
		at := func(v goja.Value, missing int64) int64 {
			if goja.IsUndefined(v) {
				return missing
			}
			k := v.ToInteger()
			if k < 0 {
				return max(n+k, 0)
			}
			return min(k, n)
		}
		from, to := at(f.Argument(0), 0), at(f.Argument(1), n)
		part := &blob{data: b.data[from:max(from, to)]}
		if t := f.Argument(2); !goja.IsUndefined(t) {
			part.typ = blobType(r.str(t))
		}
		return r.blobClass().New(part)
	})
}

func (r *Realm) fileClass() *jsrt.Class {
	return r.Class("File", 2, func(c goja.ConstructorCall) any {
		if len(c.Arguments) < 2 {
			r.TypeError("Failed to construct 'File': 2 arguments required, but only %d present.", len(c.Arguments))
		}
		b := &blob{data: r.blobParts(c.Argument(0), c.Argument(2)), file: true, name: r.str(c.Argument(1)), lastModified: r.Host.Now().UnixMilli()}
		if t := jsrt.Option(c.Argument(2), "type"); t != nil {
			b.typ = blobType(r.str(t))
		}
		if t := jsrt.Option(c.Argument(2), "lastModified"); t != nil {
			b.lastModified = t.ToInteger()
		}
		return b
	}, func(c *jsrt.Class) {
		c.Extends(r.blobClass())
		this := func(v goja.Value) *blob {
			b := jsrt.This[*blob](r.Runtime, v)
			if !b.file {
				r.TypeError("Illegal invocation")
			}
			return b
		}
		c.Getter("name", func(v goja.Value) goja.Value { return r.VM.ToValue(this(v).name) })
		c.Getter("lastModified", func(v goja.Value) goja.Value { return r.VM.ToValue(this(v).lastModified) })
		c.Getter("webkitRelativePath", func(v goja.Value) goja.Value { this(v); return r.VM.ToValue("") })
	})
}

var blobGlobals = []global{
	class("Blob", (*Realm).blobClass),
	class("File", (*Realm).fileClass),
}
