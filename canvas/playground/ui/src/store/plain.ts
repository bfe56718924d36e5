// Text of strangers as it is shown: what a reader can't see, or what turns the direction of others around, is spelled out.
export function plain(s: string): string {
  return s.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\uffff]|[\u{e0000}-\u{e0fff}]/gu, (c) => `\\u{${c.codePointAt(0)!.toString(16)}}`);
}

/** Whether a pattern of a grant is for a file. The program decides; this is for counting before. */
export function matches(pattern: string, name: string): boolean {
  const parts = pattern.split("/");
  const re = parts.map((p, i) => (p === "**" ? (i === parts.length - 1 ? ".+" : "(?:.+/)?") : part(p) + (i === parts.length - 1 ? "" : "/")));
  return new RegExp(`^${re.join("")}$`, "su").test(name);
}

function part(p: string): string {
  return p.replace(/\\\*|\*|[\\^$.+?()[\]{}|/-]/g, (m) => (m === "*" ? "[^/]*" : m === "\\*" ? "\\*" : "\\" + m));
}
