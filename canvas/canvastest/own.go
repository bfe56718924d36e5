package canvastest

import (
	"net/http"
	"net/url"
	"strings"
)

// A toServer sends requests for whichever host to one address, as DNS does in
// production.
type toServer struct {
	address string
	next    http.RoundTripper
}

func (t toServer) RoundTrip(r *http.Request) (*http.Response, error) {
	out := r.Clone(r.Context())
	out.Host = r.URL.Host
	out.URL.Scheme, out.URL.Host = "http", t.address
	res, err := t.next.RoundTrip(out)
	if res != nil {
		res.Request = r
	}
	return res, err
}

// own checks an app that has an origin of its own, from the program's address on.
func (c *check) own(home *url.URL) {
	c.t.Helper()
	c.cookies = map[string]map[string]string{}
	c.home = home.Host
	page, ok := c.enter(home)
	if !ok {
		return
	}
	c.page = page.Request.URL
	c.headers("the page", page)
	app := c.page.Scheme + "://" + c.page.Host
	same := []string{"Origin", app, "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty"}
	for _, target := range []string{"/api/canvastest", home.Path, "/~canvastest"} {
		for _, method := range []string{"GET", "POST", "PUT"} {
			a, ok := c.ask(method, app+target, "", same...)
			switch {
			case !ok:
			case !ours(a.Header) && method == "GET":
				c.t.Errorf("canvastest: GET %s: something else than the handler answers on the app's host (status %d): the program's own routes would be part of the app's origin. "+
					"Put canvas.Handler.Hosts before everything.", app+target, a.StatusCode)
			case !ours(a.Header):
				c.t.Errorf("canvastest: %s %s was refused with %d before it reached the handler. Put canvas.Handler.Hosts before the middleware: the handler checks what comes from other origins itself.",
					method, app+target, a.StatusCode)
			default:
				c.headers("a call of the app's page", a)
			}
		}
	}
	label, domain, _ := strings.Cut(c.page.Host, ".")
	for _, host := range []string{"canvastest." + domain, label + ".canvastest." + domain} {
		if a, ok := c.ask("GET", c.page.Scheme+"://"+host+"/", "", top...); ok && (a.StatusCode < 400 || !ours(a.Header)) {
			c.t.Errorf("canvastest: GET %s: %d for a host that is no app's. Give all hosts below canvas.Options.Domain to canvas.Handler.Hosts.", host, a.StatusCode)
		}
	}
	c.events()
}

// enter opens the app as a person does, and follows to where it lives.
func (c *check) enter(home *url.URL) (answer, bool) {
	c.t.Helper()
	at := home
	for range 8 {
		a, ok := c.ask("GET", at.String(), "", top...)
		if !ok {
			return a, false
		}
		switch {
		case !ours(a.Header) && at.Host == home.Host:
			c.t.Errorf("canvastest: GET %s: %d by something in front of the handler, with a session. Let the handler's routes pass, and give the middleware to canvas.Options.Auth.", at, a.StatusCode)
			return a, false
		case !ours(a.Header):
			c.t.Errorf("canvastest: GET %s: the app's host does not lead to the handler (status %d). Put canvas.Handler.Hosts before everything.", at, a.StatusCode)
			return a, false
		case a.StatusCode == http.StatusOK && at.Host == home.Host:
			c.t.Errorf("canvastest: GET %s is answered with the app itself: the origin is not canvas.Own. Give Check the path alone.", at)
			return a, false
		case a.StatusCode == http.StatusOK:
			return a, true
		case a.StatusCode < 300 || a.StatusCode > 399:
			c.t.Errorf("canvastest: GET %s: the handler answers %d: %s", at.Redacted(), a.StatusCode, clip(a.body))
			return a, false
		}
		next, err := at.Parse(a.Header.Get("Location"))
		if err != nil {
			c.t.Errorf("canvastest: GET %s: redirect to %q, which is no URL", at, a.Header.Get("Location"))
			return a, false
		}
		at = next
	}
	c.t.Errorf("canvastest: GET %s redirects without end: is a cookie of the app's host lost on the way?", home)
	return answer{}, false
}

// keep notes an answer's cookies, each for the host that set it.
func (c *check) keep(res *http.Response) {
	host := res.Request.URL.Host
	for _, k := range res.Cookies() {
		if c.cookies[host] == nil {
			c.cookies[host] = map[string]string{}
		}
		c.cookies[host][k.Name] = k.Value
	}
}

// carry adds the cookies of its host to a request.
func (c *check) carry(r *http.Request) {
	for name, value := range c.cookies[r.URL.Host] {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
}
