package jscheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// marked cuts the @ out of a form and returns the place where it stood.
func marked(t *testing.T, form string) (src string, line, column int) {
	t.Helper()
	before, after, ok := strings.Cut(form, "@")
	if !ok {
		t.Fatalf("%q marks no place", form)
	}
	line = 1 + strings.Count(before, "\n")
	last := before[strings.LastIndexByte(before, '\n')+1:]
	return before + after, line, 1 + len(utf16.Encode([]rune(last)))
}

// wants checks that a script has one problem, where form marks it.
func wants(t *testing.T, form string, js bool, c Category, name string) {
	t.Helper()
	src, line, column := marked(t, form)
	p, problems := Check([]byte(src), &Options{JavaScript: js})
	want := Problem{Category: c, Name: name, Instead: c.Instead(), Line: line, Column: column}
	if p != nil || len(problems) != 1 || problems[0] != want {
		t.Errorf("%s (js %t):\n got %v\nwant %v", src, js, problems, want)
	}
}

func clean(t *testing.T, src string, js bool) {
	t.Helper()
	if p, problems := Check([]byte(src), &Options{JavaScript: js}); p == nil || len(problems) > 0 {
		t.Errorf("%s (js %t): %v", src, js, problems)
	}
}

// uses are forms in which the global N is used, with an @ before it.
var uses = []string{
	"return @N",
	"return await @N('x')",
	"const x = 1;\n\treturn x + @N",
	"return typeof @N",
	"(0, @N)('x')",
	"(1, 2, @N)",
	"@N`x`",
	"@N?.('x')",
	"return @N.a.b",
	"return @N?.a",
	"return @N['a']",
	"return params[@N]",
	"const o = { @N }; return o",
	"const o = { a: @N }; return o",
	"const o = { ...@N }; return o",
	"const o = { [@N]: 1 }; return o",
	"const o = { get a() { return @N } }; return o.a",
	"return [@N]",
	"return [...@N]",
	"params(...@N)",
	"return `a${@N}b`",
	"return '😀é' + @N",
	"const f = (a = @N) => a; f()",
	"function f(a = @N) { return a } f()",
	"const { a = @N } = {}; return a",
	"const [a = @N] = []; return a",
	"const { [@N]: a } = {}; return a",
	"for (const x of @N) params(x)",
	"for (const x in @N) params(x)",
	"for (let i = 0; i < @N; i++) params(i)",
	"if (@N) return 1",
	"switch (@N) { case 1: return 1 }",
	"switch (1) { case @N: return 1 }",
	"return params ? @N : 1",
	"return params ?? @N",
	"return !@N",
	"return void @N",
	"return @N in params",
	"return params instanceof @N",
	"return new @N('x')",
	"throw @N",
	"try { params() } catch { return @N }",
	"try { params() } finally { @N }",
	"l: @N",
	"class A extends @N {}",
	"class A { x = @N }",
	"class A { static x = @N }",
	"class A { #x = @N }",
	"class A { static { params(@N) } }",
	"class A { m() { return @N } }",
	"class A { [@N]() {} }",
	"const f = async () => @N; await f()",
	"const f = async () => { return @N }",
	"const g = function* () { yield @N }",
	"const g = async function* () { yield @N }",
	"for await (const x of [1]) { params(x, @N) }",
	"export_: { break export_ } @N",
	"/* N */@N",
	"params('N', 'N', @N)",
}

// ends are forms in which N was bound, but is so no longer.
var ends = []string{
	"{ let N = 1; params(N) }\nreturn @N",
	"{ const N = 1 }\n@N",
	"{ class N {} }\n@N",
	"{ function N() {} }\n@N",
	"function f(N) { return N }\nf(@N)",
	"const f = function N() { return N }; f(@N)",
	"const f = class N {}; params(f, @N)",
	"try { params() } catch (N) { params(N) }\nreturn @N",
	"for (const N of []) params(N)\nreturn @N",
	"for (let N = 0; N < 1; N++) params(N)\nreturn @N",
	"function f(a = @N) { var N = 1; return a + N } f()",
	"function f() { var N = 1; return N } return @N",
	"switch (1) { case 1: let N = 1; params(N) }\nreturn @N",
	"class A { static { var N = 1; params(N) } x = @N }",
	"N: for (const x of []) { continue N }\nreturn @N",
}

