package webapi

import (
	"strconv"
	"strings"
)

// A urlRecord is a URL: its serialization and where the parts begin in it.
//
//	https://user:pass@example.com:1234/foo/bar?baz#quux
//	      |     |    |           |    |       |   |
//	      |     |    |           |    |       |   fragment
//	      |     |    |           |    |       query
//	      |     |    |           |    path
//	      |     |    |           hostEnd
//	      |     |    host (after the @)
//	      |     userEnd
//	      schemeEnd (after the colon)
type urlRecord struct {
	text                   string
	schemeEnd              int
	userEnd, host, hostEnd int // all schemeEnd if there is no host
	path, query, fragment  int // without one: where it would begin
	port                   int // -1: none
	hasHost, opaque        bool
}

// href is the serialized URL.
func (u *urlRecord) href() string { return u.text }

func (u *urlRecord) scheme() string   { return u.text[:u.schemeEnd-1] }
func (u *urlRecord) protocol() string { return u.text[:u.schemeEnd] }
func (u *urlRecord) hostname() string { return u.text[u.host:u.hostEnd] }
func (u *urlRecord) pathname() string { return u.text[u.path:u.query] }

// hostPort is the host with the port, if it has one.
func (u *urlRecord) hostPort() string {
	end := u.hostEnd
	if u.port >= 0 {
		end = u.portEnd()
	}
	return u.text[u.host:end]
}

// portEnd is where the digits of the port end.
func (u *urlRecord) portEnd() int {
	end := u.hostEnd + 1
	for end < len(u.text) && isDigit(u.text[end]) {
		end++
	}
	return end
}

func (u *urlRecord) portText() string {
	if u.port < 0 {
		return ""
	}
	return u.text[u.hostEnd+1 : u.portEnd()]
}

func (u *urlRecord) username() string {
	if !u.hasHost {
		return ""
	}
	return u.text[u.schemeEnd+2 : u.userEnd]
}

func (u *urlRecord) password() string {
	if !u.hasHost || u.host <= u.userEnd+1 {
		return ""
	}
	return u.text[u.userEnd+1 : u.host-1]
}

// search is the query with its question mark, or "" if it is empty.
func (u *urlRecord) search() string { return nonEmpty(u.text[u.query:u.fragment]) }

// hash is the fragment with its sign, or "" if it is empty.
func (u *urlRecord) hash() string { return nonEmpty(u.text[u.fragment:]) }

func nonEmpty(s string) string {
	if len(s) < 2 {
		return ""
	}
	return s
}

// origin is the serialized origin; "null" for an opaque one.
func (u *urlRecord) origin() string {
	switch scheme := u.scheme(); scheme {
	case "http", "https", "ws", "wss", "ftp":
		if u.userEnd == u.schemeEnd+2 && u.host == u.userEnd { // no credentials to skip
			return u.text[:u.host+len(u.hostPort())]
		}
		return scheme + "://" + u.hostPort()
	case "blob":
		if in, err := parseURL(u.pathname(), nil); err == nil && (in.scheme() == "http" || in.scheme() == "https") {
			return in.origin()
		}
	}
	return "null"
}

// parts takes the URL apart.
func (u *urlRecord) parts() *urlParts {
	p := &urlParts{
		scheme: u.scheme(), username: u.username(), password: u.password(),
		host: u.hostname(), hasHost: u.hasHost, port: u.port, opaque: u.opaque,
	}
	if u.opaque {
		p.opaquePath = u.pathname()
	} else if path := u.pathname(); path != "" {
		p.path = strings.Split(path[1:], "/")
	}
	if u.query < u.fragment {
		p.query, p.hasQuery = u.text[u.query+1:u.fragment], true
	}
	if u.fragment < len(u.text) {
		p.fragment, p.hasFragment = u.text[u.fragment+1:], true
	}
	return p
}

// record serializes the URL.
func (p *urlParts) record() *urlRecord {
	u := &urlRecord{port: p.port, hasHost: p.hasHost, opaque: p.opaque}
	b := make([]byte, 0, len(p.scheme)+len(p.username)+len(p.password)+len(p.host)+len(p.opaquePath)+len(p.query)+len(p.fragment)+16*len(p.path)+16)
	b = append(append(b, p.scheme...), ':')
	u.schemeEnd = len(b)
	u.userEnd, u.host, u.hostEnd = len(b), len(b), len(b)
	if p.hasHost {
		b = append(append(b, "//"...), p.username...)
		u.userEnd = len(b)
		if p.password != "" {
			b = append(append(b, ':'), p.password...)
		}
		if p.credentials() {
			b = append(b, '@')
		}
		u.host = len(b)
		b = append(b, p.host...)
		u.hostEnd = len(b)
		if p.port >= 0 {
			b = strconv.AppendInt(append(b, ':'), int64(p.port), 10)
		}
	} else if !p.opaque && len(p.path) > 1 && p.path[0] == "" {
		b = append(b, "/."...) // or the path would read as a host
	}
	u.path = len(b)
	if p.opaque {
		b = append(b, p.opaquePath...)
	}
	for _, s := range p.path {
		b = append(append(b, '/'), s...)
	}
	u.query = len(b)
	if p.hasQuery {
		b = append(append(b, '?'), p.query...)
	}
	u.fragment = len(b)
	if p.hasFragment {
		b = append(append(b, '#'), p.fragment...)
	}
	u.text = string(b)
	return u
}

