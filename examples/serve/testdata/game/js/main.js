import { loadImages, loadLevel } from "./assets.js";
import { keys } from "./input.js";
import { Sounds } from "./sounds.js";
import { World } from "./world.js";

const stage = document.querySelector("#stage");
const score = document.querySelector("#score");
const sounds = new Sounds(["coin", "step"]);

const [images, level] = await Promise.all([
  loadImages({ hero: "hero.png", coin: "coin.png" }),
  loadLevel("meadow"),
  document.fonts.load("48px Score", "0"),
]);
const world = new World(level, stage.width, stage.height);
world.addEventListener("coin", () => {
  score.textContent = world.score;
  sounds.play("coin");
});
world.addEventListener("step", () => sounds.play("step"));

document.querySelector("#sound").addEventListener("click", async (event) => {
  event.target.textContent = (await sounds.toggle()) ? "Sound off" : "Sound on";
});

const pen = stage.getContext("2d");
pen.imageSmoothingEnabled = false;
let last = performance.now();
requestAnimationFrame(function frame(now) {
  world.advance(Math.min(now - last, 50) / 1000, keys);
  last = now;
  pen.clearRect(0, 0, stage.width, stage.height);
  for (const coin of world.coins) pen.drawImage(images.coin, coin.x - 8, coin.y - 8, 16, 16);
  pen.drawImage(images.hero, world.hero.x - 12, world.hero.y - 12, 24, 24);
  requestAnimationFrame(frame);
});
document.body.dataset.ready = "yes";
