package canvastest

import "strings"

// headers compares an answer's headers with those that the handler sends.
func (c *check) headers(what string, a answer) {
	c.t.Helper()
	where := a.Request.Method + " " + c.show(a.Request.URL.String()) + " (" + what + ")"
	csp := a.Header.Values("Content-Security-Policy")
	if len(csp) > 1 {
		c.t.Errorf("canvastest: %s: a second Content-Security-Policy %q was added; browsers obey both. Leave the header off these routes.", where, csp[1])
	}
	want := map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin"}
	switch {
	case c.home != "":
		want["Referrer-Policy"] = "same-origin"
	case sandboxed(a.Header):
		want["Cross-Origin-Resource-Policy"] = "cross-origin"
		want["Access-Control-Allow-Origin"] = "*"
		c.policyCovers(where, csp[0])
	}
	for name, value := range want {
		if got := strings.Join(a.Header.Values(name), ", "); got != value {
			c.t.Errorf("canvastest: %s: the header %s is %q, and the handler sent %q: a middleware changed it. Leave it off these routes.", where, name, got, value)
		}
	}
	for name, harm := range map[string]string{
		"X-Frame-Options":                  "it keeps the app from being framed; frame-ancestors of canvas.Options.Frames decides that",
		"Access-Control-Allow-Credentials": "no page in an opaque origin may use the program's credentials",
		"Cross-Origin-Embedder-Policy":     "it blocks what the app loads from the origins it was granted",
		"Set-Cookie":                       "a response to an app's page can overwrite the program's session",
		"Clear-Site-Data":                  "it would clear the program's own data",
		"Service-Worker-Allowed":           "an app must not get a service worker of the program's origin",
	} {
		// The log-in's own cookie may come with the redirect that it lets pass.
		if got := a.Header.Get(name); got != "" && !(name == "Set-Cookie" && a.StatusCode >= 300 && a.StatusCode <= 399) {
			c.t.Errorf("canvastest: %s: a middleware added %s: %q; %s.", where, name, shorten(name, got), harm)
		}
	}
}

func shorten(name, value string) string {
	if name == "Set-Cookie" {
		value, _, _ = strings.Cut(value, "=")
		return value + "=…"
	}
	return value
}

// policyCovers checks that the policy names the address that a browser knows.
func (c *check) policyCovers(where, csp string) {
	c.t.Helper()
	_, sources, ok := strings.Cut(csp, "default-src ")
	if !ok {
		c.t.Errorf("canvastest: %s: the Content-Security-Policy has no default-src: a middleware changed it.", where)
		return
	}
	source, _, _ := strings.Cut(sources, " ")
	if !strings.HasPrefix(c.url+c.page.EscapedPath(), source) {
		c.t.Errorf("canvastest: %s: the Content-Security-Policy allows %s, which does not cover %s: the handler cannot see its own address. "+
			"Set canvas.Options.BaseURL, or Options.Forwarded behind a proxy that sets X-Forwarded-*.", where, c.show(source), c.show(c.page.String()))
		return
	}
	if len(source)-len(c.url) < len(c.path) {
		c.t.Errorf("canvastest: %s: the Content-Security-Policy allows all of %s and not only %s: the prefix is hidden from the handler. "+
			"Set canvas.Options.BaseURL with the prefix.", where, c.show(source), c.path)
	}
}
