package jsrt

import (
	"testing"

	"github.com/dop251/goja"
)

// TestNewTarget checks functions that are called within constructors.
func TestNewTarget(t *testing.T) {
	for src, want := range map[string]string{
		`function F() { return new.target } class X { constructor() { this.a = [F(), (function () { return new.target })(), F.call(this), [1].map(function () { return new.target })[0]] } } exports.v = new X().a.join()`: ",,,",
		`function F() { this.t = new.target === F } exports.v = new F().t`:                                                                                                             "true",
		`function F() { this.t = (() => new.target)() === F } function G() { return new F().t } exports.v = new (class { constructor() { this.r = G() } })().r`:                        "true",
		`class A { constructor() { this.t = new.target } } class B extends A { constructor() { super(); this.u = new.target } } const b = new B(); exports.v = b.t === B && b.u === B`: "true",
		`class A { constructor() { this.n = this.m() } m() { return new.target } } exports.v = new A().n`:                                                                              "undefined",
		`function F(x) { if (!new.target) return new F(x); this.x = x } class A { constructor() { this.f = F(5) } } exports.v = new A().f.x + F(6).x`:                                  "11",
		`function F() { return Reflect.construct(Array, [], new.target) } class S extends Array {} exports.v = Reflect.construct(F, [], S) instanceof S`:                               "true",
		`class A { ["constructor"]() { return typeof new.target } static constructor() { return typeof new.target } } exports.v = new A()["constructor"]() + A.constructor()`:          "undefinedundefined",
		`function F(a = new.target) { this.a = a } exports.v = new F().a === F`:                                                                                                        "true",
		`const o = { target: 1, new: { target: 2 } }; exports.v = o.target + o.new.target`:                                                                                             "3",
	} {
		p, err := Compile("x.js", []byte(src))
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		rt := New()
		v, err := rt.VM.RunProgram(p.Program)
		if err != nil {
			t.Fatal(err)
		}
		run, _ := goja.AssertFunction(v)
		exports := rt.VM.NewObject()
		if _, err := run(goja.Undefined(), goja.Undefined(), exports); err != nil {
			t.Errorf("%s: %v", src, err)
		} else if got := exports.Get("v").String(); got != want {
			t.Errorf("%s = %s, want %s", src, got, want)
		}
	}
}
