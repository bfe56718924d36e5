// superjson
// Dates, maps, sets, bigints, regular expressions, cycles, errors, typed arrays, classes and symbols to JSON and back.
import superjson, { SuperJSON } from "superjson";

class Money { constructor(public cents = 0) {} get text() { return (this.cents / 100).toFixed(2); } }
superjson.registerClass(Money);
superjson.registerCustom<URL, string>({ isApplicable: (v): v is URL => v instanceof URL, serialize: (u) => u.href, deserialize: (s) => new URL(s) }, "url");
superjson.allowErrorProps("code");

export default {
  async fetch(request: Request) {
    const shared = { when: new Date(0) };
    const value: any = { date: new Date("2024-02-29"), bad: new Date(NaN), map: new Map<any, any>([["a", 1], [{ k: 1 }, new Set([1, "2"])]]), big: 2n ** 70n, re: /a\/b/gi, u: undefined, nan: NaN, inf: -Infinity, zero: -0,
      error: Object.assign(new RangeError("far"), { code: "E_FAR" }), bytes: new Uint8Array([1, 2, 250]), money: new Money(1995), url: new URL("https://e.com/ü?q=1"), a: shared, b: shared, "dotted.key": { "x\\y": new Set() } };
    value.self = value;
    const text = superjson.stringify(value);
    const back: any = superjson.parse(text);
    return Response.json({
      text, same: back.a === back.b, cycle: back.self === back, types: Object.entries(back).map(([k, v]: any) => [k, v?.constructor?.name ?? String(v)]), map: [...back.map.entries()].map(([k, v]: any) => [k, v instanceof Set ? [...v] : v]),
      big: back.big.toString(), re: [back.re.source, back.re.flags], zero: Object.is(back.zero, -0), money: back.money.text, error: [back.error.name, back.error.message, back.error.code], bytes: [...back.bytes], key: [...Object.keys(back["dotted.key"])],
      dedupe: new SuperJSON({ dedupe: true }).serialize({ a: shared, b: shared }), own: superjson.serialize([new Date(1), null, undefined]), host: new URL(request.url).pathname,
    });
  },
};
