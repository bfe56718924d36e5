// A server that the SDKs talk to: it answers by a script, and cuts its streams of
// events where an SDK least expects it.

type Answer = { json?: unknown; sse?: any[]; named?: boolean; done?: string; status?: number; headers?: Record<string, string> };

export function server(routes: Record<string, (body: any, url: URL) => Answer>, parse: (text: string) => any = JSON.parse) {
  const seen: string[] = [], urls: string[] = [];
  async function fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const key = `${request.method} ${url.pathname}`;
    const text = await request.text();
    urls.push(url.pathname + url.search);
    seen.push(`${key} ${request.headers.get("content-type") ?? "-"} ${text}`);
    const route = routes[key];
    if (!route) return Response.json({ error: { message: "no route " + key } }, { status: 404 });
    const a = route(text && parse(text), url);
    if (!a.sse) return Response.json(a.json, { status: a.status, headers: a.headers });
    const lines = a.sse.map((e) => (a.named ? `event: ${e.type}\n` : "") + `data: ${JSON.stringify(e)}\n\n`).join("") + (a.done ? `data: ${a.done}\n\n` : "");
    return new Response(pieces(new TextEncoder().encode(lines), request.signal), { headers: { "content-type": "text/event-stream", ...a.headers } });
  }
  return { fetch: fetch as typeof globalThis.fetch, requests: () => seen, urls: () => urls };
}

// pieces cuts bytes into chunks of uneven sizes, through lines and through characters.
function pieces(bytes: Uint8Array, signal: AbortSignal): ReadableStream<Uint8Array> {
  let at = 0, n = 0;
  return new ReadableStream({
    async pull(controller) {
      await new Promise((done) => setTimeout(done, 0));
      if (signal.aborted) return controller.error(signal.reason);
      const size = [1, 7, 64, 3, 200][n++ % 5];
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
      if (at >= bytes.length) controller.close();
    },
  });
}
