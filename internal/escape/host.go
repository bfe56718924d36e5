package escape

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/coder/websocket"
)

// The program that the apps live in, and the attacker's server.
const (
	hostURL = "https://host.test"
	evilURL = "https://evil.test"
)

const sessionCookie = "__Host-session"

// session returns the run that a request's cookie belongs to, or nil.
func (w *world) session(r *http.Request) *run {
	c, err := r.Cookie(sessionCookie)
	if err != nil {
		return nil
	}
	return w.bySecret(c.Value)
}

// host is a program as they are: sessions in a cookie, an API that reads and one that acts, which
// http.CrossOriginProtection guards, pages that may be framed by its own only.
func (w *world) host() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /start", w.start)
	mux.HandleFunc("GET /page", w.signedIn(func(rw http.ResponseWriter, r *http.Request, rn *run) {
		frames := ""
		for _, app := range r.Form["app"] {
			frames += `<iframe class="app" referrerpolicy="no-referrer" src="` + html.EscapeString(app) + `" style="border:0;width:100vw;height:80vh"></iframe>`
		}
		page(rw, r.FormValue("policy"), fmt.Sprintf(`<title>The program</title><body style="margin:0"><p id="secret" hidden>%s</p>
			<script>var secret = %q</script><script src="/page.js"></script>%s<iframe name="sibling" src="%s"></iframe><iframe src="%s"></iframe>`,
			rn.secret, rn.secret, frames, html.EscapeString(r.FormValue("sibling")), html.EscapeString(r.FormValue("neighbour"))))
	}))
	mux.HandleFunc("GET /admin", w.signedIn(func(rw http.ResponseWriter, r *http.Request, rn *run) {
		page(rw, "", fmt.Sprintf(`<title>Administration</title><p id="secret">%s</p><script>var secret = %q</script>`, rn.secret, rn.secret))
	}))
	mux.HandleFunc("GET /gadget", w.signedIn(func(rw http.ResponseWriter, r *http.Request, rn *run) {
		markup, names := "", ""
		for _, p := range rn.probes {
			q := "run=" + rn.id + "&probe=" + strings.ReplaceAll(p.name, " ", "%20")
			markup += strings.NewReplacer("BASE", rn.mode.sealed(w, rn), "RUN", q, "ENCODED", url.QueryEscape(q)).Replace(p.script)
			names += `<meta name="probe" content="` + html.EscapeString(q) + `">`
		}
		page(rw, "script-src 'self'; worker-src 'self'", fmt.Sprintf(`<title>The program</title>%s<script src="/gadget.js"></script><p id="secret">%s</p>%s`, names, rn.secret, markup))
	}))
	mux.HandleFunc("GET /check", func(rw http.ResponseWriter, r *http.Request) {
		if rn := w.byID(r.FormValue("run")); rn != nil {
			w.checkCookies(rn, r)
		}
		page(rw, "", `<title>Check</title><script src="/check.js"></script>`)
	})
	for name, text := range map[string]string{"/start.js": startScript, "/page.js": pageScript, "/gadget.js": gadgetScript, "/check.js": checkScript,
		"/shared.js": sharedScript, "/sw.js": "addEventListener('fetch', () => {})"} {
		mux.HandleFunc("GET "+name, func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Content-Type", "text/javascript")
			rn := w.session(r)
			if rn == nil {
				rn = &run{}
			}
			fmt.Fprint(rw, strings.ReplaceAll(text, "SECRET", rn.secret))
		})
	}
	mux.HandleFunc("GET /api/me", w.read("application/json", `{"secret":"%s"}`))
	mux.HandleFunc("GET /api/me.js", w.read("text/javascript", `globalThis.stolen = "%s"`))
	mux.HandleFunc("GET /api/stream", w.read("text/event-stream", "data: %s\n\n"))
	mux.HandleFunc("GET /api/socket", func(rw http.ResponseWriter, r *http.Request) {
		rn := w.session(r)
		if rn == nil {
			http.Error(rw, "log in", http.StatusUnauthorized)
			return
		}
		rn.add(r.FormValue("probe"), escapes, "a WebSocket with the visitor's cookie")
		ws, err := websocket.Accept(rw, r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // the cookie is all that guards it
		if err != nil {
			return
		}
		defer ws.CloseNow()
		ws.Write(r.Context(), websocket.MessageText, []byte(rn.secret))
		ws.Close(websocket.StatusNormalClosure, "")
	})
	mux.HandleFunc("POST /api/transfer", func(rw http.ResponseWriter, r *http.Request) {
		rn := w.session(r)
		if rn == nil {
			http.Error(rw, "log in", http.StatusUnauthorized)
			return
		}
		rn.add(r.FormValue("probe"), escapes, "an act in the visitor's name")
		fmt.Fprint(rw, "done")
	})
	return http.NewCrossOriginProtection().Handler(mux)
}

