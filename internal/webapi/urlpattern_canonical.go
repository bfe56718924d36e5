package webapi

import (
	"errors"
	"strconv"
	"strings"
)

// The encoding callbacks: each puts text of one component in the form that a URL has it in.

var errComponent = errors.New("a part of it cannot be in a URL")

// dummyURL is "create a dummy URL".
func dummyURL() *urlParts {
	return &urlParts{scheme: "https", host: "dummy.invalid", hasHost: true, port: -1}
}

// path is the serialized path.
func (u *urlParts) pathText() string {
	if u.opaque {
		return u.opaquePath
	}
	if len(u.path) == 0 {
		return ""
	}
	return "/" + strings.Join(u.path, "/")
}

func (u *urlParts) portText() string {
	if u.port < 0 {
		return ""
	}
	return strconv.Itoa(u.port)
}

func canonicalProtocol(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	u, err := parseParts(s+"://dummy.invalid/", nil)
	if err != nil {
		return "", errComponent
	}
	return u.scheme, nil
}

func canonicalUserinfo(s string) (string, error) { return percentEncode(s, setUserinfo), nil }

func canonicalHostname(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	u := dummyURL()
	if err := u.reparse(s, hostnameState); err != nil {
		return "", errComponent
	}
	return u.host, nil
}

func canonicalIPv6(s string) (string, error) {
	for i := 0; i < len(s); i++ {
		if hexValue(s[i]) < 0 && s[i] != '[' && s[i] != ']' && s[i] != ':' {
			return "", errComponent
		}
	}
	return strings.ToLower(s), nil
}

// canonicalPort takes the scheme whose default port is to be left out, or "".
func canonicalPort(s, scheme string) (string, error) {
	if s == "" {
		return "", nil
	}
	u := dummyURL()
	u.scheme = scheme
	if err := u.reparse(s, portState); err != nil {
		return "", errComponent
	}
	return u.portText(), nil
}

func canonicalAnyPort(s string) (string, error) { return canonicalPort(s, "") }

func canonicalPathname(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	const lead = "/-" // in front of what is a piece from within a path, so that it stays one
	within := s[0] != '/'
	if within {
		s = lead + s
	}
	u := dummyURL()
	u.reparse(s, pathStartState)
	path := u.pathText()
	if within {
		path = path[min(len(lead), len(path)):]
	}
	return path, nil
}

func canonicalOpaquePathname(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	u := dummyURL()
	u.opaque = true
	if err := u.reparse(s, opaquePathState); err != nil {
		return "", errComponent
	}
	return u.opaquePath, nil
}

func canonicalSearch(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	u := dummyURL()
	u.reparse(s, queryState)
	return u.query, nil
}

func canonicalHash(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	u := dummyURL()
	u.reparse(s, fragmentState)
	return u.fragment, nil
}
