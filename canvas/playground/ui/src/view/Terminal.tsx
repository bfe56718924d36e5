// A terminal: what was printed, and a line to type. Whatever session takes lines and prints has this view.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import * as api from "../api";
import { panel, type Mark } from "../store/dock";
import { panelOpen } from "../store/layout";
import { promptParts, type Line } from "../store/screen";
import { open } from "../store/state";
import { kinds, Terminal } from "../store/terminal";
import { attempt } from "../store/toasts";
import { Icon } from "./Icon";
import type { DockPanel } from "./panels";
import { Who } from "./Who";

const shown = signal<ReadonlyMap<string, Terminal>>(new Map()); // by kind

/** The panel of a kind of terminals. It is there if the program has them. */
export function terminalPanel(kind: string, title: string, about: (project: string) => string): DockPanel {
  return {
    id: kind, title,
    there: () => kinds.value.includes(kind),
    View: () => <Session kind={kind} title={title} />,
    Tools: () => <Tools kind={kind} about={about} />,
    mark: (): Mark | null => (shown.value.get(kind)?.busy.value && panel.value !== kind ? { live: true, says: "a command runs" } : null),
  };
}

export const pythonPanel = terminalPanel("python", "Python", (project) => `Files of ${project}, no network`);
export const javascriptPanel = terminalPanel("javascript", "JavaScript", (project) => `Files of ${project}, apart from its app`);
export const shellPanel = terminalPanel("shell", "Shell", (project) => `Files of ${project}, no network`);

function Tools({ kind, about }: { kind: string; about: (project: string) => string }) {
  const t = shown.value.get(kind);
  return (
    <>
      <span class="muted about">{about(open.value?.id ?? "")}</span>
      {t?.busy.value && <button class="btn small" onClick={() => t.interrupt("")}><Icon name="stop" small />Stop</button>}
      <button class="btn ghost small" onClick={() => t?.clear()}>Clear</button>
    </>
  );
}

function Session({ kind, title }: { kind: string; title: string }) {
  const project = open.value!.id;
  const t = shown.value.get(kind);
  useEffect(() => {
    const mine = new Terminal(project, kind);
    shown.value = new Map(shown.value).set(kind, mine);
    return () => {
      mine.close();
      const rest = new Map(shown.value);
      if (rest.get(kind) === mine) rest.delete(kind);
      shown.value = rest;
    };
  }, [project, kind]);
  return t?.project === project ? <Lines t={t} title={title} /> : <div class="term" />;
}

function Lines({ t, title }: { t: Terminal; title: string }) {
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLTextAreaElement>(null);
  const atEnd = useRef(true);
  const v = t.version.value;
  const stick = () => atEnd.current && box.current && (box.current.scrollTop = box.current.scrollHeight);
  useEffect(() => void stick(), [v, t.busy.value, t.jobs.value, panelOpen.value, panel.value]);
  useEffect(() => {
    const el = box.current!;
    const measure = () => {
      stick();
      const c = el.querySelector(".measure")!.getBoundingClientRect();
      if (c.width > 0 && el.clientWidth > 0) t.resize(Math.floor((el.clientWidth - 24) / (c.width / 10)), Math.floor(el.clientHeight / c.height));
    };
    let later = 0;
    const watch = new ResizeObserver(() => {
      clearTimeout(later);
      later = window.setTimeout(measure, 100);
    });
    watch.observe(el);
    return () => {
      watch.disconnect();
      clearTimeout(later);
    };
  }, [t]);
  const last = t.screen.lines[t.screen.lines.length - 1];
  const lines = last && last.pieces.length === 0 ? t.screen.lines.slice(0, -1) : t.screen.lines;
  return (
    <div class="term" ref={box} tabIndex={-1}
      onScroll={(e) => {
        const el = e.currentTarget;
        atEnd.current = el.scrollTop + el.clientHeight > el.scrollHeight - 24;
      }}
      onClick={() => {
        if (getSelection()?.isCollapsed !== false) input.current?.focus({ preventScroll: true });
      }}>
      <span class="measure" aria-hidden="true">0123456789</span>
      <div class="out" role="log" aria-label={`What ${title} printed`}>{lines.map(drawn)}</div>
      <Others t={t} />
      <Entry t={t} title={title} field={input} typed={() => {
        atEnd.current = true;
        stick();
      }} />
      {t.trouble.value && <p class="danger" role="alert">{t.trouble.value}</p>}
    </div>
  );
}

// A line that stays as it is, is drawn once.
const cache = new WeakMap<Line, { version: number; node: preact.JSX.Element }>();

function drawn(line: Line) {
  const had = cache.get(line);
  if (had?.version === line.version) return had.node;
  const node = <div key={line.id}>{line.pieces.map((p, i) => <span key={i} class={p.look || undefined}>{p.text}</span>)}{line.pieces.length === 0 && "\n"}</div>;
  cache.set(line, { version: line.version, node });
  return node;
}

