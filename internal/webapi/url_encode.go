package webapi

import "strings"

// The percent-encode sets of the URL standard, as bits of encodeSets. All of
// them hold every byte of a code point beyond ASCII, so encoding goes byte by byte.
const (
	setC0 uint16 = 1 << iota
	setFragment
	setQuery
	setSpecialQuery
	setPath
	setUserinfo
	setComponent
	setForm
	forbiddenHost   // the forbidden host code points
	forbiddenDomain // the forbidden domain code points
)

// encodeSets tells for each byte which sets it is in.
var encodeSets = func() (t [256]uint16) {
	all := setC0 | setFragment | setQuery | setSpecialQuery | setPath | setUserinfo | setComponent | setForm
	for c := range t {
		if c < 0x20 || c > 0x7E {
			t[c] |= all
		}
		if c < 0x20 || c == 0x7F {
			t[c] |= forbiddenDomain
		}
	}
	add := func(set uint16, chars string) {
		for _, c := range []byte(chars) {
			t[c] |= set
		}
	}
	add(setFragment, " \"<>`")
	add(all&^(setC0|setFragment), " \"#<>")
	add(setSpecialQuery, "'")
	add(setPath|setUserinfo|setComponent|setForm, "?^`{}")
	add(setUserinfo|setComponent|setForm, "/:;=@[\\]|")
	add(setComponent|setForm, "$%&+,")
	add(setForm, "!'()~")
	add(forbiddenHost|forbiddenDomain, "\x00\t\n\r #/:<>?@[\\]^|")
	add(forbiddenDomain, "%")
	return t
}()

const upperHex = "0123456789ABCDEF"

// appendEncoded appends one byte, percent-encoded if it is in the set.
func appendEncoded(dst []byte, c byte, set uint16) []byte {
	if encodeSets[c]&set == 0 {
		return append(dst, c)
	}
	return append(dst, '%', upperHex[c>>4], upperHex[c&15])
}

// percentEncode encodes the bytes of s that are in the set.
func percentEncode(s string, set uint16) string {
	i := 0
	for i < len(s) && encodeSets[s[i]]&set == 0 {
		i++
	}
	if i == len(s) {
		return s
	}
	out := make([]byte, i, len(s)+len(s)/2+8)
	copy(out, s)
	for ; i < len(s); i++ {
		out = appendEncoded(out, s[i], set)
	}
	return string(out)
}

func containsAny(s string, set uint16) bool {
	for i := 0; i < len(s); i++ {
		if encodeSets[s[i]]&set != 0 {
			return true
		}
	}
	return false
}

func hexValue(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// percentDecode decodes %XX; other per cent signs stay.
func percentDecode(s string) []byte {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if hi, lo := hexValue(s[i+1]), hexValue(s[i+2]); hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return out
}

// A formPair is a name and a value of application/x-www-form-urlencoded.
type formPair struct{ name, value string }

// parseForm parses application/x-www-form-urlencoded.
func parseForm(s string) []formPair {
	var list []formPair
	for s != "" {
		var part string
		part, s, _ = strings.Cut(s, "&")
		if part != "" {
			name, value, _ := strings.Cut(part, "=")
			list = append(list, formPair{formDecode(name), formDecode(value)})
		}
	}
	return list
}

func formDecode(s string) string {
	if !strings.ContainsAny(s, "+%") {
		return s
	}
	return decodeUTF8WithBOM(percentDecode(strings.ReplaceAll(s, "+", " ")))
}

// decodeUTF8WithBOM is "UTF-8 decode without BOM": a byte order mark is kept.
func decodeUTF8WithBOM(b []byte) string {
	if len(b) >= 3 && b[0] == 0xEF && b[1] == 0xBB && b[2] == 0xBF {
		return "\uFEFF" + decodeUTF8(b)
	}
	return decodeUTF8(b)
}

// serializeForm is the inverse of parseForm.
func serializeForm(list []formPair) string {
	if len(list) == 0 {
		return ""
	}
	var out []byte
	for i, p := range list {
		if i > 0 {
			out = append(out, '&')
		}
		out = append(appendForm(out, p.name), '=')
		out = appendForm(out, p.value)
	}
	return string(out)
}

func appendForm(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if s[i] == ' ' {
			dst = append(dst, '+')
			continue
		}
		dst = appendEncoded(dst, s[i], setForm)
	}
	return dst
}
