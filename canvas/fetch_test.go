package canvas

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"samkit.dev/host/engine"
	"samkit.dev/sam"
)

// fetchRig is an app whose functions.js evaluates what a test sends, and a server that it may fetch.
type fetchRig struct {
	*rig
	server  *httptest.Server
	address string
	mu      sync.Mutex
	records []FetchRecord
}

func (r *fetchRig) record(rec FetchRecord) {
	r.mu.Lock()
	r.records = append(r.records, rec)
	r.mu.Unlock()
}

// wait returns the records when there are n.
func (r *fetchRig) wait(t *testing.T, n int) []FetchRecord {
	t.Helper()
	for range 500 {
		r.mu.Lock()
		list := slices.Clone(r.records)
		r.mu.Unlock()
		if len(list) >= n {
			return list
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%d records, want %d", len(r.records), n)
	return nil
}

// newFetchRig builds an app of cases: the path below /api/ names the one that answers.
func newFetchRig(t *testing.T, h http.HandlerFunc, isolation engine.Isolation, cases map[string]string, change ...func(*App)) *fetchRig {
	t.Helper()
	r := &fetchRig{}
	r.server = httptest.NewServer(h)
	t.Cleanup(r.server.Close)
	r.address = r.server.Listener.Addr().String()
	var code strings.Builder
	code.WriteString("const cases = {\n")
	for name, body := range cases {
		fmt.Fprintf(&code, "%q: async (request, env, ctx, server) => { %s },\n", name, body)
	}
	code.WriteString(`}
let kept
export default { async fetch(request, env, ctx) {
	const name = new URL(request.url).pathname.slice(5)
	try {
		const v = await cases[name](request, env, ctx, "http://` + r.address + `")
		return v instanceof Response ? v : Response.json(v === undefined ? null : v)
	} catch (e) { return new Response(e.name + ": " + e.message + " [" + e.code + "]", { status: 500 }) }
} }`)
	eng, err := engine.New(&engine.Options{Isolation: isolation})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { eng.Close() })
	change = append([]func(*App){func(a *App) { a.Fetch = []string{r.address} }}, change...)
	r.rig = serveApp(t, sam.Files{"index.html": "<p>", "functions.js": code.String()}, &Options{Engine: eng, OnFetch: r.record}, change...)
	return r
}

func (r *fetchRig) run(t *testing.T, name, want string) {
	t.Helper()
	w := r.get("/p/api/" + name)
	if got := w.Body.String(); got != want && !(strings.HasSuffix(want, "…") && strings.HasPrefix(got, strings.TrimSuffix(want, "…"))) {
		t.Errorf("%s: %d %s\nwant %s", name, w.Code, got, want)
	}
}

var fetchLevels = []engine.Isolation{engine.InProcess, engine.Process}

// echo tells what it was asked, and does what the path says.
func echo(w http.ResponseWriter, r *http.Request) {
	rc := http.NewResponseController(w)
	switch r.URL.Path {
	case "/redirect":
		status, _ := strconv.Atoi(r.URL.Query().Get("status"))
		w.Header().Set("Location", r.URL.Query().Get("to"))
		w.WriteHeader(status)
		io.WriteString(w, "moved")
	case "/cookies":
		w.Header()["Set-Cookie"] = []string{"a=1; Path=/", "b=2"}
	case "/gzip":
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, strings.Repeat("samkit ", 1000))
		z.Close()
	case "/bomb":
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for range 64 {
			z.Write(make([]byte, 1<<20))
		}
		z.Close()
	case "/204":
		w.WriteHeader(204)
	case "/big":
		n, _ := strconv.Atoi(r.URL.Query().Get("n"))
		for left := n; left > 0; left -= 100_000 {
			w.Write(bytes.Repeat([]byte{'x'}, min(left, 100_000)))
		}
	case "/drip":
		for i := range 5 {
			fmt.Fprintf(w, "%d\n", i)
			rc.Flush()
			time.Sleep(20 * time.Millisecond)
		}
	case "/hang":
		<-r.Context().Done()
	case "/stall":
		io.WriteString(w, "begun")
		rc.Flush()
		<-r.Context().Done()
	case "/cut":
		w.Header().Set("Content-Length", "10")
		io.WriteString(w, "abc")
	case "/early":
		io.WriteString(w, "early")
	default:
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		text := string(body)
		if len(text) > 300 {
			text = fmt.Sprintf("%d bytes", len(text))
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{
			"method": r.Method, "path": r.URL.RequestURI(), "body": text, "length": r.ContentLength, "type": r.Header.Get("Content-Type"),
			"auth": r.Header.Get("Authorization"), "x": r.Header.Get("X-A"), "agent": r.UserAgent(), "host": r.Host == r.Context().Value(http.LocalAddrContextKey).(interface{ String() string }).String(),
		})
	}
}

