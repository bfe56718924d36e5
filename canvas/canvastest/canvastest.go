// Package canvastest checks that a program's own stack of middleware and routes
// leaves the promises of package canvas intact.
//
//	func TestApps(t *testing.T) {
//		canvastest.Check(t, routes(), "/apps/notes/", func(r *http.Request) {
//			r.AddCookie(sessionCookie)
//		})
//	}
package canvastest

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"
)

// A TB is the part of [testing.TB] that Check uses.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
}

// Check asks for an app at path as a browser would, framed and at the top, and
// reports headers that were added or removed, refused requests of sandboxed
// pages, hidden flushing, and redirects that lose the prefix, each with the
// request that showed it and what cures it. path starts and ends with a slash; under
// canvas.Own it is the URL of the app below canvas.Options.Home, such as
// "https://example.com/apps/notes/", and h the handler that Hosts returns. The app has an index.html. login adds a session to a navigation; nil means
// that the app is public.
//
// Check serves h on a port of the loopback interface while it runs.
func Check(t TB, h http.Handler, path string, login func(*http.Request)) {
	t.Helper()
	home, err := url.Parse(path)
	own := err == nil && home.Host != ""
	if !own && !strings.HasPrefix(path, "/") || !strings.HasSuffix(path, "/") {
		t.Errorf("canvastest: the path %q does not start and end with a slash", path)
		return
	}
	srv := httptest.NewServer(h)
	defer srv.Close()
	// Streams of a handler that does not end them must not hold up Close.
	defer srv.CloseClientConnections()
	c := &check{
		t: t, url: srv.URL, path: path, login: login,
		client: &http.Client{
			Timeout:       10 * time.Second,
			Transport:     &http.Transport{DisableCompression: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	defer c.client.CloseIdleConnections()
	if own {
		c.client.Transport = toServer{srv.Listener.Addr().String(), c.client.Transport}
		c.own(home)
		return
	}
	c.run()
}

// A check is one run of Check.
type check struct {
	t      TB
	url    string // of the server, without a slash at its end
	path   string
	login  func(*http.Request)
	client *http.Client
	page   *url.URL // where the app's page was found
	sealed bool     // it lies below a token

	home    string                       // the program's host, if the app has one of its own
	cookies map[string]map[string]string // by host and name; nil unless it has
}

func (c *check) run() {
	c.t.Helper()
	page, ok := c.navigate()
	if !ok {
		return
	}
	c.headers("the page", page)
	c.withoutSlash()
	if !sandboxed(page.Header) {
		c.events() // a Trusted app: its requests carry the program's cookies
		return
	}
	c.framed()
	c.resources(page.body)
	c.events()
}

// An answer is a response that was read.
type answer struct {
	*http.Response
	body string
}

// ask sends one request and reads the beginning of the answer.
func (c *check) ask(method, target, body string, header ...string) (answer, bool) {
	c.t.Helper()
	req, err := http.NewRequest(method, target, strings.NewReader(body))
	if err != nil {
		c.t.Errorf("canvastest: %v", err)
		return answer{}, false
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	c.carry(req)
	if c.login != nil && req.Header.Get("Sec-Fetch-Mode") == "navigate" && req.Header.Get("Sec-Fetch-Site") == "none" && (c.home == "" || c.home == req.URL.Host) {
		c.login(req)
	}
	res, err := c.client.Do(req)
	if err != nil {
		c.t.Errorf("canvastest: %s %s: %v", method, c.show(target), err)
		return answer{}, false
	}
	defer res.Body.Close()
	if c.cookies != nil {
		c.keep(res)
	}
	return answer{res, readSome(res.Body)}, true
}

// show is a URL without the server's address and what is sealed.
func (c *check) show(target string) string {
	p := strings.TrimPrefix(target, c.url)
	if i := strings.Index(p, "/~1."); i >= 0 {
		rest := p[i+1:]
		if j := strings.IndexByte(rest, '/'); j >= 0 {
			return p[:i] + "/~…" + rest[j:]
		}
		return p[:i] + "/~…"
	}
	return p
}

// sandboxed reports whether a response is one of an app in an opaque origin.
func sandboxed(h http.Header) bool {
	return strings.HasPrefix(h.Get("Content-Security-Policy"), "sandbox ") && ours(h)
}

// ours reports whether a response is package canvas's, rather than that of
// something in front of it.
func ours(h http.Header) bool {
	return strings.Contains(h.Get("Content-Security-Policy"), "object-src 'none'") && h.Get("X-Robots-Tag") == "noindex"
}
