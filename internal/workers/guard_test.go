package workers

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/dop251/goja"

	"samkit.dev/internal/bundle"
	"samkit.dev/internal/jsrt"
)

// TestThrownGetters proves that what is thrown cannot hurt by its getters.
func TestThrownGetters(t *testing.T) {
	eachLevel(t, Options{Limits: Limits{CPU: 600e6, Wall: 120e9}}, func(t *testing.T, p *Pool) {
		for code, want := range map[string]string{
			`throw { get message() { for (;;); } }`:                                                       "limit_cpu",
			`throw { get message() { return this.message } }`:                                             "exception",
			`throw { get message() { return "" + { toString() { return this + "" } } } }`:                 "exception",
			`const e = new Error("x"); Object.defineProperty(e, "stack", {get() { for(;;); } }); throw e`: "limit_cpu",
		} {
			a := app(t, `export default { fetch(request) { if (request.method === "HEAD") return new Response("ok"); `+code+` } }`)
			a.Domain += code
			if e := failure_(t, p, a, "/"); e.Code != want {
				t.Errorf("%s: %v, want %s", code, e, want)
			}
			if _, body := do(t, p, a, &Request{Method: "HEAD", URL: "http://test/"}); body != "ok" {
				t.Errorf("after %s: %s", code, body)
			}
		}
	})
}

