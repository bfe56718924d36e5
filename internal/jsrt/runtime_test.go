package jsrt

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

func run(t *testing.T, rt *Runtime, src string) goja.Value {
	t.Helper()
	v, err := rt.VM.RunString(src)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return v
}

func counter(rt *Runtime) *Class {
	type state struct{ n int64 }
	return rt.Class("Counter", 1, func(c goja.ConstructorCall) any { return &state{c.Argument(0).ToInteger()} }, func(c *Class) {
		c.Method("add", 1, func(f goja.FunctionCall) goja.Value {
			s := This[*state](rt, f.This)
			s.n += f.Argument(0).ToInteger()
			return rt.VM.ToValue(s.n)
		})
		c.Getter("value", func(this goja.Value) goja.Value { return rt.VM.ToValue(This[*state](rt, this).n) })
		c.Async("later", 0, func(f goja.FunctionCall) goja.Value { return rt.VM.ToValue(This[*state](rt, f.This).n) })
	})
}

var testGlobals = NewGlobals([]string{"Counter", "Array"}, []string{"secret"})

// newWithGlobals returns a runtime with a global Counter.
func newWithGlobals() *Runtime {
	rt := New()
	rt.DefineGlobal("before", rt.VM.ToValue(0))
	rt.SetGlobals(testGlobals, func(name string, own goja.Value) goja.Value {
		switch name {
		case "Counter":
			return counter(rt).Ctor
		case "Array":
			return own
		}
		return rt.VM.ToValue(name)
	})
	return rt
}

// TestGlobalsMade proves that a global which goja made before is given to make as well.
func TestGlobalsMade(t *testing.T) {
	for _, code := range []string{"", "Array", "Array = 5", "delete globalThis.Array"} {
		rt := New()
		if _, err := rt.VM.RunString(code); err != nil {
			t.Fatal(err)
		}
		var owns []goja.Value
		rt.SetGlobals(testGlobals, func(name string, own goja.Value) goja.Value {
			if name == "Array" {
				owns = append(owns, own)
				return rt.VM.ToValue("made")
			}
			return own
		})
		v, err := rt.VM.RunString("Array + String(Array) + typeof GoError")
		if want := "mademadeundefined"; code != "delete globalThis.Array" && (err != nil || v.String() != want || len(owns) != 1 || owns[0] == nil) {
			t.Errorf("%q: %v %v, made of %v", code, v, err, owns)
		}
	}
}

func TestGlobals(t *testing.T) {
	for src, want := range map[string]string{
		`typeof Counter + typeof Missing`:                                            "functionundefined",
		`"Counter" in globalThis`:                                                    "true",
		`globalThis.Counter === Counter && Counter === Counter`:                      "true",
		`Counter = 3; Counter + globalThis.Counter`:                                  "6",
		`var Counter = 4; Counter`:                                                   "4",
		`Counter; delete globalThis.Counter; typeof Counter`:                         "undefined",
		`Object.keys(globalThis).join()`:                                             "",
		`try { Missing } catch (e) { e.name }`:                                       "ReferenceError",
		`"use strict"; try { Missing = 1 } catch (e) { e.name }`:                     "ReferenceError",
		`Counter; Object.getOwnPropertyDescriptor(globalThis, "Counter").enumerable`: "false",
		`(function(){ let Counter = 9; return Counter })()`:                          "9",
		`function Counter() {}; new Counter() instanceof Counter`:                    "true",
		`class Counter {}; Counter.name`:                                             "Counter",
		`globalThis.toString !== undefined`:                                          "true",
		`Object.hasOwn(globalThis, "Counter")`:                                       "true",
		`let n = Object.getOwnPropertyNames(globalThis); [n.includes("Counter"), n.includes("secret"), n.filter(x => x === "Array").length].join()`: "true,false,1",
		`secret + Object.hasOwn(globalThis, "secret")`: "secrettrue",
		`let d = Object.getOwnPropertyDescriptor(globalThis, "Counter"); [d.writable, d.enumerable, d.configurable, d.value === Counter].join()`: "true,false,true,true",
		`delete globalThis.Counter; typeof Counter + Object.hasOwn(globalThis, "Counter")`:                                                       "undefinedfalse",
		`Object.setPrototypeOf(globalThis, null); typeof Counter`:                                                                                "function",
		`Object.defineProperty(globalThis, "Counter", { get: () => 7 }); Counter`:                                                                "7",
		`globalThis.more = 1; more + typeof Counter`:                                                                                             "1function",
	} {
		rt := newWithGlobals()
		if got := run(t, rt, src).String(); got != want {
			t.Errorf("%s = %s, want %s", src, got, want)
		}
	}
}

