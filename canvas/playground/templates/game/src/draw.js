// Paints the world: a sky, two rows of far houses, the roofs, the runner.
let width = 0;
let height = 0;

export function resize(stage) {
  const ratio = Math.min(devicePixelRatio || 1, 2);
  width = stage.clientWidth;
  height = stage.clientHeight;
  stage.width = Math.round(width * ratio);
  stage.height = Math.round(height * ratio);
  stage.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
}

const noise = (n) => {
  const s = Math.sin(n * 127.1) * 43758.5453;
  return s - Math.floor(s);
};

export function draw(stage, world, time) {
  const g = stage.getContext("2d");
  const unit = Math.max(22, Math.min(width / 20, height / 13));
  sky(g, time);
  skyline(g, world.x * 0.12, unit * 0.8, height * 0.42, "#3a2f55");
  skyline(g, world.x * 0.3, unit * 1.3, height * 0.3, "#2c2545");

  const left = world.x - width / unit * 0.28;
  for (const b of world.blocks) block(g, b, (b.x - left) * unit, unit);
  runner(g, (world.x - left) * unit, height - world.y * unit, unit, world, time);
}

function sky(g, time) {
  const fade = g.createLinearGradient(0, 0, 0, height);
  fade.addColorStop(0, "#1b1a2e");
  fade.addColorStop(0.55, "#5b3d63");
  fade.addColorStop(1, "#e58a62");
  g.fillStyle = fade;
  g.fillRect(0, 0, width, height);
  for (let i = 0; i < 60; i++) {
    g.globalAlpha = 0.25 + 0.35 * Math.abs(Math.sin(time * 0.7 + i));
    g.fillStyle = "#f5ecd8";
    g.fillRect(noise(i) * width, noise(i + 99) * height * 0.5, 1.5, 1.5);
  }
  g.globalAlpha = 1;
  g.fillStyle = "#ffd9a0";
  g.beginPath();
  g.arc(width * 0.74, height * 0.58, Math.min(width, height) * 0.09, 0, 7);
  g.fill();
}

function skyline(g, shift, size, tall, colour) {
  g.fillStyle = colour;
  const first = Math.floor(shift * 2);
  for (let i = first; i < first + width / size + 3; i++) {
    const h = tall * (0.45 + 0.55 * noise(i));
    g.fillRect((i - shift * 2) * size, height - h, size + 1, h);
  }
}

function block(g, b, x, unit) {
  const w = b.width * unit;
  const h = b.height * unit;
  const y = height - h;
  g.fillStyle = b.hue < 0.33 ? "#241f38" : b.hue < 0.66 ? "#2a2138" : "#1f2136";
  g.fillRect(x, y, w, h);
  g.fillStyle = "#ffb454";
  g.fillRect(x - 3, y, w + 6, Math.max(4, unit * 0.16));
  for (let row = 0; row < b.height - 1; row++) {
    for (let col = 0; col < Math.floor(b.width); col++) {
      if (noise(b.id * 31 + row * 7 + col) < 0.55) continue;
      g.fillStyle = noise(b.id + row + col * 3) < 0.5 ? "#ffcf7d" : "#6d5a7d";
      g.fillRect(x + (col + 0.32) * unit, y + (row + 0.7) * unit, unit * 0.34, unit * 0.42);
    }
  }
}

function runner(g, x, y, unit, world, time) {
  const run = world.onRoof ? Math.sin(time * 18) : 0.6;
  g.save();
  g.translate(x, y);
  g.scale(unit, unit);
  g.lineCap = "round";
  g.strokeStyle = "#fff6e3";
  g.lineWidth = 0.16;
  g.beginPath();
  g.moveTo(0, -0.62);
  g.lineTo(0.26 * run, 0);
  g.moveTo(0, -0.62);
  g.lineTo(-0.26 * run, world.onRoof ? 0 : -0.15);
  g.stroke();
  g.fillStyle = "#fff6e3";
  g.beginPath();
  g.roundRect(-0.26, -1.3, 0.52, 0.78, 0.24);
  g.fill();
  g.fillStyle = "#e8563f";
  g.beginPath();
  g.moveTo(-0.2, -1.12);
  g.lineTo(-0.85, -1.05 + 0.12 * Math.sin(time * 14));
  g.lineTo(-0.2, -0.9);
  g.fill();
  g.fillStyle = "#1b1a2e";
  g.fillRect(0.08, -1.12, 0.09, 0.14);
  g.restore();
}