// TestGuardsKeepMeaning compares guarded built-ins with goja's own.
func TestGuardsKeepMeaning(t *testing.T) {
	expressions := []string{
		`"ab".repeat(3)`, `"ab".repeat(0)`, `"ab".repeat("2")`, `"ab".repeat(-1)`, `"a".padStart(5, "xy")`, `"a".padEnd(3)`, `"a".padStart()`, `String.prototype.repeat.call(5, 2)`, `String.prototype.repeat.call(null, 2)`,
		`"aXbX".replaceAll("X", "-$&-")`, `"aXbX".replace("X", (m, i) => m + i)`, `"a-b".replace(/(\w)-(\w)/, "$2-$1")`, `"aaa".replace(/a/g, "$$")`, `"abc".replace("b", "$` + "`" + `$'")`, `"x".replace("x")`, `"a1b2".replace(/\d/g, d => d * 2)`,
		`"a,b,,c".split(",")`, `"a,b,,c".split(",", 2)`, `"abc".split("")`, `"a1b2".split(/\d/)`, `"a1b2".split(/(\d)/)`, `"abc".split()`, `"".split("")`, `"".split(",")`,
		`"\u0041\u030a".normalize()`, `"\u00c5".normalize("NFD").length`, `"x".normalize("bad")`, `"aß".toUpperCase()`, `"İ".toLowerCase().length`, `"a".concat(1, null, {})`,
		`"abcab".match(/b/).index`, `"abcab".match(/b/g)`, `"abc".match("c").index`, `"abc".match()`, `"abcab".search("c")`, `[..."a1b2".matchAll(/\d/g)].map(m => [m[0], m.index])`, `[..."aa".matchAll("a")].length`, `"a".matchAll(/a/)`, `[..."abc".matchAll(/(?:)/g)].length`,
		`[1, 2, 3].indexOf(2)`, `[1, 2, 1].lastIndexOf(1)`, `[1, 2, 1].lastIndexOf(1, undefined)`, `[1, 2].reduce((a, b) => a + b)`, `[].reduce((a, b) => a)`, `[1].reduce((a, b) => a, undefined)`, `[3, 1, 2].sort()`, `[3, 1, 2].sort((a, b) => b - a)`,
		`[1, , 3].join()`, `[1, [2, [3]]].join("-")`, `[1, 2].join(undefined)`, `[[1, [2, [3]]]].flat(Infinity)`, `[[1, [2]]].flat()`, `[1].concat([2], 3, [[4]])`, `new Array(3).fill(0)`, `new Array(3).fill()`, `[1, 2, 3, 4].copyWithin(0, 2)`, `[1, 2, 3].splice(1)`, `[1, 2, 3].splice()`, `[1, 2, 3].slice(-2)`, `[1, 2, 3].with(1, 9)`, `[5].at(-1)`,
		`Array.from("abc")`, `Array.from({length: 2}, (_, i) => i)`, `Array.from(new Set([1, 1]))`, `Array.from(null)`, `[].map.call("ab", x => x + x)`, `Array.prototype.slice.call({0: "a", length: 1})`, `[1, 2].includes(NaN)`, `[3, 4].find(x => x > 3)`,
		`new Uint8Array(3)`, `new Uint8Array([1, 300])`, `new Uint8Array(new ArrayBuffer(8), 2, 3).length`, `Uint8Array.from([1, 2])`, `Uint8Array.of(7)`, `new Uint8Array()`, `Uint8Array()`, `Uint8Array.BYTES_PER_ELEMENT`, `new Float64Array([1.5])`, `new Uint8Array(4).subarray(1).constructor === Uint8Array`,
		`new (class A extends Uint8Array { x() { return this.length } })(4).x()`, `new Uint8Array(2) instanceof Uint8Array`, `Object.getPrototypeOf(Uint8Array) === Object.getPrototypeOf(Int8Array)`, `new ArrayBuffer(8).slice(2).byteLength`, `ArrayBuffer.isView(new Uint8Array(1))`, `new Uint8Array(new Uint16Array([1, 2]))`, `Uint8Array.name + Uint8Array.length`,
		`Math.max.apply(null, [1, 2])`, `Reflect.apply(Math.max, null, [1, 2])`, `Reflect.construct(Date, [0]).getTime()`, `(function () { return arguments.length }).apply()`, `Reflect.construct(class { constructor() { this.t = new.target.name } }, [], class B {}).t`,
		`new (class { constructor() { this.r = RegExp("b", "i").test("B") + String(BigInt(5)) + (RegExp("b") instanceof RegExp) } })().r`, `new (class { constructor() { return Uint8Array(1) } })()`,
		`new RegExp("a", "g").flags`, `RegExp("a").test("a")`, `RegExp(/a/g).global`, `new RegExp(/a/g, "i").flags`, `new RegExp().source`, `/a/ instanceof RegExp`, `/a/.constructor === RegExp`, `new RegExp("(")`, `RegExp[Symbol.species] !== undefined`, `new (class R extends RegExp { exec(s) { return super.exec(s) } })("a").test("a")`, `RegExp.name + RegExp.length`,
		`(() => { const r = /a/g, out = []; while (r.exec("aXa")) out.push(r.lastIndex); return out })()`, `/(a)(?=b)/.exec("ab").index`, `/(?<y>\d+)/.exec("in 24").groups.y`, `/a/y.test("ba")`,
		`BigInt("12") + 1n + ""`, `BigInt(5) + ""`, `BigInt.asUintN(8, 257n) + ""`, `BigInt.asIntN(8, 255n) + ""`, `typeof BigInt(1)`, `new BigInt(1)`, `BigInt("x")`, `(2n ** 64n) + ""`, `((-2n) ** 3n) + ""`, `(1n << 70n) + ""`, `(5n << -1n) + ""`, `2 ** -1`, `(0n ** 5n) + ""`, `(1n ** 99999999999n) + ""`, `let_(2n, 3)`, `2n ** 3`, `1n << 3`, `({valueOf: () => 2n}) ** 3n + ""`, `"3" ** "2"`, `null << "2"`,
		`JSON.parse('{"a":[1,{"b":null}]}').a[1].b`, `JSON.parse("[1]", (k, v) => k ? v + 1 : v)`, `JSON.parse("x")`, `JSON.parse(1)`, `JSON.parse()`, `JSON.stringify({a: [1, undefined, () => 1], b: undefined})`, `JSON.stringify([1], null, 2)`, `JSON.stringify("x")`, `JSON.stringify()`, `JSON.stringify({toJSON() { return 5 }})`, `JSON.stringify({a: 1, b: 2}, ["b"])`, `JSON.stringify(1n)`, `(() => { const o = {}; o.o = o; return JSON.stringify(o) })()`,
		`JSON.parse.name + JSON.stringify.length`, `"".repeat.name`, `[].map.name`, `typeof eval`, `eval(5)`, `Function.prototype.constructor === Function`, `(() => {}) instanceof Function`, `Function.name`, `(async () => {}).constructor.name`, `Object.keys(globalThis)`,
	}
	code := "exports.default = { fetch() { const let_ = (a, b) => a ** b, out = [];\n"
	for _, e := range expressions {
		code += "try { const v = " + e + "; out.push(typeof v === 'object' && v && v.length !== undefined ? v.constructor.name + ' ' + [...v].join('|') : String(v)) } catch (e) { out.push('throws ' + (e instanceof Error ? e.constructor.name : e)) }\n"
	}
	code += `return new Response(out.join("\x01")) } }`
	results := map[string][]string{}
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		_, body := get(t, p, app(t, code), "/")
		results[t.Name()] = strings.Split(body, "\x01")
	})
	want, got := results[t.Name()+"/Process"], results[t.Name()+"/InProcess"]
	if len(want) != len(expressions) || len(got) != len(want) {
		t.Fatalf("%d and %d results for %d expressions", len(want), len(got), len(expressions))
	}
	for i, e := range expressions {
		if want[i] != got[i] {
			t.Errorf("%s: %s, without guards %s", e, got[i], want[i])
		}
	}
}

