package jscheck

import (
	"strings"
	"testing"
)

// members are forms that reach the member N of something, with the @ where the problem is. What
// follows a bar is how the problem is named: .N where it is a name, ["N"] in brackets.
var members = []string{
	"return [].@N | .",
	"return []?.@N | .",
	"return params.a.b.@N | .",
	"return params?.a?.@N | .",
	"return params.a?.b.@N.c | .",
	"return [].@N('x')() | .",
	"return new params.@N() | .",
	"params.@N = 1 | .",
	"params.@N += 1 | .",
	"params.@N ??= 1 | .",
	"params.@N++ | .",
	"delete params.@N | .",
	"return typeof params.@N | .",
	"return params.@N`x` | .",
	"(0, params.@N)('x') | .",
	"return 'x'.@N | .",
	"return (() => {}).@N | .",
	"return (async () => {}).@N | .",
	"return (function* () {}).@N | .",
	"return this.@N | .",
	"const f = function () { return new.target.@N } | .",
	"class A extends Array { m() { return super.@N } } | .",
	"class A { static { this.@N } } | .",
	"class A { x = this.@N } | .",
	"return { ...params.@N } | .",
	"return `${params.@N}` | .",
	"for (params.@N of []) {} | .",
	"for (params.@N in {}) {} | .",
	"[params.@N] = [] | .",
	"({ a: params.@N } = {}) | .",
	"({ ...params.@N } = {}) | .",
	"return params.\n\t@N | .",
	"return params /* . */ . @N | .",
	"return params.@ESC | .",

	"return [][@'N'] | [",
	"return [][@\"N\"] | [",
	"return []?.[@'N'] | [",
	"return [][@`N`] | [",
	"return [][@'HEX'] | [",
	"return [][@'UNI'] | [",
	"return [][@'A' + 'B'] | [",
	"return [][@'A' + ('' + 'B')] | [",
	"return [][@`A${'B'}`] | [",
	"return [][@`${'A'}${`B`}`] | [",
	"return [][@'A'.concat('B')] | [",
	"return [][(@0, 'N')] | [",
	"return [][(@params, 'A' + 'B')] | [",
	"return [][@['N']] | [",
	"return [][@[['A' + 'B']]] | [",
	"return [][@params ? 'N' : 'x'] | [",
	"return [][@params || 'N'] | [",
	"return [][@params ?? 'N'] | [",
	"return [][@params && 'N'] | [",
	"return [][@await 'N'] | [",
	"let x; return [][@x = 'N'] | [",
	"const k = 'N'; return [][@k] | [",
	"const k = 'A' + 'B'; return [][@k] | [",
	"const a = 'A', b = 'B'; return [][@a + b] | [",
	"const a = 'A', b = 'B', k = `${a}${b}`; return [][@k] | [",
	"const k = 'N', j = k; return [][@j] | [",
	"let k = 'N'; return [][@k] | [",
	"var k = 'N'; return [][@k] | [",
	"let k; k = 'N'; return [][@k] | [",
	"let k = 'x'; k = 'N'; return [][@k] | [",
	"let k = 'A'; k += 'B'; return [][@k] | [",
	"let k; k ??= 'N'; return [][@k] | [",
	"const f = () => [][@k]; const k = 'N'; return f() | [",
	"const f = (k = 'N') => [][@k]; return f() | [",
	"const [k] = ['N']; return [][@k] | [",
	"const [, k] = ['x', 'N']; return [][@k] | [",
	"const { k } = { k: 'N' }; return [][@k] | [",
	"const { a: k } = { a: 'N' }; return [][@k] | [",
	"const { a: { b: k } } = { a: { b: 'N' } }; return [][@k] | [",
	"const { k = 'N' } = {}; return [][@k] | [",
	"let k; [k] = ['N']; return [][@k] | [",
	"let k; ({ k } = { k: 'N' }); return [][@k] | [",
	"const o = { k: 'N' }; return [][@o.k] | [",
	"const o = { k: 'N' }; return [][@o?.k] | [",
	"const o = { k: 'N' }; return [][@o['k']] | [",
	"const o = ['N']; return [][@o[0]] | [",
	"const o = { a: { k: ['N'] } }; return [][@o.a.k[0]] | [",
	"for (const k of ['N']) params[@k] | [",
	"let k; for (k of ['x', 'N']) params[@k] | [",
	"const k = 'N'; { const j = k; { return [][@j] } } | [",
	"const k = 'N'; params[@k] = 1 | [",
	"const k = 'N'; delete params[@k] | [",
	"const k = 'N'; [params[@k]] = [] | [",
	"class A extends Array { m() { return super[@'N'] } } | [",
	"const f = function () { return new.target[@'N'] } | [",
	"return params[params[@'N']] | [",

	"const { @N: f } = []; return f | .",
	"const { @'N': f } = []; return f | .",
	"const { @N: f = 1 } = []; return f | .",
	"const { a: { @N: f } } = params; return f | .",
	"const [{ @N: f }] = [[]]; return f | .",
	"const { [@'A' + 'B']: f } = []; return f | .", // esbuild joins them
	"const { [@params ? 'A' + 'B' : 'x']: f } = []; return f | [",
	"const { [@'N']: f } = []; return f | .",
	"const k = 'N'; const { [@k]: f } = []; return f | [",
	"const k = 'N'; let f; ({ [@k]: f } = []); return f | [",
	"let { @N: f } = []; return f | .",
	"var { @N: f } = []; return f | .",
	"let f; ({ @N: f } = []); return f | .",
	"let f; ({ @N: f = 1 } = []); return f | .",
	"let f; [{ @N: f }] = [[]]; return f | .",
	"let f; ({ a: [{ @N: f }] } = params); return f | .",
	"({ @N: params.f } = []) | .",
	"const f = ({ @N: g }) => g; return f([]) | .",
	"const f = async ({ @N: g }) => g; return f([]) | .",
	"const f = ({ @N: g } = []) => g; return f() | .",
	"const f = ([{ @N: g }]) => g; return f([[]]) | .",
	"const f = (...[{ @N: g }]) => g; return f([]) | .",
	"function f({ @N: g }) { return g } return f([]) | .",
	"const f = function* ({ @N: g }) { yield g } | .",
	"const o = { m({ @N: g }) { return g } } | .",
	"const o = { set a({ @N: g }) { params(g) } } | .",
	"class A { m({ @N: g }) { return g } } | .",
	"class A { #m({ @N: g }) { return g } } | .",
	"for (const { @N: f } of [[]]) params(f) | .",
	"for (const { @N: f } in {}) params(f) | .",
	"for (let { @N: f } = [], i = 0; i < 1; i++) params(f) | .",
	"let f; for ({ @N: f } of [[]]) params(f) | .",
	"for await (const { @N: f } of [[]]) params(f) | .",
	"try { throw [] } catch ({ @N: f }) { params(f) } | .",
	"class A { [@'A' + 'B']() {} } | [",
	"class A { static [@'A' + 'B'] = 1 } | [",
	"class A { get [@`A${'B'}`]() { return 1 } } | [",
	"const k = 'N'; class A { [@k]() {} } | [",
	"class A { static async *[@['N']]() {} } | [",
}

