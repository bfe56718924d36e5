package webapi

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// nativeTransform starts a transform stream whose algorithms are Go's. step and last
// may throw.
func (r *Realm) nativeTransform(step func(t *transformStream, v goja.Value), last func(t *transformStream)) *transformStream {
	t := r.newTransform(1, nil, 0, nil)
	t.transform = func(v goja.Value) goja.Value {
		return r.Async(func() goja.Value { step(t, v); return goja.Undefined() })
	}
	t.flush = func() goja.Value {
		return r.Async(func() goja.Value {
			if last != nil {
				last(t)
			}
			return goja.Undefined()
		})
	}
	t.start(goja.Undefined())
	return t
}

// chunkBytes returns the bytes of a chunk, or throws.
func (r *Realm) chunkBytes(v goja.Value) []byte {
	b, ok := r.Bytes(v)
	if !ok {
		r.TypeError("The stream takes chunks that are ArrayBuffers or views of one.")
	}
	return b
}

func (t *transformStream) enqueueBytes(b []byte) {
	if len(b) > 0 {
		t.enqueue(t.r.Uint8Array(b))
	}
}

// identityTransformClass is workerd's: bytes pass, strings are encoded.
func (r *Realm) identityTransformClass() *jsrt.Class {
	return r.Class("IdentityTransformStream", 0, func(goja.ConstructorCall) any {
		return r.nativeTransform(func(t *transformStream, v goja.Value) {
			t.enqueueBytes(append([]byte(nil), r.bytesOrText(v)...))
		}, nil)
	}, r.transformMembers)
}

func (r *Realm) bytesOrText(v goja.Value) []byte {
	if goja.IsString(v) {
		return []byte(r.str(v))
	}
	return r.chunkBytes(v)
}

// fixedLengthStreamClass is workerd's: it takes so many bytes, no more, no fewer.
func (r *Realm) fixedLengthStreamClass() *jsrt.Class {
	return r.Class("FixedLengthStream", 1, func(c goja.ConstructorCall) any {
		left := c.Argument(0).ToInteger()
		if left < 0 {
			r.RangeError("The length must not be negative.")
		}
		return r.nativeTransform(func(t *transformStream, v goja.Value) {
			b := r.bytesOrText(v)
			if left -= int64(len(b)); left < 0 {
				r.TypeError("Attempt to write too many bytes through a FixedLengthStream.")
			}
			t.enqueueBytes(append([]byte(nil), b...))
		}, func(*transformStream) {
			if left > 0 {
				r.TypeError("FixedLengthStream did not see all expected bytes before close().")
			}
		})
	}, r.transformMembers)
}

// textEncoderStreamClass joins surrogate pairs that are split between chunks.
func (r *Realm) textEncoderStreamClass() *jsrt.Class {
	return r.Class("TextEncoderStream", 0, func(goja.ConstructorCall) any {
		var lead uint16 // a leading surrogate that waits for the rest of its pair
		return r.nativeTransform(func(t *transformStream, v goja.Value) {
			t.enqueueBytes(encodeText(v.ToString(), &lead))
		}, func(t *transformStream) {
			if lead != 0 {
				t.enqueueBytes([]byte("\uFFFD"))
			}
		})
	}, func(c *jsrt.Class) {
		r.transformMembers(c)
		c.Getter("encoding", func(v goja.Value) goja.Value {
			jsrt.This[*transformStream](r.Runtime, v)
			return r.VM.ToValue("utf-8")
		})
	})
}

func encodeText(v goja.Value, lead *uint16) []byte {
	s, ok := v.(goja.String)
	if !ok {
		return nil
	}
	n := s.Length()
	out := make([]byte, 0, n+4)
	for i := range n {
		u := s.CharAt(i)
		if *lead != 0 {
			pair := utf16.DecodeRune(rune(*lead), rune(u))
			*lead = 0
			out = utf8.AppendRune(out, pair) // U+FFFD if they are no pair
			if pair != utf8.RuneError {
				continue
			}
		}
		if u >= 0xD800 && u < 0xDC00 {
			*lead = u
			continue
		}
		out = utf8.AppendRune(out, rune(u)) // a trailing surrogate alone becomes U+FFFD
	}
	return out
}

// codecStream connects a Go codec, which pushes its output into out.
func (r *Realm) codecStream(out *bytes.Buffer, write func([]byte) error, finish func() error) *transformStream {
	check := func(err error) {
		if err != nil {
			r.TypeError("%s", err.Error())
		}
	}
	drain := func(t *transformStream) {
		b := append([]byte(nil), out.Bytes()...)
		out.Reset()
		t.enqueueBytes(b)
	}
	return r.nativeTransform(func(t *transformStream, v goja.Value) {
		check(write(r.chunkBytes(v)))
		drain(t)
	}, func(t *transformStream) {
		check(finish())
		drain(t)
	})
}

func (r *Realm) compressionFormat(v goja.Value, class string) string {
	switch s := v.String(); s {
	case "gzip", "deflate", "deflate-raw":
		return s
	}
	r.TypeError("Failed to construct '%s': the format must be \"gzip\", \"deflate\" or \"deflate-raw\".", class)
	return ""
}

func (r *Realm) compressionStreamClass() *jsrt.Class {
	return r.Class("CompressionStream", 1, func(c goja.ConstructorCall) any {
		var out bytes.Buffer
		var w io.WriteCloser
		switch r.compressionFormat(c.Argument(0), "CompressionStream") {
		case "gzip":
			w = gzip.NewWriter(&out)
		case "deflate":
			w = zlib.NewWriter(&out)
		default:
			w, _ = flate.NewWriter(&out, flate.DefaultCompression)
		}
		return r.codecStream(&out, func(b []byte) error { _, err := w.Write(b); return err }, w.Close)
	}, r.transformMembers)
}

func (r *Realm) decompressionStreamClass() *jsrt.Class {
	return r.Class("DecompressionStream", 1, func(c goja.ConstructorCall) any {
		d := newDecompressor(r.compressionFormat(c.Argument(0), "DecompressionStream"))
		return r.codecStream(&d.state.out, d.write, d.finish)
	}, r.transformMembers)
}

func (r *Realm) textDecoderStreamClass() *jsrt.Class {
	return r.Class("TextDecoderStream", 0, func(c goja.ConstructorCall) any {
		label := "utf-8"
		if v := c.Argument(0); !goja.IsUndefined(v) {
			label = v.String()
		}
		flag := func(name string) bool { v := jsrt.Option(c.Argument(1), name); return v != nil && v.ToBoolean() }
		d, ok := newTextDecoder(label, flag("fatal"), flag("ignoreBOM"))
		if !ok {
			r.RangeError("Failed to construct 'TextDecoderStream': The encoding label provided ('%s') is invalid.", label)
		}
		decode := func(t *transformStream, b []byte, more bool) {
			s, err := d.decode(b, more)
			if err != nil {
				r.TypeError("%s", err.Error())
			}
			if s != "" {
				t.enqueue(r.VM.ToValue(s))
			}
		}
		t := r.nativeTransform(func(t *transformStream, v goja.Value) {
			decode(t, r.chunkBytes(v), true)
		}, func(t *transformStream) { decode(t, nil, false) })
		t.decoder = d
		return t
	}, func(c *jsrt.Class) {
		r.transformMembers(c)
		r.decoderMembers(c, func(v goja.Value) *textDecoder {
			t := jsrt.This[*transformStream](r.Runtime, v)
			if t.decoder == nil {
				r.TypeError("Illegal invocation: function called with incorrect `this` reference.")
			}
			return t.decoder
		})
	})
}
