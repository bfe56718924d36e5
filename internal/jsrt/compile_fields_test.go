package jsrt

import (
	"strings"
	"testing"

	"github.com/dop251/goja"
)

// lateExports runs a module body and returns module.exports.
func lateExports(t *testing.T, p *Program) goja.Value {
	t.Helper()
	rt := New()
	v, err := rt.VM.RunProgram(p.Program)
	if err != nil {
		t.Fatal(err)
	}
	f, _ := goja.AssertFunction(v)
	module := rt.VM.NewObject()
	module.Set("exports", rt.VM.NewObject())
	stack := rt.VM.ToValue(func(c goja.FunctionCall) goja.Value { return c.Argument(0).(*goja.Object).Get("stack") })
	if _, err := f(goja.Undefined(), module, module.Get("exports"), AppendFunc(rt.VM), goja.Undefined(), stack, rt.LateFields(p), rt.Skip(p)); err != nil {
		t.Fatal(err)
	}
	return module.Get("exports")
}

// lateClassCode has fields of all kinds, four of them functions.
const lateClassCode = `let count = 0;
const C = class Name {
	#secret = 7
	a = 1
	f = (x, y = 2, ...z) => [this.a, this.#secret, x, y, z.length].join()
	"with-dash" = async () => this
	o = { list: [] }
	nothing
	g = () => { this.a++; return () => this.a }
	t = "text"
	count = ++count
	h = v => this.#secret = v
	big = 2 ** 40
	ok = true
	nil = null
	constructor(...args) { this.args = args; this.late = () => 1 }
	get own() { return this.#secret }
	m() { return this.f(1) }
	static s = () => 5
};
const c = new C(3);
`

// TestLateFields compares what code sees of fields that are made late with what it sees of goja's own.
func TestLateFields(t *testing.T) {
	for _, code := range []string{
		`Object.keys(c)`,
		`Object.getOwnPropertyNames(c)`,
		`Reflect.ownKeys(new C())`,
		`Object.entries(c).map(([k, v]) => k + ":" + typeof v)`,
		`JSON.stringify(c)`,
		`JSON.stringify(Object.getOwnPropertyDescriptors(c))`,
		`Object.values(Object.getOwnPropertyDescriptors(c)).map(d => "get" in d)`,
		`[c.f.name, c["with-dash"].name, c.g.name, c.h.name, c.late.name]`,
		`[c.f.length, c.g.length, c.h.length]`,
		`[c.f, c["with-dash"], c.g, c.h, c.m, C].map(String)`,
		`[c.f(1), c.f(1, 3, 4, 5), c.m()]`,
		`[c.g()(), c.a, c.h(9), c.own, c.f()]`,
		`[c.f === c.f, c.f === new C().f, Object.values(c).includes(c.f)]`,
		`["f" in c, c.hasOwnProperty("f"), Object.hasOwn(c, "f"), "x" in c, c.x]`,
		`[delete c.f, "f" in c, c.f, Object.keys(c), c.f = 1, Object.keys(c)]`,
		`c.f = 3; [c.f, Object.keys(c)]`,
		`c.added = 1; c.g; [Object.keys(c), c.added]`,
		`const r = []; for (const k in c) r.push(k); r`,
		`const { f, ...rest } = c; [typeof f, Object.keys(rest)]`,
		`Object.keys({ ...c })`,
		`Object.keys(Object.assign({}, c))`,
		`Object.freeze(c); c.f = 1; [typeof c.f, Object.isFrozen(c), Object.isSealed(c)]`,
		`Object.preventExtensions(c); c.more = 1; [typeof c.f, c.more, Object.isExtensible(c)]`,
		`Object.defineProperty(c, "f", { get() { return 8 } }); [c.f, Object.keys(c)]`,
		`Object.defineProperty(c, "f", { enumerable: false }); [typeof c.f, Object.keys(c)]`,
		`Object.setPrototypeOf(c, { z: 1 }); [c.z, typeof c.f, c.m]`,
		`const d = Object.create(c); d.f = 2; [d.f, typeof c.f, d.h(3), c.own]`,
		`class D extends C { e = Object.keys(this).length; f = 6 } const d = new D(1); [Object.keys(d), d.f, d.e, d instanceof C, d.m === C.prototype.m]`,
		`const d = Reflect.construct(C, [1], Array); [Object.keys(d), d instanceof Array, d.f(1)]`,
		`[c.count, new C().count, new C().count]`,
		`[c.nothing, c.ok, c.nil, c.big, c.t, c.o.list.length, c.o === new C().o]`,
		`[c instanceof C, Object.prototype.toString.call(c), C.name, C.length, C.s()]`,
		`[c["with-dash"]() instanceof Promise, c["with-dash"].constructor.name]`,
		`try { new c.f() } catch (e) { e instanceof TypeError }`,
		`["prototype" in c.f, Object.getOwnPropertyNames(c.f).sort()]`,
		`const p = new Proxy(c, { get: (t, k) => k === "a" ? 50 : Reflect.get(t, k) }); [p.f(1), Object.keys(p)]`,
		`const map = new Map([[c.f, 1]]); map.get(c.f)`,
		`C.call.length; try { C() } catch (e) { e instanceof TypeError }`,
		`const s = Symbol(); c[s] = 1; c[5] = 2; [Object.keys(c), Reflect.ownKeys(c).length]`,
	} {
		code = lateClassCode + "module.exports = String((() => { " + withReturn(code) + " })())"
		p, err := Compile("a.js", []byte(code))
		if err != nil {
			t.Fatal(err, code)
		}
		if len(p.late) != 1 {
			t.Fatalf("%d classes are late", len(p.late))
		}
		module := goja.New()
		v, err := module.RunString("const module = {};" + code + "; module.exports")
		if err != nil {
			t.Fatal(err, code)
		}
		if got, want := lateExports(t, p).String(), v.String(); got != want {
			t.Errorf("got  %s\nwant %s\n%s", got, want, code[len(lateClassCode):])
		}
	}
}

