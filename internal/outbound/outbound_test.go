package outbound

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"samkit.dev/internal/netguard"
	"samkit.dev/internal/workers"
)

// A world is a client with servers behind made-up names.
type world struct {
	t       *testing.T
	client  *Client
	mu      sync.Mutex
	records []Record
	servers map[string]string // by "host:port", the address that is dialed
	names   map[string][]string
}

func (w *world) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	var out []netip.Addr
	for _, a := range w.names[host] {
		out = append(out, netip.MustParseAddr(a))
	}
	if out == nil {
		return nil, &net.DNSError{Err: "no such host", Name: host, Server: "10.11.12.13:53", IsNotFound: true}
	}
	return out, nil
}

// newWorld grants entries. Public addresses are dialed at the server that answers for them.
func newWorld(t *testing.T, opts Options, entries ...string) *world {
	t.Helper()
	l, err := netguard.ParseList(entries)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, servers: map[string]string{}, names: map[string][]string{}}
	opts.Guard = &netguard.Guard{List: l, Resolver: w, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		if to, ok := w.servers[address]; ok {
			address = to
		} else if host, _, _ := net.SplitHostPort(address); !netip.MustParseAddr(host).IsLoopback() {
			return nil, errors.New("nobody lives at " + address)
		}
		var d net.Dialer
		return d.DialContext(ctx, network, address)
	}}
	w.client = New(opts)
	t.Cleanup(w.client.Close)
	return w
}

// serve has h answer for a name, at a public address of its own.
func (w *world) serve(name string, port int, h http.HandlerFunc) *httptest.Server {
	s := httptest.NewServer(h)
	w.t.Cleanup(s.Close)
	w.place(name, port, s.Listener.Addr().String())
	return s
}

func (w *world) place(name string, port int, at string) {
	if w.names[name] == nil {
		w.names[name] = []string{fmt.Sprintf("9.9.9.%d", len(w.names)+1)}
	}
	w.servers[net.JoinHostPort(w.names[name][0], strconv.Itoa(port))] = at
}

func (w *world) record(r Record) {
	w.mu.Lock()
	w.records = append(w.records, r)
	w.mu.Unlock()
}

func (w *world) last() Record {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.records) == 0 {
		w.t.Fatal("nothing was recorded")
	}
	return w.records[len(w.records)-1]
}

// fetch returns the response and its body, or the error of either.
func (w *world) fetch(q *workers.Outbound) (*workers.Inbound, string, error) {
	if q.Method == "" {
		q.Method = "GET"
	}
	if q.Redirect == "" {
		q.Redirect = "follow"
	}
	if q.MaxBody == 0 {
		q.MaxBody = 1 << 20
	}
	if q.Admit == nil {
		q.Admit = free
	}
	in, err := w.client.Network(w.record)(w.t.Context(), q)
	if err != nil {
		return nil, "", err
	}
	defer in.Body.Close()
	data, err := io.ReadAll(in.Body)
	return in, string(data), err
}

func (w *world) get(href string) (*workers.Inbound, string, error) {
	return w.fetch(&workers.Outbound{URL: href})
}

func free() error { return nil }

func code(err error) string {
	var ne *workers.NetworkError
	if errors.As(err, &ne) {
		return ne.Code
	}
	return fmt.Sprint(err)
}

func whole(s string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(s)), nil }
}

func value(pairs []string, name string) string {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] == name {
			return pairs[i+1]
		}
	}
	return ""
}

