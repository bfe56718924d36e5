package canvastest

import (
	"net/http"
	"strings"
)

// top are the headers of a navigation by address bar or link, which carries
// the program's cookies.
var top = []string{"Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "Accept", "text/html,*/*;q=0.8"}

// navigate finds the app's page, following its redirects.
func (c *check) navigate() (answer, bool) {
	c.t.Helper()
	at := c.url + c.path
	for range 5 {
		a, ok := c.ask("GET", at, "", top...)
		if !ok {
			return a, false
		}
		location := a.Header.Get("Location")
		if a.StatusCode < 300 || a.StatusCode > 399 || location == "" {
			c.page = a.Request.URL
			return a, c.isPage(at, a)
		}
		next, err := a.Request.URL.Parse(location)
		switch {
		case err != nil:
			c.t.Errorf("canvastest: GET %s: redirect to %q, which is no URL", c.show(at), location)
			return a, false
		case !ours(a.Header):
			c.t.Errorf("canvastest: GET %s was redirected to %q by something in front of the handler (status %d). "+
				"If that is a log-in, the session that login adds does not pass it.", c.show(at), location, a.StatusCode)
			return a, false
		case next.Host != a.Request.URL.Host || !strings.HasPrefix(next.Path, c.path):
			c.t.Errorf("canvastest: GET %s: the redirect to %q leads to %s, which is outside %s: a middleware rewrites Location, or "+
				"the prefix is taken off twice. The handler's own redirects are relative; leave them alone.", c.show(at), location, next.Path, c.path)
			return a, false
		}
		c.sealed = c.sealed || strings.Contains(next.Path, "/~1.")
		at = next.String()
	}
	c.t.Errorf("canvastest: GET %s redirects without end: the token in the path is not seen by the handler. Is the path decoded, cleaned or cut by a router?", c.path)
	return answer{}, false
}

func (c *check) isPage(at string, a answer) bool {
	c.t.Helper()
	switch {
	case a.StatusCode == http.StatusOK && ours(a.Header):
		return true
	case ours(a.Header):
		c.t.Errorf("canvastest: GET %s: the handler answers %d: %s Is the prefix taken off (canvas.Mount, http.StripPrefix), and only once?", c.show(at), a.StatusCode, clip(a.body))
	default:
		c.t.Errorf("canvastest: GET %s: refused with %d by something in front of the handler, with a session. "+
			"Let the handler's routes pass, and give the middleware to canvas.Options.Auth.", c.show(at), a.StatusCode)
	}
	return false
}

// withoutSlash asks for the app without the slash at the end.
func (c *check) withoutSlash() {
	c.t.Helper()
	bare := c.url + strings.TrimSuffix(c.path, "/")
	if bare == c.url {
		return
	}
	a, ok := c.ask("GET", bare, "", top...)
	if !ok {
		return
	}
	location := a.Header.Get("Location")
	if a.StatusCode < 300 || a.StatusCode > 399 {
		c.t.Errorf("canvastest: GET %s: %d, want a redirect to %s. Register the path without the slash too, with this handler or a redirect of your own.", c.show(bare), a.StatusCode, c.path)
		return
	}
	next, err := a.Request.URL.Parse(location)
	if err != nil || next.Host != a.Request.URL.Host || next.Path != c.path {
		c.t.Errorf("canvastest: GET %s: the redirect to %q loses the prefix, want %s. http.Redirect under http.StripPrefix does that; set Location to \"./%s\" instead.",
			c.show(bare), location, c.path, c.path[strings.LastIndexByte(strings.TrimSuffix(c.path, "/"), '/')+1:])
	}
}

// framed asks for the page as a frame of it does, whose navigations carry no
// Lax or Strict cookies.
func (c *check) framed() {
	c.t.Helper()
	at := c.page.String()
	a, ok := c.ask("GET", at, "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe", "Accept", "text/html")
	if !ok {
		return
	}
	switch {
	case !ours(a.Header):
		c.refused("GET", at, a, "a link of a framed page, which carries no cookies")
	case a.StatusCode != http.StatusOK:
		c.t.Errorf("canvastest: GET %s, framed and without cookies: %d %s", c.show(at), a.StatusCode, clip(a.body))
	default:
		c.headers("the framed page", a)
	}
}

func clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 200 {
		return s[:200] + "…"
	}
	return s
}
