async function rw(html, set, chunk) {
  const log = [];
  const h = new HTMLRewriter();
  try {
    set(h, log);
    let body = html;
    if (chunk !== undefined) {
      const bytes = typeof html === "string" ? new TextEncoder().encode(html) : html;
      let at = 0;
      body = new ReadableStream({ pull(c) { if (at >= bytes.length) return c.close(); c.enqueue(bytes.slice(at, at + chunk)); at += chunk } });
    }
    const out = await h.transform(new Response(body, { headers: { "content-type": "text/html" } })).text();
    return out + (log.length ? " | " + log.join(" ; ") : "");
  } catch (e) { return "! " + e + (log.length ? " | " + log.join(" ; ") : "") }
}
const on = (sel, element) => h => h.on(sel, { element });
