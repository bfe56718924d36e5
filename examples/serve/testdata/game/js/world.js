import { near, within } from "./geometry.js";

const speed = 120; // pixels a second
const stride = 24; // pixels between the sounds of steps

export class World extends EventTarget {
  score = 0;
  #walked = 0;

  constructor({ start: [x, y], coins }, width, height) {
    super();
    this.size = { width, height };
    this.hero = { x, y };
    this.coins = coins.map(([x, y]) => ({ x, y }));
  }

  advance(seconds, keys) {
    const dx = (keys.has("ArrowRight") ? 1 : 0) - (keys.has("ArrowLeft") ? 1 : 0);
    const dy = (keys.has("ArrowDown") ? 1 : 0) - (keys.has("ArrowUp") ? 1 : 0);
    if (!dx && !dy) return;
    const step = (speed * seconds) / Math.hypot(dx, dy);
    this.hero.x = within(this.hero.x + dx * step, 12, this.size.width - 12);
    this.hero.y = within(this.hero.y + dy * step, 12, this.size.height - 12);
    this.#walked += step;
    if (this.#walked > stride) {
      this.#walked = 0;
      this.dispatchEvent(new Event("step"));
    }
    const left = this.coins.filter((coin) => !near(coin, this.hero, 18));
    if (left.length < this.coins.length) {
      this.score += this.coins.length - left.length;
      this.coins = left;
      this.dispatchEvent(new Event("coin"));
    }
  }
}
