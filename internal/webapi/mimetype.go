package webapi

import "strings"

// A mimeType is a MIME type of the MIME Sniffing standard.
type mimeType struct {
	essence string // type and subtype, in lower case
	params  []formPair
}

// param returns a parameter, or "".
func (m *mimeType) param(name string) string {
	for _, p := range m.params {
		if p.name == name {
			return p.value
		}
	}
	return ""
}

// httpSpace is "HTTP whitespace".
const httpSpace = "\t\n\r "

// parseMIMEType is "parse a MIME type".
func parseMIMEType(s string) (m mimeType, ok bool) {
	s = strings.Trim(s, httpSpace)
	typ, rest, ok := strings.Cut(s, "/")
	if !ok || !isToken(typ) {
		return m, false
	}
	subtype, rest, more := strings.Cut(rest, ";")
	if subtype = strings.TrimRight(subtype, httpSpace); !isToken(subtype) {
		return m, false
	}
	m.essence = lower(typ) + "/" + lower(subtype)
	for more {
		rest = strings.TrimLeft(rest, httpSpace)
		end := strings.IndexAny(rest, ";=")
		if end < 0 {
			break
		}
		name, value := lower(rest[:end]), ""
		divider := rest[end]
		if rest = rest[end+1:]; divider == ';' {
			continue
		}
		quoted := strings.HasPrefix(rest, `"`)
		if quoted {
			value, rest = cutQuoted(rest)
			_, rest, more = strings.Cut(rest, ";")
		} else {
			value, rest, more = strings.Cut(rest, ";")
			value = strings.TrimRight(value, httpSpace)
		}
		if (value != "" || quoted) && isToken(name) && isQuotable(value) && !m.has(name) {
			m.params = append(m.params, formPair{name, value})
		}
	}
	return m, true
}

func (m *mimeType) has(name string) bool {
	for _, p := range m.params {
		if p.name == name {
			return true
		}
	}
	return false
}

// cutQuoted takes a quoted string off s, without its quotes and backslashes.
func cutQuoted(s string) (value, rest string) {
	var b []byte
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return string(b), s[i+1:]
		case '\\':
			if i++; i == len(s) {
				return string(append(b, '\\')), ""
			}
		}
		b = append(b, s[i])
	}
	return string(b), ""
}

func isToken(s string) bool {
	for i := 0; i < len(s); i++ {
		if !tokenChar(s[i]) {
			return false
		}
	}
	return s != ""
}

// isQuotable reports whether s is of "HTTP quoted-string token code points".
func isQuotable(s string) bool {
	for _, c := range s {
		if c != '\t' && (c < ' ' || c == 0x7F || c > 0xFF) {
			return false
		}
	}
	return true
}

// String is "serialize a MIME type".
func (m *mimeType) String() string {
	var b strings.Builder
	b.WriteString(m.essence)
	for _, p := range m.params {
		b.WriteString(";" + p.name + "=")
		if isToken(p.value) {
			b.WriteString(p.value)
			continue
		}
		b.WriteString(`"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(p.value) + `"`)
	}
	return b.String()
}

// contentType is "extract a MIME type" of a Content-Type header, which may be several in one.
func contentType(header string) (m mimeType, ok bool) {
	charset := ""
	for header != "" {
		var value string
		value, header = cutListed(header)
		next, valid := parseMIMEType(value)
		if !valid || next.essence == "*/*" {
			continue
		}
		if next.essence != m.essence {
			charset = next.param("charset")
		} else if charset != "" && !next.has("charset") {
			next.params = append(next.params, formPair{"charset", charset})
		}
		m, ok = next, true
	}
	return m, ok
}

// cutListed takes the first value off a list with commas, which may stand in quotes as well.
func cutListed(s string) (value, rest string) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ',':
			return s[:i], s[i+1:]
		case '"':
			_, after := cutQuoted(s[i:])
			i = len(s) - len(after) - 1
		}
	}
	return s, ""
}
