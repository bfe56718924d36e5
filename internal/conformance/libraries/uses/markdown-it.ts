// markdown-it
// CommonMark with tables, linkified addresses, smart quotes, fences given to a highlighter, own rules and tokens.
import MarkdownIt from "markdown-it";

const source = `# Title *em*
"Smart" 'quotes' -- dash... (c) +-

Visit www.example.com, mail me@example.com or http://exämple.org/päth?q=1.

| a | b |
|---|:-:|
| 1 | **2** |

1. one
2. two
   * nested

\`\`\`js {1}
let x = "<";
\`\`\`

Term[^1] ~~gone~~ <b>html</b> ![alt "x"](i.png 'T') <script>alert(1)</script> [bad](javascript:alert(1))
`;
export default {
  fetch() {
    const md = new MarkdownIt({ html: false, linkify: true, typographer: true, breaks: true, highlight: (code, lang, attrs) => `<pre data-lang="${lang}" data-attrs="${attrs}">${code.length}</pre>` });
    md.inline.ruler.before("emphasis", "at", (state, silent) => {
      const m = /^@([a-z]+)/.exec(state.src.slice(state.pos));
      if (!m) return false;
      if (!silent) state.push("at", "", 0).content = m[1];
      state.pos += m[0].length;
      return true;
    });
    md.renderer.rules.at = (tokens, i) => `<at>${tokens[i].content}</at>`;
    const open = md.renderer.rules.link_open ?? ((t, i, o, e, s) => s.renderToken(t, i, o));
    md.renderer.rules.link_open = (t, i, o, e, s) => { t[i].attrSet("rel", "nofollow"); return open(t, i, o, e, s); };
    return Response.json({ html: md.render(source), plain: new MarkdownIt("commonmark").render(source), inline: md.renderInline("hi **@ada**"), tokens: md.parse(source, {}).map((t) => [t.type, t.map]), links: md.linkify.match("a.com and ftp://b.org/x") });
  },
};
