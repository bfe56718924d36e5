package canvas

import (
	"testing"

	"samkit.dev/sam"
)

// TestPages runs the functions of a Pages project, whose files are routes.
func TestPages(t *testing.T) {
	files := sam.Files{
		"wrangler.toml":                "pages_build_output_dir = 'dist'\nkv_namespaces = [{ binding = 'K', id = 'k' }]\n",
		"dist/index.html":              "home",
		"dist/api/asset.txt":           "an asset",
		"functions/api/_middleware.ts": `export const onRequest: PagesFunction[] = [async (c) => { c.data.log = ["first"]; try { return await c.next() } catch (e) { return new Response("caught " + e.message, { status: 418 }) } }, async (c) => { c.data.log.push("second"); const r = await c.next(); r.headers.set("X-Seen", "yes"); return r }]`,
		"functions/api/hello.js":       `export function onRequest({ functionPath, data, env }) { return new Response(functionPath + data.log + typeof env.K.get) }`,
		"functions/api/throw.js":       `export const onRequest = () => { throw new Error("it") }`,
		"functions/api/users/[id].js":  `export const onRequestGet = ({ params }) => Response.json(params); export const onRequestPost = async ({ request, waitUntil }) => { waitUntil(1); return new Response(await request.text()) }; export const onRequest = () => new Response("any")`,
		"functions/api/users/me.js":    `export const onRequestGet = () => new Response("me")`,
		"functions/files/[[path]].js":  `export const onRequest = ({ params }) => Response.json(params.path ?? "none")`,
		"functions/to/asset.js":        `export const onRequest = ({ next }) => next("/api/asset.txt")`,
		"functions/helper.js":          `import "no-such-package"`,
	}
	r := serveApp(t, files, nil)
	for _, tt := range []struct {
		path, want string
		status     int
	}{
		{"", "home", 200}, {"api/hello", "/api/hellofirst,secondfunction", 200}, {"api/hello/", "first", 200}, {"api/throw", "caught it", 418},
		{"api/users/a%20b", `{"id":"a b"}`, 200}, {"api/users/me", "me", 200}, {"api/users/1/2", "", 404}, {"files/a/b", `["a","b"]`, 200}, {"files", "none", 200}, {"files/", "none", 200},
		{"to/asset", "an asset", 200}, {"api/asset.txt", "an asset", 200}, {"functions/api/hello.js", "", 404},
	} {
		t.Run(tt.path, func(t *testing.T) { expect(t, r.get("/p/"+tt.path), tt.status, tt.want) })
	}
	if seen := r.get("/p/api/hello").Header().Get("X-Seen"); seen != "yes" {
		t.Errorf("X-Seen: %q", seen)
	}
	expect(t, r.do("POST", "/p/api/users/1", "body"), 200, "body")
	expect(t, r.do("PUT", "/p/api/users/1", ""), 200, "any")

	delete(files, "wrangler.toml")
	files["index.html"] = "root"
	r = serveApp(t, files, nil)
	expect(t, r.get("/p/"), 200, "root")
	expect(t, r.get("/p/files/x"), 200, `["x"]`)
	expect(t, r.get("/p/functions/helper.js"), 404)

	advanced := sam.Files{"wrangler.toml": "pages_build_output_dir = 'dist'\n", "dist/index.html": "home",
		"dist/_worker.js": `export default { fetch: (r, env) => r.url.endsWith("/api") ? new Response("worker") : env.ASSETS.fetch(r) }`}
	r = serveApp(t, advanced, nil)
	expect(t, r.get("/p/"), 200, "home")
	expect(t, r.get("/p/api"), 200, "worker")
	expect(t, r.get("/p/_worker.js"), 404)
}
