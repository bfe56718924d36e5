// Times as the page writes them: absolute, of today without the day.
const two = (n: number) => String(n).padStart(2, "0");

/** "10:42", or "28 Nov" of another day, or "28 Nov 2025" of another year. */
export function when(time: string, now = new Date()): string {
  const t = new Date(time);
  if (t.toDateString() === now.toDateString()) return `${two(t.getHours())}:${two(t.getMinutes())}`;
  const year = t.getFullYear() === now.getFullYear() ? {} : ({ year: "numeric" } as const);
  return t.toLocaleDateString("en-GB", { day: "numeric", month: "short", ...year });
}

/** "10:41:52.310" */
export function clock(time: string): string {
  const t = new Date(time);
  return `${two(t.getHours())}:${two(t.getMinutes())}:${two(t.getSeconds())}.${String(t.getMilliseconds()).padStart(3, "0")}`;
}

/** "0.1 ms", "84 ms", "1.2 s" */
export function took(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(1)} s`;
}
