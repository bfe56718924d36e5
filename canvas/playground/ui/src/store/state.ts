// The state of the page: one set of signals. Views read them; what changes them
// lives beside this file, one module for one concern.
import { computed, signal } from "@preact/signals";
import type { FileInfo, TemplateInfo } from "../wire";
import type { Doc } from "./docs";
import type { Row } from "./console";

export type Theme = "dark" | "light";
export type Area = "files" | "agent" | "editor" | "canvas" | "panel";

/** An open project. */
export interface Open {
  id: string;
  canvas: string; // URL of its canvas, relative to the page
}

export const theme = signal<Theme>(document.documentElement.dataset.theme === "light" ? "light" : "dark");
export const repos = signal(false); // whether repositories can be imported
export const isolation = signal("");
export const person = signal(""); // who the page works for, as the program knows them; "" if it does not
export const templates = signal<TemplateInfo[]>([]);
export const projects = signal<string[]>([]);
export const online = signal(true);
export const begun = signal(false); // it is known what to show first

export const open = signal<Open | null>(null);
export const files = signal<ReadonlyMap<string, FileInfo>>(new Map());
export const fileNames = computed(() => [...files.value.keys()].sort());

export const docs = signal<readonly Doc[]>([]); // the tabs, in order
export const active = signal(""); // name of the file in the editor, or ""
export const activeDoc = computed(() => docs.value.find((d) => d.name.value === active.value) ?? null);
export const tool = signal(""); // what the editor slot shows instead of a file: a tool session's id, "ask" for the question about one, or ""
export const cursor = signal({ line: 1, column: 1 });

export const rows = signal<readonly Row[]>([]);

export const area = signal<Area>("canvas"); // what a narrow page shows
export const palette = signal<"" | "files" | "projects" | "commands">("");

/** What a person reads as the cause of an error. */
export function messageOf(e: unknown): string {
  return e instanceof Error ? e.message : String(e);
}
