// The audit: calls of the agent and of tools, as the bench keeps them. The page holds what it shows.
import { signal } from "@preact/signals";
import * as api from "../api";
import type { AuditEntry } from "../wire";
import { panel } from "./dock";
import { panelOpen } from "./layout";
import { attempt, follow } from "./toasts";

export type Seg = "all" | "agent" | "tool" | "app" | "denied" | "failed";

const step = 200;
const most = 1000;

export const calls = signal<readonly AuditEntry[] | null>(null); // null: not read yet; the newest first
export const more = signal(false);
export const denied = signal(0);
export const seg = signal<Seg>("all");
export const project = signal("");
export const words = signal("");
export const unseen = signal(0); // refusals since the panel was last in view

let limit = step;
let seenAt = Date.now();
let turn = 0;

export async function readAudit(): Promise<void> {
  const mine = ++turn;
  const s = seg.value;
  const outcome = s === "denied" || s === "failed" ? s : "";
  const a = await api.audit({ actor: outcome || s === "all" ? "" : s, outcome, project: project.value, words: words.value, limit: String(limit) });
  if (mine !== turn) return;
  calls.value = a.entries;
  more.value = a.more && limit < most;
  denied.value = a.denied;
  if (panel.value === "audit" && panelOpen.value) markSeen();
  else unseen.value = a.entries.filter((e) => e.code === "denied" && Date.parse(e.time) > seenAt).length;
}

export function markSeen(): void {
  seenAt = Date.now();
  unseen.value = 0;
}

export function ask(change: () => void): void {
  change();
  limit = step;
  void attempt(readAudit);
}

export function readMoreCalls(): void {
  limit = Math.min(limit + step, most);
  void attempt(readAudit);
}

let soon = 0;

/** News: what is shown is read again, at most twice a second. */
export function auditChanged(): void {
  if (!calls.value || soon) return;
  soon = window.setTimeout(() => {
    soon = 0;
    // What is about to be pressed stays where it is.
    if (document.querySelector(".give:hover")) auditChanged();
    else void follow(readAudit);
  }, 500);
}
