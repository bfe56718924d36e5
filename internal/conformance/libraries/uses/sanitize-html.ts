// sanitize-html
// Hostile HTML cleaned: allowed tags, attributes, schemes, classes and styles; tags transformed and text filtered.
// flags: nodejs_compat
import sanitizeHtml from "sanitize-html";

const dirty = `<p onclick=x()>Hi <b>b</b><script>alert(1)</script> <a href="javascript:alert(1)" title=t>bad</a> <a href="https://e.com/?a=1&b=2" target=_blank>good</a><img src=x onerror=y><img src="data:image/png;base64,AA"><h1 class="keep drop" style="color:red;position:fixed">T &amp; &lt;i&gt;</h1><iframe src="https://www.youtube.com/embed/x"></iframe><iframe src="//evil"></iframe><style>p{}</style><!-- c --><u>un<i>closed`;
export default {
  fetch() {
    return Response.json({ plain: sanitizeHtml(dirty), none: sanitizeHtml(dirty, { allowedTags: [], allowedAttributes: {} }),
      own: sanitizeHtml(dirty, { allowedTags: sanitizeHtml.defaults.allowedTags.concat("img", "iframe"), allowedAttributes: { a: ["href", "target", "rel"], img: ["src"], iframe: ["src"], h1: ["style"] }, allowedSchemesByTag: { img: ["data"] }, allowedIframeHostnames: ["www.youtube.com"], allowedClasses: { h1: ["keep"] }, allowedStyles: { "*": { color: [/^red$/] } }, transformTags: { a: sanitizeHtml.simpleTransform("a", { rel: "nofollow" }), b: "strong" }, exclusiveFilter: (f) => f.tag === "u", textFilter: (t) => t.replace(/Hi/, "Ho") }),
      escaped: sanitizeHtml(dirty, { disallowedTagsMode: "escape" }).length, nested: sanitizeHtml("<div>".repeat(8) + "x", { nestingLimit: 3 }) });
  },
};
