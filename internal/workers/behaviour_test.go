package workers

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"samkit.dev/host"
	"samkit.dev/host/console"
	"samkit.dev/internal/bundle"
	"samkit.dev/kv"
	"samkit.dev/sam"
	"samkit.dev/sqlshim"
)

func project(t testing.TB) *sam.Project {
	t.Helper()
	p, err := sam.NewWorkspace(sam.NewMemStore(), "o", nil).Create(t.Context(), "p", sam.Files{"index.html": "x"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestStreamingResponse(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := app(t, `export default { fetch(request) {
			let n = 0
			return new Response(new ReadableStream({ async pull(c) {
				await new Promise(r => setTimeout(r, 1))
				if (n++ < 40) c.enqueue(new Uint8Array(50_000).fill(65)); else c.close()
			} }), { headers: { "x-a": "1" } }) } }`)
		res, err := p.Fetch(t.Context(), a, &Request{Method: "GET", URL: "http://test/"})
		if err != nil {
			t.Fatal(err)
		}
		if res.Body == nil || strings.Join(res.Header, ",") != "x-a,1" {
			t.Fatalf("%+v", res)
		}
		data, err := io.ReadAll(res.Body)
		if err != nil || len(data) != 2_000_000 {
			t.Fatal(len(data), err)
		}
		res.Body.Close()
	})
}

// TestBackPressure proves that a stream whose reader pauses is not produced ahead of it.
func TestBackPressure(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := app(t, `let made = 0; export default { fetch(request) {
			if (new URL(request.url).pathname === "/made") return new Response(String(made))
			return new Response(new ReadableStream({ pull(c) { made += 50_000; c.enqueue(new Uint8Array(50_000)) } })) } }`)
		res, err := p.Fetch(t.Context(), a, &Request{Method: "GET", URL: "http://test/"})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		if _, made := get(t, p, a, "/made"); len(made) > 6 {
			t.Errorf("%s bytes were made for a reader that read none", made)
		}
		if _, err := io.ReadFull(res.Body, make([]byte, 1_000_000)); err != nil {
			t.Error(err)
		}
		res.Body.Close()
	})
}

func TestStreamError(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := app(t, `export default { fetch() { let n = 0
			return new Response(new ReadableStream({ pull(c) { if (n++) throw new Error("half way"); c.enqueue(new Uint8Array(3)) } })) } }`)
		res, err := p.Fetch(t.Context(), a, &Request{Method: "GET", URL: "http://test/"})
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		data, err := io.ReadAll(res.Body)
		var e *Error
		if len(data) != 3 || !errors.As(err, &e) || !strings.Contains(e.Message, "half way") {
			t.Fatal(len(data), err)
		}
	})
}

func TestWaitUntil(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		ns := kv.New(project(t).State(), "KV")
		a := app(t, `export default { fetch(request, env, ctx) {
			ctx.waitUntil((async () => { await new Promise(r => setTimeout(r, 50)); await env.KV.put("late", "yes") })())
			return new Response("early") } }`, Binding{Name: "KV", KV: ns})
		if _, body := get(t, p, a, "/"); body != "early" {
			t.Fatal(body)
		}
		for range 100 {
			if e, err := ns.Get(t.Context(), "late"); err == nil && string(e.Value) == "yes" {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Fatal("waitUntil did not finish")
	})
}

