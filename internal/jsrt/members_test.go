package jsrt

import (
	"maps"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

// newMembered returns a runtime with a class Thing; if at once, its members are not made late.
func newMembered(t *testing.T, atOnce bool) (rt *Runtime, made *int) {
	rt, made = New(), new(int)
	rt.atOnce = atOnce
	if knownLayout() == nil {
		t.Fatal("goja's types are not those known here")
	}
	fn := func(goja.FunctionCall) goja.Value { return rt.VM.ToValue(5) }
	c := rt.Class("Thing", 0, func(goja.ConstructorCall) any { return 1 }, func(c *Class) {
		c.Method("run", 2, fn)
		c.Getter("size", func(goja.Value) goja.Value { *made++; return rt.VM.ToValue(7) })
		c.Accessor("both", func(goja.Value) goja.Value { return rt.VM.ToValue(8) }, func(_, v goja.Value) { rt.VM.Set("was", v) })
		c.Async("later", 1, fn)
		c.Method("run", 2, fn) // a second time, which changes nothing
		c.Alias(goja.SymIterator, "run")
		c.Const("LIMIT", 3)
		c.Method("after", 0, fn)
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

// TestMembersLate proves that what is not used is not made, what is once only, and that runtimes have nothing of each other.
func TestMembersLate(t *testing.T) {
	for _, runtime := range []string{"first", "second"} {
		rt := New()
		made := map[string]int{}
		c := rt.Class("Late", 0, nil, func(c *Class) {
			for _, name := range []string{"a", "b"} {
				c.add(name, onProto, func() goja.Value { made[name]++; return rt.VM.ToValue(runtime) })
			}
		})
		rt.VM.Set("o", c.New(1))
		for i, want := range []map[string]int{{"a": 1}, {"a": 1}, {"a": 1, "b": 1}} {
			code := "o.a"
			if i == 2 {
				code = "Object.values(Object.getPrototypeOf(o))[1]"
			}
			if v, err := rt.VM.RunString(code); err != nil || v.String() != runtime || !maps.Equal(made, want) {
				t.Errorf("%s, %s runtime: %v, made %v, want %v (%v)", code, runtime, v, made, want, err)
			}
		}
	}
}

// TestClassesOfOneName proves that a class has its own members, whatever another runtime's of the same name has.
func TestClassesOfOneName(t *testing.T) {
	for _, members := range [][]string{{"a"}, {"a", "b"}, {"b"}, {}} {
		rt := New()
		c := rt.Class("Twin", 0, nil, func(c *Class) {
			for _, name := range members {
				c.Method(name, 0, func(goja.FunctionCall) goja.Value { return rt.VM.ToValue(name) })
			}
		})
		rt.DefineGlobal("Twin", c.Ctor)
		v, err := rt.VM.RunString("Object.entries(Twin.prototype).map(([k, f]) => k === f() && k).join()")
		if err != nil || v.String() != strings.Join(members, ",") {
			t.Errorf("%v: %v, %v", members, v, err)
		}
	}
}
