// The client of functions.js.
async function call(method, path, body) {
  const answer = await fetch("/api/notes" + path, {
    method,
    headers: body && { "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  const data = answer.status === 204 ? null : await answer.json();
  if (!answer.ok) throw new Error(data.error);
  return data;
}

export const list = (find) => call("GET", "?find=" + encodeURIComponent(find));
export const save = (note) => (note.id ? call("PUT", "/" + note.id, note) : call("POST", "", note));
export const remove = (id) => call("DELETE", "/" + id);
