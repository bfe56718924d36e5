import { loadSound } from "./assets.js";

// Browsers let a page make sounds only after a click, so nothing is loaded before.
export class Sounds {
  #names;
  #context;
  #buffers = new Map();
  #on = false;

  constructor(names) {
    this.#names = names;
  }

  async toggle() {
    this.#on = !this.#on;
    if (this.#on && !this.#context) {
      this.#context = new AudioContext();
      await Promise.all(this.#names.map(async (name) => {
        this.#buffers.set(name, await this.#context.decodeAudioData(await loadSound(name)));
      }));
    }
    return this.#on;
  }

  play(name) {
    if (!this.#on || !this.#buffers.has(name)) return;
    const source = this.#context.createBufferSource();
    source.buffer = this.#buffers.get(name);
    source.connect(this.#context.destination);
    source.start();
  }
}