func TestFetch(t *testing.T) {
	cases := map[string][2]string{
		"get":        {`const r = await fetch(server + "/a?b=c#d"); const j = await r.json(); return [r.status, r.ok, r.url === server + "/a?b=c", r.redirected, r.type, j.method, j.path, j.agent, j.host]`, `[200,true,true,false,"default","GET","/a?b=c","samkit",true]`},
		"request":    {`const r = await fetch(new Request(server + "/r", { method: "POST", headers: { "x-a": "1" }, body: "hi" })); const j = await r.json(); return [j.method, j.x, j.body, j.length, j.type]`, `["POST","1","hi",2,"text/plain;charset=UTF-8"]`},
		"init":       {`const j = await (await fetch(new URL(server), { method: "put", headers: { host: "evil.test", connection: "close", "content-length": "99", "transfer-encoding": "chunked", authorization: "Bearer x" }, body: new Uint8Array([104, 105]), cf: { cacheTtl: 5 } })).json(); return [j.method, j.auth, j.body, j.host]`, `["PUT","Bearer x","hi",true]`},
		"params":     {`const j = await (await fetch(server, { method: "POST", body: new URLSearchParams({ a: "b c" }) })).json(); return [j.body, j.type]`, `["a=b+c","application/x-www-form-urlencoded;charset=UTF-8"]`},
		"form":       {`const f = new FormData(); f.append("a", "1"); const j = await (await fetch(server, { method: "POST", body: f })).json(); return [j.type.startsWith("multipart/form-data; boundary="), j.body.includes('name="a"')]`, `[true,true]`},
		"blob":       {`const j = await (await fetch(server, { method: "POST", body: new Blob(["abc"], { type: "x/y" }) })).json(); return [j.body, j.type, j.length]`, `["abc","x/y",3]`},
		"empty":      {`const j = await (await fetch(server, { method: "POST", body: "" })).json(); return [j.body, j.length]`, `["",0]`},
		"nobody":     {`const j = await (await fetch(server, { method: "POST" })).json(); return [j.body, j.length]`, `["",0]`},
		"stream":     {`let n = 0; const j = await (await fetch(server, { method: "POST", body: new ReadableStream({ async pull(c) { await new Promise(r => setTimeout(r, 1)); if (n++ < 5) c.enqueue(new TextEncoder().encode("p" + n)); else c.close() } }) })).json(); return [j.body, j.length]`, `["p1p2p3p4p5",-1]`},
		"syncstream": {`let n = 0; const j = await (await fetch(server, { method: "POST", body: new ReadableStream({ pull(c) { if (n++ < 3000) c.enqueue(new Uint8Array(1000)); else c.close() } }) })).json(); return j.body`, `"3000000 bytes"`},
		"length":     {`const j = await (await fetch(server, { method: "POST", headers: { "content-length": "6" }, body: new ReadableStream({ start(c) { c.enqueue(new Uint8Array(6)); c.close() } }) })).json(); return j.length`, `6`},
		"big":        {`const j = await (await fetch(server, { method: "POST", body: new Uint8Array(5_000_000) })).json(); return [j.body, j.length]`, `["5000000 bytes",5000000]`},
		"redirect":   {`const r = await fetch(server + "/redirect?status=302&to=/end"); return [r.status, r.redirected, r.url === server + "/end", (await r.json()).path]`, `[200,true,true,"/end"]`},
		"manual":     {`const r = await fetch(server + "/redirect?status=302&to=/end", { redirect: "manual" }); return [r.status, r.headers.get("location"), r.redirected, await r.text()]`, `[302,"/end",false,"moved"]`},
		"error":      {`return fetch(server + "/redirect?status=302&to=/end", { redirect: "error" })`, "TypeError: fetch failed: http://…"},
		"again":      {`const j = await (await fetch(server + "/redirect?status=307&to=/end", { method: "POST", body: "body" })).json(); return [j.method, j.body]`, `["POST","body"]`},
		"bigagain":   {`const j = await (await fetch(server + "/redirect?status=307&to=/end", { method: "POST", body: new Uint8Array(3_000_000) })).json(); return [j.method, j.body]`, `["POST","3000000 bytes"]`},
		"303":        {`const j = await (await fetch(server + "/redirect?status=303&to=/end", { method: "POST", body: new Uint8Array(3_000_000) })).json(); return [j.method, j.body, j.type]`, `["GET","",""]`},
		"onceagain":  {`return fetch(server + "/redirect?status=307&to=/end", { method: "POST", body: new Response("x").body.pipeThrough(new IdentityTransformStream()) })`, "TypeError: fetch failed: http://…"},
		"denied":     {`return fetch("https://api.example.com/x?key=1")`, `TypeError: fetch failed: https://api.example.com: it is not granted. The program that serves this app can grant it: canvas.App{Fetch: []string{"api.example.com"}}. [fetch_denied]`},
		"todenied":   {`return fetch(server + "/redirect?status=302&to=http://169.254.169.254/latest")`, `TypeError: fetch failed: http://…`},
		"relative":   {`return fetch("/x")`, "TypeError: Invalid URL: /x [undefined]"},
		"data":       {`return fetch("data:text/plain,hi")`, "TypeError: Fetch API cannot load: data:text/plain,hi [undefined]"},
		"file":       {`return fetch("file:///etc/passwd")`, "TypeError: Fetch API cannot load: file:///etc/passwd [undefined]"},
		"user":       {`return fetch("http://u:p@example.com/")`, "TypeError: fetch failed: the URL for example.com holds a user name or a password; send an Authorization header instead [undefined]"},
		"name":       {`return [fetch.name, fetch.length, Object.prototype.toString.call(fetch("x").catch(() => 0))]`, `["fetch",1,"[object Promise]"]`},
		"head":       {`const r = await fetch(server + "/big?n=5", { method: "HEAD" }); return [r.status, r.body, await r.text()]`, `[200,null,""]`},
		"204":        {`const r = await fetch(server + "/204"); return [r.status, r.body]`, `[204,null]`},
		"cookies":    {`const r = await fetch(server + "/cookies"); return [r.headers.getSetCookie(), r.headers.get("set-cookie")]`, `[["a=1; Path=/","b=2"],"a=1; Path=/, b=2"]`},
		"immutable":  {`const r = await fetch(server + "/x"); try { r.headers.set("a", "b") } catch (e) { return e.name }`, `"TypeError"`},
		"gzip":       {`const r = await fetch(server + "/gzip"); return [(await r.text()).length, r.headers.get("content-encoding")]`, `[7000,null]`},
		"pass":       {`return fetch(server + "/gzip")`, strings.Repeat("samkit ", 1000)},
		"copy":       {`const r = await fetch(server + "/big?n=500000"); return new Response(r.body, r)`, strings.Repeat("x", 500000)},
		"bytes":      {`const b = await (await fetch(server + "/big?n=1000000")).arrayBuffer(); return b.byteLength`, `1000000`},
		"drip":       {`const parts = []; for await (const p of (await fetch(server + "/drip")).body) parts.push(new TextDecoder().decode(p).trim()); return [parts.length > 2, parts.join("").replace(/\n/g, "")]`, `[true,"01234"]`},
		"tee":        {`const r = await fetch(server + "/big?n=300000"); const c = r.clone(); const [a, b] = await Promise.all([r.text(), c.text()]); return [a.length, b.length]`, `[300000,300000]`},
		"abort":      {`const c = new AbortController(); setTimeout(() => c.abort(), 30); return fetch(server + "/hang", { signal: c.signal })`, "AbortError: The operation was aborted [20]"},
		"aborted":    {`return fetch(server + "/x", { signal: AbortSignal.abort(new Error("mine")) })`, "Error: mine [undefined]"},
		"timeout":    {`return fetch(server + "/hang", { signal: AbortSignal.timeout(30) })`, "TimeoutError: The operation was aborted due to timeout [23]"},
		"abortbody":  {`const c = new AbortController(); const r = await fetch(server + "/stall", { signal: c.signal }); const rd = r.body.getReader(); await rd.read(); setTimeout(() => c.abort(new Error("enough")), 20); await rd.read(); return "no"`, "Error: enough [undefined]"},
		"cancelbody": {`const r = await fetch(server + "/stall"); const rd = r.body.getReader(); const first = new TextDecoder().decode((await rd.read()).value); await rd.cancel(); return [first, (await rd.read()).done]`, `["begun",true]`},
		"cut":        {`const r = await fetch(server + "/cut"); try { return await r.text() } catch (e) { return [e.name, e.code] }`, `["TypeError","fetch_failed"]`},
		"throwing":   {`return fetch(server, { method: "POST", body: new ReadableStream({ pull() { throw new RangeError("mine") } }) })`, "RangeError: mine [undefined]"},
		"notbytes":   {`return fetch(server, { method: "POST", body: new ReadableStream({ pull(c) { c.enqueue("text") } }) })`, "TypeError: This ReadableStream did not return bytes. [undefined]"},
		"used":       {`const q = new Request(server, { method: "POST", body: "x" }); await q.text(); return fetch(q)`, "TypeError: Body has already been used. It can only be used once. Use tee() first if you need to read it twice. [undefined]"},
		"early":      {`let canceled = false; const r = await fetch(server + "/early", { method: "POST", body: new ReadableStream({ async pull(c) { await new Promise(r => setTimeout(r, 1)); c.enqueue(new Uint8Array(60_000)) }, cancel() { canceled = true } }) }); const text = await r.text(); for (let i = 0; i < 200 && !canceled; i++) await new Promise(r => setTimeout(r, 10)); return [text, canceled]`, `["early",true]`},
		"refused":    {`const r = await fetch("http://127.0.0.1:1/")`, "TypeError: fetch failed: http://127.0.0.1:1: it is a loopback address, and not granted. The program that serves this app can grant it: canvas.App{Fetch: []string{\"127.0.0.1:1\"}}. [fetch_denied]"},
		"many":       {`const all = await Promise.all(Array.from({ length: 30 }, (_, i) => fetch(server + "/" + i).then(r => r.json()))); return all.map(j => j.path).join("")`, `"/0/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21/22/23/24/25/26/27/28/29"`},
		"incoming":   {`return (await fetch(new Request(server + "/in", request))).json().then(j => j.method)`, `"GET"`},
	}
	for _, level := range fetchLevels {
		t.Run(level.String(), func(t *testing.T) {
			codes := map[string]string{}
			for name, c := range cases {
				codes[name] = c[0]
			}
			r := newFetchRig(t, echo, level, codes)
			for name, c := range cases {
				if c[1] == "" {
					t.Fatal(name)
				}
				r.run(t, name, strings.TrimSuffix(c[1], "\n"))
			}
		})
	}
}

