// uuid
// Names hashed to v3 and v5, v1, v6 and v7 of given times and bytes, v4 checked, conversions and validation.
import { MAX, NIL, parse, stringify, v1, v1ToV6, v3, v4, v5, v6, v6ToV1, v7, validate, version } from "uuid";

export default {
  fetch() {
    const random = Uint8Array.of(0x10, 0x91, 0x56, 0xbe, 0xc4, 0xfb, 0xc1, 0xea, 0x71, 0xb4, 0xef, 0xe1, 0x67, 0x1c, 0x58, 0x36);
    const one = v1({ node: Uint8Array.of(1, 35, 69, 103, 137, 171), clockseq: 0x1234, msecs: 1320644400000, nsecs: 5678 });
    const many = Array.from({ length: 200 }, () => v7());
    return Response.json({
      v5: [v5("hello.example.com", v5.DNS), v5("Grüße 🌍", v5.URL), v5("x", v5("ns", v5.DNS))], v3: v3("hello.example.com", v3.DNS), v1: one, v6: v1ToV6(one), back: v6ToV1(v1ToV6(one)) === one, v7: [v7({ msecs: 1320644400000, seq: 1, random }), v7({ msecs: 0, seq: 0xffffffff, random })],
      v4: [v4({ random: Uint8Array.from(random) }), version(v4()), v4() === v4(), v4().length], bytes: [...parse(NIL), ...parse(MAX)].join(), text: stringify(parse("6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b")), sorted: [...many].sort().join() === many.join(), unique: new Set(many).size, versions: [v6, v7, v1].map((f) => version(f())),
      valid: [NIL, MAX, "not", "6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b", "6ec0bd7f-11c0-93da-975e-2a8ad9ebae0b"].map(validate), thrown: (() => { try { parse("x"); } catch (e) { return [(e as Error).name, (e as Error).message]; } })(), into: [...v4({ random: Uint8Array.from(random) }, new Uint8Array(18), 1)],
    });
  },
};
