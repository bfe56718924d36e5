package box

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"samkit.dev/internal/netguard"
)

// names answers for names, each time with the next of its answers.
type names map[string][][]string

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	answers, ok := n[host]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if len(answers) > 1 {
		n[host] = answers[1:]
	}
	var all []netip.Addr
	for _, text := range answers[0] {
		all = append(all, netip.MustParseAddr(text))
	}
	return all, nil
}

// A testProxy is a proxy whose public addresses all lead to one server.
type testProxy struct {
	url     string
	refused *refusals
	dialed  atomic.Pointer[string]
}

func newTestProxy(t *testing.T, server, secret string, resolver names, grant ...string) *testProxy {
	t.Helper()
	list, err := netguard.ParseList(grant)
	if err != nil {
		t.Fatal(err)
	}
	tp := &testProxy{refused: &refusals{}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := startProxy(l, &netguard.Guard{List: list, Resolver: resolver, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		tp.dialed.Store(&address)
		var d net.Dialer
		return d.DialContext(ctx, network, server)
	}}, secret, tp.refused)
	t.Cleanup(p.close)
	tp.url = "http://" + l.Addr().String()
	return tp
}

// do sends bytes to the proxy and returns what it answers.
func (p *testProxy) do(t *testing.T, request string) *http.Response {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("%q: %v", request, err)
	}
	return resp
}

var public = names{
	"allowed.example": {{"93.184.216.34"}}, "sub.allowed.example": {{"93.184.216.34"}}, "a.suffix.example": {{"93.184.216.34"}}, "suffix.example": {{"93.184.216.34"}},
	"metadata.example": {{"169.254.169.254"}}, "mapped.example": {{"::ffff:169.254.169.254"}}, "nat64.example": {{"64:ff9b::a9fe:a9fe"}}, "sixtofour.example": {{"2002:7f00:1::"}},
	"local.example": {{"127.0.0.1"}}, "private.example": {{"10.0.0.1"}}, "ula.example": {{"fd00:ec2::254"}}, "zero.example": {{"0.0.0.0"}}, "shared.example": {{"100.64.0.1"}},
	"mixed.example": {{"10.0.0.1", "93.184.216.34"}},
}

func echo(t *testing.T) string {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		fmt.Fprintf(w, "host %s auth %q", r.Host, r.Header.Get("Proxy-Authorization"))
	}))
	s.Config.SetKeepAlivesEnabled(false) // each request is dialed for
	s.Start()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

