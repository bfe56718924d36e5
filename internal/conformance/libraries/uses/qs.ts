// qs
// Nested queries parsed and written: arrays in four ways, dots, depth limits, charsets, dates and sorted keys.
import qs from "qs";

export default {
  fetch() {
    return Response.json({
      parsed: ["a[b][c]=1&a[b][d]=2&e[]=3&e[]=4", "a[1]=x&a[0]=y&a[5]=z", "x.y.z=1&x.w=2", "a=1&a=2&b", "a%5Bb%5D=%C3%BC+x", "a=&b=%ZZ", "__proto__[x]=1&constructor=2&hasOwnProperty=3"].map((s) => [qs.parse(s), qs.parse(s, { allowDots: true, depth: 1, comma: true, strictNullHandling: true, parseArrays: false })]),
      written: [{ a: { b: [1, { c: null }] }, d: undefined, e: "", f: true, g: new Date(0), "h i": "ü&=" }].flatMap((o) => [qs.stringify(o), qs.stringify(o, { encode: false, arrayFormat: "brackets", allowDots: true, skipNulls: true, addQueryPrefix: true }), qs.stringify(o, { arrayFormat: "comma", encodeValuesOnly: true, format: "RFC1738", sort: (x, y) => y.localeCompare(x) })]),
      latin: [qs.stringify({ a: "æ☺" }, { charset: "iso-8859-1", charsetSentinel: true }), qs.parse("utf8=%E2%9C%93&a=%E6", { charsetSentinel: true })], filter: qs.stringify({ a: 1, b: 2 }, { filter: ["b"] }), decoder: qs.parse("a=1&b=true", { decoder: (s, d, c, type) => (type === "value" ? JSON.parse(s) : s) }), limit: qs.parse("a=1&b=2&c=3", { parameterLimit: 2 }), cycle: (() => { const o: any = {}; o.o = o; try { qs.stringify(o); } catch (e) { return (e as Error).message; } })(),
    });
  },
};
