// The chat. The conversation is kept for as long as this frame is open; the settings, with the key, in this browser's localStorage.
import { api, run, Stopped } from "./loop.js";
import { formats } from "./model.js";
import { callRow, el, prose, stick } from "./view.js";

const $ = (id) => document.getElementById(id);
const [log, text] = [$("log"), $("text")];
const kept = (storage, key, otherwise) => JSON.parse(storage.getItem(key) ?? "null") ?? otherwise;

let settings = kept(localStorage, "model", null);
let chat = kept(sessionStorage, "chat", { messages: [], seen: {} });
let agent = { name: "Agent", tools: [], ideas: [] };
let running = null; // an AbortController
let blocked = false; // the policy of this document has stopped a request

addEventListener("securitypolicyviolation", (e) => (blocked ||= e.effectiveDirective === "connect-src"));

function save() {
  try {
    sessionStorage.setItem("chat", JSON.stringify(chat));
  } catch {} // too long to be kept: it lasts as long as the page
}

// ---- the conversation ----

/** The box that rows of calls go into: the last one, unless something was said since. */
function calls() {
  if (log.lastElementChild?.className !== "calls") log.append(el("div", { className: "calls" }));
  return log.lastElementChild;
}

const view = {
  save, meter,
  wait: (seconds) => say(`The model is busy. Again in ${Math.ceil(seconds)} s.`),
  tool(c, repair) {
    const done = stick(log, () => callRow(calls(), c, repair));
    return (m) => stick(log, () => done(m));
  },
  /** An answer that comes piece by piece, shown once a frame. */
  answer() {
    let all = "", box = null, frame = 0;
    const show = () => { frame = 0; stick(log, () => prose(box, all)); };
    return {
      text: () => all,
      more(s) {
        all += s;
        say("");
        box ??= stick(log, () => log.appendChild(el("div", { className: "say streaming" })));
        frame ||= requestAnimationFrame(show);
      },
      end() {
        cancelAnimationFrame(frame);
        if (!box) return;
        show();
        box.classList.remove("streaming");
        if (!all.trim()) box.remove();
      },
    };
  },
};

/** Shows a message of the conversation that is there already. */
function show(m) {
  if (m.role === "user" && !m.automatic) log.append(el("p", { className: "me" }, m.text));
  if (m.role === "assistant") {
    if (m.text) prose(log.appendChild(el("div", { className: "say" })), m.text);
  }
  if (m.role === "tool" || m.role === "check") callRow(calls(), { name: m.name, args: "" }, m.repair)(m);
  if (m.role === "note") log.append(el("p", { className: m.bad ? "trouble" : "note" }, m.text));
  if (m.role === "turn") end(m);
}

function redraw() {
  log.replaceChildren();
  if (!chat.messages.length) welcome();
  chat.messages.forEach(show);
  undoable();
  meter();
  log.scrollTop = log.scrollHeight;
}

function welcome() {
  log.append(el("div", { className: "say" }, el("p", {}, agent.hello ?? "")));
  log.append(el("div", { className: "ideas" }, ...agent.ideas.map((idea) => el("button", { type: "button", onclick: () => { text.value = idea; text.focus(); grow(); } }, idea))));
}

// ---- the end of a turn, and its undoing ----

function end(turn) {
  if (!turn.changed.length) return;
  const box = el("div", { className: "turn" });
  turn.box = () => box;
  log.append(box);
}

const turns = () => chat.messages.filter((m) => m.role === "turn" && m.changed.length);

/** Offers to undo the last turn that changed something and stands, or to do again what was undone last. */
function undoable() {
  const last = turns().findLast((t) => !t.redo);
  const again = turns().find((t) => t.redo);
  for (const t of turns()) {
    const files = t.changed.length === 1 ? t.changed[0] : `${t.changed.length} files`;
    t.box?.().replaceChildren(
      el("span", { title: t.changed.join("\n") }, t.redo ? "Undone." : `Changed ${files}.`),
      t === last && !running ? el("button", { type: "button", onclick: () => restore(t, t.checkpoint) }, "Undo this turn") : "",
      t === again && !running ? el("button", { type: "button", onclick: () => restore(t, t.redo, true) }, "Do it again") : "",
    );
  }
}