func TestClass(t *testing.T) {
	for src, want := range map[string]string{
		`new Counter(2).add(3)`:                          "5",
		`Object.prototype.toString.call(new Counter(1))`: "[object Counter]",
		`class Two extends Counter { twice() { return this.add(this.value) } }; new Two(4).twice()`: "8",
		`new Two(1) instanceof Counter && new Two(1) instanceof Two`:                                "true",
		`let c = new Counter(1); c.extra = 7; c.extra`:                                              "7",
		`Reflect.ownKeys(new Counter(1)).length`:                                                    "0",
		`try { Counter.prototype.add.call({}, 1) } catch (e) { e.name }`:                            "TypeError",
		`try { Counter.prototype.add.call(new Proxy(new Counter(1), {}), 1) } catch (e) { e.name }`: "TypeError",
		`try { Counter.prototype.add.call(new ArrayBuffer(0), 1) } catch (e) { e.name }`:            "TypeError",
		`Counter.length + Counter.name + Counter.prototype.add.name`:                                "1Counteradd",
		`Object.isFrozen(Object.freeze(new Counter(1)))`:                                            "true",
		`new Uint8Array(new Counter(1)).length`:                                                     "0",
		`globalThis.Counter = 5; Counter`:                                                           "5",
		`try { Counter(1) } catch (e) { String(e) }`:                                                "TypeError: Class constructor Counter cannot be invoked without 'new'",
		`try { Counter.call(Object.create(Counter.prototype), 1) } catch (e) { e.name }`:            "TypeError",
		`try { globalThis.Counter(1) } catch (e) { e.name }`:                                        "TypeError",
		`Reflect.construct(Counter, [3], class X {}).value`:                                         "undefined",
		`new (Counter.bind(null, 6))().value`:                                                       "6",
	} {
		fresh := newWithGlobals()
		if strings.Contains(src, "Two(1) instanceof") {
			run(t, fresh, `class Two extends Counter {}; globalThis.Two = Two`)
		}
		if got := run(t, fresh, src).String(); got != want {
			t.Errorf("%s = %s, want %s", src, got, want)
		}
	}
}

