package netguard

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestSpecial(t *testing.T) {
	for _, bad := range strings.Fields(`
		0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255
		192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.1.1.1
		240.0.0.1 255.255.255.255 168.63.129.16
		:: ::1 ::ffff:127.0.0.1 ::ffff:169.254.169.254 ::ffff:0:127.0.0.1 ::127.0.0.1 ::8.8.8.8 64:ff9b::127.0.0.1 64:ff9b::169.254.169.254
		64:ff9b::10.0.0.1 64:ff9b:1::8.8.8.8 2002:7f00:1:: 2002:a9fe:a9fe:: 2002:c0a8:101::1 2001:0:7f00:1::1 2001:0:808:808::80ff:fffe 2001:0:808:808:0:0:5601:5601
		fc00::1 fd00:ec2::254 fd12:3456::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 ff0e::1 2001:db8::1 3fff::1 2001:2::1 2001:10::1 100::1 5f00::1
		2a00:1450::5efe:127.0.0.1 2a00:1450::200:5efe:10.0.0.1 4000::1 1::1`) {
		if special(netip.MustParseAddr(bad)) == "" {
			t.Errorf("%s is taken for public", bad)
		}
	}
	for _, good := range strings.Fields(`
		8.8.8.8 93.184.216.34 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 192.0.1.1 198.17.0.1 198.20.0.1 223.255.255.255
		::ffff:8.8.8.8 2606:4700::1111 2a00:1450:4001::1 64:ff9b::8.8.8.8 2002:808:808:: 2001:0:808:808::f7f7:f7f7 2001:4860:4860::8888`) {
		if why := special(netip.MustParseAddr(good)); why != "" {
			t.Errorf("%s is taken for %s", good, why)
		}
	}
}

// names answers for names; one with several answers gives them in turn.
type names struct {
	mu     sync.Mutex
	answer map[string][][]string
	asked  int
}

func (n *names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked++
	turns := n.answer[host]
	if len(turns) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if len(turns) > 1 {
		n.answer[host] = turns[1:]
	}
	var out []netip.Addr
	for _, a := range turns[0] {
		out = append(out, netip.MustParseAddr(a))
	}
	return out, nil
}

func guard(t *testing.T, answer map[string][][]string, entries ...string) (*Guard, *names, *[]string) {
	t.Helper()
	l, err := ParseList(entries)
	if err != nil {
		t.Fatal(err)
	}
	n := &names{answer: answer}
	var mu sync.Mutex
	dialed := &[]string{}
	return &Guard{List: l, Resolver: n, Dial: func(_ context.Context, _, address string) (net.Conn, error) {
		mu.Lock()
		defer mu.Unlock()
		*dialed = append(*dialed, address)
		c, other := net.Pipe()
		other.Close()
		return c, nil
	}}, n, dialed
}

