/** @jsxRuntime automatic @jsxImportSource preact */
// preact-render-to-string
// Preact components with hooks, context and SVG to HTML; async rendering with suspended parts; a stream.
// GET /
// GET /stream
import { Component, createContext, type ComponentChildren } from "preact";
import { lazy, Suspense } from "preact/compat";
import { useContext, useId, useMemo, useReducer } from "preact/hooks";
import render, { renderToStringAsync } from "preact-render-to-string";
import { renderToReadableStream } from "preact-render-to-string/stream";

const Lang = createContext("en");
class Greeting extends Component<{ name: string }, { n: number }> {
  state = { n: 2 };
  render({ name }: { name: string }, { n }: { n: number }) {
    return <h1 class={`x${n}`} data-n={n}>{useContext(Lang)}: {name}</h1>;
  }
}
const List = ({ children }: { children?: ComponentChildren }) => {
  const [n] = useReducer((a: number, b: number) => a + b, 4);
  const id = useId();
  const items = useMemo(() => [..."añ<"].map((c, i) => <li key={i}>{c}</li>), []);
  return <><ol id={id} start={n} style={{ color: "red", marginLeft: 3 }}>{items}</ol>{children}</>;
};
const Slow = lazy(async () => ({ default: () => <p>came late</p> }));
const page = () => (
  <Lang.Provider value="de">
    <Greeting name={'A & "B"'} />
    <List><svg viewBox="0 0 9 9"><path stroke-width="2" d="M0 0" /></svg></List>
    <textarea value="<text>" /><input disabled checked={false} value={0} />
    <div dangerouslySetInnerHTML={{ __html: "<hr>" }} />
  </Lang.Provider>
);

export default {
  async fetch(request: Request) {
    if (new URL(request.url).pathname === "/stream") {
      const stream = renderToReadableStream(<main>{page()}<Suspense fallback={<i>wait</i>}><Slow /></Suspense></main>);
      return new Response(stream, { headers: { "content-type": "text/html" } });
    }
    return Response.json({ html: render(page()), pretty: render(<p>{[1, "two", null, true]}</p>), async: await renderToStringAsync(<Suspense fallback={<i>wait</i>}><Slow /></Suspense>) });
  },
};
