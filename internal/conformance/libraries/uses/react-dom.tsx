/** @jsxRuntime automatic @jsxImportSource react */
// react-dom
// renderToReadableStream with Suspense and hooks, streamed to the client; renderToString; prerendered HTML; errors.
// GET /
// GET /string
// GET /error
import { createContext, memo, Suspense, use, useContext, useId, useMemo, useState, Fragment } from "react";
import { renderToReadableStream, renderToStaticMarkup, renderToString } from "react-dom/server";

const Theme = createContext("light");
const later = <T,>(value: T, ms: number) => new Promise<T>((done) => setTimeout(() => done(value), ms));

function Comments({ promise }: { promise: Promise<string[]> }) {
  return <ul>{use(promise).map((c) => <li key={c}>{c}</li>)}</ul>;
}
const Field = memo(({ label }: { label: string }) => {
  const id = useId();
  return <p><label htmlFor={id}>{label}</label><input id={id} defaultValue={'"quoted" & <b>'} readOnly tabIndex={1} /></p>;
});
function App({ comments }: { comments: Promise<string[]> }) {
  const theme = useContext(Theme);
  const [n] = useState(() => 3);
  const squares = useMemo(() => Array.from({ length: n }, (_, i) => i * i), [n]);
  return (
    <html lang="en">
      <head><title>{`React ${n}`}</title><meta name="description" content="Zürich & <co>" /></head>
      <body className={theme} style={{ backgroundColor: "red", marginTop: 4, "--x": 1 } as object}>
        <h1 dangerouslySetInnerHTML={{ __html: "<i>raw</i>" }} />
        <Fragment>{squares.map((s) => <span key={s}>{s}, </span>)}{null}{false}{0}</Fragment>
        <select defaultValue="b"><option value="a">A</option><option value="b">B</option></select>
        <svg viewBox="0 0 1 1"><path strokeWidth={2} xlinkHref="#a" /></svg>
        <Field label="Näme" />
        <Suspense fallback={<em>loading…</em>}><Comments promise={comments} /></Suspense>
      </body>
    </html>
  );
}
function Broken(): never {
  throw new Error("render failed");
}

export default {
  async fetch(request: Request) {
    const path = new URL(request.url).pathname;
    const tree = <Theme.Provider value="dark"><App comments={later(["first", "se<cond"], 50)} /></Theme.Provider>;
    if (path === "/string") {
      return Response.json([renderToStaticMarkup(<Field label="x" />), renderToString(<p>{"a"}{"b"}{1}<Field label="y" /></p>)]);
    }
    if (path === "/error") {
      const seen: string[] = [];
      const stream = await renderToReadableStream(<div><Suspense fallback="…"><Broken /></Suspense></div>, { onError: (e) => { seen.push((e as Error).message); return "digest"; } });
      await stream.allReady;
      const html = await new Response(stream).text();
      const shell = await renderToReadableStream(<Broken />, { onError() {} }).catch((e) => e.message);
      return Response.json({ seen, html: html.replace(/data-(stck|cstck|msg)="[^"]*"/g, ""), shell });
    }
    const stream = await renderToReadableStream(tree, { bootstrapScripts: ["/main.js"], identifierPrefix: "s" });
    return new Response(stream, { headers: { "content-type": "text/html; charset=utf-8" } });
  },
};
