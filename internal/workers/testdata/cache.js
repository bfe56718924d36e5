let seq = Math.random().toString(36).slice(2)
const U = p => "http://cache.example/" + seq + "/" + (p || "a")
const show = async r => r === undefined ? "miss" : r.status + " " + JSON.stringify([...r.headers].filter(h => !["date"].includes(h[0]))) + " " + await r.text()
async function trip(headers, opts = {}) {
  const c = opts.cache || caches.default, u = U(opts.path)
  const body = "body" in opts ? opts.body : "hello world"
  try { const v = await c.put(opts.key || u, new Response(body, { status: opts.status || 200, headers })); if (v !== undefined) return "put returns " + v } catch (e) { return "! " + e }
  try { return await show(await c.match(opts.req ? new Request(u, opts.req) : u, opts.options)) } catch (e) { return "!! " + e }
}
const cc = (v, more) => ({ "cache-control": v, ...more })