// forms replaces what stands for the name, its halves and its escapes.
func forms(form, name string) (string, string) {
	form, mark, _ := strings.Cut(form, " | ")
	r := strings.NewReplacer("ESC", escaped(name), "HEX", `\x63`+name[1:], "UNI", `\u0063`+name[1:], "'A'", "'"+name[:4]+"'", "`A$", "`"+name[:4]+"$", "'B'", "'"+name[4:]+"'", "`B`", "`"+name[4:]+"`", "N", name)
	if name[0] == '_' {
		form = strings.NewReplacer("HEX", `\x5f`+name[1:], "UNI", `\u005f`+name[1:]).Replace(form)
	}
	return r.Replace(form), mark
}

func TestMembers(t *testing.T) {
	n := 0
	for _, name := range []string{"constructor", "__proto__"} {
		for _, form := range members {
			form, mark := forms(form, name)
			shown := "." + name
			if mark == "[" {
				shown = `["` + name + `"]`
			}
			for _, js := range []bool{true, false} {
				n++
				wants(t, form, js, Internal, shown)
			}
		}
		for _, form := range []string{
			"const x: { a: number } = params; return x!.@N", "return (params as any).@N", "return (<any>params).@N", "return (params satisfies unknown).@N",
			"enum E { A = 'N' } return [][@E.A]", "const f = (x: any): unknown => x.@N", "class A { constructor(private x: any = [].@N) {} }",
			"const o = { k: 'N' } as const; return [][@o.k]", "const k = 'N' as const; return [][@k]", "const f = ({ @N: g }: any): any => g",
		} {
			form, _ := forms(form, name)
			shown := "." + name
			if strings.Contains(form, "[@") {
				shown = `["` + name + `"]`
			}
			n++
			wants(t, form, false, Internal, shown)
		}
	}
	// Shorthand binds the name as well.
	for _, form := range []string{
		"const { @constructor } = []; return 1", "const f = ({ @constructor }) => constructor", "let constructor; ({ @constructor } = [])",
		"const { @constructor = 1 } = []", "for (const { @constructor } of []) {}", "try { params() } catch ({ @constructor }) {}", "const { __proto__: { @constructor: x } = {} } = {}",
	} {
		src, line, column := marked(t, form)
		p, problems := Check([]byte(src), nil)
		last := Problem{}
		if len(problems) > 0 {
			last = problems[len(problems)-1]
		}
		if p != nil || last.Name != ".constructor" || last.Line != line || last.Column != column {
			t.Errorf("%s: %v", src, problems)
		}
		n++
	}
	t.Logf("%d cases", n)
}

