package webapi

import "strings"

// A patternField is a component of a URL, in the order of URLPatternInit.
type patternField int

const (
	fieldProtocol patternField = iota
	fieldUsername
	fieldPassword
	fieldHostname
	fieldPort
	fieldPathname
	fieldSearch
	fieldHash
	fieldCount
)

var fieldNames = [fieldCount]string{"protocol", "username", "password", "hostname", "port", "pathname", "search", "hash"}

// A patternInit is a URLPatternInit: components, and a base to take others from.
type patternInit struct {
	value   [fieldCount]string
	has     [fieldCount]bool
	base    string
	hasBase bool
}

func (in *patternInit) set(f patternField, s string) { in.value[f], in.has[f] = s, true }

// none reports whether in has none of some components.
func (in *patternInit) none(fields ...patternField) bool {
	for _, f := range fields {
		if in.has[f] {
			return false
		}
	}
	return true
}

// process is "process a URLPatternInit", for a pattern or for a URL, which has all components.
func (in *patternInit) process(pattern bool) (*patternInit, error) {
	out := &patternInit{}
	if !pattern {
		for f := range out.has {
			out.has[f] = true
		}
	}
	var base *urlRecord
	if in.hasBase {
		var err error
		if base, err = parseURL(in.base, nil); err != nil {
			return nil, errComponent
		}
		in.inherit(out, base, pattern)
	}
	encoders := [fieldCount]encoder{
		fieldProtocol: canonicalProtocol, fieldUsername: canonicalUserinfo, fieldPassword: canonicalUserinfo, fieldHostname: canonicalHostname,
		fieldPort: func(s string) (string, error) { return canonicalPort(s, out.value[fieldProtocol]) },
		fieldPathname: func(s string) (string, error) {
			if scheme := out.value[fieldProtocol]; scheme != "" {
				if _, special := specialPort(scheme); !special {
					return canonicalOpaquePathname(s)
				}
			}
			return canonicalPathname(s)
		},
		fieldSearch: canonicalSearch, fieldHash: canonicalHash,
	}
	for f := range fieldCount {
		if !in.has[f] {
			continue
		}
		s := in.value[f]
		switch f {
		case fieldProtocol:
			s = strings.TrimSuffix(s, ":")
		case fieldPathname:
			s = resolvePathname(s, base, pattern)
		case fieldSearch:
			s = strings.TrimPrefix(s, "?")
		case fieldHash:
			s = strings.TrimPrefix(s, "#")
		}
		if !pattern {
			var err error
			if s, err = encoders[f](s); err != nil {
				return nil, err
			}
		}
		out.set(f, s)
	}
	return out, nil
}

// inherit takes from the base what in has nothing as specific for.
func (in *patternInit) inherit(out *patternInit, base *urlRecord, pattern bool) {
	take := func(f patternField, s string, unless ...patternField) {
		if !in.none(unless...) {
			return
		}
		if pattern && f != fieldPort {
			s = escapePattern(s)
		}
		out.set(f, s)
	}
	chain := []patternField{fieldProtocol, fieldHostname, fieldPort, fieldPathname, fieldSearch, fieldHash}
	take(fieldProtocol, base.scheme(), chain[:1]...)
	if !pattern {
		take(fieldUsername, base.username(), fieldProtocol, fieldHostname, fieldPort, fieldUsername)
		take(fieldPassword, base.password(), fieldProtocol, fieldHostname, fieldPort, fieldUsername, fieldPassword)
	}
	take(fieldHostname, base.hostname(), chain[:2]...)
	take(fieldPort, base.portText(), chain[:3]...)
	take(fieldPathname, base.pathname(), chain[:4]...)
	take(fieldSearch, strings.TrimPrefix(base.search(), "?"), chain[:5]...)
	take(fieldHash, strings.TrimPrefix(base.hash(), "#"), chain[:6]...)
}

// resolvePathname makes a relative path one of the base's.
func resolvePathname(s string, base *urlRecord, pattern bool) string {
	if base == nil || base.opaque || strings.HasPrefix(s, "/") || pattern && (strings.HasPrefix(s, `\/`) || strings.HasPrefix(s, "{/")) {
		return s
	}
	path := base.pathname()
	if pattern {
		path = escapePattern(path)
	}
	return path[:strings.LastIndexByte(path, '/')+1] + s
}
