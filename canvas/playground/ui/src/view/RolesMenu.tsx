// Who does what on the project, each with what it may, and a way to change it.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { showLeft } from "../store/left";
import { plain } from "../store/plain";
import { closeTool, disconnect, roles, showTool, waiting } from "../store/roles";
import { open, palette } from "../store/state";
import { when } from "../store/time";
import { attempt } from "../store/toasts";
import { ChooseAgent } from "./AgentPane";
import { Icon } from "./Icon";
import { WaitingSign } from "./Waiting";
import { Who } from "./Who";
import { May } from "./Words";

export function RolesMenu() {
  const [shown, setShown] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const { agent, tools } = roles.value;
  const close = () => {
    setShown(false);
    button.current?.focus();
  };
  if (!open.value) return null;
  return (
    <>
      <button class="btn ghost rolebtn" ref={button} aria-haspopup="dialog" aria-expanded={shown} title={`Who works on ${open.value.id}`} onClick={() => setShown(!shown)}>
        <span class="clip"><span class={agent ? "on" : ""}><Who kind="agent" /></span> <span class="lbl">{agent?.project ?? "No agent"}</span></span>
        {tools.length > 0 && <span class="clip"><span class="on"><Who kind="tool" /></span> <span class="lbl">{tools.length === 1 ? tools[0].project : `${tools.length} tools`}</span></span>}
        <WaitingSign n={waiting.value} />
        <Icon name="down" small />
      </button>
      {shown && <Roles close={close} />}
    </>
  );
}

function Roles({ close }: { close: () => void }) {
  const ref = useRef<HTMLDivElement>(null);
  const { agent, tools, work, connects } = roles.value;
  useLayoutEffect(() => ref.current!.focus(), []); // before the next key
  useEffect(() => {
    const outside = (e: Event) => {
      const t = e.target as HTMLElement;
      if (!ref.current?.contains(t) && !t.closest?.(".rolebtn, .menu")) close();
    };
    addEventListener("pointerdown", outside, true);
    return () => removeEventListener("pointerdown", outside, true);
  }, []);
  return (
    <div class="pop rolemenu" role="dialog" aria-label="Roles" tabIndex={-1} ref={ref} onKeyDown={(e) => {
      if (e.key !== "Escape") return;
      e.preventDefault();
      e.stopPropagation();
      close();
    }}>
      <ul>
        <li>
          <Icon name="folder" small /><b class="clip">{work || "No work project"}</b>
          <button class="btn ghost small" onClick={() => { close(); palette.value = "projects"; }}>Change</button>
          <p>Work project. Its own page, API, KV, database and secrets. No HOST, no TOOL.</p>
        </li>
        <li>
          <span class={agent ? "on" : ""}><Who kind="agent" /></span><b class="clip">{agent?.project ?? "No agent"}</b>
          <span class="acts2">
            {agent && <button class="btn ghost small" onClick={() => { close(); showLeft("agent"); }}>Show</button>}
            <ChooseAgent label={agent ? "Change" : "Choose"} class="btn ghost small" />
          </span>
          <p>{agent ? <>Agent. Every HOST function, on all your projects but its own files. Since {when(agent.since)}, {agent.calls.toLocaleString("en")} calls.</> : "Nothing has HOST now."}</p>
        </li>
        {tools.map((t) => (
          <li key={t.id}>
            <span class="on"><Who kind="tool" /></span><b class="clip">{t.project}</b>
            <span class="acts2">
              <button class="btn ghost small" onClick={() => { close(); showTool(t.id); }}>Show</button>
              <button class="btn ghost small" onClick={() => void attempt(() => closeTool(t.id))}>Revoke</button>
            </span>
            <p>Tool{t.byAgent && ", opened by the agent"}. It may {[t.grant, ...t.added].map((g, i) => <span key={i}>{i > 0 && " and "}<May grant={g} /></span>)} until <b class="num">{when(t.grant.expires!)}</b>.</p>
          </li>
        ))}
        {connects.flatMap((c) => c.origins.map((o) => (
          <li key={c.project + " " + o}>
            <Icon name="external" small /><b class="clip">{c.project}</b>
            <button class="btn ghost small" aria-label={`Take back ${o} from ${c.project}`} onClick={() => void attempt(() => disconnect(c.project, o))}>Take back</button>
            <p>Its pages may talk to <code>{plain(o)}</code> and load from there.</p>
          </li>
        )))}
      </ul>
      {tools.length === 0 && connects.length === 0 && <p class="quiet">No tool is open. “Open with” above the editor opens one.</p>}
    </div>
  );
}