// typed are uses in TypeScript.
var typed = []string{
	"const x: { a: number; b: string } = params; return (@N as any)",
	"return @N!.a",
	"return (<any>@N).a",
	"return @N satisfies unknown",
	"declare const N: any; return @N",
	"interface N { a: number }\nreturn @N",
	"type N = string; const x: N = 'a';\nreturn [x, @N]",
	"const f = <T extends object,>(a: T, b?: number): T => @N(a, b)",
	"enum E { A = 1, B = @N.a }",
	"abstract class A<T> { protected constructor(private readonly x: T = @N) {} abstract m(): void }",
}

// escaped writes the first letter of a name as an escape.
func escaped(name string) string { return fmt.Sprintf(`\u{%x}%s`, name[0], name[1:]) }

func TestBlockedNames(t *testing.T) {
	n := 0
	try := func(form, name string, js bool) {
		n++
		wants(t, form, js, blocked[name], name)
	}
	for _, name := range slices.Sorted(maps.Keys(blocked)) {
		for i, form := range uses {
			try(strings.ReplaceAll(form, "N", name), name, i%2 == 0)
		}
		try("return @"+escaped(name), name, true)
		try("return @"+escaped(name), name, false)
		try(fmt.Sprintf(`@\u%04x%s('x')`, name[0], name[1:]), name, true)
		for i, form := range ends {
			if name != "eval" { // nothing may be called that
				try(strings.ReplaceAll(form, "N", name), name, i%2 == 0)
			}
		}
		for _, form := range typed {
			if name != "eval" || !strings.HasPrefix(form, "declare") {
				try(strings.ReplaceAll(form, "N", name), name, false)
			}
		}
	}
	t.Logf("%d cases", n)
	for _, form := range uses {
		wants(t, strings.ReplaceAll(form, "N", "queueMicrotask"), true, Unknown, "queueMicrotask")
	}
	for _, name := range strings.Fields("process Reflect Proxy WebAssembly Deno Bun setImmediate globalThi$ Uint8Array ArrayBuffer Intl WeakRef crypto performance top parent frames postMessage __host é") {
		wants(t, "return @"+name, true, Unknown, name)
	}
}

// fine are forms in which N is something else than the global. B marks those that bind the name.
var fine = []string{
	"B const N = 1; return N",
	"B let N = 1; N = 2; return typeof N",
	"B var N = 1; return N",
	"B if (params) { var N = 1 } return N",
	"B for (var N of []) {} return N",
	"B for (var N in {}) {} return N",
	"B return N(); function N() { return 1 }",
	"B class N {} return new N()",
	"B const f = () => N; let N = 1; return f()",
	"B const N = async (u) => u; return await N('x')",
	"B const N = (x) => x; return N`x`",
	"B const { N } = { N: 1 }; return N",
	"B const { a: N } = { a: 1 }; return N",
	"B const { ...N } = {}; return N",
	"B const [N] = [1]; return N",
	"B const [, ...N] = [1]; return N",
	"B const { a: { b: [N = 1] } } = params; return N",
	"B let N; ({ N } = { N: 1 }); return N",
	"B function f(N) { return N } f(1)",
	"B function f({ N }) { return N } f({})",
	"B function f([N]) { return N } f([])",
	"B function f(...N) { return N } f()",
	"B function f(N, a = N) { return a } f(1)",
	"B const f = N => N; f(1)",
	"B const f = async (N, b = () => N) => b; f(1)",
	"B const f = function N() { return N }; f()",
	"B const f = class N { m() { return N } }; new f()",
	"B const o = { m(N) { return N }, set a(N) { params(N) } }; return o",
	"B try { params() } catch (N) { return N }",
	"B try { params() } catch ({ N }) { return N }",
	"B for (const N of [1]) params(N)",
	"B for (const N in {}) params(N)",
	"B for (let N = 0; N < 2; N++) params(N)",
	"B for await (const N of [1]) params(N)",
	"B switch (1) { case 1: let N = 1; return N }",
	"B class A { static { let N = 1; params(N) } }",
	"B const g = function* (N) { yield N }",
	"B const g = async function* (N) { yield N }",
	"B l: for (const N of []) { continue l }",
	"B const N = 1; { const f = () => { return () => N }; f() }",
	"B const N = 1; return { N }",
	"N: for (const x of []) { continue N }",
	"N: for (const x of []) { break N }",
	"return params.N",
	"return params?.N",
	"return params.a.N('x')",
	"return params['N']",
	"params.N = 1",
	"delete params.N",
	"return { N: 1 }",
	"return { 'N': 1 }",
	"return { ['N']: 1 }",
	"return { N() { return 1 } }",
	"return { async N() {} }",
	"return { *N() {} }",
	"return { get N() { return 1 } }",
	"return { set N(v) {} }",
	"const { N: a } = params; return a",
	"class A { N = 1 }",
	"class A { static N = 1 }",
	"class A { N() { return this.N } }",
	"class A { static N() {} }",
	"class A { get N() { return 1 } }",
	"class A { #N = 1; m() { return this.#N } }",
	"class A { #N() {} has(o) { return #N in o } }",
	"return 'N'",
	"return \"N('x')\"",
	"return `N('x')`",
	"return /N/.test('N')",
	"// N('x')\nreturn 1",
	"/* N('x') */ return 1",
	"return 1 // N",
	"return 'N' in params",
	"return { N: params.N }.N",
}

