// What the workbench says to the agent's page: what the person asks of it from elsewhere, and whether its turn stands.
// It goes through the framing page, as messages { samkit: "workbench" }. A page that takes them says so when it has loaded.
import { effect } from "@preact/signals";
import type { Entry } from "../wire";
import { showLeft } from "./left";
import { roles } from "./roles";
import { open } from "./state";
import { toast } from "./toasts";

const patience = 10_000; // ms for the agent's page to load
const longest = 4000; // characters of an error

let frame: HTMLIFrameElement | null = null;
let at = ""; // the origin of the page in it that takes messages, "" until it says so
let asks: string[] = []; // that wait for it

/** Names the frame of the agent's page, null if there is none now. */
export function linkAgent(f: HTMLIFrameElement | null): void {
  if (f === frame) return;
  frame = f;
  at = "";
}

/** Hears when the agent's page is there, and tells it of its turn. */
export function followAgent(): void {
  addEventListener("message", (e) => {
    if (!frame || e.source !== frame.contentWindow || e.data?.samkit !== "workbench") return;
    at = e.origin;
    tellTurn();
    for (const ask of asks.splice(0)) say({ ask });
  });
  effect(() => {
    void roles.value.turn;
    tellTurn();
  });
}

function say(what: object): void {
  if (at) frame?.contentWindow?.postMessage({ samkit: "workbench", ...what }, at);
}

function tellTurn(): void {
  const turn = roles.value.turn;
  if (turn) say({ turn: { checkpoint: turn.checkpoint, undone: turn.redo } });
}

/** Has the agent repair an error of the console. The person sees it do so. */
export function askRepair(e: Entry): void {
  showLeft("agent");
  const agent = roles.value.agent?.project;
  if (!agent) return; // the pane says how to get one
  const from = [e.source && `at ${e.source}`, e.request && `in ${e.request}`, e.stack].filter(Boolean).join("\n");
  const ask = `Repair this error in ${open.value?.id}:\n${e.text}\n${from}`.trim().slice(0, longest);
  if (at) return say({ ask });
  asks.push(ask);
  setTimeout(() => {
    if (!asks.includes(ask)) return;
    asks = asks.filter((a) => a !== ask);
    toast(`${agent} takes no requests from here. Paste the error into it.`, { warn: true, action: { label: "Copy", run: () => navigator.clipboard.writeText(ask) } });
  }, patience);
}
