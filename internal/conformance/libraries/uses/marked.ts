// marked
// GitHub-flavoured Markdown: tables, task lists, nested lists, code, links, an extension and a renderer of our own.
import { Marked, marked } from "marked";

const source = `# Ünïcode *heading* 🎉

A paragraph with **bold**, _em_, ~~gone~~, \`code\`, <b>html</b>, a [link](https://e.com/a_b "t") and https://auto.link/x?y=1.
Hard\\
break & &amp; "quotes"

1. one
   - [x] done
   - [ ] todo

     second paragraph
2. two

| a | b |
|:--|--:|
| 1 \\| 2 | \`x\` |

> quote
> > nested

\`\`\`js
const x = "<y>";
\`\`\`

![img](a.png) [ref]

[ref]: /target "Title"

---
:smile: and :::note
`;
const emoji = { name: "emoji", level: "inline" as const, start: (s: string) => s.indexOf(":"), tokenizer(s: string) { const m = /^:(\w+):/.exec(s); if (m) return { type: "emoji", raw: m[0], name: m[1] }; }, renderer: (t: any) => `<img alt="${t.name}">` };
const own = new Marked({ gfm: true, breaks: true }, { extensions: [emoji], renderer: { heading({ tokens, depth }) { return `<h${depth + 1} class="h">${this.parser.parseInline(tokens)}</h${depth + 1}>\n`; } }, walkTokens(t) { if (t.type === "link") t.href += "#x"; } });

export default {
  async fetch() {
    return Response.json({ plain: marked.parse(source), own: own.parse(source), inline: marked.parseInline("*a* <b>"), tokens: marked.lexer(source).map((t) => t.type), async: await new Marked({ async: true, async walkTokens(t) { await null; if (t.type === "text") t.text = t.text.toUpperCase(); } }).parse("*later*") });
  },
};
