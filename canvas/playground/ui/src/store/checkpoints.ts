// Checkpoints: the timeline of the open project, and what differs between two moments of it.
import { computed, effect, signal } from "@preact/signals";
import * as api from "../api";
import type { ChangeInfo, CheckpointInfo, FileDiffReply } from "../wire";
import { panel, showPanel } from "./dock";
import { saveAll } from "./docs";
import { panelOpen } from "./layout";
import { load, save } from "./prefs";
import { area, open, person, projects } from "./state";
import { attempt, follow, toast } from "./toasts";

export const list = signal<readonly CheckpointInfo[] | null>(null); // null: not read yet
export const more = signal(false);
export const changed = signal(0); // files that differ now from the newest
export const from = signal(""); // the one that is selected, "" if none
export const to = signal(""); // what it is compared with; "" is now
export const changes = signal<readonly ChangeInfo[] | null>(null);
export const shownFile = signal("");
export const large = signal(false); // KV and databases are too large to be compared
export const lines = signal<FileDiffReply | null>(null);
export const label = signal("");
export const withState = signal(load("checkpoint") === "state");

export const selected = computed(() => list.value?.find((c) => c.id === from.value) ?? null);

const leaving = new Set<string>(); // deleted, but it can still be undone

export function titleOf(c: CheckpointInfo): string {
  // A restore makes one of what was there, and its undo another.
  const m = /^((?:before restoring )+)(.*)$/s.exec(c.label);
  if (!m) return c.label || "Checkpoint";
  return (m[1].length > 20 ? "Before undoing the restore of " : "Before restoring ") + m[2];
}

/** Who made it, in words. */
export function makerOf(c: CheckpointInfo): { kind: string; name: string } {
  const [kind, ...rest] = c.by.split(" ");
  const name = rest.join(" ");
  if (kind === "person" || !c.by) return { kind: "person", name: !name || name === person.value ? "you" : name };
  return { kind, name: name || kind };
}

/** Reads the timeline again, as far as it was read. */
export async function readTimeline(): Promise<void> {
  const id = open.value?.id;
  if (!id) return;
  const want = list.value?.length ?? 0;
  const all: CheckpointInfo[] = [];
  for (;;) {
    const page = await api.checkpoints(id, all[all.length - 1]?.id ?? "");
    if (open.value?.id !== id) return;
    all.push(...page.checkpoints);
    more.value = page.more;
    changed.value = page.changed;
    if (!page.more || all.length >= want) break;
  }
  show(all);
}

export async function readMore(): Promise<void> {
  const id = open.value?.id;
  const have = list.value ?? [];
  if (!id || !have.length) return;
  const page = await api.checkpoints(id, have[have.length - 1].id);
  if (open.value?.id !== id) return;
  more.value = page.more;
  show([...have, ...page.checkpoints]);
}

function show(all: readonly CheckpointInfo[]): void {
  list.value = all.filter((c) => !leaving.has(c.id));
  const there = (id: string) => list.value!.some((c) => c.id === id);
  if (!there(from.value)) from.value = list.value[0]?.id ?? "";
  if (to.value && !there(to.value)) to.value = "";
  void attempt(compare);
}

let turn = 0;

/** Compares the moments that are chosen. */
export async function compare(): Promise<void> {
  const id = open.value?.id;
  const mine = ++turn;
  if (!id || !from.value) {
    changes.value = null;
    lines.value = null;
    return;
  }
  const other = list.value?.find((c) => c.id === to.value);
  const d = await api.diff(id, from.value, to.value, !!selected.value?.state && (!other || other.state));
  if (mine !== turn) return;
  changes.value = d.changes;
  large.value = d.large;
  const still = d.changes.some((c) => keyOf(c) === shownFile.value);
  await showFile(still ? shownFile.value : d.changes[0] ? keyOf(d.changes[0]) : "");
}

/** What names a change among all: a table may be called as a file is. */
export const keyOf = (c: ChangeInfo) => `${c.part} ${c.name}`;

