package webapi

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"

	"samkit.dev/internal/jsrt"
)

// encodingGlobals are TextEncoder and TextDecoder.
var encodingGlobals = []global{
	class("TextEncoder", (*Realm).textEncoderClass),
	class("TextDecoder", (*Realm).textDecoderClass),
}

// newerLabels are labels of the Encoding standard that package htmlindex does not know.
var newerLabels = map[string]string{
	"unicode11utf8": "utf-8", "unicode20utf8": "utf-8", "x-unicode20utf8": "utf-8",
	"unicodefffe": "utf-16be",
	"csunicode":   "utf-16le", "iso-10646-ucs-2": "utf-16le", "ucs-2": "utf-16le", "unicode": "utf-16le", "unicodefeff": "utf-16le",
}

// encodingByLabel gets an encoding and its name; not the one called replacement.
func encodingByLabel(label string) (enc encoding.Encoding, name string, ok bool) {
	label = strings.ToLower(strings.Trim(label, "\t\n\f\r "))
	if to, newer := newerLabels[label]; newer {
		label = to
	}
	if label != strings.TrimSpace(label) {
		return nil, "", false
	}
	enc, err := htmlindex.Get(label)
	if err != nil || enc == encoding.Replacement {
		return nil, "", false
	}
	name, err = htmlindex.Name(enc)
	return enc, name, err == nil
}

var errDecode = errors.New("the encoded data is not valid")

// A textDecoder decodes a stream of bytes.
type textDecoder struct {
	name      string
	fatal     bool
	ignoreBOM bool
	legacy    encoding.Encoding // nil for the Unicode encodings
	state     *encoding.Decoder // of legacy, once begun
	pending   []byte            // an incomplete sequence
	begun     bool              // the place of the byte order mark has passed
	more      bool              // the last call said that more follows
}

// newTextDecoder returns a decoder for a label of the Encoding standard.
func newTextDecoder(label string, fatal, ignoreBOM bool) (*textDecoder, bool) {
	enc, name, ok := encodingByLabel(label)
	if !ok {
		return nil, false
	}
	d := &textDecoder{name: name, fatal: fatal, ignoreBOM: ignoreBOM}
	switch name {
	case "utf-8", "utf-16le", "utf-16be":
	default:
		d.legacy = enc
	}
	return d, true
}

// decode decodes the next bytes; more says that others follow. It does not keep b.
func (d *textDecoder) decode(b []byte, more bool) (string, error) {
	if !d.more {
		d.pending, d.begun, d.state = nil, false, nil
	}
	d.more = more
	if len(d.pending) > 0 {
		b = append(d.pending, b...)
		d.pending = nil
	}
	var s string
	var valid bool
	switch {
	case d.legacy != nil:
		s, valid = d.decodeLegacy(b, more)
	case d.name == "utf-8":
		if more {
			b = b[:len(b)-d.hold(b[len(b)-incompleteUTF8(b):])]
		}
		valid = utf8.Valid(b)
		s = decodeUTF8WithBOM(b)
	default:
		s, valid = d.decodeUTF16(b, more)
	}
	if d.fatal && !valid {
		d.more = false // the next call begins anew
		return "", errDecode
	}
	if !d.begun && s != "" {
		d.begun = true
		if !d.ignoreBOM && d.legacy == nil {
			s = strings.TrimPrefix(s, "\uFEFF")
		}
	}
	return s, nil
}

// hold keeps the bytes of an incomplete sequence and returns how many.
func (d *textDecoder) hold(b []byte) int {
	d.pending = bytes.Clone(b)
	return len(b)
}

// incompleteUTF8 returns the length of the beginning of a sequence that ends b.
func incompleteUTF8(b []byte) int {
	for n := 1; n <= 3 && n <= len(b); n++ {
		if tail := b[len(b)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return n
			}
			return 0
		}
	}
	return 0
}

func (d *textDecoder) decodeUTF16(b []byte, more bool) (s string, valid bool) {
	var out strings.Builder
	out.Grow(len(b))
	unit := func(i int) rune {
		if d.name == "utf-16be" {
			return rune(b[i])<<8 | rune(b[i+1])
		}
		return rune(b[i+1])<<8 | rune(b[i])
	}
	valid = true
	i := 0
	for i+1 < len(b) {
		c := unit(i)
		if utf16.IsSurrogate(c) {
			if c < 0xDC00 && i+3 >= len(b) && more { // its other half may follow
				break
			}
			pair := rune(utf8.RuneError)
			if i+3 < len(b) {
				pair = utf16.DecodeRune(c, unit(i+2))
			}
			if pair == utf8.RuneError {
				valid = false
				if c < 0xDC00 && i+3 == len(b) {
					i++ // half a unit after half a pair: one error, as at the end of either
				}
			} else {
				i += 2
			}
			c = pair
		}
		out.WriteRune(c)
		i += 2
	}
	if i < len(b) {
		if more {
			d.hold(b[i:])
		} else { // half a unit
			valid = false
			out.WriteRune(utf8.RuneError)
		}
	}
	return out.String(), valid
}

// decodeSingle decodes an encoding of single bytes. The standard has bytes from
// 80 to 9F that mean nothing decode to themselves, which package charmap does not.
func decodeSingle(m *charmap.Charmap, b []byte) (s string, valid bool) {
	var out strings.Builder
	out.Grow(2 * len(b))
	valid = true
	for _, c := range b {
		r := m.DecodeByte(c)
		if r == utf8.RuneError {
			if c < 0xA0 {
				r = rune(c)
			} else {
				valid = false
			}
		}
		out.WriteRune(r)
	}
	return out.String(), valid
}

