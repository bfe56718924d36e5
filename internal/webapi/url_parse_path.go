package webapi

import "strconv"

func (m *urlParser) stepHost(c int) error {
	u := m.u
	switch {
	case m.override != noOverride && u.scheme == "file":
		m.again(fileHostState)
	case c == ':' && !m.brackets:
		if len(m.buf) == 0 || m.override == hostnameState {
			return errURL
		}
		return m.endHost(portState)
	case c == eof || c == '?' || c == '#' || m.slash(c):
		m.p--
		if len(m.buf) == 0 && (u.special() || m.override != noOverride && (u.credentials() || u.port >= 0)) {
			return errURL
		}
		if err := m.endHost(pathStartState); err != nil {
			return err
		}
		if m.override != noOverride {
			m.state = doneState
		}
	default:
		switch c {
		case '[':
			m.brackets = true
		case ']':
			m.brackets = false
		}
		m.buf = append(m.buf, byte(c))
	}
	return nil
}

func (m *urlParser) endHost(next urlState) error {
	host, err := parseHost(m.take(), !m.u.special())
	if err != nil {
		return err
	}
	m.u.host, m.u.hasHost, m.state = host, true, next
	return nil
}

func (m *urlParser) stepPort(c int) error {
	switch {
	case c != eof && isDigit(byte(c)):
		m.buf = append(m.buf, byte(c))
	case c == eof || c == '?' || c == '#' || m.slash(c) || m.override != noOverride:
		if len(m.buf) > 0 {
			port, err := strconv.ParseUint(m.take(), 10, 16)
			if err != nil {
				return errURL
			}
			if m.u.port = int(port); m.isDefaultPort() {
				m.u.port = -1
			}
			if m.override != noOverride {
				m.state = doneState
				return nil
			}
		}
		if m.override != noOverride {
			return errURL
		}
		m.again(pathStartState)
	default:
		return errURL
	}
	return nil
}

func (m *urlParser) isDefaultPort() bool {
	port, _ := specialPort(m.u.scheme)
	return port == m.u.port
}

func (m *urlParser) stepFile(c int) {
	u, b := m.u, m.base
	fromFile := b != nil && b.scheme == "file"
	rest := m.in[min(m.p, len(m.in)):]
	if m.state == fileSlashState {
		if c == '/' || c == '\\' {
			m.state = fileHostState
			return
		}
		if fromFile {
			u.host, u.hasHost = b.host, b.hasHost
			if !startsWithDrive(rest) && len(b.path) > 0 && isDrive(b.path[0]) && b.path[0][1] == ':' {
				u.path = append(u.path, b.path[0])
			}
		}
		m.again(pathState)
		return
	}
	u.scheme, u.host, u.hasHost = "file", "", true
	switch {
	case c == '/' || c == '\\':
		m.state = fileSlashState
	case !fromFile:
		m.again(pathState)
	default:
		u.host, u.hasHost = b.host, b.hasHost
		m.copyPath()
		switch c {
		case '?':
			m.startQuery()
		case '#':
			m.startFragment()
		case eof:
		default:
			u.query, u.hasQuery = "", false
			if startsWithDrive(rest) {
				u.path = nil
			} else {
				u.shorten()
			}
			m.again(pathState)
		}
	}
}

func (m *urlParser) stepFileHost(c int) error {
	if c != eof && c != '/' && c != '\\' && c != '?' && c != '#' {
		m.buf = append(m.buf, byte(c))
		return nil
	}
	m.p--
	switch {
	case m.override == noOverride && isDrive(string(m.buf)):
		m.state = pathState // the buffer is the first segment
		return nil
	case len(m.buf) == 0:
		m.u.host, m.u.hasHost, m.state = "", true, pathStartState
	default:
		if err := m.endHost(pathStartState); err != nil {
			return err
		}
		if m.u.host == "localhost" {
			m.u.host = ""
		}
	}
	if m.override != noOverride {
		m.state = doneState
	}
	return nil
}

func (m *urlParser) stepPathStart(c int) {
	switch {
	case m.u.special():
		m.state = pathState
		if c != '/' && c != '\\' {
			m.p--
		}
	case c == '?' && m.override == noOverride:
		m.startQuery()
	case c == '#' && m.override == noOverride:
		m.startFragment()
	case c != eof:
		m.state = pathState
		if c != '/' {
			m.p--
		}
	case m.override != noOverride && !m.u.hasHost:
		m.u.path = append(m.u.path, "")
	}
}

func (m *urlParser) stepPath(c int) {
	ends := m.slash(c)
	if !ends && c != eof && (m.override != noOverride || c != '?' && c != '#') {
		m.buf = appendEncoded(m.buf, byte(c), setPath)
		return
	}
	u, segment := m.u, m.take()
	switch dots(segment) {
	case 2:
		u.shorten()
		if !ends {
			u.path = append(u.path, "")
		}
	case 1:
		if !ends {
			u.path = append(u.path, "")
		}
	default:
		if u.scheme == "file" && len(u.path) == 0 && isDrive(segment) {
			segment = segment[:1] + ":"
		}
		u.path = append(u.path, segment)
	}
	switch c {
	case '?':
		m.startQuery()
	case '#':
		m.startFragment()
	}
}

func (m *urlParser) stepOpaquePath(c int) {
	switch {
	case c == '?' || c == '#' || c == eof:
		m.u.opaquePath = m.take()
		if c == '?' {
			m.startQuery()
		} else if c == '#' {
			m.startFragment()
		}
	case c == ' ' && (m.next() == '?' || m.next() == '#'):
		m.buf = append(m.buf, "%20"...)
	default:
		m.buf = appendEncoded(m.buf, byte(c), setC0)
	}
}

func (m *urlParser) stepQuery(c int) {
	if c != eof && (c != '#' || m.override != noOverride) {
		m.buf = append(m.buf, byte(c))
		return
	}
	set := setQuery
	if m.u.special() {
		set = setSpecialQuery
	}
	m.u.query += percentEncode(m.take(), set)
	if c == '#' {
		m.startFragment()
	}
}

// stepFragment takes all the rest.
func (m *urlParser) stepFragment() {
	m.u.fragment += percentEncode(m.in[min(m.p, len(m.in)):], setFragment)
	m.p = len(m.in)
}
