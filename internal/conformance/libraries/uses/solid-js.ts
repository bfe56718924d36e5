// solid-js
// Components rendered on the server: signals, memos, lists, contexts, resources awaited, and hydration markers.
// GET /
// GET /stream
import { createContext, createComponent, createMemo, createResource, createSignal, ErrorBoundary, For, Show, Suspense, useContext } from "solid-js";
import { escape, generateHydrationScript, renderToString, renderToStringAsync, renderToStream, ssr, ssrAttribute, ssrHydrationKey } from "solid-js/web";

const Theme = createContext("light");
const Item = (p: { text: string }) => ssr(["<li", ">", " (", ")</li>"], ssrHydrationKey(), escape(p.text), escape(useContext(Theme)));
const List = () => {
  const [items] = createSignal(["a", "<b>"]), count = createMemo(() => items().length * 2);
  return ssr(["<ul", "", ">", "</ul>"], ssrHydrationKey(), ssrAttribute("data-n", escape(String(count()), true), false), escape(createComponent(For, { get each() { return items(); }, children: (t: string) => createComponent(Item, { text: t }) }) as any));
};
const Later = () => { const [data] = createResource(() => new Promise<string>((d) => setTimeout(() => d("lätë"), 50))); return ssr(["<p", ">", "</p>"], ssrHydrationKey(), escape(data() as any)); };
const App = () => createComponent(Theme.Provider, { value: "dark", get children() { return [createComponent(List, {}), createComponent(Show, { when: true, get children() { return "shown"; } }), createComponent(ErrorBoundary, { fallback: (e: Error) => "caught " + e.message, get children() { return createComponent(List, {}); } }), createComponent(Suspense, { fallback: "wait", get children() { return createComponent(Later, {}); } })]; } });
export default {
  async fetch(request: Request) {
    if (new URL(request.url).pathname === "/stream") { const { readable, writable } = new TransformStream(); renderToStream(App).pipeTo(writable); return new Response(readable, { headers: { "content-type": "text/html" } }); }
    return Response.json({ sync: renderToString(() => createComponent(List, {})), async: await renderToStringAsync(App), script: generateHydrationScript({ eventNames: ["click"] }).length });
  },
};
