// A server that the SDKs talk to: it answers by a script, and cuts its streams of
// events where an SDK least expects it.

type Answer = { json?: unknown; sse?: any[]; named?: boolean; done?: string; status?: number; headers?: Record<string, string> };

type Routes = Record<string, (body: any, url: URL, seen: string[]) => Answer>;

// answer looks up what the script says to a request, and notes the request in seen.
async function answer(routes: Routes, request: Request, url: URL, seen: string[], parse: (text: string) => any): Promise<Response> {
  const key = `${request.method} ${url.pathname}`;
  const text = await request.text();
  seen.push(`${key} ${request.headers.get("content-type") ?? "-"} ${text}`);
  const route = routes[key];
  if (!route) return Response.json({ error: { message: "no route " + key } }, { status: 404 });
  const a = route(text && parse(text), url, seen);
  if (!a.sse) return Response.json(a.json, { status: a.status, headers: a.headers });
  const lines = a.sse.map((e) => (a.named ? `event: ${e.type}\n` : "") + `data: ${JSON.stringify(e)}\n\n`).join("") + (a.done ? `data: ${a.done}\n\n` : "");
  return new Response(pieces(new TextEncoder().encode(lines), request.signal), { headers: { "content-type": "text/event-stream", ...a.headers } });
}

// server gives a fetch to an SDK that answers by itself.
export function server(routes: Routes, parse: (text: string) => any = JSON.parse) {
  const seen: string[] = [], urls: string[] = [];
  async function fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init), url = new URL(request.url);
    urls.push(url.pathname + url.search);
    return answer(routes, request, url, seen, parse);
  }
  return { fetch: fetch as typeof globalThis.fetch, requests: () => seen, urls: () => urls };
}

// serve is a Worker that answers over HTTP. The first element of a path names a run, whose
// requests are told at /RUN/requests.
export function serve(routes: Routes) {
  const runs = new Map<string, string[]>();
  return {
    async fetch(request: Request): Promise<Response> {
      const url = new URL(request.url);
      const [, run, ...rest] = url.pathname.split("/");
      url.pathname = "/" + rest.join("/");
      const seen = runs.get(run) ?? [];
      runs.set(run, seen);
      return url.pathname === "/requests" ? Response.json(seen) : answer(routes, request, url, seen, JSON.parse);
    },
  };
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
