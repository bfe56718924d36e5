const list = document.querySelector("#entries");

async function api(path, body) {
  const options = body && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const res = await fetch("/api" + path, options);
  if (!res.ok) throw new Error((await res.json()).error);
  return res.json();
}

async function show() {
  list.replaceChildren(...(await api("/entries")).map(({ name, text }) => {
    const item = document.createElement("li");
    const who = document.createElement("b");
    who.textContent = name;
    item.append(who, text);
    return item;
  }));
}

document.querySelector("#form").addEventListener("submit", async (event) => {
  event.preventDefault();
  await api("/entries", Object.fromEntries(new FormData(event.target)));
  event.target.reset();
  await show();
});

const { visits } = await api("/visits", {});
document.querySelector("#visits").textContent = `Visit number ${visits}`;
await show();
