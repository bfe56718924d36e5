// Makes the images, the font and the sounds of the game: node recipe/assets.mjs
// The same program gives the same bytes, but for the font's date.
import { writeFileSync } from "node:fs";
import { deflateSync, crc32 } from "node:zlib";
import opentype from "opentype.js";

const to = (name, data) => writeFileSync(new URL("../" + name, import.meta.url), data);

// A picture: rows of letters, a colour for each.
function png(rows, palette) {
  const h = rows.length, w = rows[0].length;
  const raw = Buffer.alloc(h * (1 + w * 4));
  rows.forEach((row, y) => [...row].forEach((c, x) => raw.writeUInt32BE(palette[c] ?? 0, y * (1 + w * 4) + 1 + x * 4)));
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const out = Buffer.alloc(body.length + 8);
    out.writeUInt32BE(data.length);
    body.copy(out, 4);
    out.writeUInt32BE(crc32(body), body.length + 4);
    return out;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(w), head.writeUInt32BE(h, 4), head.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", head), chunk("IDAT", deflateSync(raw)), chunk("IEND", Buffer.alloc(0))]);
}

to("img/hero.png", png([
  "..yyyy..", ".yyyyyy.", "yykyykyy", "yyyyyyyy", "yykkkkyy", ".yyyyyy.", "..y..y..", ".yy..yy.",
], { y: 0xffd23fff, k: 0x1b1b2fff }));
to("img/coin.png", png([
  "..oooo..", ".owwwwo.", "owwoowwo", "owowwowo", "owowwowo", "owwoowwo", ".owwwwo.", "..oooo..",
], { o: 0xc97b12ff, w: 0xffe9a8ff }));

// A sound: 16-bit mono at 22,050 Hz.
function wav(seconds, sample) {
  const rate = 22050, n = Math.round(seconds * rate), out = Buffer.alloc(44 + n * 2);
  out.write("RIFF"), out.writeUInt32LE(36 + n * 2, 4), out.write("WAVEfmt ", 8), out.writeUInt32LE(16, 16);
  out.writeUInt16LE(1, 20), out.writeUInt16LE(1, 22), out.writeUInt32LE(rate, 24), out.writeUInt32LE(rate * 2, 28);
  out.writeUInt16LE(2, 32), out.writeUInt16LE(16, 34), out.write("data", 36), out.writeUInt32LE(n * 2, 40);
  for (let i = 0; i < n; i++) out.writeInt16LE(Math.round(12000 * sample(i / rate) * (1 - i / n)), 44 + i * 2);
  return out;
}
to("audio/coin.wav", wav(0.18, (t) => Math.sign(Math.sin(2 * Math.PI * (t < 0.06 ? 988 : 1319) * t))));
to("audio/step.wav", wav(0.04, (t) => Math.sin(2 * Math.PI * 180 * t)));

// A font of the digits, on a grid of 3 by 5.
const grid = {
  0: "111101101101111", 1: "010110010010111", 2: "111001111100111", 3: "111001111001111", 4: "101101111001001",
  5: "111100111001111", 6: "111100111101111", 7: "111001010010010", 8: "111101111101111", 9: "111101111001111",
};
const glyph = (name, unicode, cells) => {
  const path = new opentype.Path();
  [...cells].forEach((on, i) => {
    if (on !== "1") return;
    const x = 100 + (i % 3) * 200, y = 800 - Math.floor(i / 3) * 200;
    path.moveTo(x, y), path.lineTo(x + 200, y), path.lineTo(x + 200, y + 200), path.lineTo(x, y + 200), path.close();
  });
  return new opentype.Glyph({ name, unicode, advanceWidth: 800, path });
};
const font = new opentype.Font({
  familyName: "Score", styleName: "Regular", unitsPerEm: 1000, ascender: 1000, descender: -200,
  glyphs: [
    new opentype.Glyph({ name: ".notdef", advanceWidth: 800, path: new opentype.Path() }),
    new opentype.Glyph({ name: "space", unicode: 32, advanceWidth: 400, path: new opentype.Path() }),
    ...Object.entries(grid).map(([d, cells]) => glyph("digit" + d, 48 + Number(d), cells)),
  ],
});
to("fonts/score.otf", Buffer.from(font.toArrayBuffer()));
