// A parser of JSON that knows where each value stands, so that one can be changed and all others stay as they are written.

const maxDepth = 400;
const literal = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const space = /[ \t\r\n]*/y;

/** Returns { kind: "object", "array" or "value", from, to, entries: [{ key, node }] }, or throws with line and column. */
export function parse(text) {
  let at = text.startsWith("\uFEFF") ? 1 : 0;

  const wrong = (what) => {
    const lines = text.slice(0, at).split("\n");
    throw new Error(`Line ${lines.length}, column ${lines.at(-1).length + 1}: ${what}`);
  };
  function match(re) {
    re.lastIndex = at;
    const m = re.exec(text);
    if (m) at = re.lastIndex;
    return m?.[0];
  }
  function value(depth) {
    match(space);
    const from = at;
    const open = text[at];
    if (open !== "{" && open !== "[") {
      if (match(string) === undefined && match(literal) === undefined) wrong(at < text.length ? "this is no JSON value." : "the text ends too early.");
      return { kind: "value", from, to: at };
    }
    if (depth > maxDepth) wrong(`more than ${maxDepth} levels.`);
    const [close, kind] = open === "{" ? ["}", "object"] : ["]", "array"];
    const entries = [];
    at++;
    match(space);
    while (text[at] !== close) {
      let key = entries.length;
      if (kind === "object") {
        match(space);
        const name = match(string);
        if (name === undefined) wrong("a name in double quotes is missing.");
        key = JSON.parse(name);
        match(space);
        if (text[at++] !== ":") { at--; wrong("a colon is missing."); }
      }
      entries.push({ key, node: value(depth + 1) });
      match(space);
      if (text[at] === ",") {
        at++;
        match(space);
        if (text[at] === close) wrong("there is a comma too many.");
      } else if (text[at] !== close) wrong(at < text.length ? "a comma is missing." : "the text ends too early.");
    }
    at++;
    return { kind, from, to: at, entries };
  }
  const root = value(0);
  match(space);
  if (at < text.length) wrong("there is something after the end.");
  return root;
}
