package canvas

import (
	"testing"
	"time"

	"samkit.dev/sam"
)

// TestListeners runs a Worker of the form that came before modules.
func TestListeners(t *testing.T) {
	r := serveApp(t, sam.Files{
		"wrangler.toml": "main = 'src/index.ts'\nkv_namespaces = [{ binding = 'LINKS', id = 'x' }]\n[vars]\nGREETING = 'hi'\n",
		"package.json":  `{"sideEffects": false}`,
		"src/index.ts": `import { route } from "./route"
export interface Env { a: string } // "export default" in a comment
const greeting = GREETING + "!"
addEventListener("fetch", (event: FetchEvent) => { if (event instanceof FetchEvent && event.type === "fetch" && !event.request.url.endsWith("/silent")) event.respondWith(route(event, greeting)) })
addEventListener("scheduled", async event => { event.waitUntil(LINKS.put("cron", event.cron + event.scheduledTime)) })
const gone = () => { throw 1 }; self.addEventListener("fetch", gone); self.removeEventListener("fetch", gone)
`,
		"src/route.js": `export async function route(event, greeting) {
  const { pathname } = new URL(event.request.url)
  if (pathname === "/twice") event.respondWith(new Response())
  event.waitUntil(LINKS.put("last", pathname))
  return new Response([greeting, pathname, await LINKS.get("last"), await LINKS.get("cron")].join())
}`,
	}, nil)
	expect(t, r.get("/p/a"), 200, "hi!,/a,/a,")
	if err := r.RunCron(t.Context(), Visitor{}, "", "* * * * *", time.UnixMilli(5)); err != nil {
		t.Error(err)
	}
	expect(t, r.get("/p/b"), 200, "hi!,/b,/b,* * * * *5")
	expect(t, r.get("/p/twice"), 500, "exception")
	expect(t, r.get("/p/silent"), 500, "exception")
}
