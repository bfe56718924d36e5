// What a person does to files in the tree. Each act is done at once and can be undone.
import { signal } from "@preact/signals";
import * as api from "../api";
import type { EditRequest } from "../wire";
import { find, openFile, removed, renamed, renaming, settle } from "./docs";
import { job } from "./jobs";
import { files, messageOf, open } from "./state";
import { toast } from "./toasts";

/** The files at or below a path. */
function below(path: string): string[] {
  return [...files.value.keys()].filter((n) => n === path || n.startsWith(path + "/"));
}

function settleBelow(path: string): Promise<void> {
  return settle(...below(path).flatMap((n) => find(n) ?? []));
}

/** What is wrong with a name for a file, in words, or "". */
export function nameTrouble(name: string): string {
  if (!name) return "A file needs a name.";
  if (name.startsWith("/") || name.endsWith("/") || name.includes("//")) return "A name has no empty parts.";
  if (name.split("/").some((p) => p === "." || p === "..")) return "A name has no parts . or ..";
  if (/[\\:\x00-\x1f]/.test(name)) return "A name holds no \\ and no :";
  if (files.value.has(name)) return `There is a file ${name} already.`;
  return "";
}

export async function createFile(name: string, text = ""): Promise<void> {
  const id = open.value!.id;
  const info = await api.writeFile(id, name, text, "");
  files.value = new Map(files.value).set(name, info);
  await openFile(name);
}

/** Renames a file or a folder. */
export async function rename(from: string, to: string): Promise<void> {
  if (from === to) return;
  if (!below(from).length) {
    emptyFolders.value = new Set([...emptyFolders.value].map((f) => (f === from ? to : f)));
    return;
  }
  await settleBelow(from);
  await move(open.value!.id, from, to);
  toast(`Renamed ${from} to ${to}`, { action: { label: "Undo", run: () => move(open.value!.id, to, from) } });
}

async function move(id: string, from: string, to: string): Promise<void> {
  const names = below(from);
  const next = new Map(files.value);
  const pairs: [string, string][] = names.map((n) => [n, to + n.slice(from.length)]);
  await renaming(names, async () => {
    await api.edit(id, pairs.map(([a, b]) => ({ name: a, rename: b, expected: next.get(a)!.hash })));
    for (const [a, b] of pairs) {
      next.set(b, { ...next.get(a)!, name: b });
      next.delete(a);
      renamed(a, b);
    }
  });
  files.value = next;
}

/** Folders that a person made and put nothing in yet: a project has none without files. */
export const emptyFolders = signal<ReadonlySet<string>>(new Set());

export function createFolder(path: string): void {
  emptyFolders.value = new Set(emptyFolders.value).add(path);
}

/** Moves a file or a folder into another folder, "" being the project itself. */
export async function moveInto(path: string, folder: string): Promise<void> {
  const to = (folder ? folder + "/" : "") + path.slice(path.lastIndexOf("/") + 1);
  if (to === path || folder === path || folder.startsWith(path + "/")) return;
  if (files.value.has(to) || below(to).length) throw new Error(`There is ${to} already.`);
  await rename(path, to);
}

/** Removes a file or a folder. The contents stay in memory while it can be undone. */
export async function remove(path: string): Promise<void> {
  const id = open.value!.id;
  await settleBelow(path);
  const names = below(path);
  emptyFolders.value = new Set([...emptyFolders.value].filter((f) => f !== path && !f.startsWith(path + "/")));
  if (!names.length) return;
  // A folder is worth a checkpoint: what can be undone from this page for seconds, it can from the timeline for good.
  if (names.length > 1) await api.createCheckpoint(id, `Before deleting ${path}`, false).catch(() => undefined);
  const backup = await Promise.all(names.map(async (n): Promise<EditRequest> => ({ name: n, base64: await base64(await api.raw(id, n)), expected: "" })));
  await api.edit(id, names.map((n) => ({ name: n, remove: true, expected: files.value.get(n)!.hash })));
  const next = new Map(files.value);
  for (const n of names) {
    next.delete(n);
    removed(n);
  }
  files.value = next;
  toast(names.length === 1 ? `Deleted ${names[0]}` : `Deleted ${path} with ${names.length} files`, {
    action: { label: "Undo", run: () => api.edit(id, backup) },
  });
}

async function base64(data: Blob): Promise<string> {
  const bytes = new Uint8Array(await data.arrayBuffer());
  let s = "";
  for (let i = 0; i < bytes.length; i += 0x8000) s += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(s);
}

/** A file that a person brings, with its name below the folder it goes to. */
export interface Incoming {
  name: string;
  data: Blob;
}

/** Adds files, over those of the same name; undoing brings these back. What was added when it is cancelled stays. */
export async function addFiles(folder: string, incoming: readonly Incoming[]): Promise<void> {
  if (!incoming.length) {
    toast("There is no file in it.");
    return;
  }
  const id = open.value!.id;
  const undo: EditRequest[] = [];
  const troubles: string[] = [];
  const bytes = incoming.reduce((n, f) => n + f.data.size, 0);
  await job(incoming.length === 1 ? `Adding ${incoming[0].name}` : `Adding ${incoming.length} files`, { add: "Added" }, async (j) => {
    let done = 0;
    for (const f of incoming) {
      j.signal.throwIfAborted();
      try {
        undo.push(await add(id, folder ? `${folder}/${f.name}` : f.name, f.data, j.signal));
      } catch (e) {
        j.signal.throwIfAborted();
        troubles.push(messageOf(e));
      }
      j.tell("add", (done += f.data.size), bytes);
    }
  });
  if (troubles.length) toast(troubles.length === 1 ? troubles[0] : `${troubles.length} files were not added. The first: ${troubles[0]}`, { danger: true });
  if (!undo.length) return;
  toast(undo.length === 1 ? `Added ${undo[0].name}` : `Added ${undo.length} files`, { action: { label: "Undo", run: () => api.edit(id, undo) } });
}

/** Adds a file, and returns what undoes it. */
async function add(id: string, name: string, data: Blob, signal: AbortSignal): Promise<EditRequest> {
  const old = open.value?.id === id ? files.value.get(name) : undefined;
  const before = old && (await base64(await api.raw(id, name)));
  const info = await api.upload(id, name, data, old?.hash ?? "", signal);
  if (open.value?.id === id) files.value = new Map(files.value).set(name, info);
  return before === undefined ? { name, remove: true, expected: info.hash } : { name, base64: before, expected: info.hash };
}

/** The files of a drop, those in folders included. */
export async function dropped(transfer: DataTransfer): Promise<Incoming[]> {
  // A transfer is empty once its event is over, so everything is taken out first.
  const roots = [...transfer.items].filter((i) => i.kind === "file").map((i) => ({ entry: i.webkitGetAsEntry(), file: i.getAsFile() }));
  const out: Incoming[] = [];
  for (const { entry, file } of roots) {
    if (entry?.isDirectory) await walk(entry as FileSystemDirectoryEntry, "", out);
    else if (file) out.push({ name: file.name, data: file });
  }
  return out;
}

async function walk(folder: FileSystemDirectoryEntry, prefix: string, out: Incoming[]): Promise<void> {
  const below = `${prefix}${folder.name}/`;
  const reader = folder.createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((yes, no) => reader.readEntries(yes, no));
    if (!some.length) return;
    for (const e of some) {
      if (e.isDirectory) await walk(e as FileSystemDirectoryEntry, below, out);
      else out.push({ name: below + e.name, data: await new Promise<File>((yes, no) => (e as FileSystemFileEntry).file(yes, no)) });
    }
  }
}