func page(w http.ResponseWriter, policy, body string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", strings.TrimPrefix(policy+"; frame-ancestors 'self'", "; "))
	fmt.Fprint(w, "<!doctype html>", body)
}

// signedIn is for pages, whose visits are noted where a probe asked for them.
func (w *world) signedIn(next func(http.ResponseWriter, *http.Request, *run)) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		rn := w.session(r)
		if rn == nil {
			http.Error(rw, "log in", http.StatusUnauthorized)
			return
		}
		if p := r.FormValue("probe"); p != "" && r.URL.Path == "/admin" {
			rn.add(p, visits, "%s", r.Header.Get("Sec-Fetch-Dest"))
		}
		next(rw, r, rn)
	}
}

// read is an API that gives the secret to whoever has the cookie.
func (w *world) read(contentType, format string) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		rn := w.session(r)
		if rn == nil {
			http.Error(rw, "log in", http.StatusUnauthorized)
			return
		}
		if r.Header.Get("Sec-Fetch-Mode") == "navigate" {
			rn.add(r.FormValue("probe"), visits, "%s", r.Header.Get("Sec-Fetch-Dest"))
		} else {
			rn.add(r.FormValue("probe"), escapes, "a request (%s) with the visitor's cookie", r.Header.Get("Sec-Fetch-Dest"))
		}
		rw.Header().Set("Content-Type", contentType)
		rw.Header().Set("Cache-Control", "no-store")
		fmt.Fprintf(rw, format, rn.secret)
	}
}

// start logs a run in, fills the program's storage and goes on.
func (w *world) start(rw http.ResponseWriter, r *http.Request) {
	rn := w.byID(r.FormValue("run"))
	if rn == nil {
		http.NotFound(rw, r)
		return
	}
	for _, c := range []*http.Cookie{
		{Name: sessionCookie, Value: rn.secret, HttpOnly: true},
		{Name: "pref", Value: rn.secret},
	} {
		c.Path, c.Secure, c.SameSite = "/", true, http.SameSiteLaxMode
		http.SetCookie(rw, c)
	}
	page(rw, "", `<title>Log-in</title><script src="/start.js?`+html.EscapeString("run="+rn.id)+`"></script>`)
}

// The first request of a page has no cookie yet, so this script gets the secret from its own.
const startScript = `(async () => {
	const secret = document.cookie.split("pref=")[1], q = new URLSearchParams(location.search);
	localStorage.secret = sessionStorage.secret = secret;
	name = secret;
	await new Promise((done, fail) => {
		const open = indexedDB.open("host");
		open.onupgradeneeded = () => open.result.createObjectStore("s").put(secret, "secret");
		open.onsuccess = () => { open.result.close(); done(); };
		open.onerror = () => fail(open.error);
	});
	await (await caches.open("host")).put("/kept", new Response(secret));
	try {
		const f = await (await (await navigator.storage.getDirectory()).getFileHandle("secret", { create: true })).createWritable();
		await f.write(secret); await f.close();
	} catch { }
	location.replace(q.get("then"));
})();`

const pageScript = `addEventListener("DOMContentLoaded", () => {
	const f = document.querySelector("iframe[name]"); // Firefox 153 forgets the name of a frame that comes with it
	f.removeAttribute("name"); f.setAttribute("name", "sibling");
});
const channel = new BroadcastChannel("host"), worker = new SharedWorker("/shared.js");
navigator.locks.request(secret, () => new Promise(() => { }));
setInterval(() => {
	channel.postMessage(secret);
	for (const f of document.querySelectorAll(".app")) f.contentWindow.postMessage({ secret }, location.origin);
}, 100);`

const sharedScript = `onconnect = (e) => e.ports[0].postMessage("SECRET");`

const gadgetScript = `(() => {
	const probes = [...document.querySelectorAll("meta")].map((m) => m.content);
	const report = (kind) => Promise.all(probes.map((q) => fetch("/report?" + q + "&kind=" + kind, { method: "POST" })));
	addEventListener("load", async () => {
		await report("begin");
		for (const e of document.querySelectorAll("button")) {
			const { worker, service, fetch: data } = e.dataset;
			try {
				if (worker) new Worker(worker);
				if (service) await navigator.serviceWorker.register(service);
				if (data && (await (await fetch(data)).json()).do === "transfer") await fetch("/api/transfer?" + data.split("?")[1], { method: "POST" });
			} catch { }
		}
		report("end");
	});
})();`

