package canvas

import (
	"strings"
	"testing"
)

func TestFramingPage(t *testing.T) {
	r := newRig(t, demo, nil, &Options{Auth: login, Principal: principal, Frames: []string{"https://partner.test"}})
	at := follow(t, "/p/~frame/docs/?q", r.get("/p/~frame/docs/?q", as("ann", page...)...))
	if !strings.HasPrefix(at, "/p/~1.") || !strings.HasSuffix(at, "/~frame/docs/?q") {
		t.Fatalf("sent to %s", at)
	}
	w := r.get(at, page...)
	expect(t, w, 200, `data-app="../../docs/"`, `data-sandbox="allow-scripts allow-forms allow-modals allow-downloads"`, `data-key="/p/#`)
	csp := w.Header().Get("Content-Security-Policy")
	for _, want := range []string{
		"default-src 'none'; script-src 'sha256-", "frame-src http://example.com/p/", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'self' https://partner.test",
	} {
		if !strings.Contains(csp, want) {
			t.Errorf("the policy lacks %q: %s", want, csp)
		}
	}
	if strings.Contains(csp, "unsafe") || strings.Contains(csp, "~1.") || w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%v", w.Header())
	}
	// The state of two people at one browser is apart.
	other := "/p/" + r.Path(Visitor{Principal: "bob"}, "") + "~frame/"
	key := func(page string) string {
		_, k, _ := strings.Cut(page, `data-key="`)
		k, _, _ = strings.Cut(k, `"`)
		return k
	}
	if a, b := key(w.Body.String()), key(r.get(other, page...).Body.String()); a == b || b == "" {
		t.Errorf("keys %q and %q", a, b)
	}
	if at := follow(t, strings.TrimSuffix(other, "/"), r.get(strings.TrimSuffix(other, "/"), page...)); at != other {
		t.Errorf("without a slash it leads to %s", at)
	}
	for _, bad := range []string{"~frame/~events", "~frame/~frame/", "~frame/a%2fb", "~frame/../x", "~framed"} {
		if w := r.get("/p/"+r.Path(Visitor{Principal: "bob"}, "")+bad, page...); w.Code == 200 {
			t.Errorf("%s: %d", bad, w.Code)
		}
	}
	if w := r.do("POST", other, "x", "Origin", "null"); w.Code != 405 {
		t.Errorf("POST: %d", w.Code)
	}
	public := newRig(t, demo, nil, nil)
	w = public.get("/p/~frame/"+`%22%3E%3Cscript%3E`, page...)
	if strings.Contains(w.Body.String(), `"><script>`) {
		t.Errorf("a path ended up as markup: %s", w.Body)
	}
}

// The frame goes by a sealed path: what leads it back from the app's host to the program's is a cross-site redirect to
// Firefox, which then sends no SameSite cookie.
func TestFramingPageOwn(t *testing.T) {
	r := newOwnRig(t, loggedIn)
	ann := r.browser()
	ann.login("ann")
	w, _ := ann.visit("https://home.test/apps/notes/~frame/")
	expect(t, w, 200, `data-app="../~1.`, "allow-same-origin", `data-key=""`)
	own := r.own.origin(r.own.label(mustOpenAs(t, r, "ann", "notes")))
	if csp := w.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "frame-src https://home.test/apps/notes/ "+own) {
		t.Errorf("Content-Security-Policy %s", csp)
	}
	ann.visit("https://home.test/apps/notes/")
	if w, _ := ann.visit(own + "/~frame/"); w.Code != 404 {
		t.Errorf("on the app's own host: %d", w.Code)
	}
}