func (d *textDecoder) decodeLegacy(b []byte, more bool) (s string, valid bool) {
	if m, ok := d.legacy.(*charmap.Charmap); ok {
		return decodeSingle(m, b)
	}
	if d.state == nil {
		d.state = d.legacy.NewDecoder()
	}
	var out strings.Builder
	dst := make([]byte, min(4*len(b)+16, 64<<10))
	bad, src := 0, b
	for {
		n, used, err := d.state.Transform(dst, src, !more)
		out.Write(dst[:n])
		bad += bytes.Count(dst[:n], []byte("\uFFFD"))
		src = src[used:]
		if err == transform.ErrShortSrc {
			d.hold(src)
			break
		}
		if err != transform.ErrShortDst {
			break
		}
	}
	if d.name == "gb18030" || d.name == "gbk" { // which can encode U+FFFD
		bad -= bytes.Count(b, []byte{0x84, 0x31, 0xA4, 0x37})
	}
	s = out.String()
	if strings.HasPrefix(d.name, "iso-8859-") && bad > 0 {
		if controls := d.decodeControls(b); controls != "" {
			return controls, !strings.Contains(controls, "\uFFFD")
		}
	}
	return s, bad <= 0
}

// decodeControls decodes bytes of an ISO encoding whose control characters from 0x80 to
// 0x9F, which the tables of x/text leave out, stand for themselves.
func (d *textDecoder) decodeControls(b []byte) string {
	var out strings.Builder
	for _, c := range b {
		if c >= 0x80 && c <= 0x9F {
			out.WriteRune(rune(c))
			continue
		}
		s, err := d.legacy.NewDecoder().Bytes([]byte{c})
		if err != nil {
			return ""
		}
		out.Write(s)
	}
	return out.String()
}

func (r *Realm) textDecoderClass() *jsrt.Class {
	construct := func(c goja.ConstructorCall) any {
		label := "utf-8"
		if v := c.Argument(0); !goja.IsUndefined(v) {
			label = r.str(v)
		}
		options := r.dictionary(c.Argument(1), "The TextDecoder's options")
		d, ok := newTextDecoder(label, flag(options, "fatal"), flag(options, "ignoreBOM"))
		if !ok {
			r.RangeError("\"%s\" is not a valid encoding.", cut(label, 100))
		}
		return d
	}
	return r.Class("TextDecoder", 0, construct, func(c *jsrt.Class) {
		self := func(v goja.Value) *textDecoder { return jsrt.This[*textDecoder](r.Runtime, v) }
		r.decoderMembers(c, self)
		c.Method("decode", 0, func(f goja.FunctionCall) goja.Value {
			d := self(f.This)
			more := flag(r.dictionary(f.Argument(1), "The options"), "stream")
			var b []byte
			if v := f.Argument(0); !goja.IsUndefined(v) {
				b = r.bufferSource(v, "decode on TextDecoder")
			}
			s, err := d.decode(b, more)
			if err != nil {
				r.TypeError("Failed to decode input.")
			}
			return r.VM.ToValue(s)
		})
	})
}

// decoderMembers are the attributes of TextDecoder and TextDecoderStream.
func (r *Realm) decoderMembers(c *jsrt.Class, decoder func(goja.Value) *textDecoder) {
	c.Getter("encoding", func(this goja.Value) goja.Value { return r.VM.ToValue(decoder(this).name) })
	c.Getter("fatal", func(this goja.Value) goja.Value { return r.VM.ToValue(decoder(this).fatal) })
	c.Getter("ignoreBOM", func(this goja.Value) goja.Value { return r.VM.ToValue(decoder(this).ignoreBOM) })
}

// bufferSource returns the bytes of a BufferSource. They alias it.
func (r *Realm) bufferSource(v goja.Value, op string) []byte {
	b, ok := r.Bytes(v)
	if !ok {
		r.TypeError("Failed to execute %s: the value is neither an ArrayBuffer nor a view of one.", quoteOp(op))
	}
	return b
}

func (r *Realm) textEncoderClass() *jsrt.Class {
	type encoder struct{ _ byte }
	return r.Class("TextEncoder", 0, func(goja.ConstructorCall) any { return &encoder{} }, func(c *jsrt.Class) {
		self := func(v goja.Value) { jsrt.This[*encoder](r.Runtime, v) }
		c.Getter("encoding", func(this goja.Value) goja.Value {
			self(this)
			return r.VM.ToValue("utf-8")
		})
		c.Method("encode", 0, func(f goja.FunctionCall) goja.Value {
			self(f.This)
			s := ""
			if v := f.Argument(0); !goja.IsUndefined(v) {
				s = r.str(v)
			}
			return r.Uint8Array([]byte(s))
		})
		c.Method("encodeInto", 2, func(f goja.FunctionCall) goja.Value {
			self(f.This)
			r.argc(f, 2, "encodeInto on TextEncoder")
			s := r.str(f.Argument(0))
			o, ok := f.Argument(1).(*goja.Object)
			if !ok || kindOf(o) != kindTypedArray || r.call(typedName, o).String() != "Uint8Array" {
				r.TypeError("Failed to execute 'encodeInto' on 'TextEncoder': parameter 2 is not of type 'Uint8Array'.")
			}
			dst, _ := r.Bytes(o)
			read, written := encodeInto(dst, s)
			out := r.VM.NewObject()
			jsrt.Data(out, "read", r.VM.ToValue(read))
			jsrt.Data(out, "written", r.VM.ToValue(written))
			return out
		})
	})
}

// encodeInto copies as many whole code points as fit. read counts UTF-16 code units.
func encodeInto(dst []byte, s string) (read, written int) {
	for _, c := range s {
		n := utf8.RuneLen(c)
		if written+n > len(dst) {
			break
		}
		utf8.EncodeRune(dst[written:], c)
		written += n
		read++
		if c > 0xFFFF {
			read++
		}
	}
	return read, written
}
