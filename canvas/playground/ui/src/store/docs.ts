// Open files: tabs, saving as one types, and what happens when someone else writes the same file.
import { signal } from "@preact/signals";
import * as api from "../api";
import { editorNow, loadEditor } from "../load";
import { merge3, textOf, type Part } from "../merge";
import { kindOf, type Kind } from "./kinds";
import { active, activeDoc, area, cursor, docs, files, open, tool } from "./state";
import { follow, toast } from "./toasts";

/** What the file is on the server, when that is not what the editor began with. */
export interface Conflict {
  hash: string; // "" if it was removed
  text: string;
  parts: readonly Part[]; // both versions merged as far as they fit; none if one is no text
}

/** A Doc is a file in a tab. Its text is in the editor. */
export class Doc {
  readonly name;
  readonly dirty = signal(false);
  readonly saving = signal(false);
  readonly saved = signal<Date | null>(null);
  readonly conflict = signal<Conflict | null>(null);
  inflight: Promise<void> | null = null;
  timer = 0;
  version = 0; // counts edits
  closed = false;

  constructor(
    readonly project: string,
    name: string,
    readonly kind: Kind,
    public hash: string, // of the contents last read or written
    readonly size: number,
    readonly head: string, // of a binary file, in base64
    public base: string, // the text last read or written
  ) {
    this.name = signal(name);
  }
}

const saveAfter = 150; // ms without typing
const retryAfter = 3000; // ms after a failure

const hooks = {
  changed(name: string) {
    const doc = find(name);
    if (!doc) return;
    doc.version++;
    doc.dirty.value = true;
    schedule(doc, saveAfter);
  },
  moved(line: number, column: number) {
    cursor.value = { line, column };
  },
};

export function find(name: string): Doc | undefined {
  return docs.value.find((d) => d.name.value === name);
}

let latest = 0; // the last file asked for wins

/** Opens a file in a tab, at a line if one is given. For the person it is also brought to the front and gets the focus. */
export async function openFile(name: string, line = 0, column = 1, person = true): Promise<void> {
  const project = open.value?.id;
  if (!project) return;
  const turn = ++latest;
  let doc = find(name);
  if (!doc) {
    const f = await api.readFile(project, name);
    if (turn !== latest && find(name)) return;
    if (open.value?.id !== project) return;
    if (f.text) {
      const ed = await loadEditor(hooks);
      if (open.value?.id !== project) return;
      if (!find(name)) ed.add(name, f.data);
    }
    doc = find(name);
    if (!doc) {
      doc = new Doc(project, name, f.text ? "text" : kindOf(name).kind, f.hash, f.size, f.text ? "" : f.data, f.text ? f.data : "");
      docs.value = [...docs.value, doc];
    }
  }
  if (turn === latest) activate(name, line, column, person);
}

/** Shows a file that is open. */
export function activate(name: string, line = 0, column = 1, person = true): void {
  active.value = name;
  if (person) {
    tool.value = "";
    area.value = "editor";
  }
  const ed = editorNow();
  if (ed && find(name)?.kind === "text") {
    ed.show(name);
    if (line > 0) ed.goTo(line, column, person);
  }
}

export async function closeDoc(doc: Doc): Promise<void> {
  await settle(doc);
  discard(doc);
}

/** Writes what is not written yet of some files. It fails rather than let a text be lost. */
export async function settle(...some: readonly Doc[]): Promise<void> {
  await Promise.all(some.map(save));
  for (const doc of some) {
    if (doc.conflict.value) throw new Error(`${doc.name.value} was changed here and elsewhere. Choose a version first.`);
    if (doc.dirty.value && !doc.closed) throw new Error(`${doc.name.value} has changes that are not saved yet.`);
  }
}