func TestProxyGrants(t *testing.T) {
	server := echo(t)
	p := newTestProxy(t, server, "", public, "http://allowed.example", "http://*.suffix.example", "127.0.0.1:8080", "http://mixed.example", "http://metadata.example", "http://mapped.example", "http://nat64.example",
		"http://sixtofour.example", "http://local.example", "http://private.example", "http://ula.example", "http://zero.example", "http://shared.example")
	for target, dialed := range map[string]string{
		"http://allowed.example/":      "93.184.216.34:80",
		"http://ALLOWED.example./":     "93.184.216.34:80",
		"http://allowed.example:80/":   "93.184.216.34:80",
		"http://a.suffix.example/":     "93.184.216.34:80",
		"http://mixed.example/":        "93.184.216.34:80",
		"http://127.0.0.1:8080/":       "127.0.0.1:8080",
		"http://suffix.example/":       "",
		"http://sub.allowed.example/":  "",
		"http://allowed.example.evil/": "",
		"http://allowed.example:81/":   "",
		"http://evil/":                 "",
		"http://127.0.0.1:8081/":       "", // granted exactly
		"http://127.0.0.2:8080/":       "",
		"http://[::1]:8080/":           "",
		"http://[::ffff:7f00:1]:8081/": "",
		"http://127.1:8080/":           "",
		"http://0x7f000001:8080/":      "",
		"http://2130706433:8080/":      "",
		"http://localhost:8080/":       "",
		"http://169.254.169.254/":      "",
		"http://metadata.example/":     "",
		"http://mapped.example/":       "",
		"http://nat64.example/":        "",
		"http://sixtofour.example/":    "",
		"http://local.example/":        "",
		"http://private.example/":      "",
		"http://ula.example/":          "",
		"http://zero.example/":         "",
		"http://shared.example/":       "",
		"http://u:p@allowed.example/":  "",
		"http://allowed.example@evil/": "",
		"https://allowed.example/":     "",
		"ftp://allowed.example/":       "",
	} {
		before := len(p.refused.take())
		p.dialed.Store(nil)
		resp := p.do(t, "GET "+target+" HTTP/1.1\r\nHost: allowed.example\r\nConnection: close\r\n\r\n")
		got := ""
		if d := p.dialed.Load(); d != nil {
			got = *d
		}
		told := len(p.refused.take()) - before
		if got != dialed || (resp.StatusCode == 200) != (dialed != "") || told != btoi(dialed == "") {
			t.Errorf("%s: dialed %q, %s, %d refusals told", target, got, resp.Status, told)
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestProxyHostHeader(t *testing.T) {
	p := newTestProxy(t, echo(t), "", public, "http://allowed.example")
	resp := p.do(t, "GET http://allowed.example/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
	body, _ := io.ReadAll(resp.Body)
	if !strings.HasPrefix(string(body), "host allowed.example ") {
		t.Errorf("%q", body)
	}
	if resp := p.do(t, "GET / HTTP/1.1\r\nHost: allowed.example\r\nConnection: close\r\n\r\n"); resp.StatusCode != http.StatusForbidden {
		t.Errorf("a request for the proxy itself: %s", resp.Status)
	}
}

// A redirect is the client's next request.
func TestProxyRedirects(t *testing.T) {
	p := newTestProxy(t, echo(t), "", public, "http://allowed.example")
	proxyURL, _ := url.Parse(p.url)
	transport := &http.Transport{Proxy: http.ProxyURL(proxyURL)}
	defer transport.CloseIdleConnections()
	for _, to := range []string{"http://169.254.169.254/latest/meta-data", "http://evil.example/", "http://local.example/"} {
		resp, err := (&http.Client{Transport: transport}).Get("http://allowed.example/?to=" + url.QueryEscape(to))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s", to, resp.Status)
		}
	}
	if got := p.refused.take(); len(got) != 3 || got[0].What != "http://169.254.169.254" || got[0].Kind != "network" || !strings.Contains(got[0].Reason, "link-local") {
		t.Errorf("%+v", got)
	}
}

// A name is resolved once for a connection, and each time that there is one.
func TestProxyRebinding(t *testing.T) {
	p := newTestProxy(t, echo(t), "", names{"rebind.example": {{"93.184.216.34"}, {"127.0.0.1"}}}, "http://rebind.example", "rebind.example")
	request := "GET http://rebind.example/ HTTP/1.1\r\nHost: rebind.example\r\nConnection: close\r\n\r\n"
	first := p.do(t, request)
	if first.StatusCode != 200 || *p.dialed.Load() != "93.184.216.34:80" {
		t.Errorf("%s, %s", first.Status, *p.dialed.Load())
	}
	if second := p.do(t, "CONNECT rebind.example:443 HTTP/1.1\r\nHost: rebind.example:443\r\n\r\n"); second.StatusCode != http.StatusForbidden {
		t.Errorf("the second time: %s", second.Status)
	}
	if got := p.refused.take(); len(got) != 1 || !strings.Contains(got[0].Reason, "loopback") || got[0].What != "https://rebind.example" {
		t.Errorf("%+v", got)
	}
}

func TestProxyTunnels(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "by TLS") }))
	defer server.Close()
	p := newTestProxy(t, server.Listener.Addr().String(), "", public, "allowed.example", "127.0.0.1:8443")
	proxyURL, _ := url.Parse(p.url)
	get := func(target, name string) (string, error) {
		transport := &http.Transport{Proxy: http.ProxyURL(proxyURL), TLSClientConfig: &tls.Config{InsecureSkipVerify: true, ServerName: name}}
		defer transport.CloseIdleConnections()
		resp, err := (&http.Client{Transport: transport}).Get(target)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return string(body), err
	}
	if body, err := get("https://allowed.example/", ""); err != nil || body != "by TLS" {
		t.Errorf("%q, %v", body, err)
	}
	if body, err := get("https://127.0.0.1:8443/", ""); err == nil && body != "by TLS" {
		t.Errorf("an address: %q, %v", body, err)
	}
	if body, err := get("https://allowed.example/", "other.example"); err == nil {
		t.Errorf("another name within: %q", body)
	}
	if body, err := get("https://evil.example/", ""); err == nil {
		t.Errorf("what is not granted: %q", body)
	}
	for _, host := range []string{"allowed.example:22", "allowed.example", "169.254.169.254:443", "[::ffff:127.0.0.1]:8444", "metadata.example:443", "a@allowed.example:443"} {
		if resp := p.do(t, "CONNECT "+host+" HTTP/1.1\r\nHost: "+host+"\r\n\r\n"); (resp.StatusCode == 200) != (host == "allowed.example") && resp.StatusCode != http.StatusBadRequest {
			t.Errorf("CONNECT %s: %s", host, resp.Status)
		}
	}
	var told []string
	for _, r := range p.refused.take() {
		told = append(told, r.What)
	}
	for _, want := range []string{"https://evil.example", "https://allowed.example:22", "https://169.254.169.254"} {
		if !strings.Contains(strings.Join(told, " "), want) {
			t.Errorf("%s is not told: %v", want, told)
		}
	}
}

