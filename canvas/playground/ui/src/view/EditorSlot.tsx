import { useEffect, useRef } from "preact/hooks";
import { editorNow } from "../load";
import { activate, closeDoc, type Doc } from "../store/docs";
import { languageName, size } from "../store/kinds";
import { endedTabs, asking, cancelAsk, closeTool, showTool, tabs } from "../store/roles";
import { active, activeDoc, cursor, docs, tool } from "../store/state";
import { attempt } from "../store/toasts";
import { ConflictBar } from "./ConflictBar";
import { Icon } from "./Icon";
import { useInSight } from "./insight";
import { Preview } from "./Preview";
import { OpenWith } from "./OpenWith";
import { Splitter } from "./Splitter";
import { ToolAsk } from "./ToolAsk";
import { EndedPane, ToolPane } from "./ToolPane";
import { Who } from "./Who";

export function EditorSlot() {
  const doc = tool.value ? null : activeDoc.value;
  return (
    <section class="area slot" aria-label="Editor">
      <div class="etabs">{(docs.value.length > 0 || tools().length > 0) && <Tabs />}<OpenWith /></div>
      {doc?.conflict.value && <ConflictBar doc={doc} />}
      <TextEditor visible={doc?.kind === "text"} />
      {doc && doc.kind !== "text" && <Preview key={doc.name.value + doc.hash} doc={doc} />}
      {tabs.value.map((s) => <ToolPane key={s.id} session={s} shown={tool.value === s.id} />)}
      {endedTabs.value.map((e) => <EndedPane key={e.session.id} ended={e} shown={tool.value === e.session.id} />)}
      {tool.value === "ask" && <ToolAsk />}
      {!doc && !tool.value && (
        <div class="empty">
          <Icon name="code" class="big" />
          <h2>Nothing open</h2>
          <p>Choose a file in the tree. What you type is saved as you go, and the canvas follows.</p>
        </div>
      )}
      {doc && <Status doc={doc} />}
      <Splitter split="canvas" />
    </section>
  );
}

interface ToolTab {
  id: string; // of the session, or "ask"
  project: string;
  over: boolean;
}

/** The tabs of tools, after those of files. */
function tools(): ToolTab[] {
  return [
    ...tabs.value.map((s) => ({ id: s.id, project: s.project, over: false })),
    ...endedTabs.value.map((e) => ({ id: e.session.id, project: e.session.project, over: true })),
    ...(asking.value && tool.value === "ask" ? [{ id: "ask", project: asking.value.project, over: true }] : []),
  ];
}

function Tabs() {
  const sign = !!activeDoc.value && (activeDoc.value.dirty.value || !!activeDoc.value.conflict.value); // which makes its tab wider
  const ref = useInSight<HTMLDivElement>("[data-selected=true]", [active.value, tool.value, docs.value.length, sign]);
  const onKey = (e: KeyboardEvent) => {
    const of = tools();
    const n = docs.value.length + of.length;
    const at = tool.value ? docs.value.length + of.findIndex((t) => t.id === tool.value) : docs.value.findIndex((d) => d.name.value === active.value);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: n - 1 }[e.key];
    if (e.key === "Delete") void attempt(() => (tool.value ? closeToolTab(tool.value) : closeDoc(docs.value[at])));
    else if (to === undefined) return;
    else {
      const next = (to + n) % n;
      if (next < docs.value.length) activate(docs.value[next].name.value);
      else showTool(of[next - docs.value.length].id);
      requestAnimationFrame(() => ref.current?.querySelector<HTMLElement>("[aria-selected=true]")?.focus());
    }
    e.preventDefault();
  };
  return (
    <div role="tablist" aria-label="Open files" ref={ref} onKeyDown={onKey}>
      {docs.value.map((d) => <Tab key={d.name.value} doc={d} />)}
      {tools().map((t) => <ToolTab key={t.id} of={t} />)}
    </div>
  );
}

function closeToolTab(id: string): void | Promise<void> {
  return id === "ask" ? cancelAsk() : closeTool(id);
}

function ToolTab({ of: t }: { of: ToolTab }) {
  const selected = tool.value === t.id;
  const close = () => void attempt(() => closeToolTab(t.id));
  return (
    <div class="etab tooltab" data-selected={selected} data-over={t.over} onAuxClick={(e) => e.button === 1 && close()}>
      <button role="tab" aria-selected={selected} tabIndex={selected ? 0 : -1} aria-keyshortcuts="Delete" onClick={() => showTool(t.id)}>
        <span class={t.over ? "" : "on"}><Who kind="tool" /></span>
        <span>{t.project}</span>
      </button>
      <span class="x" title={t.over ? "Close" : "Close and revoke"} aria-hidden="true" onClick={close}><Icon name="x" small /></span>
    </div>
  );
}

function Tab({ doc }: { doc: Doc }) {
  const name = doc.name.value;
  const selected = name === active.value && !tool.value;
  const slash = name.lastIndexOf("/") + 1;
  const close = () => void attempt(() => closeDoc(doc));
  return (
    <div class="etab" data-selected={selected} onAuxClick={(e) => e.button === 1 && close()}>
      <button role="tab" aria-selected={selected} tabIndex={selected ? 0 : -1} aria-keyshortcuts="Delete" title={name} onClick={() => activate(name)}>
        {doc.conflict.value ? <Icon name="warn" small class="warn" /> : doc.dirty.value ? <span class="dirty" role="img" aria-label="not saved" /> : null}
        <span>{name.slice(slash)}</span>
        {slash > 0 && <span class="faint dir">{name.slice(0, slash - 1)}</span>}
      </button>
      <span class="x" title={`Close ${name}`} aria-hidden="true" onClick={close}><Icon name="x" small /></span>
    </div>
  );
}

/** Holds the page's one editor. It stays in the page while other things are shown. */
function TextEditor({ visible }: { visible: boolean }) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (visible && ref.current && !ref.current.firstChild) editorNow()?.attach(ref.current);
  });
  return <div class="ebody" ref={ref} hidden={!visible} />;
}

function Status({ doc }: { doc: Doc }) {
  return (
    <div class="foot">
      {doc.kind === "text" && <span class="num">Line {cursor.value.line}, column {cursor.value.column}</span>}
      <span class="push">{doc.kind === "text" ? languageName(doc.name.value) : size(doc.size)}</span>
      <span role="status" class={doc.conflict.value ? "warn" : ""}>{saved(doc)}</span>
    </div>
  );
}

function saved(doc: Doc): string {
  if (doc.kind !== "text") return "";
  if (doc.conflict.value) return "Changed elsewhere";
  if (doc.saving.value) return "Saving";
  if (doc.dirty.value) return "Not saved";
  return doc.saved.value ? "Saved " + doc.saved.value.toLocaleTimeString([], { hour12: false }) : "Saved";
}
