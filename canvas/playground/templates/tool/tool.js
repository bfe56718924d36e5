// What all tools do alike: they choose a file of their grant, show it, follow its changes, save what a person
// changes, and lose nobody's work on the way. A tool calls start once, and edited when a person has changed something.

export function el(tag, props = {}, ...children) {
  const e = Object.assign(document.createElement(tag), props);
  e.append(...children);
  return e;
}

/** How the lines of a text end, which a text area forgets. */
export const eol = (text) => (text.includes("\r\n") && !/(^|[^\r])\n/.test(text) ? "\r\n" : "\n");

const select = el("select", { id: "file", ariaLabel: "File" });
const state = el("span", { id: "state", role: "status" });
const bar = el("div", { id: "bar", hidden: true, role: "alert" });
document.body.prepend(el("header", {}, select, state), bar);

let tool = null; // what start was given
let doc = null; // { path, hash, text, readOnly } that is shown
let dirty = false; // a person has changed what is shown
let saving = null; // a promise
let timer = 0;
let over = false;

async function api(name, body = {}) {
  let answer;
  try {
    answer = await fetch("/api/" + name, { method: "POST", body: JSON.stringify(body) });
  } catch (e) {
    if (leaving) await new Promise(() => {});
    throw e;
  }
  if (answer.status === 403 || answer.status === 404) return end("This session has ended.");
  const out = await answer.json().catch(() => ({ error: { message: `It was answered with ${answer.status}.` } }));
  const error = typeof out.error === "string" ? out : out.error;
  if (!error) return out;
  if (error.code === "unopened" || error.code === "exhausted" && name !== "write") return end(error.message);
  throw Object.assign(new Error(error.message), { code: error.code });
}

let leaving = false;
addEventListener("pagehide", () => (leaving = true));

/** Nothing more may be seen or done. What waits for an answer waits on. */
function end(why) {
  if (!over) document.body.replaceChildren(el("p", { className: "empty", role: "status" }, why));
  over = true;
  clearTimeout(timer);
  return new Promise(() => {});
}

export const say = (words) => (state.textContent = words);

/** what: { name, match, limit, show(text, readOnly, cut) returns a note for the person or nothing, text(), clear(words) } */
export async function start(what) {
  tool = what;
  const grant = await api("grant");
  tool.readOnly = grant.mode !== "readwrite";
  follow();
}

/** Brings the list of files, and the one that is shown, to what they are now. */
async function list() {
  const files = (await api("list")).files.filter((f) => tool.match.test(f.path));
  await saving;
  select.replaceChildren(...files.map((f) => el("option", {}, f.path)));
  const mine = files.find((f) => f.path === doc?.path);
  if (mine) select.value = doc.path;
  if (doc && mine?.hash === doc.hash) return;
  if (doc && dirty) return conflict();
  if (mine) return open(doc.path);
  const wanted = decodeURIComponent(location.hash.slice(1));
  const first = files.find((f) => f.path === wanted) ?? files[0];
  if (first) return open(first.path);
  doc = null;
  tool.clear(`The grant covers no ${tool.name} file.`);
}

select.onchange = async () => {
  await save();
  if (dirty) return void (select.value = doc.path); // a conflict comes first
  open(select.value);
};

async function open(path) {
  bar.hidden = true;
  try {
    const f = await api("read", { path, limit: tool.limit });
    select.value = path;
    history.replaceState(null, "", "#" + encodeURIComponent(path));
    dirty = false;
    doc = { path, hash: f.hash, text: f.content, readOnly: tool.readOnly };
    if (f.encoding !== "utf8") return tool.clear(`${path} is no text.`);
    const cut = f.size > tool.limit;
    doc.readOnly ||= cut;
    const note = tool.show(doc.text, doc.readOnly, cut);
    say(note ? note : cut ? `The first ${Math.round(tool.limit / 1000)} of ${Math.round(f.size / 1000)} kB, read only` : doc.readOnly ? "Read only" : "");
  } catch (e) {
    tool.clear(e.message);
  }
}

/** A person has changed something: it is saved in a moment. */
export function edited() {
  if (!doc || doc.readOnly) return;
  dirty = true;
  say("Changed");
  clearTimeout(timer);
  timer = setTimeout(save, 700);
}

export async function save() {
  clearTimeout(timer);
  await saving;
  if (!dirty || over || !bar.hidden) return;
  const { path } = doc;
  const text = tool.text();
  saving = api("write", { path, content: text, expectedHash: doc.hash }).then(({ hash }) => {
    doc.hash = hash;
    doc.text = text;
    dirty = tool.text() !== text;
    say(dirty ? "Changed" : "Saved");
  }, (e) => (e.code === "conflict" ? conflict() : say(e.message)));
  await saving;
  saving = null;
}

/** Somebody else has changed the file as well: a person chooses. */
async function conflict() {
  let now = { hash: "", content: "" };
  try {
    now = await api("read", { path: doc.path, limit: tool.limit });
  } catch (e) {
    if (e.code !== "not_found") return say(e.message);
  }
  if (now.hash === doc.hash) return;
  if (now.content === tool.text() && now.hash) { // the same change
    doc.hash = now.hash;
    return void (dirty = false);
  }
  bar.replaceChildren(
    el("span", {}, now.hash ? `${doc.path} was changed elsewhere, too.` : `${doc.path} was removed elsewhere.`),
    el("button", { onclick: () => { dirty = false; now.hash ? open(doc.path) : (bar.hidden = true, list()); } }, now.hash ? "Take theirs" : "Let it go"),
    el("button", { onclick: () => { doc.hash = now.hash; bar.hidden = true; dirty = true; save(); } }, "Keep mine"),
  );
  bar.hidden = false;
  say("Not saved");
}

/** Follows the files of the grant for as long as the session lasts. */
async function follow() {
  for (let after = ""; !over;) {
    try {
      const news = await api("changes", { after });
      after = news.after;
      if (news.missed || news.files.some((f) => tool.match.test(f.path))) await list();
    } catch {
      await new Promise((yes) => setTimeout(yes, 3000)); // the program is not there for the moment
    }
  }
}

addEventListener("keydown", (e) => {
  if ((e.ctrlKey || e.metaKey) && e.key === "s") {
    e.preventDefault();
    save();
  }
});
