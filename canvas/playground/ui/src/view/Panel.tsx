import { useEffect, useRef } from "preact/hooks";
import { keyName } from "../keys";
import { clear, counts, filter, level, shown, type Level } from "../store/console";
import { panelOpen, togglePanel } from "../store/layout";
import { open, rows } from "../store/state";
import { Icon } from "./Icon";
import { LogRow } from "./LogRow";
import { Splitter } from "./Splitter";

export function Panel() {
  return (
    <section class="area panel" aria-label="Panel">
      {panelOpen.value && <Splitter split="panel" />}
      <div class="phead">
        <div class="tabs" role="tablist" aria-label="Panel">
          <button role="tab" aria-selected="true" id="tab-console" aria-controls="console">
            Console {counts.value.error > 0 && <span class="count danger">{counts.value.error}</span>}
          </button>
        </div>
        <div class="tools2">
          {panelOpen.value && <Tools />}
          <button class="btn ghost icon" id="toggle-panel" aria-label={panelOpen.value ? "Close the panel" : "Open the panel"} title={keyName("mod+`")} aria-expanded={panelOpen.value} onClick={togglePanel}>
            <Icon name="down" />
          </button>
        </div>
      </div>
      <Log />
    </section>
  );
}

function Tools() {
  const levels: [Level, string, number, string][] = [
    ["all", "All", 0, ""], ["error", "Errors", counts.value.error, "danger"], ["warn", "Warnings", counts.value.warn, "warn"], ["server", "Server", counts.value.server, ""],
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
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const list = shown.value;
  useEffect(() => {
    if (atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [list, panelOpen.value]);
  useEffect(() => {
    atEnd.current = true;
  }, [open.value?.id]);
  return (
    <div class="pbody" id="console" role="tabpanel" aria-labelledby="tab-console" tabIndex={0} ref={box} hidden={!panelOpen.value}
      onScroll={(e) => {
        const el = e.currentTarget;
        atEnd.current = el.scrollTop + el.clientHeight > el.scrollHeight - 24;
      }}>
      {list.length === 0 ? (
        <p class="quiet">{rows.value.length ? "Nothing here matches the filter." : "What the page and functions.js print appears here."}</p>
      ) : (
        <ol class="log" aria-label="Console">{list.map((r) => <LogRow key={r.entry.seq} row={r} />)}</ol>
      )}
    </div>
  );
}