func TestRequest(t *testing.T) {
	w := newWorld(t, Options{}, "http://api.test")
	w.serve("api.test", 80, func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		rw.Header()["Set-Cookie"] = []string{"a=1", "b=2"}
		rw.Header()["X-Latin"] = []string{"caf\xe9"}
		fmt.Fprintf(rw, "%s %s %s %v %d %s", r.Method, r.Host, r.RequestURI, r.Header, r.ContentLength, body)
	})
	in, body, err := w.fetch(&workers.Outbound{
		Method: "PATCH", URL: "http://api.test/a%2Fb/c|d//e?q=%27%20x#frag", Body: whole("hello"), Length: 5,
		Header: []string{
			"x-a", "1", "host", "evil.test", "connection", "x-a", "content-length", "99", "transfer-encoding", "chunked", "upgrade", "x", "expect", "100-continue",
			"te", "trailers", "keep-alive", "1", "proxy-authorization", "x", "trailer", "x", "x-a", "2", "cookie", "c=1",
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "PATCH api.test /a%2Fb/c|d//e?q=%27%20x map[Accept-Encoding:[gzip, deflate, br] Content-Length:[5] Cookie:[c=1] User-Agent:[samkit] X-A:[1 2]] 5 hello"; body != want {
		t.Error(body)
	}
	if in.URL != "http://api.test/a%2Fb/c|d//e?q=%27%20x" || in.Redirected || in.Status != 200 || in.StatusText != "OK" || value(in.Header, "x-latin") != "café" {
		t.Errorf("%+v", in)
	}
	if cookies := strings.Count(strings.Join(in.Header, " "), "set-cookie"); cookies != 2 {
		t.Errorf("%d cookies in %v", cookies, in.Header)
	}
	if r := w.last(); r.Status != 200 || r.Sent != 5 || r.Received == 0 || r.Hops != 0 || r.Code != "" || r.Method != "PATCH" || r.Duration <= 0 {
		t.Errorf("%+v", r)
	}
	for path, want := range map[string]string{"//x//y": "//x//y", "": "/", "?a": "/?a", "/?": "/?", "/a?b?c": "/a?b?c"} {
		if _, body, err := w.get(canonical("http://api.test" + path)); err != nil || !strings.Contains(body, " "+want+" ") {
			t.Errorf("%q: %s, %v", path, body, err)
		}
	}
}

// canonical is the URL standard's form of the few URLs here that lack it.
func canonical(href string) string {
	if i := strings.Index(href, "?"); strings.Count(href, "/") == 2 {
		if i < 0 {
			return href + "/"
		}
		return href[:i] + "/" + href[i:]
	}
	return href
}

// A worker that is not what it should be gets nothing by writing a request in another way.
func TestMalformed(t *testing.T) {
	w := newWorld(t, Options{}, "allowed.test", "http://allowed.test")
	w.place("allowed.test", 443, "127.0.0.1:1")
	for _, q := range []workers.Outbound{
		{URL: "allowed.test"}, {URL: "https://ALLOWED.test/"}, {URL: "https://allowed.test"}, {URL: "https://allowed.test\\@evil.test/"},
		{URL: "https://user@allowed.test/"}, {URL: "https://user:pass@allowed.test/"}, {URL: "file:///etc/passwd"}, {URL: "gopher://allowed.test:70/_"},
		{URL: "https://allowed.test/ HTTP/1.1\r\nX: y"}, {URL: "https://allowed.test/\x00"}, {URL: "https://allowed.test:443/"}, {URL: "https://allowed.test/../x"},
		{URL: "https://127.1/"}, {URL: "https://0x7f000001/"}, {URL: ""}, {URL: "https://allowed.test/" + strings.Repeat("a", maxURL)},
		{URL: "https://allowed.test/", Method: "CONNECT"}, {URL: "https://allowed.test/", Method: "trace"}, {URL: "https://allowed.test/", Method: "GET / HTTP/1.1\r\n"},
		{URL: "https://allowed.test/", Header: []string{"a b", "x"}}, {URL: "https://allowed.test/", Header: []string{"a", "x\r\ny: z"}},
		{URL: "https://allowed.test/", Header: []string{"", "x"}}, {URL: "https://allowed.test/", Header: []string{"a", strings.Repeat("x", maxHeader)}},
	} {
		if _, _, err := w.fetch(&q); code(err) != "fetch_failed" && code(err) != "fetch_denied" && code(err) != "limit_fetch_headers" {
			t.Errorf("%.100q %q: %v", q.URL, q.Method, err)
		}
		if got := w.last(); got.Code == "" || got.Status != 0 {
			t.Errorf("recorded %+v", got)
		}
	}
}

func TestDenied(t *testing.T) {
	w := newWorld(t, Options{}, "allowed.test", "rebound.test", "127.0.0.1:9")
	w.names["rebound.test"] = []string{"169.254.169.254", "::1"}
	for href, want := range map[string]string{
		"https://other.test/x":           `fetch failed: https://other.test: it is not granted. The program that serves this app can grant it: canvas.App{Fetch: []string{"other.test"}}.`,
		"http://allowed.test/":           `Fetch: []string{"http://allowed.test"}`,
		"http://127.0.0.1:8/":            `it is a loopback address, and not granted. The program that serves this app can grant it: canvas.App{Fetch: []string{"127.0.0.1:8"}}`,
		"http://169.254.169.254/latest/": "a link-local address, and not granted",
		"https://rebound.test/":          "its name leads to a link-local address",
		"https://allowed.test.evil/":     "not granted",
		"https://[::ffff:a9fe:a9fe]/":    "a link-local address",
		"https://[64:ff9b::a9fe:a9fe]/":  "a link-local address",
		"https://[fd00:ec2::254]/":       "a private address",
		"https://[::]/":                  "an unspecified address",
		"https://100.64.0.1/":            "a shared address",
		"https://a.allowed.test/":        "not granted",
		"https://xn--bcher-kva.example/": "not granted",
		"https://allowed.test:8443/":     "allowed.test:8443",
	} {
		_, _, err := w.get(href)
		if code(err) != "fetch_denied" || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", href, err)
		}
		if r := w.last(); r.Code != "fetch_denied" || r.URL != href {
			t.Errorf("recorded %+v", r)
		}
	}
	none := newWorld(t, Options{})
	if _, _, err := none.get("https://api.test/"); code(err) != "fetch_denied" || !strings.Contains(err.Error(), `no access to the network, so it cannot reach https://api.test. The program that serves this app can grant it: canvas.App{Fetch: []string{"api.test"}}`) {
		t.Error(err)
	}
}

func TestRedirects(t *testing.T) {
	w := newWorld(t, Options{}, "http://a.test", "http://b.test")
	echo := func(rw http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			status, _ := strconv.Atoi(r.URL.Query().Get("status"))
			rw.Header().Set("Location", to)
			rw.WriteHeader(status)
			return
		}
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(rw, "%s %s%s auth=%q cookie=%q type=%q %s", r.Method, r.Host, r.URL, r.Header.Get("Authorization"), r.Header.Get("Cookie"), r.Header.Get("Content-Type"), body)
	}
	w.serve("a.test", 80, echo)
	w.serve("b.test", 80, echo)
	w.names["inside.test"] = []string{"10.0.0.1"}
	secret := []string{"authorization", "Bearer x", "cookie", "s=1", "content-type", "a/b"}
	for _, c := range []struct{ method, status, to, want string }{
		{"GET", "302", "/x", `GET a.test/x auth="Bearer x" cookie="s=1" type="a/b" `},
		{"GET", "302", "http://a.test:80/x#f", `GET a.test/x auth="Bearer x"`},
		{"GET", "307", "http://b.test/x", `GET b.test/x auth="" cookie="" type="a/b" `},
		{"POST", "301", "/x", `GET a.test/x auth="Bearer x" cookie="s=1" type="" `},
		{"POST", "302", "/x", `GET a.test/x`},
		{"POST", "303", "/x", `GET a.test/x`},
		{"PUT", "302", "/x", `PUT a.test/x auth="Bearer x" cookie="s=1" type="a/b" body`},
		{"PUT", "303", "/x", `GET a.test/x`},
		{"POST", "307", "/x", `POST a.test/x auth="Bearer x" cookie="s=1" type="a/b" body`},
		{"POST", "308", "//b.test/x", `POST b.test/x auth="" cookie="" type="a/b" body`},
		{"GET", "300", "/x", ``},
		{"GET", "302", "http://[broken", "fetch_redirect"},
		{"GET", "302", "file:///etc/passwd", "fetch_denied"},
		{"GET", "302", "gopher://127.0.0.1:70/", "fetch_denied"},
		{"GET", "302", "http://169.254.169.254/latest/meta-data/", "fetch_denied"},
		{"GET", "302", "http://127.1/", "fetch_denied"},
		{"GET", "302", "http://0x7f.1:8080/", "fetch_denied"},
		{"GET", "302", "http://inside.test/", "fetch_denied"},
		{"GET", "302", "http://user:pass@b.test/", "fetch_denied"},
		{"GET", "302", "https://a.test/", "fetch_denied"},
		{"GET", "302", "http://a.test.evil/", "fetch_denied"},
		{"GET", "302", "http://a.test@evil.test/", "fetch_denied"},
	} {
		q := &workers.Outbound{Method: c.method, URL: "http://a.test/?status=" + c.status + "&to=" + urlQuery(c.to), Header: secret}
		if c.method != "GET" {
			q.Body, q.Length = whole("body"), 4
		}
		in, body, err := w.fetch(q)
		if err != nil {
			body = code(err)
		} else if in.Redirected != (c.status != "300") {
			t.Errorf("%+v: redirected %v", c, in.Redirected)
		}
		if !strings.HasPrefix(body, c.want) {
			t.Errorf("%+v: %s, %v", c, body, err)
		}
	}
	in, _, err := w.fetch(&workers.Outbound{URL: "http://a.test/?status=302&to=/x", Redirect: "manual"})
	if err != nil || in.Status != 302 || value(in.Header, "location") != "/x" || in.Redirected {
		t.Error(in, err)
	}
	if _, _, err := w.fetch(&workers.Outbound{URL: "http://a.test/?status=302&to=/x", Redirect: "error"}); code(err) != "fetch_redirect" {
		t.Error(err)
	}
	once := 0
	_, _, err = w.fetch(&workers.Outbound{Method: "POST", URL: "http://a.test/?status=307&to=/x", Length: -1, Body: func() (io.ReadCloser, error) {
		if once++; once > 1 {
			return nil, errors.New("a stream")
		}
		return io.NopCloser(strings.NewReader("x")), nil
	}})
	if code(err) != "fetch_redirect" || !strings.Contains(err.Error(), "stream") {
		t.Error(err)
	}
}

