const form = document.querySelector("#form");
const rows = document.querySelector("#rows");
const empty = document.querySelector("#empty");
const trouble = document.querySelector("#trouble");

async function api(method, path, body) {
  const answer = await fetch("/api/links" + path, {
    method,
    headers: body && { "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  const data = answer.status === 204 ? null : await answer.json();
  if (!answer.ok) throw new Error(data.error);
  return data;
}

function row(link) {
  const tr = document.createElement("tr");
  const go = document.createElement("button");
  go.className = "go";
  go.textContent = link.name;
  go.title = "Count a visit";
  go.onclick = () => run(() => api("POST", `/${encodeURIComponent(link.name)}/visit`));
  const remove = document.createElement("button");
  remove.className = "remove";
  remove.textContent = "Remove";
  remove.setAttribute("aria-label", `Remove ${link.name}`);
  remove.onclick = () => run(() => api("DELETE", `/${encodeURIComponent(link.name)}`));
  const cells = [go, link.url, String(link.visits), remove].map((content) => {
    const td = document.createElement("td");
    td.append(content);
    return td;
  });
  cells[1].className = "url";
  cells[2].className = "n";
  tr.append(...cells);
  return tr;
}

async function show() {
  const links = await api("GET", "");
  rows.replaceChildren(...links.map(row));
  empty.hidden = links.length > 0;
}

/** Does something, then shows what is there now. */
async function run(act) {
  trouble.textContent = "";
  try {
    await act();
    await show();
  } catch (e) {
    trouble.textContent = e.message;
  }
}

form.addEventListener("submit", (e) => {
  e.preventDefault();
  run(async () => {
    await api("POST", "", Object.fromEntries(new FormData(form)));
    form.reset();
    form.elements.name.focus();
  });
});

run(async () => {});
