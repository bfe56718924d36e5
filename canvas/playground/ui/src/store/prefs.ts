// What the page remembers in this browser: theme and layout. A browser without storage forgets it.
import { effect } from "@preact/signals";
import { theme, type Theme } from "./state";

export function load(key: string): string | null {
  try {
    return localStorage.getItem("playground." + key);
  } catch {
    return null;
  }
}

export function save(key: string, value: string): void {
  try {
    localStorage.setItem("playground." + key, value);
  } catch {
    // full or off: the page works without
  }
}

export function setTheme(t: Theme): void {
  save("theme", t);
  theme.value = t;
}

export function toggleTheme(): void {
  setTheme(theme.value === "dark" ? "light" : "dark");
}

/** Keeps the document's theme equal to the signal, without transitions while colours swap. */
export function followTheme(): void {
  effect(() => {
    const root = document.documentElement;
    if (root.dataset.theme === theme.value) return;
    root.classList.add("switching");
    root.dataset.theme = theme.value;
    requestAnimationFrame(() => requestAnimationFrame(() => root.classList.remove("switching")));
  });
}