export async function showFile(key: string): Promise<void> {
  const id = open.value?.id;
  const change = changes.value?.find((c) => keyOf(c) === key);
  shownFile.value = key;
  if (!id || !change) {
    lines.value = null;
    return;
  }
  const mine = turn;
  const d = await api.diffFile(id, from.value, to.value, change);
  if (mine === turn && shownFile.value === key) lines.value = d;
}

export function choose(id: string): void {
  from.value = id;
  if (to.value === id) to.value = "";
  void attempt(compare);
}

export function compareWith(id: string): void {
  to.value = id;
  void attempt(compare);
}

export function chooseState(state: boolean): void {
  withState.value = state;
  save("checkpoint", state ? "state" : "files");
}

/** Whether the timeline is in view. */
function inView(): boolean {
  return panel.value === "checkpoints" && panelOpen.value && (innerWidth > 760 || area.value === "panel");
}

/** Makes a checkpoint of what is there, typed texts included. */
export async function create(): Promise<void> {
  const id = open.value?.id;
  if (!id) return;
  await saveAll();
  const made = await api.createCheckpoint(id, label.value.trim(), withState.value);
  label.value = "";
  from.value = made.id;
  to.value = "";
  if (inView()) return;
  toast(withState.value ? "Made a checkpoint of files and state" : "Made a checkpoint of the files", { action: { label: "Show", run: () => showPanel("checkpoints") } });
}

/** Goes back to a checkpoint at once. What was there is a checkpoint, which undoes it. */
export async function restore(c: CheckpointInfo, state: boolean): Promise<void> {
  const id = open.value?.id;
  if (!id) return;
  await saveAll();
  const before = await api.restore(id, c.id, state);
  if (state) await api.reload(id); // its files may be the same
  toast(`Restored ${state ? "files and state" : "the files"} of ${titleOf(c)}`, {
    action: {
      label: "Undo",
      run: async () => {
        await api.restore(id, before.id, state);
        if (state) await api.reload(id);
      },
    },
  });
}

/** Deletes a checkpoint when the time to undo it is over. */
export function remove(c: CheckpointInfo): void {
  const id = open.value?.id;
  if (!id) return;
  leaving.add(c.id);
  const back = () => {
    leaving.delete(c.id);
    if (open.value?.id === id) return readTimeline();
  };
  show(list.value ?? []);
  toast(`Deleted ${titleOf(c)}`, {
    action: { label: "Undo", run: back },
    then: () =>
      attempt(async () => {
        await api.deleteCheckpoint(id, c.id);
        leaving.delete(c.id);
      }),
  });
}

/** Makes a project of a checkpoint. opener opens it. */
export async function fork(c: CheckpointInfo, opener: (id: string) => unknown): Promise<void> {
  const id = open.value?.id;
  if (!id) return;
  const taken = new Set(projects.value);
  const stem = id.slice(0, 58);
  let name = `${stem}-fork`;
  for (let n = 2; taken.has(name); n++) name = `${stem}-fork-${n}`;
  await api.fork(id, c.id, name, c.state);
  toast(`Forked ${titleOf(c)} as ${name}`, { action: { label: "Open", run: () => opener(name) } });
}

/** News: the timeline is read again if it was read before. */
export function timelineChanged(): void {
  if (list.value) void follow(readTimeline);
}

let soon = 0;

/** Files changed, so what differs from now may. Typing makes one reading of many. */
export function presentChanged(): void {
  if (!list.value) return;
  clearTimeout(soon);
  soon = window.setTimeout(timelineChanged, 500);
}

/** KV or databases changed: what is in view is compared again, and the rest when it comes into view. */
export function stateChanged(): void {
  if (!selected.value?.state) return;
  if (inView()) presentChanged();
  else old = true;
}

let old = false;
effect(() => {
  if (!inView() || !old) return;
  old = false;
  presentChanged();
});

// Another project has another timeline.
let of = "";
effect(() => {
  const id = open.value?.id ?? "";
  if (id === of) return;
  of = id;
  list.value = null;
  more.value = false;
  changed.value = 0;
  from.value = to.value = shownFile.value = "";
  changes.value = lines.value = null;
});