func urlQuery(s string) string {
	return strings.NewReplacer("#", "%23", "&", "%26", "+", "%2B", "[", "%5B", "@", "%40").Replace(s)
}

func TestRedirectLoop(t *testing.T) {
	w := newWorld(t, Options{}, "http://a.test")
	n := 0
	w.serve("a.test", 80, func(rw http.ResponseWriter, r *http.Request) { n++; http.Redirect(rw, r, "/", http.StatusFound) })
	hops := 0
	_, _, err := w.fetch(&workers.Outbound{URL: "http://a.test/", Admit: func() error { hops++; return nil }})
	if code(err) != "fetch_redirect" || n != 21 || hops != 21 {
		t.Error(err, n, hops)
	}
	if r := w.last(); r.Hops != 20 || r.Code != "fetch_redirect" {
		t.Errorf("%+v", r)
	}
	stop := &workers.NetworkError{Code: "limit_fetches"}
	if _, _, err := w.fetch(&workers.Outbound{URL: "http://a.test/", Admit: func() error { return stop }}); err != stop {
		t.Error(err)
	}
}

func TestDecoding(t *testing.T) {
	w := newWorld(t, Options{}, "http://a.test")
	plain := strings.Repeat("samkit ", 5000)
	encode := map[string]func(io.Writer) io.WriteCloser{
		"gzip":    func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"br":      func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 5) },
		"deflate": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
		"raw":     func(w io.Writer) io.WriteCloser { z, _ := flate.NewWriter(w, 9); return z },
	}
	pack := func(how, s string) []byte {
		var b bytes.Buffer
		z := encode[how](&b)
		io.WriteString(z, s)
		z.Close()
		return b.Bytes()
	}
	bomb := strings.Repeat("\x00", 32<<20)
	bodies := map[string][]byte{"/empty": nil, "/broken": []byte("nonsense"), "/cut": pack("gzip", plain)[:40], "/unknown": []byte("as it is"), "/bomb": pack("gzip", bomb), "/brbomb": pack("br", bomb)}
	for how := range encode {
		bodies["/"+how] = pack(how, plain)
	}
	w.serve("a.test", 80, func(rw http.ResponseWriter, r *http.Request) {
		encoding := map[string]string{"/br": "br", "/deflate": "deflate", "/raw": "deflate", "/unknown": "zstd", "/gzip": "GZip", "/brbomb": "br"}[r.URL.Path]
		if encoding == "" {
			encoding = "gzip"
		}
		rw.Header().Set("Content-Encoding", encoding)
		rw.Write(bodies[r.URL.Path])
	})
	for _, path := range []string{"/gzip", "/br", "/deflate", "/raw"} {
		in, body, err := w.get("http://a.test" + path)
		if err != nil || body != plain || value(in.Header, "content-encoding") != "" || value(in.Header, "content-length") != "" || in.Length != -1 {
			t.Errorf("%s: %d bytes, %v, %+v", path, len(body), err, in)
		}
		if r := w.last(); r.Received != int64(len(bodies[path])) {
			t.Errorf("%s: %d bytes received, want %d", path, r.Received, len(bodies[path]))
		}
	}
	if in, body, err := w.get("http://a.test/unknown"); err != nil || body != "as it is" || value(in.Header, "content-encoding") != "zstd" {
		t.Error(body, err)
	}
	if _, body, err := w.get("http://a.test/empty"); err != nil || body != "" {
		t.Error(body, err)
	}
	for path, want := range map[string]string{"/broken": "fetch_failed", "/cut": "fetch_failed"} {
		if _, _, err := w.get("http://a.test" + path); code(err) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	in, _, err := w.fetch(&workers.Outbound{Method: "HEAD", URL: "http://a.test/gzip"})
	if err != nil || !in.NoBody || value(in.Header, "content-encoding") != "GZip" {
		t.Error(in, err)
	}
	// A bomb is decoded only as far as somebody reads, who counts; here that is us.
	for _, path := range []string{"/bomb", "/brbomb"} {
		in, err := w.client.Network(w.record)(t.Context(), &workers.Outbound{Method: "GET", URL: "http://a.test" + path, MaxBody: 1 << 20, Redirect: "follow", Admit: free})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.CopyN(io.Discard, in.Body, 2<<20); n != 2<<20 || err != nil {
			t.Error(n, err)
		}
		in.Body.Close()
	}
	if left := w.client.windows.left; left != maxWindows {
		t.Errorf("decoders still hold %d bytes", maxWindows-left)
	}
}

