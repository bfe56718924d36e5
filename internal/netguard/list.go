package netguard

import (
	"fmt"
	"net/netip"
	"strings"

	"golang.org/x/net/idna"
)

// A List is what is granted. The nil List grants nothing. It is immutable.
type List struct{ entries []entry }

// An entry is one line of a list.
type entry struct {
	scheme string // "" for an address: either
	host   string // in ASCII and lower case; of below and for all "" is any
	below  bool   // names below host, not host itself
	addr   netip.Addr
	port   uint16
}

// ParseList reads entries; the package's documentation says how they look.
func ParseList(entries []string) (*List, error) {
	l := &List{}
	for _, text := range entries {
		e, err := parseEntry(text)
		if err != nil {
			return nil, fmt.Errorf("%.200q: %w", text, err)
		}
		l.entries = append(l.entries, e)
	}
	return l, nil
}

// Empty reports whether nothing is granted.
func (l *List) Empty() bool { return l == nil || len(l.entries) == 0 }

func parseEntry(text string) (entry, error) {
	e := entry{scheme: "https", port: 443}
	rest, schemed := text, false
	if scheme, after, ok := strings.Cut(text, "://"); ok {
		schemed, rest, e.scheme = true, after, strings.ToLower(scheme)
		switch e.scheme {
		case "https":
		case "http":
			e.port = 80
		default:
			return e, fmt.Errorf("the scheme is neither https nor http")
		}
	}
	if strings.ContainsAny(rest, "/\\?#@") {
		return e, fmt.Errorf("an entry is a host, perhaps with a scheme and a port, without a path or a user")
	}
	host, port, err := splitPort(rest)
	if err != nil {
		return e, err
	}
	if port != 0 {
		e.port = port
	}
	if a, ok := literal(host); ok {
		switch {
		case port == 0:
			return e, fmt.Errorf("an address is granted with its port, such as %s", netip.AddrPortFrom(a, 8080))
		case a.Zone() != "":
			return e, fmt.Errorf("an address with a zone")
		}
		e.addr = a.Unmap()
		if !schemed {
			e.scheme = ""
		}
		return e, nil
	}
	switch {
	case host == "*":
		e.below = true
		return e, nil
	case strings.HasPrefix(host, "*."):
		e.below, host = true, host[2:]
	}
	e.host, err = asciiName(host)
	return e, err
}

// splitPort takes a port off; 0 means that there is none.
func splitPort(s string) (host string, port uint16, err error) {
	host, text, found := s, "", false
	if i := strings.LastIndexByte(s, ':'); i >= 0 && !strings.HasSuffix(s, "]") {
		host, text, found = s[:i], s[i+1:], true
	}
	if found {
		var ok bool
		if port, ok = parsePort(text); !ok {
			return "", 0, fmt.Errorf("the port is no number from 1 to 65535")
		}
	}
	if strings.Contains(host, ":") && !strings.HasPrefix(host, "[") {
		return "", 0, fmt.Errorf("an IPv6 address stands in brackets, such as [::1]:8080")
	}
	return host, port, nil
}

func parsePort(s string) (uint16, bool) {
	if s == "" || len(s) > 5 {
		return 0, false
	}
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return uint16(n), n > 0 && n <= 65535
}

// literal reads an address: four decimal numbers, or an IPv6 address in brackets.
func literal(host string) (netip.Addr, bool) {
	inner, bracketed := strings.CutPrefix(host, "[")
	if bracketed {
		var closed bool
		if inner, closed = strings.CutSuffix(inner, "]"); !closed {
			return netip.Addr{}, false
		}
	}
	a, err := netip.ParseAddr(inner)
	return a, err == nil && a.Is6() == bracketed
}

// profile maps names as browsers do.
var profile = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.Transitional(false), idna.StrictDomainName(false))

// asciiName returns a name as URLs have it.
func asciiName(s string) (string, error) {
	if len(s) > 1000 {
		return "", fmt.Errorf("the name is too long")
	}
	name, err := profile.ToASCII(strings.TrimSuffix(s, "."))
	if err != nil || !plainName(name) {
		return "", fmt.Errorf("this is no host name")
	}
	return name, nil
}

// plainName reports whether s is a name in ASCII and lower case that cannot be taken for an address.
func plainName(s string) bool {
	if s == "" || len(s) > 253 {
		return false
	}
	last := ""
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 {
			return false
		}
		for i := range len(label) {
			if c := label[i]; !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
				return false
			}
		}
		last = label
	}
	return !numeric(last)
}

// numeric reports whether a label is a number to the URL standard, so that
// what ends with it would be an address: 12, 0x7f, 0x.
func numeric(label string) bool {
	digits := "0123456789"
	if rest, ok := strings.CutPrefix(label, "0x"); ok {
		label, digits = rest, "0123456789abcdef"
	}
	return strings.Trim(label, digits) == ""
}

// grants reports whether an entry grants a host by what it says.
func (l *List) grants(scheme, host string, port uint16) bool {
	if l == nil {
		return false
	}
	addr, err := netip.ParseAddr(host)
	isAddr := err == nil
	for i := range l.entries {
		e := &l.entries[i]
		if e.port != port || e.scheme != "" && e.scheme != scheme {
			continue
		}
		switch {
		case e.addr.IsValid():
			if isAddr && addr.Zone() == "" && addr.Unmap() == e.addr {
				return true
			}
		case e.below && e.host == "": // an address that is not public is refused when it is dialed
			if !isAddr || special(addr) == "" {
				return true
			}
		case isAddr:
		case e.below:
			if strings.HasSuffix(host, "."+e.host) {
				return true
			}
		case host == e.host:
			return true
		}
	}
	return false
}

// literally reports whether an entry names the address itself.
func (l *List) literally(a netip.Addr, port uint16) bool {
	for i := range l.entries {
		if e := &l.entries[i]; e.addr.IsValid() && e.addr == a.Unmap() && e.port == port {
			return true
		}
	}
	return false
}