func TestFetchNothingGranted(t *testing.T) {
	r := newFetchRig(t, echo, engine.InProcess, map[string]string{"x": `return fetch("https://api.example.com/x")`}, func(a *App) { a.Fetch = nil })
	r.run(t, "x", `TypeError: fetch failed: this app has no access to the network, so it cannot reach https://api.example.com. The program that serves this app can grant it: canvas.App{Fetch: []string{"api.example.com"}}. [fetch_denied]`)
	if rec := r.wait(t, 1)[0]; rec.Code != "fetch_denied" || rec.Project != "app" {
		t.Errorf("%+v", rec)
	}
	if err := checkApp(&App{Fetch: []string{"https://x.test/path"}}); err == nil || !strings.Contains(err.Error(), "App.Fetch") {
		t.Error(err)
	}
}

func TestFetchLimits(t *testing.T) {
	for _, level := range fetchLevels {
		t.Run(level.String(), func(t *testing.T) {
			r := newFetchRig(t, echo, level, map[string]string{
				"fetches":  `for (let i = 0; i < 9; i++) await (await fetch(server)).text(); return fetch(server)`,
				"hops":     `await fetch(server); return fetch(server + "/redirect?status=302&to=" + encodeURIComponent("/redirect?status=302&to=" + encodeURIComponent("/redirect?status=302&to=" + encodeURIComponent("/redirect?status=302&to=" + encodeURIComponent("/redirect?status=302&to=/x")))))`,
				"bomb":     `const r = await fetch(server + "/bomb"); return (await r.arrayBuffer()).byteLength`,
				"download": `return (await fetch(server + "/big?n=3000000")).text()`,
				"whole":    `return fetch(server, { method: "POST", body: new Uint8Array(3_000_000) })`,
				"upload":   `return fetch(server, { method: "POST", body: new ReadableStream({ pull(c) { c.enqueue(new Uint8Array(50_000)) } }) })`,
				"wall":     `return fetch(server + "/hang")`,
				"thrown":   `ctx.waitUntil(0); for (;;) await fetch(server)`,
			}, func(a *App) {
				a.Limits = engine.Limits{Fetches: 9, ResponseBody: 2 << 20, RequestBody: 1 << 20, Wall: 5 * time.Second}
			})
			r.run(t, "fetches", "Error: the request fetched more often than its limit; every redirect that is followed counts [limit_fetches]")
			r.run(t, "bomb", "Error: the body of a response that was fetched is larger than its limit [limit_fetch_response]")
			r.run(t, "download", "Error: fetch failed: the response from http://"+r.address+" is larger than the limit of a response body, 2097152 bytes [limit_fetch_response]")
			r.run(t, "whole", "Error: the body of a request that was fetched is larger than its limit [limit_fetch_request]")
			r.run(t, "upload", "Error: the body of a request that was fetched is larger than its limit [limit_fetch_request]")
			if w := r.get("/p/api/wall"); w.Code != 504 || !strings.Contains(w.Body.String(), "limit_wall") {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
}

func TestFetchRecords(t *testing.T) {
	r := newFetchRig(t, echo, engine.Process, map[string]string{
		"x": `await (await fetch(server + "/bot" + env.TOKEN + "/send?q=private&q=2&key=" + env.TOKEN + "&bare", { method: "POST", body: "hello" })).text()
			await fetch("https://u:" + env.TOKEN + "@api.example.com/").catch(() => 0)
			await fetch("https://api.example.com/" + encodeURIComponent(env.TOKEN)).catch(() => 0)`,
	})
	const token = "s3cr3t/value" // it is escaped in a path
	if err := r.project.Secrets().Set(t.Context(), "TOKEN", token); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * secretsAge)
	r.run(t, "x", "null")
	list := r.wait(t, 2)
	ok, denied := list[0], list[1]
	if ok.Project != "app" || ok.Method != "POST" || ok.Status != 200 || ok.Sent != 5 || ok.Received < 50 || ok.Code != "" || ok.ID == "" || ok.Time.IsZero() || ok.Duration <= 0 ||
		ok.URL != "http://"+r.address+"/bot[secret TOKEN]/send?q=…&key=…&=…" {
		t.Errorf("%+v", ok)
	}
	if denied.Status != 0 || denied.Code == "" {
		t.Errorf("%+v", denied)
	}
	text := r.texts()
	for _, want := range []string{"fetch POST http://" + r.address + "/bot[secret TOKEN]/send?q=…&key=…&=…: 200, ", "fetch GET https://"} {
		if !strings.Contains(text, want) {
			t.Errorf("the console lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text+fmt.Sprint(list), "s3cr3t") || strings.Contains(text, "private") {
		t.Errorf("a secret is shown:\n%s\n%+v", text, list)
	}
	for e := range r.console.Since(0) {
		if strings.HasPrefix(e.Text, "fetch POST") && e.Level != slog.LevelDebug || strings.HasPrefix(e.Text, "fetch GET") && e.Level != slog.LevelInfo {
			t.Errorf("level %v: %s", e.Level, e.Text)
		}
	}
}

// What is read slowly is sent slowly, both ways.
func TestFetchBackPressure(t *testing.T) {
	var sent, taken int
	var mu sync.Mutex
	release := make(chan struct{})
	r := newFetchRig(t, func(w http.ResponseWriter, q *http.Request) {
		if q.Method == "POST" {
			<-release
			n, _ := io.Copy(io.Discard, q.Body)
			mu.Lock()
			taken = int(n)
			mu.Unlock()
			return
		}
		for range 1000 {
			if _, err := w.Write(make([]byte, 100_000)); err != nil {
				return
			}
			mu.Lock()
			sent += 100_000
			mu.Unlock()
		}
	}, engine.Process, map[string]string{
		"down": `const r = await fetch(server); const rd = r.body.getReader(); await rd.read(); await new Promise(r => setTimeout(r, 300)); await rd.cancel(); return "ok"`,
		"up":   `let made = 0; const p = fetch(server, { method: "POST", body: new ReadableStream({ pull(c) { if (made < 30e6) { made += 50_000; c.enqueue(new Uint8Array(50_000)) } else c.close() } }) }); await new Promise(r => setTimeout(r, 300)); const early = made; await fetch(server + "/go", { method: "HEAD" }).catch(() => 0); await (await p).text(); return [early < 15e6, made]`,
	})
	r.run(t, "down", `"ok"`)
	mu.Lock()
	if sent > 20_000_000 {
		t.Errorf("%d bytes were sent for a reader that read one piece", sent)
	}
	mu.Unlock()
	time.AfterFunc(600*time.Millisecond, func() { close(release) })
	r.run(t, "up", `[true,30000000]`)
	mu.Lock()
	defer mu.Unlock()
	if taken != 30_000_000 {
		t.Errorf("%d bytes arrived", taken)
	}
}

// A client that leaves ends what was fetched for it.
func TestFetchEnds(t *testing.T) {
	gone := make(chan string, 10)
	r := newFetchRig(t, func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/stall" {
			io.WriteString(w, "x")
			http.NewResponseController(w).Flush()
		}
		<-q.Context().Done()
		gone <- q.URL.Path
	}, engine.Process, map[string]string{
		"forgotten": `fetch(server + "/forgotten"); await new Promise(r => setTimeout(r, 200)); return "ok"`,
		"unread":    `await fetch(server + "/stall"); return "ok"`,
	})
	r.run(t, "forgotten", `"ok"`)
	r.run(t, "unread", `"ok"`)
	for range 2 {
		select {
		case <-gone:
		case <-time.After(10 * time.Second):
			t.Fatal("the server was not left")
		}
	}
	for _, rec := range r.wait(t, 2) {
		if rec.Code != "" && rec.Code != "canceled" {
			t.Errorf("%+v", rec)
		}
	}
}
