import * as api from "./api.js";

const dialog = document.querySelector("#editor");
const form = dialog.querySelector("form");
const trouble = document.querySelector("#trouble");
const del = document.querySelector("#delete");

/** Opens a note; done runs after it was saved or deleted. */
export function edit(note, done) {
  const fields = form.elements;
  fields.title.value = note.title;
  fields.body.value = note.body;
  fields.pinned.checked = !!note.pinned;
  trouble.textContent = "";
  del.hidden = !note.id;

  const run = (act) => async () => {
    try {
      await act();
      dialog.close();
      await done();
    } catch (e) {
      trouble.textContent = e.message;
    }
  };
  document.querySelector("#save").onclick = run(() =>
    api.save({ id: note.id, title: fields.title.value, body: fields.body.value, pinned: fields.pinned.checked }),
  );
  del.onclick = run(() => api.remove(note.id));
  document.querySelector("#cancel").onclick = () => dialog.close();
  dialog.showModal();
}
