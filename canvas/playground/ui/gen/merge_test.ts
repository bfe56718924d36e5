import { merge3, sideOf, textOf } from "../src/merge";

let seed = 1;
const random = (n: number) => (seed = (seed * 48271) % 0x7fffffff) % n;

function check(ok: boolean, what: string, ...values: unknown[]): void {
  if (!ok) throw new Error(what + "\n" + values.map((v) => JSON.stringify(v)).join("\n"));
}

/** Changes some lines. Lines that come are marked, so that they can be found again. */
function edited(lines: readonly string[], who: string): string[] {
  const out = [...lines];
  for (let n = random(4); n > 0; n--) out.splice(random(out.length + 1), random(3), ...Array.from({ length: random(3) }, () => `${who}${random(1e9)}`));
  return out;
}

for (let round = 0; round < 5000; round++) {
  const base = Array.from({ length: random(12) }, () => "abcd"[random(4)]);
  const mine = edited(base, "m");
  const theirs = edited(base, "t");
  const [b, m, t] = [base, mine, theirs].map((l) => l.join("\n"));
  check(textOf(merge3(b, b, t)) === t, "only theirs changed", b, t, merge3(b, b, t));
  check(textOf(merge3(b, m, b)) === m, "only mine changed", b, m, merge3(b, m, b));
  check(textOf(merge3(b, m, m)) === m, "the same change", b, m, merge3(b, m, m));
  const parts = merge3(b, m, t);
  for (const [side, text] of [["mine", m], ["theirs", t]] as const) {
    const shown = parts.flatMap((p) => sideOf(p, side)).join("\n");
    check(shown === text, `the column ${side} is another text`, shown, b, m, t, parts);
  }
  const both = textOf(parts, parts.map(() => "both" as const)).split("\n");
  for (const l of [...mine, ...theirs]) {
    check(!/^[mt]/.test(l) || both.includes(l), `the line ${l} is lost`, b, m, t, parts);
  }
  if (!parts.some((p) => p.kind === "theirs" || p.kind === "clash")) check(textOf(parts) === m, "nothing is theirs", b, m, t, parts);
  const clashes = parts.filter((p) => p.kind === "clash").length;
  check(textOf(parts, Array(clashes).fill("mine")).split("\n").every((l) => [b, m, t].some((text) => text.split("\n").includes(l))), "a line comes from nowhere", b, m, t);
}

const far = textOf(merge3("a\nb\nc\nd\ne", "A\nb\nc\nd\ne", "a\nb\nc\nd\nE"));
check(far === "A\nb\nc\nd\nE", "changes far apart", far);
const next = merge3("a\nb", "A\nb", "a\nB");
check(textOf(next) === "A\nB" && !next.some((p) => p.kind === "clash"), "changes of neighbours", next);
check(merge3("a\nb\nc", "a\nM\nc", "a\nT\nc").some((p) => p.kind === "clash"), "the same line");
const large = Array.from({ length: 20000 }, (_, i) => `line ${i}`).join("\n");
const began = Date.now();
merge3(large, large.replace(/line \d*7\n/g, "x\n"), large.replace(/line \d*3\n/g, "y\n"));
check(Date.now() - began < 20000, "large texts take long", Date.now() - began);
