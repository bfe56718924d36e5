package e2e

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"samkit.dev/canvas"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
)

// A site is a program at localhost with a log-in, whose apps have origins of their own.
type site struct {
	home string // of the program, such as "http://localhost:1234"
	h    *canvas.Handler
}

const ownPage = `<!doctype html><title>Own</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"><p id="out"></p>
<script type="module">
	import { name } from "/lib/name.js";
	const tried = async (f) => { try { return String(await f()) } catch (e) { return e.name } };
	const visits = Number(localStorage.visits ?? 0) + 1;
	localStorage.visits = visits;
	const worker = await tried(async () => {
		await navigator.serviceWorker.register("/sw.js");
		await navigator.serviceWorker.ready;
		return "ready";
	});
	const cookies = await (await fetch("/api/cookies")).json();
	window.result = {
		name, visits, worker, cookies, js: document.cookie, origin: self.origin,
		color: getComputedStyle(document.getElementById("out")).color,
		parent: await tried(() => parent === window ? "top" : parent.document.title),
		top: await tried(() => { if (parent === window) return "top"; top.location = "/stolen"; return "moved" }),
		program: await tried(async () => (await fetch("` + "HOME" + `/secret", { credentials: "include" })).status),
	};
</script>`

func newSite(t *testing.T) *site {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &site{home: fmt.Sprintf("http://localhost:%d", ln.Addr().(*net.TCPAddr).Port)}
	eng, err := engine.New(&engine.Options{Isolation: engine.InProcess})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { eng.Close() })
	store := sam.NewMemStore()
	t.Cleanup(func() { store.Close() })
	files := sam.Files{
		"index.html": strings.ReplaceAll(ownPage, "HOME", s.home), "style.css": "#out { color: rgb(1, 2, 3) }",
		"lib/name.js": `export const name = "own"`, "sw.js": `addEventListener("fetch", () => {})`,
		"functions.js": `export default { fetch(request) {
			const headers = new Headers();
			headers.append("Set-Cookie", "server=1; Path=/; HttpOnly; Domain=localhost");
			return Response.json(request.headers.get("cookie"), { headers });
		} }`,
	}
	spaces := map[string]*sam.Workspace{}
	for _, owner := range []string{"ann", "bob"} {
		spaces[owner] = sam.NewWorkspace(store, owner, nil)
		if _, err := spaces[owner].Create(t.Context(), "notes", files); err != nil {
			t.Fatal(err)
		}
	}
	s.h, err = canvas.NewSite(func(ctx context.Context, v canvas.Visitor, id sam.ProjectID) (*canvas.App, error) {
		ws := spaces[v.Principal]
		if ws == nil {
			return nil, fs.ErrNotExist
		}
		p, err := ws.Open(ctx, id)
		return &canvas.App{Project: p}, err
	}, &canvas.Options{
		Engine: eng, Origin: canvas.Own, Domain: "localhost", Home: s.home + "/apps/",
		Auth: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if who(r) == "" {
					http.Redirect(w, r, "/login", http.StatusSeeOther)
					return
				}
				next.ServeHTTP(w, r)
			})
		},
		Principal: who,
	})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	canvas.Mount(mux, "/apps/", s.h)
	mux.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: r.FormValue("as"), Path: "/", HttpOnly: true})
		io.WriteString(w, "<!doctype html><title>Program</title><link rel=icon href=data:,>logged in")
	})
	mux.HandleFunc("/secret", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "secret of "+who(r)) })
	mux.HandleFunc("/framing", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; img-src data:; frame-src "+s.h.FrameSrc())
		io.WriteString(w, `<!doctype html><title>Program</title><link rel=icon href=data:,><iframe src="/apps/notes/"></iframe>`)
	})
	srv := &http.Server{Handler: s.h.Hosts(mux)}
	go srv.Serve(ln)
	t.Cleanup(func() { s.h.Close(); srv.Close() })
	return s
}

func who(r *http.Request) string {
	c, err := r.Cookie("sid")
	if err != nil {
		return ""
	}
	return c.Value
}

type ownResult struct {
	Name, Worker, Cookies, JS, Origin, Color, Parent, Top, Program string
	Visits                                                         int
}

// An app with an origin of its own has storage, cookies and a service worker
// there, at the top and in a frame, and nothing of the program's.
func TestOwnOrigin(t *testing.T) {
	s := newSite(t)
	b := newTab(t, strings.TrimPrefix(s.home, "http://"))
	b.open(s.home + "/login?as=ann")
	b.open(s.home + "/apps/notes/")
	b.until("window.result")
	r := eval[ownResult](b, "window.result")
	u, err := url.Parse(r.Origin)
	if err != nil || !strings.HasPrefix(u.Host, "notes--") || !strings.HasSuffix(u.Hostname(), ".localhost") {
		t.Errorf("the app's origin is %s", r.Origin)
	}
	if r.Name != "own" || r.Worker != "ready" || r.Color != "rgb(1, 2, 3)" || r.JS != "" || r.Program != "TypeError" || r.Visits != 1 || r.Cookies != "" {
		t.Errorf("the page finds %+v", r)
	}
	b.open(r.Origin + "/?again")
	b.until("window.result")
	if r := eval[ownResult](b, "window.result"); r.Visits != 2 || r.Cookies != "server=1" {
		t.Errorf("the second visit finds %+v", r)
	}
	// Another person, at the same browser.
	b.open(s.home + "/login?as=bob")
	b.open(s.home + "/apps/notes/")
	b.until("window.result")
	if other := eval[ownResult](b, "window.result"); other.Origin == r.Origin || other.Visits != 1 || other.Cookies != "" {
		t.Errorf("bob's notes find %+v", other)
	}
	b.open(s.home + "/login?as=ann")
	b.open(s.home + "/framing")
	f := b.frameOf(".localhost")
	f.until("window.result")
	fr := eval[ownResult](f, "window.result")
	if fr.Origin != r.Origin || fr.Worker != "ready" || fr.Parent != "SecurityError" || fr.Top != "SecurityError" {
		t.Errorf("in a frame: %+v", fr)
	}
	if title := eval[string](b, "document.title"); title != "Program" {
		t.Errorf("the program's page became %q", title)
	}
}
