package webapi

import (
	"errors"
	"strings"
)

var errURL = errors.New("invalid URL")

// urlParts is a URL record of the standard, taken apart. See urlRecord for the
// form in which it is kept.
type urlParts struct {
	scheme             string
	username, password string
	host               string
	hasHost            bool
	port               int // -1: none
	path               []string
	opaque             bool // the path is opaquePath
	opaquePath         string
	query              string
	hasQuery           bool
	fragment           string
	hasFragment        bool
}

// specialPort returns the default port of a special scheme; -1 for file.
func specialPort(scheme string) (port int, special bool) {
	switch scheme {
	case "http", "ws":
		return 80, true
	case "https", "wss":
		return 443, true
	case "ftp":
		return 21, true
	case "file":
		return -1, true
	}
	return -1, false
}

func (u *urlParts) special() bool     { _, ok := specialPort(u.scheme); return ok }
func (u *urlParts) credentials() bool { return u.username != "" || u.password != "" }

// cannotHavePort is "cannot have a username/password/port".
func (u *urlParts) cannotHavePort() bool { return u.host == "" || u.scheme == "file" }

// shorten removes the last segment, but never a file's drive.
func (u *urlParts) shorten() {
	n := len(u.path)
	if u.scheme == "file" && n == 1 && isDrive(u.path[0]) && u.path[0][1] == ':' {
		return
	}
	if n > 0 {
		u.path = u.path[:n-1]
	}
}