func TestProtoKeys(t *testing.T) {
	for _, form := range []string{
		"return { @__proto__: null }", "return { @'__proto__': null }", "const __proto__ = 1; return { @__proto__ }", "return { @__proto__() {} }", "return { get @__proto__() { return 1 } }",
		"class A { @__proto__ = 1 }", "class A { static @__proto__() {} }",
	} {
		wants(t, form, true, Internal, "__proto__:")
	}
	wants(t, "return { [@'__proto__']: 1 }", true, Internal, `["__proto__"]`)
}

// TestConstructorsThatMayBe are names that reach nothing.
func TestConstructorsThatMayBe(t *testing.T) {
	for _, src := range []string{
		"class A { constructor() { this.a = 1 } } return new A().a",
		"class A { 'constructor'() {} } return new A()",
		"class A extends Array { constructor() { super() } } return new A()",
		"class A { static constructor() {} } return new A()",
		"class A { #constructo = 1 } return new A()",
		"return { constructor: 1 }",
		"return { 'constructor': 1 }",
		"return { ['constructor']: 1 }",
		"return { constructor() {} }",
		"return { get constructor() { return 1 } }",
		"const constructor = 1; return constructor",
		"const constructor = 1; return { constructor }",
		"function constructor() {} return constructor()",
		"return 'constructor'",
		"return 'constructor' in params",
		"return Object.keys(params).filter((k) => k !== 'constructor')",
		"return params.constructors + params.Constructor + params['constructor ']",
		"return params['constructo' + params]",
		"return params[params.k]",
		"const k = 'construct'; return params[k]",
		"const f = (k) => params[k]; return f('x')",
		"constructor: for (const x of []) { continue constructor }",
		"return /constructor/.test('x')",
		"return `constructor`",
		"// x.constructor\nreturn 1",
		"for (const k of Object.keys(params)) params[k] = 1",
		"const [a, b] = ['constructor', 'x']; return params[b] + a",
		"const o = { a: 'constructor', b: 'x' }; return params[o.b]",
		"return { prototype: 1, __proto: 2, _proto_: 3 }",
	} {
		clean(t, src, true)
		clean(t, src, false)
	}
}

