package webapi

import "testing"

// TestProxy checks that the arguments of traps are the code's own, and that all else
// is as goja has it.
func TestProxy(t *testing.T) {
	const kept = `const kept = []; const p = new Proxy(function () {}, { apply(t, self, args) { kept.push(args); args.push("more"); return 5 }, construct(t, args) { kept.push(args); return {} } }); `
	for src, want := range map[string]string{
		kept + `p(1, "a"); p.call(null, 2); new p(3); ((a, b, c) => [a, b, c])({}, {}, {}); JSON.stringify(kept)`:                                                                `[[1,"a","more"],[2,"more"],[3]]`,
		kept + `const out = [p(1), 2, p(3)]; [out, kept.length]`:                                                                                                                 `5,2,5,2`,
		`let n = 0; const h = { get(t, k) { n++; return this === h ? k : "?" } }; const p = new Proxy(() => {}, h); [p.a, p.b, n]`:                                               `a,b,2`,
		`const h = {}; const p = new Proxy(x => x + 1, h); const before = p(1); h.apply = () => "trap"; [before, p(1), delete h.apply, p(2)]`:                                    `2,trap,true,3`,
		`class H { #n = 7; apply() { return this.#n } get() { return this.#n } }; const p = new Proxy(() => {}, new H()); [p(), p.x]`:                                            `7,7`,
		`const h = { get apply() { throw new RangeError("g") } }; try { new Proxy(() => {}, h)() } catch (e) { e.name }`:                                                         `RangeError`,
		`try { new Proxy(() => {}, { apply() { throw "mine" } })() } catch (e) { e }`:                                                                                            `mine`,
		`try { new Proxy(() => {}, { apply: 1 })() } catch (e) { e.name }`:                                                                                                       `TypeError`,
		`try { Proxy({}, {}) } catch (e) { e.name }`:                                                                                                                             `TypeError`,
		`try { new Proxy(() => {}, null) } catch (e) { e.name }`:                                                                                                                 `TypeError`,
		`const { proxy, revoke } = Proxy.revocable(() => 1, { apply(t, s, a) { return a.length } }); const n = proxy(1, 2); revoke(); try { proxy() } catch (e) { [n, e.name] }`: `2,TypeError`,
		`typeof new Proxy(class {}, {}) + typeof new Proxy({}, {}) + Proxy.name + Proxy.length`:                                                                                  `functionobjectProxy2`,
		`const p = new Proxy(() => {}, { has: () => true, ownKeys: () => ["k"], getOwnPropertyDescriptor: () => ({ value: 1, configurable: true, enumerable: true }), set(t, k, v) { t.seen = k + v; return true } }); p.z = 1; ["q" in p, Object.keys(p), p.seen]`: `true,k,z1`,
		`new Proxy([1, 2], {}).map(x => x * 2)`: `2,4`,
	} {
		r := newTestRealm(t)
		eval(t, r, "__samkit_complete('Proxy')")
		if got := eval(t, r, src).String(); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", src, got, want)
		}
	}
}
