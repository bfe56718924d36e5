package canvastest

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"
)

// script, call: what a page in an opaque origin sends with its own requests.
var (
	script = []string{"Origin", "null", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "script"}
	call   = []string{"Origin", "null", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty", "Content-Type", "application/json"}
)

// resources sends what a sandboxed page sends: requests without cookies whose
// origin is "null".
func (c *check) resources(page string) {
	c.t.Helper()
	if src, ok := clientScript(page); !ok {
		c.t.Errorf("canvastest: GET %s: the handler's script is not in the page: a middleware replaces or compresses the body.", c.show(c.page.String()))
	} else {
		c.resource("GET", src, "", "the page's script", script, http.StatusOK)
	}
	c.resource("GET", ".", "", "a fetch of the page", call, http.StatusOK)
	c.resource("OPTIONS", "api/canvastest", "", "the question before a JSON request", append([]string{"Access-Control-Request-Method", "POST"}, call[:6]...), http.StatusNoContent)
	c.resource("POST", "api/canvastest", "{}", "a JSON request to functions.js", call, 0)
	c.resource("POST", "~log", `{"entries":[]}`, "the page's console", call, http.StatusNoContent)
	c.resource("GET", "a%2Fb", "", "a path with an encoded slash", call, http.StatusBadRequest)
}

// resource sends one request; status 0 accepts any that is the handler's own.
func (c *check) resource(method, ref, body, what string, header []string, status int) {
	c.t.Helper()
	u, err := c.page.Parse(ref)
	if err != nil {
		c.t.Errorf("canvastest: %v", err)
		return
	}
	a, ok := c.ask(method, u.String(), body, header...)
	if !ok {
		return
	}
	switch {
	case !ours(a.Header):
		c.refused(method, u.String(), a, what)
	case status != 0 && a.StatusCode != status:
		c.t.Errorf("canvastest: %s %s (%s): %d, want %d: %s", method, c.show(u.String()), what, a.StatusCode, status, clip(a.body))
	default:
		c.headers(what, a)
	}
}

// refused explains an answer that the handler did not give.
func (c *check) refused(method, target string, a answer, what string) {
	c.t.Helper()
	cure := "Something in front of the handler answers in its place; let the handler's routes pass."
	switch {
	case method == "OPTIONS":
		cure = "A CORS middleware answers in the handler's place, or OPTIONS is not routed to it; let the handler answer, it allows no credentials."
	case strings.Contains(target, "%2F"):
		cure = "A router or a middleware changes paths before the handler sees them; it has to see them as they were sent."
	case method == "POST" && (a.StatusCode == http.StatusForbidden || a.StatusCode == http.StatusBadRequest):
		cure = "This is what http.CrossOriginProtection and CSRF middleware do to requests with \"Origin: null\": put them around your own routes only. " +
			"The handler checks what carries cookies itself."
	case a.StatusCode == http.StatusUnauthorized || a.StatusCode == http.StatusForbidden || a.StatusCode >= 300 && a.StatusCode <= 399:
		cure = "A log-in stands in front of the handler, and these requests carry no cookies: take it away from these routes and give it to canvas.Options.Auth (and Options.Principal)."
	case a.StatusCode == http.StatusMethodNotAllowed:
		cure = "The route is registered for some methods only; register the handler for all."
	case a.StatusCode == http.StatusNotFound:
		cure = "The route does not cover everything below " + c.path + "."
	}
	c.t.Errorf("canvastest: %s %s (%s) was refused with %d before it reached the handler. %s", method, c.show(target), what, a.StatusCode, cure)
}

// events opens the page's event stream and waits for its first bytes.
func (c *check) events() {
	c.t.Helper()
	u, err := c.page.Parse("~events")
	if err != nil {
		c.t.Errorf("canvastest: %v", err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", u.String(), nil)
	if err != nil {
		c.t.Errorf("canvastest: %v", err)
		return
	}
	if c.home == "" {
		for i := 0; i+1 < 8; i += 2 {
			req.Header.Set(call[i], call[i+1])
		}
	}
	c.carry(req)
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Accept-Encoding", "gzip")
	if c.login != nil && !c.sealed && c.home == "" {
		c.login(req)
	}
	problem := firstByte(c.client, req)
	switch {
	case ctx.Err() != nil:
		c.t.Errorf("canvastest: GET %s (the page's events): nothing came within %v: a middleware keeps back what is flushed. "+
			"Leave buffering and compressing middleware off these routes.", c.show(u.String()), patience)
	case problem != "":
		c.t.Errorf("canvastest: GET %s (the page's events): %s", c.show(u.String()), problem)
	}
}

// patience is how long the first byte of a stream may take.
const patience = 3 * time.Second

// firstByte says what kept a stream from beginning, or nothing.
func firstByte(client *http.Client, req *http.Request) (problem string) {
	res, err := client.Do(req)
	if err != nil {
		return "no answer: " + err.Error()
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return res.Status + " " + clip(readSome(res.Body))
	}
	if _, err := io.ReadFull(res.Body, make([]byte, 1)); err != nil {
		return "it ended: " + err.Error()
	}
	return ""
}

// clientScript finds the handler's script in a page.
func clientScript(page string) (src string, ok bool) {
	i := strings.Index(page, "~client-")
	if i < 0 {
		return "", false
	}
	start := strings.LastIndexByte(page[:i], '"') + 1
	end := strings.IndexByte(page[i:], '"')
	if end < 0 {
		return "", false
	}
	return page[start : i+end], true
}

func readSome(r io.Reader) string {
	b, _ := io.ReadAll(io.LimitReader(r, 256<<10)) // what came is what can be checked
	return string(b)
}
