// Projects that come from elsewhere and go there: packages, repositories, copies.
import * as api from "../api";
import { settle } from "./docs";
import { job } from "./jobs";
import { freeName, joined } from "./projects";
import { docs, open } from "./state";
import { attempt, toast } from "./toasts";
import type { ImportReply } from "../wire";

const extension = ".sam";

export const isPackage = (name: string) => name.toLowerCase().endsWith(extension);

/** A project's name made of what something is called elsewhere. */
function slug(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 50).replace(/-+$/, "") || "project";
}

export async function importFile(file: File, name = ""): Promise<void> {
  if (!isPackage(file.name)) throw new Error(`${file.name} is no package: its name does not end with ${extension}.`);
  const id = name || freeName(slug(file.name.slice(0, -extension.length)));
  const made = await job(`Importing ${file.name}`, { send: "Sent", check: "Checked" }, (j) => api.importPackage(id, file, j.signal, j.tell));
  if (made) await arrived(made);
}

/** Imports "owner/repo@ref:folder", or the address of a page of GitHub. */
export async function importRepo(source: string, name = ""): Promise<void> {
  const words = source.trim().replace(/[?#].*/, "").replace(/\/+$/, "").replace(/\.git$/, "").split(/[/:]/);
  const id = name || freeName(slug(words[words.length - 1].replace(/@.*/, "")));
  const made = await job(`Importing ${source.trim()}`, { fetch: "Downloaded", check: "Checked" }, (j) => api.importRepo(id, source, j.signal, j.tell));
  if (made) await arrived(made);
}

/** Copies the open project, and opens the copy. */
export async function cloneProject(state: boolean): Promise<void> {
  const from = open.value!.id;
  await settle(...docs.value);
  const to = freeName(from.replace(/-\d+$/, ""));
  const made = await job(`Copying ${from}`, {}, (j) => api.clone(from, to, state, j.signal));
  if (made) await arrived(made);
}

/** Saves the open project as a package on this machine. */
export async function exportProject(state: boolean): Promise<void> {
  const id = open.value!.id;
  await settle(...docs.value);
  const data = await job(`Exporting ${id}`, { receive: "Packed" }, (j) => api.exportPackage(id, state, j.signal, j.tell));
  if (!data) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(data);
  link.download = id + extension;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the browser may ask where to first
}

async function arrived(made: ImportReply): Promise<void> {
  await joined(made.id);
  for (const [names, what] of [[made.dropped, "symbolic link"], [made.secrets, "secret"]] as const) {
    if (names?.length) toast(`Left out ${names.length === 1 ? `the ${what} ${names[0]}` : `${names.length} ${what}s`}`);
  }
  if (made.wants?.length) toast(`It asks for ${made.wants.join(", ")}. Nothing was granted.`);
}

/** Takes packages that are dropped anywhere on the page. A file that lands nowhere must not replace the page. */
export function followDrops(): void {
  addEventListener("dragover", (e) => {
    if (e.dataTransfer?.types.includes("Files")) e.preventDefault();
  });
  addEventListener("drop", (e) => {
    if (!e.dataTransfer?.types.includes("Files")) return;
    const handled = e.defaultPrevented;
    e.preventDefault();
    const packages = [...e.dataTransfer.files].filter((f) => isPackage(f.name));
    if (handled && packages.length < e.dataTransfer.files.length) return; // files of the project
    for (const f of packages) void attempt(() => importFile(f));
    if (!handled && !packages.length) toast("Drop files on the tree, and packages anywhere.");
  });
}
