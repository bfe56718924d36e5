package jscheck

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A gateCase is one of the forms 198 to 250 of the hostile corpus, those that try to get past a
// check of source. Forms that the check decides have the first problem it reports, as
// "category name line:column". Those that it cannot decide pass it, and have what the script comes to in a hardened runtime.
type gateCase struct {
	number int
	code   string
	kind   string // "static", "dynamic", or "fine" for what looks hostile and is not
	want   string
}

// attempt calls f with code, and tells whether there was code then. The text would be found in what the script returns.
const attempt = "const attempt = (f) => { try { const g = f('return \"made at\" + \" run time\"'); params.see(g, g()); return 'made' } catch (e) { return e.name } };\n"

var gate = []gateCase{
	// What script.md lists.
	{198, "return (() => {}).constructor('return 1')()", "static", "internals .constructor 1:19"},
	{199, "return []?.constructor", "static", "internals .constructor 1:12"},
	{200, "return []['constructor']", "static", `internals ["constructor"] 1:11`},
	{201, "return []['\\x63onstructor'] || [].c\\u006fnstructor", "static", `internals ["constructor"] 1:11`},
	{202, "return []['con' + 'structor']", "static", `internals ["constructor"] 1:11`},
	{203, "return [][`con${'struc'}tor`]", "static", `internals ["constructor"] 1:11`},
	{204, "const k = 'constr' + 'uctor'; const j = k; return [][j]", "static", `internals ["constructor"] 1:54`},
	{205, "return [][(0, 'constructor')]", "static", `internals ["constructor"] 1:12`},
	{206, "const { constructor: C } = []; return C", "static", "internals .constructor 1:9"},
	{207, "return (({ constructor: { constructor: F } }) => F('x')())([])", "static", "internals .constructor 1:12"},
	{208, "let F; ({ constructor: F } = []); for ({ constructor: F } of [[]]); try { throw [] } catch ({ constructor: G }) {}", "static", "internals .constructor 1:11"},
	{209, "class A { ['con' + 'structor']() {} }", "static", `internals ["constructor"] 1:12`},
	{210, "return ({}).__proto__ || { __proto__: [] } || { ['__proto__']: 1 }", "static", "internals .__proto__ 1:13"},
	{211, "const { fetch } = params; label: { break label } return fetch ?? { constructor: 1 }", "fine", "[object Object]"},
	{212, "while (true) {}", "static", "loops while 1:1"},
	{213, "do {} while (1); for (;;) {}", "static", "loops do…while 1:1"},
	{214, "return await import('fs')", "static", "modules import() 1:14"},
	{215, "return import.meta.url", "static", "modules import.meta 1:8"},
	{216, "type F = typeof globalThis; const f: Function | Window = null as any; return f", "fine", "null"},
	{217, "(0, eval)('1'); typeof eval; eval`1`; (f = fetch) => f", "static", "code eval 1:5"},
	{218, attempt + "return attempt((() => {})[['con', 'structor'].join('')])", "dynamic", "EvalError"},
	{219, "return Reflect.get(() => {}, 'constructor')", "static", "unknown Reflect 1:8"},
	{220, attempt + "return attempt(Object.getOwnPropertyDescriptor(Object.getPrototypeOf(() => {}), 'constructor').value)", "dynamic", "EvalError"},
	{221, attempt + "return attempt(Object.getOwnPropertyDescriptor(Object.getPrototypeOf(async () => {}), 'constructor').value)", "dynamic", "EvalError"},
	{222, attempt + "return attempt(Object.getOwnPropertyDescriptor(Object.getPrototypeOf(function* () {}), 'constructor').value)", "dynamic", "EvalError"},
	{223, attempt + "return attempt(Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(() => {}))).find(([k]) => k.length === 11)[1].value)", "dynamic", "EvalError"},
	{224, "for (const x of { [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }) }) }) {}", "dynamic", "interrupt"},
	{225, "function f() { return f() + 1 } return f()", "dynamic", "stack"},
	{226, "function* g() { yield 1; yield* g() } for (const x of g()) {}", "dynamic", "stack"},
	{227, "for (let i = 0; i >= 0; i++) {}", "dynamic", "interrupt"},
	{228, "return typeof (function () { return this })() + typeof (() => this)() + typeof [1].map(function () { return this })[0]", "dynamic", "undefinedundefinedundefined"},

	// And the rest of the line.
	{229, "with (params) { see(1) }", "static", "syntax  1:1"},
	{230, "<!-- fetch('x')\nlet a = 1\n--> eval('x')\nreturn a", "fine", "1"},
	{231, "// \u2028 fetch('x')", "static", "network fetch 2:2"},
	{232, "#!/usr/bin/env node\nreturn 1", "static", "syntax  1:2"},
	{233, "await import('x', { with: { type: 'json' } })", "static", "modules import() 1:7"},
	{234, "const f = function () { return new.target.constructor }; return new f()", "static", "internals .constructor 1:43"},
	{235, "class A extends Array { m() { return super.constructor } }", "static", "internals .constructor 1:44"},
	{236, "return Object.keys(import.meta)", "static", "modules import.meta 1:20"},
	{237, "return (async () => fetch('x'))()", "static", "network fetch 1:21"},
	{238, "class A { static { this.a = eval } }", "static", "code eval 1:29"},
	{239, "class A { #constructor = 1; get() { return this.#constructor } }", "static", "syntax  1:11"},
	{240, "return { get constructor() { return 1 } } && 'made'", "fine", "made"},
	{241, "return params?.[\"constructor\"]", "static", `internals ["constructor"] 1:17`},
	{242, "return Function.prototype.call.call(() => 1)", "static", "code Function 1:8"},
	{243, attempt + "const k = ['con', 'structor'].join(''); return attempt((...a) => (() => {}).call.call((() => {})[k], ...a))", "dynamic", "EvalError"},
	{244, attempt + "const k = ['con', 'structor'].join(''); return attempt(() => (() => {})[k]`return 1`)", "dynamic", "EvalError"},
	{245, attempt + "const [k] = Object.keys(Object.groupBy([1], () => ['con', 'structor'].join(''))); return attempt((() => {})[k])", "dynamic", "EvalError"},
	{246, "return 1\n//# sourceMappingURL=/etc/passwd", "fine", "1"},
	{247, "fetch('x')\n//# sourceMappingURL=data:application/json,{\"version\":3,\"sources\":[\"x\"],\"mappings\":\"AAAAAAAAA\"}", "static", "network fetch 1:1"},
	{248, "}); fetch('x'); (async function () {", "static", "syntax  1:2"},
	{249, "}; fetch('x'); {", "static", "syntax  1:1"},
	{250, "const Array = eval; return \\u0065val('1')", "static", "code eval 1:15"},
}

func TestGate(t *testing.T) {
	next := 198
	for _, c := range gate {
		if c.number != next {
			t.Errorf("%d stands where %d should", c.number, next)
		}
		next++
		p, problems := Check([]byte(c.code), nil)
		if c.kind == "static" {
			if p != nil || len(problems) == 0 {
				t.Errorf("%d passes", c.number)
				continue
			}
			first := problems[0]
			if got := fmt.Sprintf("%s %s %d:%d", first.Category, first.Name, first.Line, first.Column); got != c.want {
				t.Errorf("%d: %s, want %s (%v)", c.number, got, c.want, problems)
			}
			continue
		}
		if p == nil {
			t.Errorf("%d: %v", c.number, problems)
			continue
		}
		h := newHardened(t, p.Needs)
		most := 20 * time.Second
		if c.want == "interrupt" {
			most = 200 * time.Millisecond
		}
		if got := h.run(t, p, most); !strings.HasPrefix(got, c.want) || len(h.reached) > 0 {
			t.Errorf("%d: %s, want %s; reached %v", c.number, got, c.want, h.reached)
		}
	}
	if next != 251 {
		t.Errorf("%d cases", next-198)
	}
}
