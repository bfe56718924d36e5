// What waits for the person: calls that need consent, and questions of the agent. It is docked where it belongs until it is
// answered, takes no focus, and its buttons work only after it could be seen.
import { useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { keyName } from "../keys";
import { plain } from "../store/plain";
import { answer, decide } from "../store/roles";
import { when } from "../store/time";
import { attempt } from "../store/toasts";
import type { ApprovalInfo, PromptInfo } from "../wire";
import { useArmed } from "./armed";
import { May } from "./Words";
import { Who } from "./Who";

export function Waiting({ approvals, questions = [] }: { approvals: readonly ApprovalInfo[]; questions?: readonly PromptInfo[] }) {
  if (!approvals.length && !questions.length) return null;
  return (
    <div class="waiting" role="region" aria-label="Waiting for you" tabIndex={0}>
      {approvals.map((a) => <Approval key={a.id} of={a} />)}
      {questions.map((q) => (q.act === "connect" ? <Connect key={q.id} of={q} /> : <Question key={q.id} of={q} />))}
    </div>
  );
}

function Approval({ of: a }: { of: ApprovalInfo }) {
  const armed = useArmed();
  const press = (allow: boolean, scope: "once" | "session" = "once", seconds = 0) => void attempt(() => decide(a, allow, scope, seconds));
  return (
    <section class="approve" aria-label="Approval">
      <h2 aria-live="polite"><Who kind={a.role} /> {a.project} asks to call <code>{a.func}</code></h2>
      {a.doc && <p class="muted">{a.doc}</p>}
      <Args json={a.args} />
      {a.why && <p class="scope">It says: “{plain(a.why)}”</p>}
      <p class="scope">It may <May grant={a.grant} /> once you agree. Without an answer it is refused at <b class="num">{when(a.until)}</b>.</p>
      <div class="acts">
        <button class="btn primary" data-allow disabled={!armed} onClick={() => press(true)}>Allow once <span class="k">{keyName("mod+⏎")}</span></button>
        <button class="btn" disabled={!armed} onClick={() => press(true, "session", 600)}>For 10 minutes</button>
        <button class="btn" disabled={!armed} onClick={() => press(true, "session")}>For the session</button>
        <button class="btn ghost push" data-deny disabled={!armed} onClick={() => press(false)}>Deny <span class="k">{keyName("mod+⌫")}</span></button>
      </div>
    </section>
  );
}

/** Arguments in full. A list of strings is a command: one chip for each word, never a line of a shell. */
function Args({ json }: { json: string }) {
  let v: unknown;
  try {
    v = JSON.parse(json);
  } catch {
    v = json;
  }
  if (v === null || v === undefined) return null;
  if (typeof v !== "object" || Array.isArray(v)) return <Value of={v} />;
  return (
    <dl class="args">
      {Object.entries(v).map(([k, x]) => <div key={k}><dt>{plain(k)}</dt><dd><Value of={x} /></dd></div>)}
    </dl>
  );
}

function Value({ of: v }: { of: unknown }): ComponentChildren {
  if (Array.isArray(v) && v.length && v.every((x) => typeof x === "string")) return <p class="argv">{v.map((w, i) => <code key={i}>{plain(w) || "\u00a0"}</code>)}</p>;
  if (typeof v === "string") return <pre tabIndex={0}>{plain(v) || "(empty)"}</pre>;
  return <pre tabIndex={0}>{plain(JSON.stringify(v, null, 2))}</pre>;
}

/** The workbench's own question: whether an agent's pages may talk to somebody. */
function Connect({ of: q }: { of: PromptInfo }) {
  const armed = useArmed();
  const press = (text: string) => void attempt(() => answer(q, text));
  return (
    <section class="approve" aria-label="Connection">
      <h2 aria-live="polite"><Who kind="agent" /> {q.agent} asks to talk to a host</h2>
      <p class="argv"><code>{plain(q.origin ?? "")}</code></p>
      <p class="scope">Its page may send there what it knows: what you type into it, its settings, and what it has read. It holds until you take it back.</p>
      <div class="acts">
        <button class="btn primary" data-allow disabled={!armed} onClick={() => press("allow")}>Allow <span class="k">{keyName("mod+⏎")}</span></button>
        <button class="btn ghost push" data-deny disabled={!armed} onClick={() => press("deny")}>Deny <span class="k">{keyName("mod+⌫")}</span></button>
      </div>
    </section>
  );
}

function Question({ of: q }: { of: PromptInfo }) {
  const [text, setText] = useState("");
  const say = (s: string) => void attempt(() => answer(q, s));
  return (
    <section class="approve question" aria-label="Question">
      <h2 aria-live="polite"><Who kind="agent" /> {q.agent} asks</h2>
      <p class="said">{plain(q.text ?? "")}</p>
      {q.choices?.length ? (
        <div class="acts">{q.choices.map((c) => <button key={c} class="btn" onClick={() => say(c)}>{plain(c)}</button>)}</div>
      ) : (
        <form class="acts" onSubmit={(e) => {
          e.preventDefault();
          say(text);
        }}>
          <label class="field grow"><input aria-label="Answer" value={text} onInput={(e) => setText(e.currentTarget.value)} /></label>
          <button class="btn">Answer</button>
        </form>
      )}
    </section>
  );
}

/** Presses the button of the first thing that waits in sight. It reports whether there was one. */
export function pressWaiting(which: "allow" | "deny"): boolean {
  const button = [...document.querySelectorAll<HTMLButtonElement>(`.approve [data-${which}]`)].find((b) => b.checkVisibility());
  button?.click(); // one that is not armed yet does nothing
  return !!button;
}

/** A sign on a tab behind which something waits. */
export function WaitingSign({ n }: { n: number }) {
  if (!n) return null;
  return <><span class="dot a" aria-hidden="true" /><span class="vh">{n === 1 ? "1 question waits" : `${n} questions wait`}</span></>;
}