func TestLoops(t *testing.T) {
	for _, form := range []string{
		"@while (true) {} | while", "@while (params.next()) {} | while", "let i = 0; @while (i < 3) i++ | while", "l: @while (1) break l | while",
		"@do {} while (false) | do…while", "@do params(); while (params.more) | do…while",
		"@for (;;) {} | for without a bound", "@for (let i = 0; ; i++) {} | for without a bound", "@for (; true;) {} | for without a bound",
		"@for (let i = 0; !0; i++) {} | for without a bound", "@for (; 1;) {} | for without a bound", "@for (; 'x';) {} | for without a bound", "@for (; {};) {} | for without a bound",
		"@for (; !null;) {} | for without a bound", "@for (; !void 0;) {} | for without a bound", "@for (; params, true;) {} | for without a bound", "@for (; params || true;) {} | for without a bound", "@for (; !!1;) {} | for without a bound", "@for (; 0.5;) {} | for without a bound",
		"const f = () => { @while (1); } | while", "class A { static { @for (;;) {} } } | for without a bound",
		"if (params) @while (1); | while", "for (const x of []) @do {} while (x) | do…while",
	} {
		form, name, _ := strings.Cut(form, " | ")
		wants(t, form, true, Loops, name)
		wants(t, form, false, Loops, name)
		src, _, _ := marked(t, form)
		if _, problems := Check([]byte(src), &Options{While: true}); problems != nil {
			t.Errorf("%s, when allowed: %v", src, problems)
		}
	}
	for _, src := range []string{
		"for (let i = 0; i < 3; i++) params(i)", "for (const x of [1]) params(x)", "for (const x in {}) params(x)", "for await (const x of [1]) params(x)",
		"for (let i = 0, n = params.length; i < n; i++) {}", "for (; params.more;) {}", "for (; 0;) {}", "for (; '';) {}", "for (; false;) {}", "for (; !1;) {}",
		"[1].forEach((x) => params(x))", "const o = { while: 1, do: 2, for: 3 }; return o.while + o.do", "return 'while (1) {}'", "// while (1) {}\nreturn 1", "async function* g() { yield* [1] } for await (const x of g()) params(x)", "using x = null; return x", "await using x = null; return x",
	} {
		clean(t, src, true)
		clean(t, src, false)
	}
}

func TestModules(t *testing.T) {
	for _, form := range []string{
		"return @import('fs') | import()", "return await @import('fs') | import()", "const m = @import(`a${1}`) | import()", "@import('x', { with: { type: 'json' } }) | import()", "const f = () => @import(params.x) | import()",
		"return typeof @import('x') | import()", "return [@import /* x */ ('x')] | import()", "const x: string = 'a'; return @import(x) | import()",
		"return @import.meta | import.meta", "return @import.meta.url | import.meta", "const { url } = @import.meta | import.meta", "return @import.meta.env?.X | import.meta",
	} {
		form, name, _ := strings.Cut(form, " | ")
		wants(t, form, false, Modules, name)
		if !strings.Contains(form, ": string") {
			wants(t, form, true, Modules, name)
		}
	}
	for _, src := range []string{"import x from 'y'", "import 'y'", "  import { a } from 'y'; return a", "export const a = 1", "export default 1", "import type { A } from 'y'", "import x = require('y')"} {
		if p, problems := Check([]byte(src), nil); p != nil || len(problems) != 1 || problems[0].Category != Modules || problems[0].Line != 1 {
			t.Errorf("%s: %v", src, problems)
		}
	}
	for _, src := range []string{"return { import: 1 }.import", "return params.import('x')", "return 'import(x)'", "// import('x')\nreturn 1", "class A { import() {} }", "return /import/"} {
		clean(t, src, true)
	}
	_, problems := Check([]byte("import('a');\nimport.meta;\nfetch('x');\nwhile (1) {}\nimport('b')"), nil)
	if len(problems) != 5 || problems[4].Line != 5 || problems[2].Name != "fetch" {
		t.Error("all at once:", problems)
	}
}
