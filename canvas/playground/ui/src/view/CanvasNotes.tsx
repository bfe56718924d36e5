// What the host draws over a canvas: errors, and what is missing. Never a question of trust.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as api from "../api";
import { decline, hideError, unanswered } from "../store/canvas";
import { placeOf, places, type Place } from "../store/console";
import { createFile } from "../store/files";
import { openFile } from "../store/docs";
import { clock } from "../store/time";
import { files, open } from "../store/state";
import { attempt } from "../store/toasts";
import type { Entry } from "../wire";
import { Icon } from "./Icon";
import { Repair } from "./Repair";

const around = 3; // lines shown beside that of the error

export function ErrorNote({ entry }: { entry: Entry }) {
  const frames = (entry.stack ?? "").split("\n").flatMap((l) => places(l.trim(), files.value) ?? []);
  const source = placeOf(entry.source);
  const place: Place | undefined = source && files.value.has(source.name) ? source : frames[0]?.place;
  const [, kind, message] = /^(?:Uncaught |Unhandled rejection: )?(\w*(?:Error|Exception)): ([^]*)/.exec(entry.text) ?? ["", "Error", entry.text];
  const go = (p: Place) => void attempt(() => openFile(p.name, p.line, p.column));
  return (
    <div class="note" role="alertdialog" aria-label={`${kind} in the page`} tabIndex={-1} onKeyDown={(e) => {
      if (e.key !== "Escape") return;
      e.preventDefault();
      hideError();
    }}>
      <p class="nhead"><Icon name="error" class="danger" /><b class="danger">{kind}</b><span class="push muted num">{clock(entry.time).slice(0, 8)} · in the page</span></p>
      <p class="nmsg">{message}</p>
      {place && <Excerpt place={place} />}
      {frames.length > 0 && (
        <ul class="frames">
          {frames.slice(0, 6).map((f) => (
            <li key={f.text}><span class="clip">{f.before.replace(/^at |[(@]\s*$/g, "").trim() || "here"}</span><button class="link" onClick={() => go(f.place)}>{f.text}</button></li>
          ))}
        </ul>
      )}
      <div class="row">
        {place && <button class="btn primary" onClick={() => go(place)}>Open line {place.line}</button>}
        <Repair entry={entry} class="btn" />
        <button class="btn ghost" onClick={hideError}>Hide <span class="k">Esc</span></button>
      </div>
      <p class="muted">The page reloads by itself with your next save.</p>
    </div>
  );
}

function Excerpt({ place }: { place: Place }) {
  const lines = useSignal<string[]>([]);
  const id = open.value!.id;
  const hash = files.value.get(place.name)?.hash;
  useEffect(() => {
    let gone = false;
    api.readFile(id, place.name).then((f) => !gone && f.text && (lines.value = f.data.split("\n")), () => undefined);
    return () => {
      gone = true;
    };
  }, [id, place.name, hash]);
  const from = Math.max(0, place.line - 1 - around);
  const some = lines.value.slice(from, place.line + around);
  if (!some.length) return null;
  return <pre class="excerpt" tabIndex={0} aria-label={`${place.name} around line ${place.line}`}>{some.map((l, i) => <span key={i} class={from + i === place.line - 1 ? "bad" : ""}><span class="mn">{from + i + 1}</span>{l || " "}</span>)}</pre>;
}

const starts: [string, string][] = [
  ["Add functions.js", "export default {\n  async fetch(request, env, ctx) {\n    return Response.json({ ok: true });\n  },\n};\n"],
  ["With KV", "export default {\n  async fetch(request, env, ctx) {\n    const visits = Number(await env.KV.get(\"visits\")) + 1;\n    await env.KV.put(\"visits\", String(visits));\n    return Response.json({ visits });\n  },\n};\n"],
  ["With a database", "export default {\n  async fetch(request, env, ctx) {\n    await env.DB.exec(\"CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)\");\n    const { results } = await env.DB.prepare(\"SELECT * FROM notes\").all();\n    return Response.json(results);\n  },\n};\n"],
];

export function NoFunctions() {
  const id = open.value!.id;
  return (
    <div class="note" role="region" aria-label="No functions.js">
      <div class="empty">
        <Icon name="code" class="big" />
        <h2>{id} has no functions.js yet</h2>
        <p>The page asked for <code>{unanswered.value}</code>. What its own files don't answer goes to a <code>functions.js</code> at the root of the project:</p>
        <pre class="excerpt" tabIndex={0} aria-label="The shortest functions.js">{starts[0][1].trimEnd().split("\n").map((l, i) => <span key={i}><span class="mn">{i + 1}</span>{l}</span>)}</pre>
        <div class="row">
          {starts.map(([label, text], i) => (
            <button key={label} class={`btn${i ? "" : " primary"}`} onClick={() => void attempt(() => createFile("functions.js", text))}>{label}</button>
          ))}
        </div>
        <p class="muted">Not needed for a static page. <button class="link" onClick={decline}>Don't show this for {id}</button></p>
      </div>
    </div>
  );
}
