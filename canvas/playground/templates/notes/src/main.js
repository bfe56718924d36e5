import * as api from "./api.js";
import { edit } from "./editor.js";

const notes = document.querySelector("#notes");
const count = document.querySelector("#count");
const find = document.querySelector("#find");

function card(note) {
  const el = document.createElement("button");
  el.className = note.pinned ? "note pinned" : "note";
  const title = document.createElement("h2");
  title.textContent = note.title;
  const body = document.createElement("p");
  body.textContent = note.body;
  const time = document.createElement("time");
  time.dateTime = note.updated;
  time.textContent = new Date(note.updated).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  el.append(title, body, time);
  el.onclick = () => edit(note, show);
  return el;
}

async function show() {
  const started = performance.now();
  const list = await api.list(find.value);
  notes.replaceChildren(...list.map(card));
  count.textContent = list.length;
  if (!list.length) notes.textContent = find.value ? "Nothing has that in it." : "No notes yet.";
  console.log(`showed ${list.length} notes in ${(performance.now() - started).toFixed(1)} ms`);
}

let wait;
find.addEventListener("input", () => {
  clearTimeout(wait);
  wait = setTimeout(show, 120);
});
document.querySelector("#new").onclick = () => edit({ title: "", body: "", pinned: 0 }, show);

show();
