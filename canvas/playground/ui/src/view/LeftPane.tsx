// The left pane: the files of the project, or the agent that works on it.
import { useEffect } from "preact/hooks";
import { agentSeen, chooseLeft, left, type Left } from "../store/left";
import { waiting } from "../store/roles";
import { area } from "../store/state";
import { AgentPane } from "./AgentPane";
import { FileTree } from "./FileTree";
import { Splitter } from "./Splitter";
import { WaitingSign } from "./Waiting";

const names: [Left, string][] = [["files", "Files"], ["agent", "Agent"]];

export function LeftPane() {
  // On a narrow page the areas are chosen at its bottom.
  useEffect(() => {
    if (area.value === "files" || area.value === "agent") chooseLeft(area.value);
  }, [area.value]);
  const onKey = (e: KeyboardEvent) => {
    if (!["ArrowLeft", "ArrowRight", "Home", "End"].includes(e.key)) return;
    e.preventDefault();
    chooseLeft(left.value === "files" ? "agent" : "files");
    const list = e.currentTarget as HTMLElement;
    requestAnimationFrame(() => list.querySelector<HTMLElement>("[aria-selected=true]")?.focus());
  };
  return (
    <section class="area left" aria-label={left.value === "files" ? "Files" : "Agent"}>
      <div class="phead lefttabs">
        <div class="tabs" role="tablist" aria-label="Left pane" onKeyDown={onKey}>
          {names.map(([l, label]) => (
            <button key={l} role="tab" id={`left-${l}`} aria-selected={left.value === l} aria-controls={`leftpane-${l}`} tabIndex={left.value === l ? 0 : -1} onClick={() => chooseLeft(l)}>
              {label}
              {l === "agent" && left.value !== l && <WaitingSign n={waiting.value} />}
            </button>
          ))}
        </div>
      </div>
      <div class="col grow" role="tabpanel" id="leftpane-files" aria-labelledby="left-files" hidden={left.value !== "files"}><FileTree /></div>
      <div class="col grow" role="tabpanel" id="leftpane-agent" aria-labelledby="left-agent" hidden={left.value !== "agent"}>{(agentSeen.value || left.value === "agent") && <AgentPane />}</div>
      <Splitter split={left.value === "agent" ? "agent" : "left"} key={left.value} />
    </section>
  );
}