// types are forms in which N is but a type, or a name in one.
var types = []string{
	"const x: N = params; return x",
	"const x = params as N; return x",
	"const x = params as unknown as N[]; return x",
	"const x = <N>params; return x",
	"const x = params satisfies N; return x",
	"const m = new Map<string, N>(); return m",
	"function f(a: N, b?: N): N | null { return a } f(params)",
	"const f = (a: N): N => a; f(params)",
	"function f<T extends N>(a: T): a is T { return true } f(params)",
	"type T = N | { N: N }; const x: T = params; return x",
	"type T = typeof N; const x: T = params; return x",
	"interface I extends N { N: string; m(N: number): void } const x: I = params; return x",
	"class A implements N { declare N: N; x!: N } return new A()",
	"class A { constructor(private x: N) {} } return new A(params)",
	"type T = { [N in keyof N]: N[N] }; const x: T = params; return x",
	"let x: (N: string) => void; x = params; return x",
	"let x: `${N}`; x = params; return x",
	"enum E { N = 1 } return E.N",
	"declare function f(N: N): N; return 1",
	"let x!: N; return x?.a",
}

func TestFine(t *testing.T) {
	n := 0
	for _, name := range append(slices.Sorted(maps.Keys(blocked)), "process", "queueMicrotask") {
		for i, form := range fine {
			form, binds := strings.CutPrefix(form, "B ")
			if binds && name == "eval" {
				continue // a syntax error
			}
			n++
			clean(t, strings.ReplaceAll(form, "N", name), i%2 == 0)
		}
		for _, form := range types {
			n++
			if name == "eval" && strings.Contains(form, "(N") {
				continue
			}
			clean(t, strings.ReplaceAll(form, "N", name), false)
		}
	}
	for _, name := range Allowed() {
		n++
		clean(t, "return "+name, n%2 == 0)
	}
	t.Logf("%d cases", n)
}

// TestAllowed holds the lists to the table of the design.
func TestAllowed(t *testing.T) {
	for name := range blocked {
		if allowed[name] {
			t.Errorf("%s is both", name)
		}
	}
	if len(blocked) != len(strings.Fields(strings.Join(slices.Collect(maps.Values(names)), " "))) {
		t.Error("a name has two categories")
	}
	clean(t, "return typeof arguments + new.target + this", true)
	if _, problems := Check([]byte("return extra"), &Options{Globals: []string{"extra"}}); problems != nil {
		t.Error(problems)
	}
}