func TestDial(t *testing.T) {
	for _, c := range []struct {
		entries, address string
		answer           []string
		want             string // the address dialed, or what the error says
	}{
		{"a.test", "a.test:443", []string{"8.8.8.8"}, "8.8.8.8:443"},
		{"a.test", "a.test:443", []string{"127.0.0.1"}, "loopback"},
		{"a.test", "a.test:443", []string{"::1"}, "loopback"},
		{"a.test", "a.test:443", []string{"169.254.169.254"}, "link-local"},
		{"a.test", "a.test:443", []string{"fd00:ec2::254"}, "private"},
		{"a.test", "a.test:443", []string{"::ffff:169.254.169.254"}, "link-local"},
		{"a.test", "a.test:443", []string{"64:ff9b::a9fe:a9fe"}, "link-local"},
		{"a.test", "a.test:443", []string{"0.0.0.0"}, "unspecified"},
		{"a.test", "a.test:443", []string{"::"}, "unspecified"},
		{"a.test", "a.test:443", []string{"100.64.0.1"}, "shared"},
		{"a.test", "a.test:443", []string{"10.0.0.1", "9.9.9.9"}, "9.9.9.9:443"},
		{"a.test", "a.test:444", []string{"8.8.8.8"}, "not granted"},
		{"a.test", "b.test:443", []string{"8.8.8.8"}, "not granted"},
		{"*.test", "a.test:443", []string{"fe80::1%eth0"}, "link-local"},
		{"*", "a.test:443", []string{"10.0.0.1"}, "private"},
		{"*", "127.0.0.1:443", nil, "not granted"},
		{"127.0.0.1:8080", "127.0.0.1:8080", nil, "127.0.0.1:8080"},
		{"127.0.0.1:8080", "127.0.0.1:8081", nil, "not granted"},
		{"[::1]:8080", "[::1]:8080", nil, "[::1]:8080"},
		{"localhost:8080", "localhost:8080", []string{"127.0.0.1"}, "loopback"},
		{"localhost:8080 127.0.0.1:8080", "localhost:8080", []string{"::1", "127.0.0.1"}, "127.0.0.1:8080"},
		{"localhost:8080 127.0.0.1:8081", "localhost:8080", []string{"127.0.0.1"}, "loopback"},
		{"a.test", "a.test:443", nil, "no such host"},
	} {
		answer := map[string][][]string{}
		if c.answer != nil {
			host, _, _ := net.SplitHostPort(c.address)
			answer[host] = [][]string{c.answer}
		}
		g, _, dialed := guard(t, answer, strings.Fields(c.entries)...)
		conn, err := g.DialContext(t.Context(), "tcp", c.address)
		got := ""
		if err != nil {
			got = err.Error()
			if len(*dialed) > 0 {
				t.Errorf("%+v: dialed %v", c, *dialed)
			}
		} else {
			conn.Close()
			got = (*dialed)[0]
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestRebinding has a name that is public when it is asked for first. What was checked is what is dialed.
func TestRebinding(t *testing.T) {
	g, n, dialed := guard(t, map[string][][]string{"a.test": {{"8.8.8.8"}, {"127.0.0.1"}}}, "a.test")
	conn, err := g.DialContext(t.Context(), "tcp", "a.test:443")
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if n.asked != 1 || !slices.Equal(*dialed, []string{"8.8.8.8:443"}) {
		t.Errorf("asked %d times, dialed %v", n.asked, *dialed)
	}
	var refused *RefusedError
	if _, err := g.DialContext(t.Context(), "tcp", "a.test:443"); !errors.As(err, &refused) {
		t.Errorf("the second answer: %v", err)
	}
}

// An address that does not answer holds up the next for a moment only, and what lost is closed.
func TestHappyEyeballs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, _, _ := guard(t, map[string][][]string{"a.test": {{"2606:4700::1", "2606:4700::2", "8.8.8.8"}}}, "a.test")
		var mu sync.Mutex
		var order []string
		late := &closing{closed: make(chan struct{})}
		g.Dial = func(ctx context.Context, _, address string) (net.Conn, error) {
			mu.Lock()
			order = append(order, address)
			mu.Unlock()
			switch address {
			case "[2606:4700::1]:443":
				<-ctx.Done()
				return late, nil // it answers when nobody waits any more
			case "8.8.8.8:443":
				time.Sleep(10 * time.Millisecond)
				c, _ := net.Pipe()
				return c, nil
			}
			return nil, errors.New("refused")
		}
		start := time.Now()
		conn, err := g.DialContext(t.Context(), "tcp", "a.test:443")
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
		if took := time.Since(start); took != 260*time.Millisecond {
			t.Errorf("took %v", took)
		}
		<-late.closed
		if want := []string{"[2606:4700::1]:443", "8.8.8.8:443"}; !slices.Equal(order, want) {
			t.Errorf("tried %v", order)
		}
	})
}

type closing struct {
	net.Conn
	closed chan struct{}
}

func (c *closing) Close() error { close(c.closed); return nil }

func TestDialEnds(t *testing.T) {
	g, _, _ := guard(t, map[string][][]string{"a.test": {{"8.8.8.8", "9.9.9.9"}}}, "a.test")
	g.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("unreachable") }
	if _, err := g.DialContext(t.Context(), "tcp", "a.test:443"); err == nil || !strings.Contains(err.Error(), "unreachable") {
		t.Error(err)
	}
	g.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(errors.New("enough")) })
	if _, err := g.DialContext(ctx, "tcp", "a.test:443"); err == nil || err.Error() != "enough" {
		t.Error(err)
	}
}
