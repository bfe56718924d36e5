package main

import "testing"

func TestScheduled(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "wrangler.toml", "main = 'w.js'\ntriggers = { crons = ['0 0 1 1 *'] }\n",
		"w.js", `export default { fetch: async (r, env) => new Response(await env.KV.get("ran")), async scheduled(c, env) { if (c.cron === "bad") throw new Error("no"); await env.KV.put("ran", c.cron + " " + c.scheduledTime) } }`)
	p := start(t, dir)
	p.want("cdn-cgi/handler/scheduled?cron=0+0+1+1+*&time=1700000000000", 200, "ok")
	p.want("", 200, "0 0 1 1 * 1700000000000")
	p.want("__scheduled?cron=bad", 500, "")
	p.want("__scheduled?time=x", 400, "milliseconds")
	p.check("a page", p.get("__scheduled", "Sec-Fetch-Site", "cross-site"), 403, "")
}
