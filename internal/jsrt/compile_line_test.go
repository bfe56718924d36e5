package jsrt

import (
	"errors"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

// A prompt runs lines one after the other in one runtime.
type prompt struct {
	t      *testing.T
	vm     *goja.Runtime
	sealed []string // "name=value", in the order in which lines sealed them
}

// line runs a line and returns its value as a string, or what it threw.
func (p *prompt) line(code string) string {
	p.t.Helper()
	l, err := CompileLine("line", []byte(code), false)
	if err != nil {
		return err.Error()
	}
	for _, n := range l.Names {
		if p.vm.GlobalObject().Get(n.Name) == nil {
			p.vm.Set(n.Name, goja.Undefined())
		}
	}
	v, err := p.vm.RunProgram(l.Program.Program)
	if err != nil {
		p.t.Fatal(err)
	}
	wrapper, _ := goja.AssertFunction(v)
	module := p.vm.NewObject()
	if err := module.Set(SealMember, func(f goja.FunctionCall) goja.Value {
		for _, name := range f.Arguments {
			p.sealed = append(p.sealed, name.String()+"="+p.vm.GlobalObject().Get(name.String()).String())
		}
		return goja.Undefined()
	}); err != nil {
		p.t.Fatal(err)
	}
	if _, err := wrapper(goja.Undefined(), module, goja.Undefined(), AppendFunc(p.vm)); err != nil {
		p.t.Fatal(err)
	}
	fn, _ := goja.AssertFunction(module.Get("exports"))
	v, err = fn(goja.Undefined())
	if err != nil {
		p.t.Fatal(err)
	}
	switch r := v.Export().(*goja.Promise); r.State() {
	case goja.PromiseStateFulfilled:
		return r.Result().(*goja.Object).Get("0").String()
	case goja.PromiseStateRejected:
		return r.Result().String()
	}
	return "pending"
}

func TestCompileLine(t *testing.T) {
	p := &prompt{t: t, vm: goja.New()}
	for _, c := range []struct{ code, want string }{
		{"1 + 1", "2"},
		{"", "undefined"},
		{"let a = 1, b; const c = a + 1", "undefined"},
		{"[a, b, c].join()", "1,,2"},
		{"let a = 'again'; a", "again"},
		{"const { x, y: [z = 9], ...rest } = { x: 1, y: [], p: 2 }; [x, z, rest.p].join()", "1,9,2"},
		{"var [m, ...n] = [1, 2, 3]", "undefined"},
		{"m + n.join('')", "123"},
		{"implied = 5", "5"},
		{"implied", "5"},
		{"function f() { return g() }\nfunction g() { return 'old' }", "undefined"},
		{"f()", "old"},
		{"function g() { return 'new' }", "undefined"},
		{"f() + f.name + g.name", "newfg"},
		{"h(); function h() { return 1 }", "1"},
		{"class K { static s = K.name; v = 1 }", "undefined"},
		{"K.s + new K().v", "K1"},
		{"class K { v = 2 } new K().v", "2"},
		{"const fn = () => 1; fn.name", "fn"},
		{"await Promise.resolve('awaited')", "awaited"},
		{"const w = await 7; w", "7"},
		{"if (true) { var inner = 3 } inner", "3"},
		{"for (var i = 0; i < 3; i++) i * 10", "20"},
		{"i", "3"},
		{"for (var k in { q: 1 }); k", "q"},
		{"for (var [e] of [[8]]) {} e", "8"},
		{"for (let local = 0; local < 1; local++); typeof local", "undefined"},
		{"try { throw 'x' } catch (err) { err + '!' }", "x!"},
		{"switch (1) { case 1: 'one'; break; default: 'other' }", "one"},
		{"l: for (const x of [1, 2]) { x; continue l }", "2"},
		{"1; let quiet = 2", "1"},
		{"var keep = 1; var keep; keep", "1"},
		{"throw new RangeError('r')", "RangeError: r"},
		{"let half = (() => { throw new Error('no') })()", "Error: no"},
		{"typeof half", "undefined"},
		{"async function later() { return await 1 } typeof later().then", "function"},
		{"function* gen() { yield 1 } [...gen()].join()", "1"},
		{"const o = { a() { return this.b }, b: 2 }; o.a()", "2"},
		{"let s = ''; for (let q = 0; q < 3; q++) s += q; s", "012"},
		{"x = 1; }; x = 2; async function y() {", "SyntaxError"},
		{"let d = 1; let d = 2; d", "2"},
		{"if (d) { return 5 }", "SyntaxError: Illegal return"},
		{"(() => { return 5 })()", "5"},
	} {
		if got := p.line(c.code); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", c.code, got, c.want)
		}
	}
}

// TestCompileLineSeals proves that a line hands over its constants, and nothing else, as soon as they have their values.
func TestCompileLineSeals(t *testing.T) {
	for code, want := range map[string]string{
		"const a = 1": "a=1",
		"const a = 1, b = a + 1, { c, d: [e = 5, ...f], ...g } = { c: b, d: [] }":                                       "a=1 b=2 c=2 e=5 f= g=[object Object]",
		"let a = 1; const b = a; a = 2; const é = a; a = 3":                                                             "b=1 é=2",
		"const a = await Promise.resolve(1); throw a; const b = 2":                                                      "a=1",
		"const a = (() => { throw 1 })(), b = 2":                                                                        "",
		"let a = 1; var b = 2; function c() {} class D {}; { const e = 3 } for (const f of [1]); () => { const g = 4 }": "",
		"module = {}; const a = 1":                                                                                      "a=1",
		"const {} = {}, [] = []":                                                                                        "",
	} {
		p := &prompt{t: t, vm: goja.New()}
		p.line(code)
		if got := strings.Join(p.sealed, " "); got != want {
			t.Errorf("%s: %s, want %s", code, got, want)
		}
	}
}

func TestCompileLineNames(t *testing.T) {
	l, err := CompileLine("line", []byte("const a = 1, [b] = [1]; let { c } = {}; var d; function e() {} class F {}"), true)
	if err != nil {
		t.Fatal(err)
	}
	want := []LineName{{"a", true, false}, {"b", true, false}, {"c", false, false}, {"d", false, true}, {"e", false, false}, {"F", false, false}}
	if len(l.Names) != len(want) {
		t.Fatalf("%v", l.Names)
	}
	for i := range want {
		if l.Names[i] != want[i] {
			t.Errorf("%v, want %v", l.Names[i], want[i])
		}
	}
	var wrong *SyntaxError
	if _, err := CompileLine("line", []byte("let a = 1;\nlet b = )"), false); !errors.As(err, &wrong) || wrong.Line != 3 {
		t.Errorf("%v", err)
	}
}
