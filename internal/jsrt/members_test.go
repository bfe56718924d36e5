package jsrt

import (
	"testing"

	"github.com/dop251/goja"
)

// newMembered returns a runtime with a class Thing; if at once, its members are not made late.
func newMembered(t *testing.T, atOnce bool) (rt *Runtime, made *int) {
	rt, made = New(), new(int)
	fn := func(goja.FunctionCall) goja.Value { return rt.VM.ToValue(5) }
	c := rt.Class("Thing", 0, func(goja.ConstructorCall) any { return 1 }, func(c *Class) {
		if c.lazy == nil {
			t.Fatal("goja's types are not those known here")
		}
		if atOnce {
			c.lazy = nil
		}
		c.Method("run", 2, fn)
		c.Getter("size", func(goja.Value) goja.Value { *made++; return rt.VM.ToValue(7) })
		c.Accessor("both", func(goja.Value) goja.Value { return rt.VM.ToValue(8) }, func(_, v goja.Value) { rt.VM.Set("was", v) })
		c.Async("later", 1, fn)
		c.Alias(goja.SymIterator, "run")
		c.Const("LIMIT", 3)
		c.Method("after", 0, fn)
		c.Method("run", 2, fn) // a second time, which changes nothing
	})
	rt.DefineGlobal("Thing", c.Ctor)
	return rt, made
}

// TestMembers proves that code cannot tell that the members of a class are made late.
func TestMembers(t *testing.T) {
	const all = `const tell = o => JSON.stringify(Reflect.ownKeys(o).map(k => { const d = Object.getOwnPropertyDescriptor(o, k); const f = v => typeof v === "function" ? v.name + v.length : String(v); return [String(k), f(d.value), f(d.get), f(d.set), d.writable, d.enumerable, d.configurable] }));`
	for _, code := range []string{
		`tell(Thing.prototype) + tell(Thing)`, `const l = []; for (const k in new Thing()) l.push(k); l.join()`, `Object.keys(Thing.prototype).join()`, `Object.getOwnPropertyNames(Thing.prototype).join()`,
		`"run" in Thing.prototype && Object.hasOwn(Thing.prototype, "size") && !Object.hasOwn(new Thing(), "run")`, `Thing.prototype.run === Thing.prototype.run && Thing.prototype.run === Thing.prototype[Symbol.iterator]`,
		`delete Thing.prototype.run; "run" in Thing.prototype || tell(Thing.prototype)`, `Thing.prototype.run = 1; tell(Thing.prototype) + new Thing().run`, `Thing.prototype.extra = 1; tell(Thing.prototype)`,
		`Object.defineProperty(Thing.prototype, "size", { get() { return 9 } }); new Thing().size + tell(Thing.prototype)`, `const t = new Thing(); t.both = 6; [t.both, was, t.run(), t.size, t.LIMIT, Thing.LIMIT]`,
		`"use strict"; try { new Thing().size = 1; "no error" } catch (e) { e.name }`, `const t = new Thing(); t.run = 2; [t.run, Object.keys(t)]`,
		`class Sub extends Thing { get size() { return super.size + 1 } run() { return super.run() + 1 } }; const s = new Sub(); [s.size, s.run(), Object.prototype.toString.call(s)]`,
		`Object.setPrototypeOf(Thing.prototype, { base: 1 }); new Thing().base`, `Object.getPrototypeOf(Thing.prototype) === Object.prototype`, `Object.freeze(Thing.prototype); tell(Thing.prototype) + Object.isFrozen(Thing.prototype)`,
		`Object.entries(Object.getOwnPropertyDescriptors(Thing.prototype)).length`, `JSON.stringify(Thing.prototype)`, `Thing.prototype.constructor === Thing`, `delete Thing.prototype.constructor; Thing.prototype.constructor === Object`,
	} {
		var got [2]string
		for i, atOnce := range []bool{false, true} {
			rt, _ := newMembered(t, atOnce)
			v, err := rt.VM.RunString(all + code)
			if err != nil {
				t.Fatal(code, err)
			}
			got[i] = v.String()
		}
		if got[0] != got[1] {
			t.Errorf("%s\nlate    %s\nat once %s", code, got[0], got[1])
		}
	}
}

// TestMembersLate proves that what is not used is not made, and what is once only.
func TestMembersLate(t *testing.T) {
	rt := New()
	made := 0
	c := rt.Class("Thing", 0, nil, func(c *Class) {
		for _, name := range []string{"a", "b"} {
			if !c.lazy.add(name, func() goja.Value { made++; return rt.VM.ToValue(name) }) {
				t.Fatal("not late")
			}
		}
	})
	rt.VM.Set("o", c.New(1))
	for _, want := range []int{1, 1, 2} {
		code := "o.a"
		if want == 2 {
			code = "Object.values(Object.getPrototypeOf(o)).join()"
		}
		if _, err := rt.VM.RunString(code); err != nil || made != want {
			t.Errorf("%s: made %d, want %d (%v)", code, made, want, err)
		}
	}
}