async function restore(turn, id, again) {
  try {
    const before = await api("restore", { project: turn.project, id });
    settle(turn, again ? undefined : before.id);
    say(again ? "Done again." : "Undone: the files are what they were.");
  } catch (e) {
    say(e.message);
  }
}

/** Notes that a turn is undone, redo being the checkpoint that brings it back, or that it stands again. */
function settle(turn, redo) {
  turn.redo = redo;
  chat.seen = {};
  chat.told = redo ? "I have undone your last turn: all files are as they were before it. Read them again." : "I have brought back what you did in your last turn.";
  save();
  undoable();
}

// ---- a turn ----

async function send() {
  const words = text.value.trim();
  if (!words || running) return;
  if (!settings) return openSettings();
  if (settings.key && words.includes(settings.key)) return say("That has your key in it, which the model must not see.");
  running = new AbortController();
  blocked = false;
  text.value = "";
  grow();
  if (!chat.messages.length) log.replaceChildren();
  stick(log, () => show({ role: "user", text: words }));
  log.scrollTop = log.scrollHeight;
  chat.messages.push({ role: "user", text: chat.told ? `(${chat.told})\n\n${words}` : words });
  delete chat.told;
  const turn = { role: "turn", changed: [], usage: { in: 0, out: 0, cached: 0 } };
  busy(true);
  try {
    Object.assign(turn, await api("begin", { label: `Before: ${words}` }, running.signal));
    if (turn.project !== chat.project) chat.seen = {};
    chat.project = turn.project;
    await run(chat, turn, { agent, settings, signal: running.signal, view });
    say("");
  } catch (e) {
    await broken(e);
  }
  running = null;
  chat.messages.push(turn);
  stick(log, () => { end(turn); undoable(); });
  busy(false);
  meter();
  save();
}

async function broken(e) {
  say("");
  if (running.signal.aborted) return note("Stopped.");
  if (e instanceof Stopped) return note(e.message);
  if (e instanceof TypeError) await new Promise((yes) => setTimeout(yes, 100)); // the policy's event comes after it
  if (blocked && (await connect())) return location.reload();
  note(e instanceof TypeError ? `${new URL(settings.base).origin} could not be reached: it is not there, does not answer pages of other origins, or is not allowed to be called from here.` : e.message, true);
}

/** Asks the person, by the workbench, whether this page may call the model. */
async function connect() {
  say("The workbench asks whether this page may call the model.");
  try {
    const { allowed } = await api("connect", { origin: new URL(settings.base).origin });
    say(allowed ? "" : "This page may not call the model.");
    return allowed;
  } catch (e) {
    say(e.message);
    return false;
  }
}

function note(words, bad) {
  chat.messages.push({ role: "note", text: words, bad });
  stick(log, () => show(chat.messages.at(-1)));
}

const say = (words) => ($("status").textContent = words);

function busy(on) {
  $("send").hidden = on;
  $("stop").hidden = !on;
  log.setAttribute("aria-busy", on);
  $("fresh").disabled = on;
  undoable();
}

// ---- the meter ----

const short = (n) => (n < 1000 ? `${n}` : `${(n / 1000).toFixed(n < 10_000 ? 1 : 0)} k`);

function meter() {
  $("model").textContent = settings ? settings.model : "Choose a model";
  const used = { in: 0, out: 0, cached: 0 };
  for (const m of chat.messages) if (m.role === "turn") for (const k in used) used[k] += m.usage[k];
  const cost = (used.in * (settings?.priceIn || 0) + used.out * (settings?.priceOut || 0)) / 1e6;
  $("meter").replaceChildren(...(used.in + used.out === 0 ? [] : [
    `${short(used.in)} in`, used.cached ? el("span", { id: "cached" }, ` (${short(used.cached)} cached)`) : "",
    `, ${short(used.out)} out`, cost ? `, ${cost.toFixed(cost < 1 ? 3 : 2)}` : "",
  ]));
}