/** What else runs, and what a command waits for: one command of the bench runs at a time. */
function Others({ t }: { t: Terminal }) {
  const [first, ...rest] = t.jobs.value;
  if (!first || (t.busy.value && !t.waits.value && !rest.some((j) => j.agent))) return null;
  const mine = t.busy.value && !t.waits.value;
  return (
    <p class="others" role="status">
      {mine ? <><Who kind="agent" /> The agent waits with <code>{rest.find((j) => j.agent)!.command}</code></> : (
        <>
          <Who kind={first.agent ? "agent" : "person"} /> {t.waits.value ? "Waits for " : ""}{first.agent ? "the agent" : `you, in ${first.project}`}: <code>{first.command}</code>
          <button class="btn small" onClick={() => void attempt(() => api.interruptJob(first.id))}><Icon name="stop" small />Stop it</button>
        </>
      )}
    </p>
  );
}

/** A search of the history: the line that was there before, and where what was found is, or -1. */
interface Search {
  before: string;
  at: number;
}

/** Where the last line before one that has a text is, or -1. */
function lastWith(lines: readonly string[], text: string, before: number): number {
  if (!text) return -1;
  for (let i = before - 1; i >= 0; i--) if (lines[i].includes(text)) return i;
  return -1;
}

function Found({ line, text }: { line: string; text: string }) {
  const at = line.indexOf(text);
  return (
    <p class="found" role="status">
      {line ? <>{line.slice(0, at)}<b>{text}</b>{line.slice(at + text.length)}</> : <span class="muted">{text ? "no line has that" : "type part of a line"}</span>}
    </p>
  );
}

