package webapi

import (
	"encoding/base64"
	"strings"

	"github.com/dop251/goja"
)

// base64Globals are atob and btoa.
var base64Globals = []global{
	function("atob", 1, (*Realm).atob),
	function("btoa", 1, (*Realm).btoa),
}

// atob decodes as the Infra standard's forgiving-base64 decode does.
func (r *Realm) atob(c goja.FunctionCall) goja.Value {
	r.argc(c, 1, "atob")
	b, ok := forgivingBase64(r.str(c.Argument(0)))
	if !ok {
		r.throw("InvalidCharacterError", "atob() called with invalid base64-encoded data. (Only whitespace, '+', '/', alphanumeric ASCII, and up to two terminal '=' signs when the input data length is divisible by 4 are allowed.)")
	}
	return byteString(r, b)
}

func forgivingBase64(s string) ([]byte, bool) {
	if strings.ContainsAny(s, " \t\n\f\r") {
		s = strings.Map(func(c rune) rune {
			if strings.ContainsRune(" \t\n\f\r", c) {
				return -1
			}
			return c
		}, s)
	}
	if len(s)%4 == 0 {
		s = strings.TrimSuffix(strings.TrimSuffix(s, "="), "=")
	}
	if len(s)%4 == 1 || strings.ContainsAny(s, "\r\n") {
		return nil, false
	}
	b, err := base64.RawStdEncoding.DecodeString(s)
	return b, err == nil
}

// byteString returns the string whose code units are the bytes.
func byteString(r *Realm, b []byte) goja.Value {
	units := make([]uint16, len(b))
	var seen byte
	for i, c := range b {
		units[i] = uint16(c)
		seen |= c
	}
	if seen < 0x80 {
		return r.VM.ToValue(string(b))
	}
	return goja.StringFromUTF16(units)
}

func (r *Realm) btoa(c goja.FunctionCall) goja.Value {
	r.argc(c, 1, "btoa")
	s := r.str(c.Argument(0))
	b := make([]byte, 0, len(s))
	for _, unit := range s {
		if unit > 0xFF {
			r.throw("InvalidCharacterError", "btoa() can only operate on characters in the Latin1 (ISO/IEC 8859-1) range.")
		}
		b = append(b, byte(unit))
	}
	return r.VM.ToValue(base64.StdEncoding.EncodeToString(b))
}
