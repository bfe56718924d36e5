package webapi

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

var errHost = errors.New("invalid host")

// maxIDN is the longest host, in bytes, that is taken through IDNA: Punycode
// takes time quadratic in a label's length. Such names hold 253 bytes at most.
const maxIDN = 4096

// domainProfile is domain to ASCII with beStrict false.
var domainProfile = idna.New(
	idna.MapForLookup(), idna.BidiRule(), idna.CheckHyphens(false), idna.CheckJoiners(true),
	idna.StrictDomainName(false), idna.Transitional(false), idna.VerifyDNSLength(false),
)

// parseHost is the host parser: it returns the host as it is serialized.
func parseHost(s string, opaque bool) (string, error) {
	if strings.HasPrefix(s, "[") {
		if len(s) < 2 || s[len(s)-1] != ']' {
			return "", errHost
		}
		ip, ok := parseIPv6(s[1 : len(s)-1])
		if !ok {
			return "", errHost
		}
		return "[" + ip.String() + "]", nil
	}
	if opaque {
		if containsAny(s, forbiddenHost) {
			return "", errHost
		}
		return percentEncode(s, setC0), nil
	}
	domain := s
	if strings.Contains(s, "%") {
		domain = decodeUTF8WithBOM(percentDecode(s))
	}
	domain, err := domainToASCII(domain)
	if err != nil || domain == "" || containsAny(domain, forbiddenDomain) {
		return "", errHost
	}
	if endsInNumber(domain) {
		return parseIPv4(domain)
	}
	return domain, nil
}

// domainToASCII maps as UTS #46 does. For plain ASCII that is lower case.
func domainToASCII(s string) (string, error) {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] < utf8.RuneSelf
	}
	if plain {
		s = strings.ToLower(s)
		if !strings.HasPrefix(s, "xn--") && !strings.Contains(s, ".xn--") {
			return s, nil
		}
	}
	if len(s) > maxIDN {
		return "", errHost
	}
	// Since Unicode 15.1, which is newer than the tables, the capital is no "ss".
	return domainProfile.ToASCII(strings.ReplaceAll(s, "\u1E9E", "\u00DF"))
}

// endsInNumber is the ends-in-a-number checker: such a host must be an IPv4 address.
func endsInNumber(s string) bool {
	s = strings.TrimSuffix(s, ".")
	last := s[strings.LastIndexByte(s, '.')+1:]
	if last == "" {
		return false
	}
	digits := true
	for i := 0; i < len(last) && digits; i++ {
		digits = last[i] >= '0' && last[i] <= '9'
	}
	if digits {
		return true
	}
	_, ok := parseIPv4Number(last)
	return ok
}

// parseIPv4Number parses decimal, 0x hexadecimal and 0 octal. What is too large
// for an address is given as 1<<33.
func parseIPv4Number(s string) (n uint64, ok bool) {
	if s == "" {
		return 0, false
	}
	base := 10
	switch {
	case len(s) >= 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'):
		s, base = s[2:], 16
	case len(s) >= 2 && s[0] == '0':
		s, base = s[1:], 8
	}
	for i := 0; i < len(s); i++ {
		d := hexValue(s[i])
		if d < 0 || d >= base {
			return 0, false
		}
		if n = n*uint64(base) + uint64(d); n > 1<<33 {
			n = 1 << 33
		}
	}
	return n, true
}

func parseIPv4(s string) (string, error) {
	parts := strings.Split(strings.TrimSuffix(s, "."), ".")
	if len(parts) > 4 {
		return "", errHost
	}
	var ip uint64
	for i, part := range parts {
		n, ok := parseIPv4Number(part)
		if !ok {
			return "", errHost
		}
		if i < len(parts)-1 {
			if n > 255 {
				return "", errHost
			}
			ip |= n << (8 * (3 - i))
			continue
		}
		if n >= 1<<(8*(5-len(parts))) {
			return "", errHost
		}
		ip |= n
	}
	out := make([]byte, 0, 15)
	for shift := 24; shift >= 0; shift -= 8 {
		out = strconv.AppendUint(out, ip>>shift&255, 10)
		if shift > 0 {
			out = append(out, '.')
		}
	}
	return string(out), nil
}

// An ipv6 is the eight pieces of an address.
type ipv6 [8]uint16

// parseIPv6 is the IPv6 parser.
func parseIPv6(s string) (ip ipv6, ok bool) {
	piece, compress, p := 0, -1, 0
	if strings.HasPrefix(s, ":") {
		if !strings.HasPrefix(s, "::") {
			return ip, false
		}
		p, piece, compress = 2, 1, 1
	}
	for p < len(s) {
		if piece == 8 {
			return ip, false
		}
		if s[p] == ':' {
			if compress >= 0 {
				return ip, false
			}
			p++
			piece++
			compress = piece
			continue
		}
		value, length := 0, 0
		for length < 4 && p < len(s) && hexValue(s[p]) >= 0 {
			value = value<<4 | hexValue(s[p])
			p++
			length++
		}
		if p < len(s) && s[p] == '.' {
			if length == 0 || piece > 6 || !ip.embedIPv4(s[p-length:], piece) {
				return ip, false
			}
			piece += 2
			break
		}
		if p < len(s) && s[p] == ':' {
			if p++; p == len(s) {
				return ip, false
			}
		} else if p < len(s) {
			return ip, false
		}
		ip[piece] = uint16(value)
		piece++
	}
	if compress >= 0 {
		for swaps, at := piece-compress, 7; at != 0 && swaps > 0; swaps, at = swaps-1, at-1 {
			ip[at], ip[compress+swaps-1] = ip[compress+swaps-1], ip[at]
		}
		return ip, true
	}
	return ip, piece == 8
}

// embedIPv4 stores the dotted address that ends an IPv6 address.
func (ip *ipv6) embedIPv4(s string, piece int) bool {
	parts := strings.Split(s, ".")
	if len(parts) != 4 {
		return false
	}
	for i, part := range parts {
		if part == "" || len(part) > 3 || len(part) > 1 && part[0] == '0' {
			return false
		}
		n := 0
		for j := 0; j < len(part); j++ {
			if part[j] < '0' || part[j] > '9' {
				return false
			}
			n = n*10 + int(part[j]-'0')
		}
		if n > 255 {
			return false
		}
		ip[piece+i/2] = ip[piece+i/2]<<8 | uint16(n)
	}
	return true
}

// String is the IPv6 serializer: the first longest run of zeros is compressed.
func (ip ipv6) String() string {
	start, length := -1, 1
	for i := 0; i < 8; i++ {
		n := 0
		for i+n < 8 && ip[i+n] == 0 {
			n++
		}
		if n > length {
			start, length = i, n
		}
		i += n
	}
	out := make([]byte, 0, 39)
	for i := 0; i < 8; i++ {
		if i == start {
			out = append(out, ':', ':')
			i += length - 1
			continue
		}
		if i > 0 && out[len(out)-1] != ':' {
			out = append(out, ':')
		}
		out = strconv.AppendUint(out, uint64(ip[i]), 16)
	}
	return string(out)
}