// withReturn has a piece of code return what its last statement says.
func withReturn(code string) string {
	i := strings.LastIndex(code, "; ")
	if strings.HasPrefix(code, "try") || strings.Contains(code, "; try") {
		return strings.Replace(strings.Replace(code, "try { ", "try { return ", 1), "(e) { ", "(e) { return ", 1)
	}
	if i < 0 || strings.HasSuffix(code, "})") && strings.Count(code, "{") > 0 && !strings.Contains(code[i:], "[") {
		return "return " + code
	}
	return code[:i+2] + "return " + code[i+2:]
}

// TestLateFieldsOnlyWhereRight are classes whose fields could tell.
func TestLateFieldsOnlyWhereRight(t *testing.T) {
	const four = "f1 = () => 1; f2 = () => 2; f3 = () => 3; f4 = () => 4;"
	for _, body := range []string{
		`class C extends Object { ` + four + ` }`,
		`class C { ` + four + ` x = Object.keys(this) }`,
		`class C { ` + four + ` #x = Object.keys(this) }`,
		`class C { ` + four + ` x = [() => this].map(f => f()) }`,
		`class C { ` + four + ` ["x"] = 1 }`,
		`class C { ` + four + ` 5 = 1 }`,
		`class C { ` + four + ` f1 = 1 }`,
		`class C { ` + four + ` x = () => super.x }`,
		`class C { ` + four + ` x = () => new.target }`,
		`class C { ` + four + ` x = eval("this") }`,
		`class C { ` + four + ` "__proto__" = 1 }`,
		`class C { f1 = () => 1; f2 = () => 2; f3 = () => 3 }`,
		`class C { static f1 = () => 1; static f2 = () => 2; f3 = () => 3; f4 = () => 4 }`,
	} {
		p, err := Compile("a.js", []byte(body))
		if err != nil {
			t.Error(err, body)
			continue
		}
		if p.late != nil {
			t.Errorf("late: %s", body)
		}
	}
}

// TestLateFieldsInEachRuntime runs a program in two.
func TestLateFieldsInEachRuntime(t *testing.T) {
	p, err := Compile("a.js", []byte(lateClassCode+"module.exports = [c.ok, c.big, c.f(1), Object.keys(c).length].join()"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := lateExports(t, p).String(); got != "true,1099511627776,1,7,1,2,0,14" {
			t.Error(got)
		}
	}
}

func BenchmarkLateFields(b *testing.B) {
	p, err := Compile("a.js", []byte(lateClassCode+"module.exports = () => new C(1).f(1)"))
	if err != nil {
		b.Fatal(err)
	}
	rt := New()
	v, err := rt.VM.RunProgram(p.Program)
	if err != nil {
		b.Fatal(err)
	}
	f, _ := goja.AssertFunction(v)
	module := rt.VM.NewObject()
	if _, err := f(goja.Undefined(), module, goja.Undefined(), AppendFunc(rt.VM), goja.Undefined(), goja.Undefined(), rt.LateFields(p), rt.Skip(p)); err != nil {
		b.Fatal(err)
	}
	run, _ := goja.AssertFunction(module.Get("exports"))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := run(nil); err != nil {
			b.Fatal(err)
		}
	}
}
