// The console: what the page and functions.js of the project print.
import { useEffect } from "preact/hooks";
import { clear, counts, filter, level, shown, type Level } from "../store/console";
import { panel, type Mark } from "../store/dock";
import { panelOpen } from "../store/layout";
import { rows } from "../store/state";
import { useEnd } from "./end";
import { Icon } from "./Icon";
import { LogRow } from "./LogRow";
import type { DockPanel } from "./panels";

export const consolePanel: DockPanel = { id: "console", title: "Console", View: Log, Tools, mark };

function mark(): Mark | null {
  const n = counts.value.error;
  return n > 0 ? { text: n, tone: "danger", says: n === 1 ? "1 error" : `${n} errors` } : null;
}

function Tools() {
  const levels: [Level, string, number, string][] = [
    ["all", "All", 0, ""], ["error", "Errors", counts.value.error, "danger"], ["warn", "Warnings", counts.value.warn, "warn"], ["server", "Server", counts.value.server, ""], ["request", "Requests", counts.value.request, ""],
  ];
  return (
    <>
      <div class="seg" role="group" aria-label="Level">
        {levels.map(([l, label, n, cls]) => (
          <button key={l} aria-pressed={level.value === l} onClick={() => (level.value = l)}>
            {label} {n > 0 && <span class={`count ${cls}`}>{n}</span>}
          </button>
        ))}
      </div>
      <label class="field soft small filter">
        <Icon name="search" small />
        <input placeholder="Filter" aria-label="Filter the console" value={filter.value} onInput={(e) => (filter.value = e.currentTarget.value)} />
      </label>
      <button class="btn ghost small" onClick={() => void clear()}>Clear</button>
    </>
  );
}

function Log() {
  const { box, stick, onScroll } = useEnd();
  const list = shown.value;
  useEffect(stick, [list, panelOpen.value, panel.value]);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Console" ref={box} onScroll={onScroll}>
      {list.length === 0 ? (
        <p class="quiet">{rows.value.length ? "Nothing here matches the filter." : "What the page and functions.js print appears here."}</p>
      ) : (
        <ol class="log" aria-label="Console">{list.map((r) => <LogRow key={r.entry.seq} row={r} />)}</ol>
      )}
    </div>
  );
}
