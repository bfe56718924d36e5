// Lines of the project's files that hold what is looked for. A press opens the editor there.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { openFile } from "../store/docs";
import { find, found, regex, trouble } from "../store/search";
import { attempt } from "../store/toasts";
import type { Match } from "../wire";
import { Icon } from "./Icon";

export function FoundLines() {
  const ref = useRef<HTMLDivElement>(null);
  const stop = useSignal(0); // the row that Tab reaches
  const f = found.value;
  if (trouble.value) return <p class="quiet danger" role="status">{trouble.value}</p>;
  if (!f) return null;
  const many = f.matches.length;
  const onKey = (e: KeyboardEvent) => {
    const to = { ArrowDown: stop.value + 1, ArrowUp: stop.value - 1, Home: 0, End: many - 1 }[e.key];
    if (to === undefined || to < 0 || to >= many) return;
    e.preventDefault();
    stop.value = to;
    ref.current?.querySelectorAll<HTMLElement>(".hit")[to]?.focus();
  };
  return (
    <div class="found" role="region" aria-label="Found in files" ref={ref} onKeyDown={onKey}>
      <h2><span role="status">{many === 0 ? "No line holds that" : `${f.more ? "The first " : ""}${many} ${many === 1 ? "line" : "lines"}`}</span></h2>
      {f.matches.map((m, i) => (
        <>
          {m.path !== f.matches[i - 1]?.path && <h3 key={m.path} class="clip" title={m.path}><Icon name="file" small /> {m.path}</h3>}
          <button key={`${m.path}:${m.line}`} class="hit" tabIndex={i === Math.min(stop.value, many - 1) ? 0 : -1} title={`${m.path}:${m.line}`} onFocus={() => (stop.value = i)}
            onClick={() => void attempt(() => openFile(m.path, m.line, m.column))}>
            <span class="num">{m.line}</span> <span class="clip"><Marked match={m} /></span>
          </button>
        </>
      ))}
      {f.skipped && <p class="quiet">Too large to be searched: {f.skipped.join(", ")}</p>}
    </div>
  );
}

/** The line, from a little before the match; what matched is marked where that is plain text. */
function Marked({ match }: { match: Match }) {
  const words = find.value.trim();
  const text = match.text;
  const at = regex.value ? -1 : text.toLowerCase().indexOf(words.toLowerCase(), text.startsWith("…") ? 0 : Math.max(match.column - 3, 0));
  if (at < 0) return <>{text.trim()}</>;
  const from = Math.max(0, at - 24);
  return <>{from > 0 && "…"}{text.slice(from, at).trimStart()}<mark>{text.slice(at, at + words.length)}</mark>{text.slice(at + words.length, at + 200)}</>;
}