func TestDB(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		db, err := sqlshim.Open(t.Context(), project(t).State(), "DB", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		a := app(t, `export default { async fetch(request, { DB }) {
			const out = {}
			out.exec = (await DB.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT UNIQUE, b BLOB)")).count
			const ins = DB.prepare("INSERT INTO t (name, b) VALUES (?, ?)")
			const r = await ins.bind("a", new Uint8Array([1, 2])).run()
			out.run = [r.success, r.meta.changes, r.meta.last_row_id, r.meta.changed_db]
			out.batch = (await DB.batch([ins.bind("b", null), DB.prepare("SELECT name FROM t ORDER BY id")]))[1].results
			out.first = await DB.prepare("SELECT * FROM t WHERE id = ?").bind(1).first()
			out.name = await DB.prepare("SELECT * FROM t WHERE id = ?").bind(2).first("name")
			out.none = await DB.prepare("SELECT * FROM t WHERE id = 9").first()
			out.raw = await DB.prepare("SELECT id, name FROM t").raw({ columnNames: true })
			const fails = async f => { try { await f() } catch (e) { return e.message + (e.cause ? " / " + e.cause.message : "") } }
			out.unique = await fails(() => ins.bind("a", null).run())
			out.type = await fails(() => ins.bind(undefined, null).run())
			out.column = await fails(() => DB.prepare("SELECT * FROM t").first("zz"))
			out.count = await fails(() => ins.bind("x").run())
			out.tx = await fails(async () => { await DB.batch([ins.bind("c", null), ins.bind("a", null)]) })
			out.rows = (await DB.prepare("SELECT count(*) n FROM t").first()).n
			return Response.json(out)
		} }`, Binding{Name: "DB", DB: db})
		_, body := get(t, p, a, "/")
		unique := `D1_ERROR: UNIQUE constraint failed: t.name: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_UNIQUE) / UNIQUE constraint failed: t.name: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_UNIQUE)`
		want := `{"exec":1,"run":[true,1,1,true],"batch":[{"name":"a"},{"name":"b"}],"first":{"id":1,"name":"a","b":[1,2]},"name":"b","none":null,"raw":[["id","name"],[1,"a"],[2,"b"]],"unique":"` + unique +
			`","type":"D1_TYPE_ERROR: Type 'undefined' not supported for value 'undefined' / Type 'undefined' not supported for value 'undefined'","column":"D1_COLUMN_NOTFOUND: Column not found (zz) / Column not found","count":"D1_ERROR: Wrong number of parameter bindings for SQL query. / Wrong number of parameter bindings for SQL query.","tx":"` + unique + `","rows":2}`
		if body != want {
			t.Fatalf("got  %s\nwant %s", body, want)
		}
	})
}

func TestCaller(t *testing.T) {
	type in struct {
		ID string `json:"id"`
	}
	caps := host.New()
	crm := caps.Define("crm", 1)
	host.Register(crm, "lookup", "Finds a customer.", func(ctx context.Context, q in) (struct {
		Name string `json:"name"`
		Who  string `json:"who"`
	}, error) {
		c, _ := host.CallFrom(ctx)
		var o struct {
			Name string `json:"name"`
			Who  string `json:"who"`
		}
		o.Name, o.Who = "customer "+q.ID, c.Principal+"@"+c.Project
		switch q.ID {
		case "missing":
			return o, &host.Error{Code: host.NotFound, Message: "no such customer", Hint: "ask for another"}
		case "secret":
			return o, errors.New("dial tcp 10.0.0.1: password hunter2")
		case "panic":
			panic("hunter2")
		}
		return o, nil
	})
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := app(t, `export default { async fetch(request, env) {
			const out = { ok: await env.HOST.crm.lookup({ id: "7" }), pinned: (await env.HOST["crm@1"].lookup({ id: "8" })).name, flat: (await env.CRM.lookup({ id: "9" })).name }
			for (const id of ["missing", "secret", "panic"]) try { await env.HOST.crm.lookup({ id }) } catch (e) { out[id] = [e.code, e.message, e.hint] }
			try { await env.HOST.crm.lookup({ id: 5 }) } catch (e) { out.bad = e.code }
			return Response.json(out)
		} }`, Binding{Name: "HOST", Caller: caps}, Binding{Name: "CRM", Caller: crm, Flat: true})
		_, body := do(t, p, a, &Request{Method: "GET", URL: "http://test/", Principal: "ann"})
		want := `{"ok":{"name":"customer 7","who":"ann@test"},"pinned":"customer 8","flat":"customer 9","missing":["not_found","no such customer","ask for another"],"secret":["internal",`
		if !strings.HasPrefix(body, want) || strings.Contains(body, "hunter2") || !strings.Contains(body, `"bad":"invalid"`) {
			t.Fatalf("got  %s\nwant %s…", body, want)
		}
	})
}

func TestFetchBinding(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		assets := func(ctx context.Context, q *Request) (*Response, error) {
			body := ""
			if q.Body != nil {
				b, _ := io.ReadAll(q.Body)
				body = string(b)
			}
			return &Response{Status: 201, Header: []string{"x-path", q.URL}, Bytes: []byte(q.Method + " " + body)}, nil
		}
		a := app(t, `export default { async fetch(request, env) {
			const r = await env.ASSETS.fetch(new Request("http://a/x", { method: "POST", body: "hi" }))
			const pass = await env.ASSETS.fetch(request)
			return new Response([r.status, r.headers.get("x-path"), await r.text(), pass.headers.get("x-path")].join())
		} }`, Binding{Name: "ASSETS", Fetch: assets})
		if _, body := get(t, p, a, "/y"); body != "201,http://a/x,POST hi,http://test/y" {
			t.Fatal(body)
		}
	})
}

func TestFresh(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := app(t, `let n = 0; export default { fetch() { return new Response(String(++n)) } }`)
		a.Fresh = true
		for range 3 {
			if _, body := get(t, p, a, "/"); body != "1" {
				t.Fatal(body)
			}
		}
	})
}

