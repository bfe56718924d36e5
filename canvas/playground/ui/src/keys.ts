// Keys that work everywhere in the page, and how they are written on this system.
import { create } from "./store/checkpoints";
import { saveActive } from "./store/docs";
import { open, palette } from "./store/state";
import { undo } from "./store/commands";
import { startFind } from "./store/search";
import { attempt } from "./store/toasts";
import { togglePanel } from "./store/layout";
import { pressWaiting } from "./view/Waiting";

export const mac = /Mac|iPhone|iPad/.test(navigator.platform);

/** "mod+shift+p" as a person reads it: ⌘⇧P or Ctrl+Shift+P. */
export function keyName(key: string): string {
  const parts = key.split("+");
  const last = parts.pop()!.toUpperCase();
  if (mac) return parts.map((p) => (p === "mod" ? "⌘" : "⇧")).join("") + last;
  return [...parts.map((p) => (p === "mod" ? "Ctrl" : "Shift")), last].join("+");
}

/** Listens for the page's keys. */
export function followKeys(): void {
  addEventListener("keydown", (e) => {
    if (e.defaultPrevented && e.key === "Escape") return;
    const mod = mac ? e.metaKey && !e.ctrlKey : e.ctrlKey && !e.metaKey;
    if (!mod || e.altKey) return;
    const run = command(e.key.toLowerCase(), e.shiftKey, e);
    if (!run) return;
    e.preventDefault();
    run();
  });
}

function command(key: string, shift: boolean, e: KeyboardEvent): (() => void) | null {
  if (key === "s" && !shift) return () => void saveActive();
  if (key === "s" && open.value) return () => void attempt(create);
  if (key === "p") return () => (palette.value = shift ? "commands" : open.value ? "files" : "projects");
  if (key === "o" && !shift) return () => (palette.value = "projects");
  if (key === "f" && shift && open.value) return startFind;
  if (key === "`") return togglePanel;
  // Neither can come from a text that someone types.
  if ((key === "enter" || key === "backspace") && !shift && !e.defaultPrevented && !inText(e.target) && document.querySelector(".approve")) {
    return () => void pressWaiting(key === "enter" ? "allow" : "deny");
  }
  if (key === "z" && !shift && !inText(e.target)) {
    return undo;
  }
  return null;
}

function inText(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA)$/.test(target.tagName));
}

