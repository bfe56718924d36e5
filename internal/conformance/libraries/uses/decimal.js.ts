// decimal.js
// Exact arithmetic: rounding modes, roots, powers, trigonometry to 50 digits, formats, bases and fractions.
import Decimal from "decimal.js";

export default {
  fetch() {
    const D = Decimal.clone({ precision: 50, defaults: true });
    const x = new D("0.1").plus("0.2"), pi = D.acos(-1);
    return Response.json({ x, pi, root: D.sqrt(2), cube: new D(27).cbrt(), power: D.pow("1.0000001", "1e7"), ln: D.ln(10), exp: new D(1).exp(), sin: pi.div(6).sin(), tan: D.atan2(1, 2), big: new D("123456789012345678901234567890").times("987654321.123456789"), mod: [new D(-7).mod(3), new D(-7).toNearest(2)], rounded: [0, 1, 2, 3, 4, 5, 6, 7, 8].map((m) => new D("-2.5").toDecimalPlaces(0, m as Decimal.Rounding).toString()), formats: [new D(1e21).toFixed(2), new D("1234.5678").toExponential(3), new D("0.00001234").toPrecision(2), new D(255).toHex(), new D("0b101.1").toString(), new D("0.75").toFraction().join("/"), new D(42).toBinary()], compare: [x.eq("0.3"), x.cmp(1), new D(NaN).eq(NaN)], hyp: D.hypot(3, 4), max: D.max(1, "2.5"), json: JSON.stringify({ d: new D("1e-30") }), thrown: (() => { try { new D("1.2.3"); } catch (e) { return (e as Error).message; } })() });
  },
};
