// What the field above the tree is for: files by name, and lines by what they hold.
import { effect, signal } from "@preact/signals";
import * as api from "../api";
import type { Found } from "../wire";
import { area, files, messageOf, open } from "./state";

export const find = signal("");
export const regex = signal(false);
export const exact = signal(false); // upper and lower case are told apart
export const found = signal<Found | null>(null);
export const trouble = signal("");

const pause = 200; // ms without typing
const least = 2; // characters

/** Puts the cursor into the field. */
export function startFind(): void {
  area.value = "files";
  requestAnimationFrame(() => {
    const field = document.querySelector<HTMLInputElement>("#find");
    field?.focus();
    field?.select();
  });
}

/** Searches as the person types, and again when files change. */
export function followFind(): void {
  effect(() => {
    const q = { q: find.value.trim(), regex: regex.value, case: exact.value };
    const id = open.value?.id;
    void files.value;
    trouble.value = "";
    if (!id || q.q.length < least) {
      found.value = null;
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      api.search(id, q, stop.signal).then(
        (f) => (found.value = f),
        (e) => {
          if (stop.signal.aborted) return;
          found.value = null;
          trouble.value = messageOf(e);
        },
      );
    }, pause);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  });
}
