// Checkpoints: a timeline with who made each, and what differs between two moments.
import { useEffect } from "preact/hooks";
import { keyName } from "../keys";
import {
  changed, changes, choose, chooseState, compareWith, create, fork, from, keyOf, label, large, lines, list, makerOf, more, readMore, readTimeline, remove, restore, selected, showFile, shownFile, titleOf, to, withState,
} from "../store/checkpoints";
import { size } from "../store/kinds";
import { openProject } from "../store/projects";
import { attempt } from "../store/toasts";
import { when } from "../store/time";
import type { ChangeInfo, CheckpointInfo, Hunk } from "../wire";
import { arrows } from "./arrows";
import { Icon } from "./Icon";
import type { DockPanel } from "./panels";
import { Who } from "./Who";

export const checkpointsPanel: DockPanel = { id: "checkpoints", title: "Checkpoints", View: Checkpoints, Tools };

function Tools() {
  return (
    <form class="line" onSubmit={(e) => { e.preventDefault(); void attempt(create); }}>
      <label class="field soft small filter">
        <input placeholder="Label" aria-label="Label of the checkpoint" maxLength={200} value={label.value} onInput={(e) => (label.value = e.currentTarget.value)} />
      </label>
      <div class="seg" role="group" aria-label="What it holds">
        <button type="button" aria-pressed={!withState.value} onClick={() => chooseState(false)}>Files</button>
        <button type="button" aria-pressed={withState.value} title="KV and databases as well; never secrets" onClick={() => chooseState(true)}>Files and state</button>
      </div>
      <button class="btn small" type="submit"><Icon name="flag" small />New checkpoint <span class="k">{keyName("mod+shift+s")}</span></button>
    </form>
  );
}

function Checkpoints() {
  useEffect(() => void attempt(readTimeline), []);
  if (!list.value) return <div />;
  if (!list.value.length) {
    return (
      <div class="scroll">
        <div class="empty">
          <Icon name="flag" class="big" />
          <h2>No checkpoint yet</h2>
          <p>A checkpoint keeps the files as they are, and with state what is in KV and databases. Whatever comes later, you can go back to it.</p>
        </div>
      </div>
    );
  }
  return (
    <div class="cols">
      <Timeline />
      {selected.value && <Comparison of={selected.value} />}
    </div>
  );
}

function files(n: number): string {
  return n === 1 ? "1 file" : `${n} files`;
}

function Timeline() {
  return (
    <div class="side tlbox">
      <p class="tlnow">
        <Who kind="person" />
        Now: {changed.value ? files(changed.value) : "no file"} changed since
      </p>
      <ol class="tl" aria-label="Checkpoints, the newest first" onKeyDown={arrows(".tl button")}>
        {list.value!.map((c, i, all) => <Moment key={c.id} c={c} first={i === all.length - 1 && !more.value} />)}
      </ol>
      {more.value && <button class="btn ghost small" onClick={() => void attempt(readMore)}>Show older ones</button>}
    </div>
  );
}

function Moment({ c, first }: { c: CheckpointInfo; first: boolean }) {
  const who = makerOf(c);
  const now = from.value === c.id;
  return (
    <li>
      <button aria-current={now} tabIndex={now ? 0 : -1} onClick={() => choose(c.id)}>
        <Who kind={who.kind} />
        <b class="clip">{titleOf(c)}</b>
        <time dateTime={c.time} title={new Date(c.time).toLocaleString()}>{when(c.time)}</time>
        <small class="clip">{who.name} · {first ? files(c.files) : `${files(c.changed)} changed`} · {c.state ? "files and state" : "files"}</small>
      </button>
    </li>
  );
}

function Comparison({ of: c }: { of: CheckpointInfo }) {
  const other = list.value!.find((o) => o.id === to.value);
  return (
    <div class="grow col">
      <div class="strip cmp">
        <b class="clip">{titleOf(c)}</b>
        <label class="field soft small pick">
          <span>to</span>
          <select aria-label="Compare with" value={to.value} onChange={(e) => compareWith(e.currentTarget.value)}>
            <option value="">now</option>
            {list.value!.filter((o) => o.id !== c.id).map((o) => <option key={o.id} value={o.id}>{titleOf(o)}, {when(o.time)}</option>)}
          </select>
        </label>
        <span class="muted clip">{summary(other)}</span>
        <span class="push" />
        <button class="btn ghost small icon" aria-label={`Delete ${titleOf(c)}`} title="Delete" onClick={() => remove(c)}><Icon name="trash" small /></button>
        <button class="btn small" onClick={() => void attempt(() => fork(c, (id) => attempt(() => openProject(id))))}><Icon name="fork" small />Fork</button>
        <button class="btn small" onClick={() => void attempt(() => restore(c, false))}>Restore files</button>
        {c.state && <button class="btn small" onClick={() => void attempt(() => restore(c, true))}>Restore files and state</button>}
      </div>
      <div class="cols">
        {!!changes.value?.length && <Changes />}
        <FileDiff />
      </div>
    </div>
  );
}

