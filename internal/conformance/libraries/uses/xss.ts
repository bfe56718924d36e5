// xss
// Markup filtered by a white list, with own rules for tags, attributes and CSS, and everything stripped.
import { escapeAttrValue, FilterXSS, filterXSS, getDefaultWhiteList } from "xss";

const dirty = `<a href="javas&#99;ript:alert(1)" onclick='x'>1</a><script>alert(/xss/);</script><img src="a.png" onerror="x" alt='q"'><div style="width:50%; background:url(javascript:x); color:red" data-id="5" class=c>d</div><!-- c --><b>b<unknown x=1>`;
export default {
  fetch() {
    const own = new FilterXSS({ whiteList: { ...getDefaultWhiteList(), div: ["style", "class"] }, stripIgnoreTag: true, stripIgnoreTagBody: ["script"], onIgnoreTagAttr: (tag, name, value) => (name.startsWith("data-") ? `${name}="${escapeAttrValue(value)}"` : undefined), onTag: (tag, html, o) => (tag === "b" ? (o.isClosing ? "</strong>" : "<strong>") : undefined), css: { whiteList: { color: true } } });
    return new Response([filterXSS(dirty), own.process(dirty), filterXSS(dirty, { whiteList: {}, stripIgnoreTag: true })].join("\n"));
  },
};