// What responses hold in memory is bounded, however many are open.
func TestWindows(t *testing.T) {
	var b bytes.Buffer
	z := brotli.NewWriterOptions(&b, brotli.WriterOptions{Quality: 5, LGWin: 24})
	z.Write(make([]byte, 1<<20))
	z.Close()
	w := newWorld(t, Options{}, "http://a.test")
	w.serve("a.test", 80, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Encoding", "br")
		rw.Write(b.Bytes())
	})
	var open []*workers.Inbound
	defer func() {
		for _, in := range open {
			in.Body.Close()
		}
	}()
	for i := range 5 {
		in, err := w.client.Network(nil)(t.Context(), &workers.Outbound{Method: "GET", URL: "http://a.test/", MaxBody: 1 << 20, Redirect: "follow", Admit: free})
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, in)
		_, err = in.Body.Read(make([]byte, 1))
		if (err == nil) != (i < 4) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct{ href, want string }{
		{"http://a.test/long", "limit_fetch_response"}, {"http://a.test/slow", "limit_fetch_time"}, {"http://a.test/headers", "limit_fetch_headers"},
		{"http://a.test/status", "fetch_failed"}, {"http://a.test/switch", "fetch_failed"}, {"http://a.test/cut", "fetch_failed"},
		{"http://a.test/endless", "limit_fetch_time"}, {"http://mute.test/", "limit_fetch_time"}, {"http://silent.test/", "fetch_failed"},
	} {
		t.Run(c.href, func(t *testing.T) {
			opts := Options{}
			if c.want == "limit_fetch_time" { // the others are not about time
				opts = Options{Head: 200 * time.Millisecond, Idle: 200 * time.Millisecond}
			}
			testLimit(t, newWorld(t, opts, "http://a.test", "http://silent.test", "http://mute.test"), c.href, c.want)
		})
	}
}

