// Ties the parts together: input, the loop, the score.
import { World } from "./world.js";
import { draw, resize } from "./draw.js";
import { hop, fall, land } from "./sound.js";
import { loadBest, keepBest } from "./best.js";

const stage = document.querySelector("#stage");
const card = document.querySelector("#card");
const say = document.querySelector("#say");
const score = document.querySelector("#score");
const best = document.querySelector("#best");

let world = new World();
let running = false;
let record = 0;

function start() {
  world = new World();
  running = true;
  card.hidden = true;
  score.textContent = 0;
  stage.focus();
}

async function over() {
  running = false;
  fall();
  const isBest = world.roofs > record;
  say.textContent = isBest ? `${world.roofs} roofs, your best yet.` : `${world.roofs} roofs. The best is ${record}.`;
  card.hidden = false;
  if (isBest) show(await keepBest(world.roofs));
}

function show(n) {
  record = n;
  best.textContent = n;
}

function press() {
  if (running && world.jump()) hop();
}

addEventListener("keydown", (e) => {
  if (e.code !== "Space" && e.code !== "ArrowUp") return;
  if (!running || e.repeat) return;
  e.preventDefault();
  press();
});
addEventListener("keyup", (e) => {
  if (e.code === "Space" || e.code === "ArrowUp") world.release();
});
stage.addEventListener("pointerdown", press);
addEventListener("pointerup", () => world.release());
addEventListener("resize", () => resize(stage));
document.querySelector("#play").onclick = start;

// A fixed step keeps the game equally fast on every screen.
const step = 1 / 120;
let before = performance.now();
let left = 0;

function frame(now) {
  left += Math.min((now - before) / 1000, 0.1);
  before = now;
  while (left >= step) {
    left -= step;
    if (!running) continue;
    const event = world.step(step);
    if (event === "landed") {
      land();
      score.textContent = world.roofs;
    } else if (event === "fell") over();
  }
  draw(stage, world, now / 1000);
  requestAnimationFrame(frame);
}

resize(stage);
show(await loadBest());
requestAnimationFrame(frame);
console.log("Rooftops is ready, best so far:", record);
