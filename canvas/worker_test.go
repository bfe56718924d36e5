package canvas

import (
	"context"
	"strings"
	"testing"

	"samkit.dev/host"
	"samkit.dev/sam"
)

// A Worker project runs as it is.
func TestWorkerProject(t *testing.T) {
	r := serveApp(t, sam.Files{
		"wrangler.jsonc": `{
			"name": "shop", "main": "src/index.ts", "compatibility_date": "2025-09-01",
			"assets": { "directory": "./public", "binding": "STATIC", "not_found_handling": "single-page-application", "run_worker_first": ["/api/*"] },
			"kv_namespaces": [{ "binding": "CACHE", "id": "abc" }],
			"d1_databases": [{ "binding": "SHOP", "database_name": "shop", "database_id": "x", "migrations_dir": "sql" }],
			"vars": { "STAGE": "test" }, "r2_buckets": []
		}`,
		"src/index.ts": `import { answer } from "./answer"
export default { async fetch(request: Request, env: any) {
	const { pathname } = new URL(request.url)
	if (pathname === "/api/shop") return Response.json((await env.SHOP.prepare("SELECT name FROM items ORDER BY id").all()).results)
	if (pathname === "/api/asset") return env.STATIC.fetch(new URL("/hello.txt", request.url))
	await env.CACHE.put("k", env.STAGE)
	return Response.json({ answer, stage: await env.CACHE.get("k"), pathname })
} }`,
		"src/answer.ts":     "export const answer: number = 42",
		"sql/0001_make.sql": "CREATE TABLE items (\n  id INTEGER PRIMARY KEY,\n  name TEXT\n);\n",
		"sql/0002_fill.sql": "INSERT INTO items (name) VALUES ('tea');\nINSERT INTO items (name) VALUES ('pot');",
		"public/index.html": "<p>shop", "public/hello.txt": "hello",
	}, nil)
	expect(t, r.get("/p/"), 200, "<p>shop")
	expect(t, r.get("/p/hello.txt"), 200, "hello")
	expect(t, r.get("/p/api/x"), 200, `{"answer":42,"stage":"test","pathname":"/api/x"}`)
	expect(t, r.get("/p/api/shop"), 200, `[{"name":"tea"},{"name":"pot"}]`)
	expect(t, r.get("/p/api/asset"), 200, "hello")
	expect(t, r.get("/p/v1/things/5:archive"), 200, `"pathname":"/v1/things/5:archive"`)
	expect(t, r.get("/p/src/index.ts"), 200, `"pathname":"/src/index.ts"`) // the worker's answer, not its source
	if err := r.project.WriteFile(t.Context(), "sql/0003_more.sql", []byte("INSERT INTO items (name) VALUES ('cup')")); err != nil {
		t.Fatal(err)
	}
	expect(t, r.get("/p/api/shop"), 200, `"cup"`)
	if err := r.project.WriteFile(t.Context(), "sql/0004_bad.sql", []byte("INSERT INTO nowhere VALUES (1)")); err != nil {
		t.Fatal(err)
	}
	expect(t, r.get("/p/api/shop"), 500, `"error":"build"`)
	if text := r.texts(); !strings.Contains(text, "Ignored: wrangler.jsonc: r2_buckets") || !strings.Contains(text, "sql/0004_bad.sql") {
		t.Errorf("console:\n%s", text)
	}
}