// TestVersions proves that a new version of an app starts anew while the old one may still answer.
func TestVersions(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		code := `let n = 0; export default { fetch() { return new Response("VERSION " + ++n) } }`
		for v := range 8 {
			a := app(t, strings.Replace(code, "VERSION", string(rune('a'+v)), 1))
			for i, want := range []string{" 1", " 2"} {
				if _, body := get(t, p, a, "/"); body != string(rune('a'+v))+want {
					t.Fatalf("version %d, request %d: %s", v, i, body)
				}
			}
		}
		if n := p.Stats().Workers; n != 1 {
			t.Errorf("%d workers for one domain", n)
		}
	})
}

func TestPositions(t *testing.T) {
	files := sam.Files{
		"functions.ts": "import { boom } from './lib/boom'\nexport default {\n  fetch(): Response {\n    console.warn('careful')\n    boom(1)\n    return new Response('x')\n  }\n}\n",
		"lib/boom.ts":  "interface A { b: number }\n\nexport function boom(n: number): never {\n  throw new TypeError('boom ' + n)\n}\n",
	}
	out, err := bundle.Functions(t.Context(), files, "functions.ts", nil)
	if err != nil {
		t.Fatal(err)
	}
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		var entries []console.Entry
		a := &App{Domain: "positions", Script: &Script{Code: out.Code, Map: out.Map, Hash: out.Hash}, Console: func(e console.Entry) { entries = append(entries, e) }}
		e := failure_(t, p, a, "/")
		if e.Message != "TypeError: boom 1" || !strings.Contains(e.Stack, "lib/boom.ts:4:9") || !strings.Contains(e.Stack, "functions.ts:5:5") {
			t.Errorf("%s\n%s", e.Message, e.Stack)
		}
		if len(entries) != 1 || !strings.HasPrefix(entries[0].Source, "functions.ts:4:") {
			t.Errorf("%+v", entries)
		}
	})
}

// TestWorkersFull proves that requests wait for a worker, and idle ones make room.
func TestWorkersFull(t *testing.T) {
	p, err := NewPool(Options{Isolation: Process, Workers: 2, Spares: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	code := `export default { async fetch() { await new Promise(r => setTimeout(r, 100)); return new Response("ok") } }`
	errs := make(chan error, 6)
	for i := range 6 {
		go func() {
			a := app(t, code)
			a.Domain = string(rune('a' + i))
			_, err := p.Fetch(t.Context(), a, &Request{Method: "GET", URL: "http://test/"})
			errs <- err
		}()
	}
	for range 6 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if n := p.Stats().Workers; n > 2 {
		t.Errorf("%d workers, at most 2 are allowed", n)
	}
}

func TestMemoryLimit(t *testing.T) {
	for _, level := range []Isolation{Sandboxed, Process} {
		p, err := NewPool(Options{Isolation: level, Limits: Limits{Memory: 64 << 20, Wall: 5 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		a := app(t, `const keep = []; export default { fetch(request) {
			const path = new URL(request.url).pathname
			if (path === "/huge") new ArrayBuffer(2 ** 40)
			if (path === "/grow") for (;;) { const b = new Uint8Array(1 << 20); for (let i = 0; i < b.length; i += 4096) b[i] = 1; keep.push(b) }
			return new Response("ok") } }`)
		for _, path := range []string{"/huge", "/grow"} {
			if e := failure_(t, p, a, path); e.Code != "limit_memory" && path == "/grow" || e.Code == "" {
				t.Errorf("%v %s: %v", level, path, e)
			}
			if _, body := get(t, p, a, "/ok"); body != "ok" {
				t.Errorf("after %s: %s", path, body)
			}
		}
		p.Close()
	}
}

// TestStreamMeetsLimit has a body spin when its reader has read some already.
func TestStreamMeetsLimit(t *testing.T) {
	eachLevel(t, Options{Limits: Limits{CPU: 100 * time.Millisecond}}, func(t *testing.T, p *Pool) {
		a := app(t, `export default { fetch() { let n = 0
			return new Response(new ReadableStream({ async pull(c) {
				await new Promise(r => setTimeout(r, 1))
				if (n++) for (;;);
				c.enqueue(new Uint8Array(3)) } })) } }`)
		res, err := p.Fetch(t.Context(), a, &Request{Method: "GET", URL: "http://test/"})
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		data, err := io.ReadAll(res.Body)
		var e *Error
		if len(data) != 3 || !errors.As(err, &e) || e.Code != "limit_cpu" {
			t.Errorf("%d bytes, then %v", len(data), err)
		}
	})
}
