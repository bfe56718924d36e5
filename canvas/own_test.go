package canvas

import (
	"context"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"samkit.dev/internal/workers"
	"samkit.dev/sam"
)

// An ownRig is a program at home.test whose apps have hosts of their own. Each
// visitor finds their own projects, and those of "team".
type ownRig struct {
	*Handler
	t    *testing.T
	root http.Handler
	log  *strings.Builder
	seen *workers.Request // by functions.js, of late
	set  []string         // headers that functions.js answers with
}

func newOwnRig(t *testing.T, opts Options) *ownRig {
	t.Helper()
	r := &ownRig{t: t, log: new(strings.Builder)}
	store := sam.NewMemStore()
	t.Cleanup(func() { store.Close() })
	spaces := map[string]*sam.Workspace{}
	for _, owner := range []string{"ann", "bob", "team"} {
		spaces[owner] = sam.NewWorkspace(store, owner, nil)
		for _, id := range []sam.ProjectID{"notes", sam.ProjectID(strings.Repeat("long", 15))} {
			if owner == "team" {
				id = "shared"
			}
			if _, err := spaces[owner].Create(t.Context(), id, sam.Files{
				"index.html": `<!doctype html><head><link href="/style.css"><img src="/a.png"><h1>of ` + owner, "style.css": "a{background:url(/b.png)}", "app.js": "1", "functions.js": "export default {}",
			}); err != nil && owner != "team" {
				t.Fatal(err)
			}
		}
	}
	find := func(ctx context.Context, v Visitor, id sam.ProjectID) (*App, error) {
		ws := spaces[v.Principal]
		if id == "shared" {
			ws = spaces["team"]
		}
		if ws == nil {
			return nil, fs.ErrNotExist
		}
		p, err := ws.Open(ctx, id)
		return &App{Project: p}, err
	}
	if opts.Home == "" {
		opts.Home = "https://home.test/apps/"
	}
	if opts.Domain == "" {
		opts.Domain = "apps.test"
	}
	opts.Origin, opts.Logger = Own, slog.New(slog.NewTextHandler(r.log, nil))
	h, err := newHandler(find, &opts, fakeRun(func(_ context.Context, _ *workers.App, req *workers.Request) (*workers.Response, error) {
		r.seen = req
		return &workers.Response{Status: 200, Header: r.set, Bytes: []byte("fake")}, nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	h.site = true
	t.Cleanup(func() { h.Close() })
	mux := http.NewServeMux()
	Mount(mux, "/apps/", h)
	mux.HandleFunc("/secret", func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("the program's")) })
	r.Handler, r.root = h, h.Hosts(mux)
	return r
}

// A jar is a browser as far as cookies go: each host has its own.
type jar struct {
	r     *ownRig
	hosts map[string]map[string]string
}

func (r *ownRig) browser() *jar { return &jar{r, map[string]map[string]string{}} }

func (j *jar) login(who string) { j.put("home.test", "sid", who) }

func (j *jar) put(host, name, value string) {
	if j.hosts[host] == nil {
		j.hosts[host] = map[string]string{}
	}
	j.hosts[host][name] = value
}

func (j *jar) do(method, target string, header ...string) *httptest.ResponseRecorder {
	u, err := url.Parse(target)
	if err != nil {
		j.r.t.Fatal(err)
	}
	req := httptest.NewRequest(method, u.RequestURI(), nil)
	req.Host = u.Host
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	for name, value := range j.hosts[u.Host] {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	w := httptest.NewRecorder()
	j.r.root.ServeHTTP(w, req)
	for _, c := range w.Result().Cookies() {
		j.put(u.Host, c.Name, c.Value)
	}
	return w
}

// visit follows redirects as a browser does, and returns where they went.
func (j *jar) visit(target string, header ...string) (*httptest.ResponseRecorder, []string) {
	j.r.t.Helper()
	at := []string{target}
	for range 12 {
		w := j.do("GET", target, append(append([]string{}, page...), header...)...)
		if w.Code < 300 || w.Code > 399 {
			return w, at
		}
		u, err := url.Parse(target)
		if err != nil {
			j.r.t.Fatal(err)
		}
		next, err := u.Parse(w.Header().Get("Location"))
		if err != nil {
			j.r.t.Fatal(err)
		}
		target = next.String()
		at = append(at, target)
	}
	j.r.t.Fatalf("redirects without end: %q", at)
	return nil, nil
}

var loggedIn = Options{Auth: login, Principal: principal}

func TestOwnLogin(t *testing.T) {
	r := newOwnRig(t, loggedIn)
	ann := r.browser()
	if w, at := ann.visit("https://home.test/apps/notes/"); w.Code != 404 || at[len(at)-1] != "https://home.test/login" {
		t.Errorf("without a log-in: %d at %q", w.Code, at)
	}
	ann.login("ann")
	w, at := ann.visit("https://home.test/apps/notes/?q=1")
	expect(t, w, 200, "of ann", `href="/style.css"`, `src="/a.png"`)
	last, _ := url.Parse(at[len(at)-1])
	if !regexp.MustCompile(`^notes--[a-z2-7]{20}\.apps\.test$`).MatchString(last.Host) || last.RequestURI() != "/?q=1" {
		t.Errorf("ends at %s", last)
	}
	// The next visit needs no ticket, and neither do the page's own requests.
	if _, at := ann.visit("https://home.test/apps/notes/app.js"); len(at) != 3 {
		t.Errorf("the second visit goes by %q", at)
	}
	own := "https://" + last.Host
	same := []string{"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty"}
	expect(t, ann.do("POST", own+"/api/x", same...), 200)
	if r.seen.Principal != "ann" || r.seen.URL != own+"/api/x" || strings.Contains(strings.Join(r.seen.Header, "\n"), "samkit") {
		t.Errorf("functions.js saw %+v", r.seen)
	}
	// Where the visit begins does not matter.
	fresh := r.browser()
	fresh.login("ann")
	if w, _ := fresh.visit(own + "/app.js"); w.Code != 200 {
		t.Errorf("from a bookmark: %d", w.Code)
	}
	// Without a session there is nothing.
	nobody := r.browser()
	for _, p := range []string{"/api/x", "/app.js", "/~events", "/" + r.client.name} {
		if w := nobody.do("GET", own+p, same...); w.Code != 403 {
			t.Errorf("%s without a session: %d", p, w.Code)
		}
	}
	// Somebody else's project of that name has another origin, and theirs is not here.
	bob := r.browser()
	bob.login("bob")
	w, at = bob.visit("https://home.test/apps/notes/")
	expect(t, w, 200, "of bob")
	if strings.HasPrefix(at[len(at)-1], own) {
		t.Error("two owners share an origin")
	}
	if w, there := bob.visit(own + "/"); strings.Contains(w.Body.String(), "of ann") || there[len(there)-1] != at[len(at)-1] {
		t.Errorf("bob at ann's app is led to %q: %s", there, w.Body)
	}
	// Another person at the same browser, who comes from the program, is not taken for the first.
	w, at = ann.visit("https://home.test/apps/shared/")
	expect(t, w, 200)
	shared, _ := url.Parse(at[len(at)-1])
	ann.login("bob")
	ann.visit("https://home.test/apps/shared/")
	ann.do("POST", "https://"+shared.Host+"/api/x", same...)
	if r.seen.Principal != "bob" {
		t.Errorf("after bob logged in, functions.js sees %q", r.seen.Principal)
	}
	r.Revoke("bob")
	if w := ann.do("POST", "https://"+shared.Host+"/api/x", same...); w.Code != 403 {
		t.Errorf("after Revoke: %d", w.Code)
	}
	if strings.Contains(r.log.String(), "ticket=") {
		t.Error("a ticket was logged")
	}
}

// ticketFor lets somebody go as far as having a ticket, and returns its URL.
func (j *jar) ticketFor(target string) string {
	j.r.t.Helper()
	for range 10 {
		w := j.do("GET", target, page...)
		u, _ := url.Parse(target)
		next, err := u.Parse(w.Header().Get("Location"))
		if err != nil || w.Code != 302 {
			j.r.t.Fatalf("%s: %d %v", target, w.Code, err)
		}
		if target = next.String(); strings.Contains(target, "ticket=") {
			return target
		}
	}
	j.r.t.Fatal("no ticket")
	return ""
}

func sessionAt(j *jar, target string) bool {
	u, _ := url.Parse(target)
	return j.hosts[u.Host]["__Host-samkit"] != ""
}

func TestTickets(t *testing.T) {
	r := newOwnRig(t, loggedIn)
	ann, mallory := r.browser(), r.browser()
	ann.login("ann")
	mallory.login("bob")
	ticket := ann.ticketFor("https://home.test/apps/shared/")

	// Read by somebody else, it lets nobody in.
	thief := r.browser()
	if thief.do("GET", ticket, page...); sessionAt(thief, ticket) {
		t.Error("a stolen ticket made a session")
	}
	// Given to somebody else, it does not make them act as another (login CSRF).
	victim := r.browser()
	victim.login("ann")
	theirs := mallory.ticketFor("https://home.test/apps/shared/")
	w, at := victim.visit(theirs)
	expect(t, w, 200)
	victim.do("GET", at[len(at)-1]+"api/x", "Sec-Fetch-Site", "same-origin")
	if r.seen.Principal != "ann" {
		t.Errorf("the victim acts as %q", r.seen.Principal)
	}
	// It holds once.
	if w := ann.do("GET", ticket, page...); w.Code != 303 || !sessionAt(ann, ticket) {
		t.Fatalf("ann's ticket: %d", w.Code)
	}
	u, _ := url.Parse(ticket)
	delete(ann.hosts[u.Host], "__Host-samkit")
	if ann.do("GET", ticket, page...); sessionAt(ann, ticket) {
		t.Error("a ticket held twice")
	}
	// It is for one app, and no session or path.
	other := ann.ticketFor("https://home.test/apps/notes/")
	o, _ := url.Parse(other)
	u.RawQuery = o.RawQuery
	if ann.do("GET", u.String(), page...); sessionAt(ann, u.String()) {
		t.Error("a ticket for one app held for another")
	}
	sealed := o.Query().Get("ticket")
	if w := r.browser().do("GET", "https://"+o.Host+"/app.js", "Cookie", "__Host-samkit="+sealed); w.Code != 403 {
		t.Errorf("a ticket as a session: %d", w.Code)
	}
	if w := r.browser().do("GET", "https://home.test/apps/notes/~1."+sealed+"/app.js", "Sec-Fetch-Mode", "cors"); w.Code != 403 {
		t.Errorf("a ticket as a path: %d", w.Code)
	}
	// A session is for one app.
	ann.visit("https://home.test/apps/notes/")
	session := ann.hosts[o.Host]["__Host-samkit"]
	if w := r.browser().do("GET", "https://"+u.Host+"/app.js", "Cookie", "__Host-samkit="+session); w.Code != 403 {
		t.Errorf("a session at another app: %d", w.Code)
	}
}

// A browser that keeps no cookies is told so.
func TestNoCookies(t *testing.T) {
	r := newOwnRig(t, loggedIn)
	j := r.browser()
	target := "https://home.test/apps/notes/"
	for range 20 {
		w := j.do("GET", target, append([]string{"Cookie", "sid=ann"}, page...)...)
		j.hosts = map[string]map[string]string{}
		if w.Code == 403 {
			expect(t, w, 403, "keeps no cookies")
			return
		}
		u, _ := url.Parse(target)
		next, _ := u.Parse(w.Header().Get("Location"))
		target = next.String()
	}
	t.Error("redirects without end")
}

func TestSpentTickets(t *testing.T) {
	s, _ := newSealer(nil)
	now := time.Now()
	seal := func(at time.Time) string {
		return s.sealFor(useTicket, grant{Role: 1, Principal: "ann", Browser: "b", Label: "l", Issued: at.UnixNano()})
	}
	old, fresh := seal(now.Add(-2*ticketLife)), seal(now)
	if _, err := s.openTicket(old, "b", now); err == nil {
		t.Error("an old ticket held")
	}
	if _, err := s.openTicket(fresh, "c", now); err == nil {
		t.Error("a ticket held in another browser")
	}
	if _, err := s.openTicket(fresh, "b", now); err != nil {
		t.Error(err)
	}
	s.revoke("ann", now)
	if _, err := s.openTicket(seal(now.Add(-time.Second)), "b", now); err == nil {
		t.Error("a revoked ticket held")
	}
	for i := range maxUsed + 10 {
		s.spend([16]byte{1, byte(i), byte(i >> 8), byte(i >> 16)}, grant{Issued: now.Add(time.Second).UnixNano()}, now.UnixNano())
	}
	if len(s.spent) > maxUsed {
		t.Errorf("%d tickets are remembered", len(s.spent))
	}
}

// Nothing but an app's exact host serves it.
func TestOwnHosts(t *testing.T) {
	r := newOwnRig(t, Options{})
	w, _ := r.browser().visit("https://home.test/apps/shared/")
	expect(t, w, 200, "of team")
	own := r.own.origin(r.own.label(mustOpen(t, r, "shared")))
	host := strings.TrimPrefix(own, "https://")
	get := func(host, path string, header ...string) *httptest.ResponseRecorder {
		return do(r.root, "GET", path, "", append(header, "Host", host)...)
	}
	for _, h := range []string{host, strings.ToUpper(host), host + ":443", host + ":8080"} {
		expect(t, get(h, "/"), 200, "of team")
	}
	if w := get(host+".", "/a?b", page...); w.Code != 308 || w.Header().Get("Location") != own+"/a?b" {
		t.Errorf("with a dot at its end: %d %q", w.Code, w.Header().Get("Location"))
	}
	if w := get(host+".", "/api/x"); w.Code != 421 {
		t.Errorf("a call with a dot: %d", w.Code)
	}
	for _, h := range []string{
		"shared.apps.test", "shared--aaaaaaaaaaaaaaaaaaaa.apps.test", "x." + host, "xn--" + host, "apps.test.", "-.apps.test", "--aaaaaaaaaaaaaaaaaaaa.apps.test",
		strings.Replace(host, "shared", "SHARÉD", 1), strings.Replace(host, "--", "-", 1), "other--" + host[len(host)-30:], strings.Repeat("a", 300) + ".apps.test", "[::1]", "",
		"long-" + strings.Repeat("a", 36) + "--" + strings.Repeat("a", 20) + ".apps.test",
	} {
		if w := get(h, "/"); w.Code == 200 && !strings.Contains(h, "apps.test.") {
			t.Errorf("%q is served: %s", h, w.Body)
		}
	}
	// The program's own routes are not on apps' hosts, nor apps at foreign names.
	if w := get(host, "/secret"); strings.Contains(w.Body.String(), "program's") {
		t.Error("the program's routes are part of an app's origin")
	}
	for _, h := range []string{"evil.test", "127.0.0.1", "home.test.evil.test"} {
		if w := get(h, "/apps/shared/"); w.Code != 421 {
			t.Errorf("%s: %d", h, w.Code)
		}
	}
	// Without Hosts, the prefix is in the way.
	if w := do(r.root, "GET", "/apps/shared/", "", "Host", host); w.Code == 200 {
		t.Errorf("an app serves the program's prefix: %d", w.Code)
	}
	mux := http.NewServeMux()
	Mount(mux, "/apps/", r.Handler)
	if w := do(mux, "GET", "/apps/index.html", "", "Host", host); w.Code != 421 || !strings.Contains(w.Body.String(), "Handler.Hosts") {
		t.Errorf("mounted below a prefix: %d %s", w.Code, w.Body)
	}
}

func mustOpen(t *testing.T, r *ownRig, id sam.ProjectID) *sam.Project {
	t.Helper()
	return mustOpenAs(t, r, "", id)
}

func mustOpenAs(t *testing.T, r *ownRig, who string, id sam.ProjectID) *sam.Project {
	t.Helper()
	app, err := r.find(t.Context(), Visitor{Principal: who}, id)
	if err != nil {
		t.Fatal(err)
	}
	return app.Project
}

func TestLabels(t *testing.T) {
	store := sam.NewMemStore()
	defer store.Close()
	o, err := newOwnHosts(&Options{Home: "https://home.test/", Domain: "apps.test"})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, owner := range []string{"", "ann", "Ann", "ann/x", "ann%2Fx"} {
		ws := sam.NewWorkspace(store, owner, nil)
		for _, id := range []sam.ProjectID{
			"a", "xn", "xn--80ak", "a--b", "notes", sam.ProjectID(strings.Repeat("a", 40)), sam.ProjectID(strings.Repeat("a", 41)), sam.ProjectID(strings.Repeat("a", 63)),
			sam.ProjectID("long-" + strings.Repeat("b", 36)),
		} {
			p, err := ws.Create(t.Context(), id, nil)
			if err != nil {
				t.Fatal(err)
			}
			label := o.label(p)
			if got, ok := o.project(label); !ok || got != string(id) || !validID(label) || strings.HasPrefix(label, "xn--") {
				t.Errorf("%q of %q is %s, which is %q, %v", id, owner, label, got, ok)
			}
			if other := seen[label]; other != "" {
				t.Errorf("%q of %q shares %s with %s", id, owner, label, other)
			}
			seen[label] = string(id) + " of " + owner
		}
	}
}

func TestOwnOptions(t *testing.T) {
	for _, o := range []Options{
		{}, {Home: "https://a.test/"}, {Domain: "apps.test"}, {Home: "a.test", Domain: "apps.test"}, {Home: "https://a.test", Domain: "apps.test"},
		{Home: "https://a.test/?q", Domain: "apps.test"}, {Home: "https://a.test/", Domain: "127.0.0.1"}, {Home: "https://a.test/", Domain: "ä.test"},
		{Home: "https://a.test/", Domain: "*.test"}, {Home: "https://x.apps.test/", Domain: "apps.test"}, {Home: "https://a.test/", Domain: "apps.test:x"},
		{Home: "https://a.test/", Domain: ".apps.test"}, {Home: "https://a.test/", Domain: strings.Repeat("a.", 100) + "test"},
	} {
		o.Origin = Own
		if h, err := newHandler(nil, &o, answers(200, nil, "")); err == nil {
			t.Errorf("%q, %q was accepted", o.Home, o.Domain)
			h.Close()
		}
	}
	for _, tt := range []struct {
		home, domain, origin string
		shared               bool
	}{
		{"https://example.com/apps/", "apps.example.net", "https://l.apps.example.net", false},
		{"https://example.com/apps/", "Apps.Example.COM", "https://l.apps.example.com", true},
		{"http://localhost:8080/", "localhost", "http://l.localhost:8080", false},
		{"http://localhost:8080/", "apps.localhost:9090", "http://l.apps.localhost:9090", false},
		{"https://example.com:8443/", "apps.example.net:443", "https://l.apps.example.net", false},
		{"https://example.com/", "github.io", "https://l.github.io", false},
		{"https://example.com:8443/", "example.com", "https://l.example.com:8443", true},
	} {
		o, err := newOwnHosts(&Options{Home: tt.home, Domain: tt.domain})
		if err != nil {
			t.Errorf("%+v: %v", tt, err)
			continue
		}
		if got := o.origin("l"); got != tt.origin || o.shared != tt.shared {
			t.Errorf("%+v: %s, shared %v", tt, got, o.shared)
		}
	}
}

func TestOwnHeaders(t *testing.T) {
	r := newOwnRig(t, Options{Frames: []string{"https://partner.test"}})
	own := r.own.origin(r.own.label(mustOpen(t, r, "shared")))
	host := strings.TrimPrefix(own, "https://")
	r.set = []string{
		"set-cookie", "a=1; Domain=apps.test; Path=/x; HttpOnly", "set-cookie", "__Host-samkit=evil; Path=/", "set-cookie", "samkit-login=evil",
		"set-cookie", "b=2;domain = .apps.test", "clear-site-data", "*", "access-control-allow-origin", "*", "content-security-policy", "default-src *",
	}
	for _, path := range []string{"/", "/app.js", "/nope", "/api/x", "/~nope", "/a%2fb", "/~enter"} {
		h := do(r.root, "GET", path, "", "Host", host).Header()
		want := "sandbox allow-scripts allow-forms allow-modals allow-downloads allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-pointer-lock allow-orientation-lock; " +
			"default-src " + own + "/ 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' data: blob:; connect-src " + own + "/ wss://" + host + "/ data: blob:; " +
			"form-action " + own + "/; base-uri " + own + "/; frame-ancestors 'self' https://home.test https://partner.test; object-src 'none'"
		if got := h.Get("Content-Security-Policy"); got != want {
			t.Errorf("%s: got  %s\nwant %s", path, got, want)
		}
		for name, want := range map[string]string{"Access-Control-Allow-Origin": "", "Cross-Origin-Resource-Policy": "same-origin", "Referrer-Policy": "same-origin", "Clear-Site-Data": "", "Cross-Origin-Opener-Policy": "same-origin-allow-popups"} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
		if path == "/api/x" {
			if got := strings.Join(h["Set-Cookie"], "|"); got != "a=1; Path=/x; HttpOnly|b=2" {
				t.Errorf("functions.js set %q", got)
			}
		} else if h.Get("Set-Cookie") != "" {
			t.Errorf("%s sets %q", path, h["Set-Cookie"])
		}
	}
	do(r.root, "GET", "/api/x", "", "Host", host, "Cookie", "a=1; __Host-samkit=s; samkit-login=x; __Host-b=2; __host-SAMKIT=y")
	if got := cookieSeen(r.seen); got != "a=1; __Host-b=2" {
		t.Errorf("functions.js sees the cookies %q", got)
	}
}

func cookieSeen(req *workers.Request) string {
	for i := 0; i+1 < len(req.Header); i += 2 {
		if req.Header[i] == "cookie" {
			return req.Header[i+1]
		}
	}
	return ""
}

// Below the program's own domain, its cookies come along, and stay out.
func TestOwnSharedDomain(t *testing.T) {
	r := newOwnRig(t, Options{Home: "https://home.example.com/apps/", Domain: "apps.example.com"})
	host := strings.TrimPrefix(r.own.origin(r.own.label(mustOpen(t, r, "shared"))), "https://")
	do(r.root, "GET", "/api/x", "", "Host", host, "Cookie", "sid=secret; __Host-own=1; __Secure-sid=2")
	if got := cookieSeen(r.seen); got != "__Host-own=1" {
		t.Errorf("functions.js sees the cookies %q", got)
	}
	if !strings.Contains(r.log.String(), "one registered domain") {
		t.Error("no warning was logged")
	}
}

// An app's host is for its own pages.
func TestOwnStrangers(t *testing.T) {
	r := newOwnRig(t, Options{})
	own := r.own.origin(r.own.label(mustOpen(t, r, "shared")))
	host := strings.TrimPrefix(own, "https://")
	for _, tt := range []struct {
		method, site, mode, dest, origin string
		status                           int
	}{
		{"GET", "same-origin", "cors", "script", "", 200}, {"GET", "same-origin", "same-origin", "serviceworker", "", 200}, {"GET", "none", "navigate", "document", "", 200},
		{"GET", "cross-site", "navigate", "document", "", 200}, {"GET", "same-site", "navigate", "iframe", "", 200}, {"GET", "", "", "", "", 200},
		{"GET", "cross-site", "no-cors", "script", "", 403}, {"GET", "same-site", "no-cors", "script", "", 403}, {"GET", "cross-site", "no-cors", "image", "", 403},
		{"GET", "cross-site", "navigate", "object", "", 403}, {"GET", "cross-site", "cors", "empty", "https://home.test", 403}, {"GET", "", "", "", "https://evil.test", 403},
		{"POST", "cross-site", "navigate", "document", "null", 403}, {"POST", "", "", "", "null", 403}, {"POST", "", "", "", "https://evil.test", 403},
		{"POST", "same-origin", "navigate", "document", own, 200}, {"POST", "same-origin", "navigate", "document", "null", 200}, {"POST", "", "", "", own, 200}, {"POST", "", "", "", "", 200},
		{"OPTIONS", "cross-site", "cors", "empty", "https://evil.test", 403},
	} {
		header := []string{"Host", host}
		for name, v := range map[string]string{"Sec-Fetch-Site": tt.site, "Sec-Fetch-Mode": tt.mode, "Sec-Fetch-Dest": tt.dest, "Origin": tt.origin} {
			if v != "" {
				header = append(header, name, v)
			}
		}
		if w := do(r.root, tt.method, "/api/x", "", header...); w.Code != tt.status {
			t.Errorf("%+v: %d", tt, w.Code)
		}
	}
}

// What leads to an app's host leads nowhere else.
func TestEntryIsChecked(t *testing.T) {
	r := newOwnRig(t, loggedIn)
	ann := r.browser()
	ann.login("ann")
	_, at := ann.visit("https://home.test/apps/notes/")
	own := strings.TrimSuffix(at[len(at)-1], "/")
	for _, to := range []string{"//evil.test/", "/\\evil.test", "https://evil.test/", "", "x", "/a%2f..", "/../x", "/~enter?to=/", "/x#y", "/x\r\nSet-Cookie: a=b", "/" + strings.Repeat("a", maxPath)} {
		for _, target := range []string{own + "/~enter?", "https://home.test/apps/notes/~grant?browser=" + browserHash("x") + "&"} {
			if w := ann.do("GET", target+url.Values{"to": {to}}.Encode(), page...); w.Code != 400 && w.Code != 414 {
				t.Errorf("%s to %q: %d %q", target, to, w.Code, w.Header().Get("Location"))
			}
		}
	}
	// Tickets and sessions begin with navigations alone.
	for _, target := range []string{own + "/~enter?to=/", "https://home.test/apps/notes/~grant?to=/&browser=" + browserHash("x")} {
		if w := ann.do("GET", target, "Sec-Fetch-Mode", "cors", "Sec-Fetch-Site", "same-origin"); w.Code != 400 {
			t.Errorf("fetch of %s: %d", target, w.Code)
		}
	}
}

// A sealed path, such as Path returns, leads to an app's host as well.
func TestOwnPath(t *testing.T) {
	r := newOwnRig(t, loggedIn)
	path := r.Path(Visitor{Principal: "ann"}, "notes")
	w, _ := r.browser().visit("https://home.test/apps/" + path)
	if w.Code == 200 { // a log-in stands before the way back, unless the token goes along
		expect(t, w, 200, "of ann")
	} else {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	bob := r.browser()
	bob.login("bob")
	if w, _ := bob.visit("https://home.test/apps/" + path); !strings.Contains(w.Body.String(), "of bob") {
		t.Errorf("bob on ann's path: %d %s", w.Code, w.Body)
	}
}
