// Package netguard decides what a connection to the outside may reach, and makes it.
//
// A [List] says what is granted. A [Guard] checks a [Target] against it, resolves its
// name, refuses addresses that are no public ones, and dials the very address
// that it checked: a name that answers differently a moment later gains nothing.
//
// # Entries
//
//	api.example.com          https on port 443
//	api.example.com:8443     https on that port
//	http://api.example.com   http on port 80
//	*.example.com            every name below example.com, but not example.com
//	*                        every public host
//	127.0.0.1:8080           exactly this address and port, by http and https
//	[::1]:8080               likewise
//
// A name grants public addresses only. A name that resolves to another one, such
// as localhost, is reached if that address and port are granted as well.
package netguard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// A RefusedError reports what is not granted. Its text is for whoever may read the code
// that asked: it says nothing of the network that the code could not find out by itself.
type RefusedError struct {
	Target string // such as "https://api.example.com"
	Entry  string // of a list, which would grant it; "" if none would
	Reason string // for people, such as "it is not granted"
}

func (e *RefusedError) Error() string { return e.Target + ": " + e.Reason }

// A Resolver finds the addresses of a name, as [net.Resolver] does.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

var _ Resolver = (*net.Resolver)(nil)

// A Guard connects to what its List grants. It is safe for concurrent use, and
// immutable once used.
type Guard struct {
	List     *List
	Resolver Resolver // nil means the system's
	// Dial connects to an address. Nil means a [net.Dialer].
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Stagger is how long an attempt has before the next address is tried beside it;
	// zero means 250 milliseconds.
	Stagger time.Duration
}

// maxAddresses is how many addresses of a name are tried.
const maxAddresses = 16

// Check reports whether a target is granted by what it says. Whether its addresses are
// is known only when it is dialed.
func (g *Guard) Check(t Target) error {
	if g.List.grants(t.Scheme, t.Host, t.Port) {
		return nil
	}
	e := &RefusedError{Target: t.String(), Entry: t.entry(), Reason: "it is not granted"}
	if a, err := netip.ParseAddr(t.Host); err == nil {
		if why := special(a); why != "" {
			e.Reason = "it is " + why + ", and not granted"
		}
	}
	return e
}

// DialContext connects to "host:port", which must be granted by some scheme. It fits [net/http.Transport].
func (g *Guard) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, ok := parsePort(portText)
	if !ok {
		return nil, fmt.Errorf("netguard: the port of %.100q", address)
	}
	host = strings.TrimSuffix(host, ".")
	if !g.List.grants("https", host, port) && !g.List.grants("http", host, port) {
		return nil, &RefusedError{Target: address, Reason: "it is not granted"}
	}
	addrs, err := g.resolve(ctx, host, port)
	if err != nil {
		return nil, err
	}
	return g.race(ctx, network, interleave(addrs), port)
}

// resolve returns the addresses of a host that may be reached.
func (g *Guard) resolve(ctx context.Context, host string, port uint16) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		if a.Zone() != "" {
			return nil, &RefusedError{Target: host, Reason: "it names a network interface"}
		}
		if why := special(a); why != "" && !g.List.literally(a, port) {
			return nil, &RefusedError{Target: host, Reason: "it is " + why}
		}
		return []netip.Addr{a}, nil
	}
	found, err := g.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	var allowed []netip.Addr
	why := ""
	for _, a := range found {
		a = a.Unmap()
		switch reason := special(a); {
		case a.Zone() == "" && (reason == "" || g.List.literally(a, port)):
			allowed = append(allowed, a)
		case why == "":
			why = reason
		}
	}
	if len(allowed) == 0 {
		return nil, &RefusedError{
			Target: host,
			Reason: "its name leads to " + why + ", which only an entry that names the address itself, such as 127.0.0.1:8080, can grant",
		}
	}
	return allowed[:min(len(allowed), maxAddresses)], nil
}

func (g *Guard) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	var r Resolver = net.DefaultResolver
	if g.Resolver != nil {
		r = g.Resolver
	} else if strings.Contains(host, ".") {
		host += "." // the name itself, and no name of this machine's search domains
	}
	found, err := r.LookupNetIP(ctx, "ip", host)
	if err == nil && len(found) == 0 {
		err = &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return found, err
}

// interleave orders addresses so that the families take turns, the first address first.
func interleave(all []netip.Addr) []netip.Addr {
	var families [2][]netip.Addr
	for _, a := range all {
		k := 0
		if a.Is4() != all[0].Is4() {
			k = 1
		}
		families[k] = append(families[k], a)
	}
	out := make([]netip.Addr, 0, len(all))
	for i := range max(len(families[0]), len(families[1])) {
		for _, f := range families {
			if i < len(f) {
				out = append(out, f[i])
			}
		}
	}
	return slices.Compact(out)
}

// race tries addresses one after the other, the next before the last has failed if
// that takes long, and returns the first connection.
func (g *Guard) race(ctx context.Context, network string, addrs []netip.Addr, port uint16) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the attempts that lost
	type result struct {
		conn net.Conn
		err  error
	}
	results := make(chan result) // unbuffered: what nobody takes is closed by who made it
	attempt := func(a netip.Addr) {
		conn, err := g.dial(ctx, network, netip.AddrPortFrom(a, port).String())
		select {
		case results <- result{conn, err}:
		case <-ctx.Done():
			if conn != nil {
				conn.Close()
			}
		}
	}
	stagger := g.Stagger
	if stagger == 0 {
		stagger = 250 * time.Millisecond
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	next, running := 0, 0
	var errs []error
	for {
		start := timer.C
		if next == len(addrs) {
			start = nil
		}
		select {
		case <-start:
			go attempt(addrs[next])
			next++
			running++
			timer.Reset(stagger)
		case r := <-results:
			running--
			if r.err == nil {
				return r.conn, nil
			}
			errs = append(errs, r.err)
			if next < len(addrs) {
				timer.Reset(0)
			} else if running == 0 {
				return nil, errors.Join(errs...)
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (g *Guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if g.Dial != nil {
		return g.Dial(ctx, network, address)
	}
	var d net.Dialer
	return d.DialContext(ctx, network, address)
}