// parseURL parses a URL, which may be relative to a base; base may be nil.
func parseURL(s string, base *urlRecord) (*urlRecord, error) {
	if u, ok := parsePlainURL(s); ok {
		return u, nil
	}
	var from *urlParts
	if base != nil {
		if s != "" && s[0] == '/' && (len(s) == 1 || s[1] != '/') { // a path on the base's host
			if u, ok := parsePlainURL(base.text[:base.path] + s); ok {
				return u, nil
			}
		}
		from = base.parts()
	}
	p, err := parseParts(s, from)
	if err != nil {
		return nil, err
	}
	return p.record(), nil
}

// URLHref returns the serialization of an absolute URL.
func URLHref(s string) (string, bool) {
	u, err := parseURL(s, nil)
	if err != nil {
		return "", false
	}
	return u.text, true
}

// URLJoin parses a URL that may be relative to an absolute one, as the URL standard does.
func URLJoin(s, base string) (string, bool) {
	b, err := parseURL(base, nil)
	if err != nil {
		return "", false
	}
	u, err := parseURL(s, b)
	if err != nil {
		return "", false
	}
	return u.text, true
}

// maxURLScan is the longest URL that parsePlainURL looks at.
const maxURLScan = 1 << 20

// parsePlainURL parses the URLs that are most: http or https, ASCII, already
// in the form that serialization would give. It makes no copy of the string.
func parsePlainURL(s string) (*urlRecord, bool) {
	u := urlRecord{text: s, port: -1, hasHost: true}
	switch {
	case strings.HasPrefix(s, "https://"):
		u.schemeEnd = 6
	case strings.HasPrefix(s, "http://"):
		u.schemeEnd = 5
	default:
		return nil, false
	}
	u.userEnd, u.host = u.schemeEnd+2, u.schemeEnd+2
	if len(s) > maxURLScan || !u.plainHost() {
		return nil, false
	}
	if u.path == len(s) {
		u.text += "/"
		s = u.text
	} else if s[u.path] != '/' || !plainPath(s, u.path) {
		return nil, false
	}
	u.query, u.fragment = len(s), len(s)
	set := setPath
	for k := u.path; k < len(s); k++ {
		switch c := s[k]; {
		case c == '?' && set == setPath:
			u.query, set = k, setSpecialQuery
		case c == '#' && set != setFragment:
			u.query, u.fragment, set = min(u.query, k), k, setFragment
		case encodeSets[c]&set != 0 || c == '\\' && set == setPath:
			return nil, false
		}
	}
	return &u, true
}

// plainHost scans a lower-case host that is no address, and the port.
func (u *urlRecord) plainHost() bool {
	s, k, label := u.text, u.host, u.host
	for ; k < len(s); k++ {
		c := s[k]
		if c == '.' {
			label = k + 1
		} else if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			break
		}
	}
	// A label that begins with a digit may make the host an IPv4 address, and xn-- needs checks.
	if label == k || isDigit(s[label]) || strings.Contains(s[u.host:k], "xn--") {
		return false
	}
	u.hostEnd = k
	if k < len(s) && s[k] == ':' {
		start := k + 1
		for k = start; k < len(s) && isDigit(s[k]); k++ {
		}
		if n := k - start; n == 0 || n > 4 || s[start] == '0' { // five digits may be too many
			return false
		}
		u.port, _ = strconv.Atoi(s[start:k])
		if u.port == 80 && u.schemeEnd == 5 || u.port == 443 && u.schemeEnd == 6 {
			return false
		}
	}
	u.path = k
	return true
}

// plainPath reports whether no segment can be "." or "..".
func plainPath(s string, from int) bool {
	for k := from; k+1 < len(s) && s[k] != '?' && s[k] != '#'; k++ {
		if s[k] == '/' && (s[k+1] == '.' || s[k+1] == '%') {
			return false
		}
	}
	return true
}
