// Three versions of a text, line by line: what both sides began with, mine and theirs.

/** A part of the merged text. Where one side changed lines, the other has them as they were. A clash is where both changed the same lines, differently. */
export type Part =
  | { kind: "same"; lines: readonly string[] }
  | { kind: "mine" | "theirs"; lines: readonly string[]; was: readonly string[] }
  | { kind: "clash"; base: readonly string[]; mine: readonly string[]; theirs: readonly string[] };

export type Choice = "mine" | "theirs" | "both";

/** Lines from to until of one text stand as lines in another. */
interface Hunk {
  from: number;
  until: number;
  lines: readonly string[];
}

/** Merges what does not clash. Every line that one side wrote is in a part. */
export function merge3(base: string, mine: string, theirs: string): Part[] {
  const b = base.split("\n");
  const m = hunks(b, mine.split("\n"));
  const t = hunks(b, theirs.split("\n"));
  const parts: Part[] = [];
  let at = 0;
  for (let i = 0, j = 0; i < m.length || j < t.length; ) {
    // A region takes in hunks as long as one of the other side meets it.
    const first = j >= t.length || (i < m.length && m[i].from <= t[j].from) ? m[i] : t[j];
    let { from, until } = first;
    const [i0, j0] = [i, j];
    for (let grown = true; grown; ) {
      grown = false;
      if (i < m.length && (m[i] === first || meets(m[i], from, until))) (until = Math.max(until, m[i++].until)), (grown = true);
      if (j < t.length && (t[j] === first || meets(t[j], from, until))) (until = Math.max(until, t[j++].until)), (grown = true);
    }
    same(parts, b.slice(at, from));
    const my = apply(b, from, until, m.slice(i0, i));
    const their = apply(b, from, until, t.slice(j0, j));
    const was = b.slice(from, until);
    if (j === j0) parts.push({ kind: "mine", lines: my, was });
    else if (i === i0) parts.push({ kind: "theirs", lines: their, was });
    else if (equal(my, their)) same(parts, my);
    else parts.push({ kind: "clash", base: was, mine: my, theirs: their });
    at = until;
  }
  same(parts, b.slice(at));
  return parts;
}

function same(parts: Part[], lines: readonly string[]): void {
  if (lines.length) parts.push({ kind: "same", lines });
}

/** Whether a hunk touches lines of a region, or puts some at its edge. */
function meets(h: Hunk, from: number, until: number): boolean {
  return h.from === h.until || from === until ? h.from <= until && h.until >= from : h.from < until && h.until > from;
}

function apply(base: readonly string[], from: number, until: number, some: readonly Hunk[]): string[] {
  const out: string[] = [];
  let at = from;
  for (const h of some) {
    out.push(...base.slice(at, h.from), ...h.lines);
    at = h.until;
  }
  return [...out, ...base.slice(at, until)];
}

function equal(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((l, i) => l === b[i]);
}

/** The merged text, with a choice for each clash in order; mine where there is none. */
export function textOf(parts: readonly Part[], choices: readonly Choice[] = []): string {
  let n = 0;
  return parts.flatMap((p) => (p.kind === "clash" ? chosen(p, choices[n++] ?? "mine") : p.lines)).join("\n");
}

/** What one side has of a part. */
export function sideOf(p: Part, side: "mine" | "theirs"): readonly string[] {
  if (p.kind === "clash") return p[side];
  return p.kind === "same" || p.kind === side ? p.lines : p.was;
}

export function chosen(p: Extract<Part, { kind: "clash" }>, c: Choice): readonly string[] {
  return c === "both" ? [...p.mine, ...p.theirs] : p[c];
}

const maxDistance = 1500; // lines that differ; beyond, all between the first and the last is one hunk

/** How b came from a, by Myers' greedy algorithm. */
function hunks(a: readonly string[], b: readonly string[]): Hunk[] {
  let from = 0;
  while (from < a.length && from < b.length && a[from] === b[from]) from++;
  let [ea, eb] = [a.length, b.length];
  while (ea > from && eb > from && a[ea - 1] === b[eb - 1]) ea--, eb--;
  if (ea === from && eb === from) return [];
  const n = ea - from;
  const m = eb - from;
  const trace: Int32Array[] = [];
  let v = new Int32Array([0, 0]); // furthest x on each diagonal k, at index k + d
  for (let d = 0; d <= Math.min(n + m, maxDistance); d++) {
    const next = new Int32Array(2 * d + 3);
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && v[k - 1 + d] < v[k + 1 + d]);
      let x = d === 0 ? 0 : down ? v[k + 1 + d] : v[k - 1 + d] + 1;
      let y = x - k;
      while (x < n && y < m && a[from + x] === b[from + y]) x++, y++;
      next[k + d + 1] = x;
      if (x >= n && y >= m) return walk(b, from, trace, d, k);
    }
    trace.push(next);
    v = next;
  }
  return [{ from, until: ea, lines: b.slice(from, eb) }];
}

/** Follows the trace back from the end and joins neighbouring steps into hunks. */
function walk(b: readonly string[], from: number, trace: readonly Int32Array[], d: number, k: number): Hunk[] {
  const steps: [number, number, number, number][] = []; // from and until in a, from and until in b
  for (; d > 0; d--) {
    const v = trace[d - 1]; // diagonal k at index k + d
    const down = k === -d || (k !== d && v[k - 1 + d] < v[k + 1 + d]);
    const pk = down ? k + 1 : k - 1;
    const px = v[pk + d];
    const py = px - pk;
    steps.push(down ? [px, px, py, py + 1] : [px, px + 1, py, py]);
    k = pk;
  }
  const out: Hunk[] = [];
  let last: [number, number, number, number] | null = null;
  const close = () => last && out.push({ from: from + last[0], until: from + last[1], lines: b.slice(from + last[2], from + last[3]) });
  for (const s of steps.reverse()) {
    if (last && last[1] === s[0] && last[3] === s[2]) last = [last[0], s[1], last[2], s[3]];
    else {
      close();
      last = s;
    }
  }
  close();
  return out;
}