// TestRegExpTime proves that the time of every expression's matches is bounded, wherever it stands.
func TestRegExpTime(t *testing.T) {
	p, err := jsrt.CompileGuarded("x.js", []byte(`exports.f = () => [/(?=a)b/, class { static x = /(a)\1/; m() { return /a/g } }, [new RegExp("(?=a)"), new RegExp("a", "y")]]`))
	if err != nil {
		t.Fatal(err)
	}
	armProgram(p.Program, time.Minute)
	rt := jsrt.New()
	g := &guard{memory: 64 << 20, cpu: time.Minute - 100*time.Millisecond}
	g.mention("RegExp")
	ops := g.install(rt)
	v, err := rt.VM.RunProgram(p.Program)
	if err != nil {
		t.Fatal(err)
	}
	fn, _ := goja.AssertFunction(v)
	exports := rt.VM.NewObject()
	if _, err := fn(nil, rt.VM.NewObject(), exports, goja.Undefined(), ops); err != nil {
		t.Fatal(err)
	}
	rt.VM.Set("f", exports.Get("f"))
	for _, code := range []string{"f()[0]", "f()[1].x", "new (f()[1])().m()", "f()[2][0]", "f()[2][1]"} {
		v, err := rt.VM.RunString(code)
		if err != nil {
			t.Fatal(err)
		}
		wrapper := reflect.ValueOf(v.(*goja.Object)).Elem().FieldByName("self").Elem().Elem().FieldByName("pattern").Elem().FieldByName("regexp2Wrapper")
		if wrapper.IsNil() {
			t.Errorf("%s: no expression", code)
			continue
		}
		if rx := (*regexp2.Regexp)(wrapper.Elem().FieldByName("rx").UnsafePointer()); rx.MatchTimeout != time.Minute {
			t.Errorf("%s: %v", code, rx.MatchTimeout)
		}
	}
}

// TestHeapWatch proves that garbage is no reason to stop code, and what is kept is.
func TestHeapWatch(t *testing.T) {
	p, err := NewPool(Options{Isolation: InProcess, Limits: Limits{Memory: 32 << 20, CPU: 20 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	a := app(t, `export default { fetch(request) {
		const keep = []
		for (let i = 0; i < 20_000; i++) { const a = new Uint8Array(1 << 14); if (request.method === "PUT") keep.push(a) }
		return new Response("ok") } }`)
	if _, body := get(t, p, a, "/"); body != "ok" {
		t.Error(body)
	}
	_, err = p.Fetch(t.Context(), a, &Request{Method: "PUT", URL: "http://test/"})
	var e *Error
	if !errors.As(err, &e) || e.Code != "limit_memory" {
		t.Error(err)
	}
	if _, body := get(t, p, a, "/"); body != "ok" {
		t.Error(body)
	}
}

func BenchmarkIsolate(b *testing.B) {
	everything := strings.Join(slices.Concat(guardedStrings, guardedArrays, guardedBuffers), " ") + "RegExp BigInt ** apply JSON"
	for name, code := range map[string]string{"Worker": "", "InProcess": "JSON", "InProcess/some": "replace split map filter join JSON", "InProcess/all": everything} {
		b.Run(name, func(b *testing.B) {
			r := newRunner(func(func([]byte) []byte) {})
			a := &loaded{}
			if code != "" {
				a.guard = &guard{memory: 128 << 20, cpu: time.Second}
				a.guard.mention(code)
			}
			b.ReportAllocs()
			for b.Loop() {
				newInstance(r, a)
			}
		})
	}
}

// TestGuardNothing has a bundle of code that mentions no guarded built-in: an isolate without guards is a third
// smaller.
func TestGuardNothing(t *testing.T) {
	for source, none := range map[string]bool{
		"export default { fetch() { return Response.json({ a: 1 }) } }":                  true,
		"export default { fetch() { return Response.json(Array.from({ length: 3 })) } }": false,
	} {
		out, err := bundle.Functions(t.Context(), fstest.MapFS{"functions.js": {Data: []byte(source)}}, "functions.js", nil)
		if err != nil {
			t.Fatal(err)
		}
		var g guard
		g.mention(string(out.Code))
		if got := len(g.strings)+len(g.arrays)+len(g.buffers) == 0 && !g.calls && !g.regexps && !g.integers && !g.operators; got != none {
			t.Errorf("%s mentions %q", source, g.arrays)
		}
	}
}
