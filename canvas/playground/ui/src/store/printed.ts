// Values as consoles print them, read back so that they can be unfolded: { id: 12, tags: [ "a", "b" ] }.

export interface Leaf {
  kind: "string" | "number" | "word";
  text: string;
}

export interface Branch {
  kind: "branch";
  head: string; // before the bracket: "Map(2)", or ""
  list: boolean;
  items: { key: string; value: Value }[];
}

export type Value = Leaf | Branch;

/** A printed text in parts: words, and the values among them that have something inside. */
export function printed(text: string): (string | Branch)[] {
  const out: (string | Branch)[] = [];
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    if ((text[i] !== "{" && text[i] !== "[") || /[\w$)\]]/.test(text[i - 1] ?? "")) continue;
    const r = new Reader(text, i);
    const b = r.branch("");
    if (!b || !b.items.length || !/^[\s,.;:)]|^$/.test(text.slice(r.at, r.at + 1))) continue;
    const head = /(?:[A-Za-z_$][\w$]*(?:\(\d+\))? )$/.exec(text.slice(from, i))?.[0] ?? "";
    const named = /^[A-Z]/.test(head) || /\)\s$/.test(head);
    if (named) b.head = head.trim();
    if (i - (named ? head.length : 0) > from) out.push(text.slice(from, i - (named ? head.length : 0)));
    out.push(b);
    from = i = r.at;
    i--;
  }
  if (from < text.length) out.push(text.slice(from));
  return out;
}

class Reader {
  constructor(
    private readonly s: string,
    public at: number,
    private depth = 0,
  ) {}

  private space(): void {
    while (/\s/.test(this.s[this.at] ?? "")) this.at++;
  }

  branch(head: string): Branch | null {
    if (++this.depth > 20) return null;
    const list = this.s[this.at] === "[";
    const close = list ? "]" : "}";
    const items: Branch["items"] = [];
    this.at++;
    for (this.space(); this.s[this.at] !== close; this.space()) {
      if (this.at >= this.s.length) return null;
      const more = /^… (\d+) more/.exec(this.s.slice(this.at, this.at + 40)) ?? /^\.\.\. \d+ more items?/.exec(this.s.slice(this.at, this.at + 40));
      if (more) {
        items.push({ key: "", value: { kind: "word", text: more[0] } });
        this.at += more[0].length;
      } else {
        const key = list ? String(items.length) : this.key();
        if (key === null) return null;
        const value = this.value();
        if (!value) return null;
        items.push({ key, value });
      }
      this.space();
      if (this.s[this.at] === ",") this.at++;
      else if (this.s[this.at] !== close) return null;
    }
    this.at++;
    this.depth--;
    return { kind: "branch", head, list, items };
  }

  /** "name:" or "key =>"; a member of a Set has none. */
  private key(): string | null {
    const rest = this.s.slice(this.at, this.at + 300);
    const m = /^((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\[[^\]]*\]|[\w$]+))(?:: | => )/.exec(rest);
    if (!m) return "";
    this.at += m[0].length;
    return m[1];
  }

  private value(): Value | null {
    this.space();
    const c = this.s[this.at];
    if (c === "{" || c === "[") {
      const word = /^\[(?:Circular[^\]]*|Getter[^\]]*|Setter|Array|Object|[A-Z]\w*|Function[^\]]*|class[^\]]*)\]/.exec(this.s.slice(this.at, this.at + 80));
      if (!word) return this.branch("");
      this.at += word[0].length;
      return { kind: "word", text: word[0] };
    }
    if (c === '"' || c === "'" || c === "`") return this.quoted(c);
    const head = /^(?:[\w$]+(?:\(\d+\))?|\[[\w ]+\])(?: \[[\w ]+\])? (?=[{[])/.exec(this.s.slice(this.at, this.at + 120));
    if (head) {
      this.at += head[0].length;
      return this.branch(head[0].trim());
    }
    const word = /^[^,{}[\]\n]+/.exec(this.s.slice(this.at, this.at + 500));
    if (!word) return null;
    const text = word[0].trimEnd();
    this.at += text.length;
    return { kind: /^-?[\d.]/.test(text) || /^(NaN|-?Infinity|true|false|null|undefined)$/.test(text) ? "number" : "word", text };
  }

  private quoted(q: string): Leaf | null {
    const from = this.at;
    for (this.at++; this.s[this.at] !== q; this.at++) {
      if (this.at >= this.s.length) return null;
      if (this.s[this.at] === "\\") this.at++;
    }
    this.at++;
    return { kind: "string", text: this.s.slice(from, this.at) };
  }
}
