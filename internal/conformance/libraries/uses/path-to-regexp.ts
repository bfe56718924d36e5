// path-to-regexp
// Paths with parameters, wildcards and groups matched, compiled, parsed and turned into regular expressions.
import { compile, match, parse, pathToRegexp, stringify } from "path-to-regexp";

export default {
  fetch() {
    const attempt = (f: () => unknown) => { try { return f(); } catch (e) { return [(e as Error).name, (e as Error).message.split("\n")[0]]; } };
    return Response.json({
      matches: [["/users/:id", "/users/7%20a"], ["/files/*path", "/files/a/b/c"], ["/a{/:b}", "/a"], ["/a{/:b}", "/a/x"], ["/:x-:y", "/1-2"], ["/ü/:ñame", "/ü/z"], ['/:"quoted name"', "/q"], ["/no", "/yes"]].map(([p, s]) => match(p)(s)), insensitive: match("/Abc", { sensitive: true })("/abc"), partial: match("/a/:b", { end: false })("/a/b/c"),
      compiled: [compile("/u/:id{/edit}")({ id: "a/b ü" }), compile("/f/*p")({ p: ["a", "b c"] }), attempt(() => compile("/u/:id")({}))], regexp: [pathToRegexp("/a/:b{.:ext}").regexp.source, pathToRegexp(["/x", "/y/:z"]).keys], tokens: parse("/a/:b{/*c}"), text: stringify(parse("/a/:b{/*c}")), bad: ["/:", "/{", "/*", "/(x)", "/a?"].map((p) => attempt(() => match(p))),
    });
  },
};
