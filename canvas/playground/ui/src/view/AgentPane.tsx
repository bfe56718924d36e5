// The agent: its page in a well, and below that, outside of it, what the host says and asks. It is shown by the framing page, which
// keeps its localStorage, and with it the key of its model, in this browser.
import { useState } from "preact/hooks";
import { linkAgent } from "../store/agentlink";
import { agentSeen } from "../store/left";
import { chooseAgent, makeAgent, now, readCandidates, roles, redoTurn, templatesOf, undoTurn } from "../store/roles";
import { candidates } from "../store/roles";
import { open, projects } from "../store/state";
import { attempt } from "../store/toasts";
import { Icon } from "./Icon";
import { Menu, type Item } from "./Menu";
import { SamFrame } from "./SamFrame";
import { Waiting } from "./Waiting";
import { Who } from "./Who";

export function AgentPane() {
  const agent = roles.value.agent;
  return (
    <div class="col grow agent">
      {agent ? (
        <>
          <div class="strip head">
            <span class="on"><Who kind="agent" /></span>
            <b class="clip">{agent.project}</b>
            <span class="faint clip" title="It may use every HOST function">works on {roles.value.work || "nothing"}, may use every HOST function</span>
            <AgentMenu />
          </div>
          <div class="col grow desk">{agentSeen.value && <SamFrame key={agent.id} url={agent.canvas} title={`Agent ${agent.project}`} link={linkAgent} />}</div>
        </>
      ) : <NoAgent />}
      <Waiting approvals={roles.value.approvals} questions={roles.value.questions} />
      {agent && <TurnBar />}
    </div>
  );
}

/** The projects that may be the agent, those meant for it first, and none. */
export function agentItems(): (Item | "line")[] {
  const current = roles.value.agent?.project ?? "";
  const meant = candidates.value.filter((c) => c.kind === "agent").map((c) => c.id);
  const others = projects.value.filter((id) => !meant.includes(id) && id !== open.value?.id);
  const item = (id: string): Item => ({ label: id, checked: id === current, run: () => attempt(() => chooseAgent(id)) });
  return [
    ...meant.map(item),
    ...templatesOf("agent").map((t): Item => ({ label: `New: ${t.title}`, icon: "plus", run: () => attempt(() => makeAgent(t.id)) })),
    ...(others.length ? ["line" as const, ...others.slice(0, 12).map(item)] : []),
    "line",
    { label: "No agent", checked: current === "", run: () => attempt(() => chooseAgent("")) },
  ];
}

/** A button that opens the choice of the agent. */
export function ChooseAgent({ label, class: cls }: { label: string; class: string }) {
  const [at, setAt] = useState<DOMRect | null>(null);
  return (
    <>
      <button class={cls} aria-haspopup="menu" aria-expanded={!!at} onClick={(e) => {
        const box = e.currentTarget.getBoundingClientRect();
        void attempt(async () => {
          await readCandidates();
          setAt(at ? null : box);
        });
      }}>{label}</button>
      {at && <Menu at={at} items={agentItems()} label="Agent" close={() => setAt(null)} />}
    </>
  );
}

function AgentMenu() {
  return <span class="push"><ChooseAgent label="Change" class="btn ghost small" /></span>;
}

function NoAgent() {
  const own = templatesOf("agent");
  return (
    <div class="empty">
      <span class="big-who"><Who kind="agent" /></span>
      <h2>No agent</h2>
      <p>An agent is a project of yours whose page works on this one. It may use every HOST function, never on its own files, and every turn can be undone.</p>
      <div class="acts">
        {own.map((t) => <button key={t.id} class="btn primary" onClick={() => void attempt(() => makeAgent(t.id))}>Make: {t.title}</button>)}
        {projects.value.length > 0 && <ChooseAgent label="Choose a project" class="btn" />}
      </div>
    </div>
  );
}

const quiet = 15_000; // ms after its last call for which an agent counts as at work

function TurnBar() {
  const turn = roles.value.turn;
  if (!turn) return null;
  const running = !turn.undone && (turn.running || now.value - Date.parse(turn.last) < quiet);
  const state = turn.undone ? "undone" : running ? "running" : "done";
  const n = turn.changed;
  return (
    <div class="turn" data-state={state} role="group" aria-label="Turn of the agent">
      {running ? <span class="live" aria-hidden="true" /> : <Icon name={turn.undone ? "undo" : "check"} small />}
      <span class="clip" title={turn.label}>{turn.undone ? "Turn undone" : running ? "Turn running" : "Turn done"}{turn.label && <span class="faint"> · {turn.label}</span>}</span>
      {!turn.undone && <span class="faint num">{n === 1 ? "1 file changed" : `${n} files changed`}</span>}
      <button class="btn small push" onClick={() => void attempt(turn.undone ? redoTurn : undoTurn)}>
        <Icon name="undo" small />{turn.undone ? "Do it again" : "Undo this turn"}
      </button>
    </div>
  );
}