// Without a folder of assets the worker answers everything, and its source
// stays hidden from what it may fetch as an asset.
func TestWorkerWithoutAssets(t *testing.T) {
	r := serveApp(t, sam.Files{
		"wrangler.toml": "main = 'worker.js'",
		"worker.js":     "import './lib.js'\nexport default { fetch(r, env) { const u = new URL(r.url); return u.pathname.startsWith('/asset/') ? env.ASSETS.fetch(new URL(u.pathname.slice(6), u)) : new Response('worker ' + u.pathname) } }",
		"lib.js":        "globalThis.secret = 1", "open.txt": "open",
	}, nil)
	expect(t, r.get("/p/"), 200, "worker /")
	expect(t, r.get("/p/lib.js"), 200, "worker /lib.js")
	expect(t, r.get("/p/asset/open.txt"), 200, "open")
	for _, name := range []string{"lib.js", "worker.js", "lib", "wrangler.toml"} {
		if w := r.get("/p/asset/" + name); w.Code != 404 {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

func TestRoutesOfSamJSON(t *testing.T) {
	files := func(text string) sam.Files {
		return sam.Files{"index.html": "<p>home", "a.txt": "file", "auth/x": "file", "functions.js": "export default { fetch() {} }", "sam.json": text, "tasks/plan.md": "plan"}
	}
	r := newRig(t, files(`{"functions": {"routes": ["/api/*", "/auth/*", "!/api/docs/*"]}, "serve": ["tasks/*.md"]}`), nil, nil)
	expect(t, r.get("/p/auth/x"), 200, "fake")
	expect(t, r.get("/p/a.txt"), 200, "file")
	expect(t, r.get("/p/api/docs/x"), 404)
	expect(t, r.get("/p/tasks/plan.md"), 200, "plan")
	expect(t, r.get("/p/sam.json"), 404)
	r = newRig(t, files(`{"functions": {"routes": "*"}}`), nil, nil)
	expect(t, r.get("/p/a.txt"), 200, "file")
	expect(t, r.get("/p/other"), 200, "fake")
	r = newRig(t, files(`{"functions": {"routes": "*", "assets": "last"}}`), nil, nil)
	expect(t, r.get("/p/a.txt"), 200, "fake")
}

func TestBrokenSettings(t *testing.T) {
	files := sam.Files{"index.html": "<p>home", "sam.json": "{\n  \"functions\": \n}"}
	r := newRig(t, files, nil, &Options{Dev: true})
	w := r.get("/p/", page...)
	expect(t, w, 500, "sam.json:3", r.client.name) // the page follows, and loads again when it is repaired
	if text := r.texts(); !strings.Contains(text, "sam.json:3") {
		t.Errorf("console: %s", text)
	}
	if err := r.project.WriteFile(t.Context(), "sam.json", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	expect(t, r.get("/p/"), 200, "home")
	if _, err := New(App{Project: newProject(t, "b", files)}, nil); err == nil || !strings.Contains(err.Error(), "sam.json:3") {
		t.Errorf("New: %v", err)
	}
}

func TestServiceNotGiven(t *testing.T) {
	r := serveApp(t, sam.Files{
		"sam.json":     `{"services": [{"binding": "CRM", "service": "crm"}]}`,
		"functions.js": "export default { async fetch(r, env) { try { return Response.json(await env.CRM.lookup({})) } catch (e) { return Response.json({ name: e.name, code: e.code, message: e.message }) } } }",
	}, nil)
	expect(t, r.get("/p/api/x"), 200, `"code":"denied"`, "was not given")
}

// TestAbsentProducts proves that using what samkit does not have says so, and that having
// its binding harms nothing.
func TestAbsentProducts(t *testing.T) {
	r := serveApp(t, sam.Files{
		"wrangler.toml": "main = 'w.js'\nr2_buckets = [{ binding = 'FILES', bucket_name = 'f' }, { binding = 'a-b' }]\n[ai]\nbinding = 'AI'\n[[durable_objects.bindings]]\nname = 'ROOM'\n[vars]\nAI = 'mine'\n",
		"w.js": `export default { async fetch(r, env) {
  const said = []
  for (const use of [() => env.FILES.get("x"), () => env.ROOM.idFromName("x")]) try { await use() } catch (e) { said.push(e.message) }
  console.log(env.ROOM, await env.ROOM, String(Object.keys(env)))
  return Response.json([said, typeof env.FILES, env.AI, JSON.stringify({ f: env.FILES })])
} }`,
	}, nil)
	expect(t, r.get("/p/"), 200, `["env.FILES.get: samkit has no R2","env.ROOM.idFromName: samkit has no Durable Objects"]`, `"object","mine"`)
}

func TestPinnedVersion(t *testing.T) {
	caps := host.New()
	for v := 1; v <= 2; v++ {
		host.Register(caps.Define("crm", v), "who", "Says who it is.", func(context.Context, struct{}) (int, error) { return v, nil })
	}
	const code = "export default { async fetch(r, env) { return Response.json(await env.HOST.crm.who({})) } }"
	for text, want := range map[string]string{`{}`: "1", `{"uses": {"crm": 2}}`: "2"} {
		r := serveApp(t, sam.Files{"sam.json": text, "functions.js": code}, nil, func(a *App) { a.Host = caps })
		expect(t, r.get("/p/api/x"), 200, want)
	}
}