func TestJobOrder(t *testing.T) {
	rt := New()
	var log []string
	note := func(s string) { log = append(log, s) }
	rt.VM.Set("note", func(c goja.FunctionCall) goja.Value { note(c.Argument(0).String()); return goja.Undefined() })
	err := rt.Turn(func() {
		d := rt.Defer()
		p := rt.Resolved(goja.Undefined())
		rt.Then(p, func(goja.Value) goja.Value { note("a"); d.Resolve(goja.Undefined()); note("b"); return nil }, nil)
		rt.Then(p, func(goja.Value) goja.Value { note("c"); return nil }, nil)
		rt.Then(d.Promise, func(goja.Value) goja.Value { note("d"); return nil }, nil)
		note("0")
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(log, ""); got != "0abcd" {
		t.Fatalf("order %s, want 0abcd", got)
	}
}

func TestTracked(t *testing.T) {
	rt := New()
	var seen []any
	rt.VM.Set("see", func(c goja.FunctionCall) goja.Value { seen = append(seen, rt.Tracked); return goja.Undefined() })
	run(t, rt, `globalThis.f = async (p) => { see(); await p; see(); }; globalThis.g = f`)
	f, _ := goja.AssertFunction(rt.VM.Get("f"))
	var d *Deferred
	if err := rt.Turn(func() { d = rt.Defer() }); err != nil {
		t.Fatal(err)
	}
	for _, call := range []string{"one", "two"} {
		rt.Tracked = call
		if _, err := rt.Enter(f, nil, d.Promise); err != nil {
			t.Fatal(err)
		}
	}
	rt.Tracked = nil
	if err := rt.Turn(func() { d.Resolve(goja.Undefined()) }); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 4 || seen[2] != "one" || seen[3] != "two" {
		t.Fatalf("seen %v", seen)
	}
}

func TestFaults(t *testing.T) {
	rt := New()
	var f *Fault
	if err := rt.Turn(func() { var p *Fault; p.Text = "x" }); !errors.As(err, &f) || f.Reason != "panic" {
		t.Errorf("native panic: %v", err)
	}
	rt = New()
	run(t, rt, `globalThis.f = () => f()`)
	fn, _ := goja.AssertFunction(rt.VM.Get("f"))
	if _, err := rt.Enter(fn, nil); !errors.As(err, &f) || f.Reason != "stack" {
		t.Errorf("recursion: %v", err)
	}
	rt = New()
	err := rt.Turn(func() { rt.TypeError("no %s", "way") })
	var ex *goja.Exception
	if !errors.As(err, &ex) || !strings.Contains(ex.Error(), "no way") {
		t.Errorf("exception: %v", err)
	}
}

func TestIterator(t *testing.T) {
	rt := New()
	rt.VM.Set("three", func(goja.FunctionCall) goja.Value {
		n := 0
		return rt.Iterator("Three Iterator", func() (goja.Value, bool) { n++; return rt.VM.ToValue(n), n <= 3 })
	})
	if got := run(t, rt, `[...three()].join() + Object.prototype.toString.call(three())`).String(); got != "1,2,3[object Three Iterator]" {
		t.Fatal(got)
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		New()
	}
}

func BenchmarkWrap(b *testing.B) {
	rt := New()
	c := counter(rt)
	b.ReportAllocs()
	for b.Loop() {
		c.New(nil)
	}
}

func BenchmarkTurn(b *testing.B) {
	rt := New()
	b.ReportAllocs()
	for b.Loop() {
		rt.Turn(func() {})
	}
}

func TestBytes(t *testing.T) {
	rt := newWithGlobals()
	for src, want := range map[string]string{
		`new Uint8Array([1,2,3])`:                           "[1 2 3]",
		`new Uint8Array([1,2,3]).subarray(1)`:               "[2 3]",
		`new Uint16Array([258])`:                            "[2 1]",
		`new DataView(new Uint8Array([1,2,3]).buffer, 1)`:   "[2 3]",
		`new Uint8Array([9]).buffer`:                        "[9]",
		`new ArrayBuffer(0)`:                                "[]",
		`[1,2,3]`:                                           "no",
		`({length: 1e12})`:                                  "no",
		`"abc"`:                                             "no",
		`new Counter(1)`:                                    "no",
		`new Proxy(new Uint8Array(3), {})`:                  "no",
		`ArrayBuffer.isView = () => true; ({length: 1e12})`: "no",
		`new BigInt64Array(1)`:                              "[0 0 0 0 0 0 0 0]",
	} {
		b, ok := rt.Bytes(run(t, rt, src))
		got := "no"
		if ok {
			got = fmt.Sprint(b)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", src, got, want)
		}
	}
	for _, class := range []string{"Uint8Array", "Int8Array", "Uint8ClampedArray", "Float64Array", "BigInt64Array", "DataView"} {
		v := run(t, rt, "globalThis.view = new "+class+"(new ArrayBuffer(16))")
		view := v.(*goja.Object)
		view.Get("buffer").Export().(goja.ArrayBuffer).Detach()
		if b, ok := rt.Bytes(v); !ok || b != nil {
			t.Errorf("%s of a detached buffer: %v, %v", class, b, ok)
		}
	}
	if got := rt.ViewType(run(t, rt, `new Float64Array(1)`)); got != "Float64Array" {
		t.Error(got)
	}
	if v := rt.Uint8Array([]byte{1, 2}); v.String() != "1,2" {
		t.Error(v)
	}
	if v := rt.Buffer(nil); v.ToObject(rt.VM).Get("byteLength").ToInteger() != 0 {
		t.Error(v)
	}
}
