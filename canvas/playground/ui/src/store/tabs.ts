// Which files of a project were open, remembered in this browser.
import { effect } from "@preact/signals";
import { activate, find, openFile } from "./docs";
import { load, save } from "./prefs";
import { active, docs, files, open } from "./state";

interface Tabs {
  names: string[];
  active: string;
}

const most = 20;
let held = 0; // tabs are being closed or opened, which is no wish of the person

/** Runs f without remembering which tabs it opens and closes. */
export async function holding(f: () => Promise<void>): Promise<void> {
  held++;
  try {
    await f();
  } finally {
    held--;
  }
}

export function followTabs(): void {
  effect(() => {
    const now: Tabs = { names: docs.value.map((d) => d.name.value).slice(-most), active: active.value };
    if (open.value && !held) save("tabs." + open.value.id, JSON.stringify(now));
  });
}

/** Opens the tabs that a project had, or the files that it begins with. */
export async function openTabs(id: string): Promise<void> {
  const { names, active: shown } = tabsOf(id);
  for (const n of names) {
    await openFile(n, 0, 1, false).catch(() => undefined); // one that can't be read is no reason to have none
    if (open.value?.id !== id) return;
  }
  if (shown && find(shown)) activate(shown, 0, 1, false);
}

function tabsOf(id: string): Tabs {
  try {
    const kept = JSON.parse(load("tabs." + id) ?? "") as Tabs;
    const names = kept.names.filter((n) => files.value.has(n));
    if (names.length || !kept.names.length) return { names, active: kept.active };
  } catch {
    // none are kept
  }
  const first = ["index.html", "README.md"].find((n) => files.value.has(n)) ?? [...files.value.keys()][0];
  return { names: first ? [first] : [], active: "" };
}