// What the program finds afterwards.
const checkScript = `(async () => {
	const found = { cookies: document.cookie, local: { ...localStorage }, workers: (await navigator.serviceWorker.getRegistrations()).map((r) => (r.active || r.waiting || r.installing)?.scriptURL) };
	found.database = await new Promise((done) => {
		const open = indexedDB.open("host");
		open.onerror = () => done("none");
		open.onsuccess = () => {
			try {
				const get = open.result.transaction("s").objectStore("s").get("secret");
				get.onsuccess = () => done(get.result); get.onerror = () => done("none");
			} catch { done("none"); }
		};
	});
	found.kept = await (await (await caches.open("host")).match("/kept"))?.text();
	await fetch("/report" + location.search + "&kind=check", { method: "POST", body: JSON.stringify(found) });
})();`

// check compares what the program finds in the browser with what it left there.
func (r *run) check(text string) {
	var found struct {
		Cookies, Database, Kept string
		Local                   map[string]string
		Workers                 []string
	}
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		return
	}
	blame := func(format string, args ...any) {
		change := fmt.Sprintf(format, args...)
		name := "" // the longest that is in the text, as it may begin with another
		for _, p := range r.probes {
			for _, as := range []string{p.name, url.PathEscape(p.name), url.QueryEscape(p.name)} {
				if strings.Contains(change, as) && len(p.name) > len(name) {
					name = p.name
				}
			}
		}
		r.add(name, escapes, "%s", change)
	}
	if found.Cookies != "pref="+r.secret {
		r.add("", escapes, "cookies changed: %.100s", found.Cookies)
	}
	if found.Local["secret"] != r.secret || len(found.Local) != 1 {
		keys := slices.Sorted(maps.Keys(found.Local))
		blame("localStorage changed: %q by %s", keys, found.Local["written"])
	}
	if found.Database != r.secret {
		blame("the database changed: %s", found.Database)
	}
	if found.Kept != r.secret {
		blame("the cache changed: %s", found.Kept)
	}
	for _, s := range found.Workers {
		blame("a service worker: %s", s)
	}
}

// checkCookies compares the cookies that the program gets with those that it set.
func (w *world) checkCookies(rn *run, r *http.Request) {
	var names []string
	for _, c := range r.Cookies() {
		names = append(names, c.Name)
		if c.Value != rn.secret && len(names) < 9 {
			rn.add("", escapes, "the cookie %s came as %.40s", c.Name, c.Value)
		}
	}
	slices.Sort(names)
	if got := strings.Join(names, " "); got != sessionCookie+" pref" {
		rn.add("", escapes, "cookies that came: %.100s", got)
	}
}

// evil is the attacker's server: it answers to everybody and notes everything.
func (w *world) evil(rw http.ResponseWriter, r *http.Request) {
	h := rw.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Headers", "*")
	h.Set("Cache-Control", "no-store")
	rn, name := w.byID(r.FormValue("run")), r.FormValue("probe")
	switch {
	case r.URL.Path == "/page":
		rn = nil
		page(rw, "", `<title>A stranger</title><body><script src="/lib.js"></script><script src="/probes.js"></script><script src="/attack.js"></script>`)
		return
	case w.app[strings.TrimPrefix(r.URL.Path, "/")] != "":
		h.Set("Content-Type", "text/javascript")
		fmt.Fprint(rw, w.app[strings.TrimPrefix(r.URL.Path, "/")])
		return
	}
	if rn != nil {
		switch {
		case r.URL.Path == "/escape":
			rn.add(name, escapes, "another window went to the attacker's server (%s)", r.Header.Get("Sec-Fetch-Dest"))
		case r.FormValue("way") == "referrer":
			if strings.Contains(r.Referer(), "/~") {
				rn.add(name, escapes, "a sealed path in Referer")
			}
		default:
			rn.add(name, sends, "%s %s", r.Method, r.Header.Get("Sec-Fetch-Dest"))
		}
	}
	h.Set("Content-Type", "text/html")
	fmt.Fprint(rw, "<!doctype html>evil")
}

// connected notes connections to hosts whose name tells something.
func (w *world) connected(host string) {
	name, ok := strings.CutSuffix(host, ".evil.test")
	if !ok {
		return
	}
	probe, id, _ := strings.Cut(name, ".")
	if rn := w.byID(id); rn != nil {
		for _, p := range rn.probes { // names of hosts are lower-case
			if strings.EqualFold(strings.ReplaceAll(p.name, " ", "-"), probe) {
				rn.add(p.name, sends, "a connection")
			}
		}
	}
}