// On a loopback that others reach, the proxy is the command's own.
func TestProxySecret(t *testing.T) {
	p := newTestProxy(t, echo(t), "s3cret", public, "http://allowed.example")
	request := "GET http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\nConnection: close\r\n"
	for header, status := range map[string]int{"": 407, "Proxy-Authorization: Basic Ym94Og==\r\n": 407, "Proxy-Authorization: Basic Ym94OnMzY3JldA==\r\n": 200} {
		resp := p.do(t, request+header+"\r\n")
		body, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != status || strings.Contains(string(body), "Basic") {
			t.Errorf("%q: %s %s", header, resp.Status, body)
		}
	}
}

// Closing ends tunnels that nobody uses.
func TestProxyCloses(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	far, other := net.Pipe()
	defer other.Close()
	list, _ := netguard.ParseList([]string{"allowed.example"})
	p := startProxy(l, &netguard.Guard{List: list, Resolver: public, Dial: func(context.Context, string, string) (net.Conn, error) { return far, nil }}, "", &refusals{})
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "CONNECT allowed.example:443 HTTP/1.1\r\nHost: allowed.example:443\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if resp, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || resp.StatusCode != 200 {
		t.Fatal(resp, err)
	}
	p.close()
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("the tunnel still speaks")
	}
	if _, err := other.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the far end: %v", err)
	}
}

func FuzzProxyAuthority(f *testing.F) {
	for _, s := range []string{"allowed.example:443", "[::1]:443", "a@b:1", "127.1:80", "allowed.example", ":443", "%61llowed.example:80", "allowed.example:443:443"} {
		f.Add(s)
	}
	list, err := netguard.ParseList([]string{"allowed.example", "http://allowed.example"})
	if err != nil {
		f.Fatal(err)
	}
	guard := &netguard.Guard{List: list}
	f.Fuzz(func(t *testing.T, host string) {
		r := &http.Request{URL: &url.URL{Scheme: "http", Host: host}}
		target, err := requested(r)
		if err != nil || guard.Check(target) != nil {
			return
		}
		if target.Host != "allowed.example" || r.URL.Host != "allowed.example" {
			t.Errorf("%q is %+v, and %q is dialed", host, target, r.URL.Host)
		}
	})
}