function Entry({ t, title, field, typed }: { t: Terminal; title: string; field: { current: HTMLTextAreaElement | null }; typed: () => void }) {
  const at = useRef(t.history.length); // in the history
  const draft = useRef("");
  const leaving = useRef(false); // Escape was pressed: Tab is the browser's
  const pressed = useRef(""); // how Enter was pressed; not every keyboard of a phone says so
  const choices = useRef(signal<readonly string[]>([])).current;
  const searching = useRef(signal<Search | null>(null)).current;
  const { where, code, sign } = promptParts(t.prompt.value, t.code.value);
  const goesOn = sign === "... "; // a statement of Python or JavaScript
  const fit = () => {
    const el = field.current!;
    el.style.height = "0";
    el.style.height = el.scrollHeight + "px";
    typed();
  };
  const set = (text: string, cursor = text.length) => {
    const el = field.current!;
    el.value = text;
    el.setSelectionRange(cursor, cursor);
    fit();
  };
  const enter = () => {
    t.enter(field.current!.value);
    at.current = t.history.length;
    draft.current = "";
    set("");
  };
  const recall = (step: number): boolean => {
    const to = at.current + step;
    if (to < 0 || to > t.history.length) return false;
    if (at.current === t.history.length) draft.current = field.current!.value;
    at.current = to;
    set(to === t.history.length ? draft.current : t.history[to]);
    return true;
  };
  const complete = async () => {
    const el = field.current!;
    const before = el.value.slice(0, el.selectionStart);
    const after = el.value.slice(el.selectionEnd);
    const c = await t.complete(before).catch(() => null);
    if (!c || el.value !== before + after) return; // typed on meanwhile
    const common = c.words.reduce((a, b) => {
      let n = 0;
      while (n < a.length && a[n] === b[n]) n++;
      return a.slice(0, n);
    }, c.words[0] ?? "");
    const done = c.words.length === 1 && !common.endsWith("/") ? common + " " : common;
    if (c.words.length > 0 && done.length > 0 && before.slice(c.from) !== done) {
      set(before.slice(0, c.from) + done + after, c.from + done.length);
    }
    choices.value = c.words.length > 1 ? c.words : [];
    requestAnimationFrame(typed);
  };
  /** Ctrl-R: the line is what to look for, and the newest line of the history that has it, or an older one, stands below. */
  const search = () => {
    const s = searching.value;
    const text = field.current!.value;
    if (!s) {
      searching.value = { before: text, at: -1 };
      choices.value = [];
      return set("");
    }
    const found = lastWith(t.history, text, s.at < 0 ? t.history.length : s.at);
    if (found >= 0) searching.value = { ...s, at: found };
  };
  const leave = (text: string) => {
    searching.value = null;
    set(text);
  };
  const input = () => {
    const s = searching.value;
    if (s) searching.value = { ...s, at: lastWith(t.history, field.current!.value, t.history.length) };
    fit();
  };
  /** Keys while the history is searched. Those that are no letter take the line that was found; Ctrl-G and Ctrl-C do not. */
  const onSearchKey = (e: KeyboardEvent, s: Search): boolean => {
    const found = s.at < 0 ? field.current!.value : t.history[s.at];
    const key = e.key.toLowerCase();
    if (e.ctrlKey && !e.metaKey && !e.altKey) {
      if (key === "r") search();
      else if (key === "g" || key === "c") leave(s.before);
      else return false;
    } else if (e.key === "Enter" && !e.shiftKey) {
      leave(found);
      enter();
    } else if (["Escape", "Tab", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].includes(e.key)) leave(found);
    else return false;
    return true;
  };
  const onKey = (e: KeyboardEvent & { currentTarget: HTMLTextAreaElement }) => {
    if (e.isComposing) return;
    if (searching.value && onSearchKey(e, searching.value)) {
      e.preventDefault();
      e.stopPropagation();
      return;
    }
    const el = e.currentTarget;
    const { value, selectionStart: from, selectionEnd: to } = el;
    if (e.key !== "Tab" && e.key !== "Shift" && choices.value.length) choices.value = [];
    const escaped = leaving.current;
    leaving.current = e.key === "Escape";
    const act = (f: () => void) => {
      e.preventDefault();
      e.stopPropagation();
      f();
    };
    if (e.ctrlKey && !e.metaKey && !e.altKey && !e.shiftKey) {
      const key = e.key.toLowerCase();
      const start = value.lastIndexOf("\n", from - 1) + 1;
      const end = value.indexOf("\n", to) < 0 ? value.length : value.indexOf("\n", to);
      if (key === "c" && from === to && (getSelection()?.isCollapsed ?? true)) {
        return act(() => {
          t.interrupt(value);
          at.current = t.history.length;
          set("");
        });
      }
      if (key === "d" && !value) return act(() => (t.busy.value ? t.endInput() : t.enter("exit")));
      if (key === "r" && !t.busy.value) return act(search);
      if (key === "l") return act(() => t.clear());
      if (key === "u") return act(() => set(value.slice(0, start) + value.slice(to), start));
      if (key === "k") return act(() => set(value.slice(0, from) + value.slice(end), from));
      if (key === "a") return act(() => el.setSelectionRange(start, start));
      if (key === "e") return act(() => el.setSelectionRange(end, end));
      return;
    }
    if (e.metaKey || e.altKey || e.ctrlKey) return;
    if (e.key === "Enter") pressed.current = e.shiftKey ? "break" : "enter";
    if (e.key === "Enter" && !e.shiftKey) return act(enter);
    if (e.key === "Tab" && !e.shiftKey && !escaped) {
      const blank = !value.slice(value.lastIndexOf("\n", from - 1) + 1, from).trim();
      if (blank && from === to && t.kind !== "shell" && (goesOn || value.includes("\n"))) return act(() => set(value.slice(0, from) + "    " + value.slice(to), from + 4));
      if (value.slice(0, from).trim()) return act(() => void complete());
    }
    if (e.key === "ArrowUp" && !e.shiftKey && !value.slice(0, from).includes("\n") && recall(-1)) return act(() => undefined);
    if (e.key === "ArrowDown" && !e.shiftKey && !value.slice(to).includes("\n") && recall(1)) return act(() => undefined);
  };
  const onBreak = (e: InputEvent) => {
    if ((e.inputType !== "insertLineBreak" && e.inputType !== "insertParagraph") || pressed.current === "break") return;
    e.preventDefault();
    if (!pressed.current) enter();
  };
  return (
    <>
      {choices.value.length > 0 && <ul class="choices" aria-label="Completions">{choices.value.map((c) => <li key={c}>{c.replace(/^.*\/(?=.)/, "")}</li>)}</ul>}
      <span class="vh" role="status">{choices.value.length > 0 ? `${choices.value.length} completions` : ""}</span>
      <div class="entry">
        {searching.value ? <span class="muted" aria-hidden="true">history: </span> : !t.busy.value && <span aria-hidden="true"><span class="pmt">{where}</span>{code && <span class="danger"> {code}</span>}{sign}</span>}
        <textarea ref={field} rows={1} aria-label={searching.value ? `${title}: search the history` : t.busy.value ? `${title}: input of the command` : `${title}: command line`} aria-description="Tab completes. Ctrl-R searches the history. Escape, then Tab, leaves."
          autocomplete="off" autocapitalize="off" autocorrect="off" spellcheck={false} enterkeyhint="send" onInput={input} onKeyDown={onKey} onKeyUp={() => (pressed.current = "")} onBeforeInput={onBreak} />
      </div>
      {searching.value && <Found line={searching.value.at < 0 ? "" : t.history[searching.value.at]} text={field.current?.value ?? ""} />}
      <div class="keys" aria-label="Keys" role="group">
        {([["Tab", () => void complete()], ["↑", () => recall(-1)], ["↓", () => recall(1)], ["Ctrl-R", () => { if (!t.busy.value) search(); field.current?.focus(); }], ["Ctrl-C", () => { searching.value = null; t.interrupt(field.current!.value); set(""); }], ["Ctrl-D", () => t.busy.value && t.endInput()]] as [string, () => unknown][]).map(([name, f]) => (
          <button key={name} class="btn small" onMouseDown={(e) => e.preventDefault()} onClick={f}>{name}</button>
        ))}
      </div>
    </>
  );
}
