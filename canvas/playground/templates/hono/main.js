const choices = document.getElementById("choices");
const trouble = document.getElementById("trouble");
const field = document.getElementById("name");

async function api(method, path, body) {
  const answer = await fetch("/api" + path, { method, headers: body && { "Content-Type": "application/json" }, body: body && JSON.stringify(body) });
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.error);
  return data;
}

function draw(poll) {
  const most = Math.max(1, ...poll.map((c) => c.voters.length));
  choices.replaceChildren(...poll.map((c) => {
    const button = document.createElement("button");
    button.value = c.id;
    button.style.setProperty("--share", c.voters.length / most);
    for (const [tag, text] of [["b", c.title], ["span", c.voters.join(", ") || "nobody yet"], ["i", c.voters.length]]) {
      button.append(Object.assign(document.createElement(tag), { textContent: text }));
    }
    return button;
  }));
}

document.getElementById("vote").onsubmit = async (e) => {
  e.preventDefault();
  trouble.textContent = "";
  if (!field.value.trim()) {
    trouble.textContent = "Who are you? One name, one vote.";
    return field.focus();
  }
  try {
    draw(await api("POST", "/votes", { name: field.value, choice: e.submitter?.value }));
  } catch (error) {
    trouble.textContent = error.message;
  }
};

draw(await api("GET", "/poll"));
