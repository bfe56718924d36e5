// Sizes of the page's areas, remembered in this browser.
import { signal } from "@preact/signals";
import { load, save } from "./prefs";

export type Split = "left" | "agent" | "canvas" | "panel";

const limits: Record<Split, { initial: number; min: number; max: number }> = {
  left: { initial: 256, min: 180, max: 520 },
  agent: { initial: 400, min: 260, max: 640 }, // the left pane while it shows the agent
  canvas: { initial: 500, min: 260, max: 1100 },
  panel: { initial: 252, min: 96, max: 640 },
};

function initial(s: Split): number {
  const n = Number(load("size." + s));
  return n > 0 ? clamp(s, n) : limits[s].initial;
}

function clamp(s: Split, n: number): number {
  const room = s === "panel" ? innerHeight - 240 : innerWidth - 520;
  return Math.round(Math.max(limits[s].min, Math.min(n, limits[s].max, Math.max(room, limits[s].min))));
}

export const sizes = { left: signal(initial("left")), agent: signal(initial("agent")), canvas: signal(initial("canvas")), panel: signal(initial("panel")) };
export const panelOpen = signal(load("panel") !== "closed");
export const dragging = signal(false); // frames take no pointer meanwhile

export function resize(s: Split, n: number): void {
  sizes[s].value = clamp(s, n);
  save("size." + s, String(sizes[s].value));
}

export function restore(s: Split): void {
  resize(s, limits[s].initial);
}

export function bounds(s: Split): { min: number; max: number } {
  return limits[s];
}

export function togglePanel(): void {
  panelOpen.value = !panelOpen.value;
  save("panel", panelOpen.value ? "open" : "closed");
}

export function openDock(): void {
  if (!panelOpen.value) togglePanel();
}
