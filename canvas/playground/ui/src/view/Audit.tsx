// The audit: who called what, on what, and how it went. A refusal says which grant would do.
import { useEffect } from "preact/hooks";
import { ask, calls, denied, markSeen, more, project, readAudit, readMoreCalls, seg, unseen, words, type Seg } from "../store/audit";
import type { Mark } from "../store/dock";
import { panel } from "../store/dock";
import { askGranted, grantWanted } from "../store/roles";
import { open, projects } from "../store/state";
import { clock, took } from "../store/time";
import { attempt } from "../store/toasts";
import type { AuditEntry } from "../wire";
import { useArmed } from "./armed";
import { Icon } from "./Icon";
import type { DockPanel } from "./panels";
import { Who } from "./Who";

export const auditPanel: DockPanel = { id: "audit", title: "Audit", View: Audit, Tools, mark };

function mark(): Mark | null {
  const n = unseen.value;
  return n ? { text: n, tone: "warn", says: n === 1 ? "1 new refusal" : `${n} new refusals` } : null;
}

const segs: [Seg, string][] = [["all", "All"], ["agent", "Agent"], ["tool", "Tools"], ["app", "Apps"], ["failed", "Failed"], ["denied", "Denied"]];

function Tools() {
  return (
    <div class="line">
      <div class="seg" role="group" aria-label="Which calls">
        {segs.map(([s, label]) => (
          <button key={s} aria-pressed={seg.value === s} onClick={() => ask(() => (seg.value = s))}>
            {label} {s === "denied" && denied.value > 0 && <span class="count danger">{denied.value}</span>}
          </button>
        ))}
      </div>
      <label class="field soft small pick2">
        <select aria-label="Project" value={project.value} onChange={(e) => ask(() => (project.value = e.currentTarget.value))}>
          <option value="">All projects</option>
          {projects.value.map((p) => <option key={p}>{p}</option>)}
        </select>
      </label>
      <label class="field soft small filter">
        <Icon name="search" small />
        <input placeholder="Filter" aria-label="Filter by call or path" value={words.value} onInput={(e) => ask(() => (words.value = e.currentTarget.value))} />
      </label>
    </div>
  );
}

function Audit() {
  useEffect(() => void attempt(readAudit), []);
  useEffect(() => {
    if (panel.value === "audit") markSeen();
  }, [panel.value]);
  const list = calls.value;
  if (!list) return <div />;
  if (!list.length) {
    return <div><p class="quiet">{seg.value === "all" && !project.value && !words.value ? "What an agent or a tool calls appears here." : "No call matches."}</p></div>;
  }
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Calls">
      <table class="grid audit">
        <thead>
          <tr><th>Time</th><th>Who</th><th>Call</th><th class="wide2">On</th><th>Outcome</th><th class="r">Took</th></tr>
        </thead>
        <tbody>{list.map((e) => <Call key={e.id} e={e} />)}</tbody>
      </table>
      {more.value && <p class="quiet"><button class="btn small" onClick={readMoreCalls}>Show older ones</button></p>}
    </div>
  );
}

function Call({ e }: { e: AuditEntry }) {
  const no = e.code === "denied";
  return (
    <>
      <tr class={no ? "deny" : ""}>
        <td class="mono num"><time dateTime={e.time} title={new Date(e.time).toLocaleString()}>{clock(e.time)}</time></td>
        <td><Who kind={e.actor} /> {e.project || e.actor}</td>
        <td class="mono">{e.func}</td>
        <td class="mono on">{e.on}</td>
        <td class={no ? "danger" : e.code ? "warn" : "okay"}>{e.answer.startsWith("denied") && no ? e.answer : <>{e.code || "done"}{e.answer && <span class="muted"> {e.answer}</span>}</>}</td>
        <td class="r">{took(e.ms)}</td>
      </tr>
      {no && (
        <tr class="why">
          <td colSpan={6}>{e.refusal} {e.may.do ? <Would e={e} /> : <span class="muted">No grant allows it.</span>}</td>
        </tr>
      )}
    </>
  );
}

/** Gives what the sentence says: to the session that is open, or by the question that opens one with it. */
function Give({ e }: { e: AuditEntry }) {
  const armed = useArmed();
  if (e.holds) return <span class="tag">Granted since</span>;
  if (e.session) {
    return (
      <button class="btn small give" disabled={!armed} onClick={() => void attempt(async () => {
        await grantWanted(e.session, e.want);
        await readAudit();
      })}>Grant this</button>
    );
  }
  if (e.want.project && e.want.project !== open.value?.id) return null;
  return <button class="btn small give" onClick={() => askGranted(e.project, e.want)}>Open with this</button>;
}

/** The narrowest grant that would do, as a sentence: who, may, what, where. */
function Would({ e }: { e: AuditEntry }) {
  const last = e.may.what.length - 1;
  return (
    <span>
      It would do if {e.project} may <b>{e.may.do}</b>{" "}
      {e.may.what.map((w, i) => <>{i > 0 && (i === last ? " and " : ", ")}{w === "**" ? <b>every file</b> : <code>{w.replace("@1.", ".")}</code>}</>)}
      {e.may.where && <> in <b>{e.may.where}</b></>}.
      <Give e={e} />
    </span>
  );
}
