import { printed, type Branch } from "../src/store/printed";

function shape(text: string): string {
  const show = (v: any): string => v.kind === "branch" ? `${v.head}${v.list ? "[" : "{"}${v.items.map((i: any) => `${v.list ? "" : i.key + "="}${show(i.value)}`).join(" ")}${v.list ? "]" : "}"}` : `${v.kind[0]}:${v.text}`;
  return printed(text).map((p) => (typeof p === "string" ? p : show(p as Branch))).join("|");
}

for (const [text, want] of [
  ["plain", "plain"],
  ["open { id: 12, title: \"a, b\", tags: [ \"x\", \"y\" ] }", "open |{id=n:12 title=s:\"a, b\" tags=[s:\"x\" s:\"y\"]}"],
  ["Map(1) { \"k\" => { a: true } }", "Map(1){\"k\"={a=n:true}}"],
  ["Set(2) { 1, 2 }", "Set(2){=n:1 =n:2}"],
  ["{ a: [Array], f: ƒ go, d: Mon Nov 30 }", "{a=w:[Array] f=w:ƒ go d=w:Mon Nov 30}"],
  ["Point { x: 1, self: [Circular] } end", "Point{x=n:1 self=w:[Circular]}| end"],
  ["[ 1, … 5 more ]", "[n:1 w:… 5 more]"],
  ["if (a) { return } else [", "if (a) |{=w:return}| else ["],
  ["{ unfinished: ", "{ unfinished: "],
  ["array[0] {} []", "array[0] {} []"],
] as const) {
  const got = shape(text);
  if (got !== want) throw new Error(`${text}\nis read as ${got}\nwant       ${want}`);
}
const deep = "[ ".repeat(5000);
printed(deep);