func isAlpha(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isDrive reports whether s is a Windows drive letter, such as "C:" or "C|".
func isDrive(s string) bool {
	return len(s) == 2 && isAlpha(s[0]) && (s[1] == ':' || s[1] == '|')
}

func startsWithDrive(s string) bool {
	return len(s) >= 2 && isDrive(s[:2]) && (len(s) == 2 || strings.IndexByte("/\\?#", s[2]) >= 0)
}

// dots reports whether a segment is "." or "..", also percent-encoded: 1, 2 or 0.
func dots(s string) int {
	n := 0
	for s != "" && n < 3 {
		switch {
		case s[0] == '.':
			s = s[1:]
		case len(s) >= 3 && s[0] == '%' && s[1] == '2' && s[2]|0x20 == 'e':
			s = s[3:]
		default:
			return 0
		}
		n++
	}
	if n > 2 {
		return 0
	}
	return n
}

type urlState int

// The states of the basic URL parser.
const (
	noOverride urlState = iota
	schemeStartState
	schemeState
	noSchemeState
	specialRelativeOrAuthorityState
	pathOrAuthorityState
	relativeState
	relativeSlashState
	specialAuthoritySlashesState
	specialAuthorityIgnoreSlashesState
	authorityState
	hostState
	hostnameState
	portState
	fileState
	fileSlashState
	fileHostState
	pathStartState
	pathState
	opaquePathState
	queryState
	fragmentState
	doneState // a setter's part is parsed
)

// eof is the code point after the last.
const eof = -1

// A urlParser is a run of the basic URL parser. It goes byte by byte: all
// bytes that mean something are ASCII.
type urlParser struct {
	in       string
	p        int
	u        *urlParts
	base     *urlParts
	override urlState
	state    urlState
	buf      []byte

	username, password             []byte // encoded so far
	atSign, brackets, passwordSeen bool
}

// strip removes what the parser ignores: tabs and newlines, and around a whole URL spaces and controls.
func strip(s string, whole bool) string {
	if whole {
		s = strings.TrimFunc(s, func(c rune) bool { return c <= ' ' })
	}
	if strings.ContainsAny(s, "\t\n\r") {
		s = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(s)
	}
	return s
}

// parseParts is the basic URL parser for a whole URL.
func parseParts(s string, base *urlParts) (*urlParts, error) {
	m := urlParser{in: strip(s, true), u: &urlParts{port: -1}, base: base, state: schemeStartState}
	return m.u, m.run()
}

// reparse is the basic URL parser with a state override: it changes a part of u.
// What it changed before an error stays changed.
func (u *urlParts) reparse(s string, state urlState) error {
	m := urlParser{in: strip(s, false), u: u, override: state, state: state}
	return m.run()
}

func (m *urlParser) run() error {
	for ; m.p <= len(m.in); m.p++ {
		c := eof
		if m.p < len(m.in) {
			c = int(m.in[m.p])
		}
		if err := m.step(c); err != nil {
			return err
		}
		if m.state == doneState {
			return nil
		}
	}
	return nil
}

func (m *urlParser) step(c int) error {
	switch m.state {
	case schemeStartState, schemeState, noSchemeState:
		return m.stepScheme(c)
	case authorityState:
		return m.stepAuthority(c)
	case hostState, hostnameState:
		return m.stepHost(c)
	case portState:
		return m.stepPort(c)
	case fileState, fileSlashState:
		m.stepFile(c)
	case fileHostState:
		return m.stepFileHost(c)
	case pathStartState:
		m.stepPathStart(c)
	case pathState:
		m.stepPath(c)
	case opaquePathState:
		m.stepOpaquePath(c)
	case queryState:
		m.stepQuery(c)
	case fragmentState:
		m.stepFragment()
	default:
		m.stepSlashes(c)
	}
	return nil
}

// next is the byte after the current one, or eof.
func (m *urlParser) next() int {
	if m.p+1 < len(m.in) {
		return int(m.in[m.p+1])
	}
	return eof
}

// again goes to a state with the current byte.
func (m *urlParser) again(s urlState) { m.state, m.p = s, m.p-1 }

// slash reports whether c divides segments: in special URLs a backslash does, too.
func (m *urlParser) slash(c int) bool { return c == '/' || c == '\\' && m.u.special() }

// take returns the buffer and empties it.
func (m *urlParser) take() string {
	s := string(m.buf)
	m.buf = m.buf[:0]
	return s
}

func (m *urlParser) startQuery()    { m.u.query, m.u.hasQuery, m.state = "", true, queryState }
func (m *urlParser) startFragment() { m.u.fragment, m.u.hasFragment, m.state = "", true, fragmentState }

func (m *urlParser) stepScheme(c int) error {
	switch {
	case m.state == noSchemeState:
		return m.stepNoScheme(c)
	case c != eof && isAlpha(byte(c)):
		m.buf = append(m.buf, byte(c)|0x20)
		m.state = schemeState
	case m.state == schemeState && c != eof && (isDigit(byte(c)) || c == '+' || c == '-' || c == '.'):
		m.buf = append(m.buf, byte(c))
	case m.state == schemeState && c == ':':
		m.endScheme()
	case m.override != noOverride:
		return errURL
	default:
		m.buf, m.state, m.p = m.buf[:0], noSchemeState, -1
	}
	return nil
}

func (m *urlParser) endScheme() {
	u, scheme := m.u, m.take()
	if m.override != noOverride {
		m.state = doneState
		port, special := specialPort(scheme)
		if u.special() != special || scheme == "file" && (u.credentials() || u.port >= 0) || u.scheme == "file" && u.host == "" {
			return
		}
		if u.scheme = scheme; u.port == port {
			u.port = -1
		}
		return
	}
	u.scheme = scheme
	switch {
	case scheme == "file":
		m.state = fileState
	case u.special() && m.base != nil && m.base.scheme == scheme:
		m.state = specialRelativeOrAuthorityState
	case u.special():
		m.state = specialAuthoritySlashesState
	case m.next() == '/':
		m.state = pathOrAuthorityState
		m.p++
	default:
		u.opaque = true
		m.state = opaquePathState
	}
}

func (m *urlParser) stepNoScheme(c int) error {
	b := m.base
	switch {
	case b == nil || b.opaque && c != '#':
		return errURL
	case b.opaque:
		u := m.u
		u.scheme, u.opaque, u.opaquePath, u.query, u.hasQuery = b.scheme, true, b.opaquePath, b.query, b.hasQuery
		m.startFragment()
	case b.scheme == "file":
		m.again(fileState)
	default:
		m.again(relativeState)
	}
	return nil
}

// stepSlashes has the states between the scheme and the authority or path.
func (m *urlParser) stepSlashes(c int) {
	switch m.state {
	case specialRelativeOrAuthorityState:
		if c == '/' && m.next() == '/' {
			m.state = specialAuthorityIgnoreSlashesState
			m.p++
		} else {
			m.again(relativeState)
		}
	case specialAuthoritySlashesState:
		if c == '/' && m.next() == '/' {
			m.state = specialAuthorityIgnoreSlashesState
			m.p++
		} else {
			m.again(specialAuthorityIgnoreSlashesState)
		}
	case specialAuthorityIgnoreSlashesState:
		if c != '/' && c != '\\' {
			m.again(authorityState)
		}
	case pathOrAuthorityState:
		if c == '/' {
			m.state = authorityState
		} else {
			m.again(pathState)
		}
	case relativeState:
		m.stepRelative(c)
	case relativeSlashState:
		switch {
		case m.u.special() && (c == '/' || c == '\\'):
			m.state = specialAuthorityIgnoreSlashesState
		case c == '/':
			m.state = authorityState
		default:
			m.copyAuthority()
			m.again(pathState)
		}
	}
}

func (m *urlParser) copyAuthority() {
	u, b := m.u, m.base
	u.username, u.password, u.host, u.hasHost, u.port = b.username, b.password, b.host, b.hasHost, b.port
}

func (m *urlParser) copyPath() {
	u, b := m.u, m.base
	u.path = append([]string(nil), b.path...)
	u.query, u.hasQuery = b.query, b.hasQuery
}

func (m *urlParser) stepRelative(c int) {
	m.u.scheme = m.base.scheme
	if m.slash(c) {
		m.state = relativeSlashState
		return
	}
	m.copyAuthority()
	m.copyPath()
	switch c {
	case '?':
		m.startQuery()
	case '#':
		m.startFragment()
	case eof:
	default:
		m.u.query, m.u.hasQuery = "", false
		m.u.shorten()
		m.again(pathState)
	}
}

func (m *urlParser) stepAuthority(c int) error {
	switch {
	case c == '@':
		m.userinfo()
	case c == eof || c == '?' || c == '#' || m.slash(c):
		if m.atSign && len(m.buf) == 0 {
			return errURL
		}
		m.p -= len(m.buf) + 1
		m.buf, m.state = m.buf[:0], hostState
		m.u.username, m.u.password = string(m.username), string(m.password)
	default:
		m.buf = append(m.buf, byte(c))
	}
	return nil
}

// userinfo moves what stands before an @ into the user name and password.
func (m *urlParser) userinfo() {
	s := m.take()
	if m.atSign {
		s = "%40" + s
	}
	m.atSign = true
	if !m.passwordSeen {
		name, password, found := strings.Cut(s, ":")
		m.username = append(m.username, percentEncode(name, setUserinfo)...)
		m.passwordSeen, s = found, password
	}
	if m.passwordSeen {
		m.password = append(m.password, percentEncode(s, setUserinfo)...)
	}
}
