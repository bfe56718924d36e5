// The one question before a project works as a tool: what it gets, in words, narrowed here before it is given.
import { useLayoutEffect, useRef } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { asking, cancelAsk, inMinutes, openAsked, type Asking } from "../store/roles";
import { size } from "../store/kinds";
import { matches, plain } from "../store/plain";
import { fileNames, open } from "../store/state";
import { Icon } from "./Icon";
import { Who } from "./Who";
import { Words } from "./Words";

const spans: [string, number][] = [["10 minutes", 10], ["1 hour", 60], ["8 hours", 480]];

export function ToolAsk() {
  const a = asking.value;
  return a && <Card key={a.project + a.replaces} of={a} />;
}

function Card({ of: a }: { of: Asking }) {
  const grant = useSignal(a.grant);
  const minutes = useSignal(a.replaces ? 0 : 60);
  const path = useSignal("");
  const trouble = useSignal("");
  const ref = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => ref.current?.querySelector<HTMLElement>("button.primary")?.focus(), []);
  const g = grant.value;
  const set = (more: Partial<typeof g>) => (grant.value = { ...g, ...more });
  const add = () => {
    const p = path.value.trim();
    if (p && !g.paths.includes(p)) set({ paths: [...g.paths, p] });
    path.value = "";
  };
  const here = g.project === open.value?.id;
  const count = (p: string) => (here ? fileNames.value.filter((n) => matches(p, n)).length : 0);
  return (
    <div class="col grow desk askdesk">
      <form class="card ask" ref={ref} aria-labelledby="ask-title" onSubmit={(e) => {
        e.preventDefault();
        if (path.value.trim()) return add();
        trouble.value = "";
        const final = { ...g, mode: g.paths.length ? g.mode || "read" : "", expires: minutes.value ? inMinutes(minutes.value) : g.expires };
        void openAsked(final).catch((e) => (trouble.value = e instanceof Error ? e.message : String(e)));
      }} onKeyDown={(e) => {
        if (e.key !== "Escape") return;
        e.preventDefault();
        cancelAsk();
      }}>
        <p class="kind"><span class="on"><Who kind="tool" /></span> <span class="muted">{a.replaces ? "Tool, open" : a.kind === "tool" ? "Tool" : "Project"}{a.size > 0 && ` · ${size(a.size)}`} · one of your projects</span></p>
        <h2 id="ask-title">{a.replaces ? `Narrow what ${a.project} may do?` : `Open ${a.project} on ${g.project}?`}</h2>
        <p class="muted">{a.replaces ? "It starts anew with this, and the wider grant ends." : "It will get this and nothing more. You are asked once."}</p>
        <dl>
          <dt>Project</dt><dd><b>{g.project || "none"}</b></dd>
          {g.project && (
            <>
              <dt>Files</dt>
              <dd class="chips">
                {g.paths.map((p) => (
                  <span key={p} class="tag chip"><code>{plain(p)}</code>{here && <span class="faint num">{count(p) === 1 ? "1 file" : `${count(p)} files`}</span>}
                    <button type="button" aria-label={`Remove ${p}`} onClick={() => set({ paths: g.paths.filter((o) => o !== p) })}><Icon name="x" small /></button>
                  </span>
                ))}
                <label class="field small"><input aria-label="Add a path" placeholder="docs/**" spellcheck={false} autocomplete="off" value={path.value} onInput={(e) => (path.value = e.currentTarget.value)} onBlur={add} /></label>
              </dd>
              <dt>May</dt>
              <dd><span class="seg" role="group" aria-label="May">
                <button type="button" aria-pressed={g.mode !== "readwrite"} onClick={() => set({ mode: "read" })}>Read</button>
                <button type="button" aria-pressed={g.mode === "readwrite"} onClick={() => set({ mode: "readwrite" })}>Read and write</button>
              </span></dd>
            </>
          )}
          <dt>For</dt>
          <dd><span class="seg" role="group" aria-label="For">
            {a.replaces && <button type="button" aria-pressed={minutes.value === 0} onClick={() => (minutes.value = 0)}>As it was</button>}
            {spans.map(([label, n]) => <button key={n} type="button" aria-pressed={minutes.value === n} onClick={() => (minutes.value = n)}>{label}</button>)}
          </span></dd>
          <dt>At most</dt>
          <dd class="num"><label class="field small calls"><input type="number" min="1" max="1000000" aria-label="Calls" value={g.maxCalls} onInput={(e) => set({ maxCalls: Math.max(1, Math.floor(+e.currentTarget.value) || 1) })} /></label> calls</dd>
          <dt>Asks</dt>
          <dd><label class="check"><input type="checkbox" checked={g.confirm} onChange={(e) => set({ confirm: e.currentTarget.checked })} /> before each change</label></dd>
        </dl>
        <p class="sentence"><Words who={a.project} grant={{ ...g, expires: minutes.value ? inMinutes(minutes.value) : g.expires }} /></p>
        <div class="cannot">
          <p>It cannot see other files or projects, or use HOST.</p>
          {a.wished.filter((u) => !g.uses.includes(u)).map((u) => (
            <p key={u}>Its <code>sam.json</code> also wishes to call <code>{u}</code>. <button type="button" class="link" onClick={() => set({ uses: [...g.uses, u] })}>Add it</button></p>
          ))}
        </div>
        {trouble.value && <p class="danger" role="alert">{trouble.value}</p>}
        <div class="acts">
          <button class="btn primary" disabled={!g.paths.length && !g.uses.length}>{a.replaces ? "Narrow" : "Open"} <span class="k">⏎</span></button>
          <button type="button" class="btn ghost push" onClick={cancelAsk}>Cancel <span class="k">Esc</span></button>
        </div>
      </form>
    </div>
  );
}
