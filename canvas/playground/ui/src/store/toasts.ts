// Short messages at the edge of the page. One with an action stays until its time is over.
import { signal } from "@preact/signals";
import { Failure } from "../api";
import { messageOf } from "./state";

export interface Toast {
  id: number;
  text: string;
  danger: boolean;
  warn: boolean;
  who?: string; // its shape stands before the text: "person", "agent", "tool" or "task"
  name?: string; // of the project whose words these are
  ms: number;
  action?: { label: string; run: () => unknown };
}

export const toasts = signal<readonly Toast[]>([]);

const ends = new Map<number, { timer: number; then?: () => unknown }>();
let next = 1;

/** Shows a message. then runs when it goes away without its action having been taken. */
export function toast(text: string, options: { danger?: boolean; warn?: boolean; who?: string; name?: string; ms?: number; action?: Toast["action"]; then?: () => unknown } = {}): number {
  const id = next++;
  const ms = options.ms ?? (options.danger ? 10_000 : 8_000);
  // Who says much does not push out what can be undone.
  if (options.name) for (const t of toasts.value.filter((t) => t.who === options.who && t.name === options.name).slice(0, -1)) dismiss(t.id);
  toasts.value = [...toasts.value.slice(-3), { id, text, ms, danger: !!options.danger, warn: !!options.warn, who: options.who, name: options.name, action: options.action }];
  ends.set(id, { timer: window.setTimeout(() => dismiss(id), ms), then: options.then });
  return id;
}

export function dismiss(id: number): void {
  const end = take(id);
  end?.then?.();
}

export function act(t: Toast): void {
  take(t.id);
  void attempt(async () => t.action?.run());
}

function take(id: number) {
  const end = ends.get(id);
  if (end) clearTimeout(end.timer);
  ends.delete(id);
  toasts.value = toasts.value.filter((t) => t.id !== id);
  return end;
}

/** Undoes the last act that can be undone. It reports whether there was one. */
export function undoLast(): boolean {
  const t = toasts.value.findLast((t) => t.action?.label === "Undo");
  if (t) act(t);
  return !!t;
}

/** Runs f and shows what goes wrong in it. */
export async function attempt<T>(f: () => Promise<T> | T): Promise<T | undefined> {
  try {
    return await f();
  } catch (e) {
    toast(messageOf(e), { danger: true });
    return undefined;
  }
}

/** Runs f, which nobody asked for: reading what is shown again. That the program does not answer is said by the bar, and all is read when it is back. */
export async function follow(f: () => unknown): Promise<void> {
  try {
    await f();
  } catch (e) {
    if (!(e instanceof Failure && e.status === 0)) toast(messageOf(e), { danger: true });
  }
}

/** Ends all toasts now, running what they put off: for a page that goes away. */
export function flushToasts(): void {
  for (const t of toasts.value) dismiss(t.id);
}
