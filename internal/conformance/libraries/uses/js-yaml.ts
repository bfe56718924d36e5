// js-yaml
// Documents loaded and dumped: anchors, merges, dates, binaries, block scalars, own tags and errors that show the place.
import * as yaml from "js-yaml";

const source = `base: &b { x: 1, when: 2001-12-14 }
more:
  <<: *b
  text: |
    two
     lines
  folded: >
    one
    line
  list: [0x1F, 0o17, 1_000, .NaN, ~, "\\u00fc", 'it''s']
`;
export default {
  fetch() {
    const attempt = (f: () => unknown) => { try { return f(); } catch (e) { return [(e as Error).name, (e as Error).message]; } };
    return Response.json({ loaded: attempt(() => yaml.load(source)), all: attempt(() => yaml.loadAll("a: 1\n---\n- 2\n")), dumped: yaml.dump({ z: [1, { y: null }], a: "multi\nline", s: "true", t: "- x", n: 1.5, long: "word ".repeat(30), nested: { deep: [[]], e: {} } }, { sortKeys: true, lineWidth: 50, indent: 4 }), flow: yaml.dump({ a: [1, "b"] }, { flowLevel: 1 }), refs: (() => { const o = { k: 1 }; return [yaml.dump([o, o]), yaml.dump([o, o], { noRefs: true })]; })(), json: attempt(() => yaml.load("a: 2001-12-14\nb: yes", { schema: yaml.JSON_SCHEMA })), bad: ["a: [1", "a: b: c", "\tx", "{a: 1, a: 2}", "!!unknown x"].map((s) => attempt(() => yaml.load(s, { filename: "f.yml" }))) });
  },
};
