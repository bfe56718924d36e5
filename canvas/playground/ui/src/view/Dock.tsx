// The dock: panels as tabs below the bench. On a narrow page it is an area of its own.
import { useRef } from "preact/hooks";
import { keyName } from "../keys";
import { choosePanel, panel, type Mark } from "../store/dock";
import { panelOpen, togglePanel } from "../store/layout";
import { open } from "../store/state";
import { Icon } from "./Icon";
import { useInSight } from "./insight";
import { panels, type DockPanel } from "./panels";
import { Splitter } from "./Splitter";

export function Dock() {
  const all = panels();
  const now = all.find((p) => p.id === panel.value) ?? all[0];
  const made = useRef({ project: "", ids: new Set<string>() });
  const project = open.value!.id;
  if (made.current.project !== project) made.current = { project, ids: new Set() };
  made.current.ids.add(now.id);
  return (
    <section class="area panel" aria-label="Panel">
      {panelOpen.value && <Splitter split="panel" />}
      <div class="phead">
        <Tabs now={now} all={all} />
        <div class="tools2">
          {now.Tools && <div class="own" key={now.id}><now.Tools /></div>}
          <button class="btn ghost icon" id="toggle-panel" aria-label={panelOpen.value ? "Close the panel" : "Open the panel"} title={keyName("mod+`")} aria-expanded={panelOpen.value} onClick={togglePanel}>
            <Icon name="down" />
          </button>
        </div>
      </div>
      {all.map((p) => made.current.ids.has(p.id) && (
        <div key={p.id + "/" + project} class="pbody" role="tabpanel" id={`panel-${p.id}`} aria-labelledby={`tab-${p.id}`} hidden={p !== now}>
          <p.View />
        </div>
      ))}
    </section>
  );
}

function Tabs({ now, all }: { now: DockPanel; all: readonly DockPanel[] }) {
  const ref = useInSight<HTMLDivElement>("[aria-selected=true]", [now.id]);
  const onKey = (e: KeyboardEvent) => {
    const at = all.indexOf(now);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    choosePanel(all[(to + all.length) % all.length].id);
    requestAnimationFrame(() => ref.current?.querySelector<HTMLElement>("[aria-selected=true]")?.focus());
  };
  return (
    <div class="tabs" role="tablist" aria-label="Panel" ref={ref} onKeyDown={onKey}>
      {all.map((p) => <Tab key={p.id} panel={p} selected={p === now} />)}
    </div>
  );
}

function Tab({ panel: p, selected }: { panel: DockPanel; selected: boolean }) {
  const mark = p.mark?.();
  return (
    <button role="tab" id={`tab-${p.id}`} aria-selected={selected} aria-controls={selected ? `panel-${p.id}` : undefined} tabIndex={selected ? 0 : -1} onClick={() => choosePanel(p.id)}>
      {p.title}
      {mark && <Sign mark={mark} />}
    </button>
  );
}

function Sign({ mark }: { mark: Mark }) {
  return (
    <>
      {mark.live && <span class="live" aria-hidden="true" />}
      {mark.text !== undefined && <span class={`count ${mark.tone ?? ""}`} aria-hidden="true">{mark.text}</span>}
      <span class="vh">{mark.says}</span>
    </>
  );
}

/** What a narrow page says about the dock while it shows something else. */
export function dockAlarm(): string {
  return panels().map((p) => p.mark?.()).find((m) => m?.tone === "danger")?.says ?? "";
}
