package netguard

import (
	"errors"
	"net/netip"
	"strconv"
	"strings"
)

// A Target is what a URL wants to reach.
type Target struct {
	Scheme string // "https" or "http"
	Host   string // a name in ASCII and lower case without a final dot, or an address without brackets
	Port   uint16
}

var (
	errScheme = errors.New("only http and https URLs can be fetched")
	errUser   = errors.New("the URL holds a user name or a password; send an Authorization header instead")
	errHost   = errors.New("the URL's host is malformed")
)

// ParseTarget reads the scheme and the authority of an absolute URL as the URL standard
// serializes it. It is strict: what another parser could read differently is an error.
func ParseTarget(href string) (Target, error) {
	t := Target{Port: 443}
	scheme, rest, ok := strings.Cut(href, "://")
	switch {
	case ok && scheme == "https":
	case ok && scheme == "http":
		t.Port = 80
	default:
		return Target{}, errScheme
	}
	t.Scheme = scheme
	authority := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority = rest[:i]
	}
	if strings.Contains(authority, "@") {
		return Target{}, errUser
	}
	host, port, err := splitPort(authority)
	if err != nil {
		return Target{}, errHost
	}
	if port != 0 {
		t.Port = port
	}
	if a, ok := literal(host); ok {
		if a.Zone() != "" {
			return Target{}, errHost
		}
		t.Host = a.Unmap().String()
		return t, nil
	}
	t.Host = strings.TrimSuffix(host, ".")
	if !plainName(t.Host) {
		return Target{}, errHost
	}
	return t, nil
}

// Authority is the target as an HTTP request names it, without a port that is the scheme's own.
func (t Target) Authority() string {
	host := t.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if t.Scheme == "https" && t.Port == 443 || t.Scheme == "http" && t.Port == 80 {
		return host
	}
	return host + ":" + strconv.Itoa(int(t.Port))
}

func (t Target) String() string { return t.Scheme + "://" + t.Authority() }

// entry is what a list would need to grant the target.
func (t Target) entry() string {
	if a, err := netip.ParseAddr(t.Host); err == nil {
		return netip.AddrPortFrom(a, t.Port).String()
	}
	if t.Scheme == "https" {
		return t.Authority()
	}
	return t.String()
}
