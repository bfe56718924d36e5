// The console: entries as rows, equal ones that follow each other folded into one.
import { computed, signal } from "@preact/signals";
import * as api from "../api";
import type { Entry } from "../wire";
import { open, rows } from "./state";
import { attempt } from "./toasts";

export interface Row {
  entry: Entry; // the newest of those folded
  count: number;
}

export type Level = "all" | "error" | "warn" | "server" | "request";

const keep = 1000;

export const level = signal<Level>("all");
export const filter = signal("");

export const counts = computed(() => {
  const n = { error: 0, warn: 0, server: 0, request: 0 };
  for (const r of rows.value) {
    if (isError(r.entry)) n.error += r.count;
    else if (isWarning(r.entry)) n.warn += r.count;
    if (isServer(r.entry)) n.server += r.count;
    if (isRequest(r.entry)) n.request += r.count;
  }
  return n;
});

const before = signal(0); // entries up to this one are of code that has changed since

/** Whether the code as it is now has reported an error. */
export const failing = computed(() => failures.value.length > 0);

/** The errors of the code as it is now, oldest first. */
export const failures = computed(() => rows.value.map((r) => r.entry).filter((e) => e.seq > before.value && isError(e)));

/** Notes that the code has changed, or is loaded anew. */
export function turnPage(): void {
  before.value = rows.value[rows.value.length - 1]?.entry.seq ?? 0;
}

export const shown = computed(() => {
  const words = filter.value.trim().toLowerCase();
  return rows.value.filter((r) => {
    const e = r.entry;
    if (level.value === "error" && !isError(e)) return false;
    if (level.value === "warn" && !isWarning(e)) return false;
    if (level.value === "server" && !isServer(e)) return false;
    if (level.value === "request" && !isRequest(e)) return false;
    return !words || `${e.text}\n${e.source ?? ""}\n${e.request ?? ""}\n${e.stack ?? ""}`.toLowerCase().includes(words);
  });
});

export const isError = (e: Entry) => e.level.startsWith("ERROR");
export const isWarning = (e: Entry) => e.level.startsWith("WARN");
export const isServer = (e: Entry) => e.origin === "functions";
export const isRequest = (e: Entry) => e.origin === "request";
export const isDebug = (e: Entry) => e.level.startsWith("DEBUG");

/** Adds what is new and drops what is older than first. */
export function add(first: number, entries: readonly Entry[]): void {
  const next = rows.value.filter((r) => r.entry.seq >= first);
  for (const e of entries) {
    const last = next[next.length - 1];
    if (e.seq < first || (last && last.entry.seq >= e.seq)) continue;
    if (last && same(last.entry, e)) next[next.length - 1] = { entry: e, count: last.count + 1 };
    else next.push({ entry: e, count: 1 });
  }
  rows.value = next.slice(-keep);
}

function same(a: Entry, b: Entry): boolean {
  return a.text === b.text && a.level === b.level && a.source === b.source && a.origin === b.origin && a.stack === b.stack && a.request === b.request;
}

/** Reads the console anew. */
export async function readConsole(id: string): Promise<void> {
  const c = await api.consoleOf(id);
  if (open.value?.id !== id) return;
  rows.value = [];
  before.value = 0;
  add(c.first, c.entries);
}

export async function clear(): Promise<void> {
  const id = open.value?.id;
  if (!id) return;
  rows.value = [];
  await attempt(() => api.clearConsole(id));
}

/** A place in a file: "src/app.js:12:4". */
export interface Place {
  name: string;
  line: number;
  column: number;
}

export function placeOf(source: string | undefined): Place | null {
  const m = /^(.+?):(\d+)(?::(\d+))?$/.exec(source ?? "");
  return m ? { name: m[1], line: +m[2], column: +(m[3] ?? 1) } : null;
}

/** Splits a line of a stack at the first place in a file of the project. */
export function places(line: string, known: ReadonlyMap<string, unknown>): { before: string; place: Place; text: string; after: string } | null {
  for (const m of line.matchAll(/([^\s()<>"']+?):(\d+)(?::(\d+))?(?![\d:])/g)) {
    if (!known.has(m[1])) continue;
    return {
      before: line.slice(0, m.index), text: m[0], after: line.slice(m.index + m[0].length),
      place: { name: m[1], line: +m[2], column: +(m[3] ?? 1) },
    };
  }
  return null;
}
