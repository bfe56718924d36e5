// The left pane: files or the agent, remembered in this browser.
import { signal } from "@preact/signals";
import { load, save } from "./prefs";
import { area } from "./state";

export type Left = "files" | "agent";

export const left = signal<Left>(load("left") === "agent" ? "agent" : "files");
export const agentSeen = signal(left.value === "agent"); // its frame is made when it is first shown

export function showLeft(l: Left): void {
  chooseLeft(l);
  area.value = l;
}

export function chooseLeft(l: Left): void {
  left.value = l;
  if (l === "agent") agentSeen.value = true;
  save("left", l);
}
