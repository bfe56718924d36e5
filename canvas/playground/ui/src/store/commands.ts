// Everything that the page can do by name.
import { keyName } from "../keys";
import type { IconName } from "../view/Icon";
import { panels } from "../view/panels";
import { device, turned, reloadCanvas } from "./canvas";
import { create } from "./checkpoints";
import { clear } from "./console";
import { showPanel } from "./dock";
import { closeDoc, saveActive } from "./docs";
import { togglePanel } from "./layout";
import { showLeft } from "./left";
import { cloneProject, exportProject } from "./packages";
import { toggleTheme } from "./prefs";
import { leaveProject, remove } from "./projects";
import { startFind } from "./search";
import { activeDoc, area, open, palette } from "./state";
import { toast, undoLast } from "./toasts";

export interface Command {
  label: string;
  icon: IconName;
  key?: string;
  run: () => unknown;
}

export function undo(): void {
  if (!undoLast()) toast("There is nothing to undo.", { ms: 2500 });
}

/** The commands that make sense now. */
export function commands(): Command[] {
  const id = open.value?.id;
  const doc = activeDoc.value;
  const all: (Command | false)[] = [
    !!id && { label: "Go to file", icon: "file", key: keyName("mod+p"), run: () => (palette.value = "files") },
    !!id && { label: "Find in files", icon: "search", key: keyName("mod+shift+f"), run: startFind },
    !!doc && { label: "Save", icon: "up", key: keyName("mod+s"), run: saveActive },
    !!id && { label: "New checkpoint", icon: "flag", key: keyName("mod+shift+s"), run: create },
    !!doc && { label: `Close ${doc.name.value}`, icon: "x", run: () => closeDoc(doc) },
    { label: "Undo the last act", icon: "undo", key: keyName("mod+z"), run: undo },
    { label: "Open project", icon: "folder", key: keyName("mod+o"), run: () => (palette.value = "projects") },
    { label: "New project", icon: "plus", run: () => leaveProject() },
    { label: "Import a package or a repository", icon: "in", run: toImport },
    !!id && { label: "Export files", icon: "out", run: () => exportProject(false) },
    !!id && { label: "Export files and data", icon: "out", run: () => exportProject(true) },
    !!id && { label: "Copy project", icon: "copy", run: () => cloneProject(false) },
    !!id && { label: "Copy project and data", icon: "copy", run: () => cloneProject(true) },
    !!id && { label: `Delete ${id}`, icon: "trash", run: () => remove(id) },
    !!id && { label: "Reload the canvas", icon: "reload", run: reloadCanvas },
    !!id && { label: "Canvas as wide as a phone", icon: "phone", run: () => (device.value = "phone") },
    !!id && { label: "Canvas as wide as a tablet", icon: "tablet", run: () => (device.value = "tablet") },
    !!id && { label: "Canvas in full width", icon: "wide", run: () => (device.value = "wide") },
    !!id && device.value !== "wide" && { label: "Rotate the canvas", icon: "rotate", run: () => (turned.value = !turned.value) },
    !!id && { label: "Clear console", icon: "x", run: clear },
    !!id && { label: "Show the files", icon: "files", run: () => showLeft("files") },
    !!id && { label: "Show the agent", icon: "agent", run: () => showLeft("agent") },
    !!id && { label: "Show the editor", icon: "code", run: () => (area.value = "editor") },
    !!id && { label: "Show the canvas", icon: "wide", run: () => (area.value = "canvas") },
    ...panels().map((p): Command | false => !!id && { label: `Show ${p.title}`, icon: "terminal", run: () => showPanel(p.id) }),
    { label: "Switch theme", icon: "moon", run: toggleTheme },
    !!id && { label: "Toggle panel", icon: "down", key: keyName("mod+`"), run: togglePanel },
  ];
  return all.filter((c) => c !== false);
}

async function toImport(): Promise<void> {
  await leaveProject();
  requestAnimationFrame(() => document.querySelector("#bring")?.scrollIntoView());
}
