// Which data of the open project the panel shows.
import { effect, signal } from "@preact/signals";
import * as api from "../apidata";
import { panel } from "./dock";
import { panelOpen } from "./layout";
import { load, save } from "./prefs";
import { open } from "./state";

export type Part = "kv" | "db" | "secrets";

export const part = signal<Part>((load("data") as Part | null) ?? "kv");
export const namespaces = signal<readonly string[]>([]);
export const databases = signal<readonly string[]>([]);

export function choosePart(p: Part): void {
  part.value = p;
  save("data", p);
}

/** Reads the names that the project's settings give. */
export async function readNames(): Promise<void> {
  const id = open.value?.id;
  if (!id) return;
  const d = await api.names(id);
  if (open.value?.id !== id) return;
  namespaces.value = d.kv;
  databases.value = d.db;
}

const resets: (() => void)[] = [];

/** Calls f when another project is opened. */
export function onAnother(f: () => void): void {
  resets.push(f);
}

let reading = false;
let again = false;

/** News: what is shown of KV or a database is read again, once at a time. What is not in view is when it is. */
export async function dataChanged(refresh: Record<Part, () => Promise<void>>): Promise<void> {
  again = true;
  if (reading) return;
  reading = true;
  try {
    while (again && panel.value === "data" && panelOpen.value) {
      again = false;
      await refresh[part.value]();
    }
  } finally {
    reading = false;
  }
}

let of = "";
effect(() => {
  const id = open.value?.id ?? "";
  if (id === of) return;
  of = id;
  namespaces.value = databases.value = [];
  for (const f of resets) f();
});
