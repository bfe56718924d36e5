// The rules. Lengths are in units of which the stage shows about 20 across.
const gravity = 34;
const jumpSpeed = 12.5;
const holdFor = 0.18; // seconds in which holding makes the hop longer

const between = (a, b) => a + Math.random() * (b - a);

export class World {
  constructor() {
    this.x = 0; // how far the runner came
    this.y = 4; // height of the feet
    this.vy = 0;
    this.speed = 6.5;
    this.held = 0;
    this.roofs = 0;
    this.onRoof = null;
    this.blocks = [{ x: -10, width: 20, height: 4, hue: 0, id: 0 }];
    this.fill();
  }

  /** Puts roofs ahead, wider gaps the faster it goes. */
  fill() {
    let last = this.blocks[this.blocks.length - 1];
    while (last.x + last.width < this.x + 40) {
      const gap = between(1.6, 2.2) * (this.speed / 6.5) + 0.6;
      last = {
        x: last.x + last.width + gap,
        width: between(4, 8.5),
        height: Math.min(6.5, Math.max(2, last.height + between(-1.6, 1.5))),
        hue: between(0, 1),
        id: last.id + 1,
      };
      this.blocks.push(last);
    }
    this.blocks = this.blocks.filter((b) => b.x + b.width > this.x - 12);
  }

  /** Starts a hop; false in the air. */
  jump() {
    if (!this.onRoof) return false;
    this.vy = jumpSpeed;
    this.held = holdFor;
    this.onRoof = null;
    return true;
  }

  release() {
    this.held = 0;
  }

  /** Moves on by dt seconds and says what happened, if anything did. */
  step(dt) {
    this.speed = Math.min(13, this.speed + dt * 0.11);
    this.x += this.speed * dt;
    this.fill();
    const under = this.blocks.find((b) => this.x > b.x - 0.3 && this.x < b.x + b.width + 0.3);
    if (this.onRoof) {
      if (under === this.onRoof) return "";
      this.onRoof = null; // ran off the edge
      this.vy = 0;
    }
    if (this.held > 0) {
      this.held -= dt;
      this.vy = jumpSpeed;
    } else this.vy -= gravity * dt;
    const before = this.y;
    this.y += this.vy * dt;
    if (under && this.vy <= 0 && before >= under.height - 0.35 && this.y <= under.height) {
      this.y = under.height;
      this.vy = 0;
      this.onRoof = under;
      if (under.id > this.roofs) {
        this.roofs = under.id;
        return "landed";
      }
    }
    return this.y < -2 ? "fell" : "";
  }
}
