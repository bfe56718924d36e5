// The dock at the bottom: which of its panels is shown, remembered in this browser.
import { signal } from "@preact/signals";
import { openDock } from "./layout";
import { load, save } from "./prefs";
import { area } from "./state";

/** What a tab says beside its title: how many, or that something goes on. */
export interface Mark {
  text?: string | number;
  live?: boolean; // a green dot
  tone?: "warn" | "danger";
  says: string; // in words, for who can't see it or looks elsewhere: "2 errors"
}

export const panel = signal(load("panel.shown") || "console");

/** Shows a panel of the dock, wherever the person is. */
export function showPanel(id: string): void {
  choosePanel(id);
  area.value = "panel";
}

/** Shows a panel to whoever looks at the dock. */
export function choosePanel(id: string): void {
  panel.value = id;
  save("panel.shown", id);
  openDock();
}
