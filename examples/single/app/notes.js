const form = document.querySelector("form");

async function show(response) {
  const { user, notes } = await response.json();
  document.querySelector("#user").textContent = "of " + user;
  document.querySelector("ul").replaceChildren(...notes.map((text) => {
    const item = document.createElement("li");
    item.textContent = text;
    return item;
  }));
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  await show(await fetch("api/notes", { method: "POST", body: new FormData(form) }));
  form.reset();
});
await show(await fetch("api/notes"));
