// One turn: what happens from a message of the person until the agent has nothing more to do.
import { call } from "./model.js";

const maxRepairs = 5; // automatic ones
const maxSteps = 40; // answers of the model in a turn

/** Calls a function of functions.js. */
export async function api(name, body, signal) {
  const answer = await fetch("/api/" + name, body && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });
  const out = await answer.json().catch(() => ({ error: { message: `functions.js answered ${answer.status}.` } }));
  const error = out.error && (typeof out.error === "string" ? { message: out.message ?? out.error } : out.error);
  if (error) throw Object.assign(new Error(error.hint ? `${error.message} ${error.hint}` : error.message), { code: error.code, details: error.details });
  return out;
}

/** chat has messages, to which the turn adds; turn is its record there; view shows what happens. */
export async function run(chat, turn, { agent, settings, signal, view }) {
  const request = { system: agent.prompt + (turn.project ? `\n\nThe app is the project ${turn.project}.` : ""), tools: agent.tools };
  const add = (m) => (chat.messages.push(m), m);
  let repairs = 0;
  let unchecked = false; // files changed since the console was read

  /** Takes note of what a check found. */
  async function judge(found) {
    unchecked = false;
    if (!found.errors) return repairs = 0;
    if (++repairs <= maxRepairs) return;
    const { answer } = await api("ask", { question: `${maxRepairs} repairs did not make the console clean. Shall ${agent.name} go on?`, choices: ["Go on", "Stop here"] }, signal);
    if (answer !== "Go on") throw new Stopped(`I stopped after ${maxRepairs} repairs. The console still shows: ${found.row.what}`);
    repairs = 1;
  }

  async function runTool(c) {
    const row = view.tool(c, unchecked || repairs ? repairs : 0);
    const done = (text, more) => { row(add({ role: "tool", id: c.id, name: c.name, text, repair: repairs, ...more })); view.save(); };
    if (signal.aborted) return done("The person stopped this turn before it.", { error: true });
    let args;
    try {
      args = JSON.parse(c.args || "{}");
    } catch (e) {
      return done(`The arguments are no JSON: ${e.message}`, { error: true });
    }
    let out;
    try {
      out = await api("tool", { name: c.name, args, project: turn.project, seen: chat.seen }, signal);
    } catch (e) {
      return done(signal.aborted ? "The person stopped it." : e.message, { error: true });
    }
    Object.assign(chat.seen, out.seen);
    for (const path of out.changed ?? []) {
      unchecked = true;
      if (!turn.changed.includes(path)) turn.changed.push(path);
      if (!out.seen?.[path]) delete chat.seen[path];
    }
    done(out.text, { row: out.row, failed: out.errors > 0 });
    if (out.errors !== undefined) await judge(out);
  }

  for (let step = 1; ; step++) {
    if (step > maxSteps) throw new Stopped(`I stopped after ${maxSteps} steps. Say so if I should go on.`);
    const say = view.answer();
    let answer;
    try {
      answer = await call(settings, request, chat.messages, { signal, say: (s) => say.more(s), wait: view.wait });
    } catch (e) {
      if (say.text()) add({ role: "assistant", text: say.text(), calls: [] });
      throw e;
    } finally {
      say.end();
    }
    const ids = new Set();
    for (const c of answer.calls) {
      while (!c.id || ids.has(c.id)) c.id = "call_" + Math.random().toString(36).slice(2, 12);
      ids.add(c.id);
    }
    for (const k of ["in", "out", "cached"]) turn.usage[k] += answer.usage[k];
    view.meter();
    if (answer.text || answer.calls.length) add({ role: "assistant", text: answer.text, calls: answer.calls });
    let stopped;
    for (const c of answer.calls) { // each call gets a result, whatever happens: the model's next request would be refused
      try {
        if (stopped) add({ role: "tool", id: c.id, name: c.name, text: "Not done.", error: true });
        else await runTool(c);
      } catch (e) {
        stopped = e;
      }
    }
    if (stopped) throw stopped;
    signal.throwIfAborted();
    view.save();
    if (answer.calls.length) continue;
    if (!unchecked || !agent.check) return;

    const row = view.tool({ name: "check_app", args: "{}" }, 0);
    const found = await api("check", { project: turn.project }, signal);
    row(add({ role: "check", row: found.row, failed: found.errors > 0 }));
    await judge(found);
    if (!found.errors) return;
    add({ role: "user", text: found.text + "\n\nRepair that.", automatic: true });
  }
}

/** The end of a turn that is no failure. */
export class Stopped extends Error {}
