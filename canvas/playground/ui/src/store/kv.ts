// KV: a page of keys, and the one that is open.
import { signal } from "@preact/signals";
import * as api from "../apidata";
import type { KVEntry, KVValue } from "../wire";
import { namespaces, onAnother } from "./data";
import { open } from "./state";
import { attempt, toast } from "./toasts";

export type Look = "text" | "json" | "hex";

/** A key as it is being edited. */
export interface Draft {
  key: string;
  was: KVValue | null; // null: it is new
  text: string;
  metadata: string;
  expires: string; // for an input of the kind datetime-local; "" is never
}

export const ns = signal("KV");
export const prefix = signal("");
export const entries = signal<readonly KVEntry[] | null>(null);
export const next = signal("");
export const draft = signal<Draft | null>(null);
export const look = signal<Look>("text");

let turn = 0;

/** Reads the first page, or the one that follows. */
export async function readKeys(more = false): Promise<void> {
  const id = open.value?.id;
  if (!id) return;
  const mine = ++turn;
  if (namespaces.value.length && !namespaces.value.includes(ns.value)) ns.value = namespaces.value[0];
  const page = await api.keys(id, ns.value, prefix.value, more ? next.value : "");
  if (mine !== turn || open.value?.id !== id) return;
  entries.value = more ? [...(entries.value ?? []), ...page.entries] : page.entries;
  next.value = page.next;
}

/** Reads anew as far as was read, and what is open unless it is being edited: something was written. */
export async function refreshKeys(): Promise<void> {
  const id = open.value?.id;
  if (!id || !entries.value) return;
  const mine = ++turn;
  const want = entries.value.length;
  const all: KVEntry[] = [];
  let at = "";
  do {
    const page = await api.keys(id, ns.value, prefix.value, at);
    if (mine !== turn || open.value?.id !== id) return;
    all.push(...page.entries);
    at = page.next;
  } while (at && all.length < want);
  entries.value = all;
  next.value = at;
  const was = draft.value;
  if (!was?.was || was !== loaded) return;
  const now = await api.readKey(id, ns.value, was.key).catch(() => null);
  if (draft.value !== was || mine !== turn) return;
  if (!now) draft.value = null;
  else if (now.data !== was.was.data || now.metadata !== was.was.metadata || now.expires !== was.was.expires) show(now);
}

let loaded: Draft | null = null; // the draft as it was opened

export async function openKey(key: string): Promise<void> {
  const id = open.value?.id;
  if (!id) return;
  const v = await api.readKey(id, ns.value, key);
  if (open.value?.id !== id) return;
  show(v);
}

function show(v: KVValue): void {
  draft.value = { key: v.key, was: v, text: v.text ? v.data : "", metadata: v.metadata, expires: v.expires ? local(v.expires) : "" };
  look.value = !v.text ? "hex" : isJSON(v.data) ? "json" : "text";
  if (look.value === "json") formatDraft();
  loaded = draft.value;
}

export function newKey(): void {
  draft.value = { key: prefix.value, was: null, text: "", metadata: "", expires: "" };
  look.value = "text";
}

export function change(d: Partial<Draft>): void {
  if (draft.value) draft.value = { ...draft.value, ...d };
}

export function chooseLook(l: Look): void {
  look.value = l;
  if (l === "json") formatDraft();
}

/** Whether a value can be edited: what is not whole or no text can't. */
export function editable(d: Draft): boolean {
  return !d.was || (d.was.whole && d.was.text);
}

function isJSON(text: string): boolean {
  return /^\s*[[{]/.test(text) && parsed(text) !== undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function formatDraft(): void {
  const d = draft.value;
  if (!d || !editable(d)) return;
  const v = parsed(d.text);
  // Numbers that JavaScript would round stay as they are written.
  if (v !== undefined && !/\d{16}/.test(d.text)) change({ text: JSON.stringify(v, null, 2) });
}

function local(time: string): string {
  const t = new Date(time);
  return new Date(t.getTime() - t.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

function putOf(v: KVValue): api.Put {
  return { text: v.text, data: v.data, metadata: v.metadata, expires: v.expires && Date.parse(v.expires) > Date.now() + 61_000 ? v.expires : null, new: false };
}

export async function saveDraft(): Promise<void> {
  const id = open.value?.id;
  const d = draft.value;
  if (!id || !d) return;
  if (look.value === "json" && parsed(d.text) === undefined) throw new Error("The value is not JSON.");
  const at = ns.value;
  await api.putKey(id, at, d.key, { text: true, data: d.text, metadata: d.metadata, expires: d.expires ? new Date(d.expires).toISOString() : null, new: !d.was });
  const was = d.was;
  if (was) undoable(`Saved ${d.key}`, id, () => api.putKey(id, at, d.key, putOf(was)), d.key);
  await readKeys();
  await openKey(d.key);
}

/** Deletes a key at once. A value that the page does not have as a whole is deleted when the time to undo it is over. */
export async function removeKey(): Promise<void> {
  const id = open.value?.id;
  const was = draft.value?.was;
  if (!id || !was) return;
  const at = ns.value;
  draft.value = null;
  if (!was.whole) {
    entries.value = (entries.value ?? []).filter((e) => e.key !== was.key);
    toast(`Deleted ${was.key}`, { action: { label: "Undo", run: () => readKeys() }, then: () => attempt(() => api.deleteKey(id, at, was.key)) });
    return;
  }
  await api.deleteKey(id, at, was.key);
  undoable(`Deleted ${was.key}`, id, () => api.putKey(id, at, was.key, putOf(was)), was.key);
  await readKeys();
}

function undoable(text: string, id: string, undo: () => Promise<void>, key: string): void {
  toast(text, {
    action: {
      label: "Undo",
      run: async () => {
        await undo();
        if (open.value?.id !== id) return;
        await readKeys();
        if (entries.value?.some((e) => e.key === key)) await openKey(key);
        else draft.value = null;
      },
    },
  });
}

onAnother(() => {
  entries.value = draft.value = null;
  ns.value = "KV";
  prefix.value = next.value = "";
});