func testLimit(t *testing.T, w *world, href, want string) {
	ln, err := net.Listen("tcp", "127.0.0.1:0") // it accepts, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	w.place("mute.test", 80, ln.Addr().String())
	w.serve("a.test", 80, func(rw http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(rw)
		switch r.URL.Path {
		case "/long":
			rw.Write(make([]byte, 2<<20))
		case "/slow":
			io.WriteString(rw, "a")
			rc.Flush()
			<-r.Context().Done()
		case "/headers":
			for i := range 2000 {
				rw.Header().Set("X-"+strconv.Itoa(i), strings.Repeat("y", 1000))
			}
		case "/status":
			conn, _, _ := rc.Hijack()
			io.WriteString(conn, "HTTP/1.1 999 No\r\nContent-Length: 0\r\n\r\n")
			conn.Close()
		case "/switch":
			conn, _, _ := rc.Hijack()
			io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")
			conn.Close()
		case "/cut":
			conn, _, _ := rc.Hijack()
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
			conn.Close()
		case "/endless":
			conn, _, _ := rc.Hijack()
			io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
			for i := 0; ; i++ {
				if _, err := fmt.Fprintf(conn, "X-%d: y\r\n", i); err != nil {
					return
				}
				time.Sleep(time.Millisecond)
			}
		}
	})
	_, _, err = w.get(href)
	if code(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
	if strings.Contains(fmt.Sprint(err), "10.11.12.13") || strings.Contains(fmt.Sprint(err), "127.0.0.1") {
		t.Errorf("it says too much: %v", err)
	}
	if r := w.last(); r.Code != want {
		t.Errorf("recorded %+v", r)
	}
	if len(w.client.live) != 0 {
		t.Errorf("%d requests have not ended", len(w.client.live))
	}
}

// A connection that cannot be made in time is given up.
func TestConnectTime(t *testing.T) {
	w := newWorld(t, Options{Connect: 50 * time.Millisecond}, "http://a.test")
	w.names["a.test"] = []string{"9.9.9.9"}
	w.client.opts.Guard.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }
	if _, _, err := w.get("http://a.test/"); code(err) != "limit_fetch_time" || !strings.Contains(err.Error(), "connected") {
		t.Error(err)
	}
}