function discard(doc: Doc): void {
  clearTimeout(doc.timer);
  doc.closed = true;
  const at = docs.value.indexOf(doc);
  docs.value = docs.value.filter((d) => d !== doc);
  if (doc.kind === "text") editorNow()?.remove(doc.name.value);
  if (active.value === doc.name.value) {
    const next = docs.value[Math.min(at, docs.value.length - 1)];
    if (next) activate(next.name.value, 0, 1, false);
    else active.value = "";
  }
}

/** Closes all tabs; what is not written yet is written first. */
export async function closeAll(): Promise<void> {
  await settle(...docs.value);
  for (const doc of [...docs.value]) discard(doc);
}

export async function saveAll(): Promise<void> {
  await Promise.all(docs.value.map(save));
}

export async function saveActive(): Promise<void> {
  if (activeDoc.value) await save(activeDoc.value);
}

function schedule(doc: Doc, ms: number): void {
  clearTimeout(doc.timer);
  doc.timer = window.setTimeout(() => void save(doc), ms);
}

/** Writes a file if it has changes. One write of a file is under way at a time. */
export async function save(doc: Doc): Promise<void> {
  clearTimeout(doc.timer);
  while (doc.inflight) await doc.inflight;
  if (!doc.dirty.value || doc.conflict.value || doc.closed) return;
  doc.inflight = write(doc).finally(() => (doc.inflight = null));
  await doc.inflight;
}

async function write(doc: Doc): Promise<void> {
  const version = doc.version;
  const text = editorNow()!.text(doc.name.value);
  doc.saving.value = true;
  try {
    const info = await api.writeFile(doc.project, doc.name.value, text, doc.hash);
    doc.hash = info.hash;
    doc.base = text;
    doc.saved.value = new Date();
    if (open.value?.id === doc.project) files.value = new Map(files.value).set(info.name, info);
    if (doc.version === version) doc.dirty.value = false;
    else schedule(doc, saveAfter);
  } catch (e) {
    if (!(e instanceof api.Failure)) throw e;
    if (e.conflict) {
      meet(doc, e.conflict.hash, e.conflict.text ? e.conflict.data : null);
      return;
    }
    if (e.status === 0 || e.status === 503) schedule(doc, retryAfter);
    else toast(`${doc.name.value} is not saved. ${e.message}`, { danger: true });
  } finally {
    doc.saving.value = false;
  }
}

/**
 * Takes note of another version of a file that has changes here: theirs, or null if it is no text.
 * What fits together is merged and saved; the person is asked only where both changed the same lines.
 */
function meet(doc: Doc, hash: string, theirs: string | null): void {
  const name = doc.name.value;
  const mine = editorNow()!.text(name);
  if (hash === "" || theirs === null) {
    doc.conflict.value = { hash, text: theirs ?? "", parts: [] };
    return;
  }
  const parts = merge3(doc.base, mine, theirs);
  if (parts.some((p) => p.kind === "clash")) {
    doc.conflict.value = { hash, text: theirs, parts };
    return;
  }
  const both = textOf(parts);
  doc.hash = hash;
  doc.base = theirs;
  doc.conflict.value = null;
  if (both === theirs) {
    doc.dirty.value = false;
    editorNow()!.replace(name, both);
    return;
  }
  takeText(doc, both);
  if (both !== mine) toast(`${name}: what you and others changed fits together`, { ms: 4000 });
}

const leaving = new Set<string>(); // names under which this page's own files will not be any more

/** Runs f, which renames files. That they are gone by their old names may be heard before it has ended, and closes no tab. */
export async function renaming(names: readonly string[], f: () => Promise<void>): Promise<void> {
  for (const n of names) leaving.add(n);
  try {
    await f();
  } finally {
    for (const n of names) leaving.delete(n);
  }
}

/** Hears that a file was written or removed, perhaps by this page. */
export async function changedElsewhere(name: string, hash: string): Promise<void> {
  const doc = find(name);
  if (!doc || (hash === "" && leaving.has(name))) return;
  while (doc.inflight) await doc.inflight;
  if (doc.closed || doc.hash === hash) return;
  if (hash === "") gone(doc);
  else await follow(() => refresh(doc));
}

