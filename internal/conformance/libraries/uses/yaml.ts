// yaml
// Anchors, merges, tags, block scalars, comments kept through an edit, streams of documents and errors with positions.
import YAML from "yaml";

const source = `# top
defaults: &d
  retries: 3 # three
  when: 2024-02-29T12:00:00Z
job:
  <<: *d
  name: "quoted \\u00e9"
  script: |
    line 1
      line 2
  folded: >-
    a
    b

    c
  list: [1, 0x1f, 1e3, .inf, ~, true, "yes", yes]
  ? complex
  : value
  bin: !!binary aGk=
  set: !!set { a, b }
`;

export default {
  async fetch() {
    const doc = YAML.parseDocument(source, { merge: true });
    const value = doc.toJS();
    doc.setIn(["job", "list", 0], { deep: [true] });
    doc.addIn(["job", "extra"], "multi\nline");
    (doc.get("job") as YAML.YAMLMap).commentBefore = " the job";
    doc.deleteIn(["defaults", "when"]);
    const broken = YAML.parseDocument("a: [1, 2\nb: }");
    return Response.json({
      value: { ...value, job: { ...value.job, bin: [...value.job.bin], set: [...value.job.set] } },
      edited: doc.toString(), made: YAML.stringify({ a: [1, { b: null }], "key: x": "true", long: "word ".repeat(30), date: new Date(0), multi: "x\ny\n", n: -0.5 }, { lineWidth: 40 }),
      all: YAML.parseAllDocuments("a: 1\n---\n- b\n...\n").map((d) => (d as YAML.Document).toJS()),
      errors: broken.errors.map((e) => [e.name, e.code, e.message, e.pos]), old: YAML.parse("a: yes\nb: 010", { version: "1.1" }),
      thrown: (() => { try { YAML.parse("{ a: 1, a: 2 }"); } catch (e) { return (e as Error).message; } })(),
      tokens: [...new YAML.Lexer().lex("- a: 'x'\n")], big: YAML.parse("9007199254740993", { intAsBigInt: true }).toString(),
    });
  },
};