func TestCancel(t *testing.T) {
	w := newWorld(t, Options{}, "http://a.test")
	gone := make(chan struct{}, 2)
	w.serve("a.test", 80, func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			io.WriteString(rw, "a")
			http.NewResponseController(rw).Flush()
		}
		<-r.Context().Done()
		gone <- struct{}{}
	})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := w.client.Network(w.record)(ctx, &workers.Outbound{Method: "GET", URL: "http://a.test/", MaxBody: 1, Admit: free}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-gone
	if r := w.last(); r.Code != "canceled" {
		t.Errorf("%+v", r)
	}
	in, err := w.client.Network(w.record)(t.Context(), &workers.Outbound{Method: "GET", URL: "http://a.test/body", MaxBody: 1, Admit: free})
	if err != nil {
		t.Fatal(err)
	}
	in.Body.Close()
	<-gone
	if r := w.last(); r.Code != "" || r.Status != 200 {
		t.Errorf("%+v", r)
	}
}

// The environment's proxies are not asked: they would resolve and connect unchecked.
func TestNoProxy(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	w := newWorld(t, Options{}, "http://a.test")
	w.serve("a.test", 80, func(rw http.ResponseWriter, r *http.Request) { io.WriteString(rw, "direct") })
	if _, body, err := w.get("http://a.test/"); body != "direct" {
		t.Error(body, err)
	}
}

func TestTLS(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		fmt.Fprint(rw, r.Proto, " ", r.TLS.ServerName, " ", r.Host)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	w := newWorld(t, Options{TLS: &tls.Config{RootCAs: roots}}, "example.com", "other.test")
	w.place("example.com", 443, s.Listener.Addr().String())
	w.place("other.test", 443, s.Listener.Addr().String())
	_, body, err := w.fetch(&workers.Outbound{URL: "https://example.com/", Header: []string{"host", "other.test"}})
	if err != nil || body != "HTTP/2.0 example.com example.com" {
		t.Error(body, err)
	}
	if _, _, err := w.get("https://other.test/"); code(err) != "fetch_failed" || !strings.Contains(err.Error(), "certificate") {
		t.Error(err)
	}
}

// A connection is reused, but not by those to whom its address is not granted.
func TestReuse(t *testing.T) {
	w := newWorld(t, Options{}, "http://a.test")
	seen := map[string]bool{}
	w.serve("a.test", 80, func(rw http.ResponseWriter, r *http.Request) { seen[r.RemoteAddr] = true })
	for range 3 {
		if _, _, err := w.get("http://a.test/"); err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) != 1 {
		t.Errorf("%d connections", len(seen))
	}
}