function gone(doc: Doc): void {
  if (doc.dirty.value) meet(doc, "", null);
  else discard(doc);
}

/** Brings a doc to what the server has, which may be what it has already. */
async function refresh(doc: Doc): Promise<void> {
  const name = doc.name.value;
  const before = doc.hash;
  let now;
  try {
    now = await api.readFile(doc.project, name);
  } catch (e) {
    if (!(e instanceof api.Failure) || e.code !== "not_found") throw e;
    if (doc.closed || doc.name.value !== name) return;
    gone(doc);
    return;
  }
  if (doc.closed || doc.inflight || now.hash === doc.hash) return;
  // This page has written meanwhile: what was read may be older than that.
  if (doc.hash !== before) return refresh(doc);
  if (doc.kind !== "text" || !now.text) {
    const shown = active.value === name;
    discard(doc);
    if (shown) await openFile(name);
  } else if (doc.dirty.value) {
    meet(doc, now.hash, now.data);
  } else {
    doc.hash = now.hash;
    doc.base = now.data;
    editorNow()!.replace(name, now.data);
  }
}

/** Asks the server about every open file: after news was missed. */
export async function refreshAll(): Promise<void> {
  for (const doc of [...docs.value]) await follow(() => refresh(doc));
}

/** Resolves a conflict with their version; undoing brings one's own back. */
export function takeTheirs(doc: Doc): void {
  const theirs = doc.conflict.value;
  if (!theirs) return;
  const name = doc.name.value;
  const mine = editorNow()!.text(name);
  doc.conflict.value = null;
  doc.dirty.value = false;
  if (theirs.hash === "") {
    discard(doc);
    toast(`Closed ${name}`, { action: { label: "Undo", run: async () => void (await api.writeFile(doc.project, name, mine, "")) } });
    return;
  }
  doc.hash = theirs.hash;
  doc.base = theirs.text;
  editorNow()!.replace(name, theirs.text);
  toast(`Took the other version of ${name}`, { action: { label: "Undo", run: () => takeText(doc, mine) } });
}

/** Resolves a conflict with one's own version, or with a text made of both. */
export function takeMine(doc: Doc, text?: string): void {
  const theirs = doc.conflict.value;
  if (!theirs) return;
  doc.hash = theirs.hash;
  doc.base = theirs.text;
  doc.conflict.value = null;
  takeText(doc, text ?? editorNow()!.text(doc.name.value));
}

/** Keeps one's own version beside theirs, in a file of a new name. */
export async function takeBoth(doc: Doc): Promise<void> {
  const name = doc.name.value;
  const dot = name.lastIndexOf(".") > name.lastIndexOf("/") + 1 ? name.lastIndexOf(".") : name.length;
  let beside = "";
  for (let n = 1; !beside || files.value.has(beside); n++) beside = `${name.slice(0, dot)}.mine${n > 1 ? n : ""}${name.slice(dot)}`;
  await api.writeFile(doc.project, beside, editorNow()!.text(name), "");
  takeTheirs(doc);
  toast(`Your version is in ${beside}`);
}

function takeText(doc: Doc, text: string): void {
  if (doc.closed) return;
  editorNow()!.replace(doc.name.value, text);
  doc.version++;
  doc.dirty.value = true;
  void save(doc);
}

/** Follows a file that this page renamed. */
export function renamed(from: string, to: string): void {
  const doc = find(from);
  if (!doc) return;
  if (doc.kind === "text") editorNow()!.rename(from, to);
  doc.name.value = to;
  if (active.value === from) active.value = to;
  docs.value = [...docs.value];
}

/** Closes the tab of a file that this page removed. */
export function removed(name: string): void {
  const doc = find(name);
  if (doc) discard(doc);
}
