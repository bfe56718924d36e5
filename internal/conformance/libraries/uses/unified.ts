// unified
// remark and rehype: GitHub's Markdown to a tree, a plugin that changes it, footnotes and tables to HTML.
import rehypeStringify from "rehype-stringify";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";

const source = `# Hi *there* 🎉

Text with a note[^1], www.example.com, ~~gone~~ and <b>html</b> & more.

| a | b |
| :- | -: |
| 1 | \`x|y\` |

- [x] done
- [ ] open

  more

\`\`\`js
let a = 1 < 2
\`\`\`

![a](b.png "c") [link][ref] \\*not\\* line  
break

[ref]: <http://e.com/ü> 'T'
[^1]: The note.
`;
const shout = () => (tree: any) => { (function walk(n: any) { if (n.type === "text") n.value = n.value.toUpperCase(); n.children?.forEach(walk); })(tree); };
export default {
  async fetch() {
    const file = await unified().use(remarkParse).use(remarkGfm).use(shout).use(remarkRehype).use(rehypeStringify, { closeSelfClosing: true }).process(source);
    const tree = unified().use(remarkParse).use(remarkGfm).parse(source);
    return Response.json({ html: String(file), types: tree.children.map((c) => [c.type, c.position?.start.line, c.position?.end.offset]), first: tree.children[0], dangerous: String(await unified().use(remarkParse).use(remarkRehype, { allowDangerousHtml: true }).use(rehypeStringify, { allowDangerousHtml: true }).process("<b>x</b> &copy;")) });
  },
};
