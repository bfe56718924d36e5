package canvas

import (
	"strings"
	"testing"

	"samkit.dev/sam"
)

// TestCookies has who gets cookies through: an app with the program's origin whose App.Headers says so.
func TestCookies(t *testing.T) {
	files := sam.Files{"sam.json": `{"functions": {"routes": "*"}}`, "functions.js": `export default { fetch(r) {
  const h = new Headers({ "WWW-Authenticate": "Basic" }); h.append("Set-Cookie", "a=1; HttpOnly"); h.append("Set-Cookie", "b=2")
  if (r.url.endsWith("/in")) return new Response(null, { status: 302, headers: [...h, ["Location", "/"]] })
  return new Response("" + r.headers.get("Cookie") + r.headers.get("Authorization"), { headers: h }) } }`}
	all := []string{"cookie", "Authorization", "Set-Cookie", "WWW-Authenticate"}
	for _, tt := range []struct {
		origin  Origin
		headers []string
		body    string
		cookies int
	}{
		{Opaque, nil, "nullnull", 0}, {Opaque, all, "c=3Bearer x", 0}, {Trusted, nil, "nullnull", 0},
		{Trusted, []string{"Authorization"}, "nullBearer x", 0}, {Trusted, all, "c=3Bearer x", 2},
	} {
		r := serveApp(t, files, &Options{Origin: tt.origin}, func(a *App) { a.Headers = tt.headers })
		res := r.get("/p/x", "Cookie", "c=3", "Authorization", "Bearer x")
		expect(t, res, 200, tt.body)
		if got := len(res.Header()["Set-Cookie"]); got != tt.cookies {
			t.Errorf("%v %v: %d cookies", tt.origin, tt.headers, got)
		}
		if got := len(r.get("/p/in").Header()["Set-Cookie"]); got != tt.cookies {
			t.Errorf("%v %v: a redirect has %d cookies", tt.origin, tt.headers, got)
		}
		if got := res.Header().Get("WWW-Authenticate"); (got != "") != (tt.cookies > 0) {
			t.Errorf("%v %v: WWW-Authenticate: %s", tt.origin, tt.headers, got)
		}
	}
}

func TestRemarksOnHeaders(t *testing.T) {
	r := serveApp(t, sam.Files{"functions.js": `export default { fetch: () => new Response("", { headers: { Connection: "keep-alive", "Transfer-Encoding": "chunked", Vary: "*", Server: "x", "CF-Ray": "1", "Clear-Site-Data": "*" } }) }`}, nil)
	r.get("/p/api/x")
	if text := r.texts(); strings.Count(text, "not passed on") != 1 || !strings.Contains(text, "The response header Clear-Site-Data is not passed on") {
		t.Error(text)
	}
}
