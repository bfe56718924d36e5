package netguard

import (
	"encoding/binary"
	"net/netip"
)

// A block is a range of addresses that are no hosts of the public internet. The ranges
// are those of IANA's special-purpose registries, and addresses at which clouds serve their
// machines.
type block struct {
	prefix netip.Prefix
	what   string
}

var blocks4 = []block{
	{netip.MustParsePrefix("0.0.0.0/8"), "an unspecified address"},
	{netip.MustParsePrefix("10.0.0.0/8"), "a private address"},
	{netip.MustParsePrefix("100.64.0.0/10"), "a shared address of a provider"},
	{netip.MustParsePrefix("127.0.0.0/8"), "a loopback address"},
	{netip.MustParsePrefix("168.63.129.16/32"), "an address of a cloud's own services"},
	{netip.MustParsePrefix("169.254.0.0/16"), "a link-local address"},
	{netip.MustParsePrefix("172.16.0.0/12"), "a private address"},
	{netip.MustParsePrefix("192.0.0.0/24"), "a reserved address"},
	{netip.MustParsePrefix("192.0.2.0/24"), "a documentation address"},
	{netip.MustParsePrefix("192.88.99.0/24"), "a reserved address"},
	{netip.MustParsePrefix("192.168.0.0/16"), "a private address"},
	{netip.MustParsePrefix("198.18.0.0/15"), "a benchmarking address"},
	{netip.MustParsePrefix("198.51.100.0/24"), "a documentation address"},
	{netip.MustParsePrefix("203.0.113.0/24"), "a documentation address"},
	{netip.MustParsePrefix("224.0.0.0/4"), "a multicast address"},
	{netip.MustParsePrefix("240.0.0.0/4"), "a reserved address"},
}

var blocks6 = []block{
	{netip.MustParsePrefix("::/128"), "an unspecified address"},
	{netip.MustParsePrefix("::1/128"), "a loopback address"},
	{netip.MustParsePrefix("fc00::/7"), "a private address"},
	{netip.MustParsePrefix("fe80::/10"), "a link-local address"},
	{netip.MustParsePrefix("fec0::/10"), "a site-local address"},
	{netip.MustParsePrefix("ff00::/8"), "a multicast address"},
	{netip.MustParsePrefix("2001::/23"), "a reserved address"}, // but for Teredo
	{netip.MustParsePrefix("2001:db8::/32"), "a documentation address"},
	{netip.MustParsePrefix("3fff::/20"), "a documentation address"},
}

var (
	global6 = netip.MustParsePrefix("2000::/3")
	nat64   = netip.MustParsePrefix("64:ff9b::/96")
	sixTo4  = netip.MustParsePrefix("2002::/16")
	teredo  = netip.MustParsePrefix("2001::/32")
)

// special says what an address is if it is no public one, or "". Forms of IPv6 that carry an
// IPv4 address are judged by that.
func special(a netip.Addr) string {
	a = a.Unmap().WithZone("")
	if a.Is4() {
		return within(blocks4, a)
	}
	b := a.As16()
	four := func(at int) netip.Addr { return netip.AddrFrom4([4]byte(b[at : at+4])) }
	switch {
	case nat64.Contains(a):
		return special(four(12))
	case sixTo4.Contains(a):
		return special(four(2))
	case teredo.Contains(a): // the server, and the client with its bits inverted
		client := binary.BigEndian.Uint32(b[12:]) ^ 0xffffffff
		if why := special(netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, client)))); why != "" {
			return why
		}
		return special(four(4))
	}
	if why := within(blocks6, a); why != "" {
		return why
	}
	if !global6.Contains(a) {
		return "a reserved address"
	}
	if id := binary.BigEndian.Uint32(b[8:12]); id == 0x00005efe || id == 0x02005efe { // ISATAP
		return special(four(12))
	}
	return ""
}

func within(list []block, a netip.Addr) string {
	for i := range list {
		if list[i].prefix.Contains(a) {
			return list[i].what
		}
	}
	return ""
}
