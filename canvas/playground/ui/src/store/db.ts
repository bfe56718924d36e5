// Databases: tables, one query at a time and what it gave.
import { computed, signal } from "@preact/signals";
import { Failure } from "../api";
import * as api from "../apidata";
import type { QueryReply, SQLDetails, TableInfo } from "../wire";
import { onAnother } from "./data";
import { messageOf, open } from "./state";

export const db = signal("DB");
export const tables = signal<readonly TableInfo[] | null>(null);
export const size = signal(0);
export const table = signal(""); // whose rows are shown, "" if they are of a query
export const offset = signal(0);
export const sql = signal("");
export const args = signal<readonly string[]>([]);
export const result = signal<QueryReply | null>(null);
export const planned = signal(false); // result is a plan
export const schema = signal(false); // the table's definition is shown instead
export const failure = signal<{ message: string; writes: boolean } | null>(null);
export const running = signal<AbortController | null>(null);

export const rowsOfPage = 100;

/** How many parameters the statement has. Those in quotes and comments don't count. */
export const parameters = computed(() => {
  const plain = sql.value.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g, "");
  let n = 0;
  for (const m of plain.matchAll(/\?(\d*)/g)) n = m[1] ? Math.max(n, +m[1]) : n + 1;
  return Math.min(n, 100);
});

export async function readTables(): Promise<void> {
  const id = open.value?.id;
  if (!id) return;
  const at = db.value;
  const t = await api.tables(id, at);
  if (open.value?.id !== id || db.value !== at) return;
  tables.value = t.tables;
  size.value = t.size;
}

export function chooseDB(name: string): void {
  db.value = name;
  forget();
}

function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/i.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** Shows a page of the rows of a table. */
export async function openTable(name: string, from = 0): Promise<void> {
  table.value = name;
  offset.value = Math.max(from, 0);
  schema.value = false;
  sql.value = `SELECT * FROM ${quoted(name)} LIMIT ${rowsOfPage} OFFSET ${offset.value}`;
  await run(false, false, true);
}

/** Runs what is in the box. Only write may change something. */
export async function run(write = false, plan = false, ofTable = false): Promise<void> {
  const id = open.value?.id;
  if (!id || !sql.value.trim()) return;
  running.value?.abort();
  const mine = new AbortController();
  running.value = mine;
  failure.value = null;
  schema.value = false;
  if (!ofTable) table.value = "";
  try {
    const given = Array.from({ length: parameters.value }, (_, i) => args.value[i] ?? "");
    const r = await api.query(id, { db: db.value, sql: sql.value, args: given, write, plan }, mine.signal);
    if (running.value !== mine) return;
    result.value = r;
    planned.value = plan;
    if (write) await readTables();
  } catch (e) {
    if (running.value !== mine) return;
    result.value = null;
    const code = e instanceof Failure ? (e.details as SQLDetails | undefined)?.sqlite : "";
    failure.value = mine.signal.aborted ? { message: "Cancelled.", writes: false } : { message: code === "SQLITE_READONLY" ? "This statement changes the database." : messageOf(e), writes: code === "SQLITE_READONLY" };
  } finally {
    if (running.value === mine) running.value = null;
  }
}

/** Reads tables and the rows of the one that is shown anew: something was written. A query of the person's own stays as it was. */
export async function refreshTables(): Promise<void> {
  const id = open.value?.id;
  if (!id || !tables.value) return;
  await readTables();
  const t = table.value;
  const before = result.value;
  if (!t || !before || planned.value || running.value || !tables.value?.some((x) => x.name === t)) return;
  const q = { db: db.value, sql: `SELECT * FROM ${quoted(t)} LIMIT ${rowsOfPage} OFFSET ${offset.value}`, args: [], write: false, plan: false };
  const r = await api.query(id, q, new AbortController().signal);
  if (result.value === before && table.value === t && !running.value) result.value = r;
}

export function cancel(): void {
  running.value?.abort();
}

function forget(): void {
  cancel();
  running.value = null;
  tables.value = result.value = failure.value = null;
  table.value = sql.value = "";
  args.value = [];
  offset.value = size.value = 0;
  schema.value = planned.value = false;
}

onAnother(() => {
  db.value = "DB";
  forget();
});
