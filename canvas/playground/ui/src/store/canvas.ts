// The canvas: which page of the app it shows, how wide, and what is wrong with it.
import { computed, signal } from "@preact/signals";
import * as api from "../api";
import { failures, turnPage } from "./console";
import { files, open, rows } from "./state";
import { attempt } from "./toasts";

export type Device = "phone" | "tablet" | "wide";
export const devices: Record<Device, [number, number]> = { phone: [390, 844], tablet: [820, 1180], wide: [0, 0] };

export const device = signal<Device>("wide");
export const turned = signal(false); // a device lies on its side
export const asked = signal("/"); // what the frame was told to show
export const shown = signal("/"); // where the app says that it is
export const turn = signal(0); // counts loads asked for here

export function go(path: string): void {
  asked.value = shown.value = "/" + path.trim().replace(/^\/+/, "");
  turn.value++;
}

export async function reloadCanvas(): Promise<void> {
  const id = open.value?.id;
  if (!id) return;
  asked.value = shown.value;
  turn.value++;
  turnPage();
  await attempt(() => api.reload(id));
}

const hidden = signal(0); // entries up to this one are not laid over the canvas

/** The error that stands over the canvas: the first that the code as it is now did not catch. */
export const overlaid = computed(() => failures.value.find((e) => e.seq > hidden.value && /^(Uncaught|Unhandled rejection)/.test(e.text)) ?? null);

export function hideError(): void {
  hidden.value = Math.max(0, ...rows.value.map((r) => r.entry.seq));
}

const declined = signal<ReadonlySet<string>>(new Set()); // projects that are to be without functions.js

export function decline(): void {
  declined.value = new Set(declined.value).add(open.value!.id);
}

const server = /^(functions\.[mc]?[jt]sx?|_worker\.js|functions\/.*)$/;

/** A request for which there is no functions.js, "" if there is none. */
export const unanswered = computed(() => {
  if (declined.value.has(open.value?.id ?? "") || [...files.value.keys()].some((n) => server.test(n))) return "";
  for (const r of rows.value) {
    const m = /^(?:GET|POST|PUT|PATCH|DELETE) \/?(\S+) was answered 50\d/.exec(r.entry.text);
    if (m && r.entry.origin === "page") return "/" + m[1];
  }
  return "";
});
