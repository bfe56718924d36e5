package webapi

import (
	"encoding/base64"
	"encoding/hex"
	"strings"

	"github.com/dop251/goja"
)

// encodeBytes is the text of bytes in one of Node's encodings, by its lower-case name.
func (r *Realm) encodeBytes(c goja.FunctionCall) goja.Value {
	b, ok := r.Bytes(c.Argument(0))
	if !ok {
		r.TypeError("The argument must be bytes")
	}
	switch encoding := c.Argument(1).String(); encoding {
	case "utf8":
		return r.VM.ToValue(decodeUTF8(b))
	case "hex":
		return r.VM.ToValue(hex.EncodeToString(b))
	case "base64":
		return r.VM.ToValue(base64.StdEncoding.EncodeToString(b))
	case "base64url":
		return r.VM.ToValue(base64.RawURLEncoding.EncodeToString(b))
	case "latin1":
		return byteString(r, b)
	case "ascii":
		low := make([]byte, len(b))
		for i, c := range b {
			low[i] = c & 0x7f
		}
		return r.VM.ToValue(string(low))
	case "utf16le":
		units := make([]uint16, len(b)/2)
		for i := range units {
			units[i] = uint16(b[2*i]) | uint16(b[2*i+1])<<8
		}
		return goja.StringFromUTF16(units)
	default:
		r.TypeError("Unknown encoding: %s", encoding)
	}
	return nil
}

// decodeBytes is the bytes that a text stands for in one of Node's encodings, as a
// Uint8Array. Like Node it takes what it understands and passes over the rest.
func (r *Realm) decodeBytes(c goja.FunctionCall) goja.Value {
	text, ok := c.Argument(0).(goja.String)
	if !ok {
		r.TypeError("The argument must be a string")
	}
	var out []byte
	switch encoding := c.Argument(1).String(); encoding {
	case "utf8":
		out = []byte(r.str(text))
	case "hex":
		s := text.String()
		out = make([]byte, len(s)/2)
		n, _ := hex.Decode(out, []byte(s[:len(s)&^1]))
		out = out[:n]
	case "base64", "base64url":
		out = looseBase64(text.String())
	case "latin1", "ascii":
		out = make([]byte, text.Length())
		for i := range out {
			out[i] = byte(text.CharAt(i))
		}
	case "utf16le":
		out = make([]byte, 2*text.Length())
		for i := range text.Length() {
			u := text.CharAt(i)
			out[2*i], out[2*i+1] = byte(u), byte(u>>8)
		}
	default:
		r.TypeError("Unknown encoding: %s", encoding)
	}
	return r.Uint8Array(out)
}

// looseBase64 decodes either alphabet, up to the padding, and passes over all else.
func looseBase64(s string) []byte {
	s, _, _ = strings.Cut(s, "=")
	var clean strings.Builder
	clean.Grow(len(s))
	for _, c := range []byte(s) {
		switch {
		case c == '-':
			clean.WriteByte('+')
		case c == '_':
			clean.WriteByte('/')
		case 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '/':
			clean.WriteByte(c)
		}
	}
	text := clean.String()
	if len(text)%4 == 1 {
		text = text[:len(text)-1]
	}
	out, _ := base64.RawStdEncoding.DecodeString(text)
	return out
}