// ---- settings ----

const dialog = $("settings");
const form = dialog.querySelector("form").elements;
form.format.append(...Object.entries(formats).map(([value, f]) => el("option", { value }, f.title)));
form.format.onchange = () => {
  if (!form.base.value || Object.values(formats).some((f) => f.base === form.base.value)) form.base.value = formats[form.format.value].base;
};

function openSettings() {
  const now = settings ?? { format: "openai", base: formats.openai.base };
  for (const name of ["format", "base", "model", "key", "priceIn", "priceOut"]) form[name].value = now[name] ?? "";
  $("trouble").textContent = "";
  dialog.showModal();
}

$("save").onclick = async () => {
  const trouble = (words) => ($("trouble").textContent = words);
  const next = Object.fromEntries(["format", "base", "model", "key", "priceIn", "priceOut"].map((name) => [name, form[name].value.trim()]));
  const url = URL.canParse(next.base) ? new URL(next.base) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) return trouble("The endpoint is a URL such as https://api.example.com/v1. A key does not belong in it.");
  if (!next.model) return trouble("Name a model.");
  if (!/^[\x21-\x7e]*$/.test(next.key)) return trouble("A key has letters, digits and signs only.");
  settings = next;
  localStorage.setItem("model", JSON.stringify(settings));
  trouble("");
  dialog.close();
  meter();
  if (await connect()) setTimeout(() => location.reload()); // the policy belongs to the document
};

$("forget").onclick = () => {
  settings = null;
  localStorage.removeItem("model");
  dialog.close();
  meter();
};

// ---- the workbench around this page ----

addEventListener("message", ({ source, data }) => {
  if (source !== parent || data?.samkit !== "workbench") return;
  if (typeof data.ask === "string") asked(data.ask);
  if (data.turn) turned(data.turn);
});

/** Does what the person asked for elsewhere on the workbench, or has it ready if this is not the moment. */
function asked(words) {
  text.value = [text.value.trim(), words].filter(Boolean).join("\n\n");
  grow();
  if (running) say("Send it when this turn is over.");
  else send();
}

/** Takes note of what the workbench did to a turn: undone is the checkpoint that brings it back, "" if the turn stands. */
function turned({ checkpoint, undone }) {
  const turn = turns().find((t) => t.checkpoint === checkpoint);
  if (!turn || running || !!turn.redo === !!undone) return;
  settle(turn, undone || undefined);
  say(undone ? "The workbench has undone this turn." : "The workbench has brought this turn back.");
}

// ---- keys and buttons ----

function grow() {
  text.style.height = "auto";
  text.style.height = Math.min(text.scrollHeight + 2, 200) + "px";
}

const stop = () => running?.abort(new Error("Stopped."));
text.oninput = grow;
text.onkeydown = (e) => {
  if (e.key === "Enter" && !e.shiftKey && !e.isComposing) { e.preventDefault(); send(); }
};
addEventListener("keydown", (e) => { if (e.key === "Escape" && !dialog.open) stop(); });
$("compose").onsubmit = (e) => { e.preventDefault(); send(); };
$("stop").onclick = stop;
$("model").onclick = openSettings;
$("fresh").onclick = () => {
  chat = { messages: [], seen: {} };
  save();
  redraw();
  text.focus();
};

try {
  agent = await api("agent");
  document.title = agent.name;
  text.placeholder = `What shall ${agent.name} do?`;
} catch (e) {
  say(e.message);
}
redraw();
parent.postMessage({ samkit: "workbench" }, "*"); // it takes what the workbench says
