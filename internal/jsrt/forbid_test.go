package jsrt

import (
	"testing"

	"github.com/dop251/goja"
)

// TestForbidCode looks for ways to what turns strings into code, and at whether what stands in its place looks as usual.
func TestForbidCode(t *testing.T) {
	const kinds = `const kinds = [() => {}, async () => {}, function* () {}, async function () {}, function () {}, class {}, { m() {} }.m, { async m() {} }.m, { *m() {} }.m, Function.prototype.call, Promise, Function.prototype];`
	for code, want := range map[string]string{
		kinds + `kinds.map(f => { try { f.constructor("return 1")(); return "ran" } catch (e) { return e.name } }).join()`:                                                         "EvalError,EvalError,EvalError,EvalError,EvalError,EvalError,EvalError,EvalError,EvalError,EvalError,EvalError,EvalError",
		kinds + `kinds.map(f => { try { new (Object.getPrototypeOf(f).constructor)("1"); return "ran" } catch (e) { return e.name } }).slice(0, 11).every(n => n === "EvalError")`: "true",
		`try { Reflect.construct(Function, ["return 1"], Object) } catch (e) { e.name }`:                                                                                           "EvalError",
		`try { (0, eval)("1") } catch (e) { e.name }`: "EvalError",
		`try { eval("1") } catch (e) { e.name }`:      "EvalError",
		`eval(5) + eval.name + eval.length`:           "51",
		`(() => {}) instanceof Function && Function.prototype.constructor === Function && Function instanceof Function`:                                                                "true",
		`Object.getOwnPropertyNames(globalThis).filter(n => n === "Function" || n === "eval").length`:                                                                                  "2",
		`[async () => {}, function* () {}].map(f => Object.prototype.toString.call(f) + f.constructor.name).join()`:                                                                    "[object AsyncFunction]AsyncFunction,[object GeneratorFunction]GeneratorFunction",
		`const G = Object.getPrototypeOf(function* () {}); [G.prototype.constructor === G, G.constructor.prototype === G, [...(function* () { yield 1; yield 2 })()].join("")].join()`: "true,true,12",
		`(function* () {}) instanceof Object.getPrototypeOf(function* () {}).constructor`:                                                                                              "true",
		`Reflect.ownKeys(Object.getPrototypeOf(async () => {})).map(String).join() + Reflect.ownKeys(Object.getPrototypeOf(function* () {})).map(String).join()`:                       "constructor,Symbol(Symbol.toStringTag)constructor,prototype,Symbol(Symbol.toStringTag)",
		`try { class F extends Function {}; new F("return 1"); "made" } catch (e) { e.name }`:                                                                                          "EvalError",
		`(async () => {})().constructor === Promise`: "true",
	} {
		rt := New()
		rt.ForbidCode()
		v, err := rt.VM.RunString(code)
		if err != nil || v.String() != want {
			t.Errorf("%s = %v, want %s (%v)", code, v, want, err)
		}
	}
}

// TestPromiseNoted proves that native code uses the Promise there was before code changed it.
func TestPromiseNoted(t *testing.T) {
	for _, code := range []string{
		"Promise.prototype.then = Promise.resolve = () => { throw 1 }", "globalThis.Promise = 5", "delete globalThis.Promise", "Object.defineProperty(globalThis, 'Promise', { value: 1 })", "",
	} {
		rt := New()
		if _, err := rt.VM.RunString(code); err != nil {
			t.Fatal(err)
		}
		ran := false
		err := rt.Turn(func() {
			rt.Then(rt.VM.ToValue(5), func(v goja.Value) goja.Value { ran = v.ToInteger() == 5; return nil }, nil)
		})
		if err != nil || !ran {
			t.Errorf("after %q: ran %t (%v)", code, ran, err)
		}
	}
}