function summary(other: CheckpointInfo | undefined): string {
  if (!changes.value) return "";
  if (large.value) return "KV and databases are too large to be compared.";
  if (!changes.value.length) return other ? "Nothing differs." : "Nothing has changed since.";
  const n = { added: 0, removed: 0, changed: 0, renamed: 0 } as Record<string, number>;
  for (const c of changes.value) n[c.kind]++;
  return Object.entries(n).filter(([, k]) => k).map(([kind, k]) => `${k} ${kind}`).join(", ");
}

function Changes() {
  return (
    <ul class="side chg" aria-label="What differs" onKeyDown={arrows(".chg button")}>
      {changes.value!.map((c) => (
        <li key={keyOf(c)}>
          <button aria-current={shownFile.value === keyOf(c)} tabIndex={shownFile.value === keyOf(c) ? 0 : -1} title={c.from ? `${c.from} is now ${c.name}` : titles[c.part] + c.name} onClick={() => void attempt(() => showFile(keyOf(c)))}>
            {c.part && <Icon name={c.part === "kv" ? "grid" : "table"} small />}
            <span class="clip">{c.name}</span>
            <Amount c={c} />
          </button>
        </li>
      ))}
    </ul>
  );
}

const titles: Record<string, string> = { "": "", kv: "KV namespace ", db: "Table " };

function Amount({ c }: { c: ChangeInfo }) {
  if (c.kind === "renamed" || !c.counted) return <span class="count">{c.kind}</span>;
  return (
    <span class="count">
      {c.kind !== "changed" && c.kind + " "}
      {c.added > 0 && <span class="plus">+{c.added}</span>} {c.removed > 0 && <span class="minus">−{c.removed}</span>}
    </span>
  );
}

function FileDiff() {
  const d = lines.value;
  const c = changes.value?.find((x) => keyOf(x) === shownFile.value);
  if (!d || !c) return <div class="grow" />;
  return (
    <div class="grow scroll diff" tabIndex={0} role="region" aria-label={`Changes of ${c.name}`}>
      {c.from && <p class="hunk">{c.from} is now {c.name}</p>}
      {!d.text ? (
        <p class="quiet">{d.long ? "Too long to compare line by line." : "A binary file."} {amount(c)}</p>
      ) : !d.hunks.length ? (
        <p class="quiet">{c.from ? "Its contents are the same." : "An empty file."}</p>
      ) : (
        d.hunks.map((h, i) => <Lines key={i} h={h} />)
      )}
      {d.cut && <p class="quiet">There is more, which is not shown.</p>}
    </div>
  );
}

function amount(c: ChangeInfo): string {
  if (c.kind === "added") return `${size(c.size)}, added.`;
  if (c.kind === "removed") return `${size(c.was)}, removed.`;
  return c.size === c.was ? `${size(c.size)}, as before.` : `${size(c.size)}, was ${size(c.was)}.`;
}

function Lines({ h }: { h: Hunk }) {
  let before = h.before;
  let after = h.after;
  return (
    <>
      <div class="hunk">Line {Math.max(h.after, 1)}</div>
      {h.lines.map((l, i) => {
        const sign = l[0];
        if (sign === "\\") return <div class="d" key={i}><i /><s /><span class="faint">no line break at the end</span></div>;
        const n = sign === "-" ? before : after;
        if (sign !== "+") before++;
        if (sign !== "-") after++;
        return (
          <div class={`d${sign === "+" ? " a" : sign === "-" ? " r" : ""}`} key={i}>
            <i>{n}</i>
            <s>{sign === "-" ? "−" : sign}</s>
            <span>{l.slice(1)}</span>
          </div>
        );
      })}
    </>
  );
}
