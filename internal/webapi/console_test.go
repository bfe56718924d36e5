package webapi

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"samkit.dev/internal/jsrt"
)

// inspectCases are expressions whose inspection is that of Node.
var inspectCases = []string{
	`1`, `-0`, `1.5`, `NaN`, `"a"`, `"it's"`, `"it's \"x\""`, "\"'\\\"`\"", `"a\nb\t\x01\\"`, `true`, `null`, `undefined`, `10n`, `Symbol("q")`, `Symbol()`,
	`({})`, `({a: 1, "b-c": "x", 3: null})`, `[]`, `[1, "a", [2]]`, `[1, , 3]`, `[, , 1, ,]`, `Object.assign([1], {x: 2})`, `new Array(5)`,
	`({a: {b: {c: {}}}})`, `({a: {b: {c: {d: 1}}}})`, `[[[[]]]]`, `[[[[1]]]]`,
	`new Map([["a", 1], [{b: 2}, [3]]])`, `new Set([1, "a"])`, `new Map()`, `new (class M extends Map {})`,
	`(() => 1)`, `(function f() {})`, `(class A {})`, `(class B extends Map {})`, `(async function g() {})`, `(function* h() {})`, `Object.assign(function f() {}, {x: 1})`, `[() => 1]`, `({f() {}, g: class {}})`,
	`new Date(0)`, `new Date(NaN)`, `/a\/b/gi`, `Object(1)`, `Object("ab")`, `Object(true)`, `Object(3n)`, `Object(Symbol("s"))`,
	`new (class Foo { x = 1 })`, `new (class extends (class P {}) {})`, `Object.create(null)`, `Object.assign(Object.create(null), {a: 1})`, `Object.create({a: 1})`,
	`({get a() { throw 1 }, set b(v) {}, get c() { return 1 }, set c(v) {}})`, `({[Symbol("k")]: 1, [Symbol.iterator]: 2})`, `({[Symbol.toStringTag]: "Tag", a: 1})`,
	`(() => { let o = {a: 1}; o.self = o; return o })()`, `(() => { let o = {a: {}}; o.a.o = o; o.a.a = o.a; return o })()`, `(() => { let a = [1]; a.push(a); return a })()`,
	`Promise.resolve(5)`, `new Promise(() => {})`, `new WeakMap()`, `new Uint8Array([1, 2, 3])`, `new Float64Array(2)`, `new Uint8Array([1, 255]).buffer`, `new Proxy({a: 1}, {get() { throw 1 }})`, `new Proxy([1], {})`,
	`Array.from({length: 30}, (_, i) => i)`, `Array.from({length: 120}, (_, i) => i * 7)`, `Array.from({length: 10}, (_, i) => "item" + i)`, `Array.from({length: 27}, (_, i) => "x".repeat(i % 9))`, `Array.from({length: 8}, (_, i) => ({i}))`,
	`({a: "x".repeat(30), b: "y".repeat(30), c: "z".repeat(30)})`, `({list: [{id: 1, name: "one", tags: ["a", "b"]}, {id: 2, name: "two", tags: []}]})`, `({a: {b: {c: {d: {e: 1}}}}}).a`,
	`({text: "line one is long enough\nline two is long enough\nline three is long enough, too"})`, `[undefined, null, NaN, -0, 1e21]`, `[["a", 1], ["b", 2]]`, `new Set([[1, 2], {a: new Map([[1, new Set([2])]])}])`,
	`({url: "https://example.com/some/long/path", method: "GET", headers: {accept: "application/json", "user-agent": "x"}})`, `[1.5, 2.25, 3, 4, 5, 6, 7, 8.125]`, `(function*() {})()`, `[1, 2, 3][Symbol.iterator]()`,
	`Array.from({length: 101}, () => 1)`, `({ a: [1, 2, { b: [3, 4, { c: [5, 6] }] }] })`, `[[1, 2, [3, 4, [5, [6]]]], { a: { b: { c: {} } } }]`, `"😀\u00e9"`, `[true, false, "😀"]`, `new Set(Array.from({length: 120}, (_, i) => i))`,
}

func TestInspectAgainstNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("node is not installed")
		}
		t.Skip("node is not installed: the comparison with another implementation needs it")
	}
	data, _ := json.Marshal(inspectCases)
	cmd := exec.Command(node, "-e", `let out = []; const {inspect} = require("util");
		for (let src of JSON.parse(require("fs").readFileSync(0, "utf8"))) out.push(inspect((0, eval)("(" + src + ")"), {depth: 4}));
		console.log(JSON.stringify(out))`)
	cmd.Stdin = bytes.NewReader(data)
	raw, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	for i, src := range inspectCases {
		r := newTestRealm(t)
		if got := r.Inspect(eval(t, r, "("+src+")")); got != want[i] {
			t.Errorf("%s\n got %s\nnode %s", src, got, want[i])
		}
	}
}

func TestInspect(t *testing.T) {
	for _, c := range []script{
		{`function f() { return new TypeError("m") }; f()`, "TypeError: m\n    at f (<eval>:1:23)\n    at <eval>:1:46"},
		{`let e = new Error("m"); e.stack = undefined; e`, "[Error: m]"},
		{`let e = new Error("out", {cause: new Error("in")}); e.code = 5; e.stack = "Error: out"; e.cause.stack = "Error: in"; e`, "Error: out { code: 5, [cause]: Error: in }"},
		{`let e = new AggregateError([1, 2], "m"); e.stack = "S"; e`, "S { [errors]: [ 1, 2 ] }"},
		{`let e = new DOMException("m", "AbortError"); e.stack.length > 0 && ({e}).e.name`, `'AbortError'`},
		{`let {proxy, revoke} = Proxy.revocable({}, {}); revoke(); [proxy]`, "[ <Revoked Proxy> ]"},
		{`new Proxy(new Proxy({a: 1}, {}), {ownKeys() { throw 1 }})`, "{ a: 1 }"},
		{`Object.create(new Proxy({}, {getPrototypeOf() { throw 1 }, get() { throw 2 }, getOwnPropertyDescriptor() { throw 3 }}))`, "[Object: null prototype] {}"},
		{`new URL("https://u:p@h.example:81/p?q#f")`, "URL {\n  href: 'https://u:p@h.example:81/p?q#f',\n  origin: 'https://h.example:81',\n  protocol: 'https:',\n  username: 'u',\n  password: 'p',\n  host: 'h.example:81',\n  hostname: 'h.example',\n  port: '81',\n  pathname: '/p',\n  search: '?q',\n  hash: '#f'\n}"},
		{`new URLSearchParams("a=1&b=2")`, "URLSearchParams { 'a' => '1', 'b' => '2' }"},
		{`new Headers({accept: "x", "content-type": "y"})`, "Headers { accept: 'x', 'content-type': 'y' }"},
		{`AbortSignal.abort(5)`, "AbortSignal { aborted: true, reason: 5 }"},
		{`new AbortController`, "AbortController {}"},
		{`new CustomEvent("x", {detail: {a: 1}})`, "CustomEvent {\n  type: 'x',\n  defaultPrevented: false,\n  cancelable: false,\n  timeStamp: 0,\n  detail: { a: 1 }\n}"},
		{`let e = new EventTarget; e.extra = 1; e`, "EventTarget { extra: 1 }"},
		{`class Sub extends URLSearchParams {}; new Sub("a=b")`, "Sub [URLSearchParams] { 'a' => 'b' }"},
		{`2n ** 100000n`, "<too long>n"},
		{`new DataView(new ArrayBuffer(4), 1)`, "DataView { byteLength: 3, byteOffset: 1 }"},
		{`Promise.reject(5)`, "Promise { <rejected> 5 }"},
		{`({a:{b:{c:{d:{e:{}}}}}})`, "{\n  a: {\n    b: { c: { d: { e: {} } } }\n  }\n}"},
		{`[[[[[[1]]]]]]`, "[\n  [\n    [ [ [ [Array] ] ] ]\n  ]\n]"},
	} {
		r := newTestRealm(t)
		if got := r.Inspect(eval(t, r, c.src)); got != c.want {
			t.Errorf("%s\n got %q\nwant %q", c.src, got, c.want)
		}
	}
}

// Whatever is logged costs bounded time and text.
func TestInspectHostile(t *testing.T) {
	for _, src := range []string{
		`"x".repeat(5e6)`, `["x".repeat(5e6)]`, `let o = {}; for (let i = 0; i < 2e5; i++) o["k" + i] = i; o`, `let a = []; for (let i = 0; i < 2e5; i++) a.push([i]); a`,
		`let a = []; a.length = 4e9; a`, `let a = [1]; a[3e9] = 1; a`, `let o = {}; for (let i = 0; i < 1e5; i++) o = {o}; o`, `let o = {}; for (let i = 0; i < 3e4; i++) o = new Proxy(o, {}); o`,
		`({length: 1e12})`, `let f = d => d ? Array.from({length: 100}, () => f(d - 1)) : 1; f(2)`, `let a = [1]; for (let i = 0; i < 20; i++) a = [a, a, a, a, a, a]; a`,
		`let o = {}; Object.defineProperty(o, "constructor", {get() { for (;;); }}); Object.defineProperty(o, Symbol.toStringTag, {get() { for (;;); }}); o`,
		`let p = null; for (let i = 0; i < 5000; i++) p = Object.create(p); p`, `new String("x".repeat(5e6))`, `new Uint8Array(5e6)`, `new Set(Array.from({length: 2e5}, (_, i) => i))`, `7n ** 1000000n`, `({["k".repeat(1e6)]: 1})`,
		`let e = new Error("m".repeat(1e6)); e`, `let o = {}; for (let i = 0; i < 100; i++) o["k" + i] = "v".repeat(9000); o`, `Symbol("s".repeat(1e6))`, `new URLSearchParams("a&".repeat(1e5))`, `Object.getOwnPropertyDescriptor = () => 5; ({a: 1})`, `Object.getOwnPropertyDescriptor = null; ({a: 1})`,
		`let o = {}; for (let i = 0; i < 1e5; i++) o["k" + i] = i; Array(100).fill(Array(100).fill(o))`, `let a = [1]; a[9000] = 1; Array(100).fill(Array(100).fill(a))`, `Array(100).fill(Array(100).fill("é".repeat(2e6)))`, `Array(100).fill(Array(100).fill({["é".repeat(1e6)]: 1}))`, `Array(100).fill(Array(100).fill(Symbol("é".repeat(1e6))))`,
		`let p = null; for (let i = 0; i < 500; i++) p = Object.create(p); Array(100).fill(Array(100).fill(p))`, `let b = 3n ** 1000000n; Array(100).fill(Array(100).fill(b))`, `Array(100).fill(Array(100).fill(new Error("é".repeat(1e6))))`, `Array(100).fill(Array(100).fill(new RegExp("é".repeat(1e5))))`, `Array(100).fill(Array(100).fill(Object.defineProperty(() => 1, "name", {value: "é".repeat(1e6)})))`,
		`globalThis`, `Object.defineProperty(function() {}, "name", {get() { throw 1 }})`, `(class { static name() {} })`, `"\n".repeat(5e5)`, `({a: "\n".repeat(5e5)})`,
	} {
		r := newTestRealm(t)
		v := eval(t, r, src)
		start := time.Now()
		got := r.Inspect(v)
		if d := time.Since(start); d > 10*time.Second { // a machine under the race detector is slow; unbounded work would take minutes
			t.Errorf("%.90s took %v", src, d)
		}
		if len(got) > 4*inspectBytes {
			t.Errorf("%.60s: %d bytes", src, len(got))
		}
	}
}

func logged(t *testing.T, src string) string {
	t.Helper()
	r := newTestRealm(t)
	eval(t, r, src)
	drain(t, r)
	return strings.Join(host(r).logs, "\n")
}

func TestConsole(t *testing.T) {
	for _, c := range []script{
		{`console.log("a", 1, {b: 2}, ["c"])`, "INFO a 1 { b: 2 } [ 'c' ]"},
		{`console.info("i"); console.warn("w"); console.error("e"); console.debug("d"); console.log()`, "INFO i\nWARN w\nERROR e\nDEBUG d\nINFO "},
		{`console.log("%s is %d and %i, %f %%", "x", "5.5", "7.9", "1.5z", "rest", {a: 1})`, "INFO x is 5.5 and 7, 1.5 % rest { a: 1 }"},
		{`console.log("%o %O %c.", {a: 1}, [2], "color: red")`, "INFO { a: 1 } [ 2 ] ."},
		{`console.log("100%", "%s"); console.log("%s"); console.log("%x %s", 1)`, "INFO 100% %s\nINFO %s\nINFO %x 1"},
		{`console.log("%s %s %s %s", Symbol("q"), 5n, null, {a: {b: 1}})`, "INFO Symbol(q) 5n null { a: [Object] }"},
		{`console.log("%d %i %d %d", {}, Symbol(), 5n, "")`, "INFO NaN NaN 5n 0"},
		{`console.log("%d", -0)`, "INFO -0"},
		{`console.log({}, "%s", 1)`, "INFO {} %s 1"},
		{`console.trace("t"); console.trace()`, "INFO Trace: t\nINFO Trace"},
		{`console.assert(true, "no"); console.assert(false); console.assert(0, "x %d", 5); console.assert(null, {a: 1})`, "ERROR Assertion failed\nERROR Assertion failed: x 5\nERROR Assertion failed: { a: 1 }"},
		{`console.group("g"); console.log("a\nb"); console.group(); console.log("c"); console.groupEnd(); console.groupEnd(); console.groupEnd(); console.log("d")`, "INFO g\nINFO   a\n  b\nINFO     c\nINFO d"},
		{`console.count(); console.count(); console.count("x"); console.countReset(); console.count(); console.countReset("y")`, "INFO default: 1\nINFO default: 2\nINFO x: 1\nINFO default: 1\nWARN Count for 'y' does not exist"},
		{`console.time(); setTimeout(() => { console.timeLog("default", "more", 1); console.timeEnd(); console.timeEnd(); console.time("t"); console.time("t") }, 12)`, "INFO default: 12.000ms more 1\nINFO default: 12.000ms\nWARN Timer 'default' does not exist\nWARN Timer 't' already exists"},
		{`console.dir({a: 1}, {depth: 0}); console.dirxml("x", [1])`, "INFO { a: 1 }\nINFO x [ 1 ]"},
		{`console.clear(); console.profile(); console.profileEnd(); console.timeStamp()`, ""},
		{`const {log} = console; log("free"); [1, 2].forEach(console.log)`, "INFO free\nINFO 1 0 [ 1, 2 ]\nINFO 2 1 [ 1, 2 ]"},
		{`let old = console.log; console.log = (...a) => old("patched", ...a); console.log("x"); delete console.log; console.info(typeof console.log, "log" in console)`, "INFO patched x\nINFO undefined false"},
		{`console.log(Object.prototype.toString.call(console), Object.keys(console).length, console.log.name, console.warn === console.warn)`, "INFO [object console] 22 log true"},
		{`console.table([{a: 1, b: "x"}, {a: 2, c: true}])`, "INFO ┌─────────┬───┬─────┬──────┐\n│ (index) │ a │ b   │ c    │\n├─────────┼───┼─────┼──────┤\n│ 0       │ 1 │ 'x' │      │\n│ 1       │ 2 │     │ true │\n└─────────┴───┴─────┴──────┘"},
		{`console.table([1, [2, 3]]); console.table([{a: 1, b: 2}], ["b"]); console.table(5); console.table([])`, "INFO ┌─────────┬───┬───┬────────┐\n│ (index) │ 0 │ 1 │ Values │\n├─────────┼───┼───┼────────┤\n│ 0       │   │   │ 1      │\n│ 1       │ 2 │ 3 │        │\n└─────────┴───┴───┴────────┘\nINFO ┌─────────┬───┐\n│ (index) │ b │\n├─────────┼───┤\n│ 0       │ 2 │\n└─────────┴───┘\nINFO 5\nINFO []"},
		{`console.table(new Map([["k", 1]]))`, "INFO ┌───────────────────┬─────┬────────┐\n│ (iteration index) │ Key │ Values │\n├───────────────────┼─────┼────────┤\n│ 0                 │ 'k' │ 1      │\n└───────────────────┴─────┴────────┘"},
	} {
		if got := logged(t, c.src+"; 0"); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.src, got, c.want)
		}
	}
}

func TestConsoleHostile(t *testing.T) {
	for _, src := range []string{
		`console.log(...new Array(1000).fill("x".repeat(1e5)))`, `console.log("%s".repeat(1e4), ...new Array(1e4).fill({a: 1}))`, `console.table(new Array(1e6).fill({a: 1}))`, `console.table(Array.from({length: 200}, (_, i) => ({["c" + i]: "v".repeat(1e4)})))`,
		`for (let i = 0; i < 1e4; i++) console.group(); console.log("\n".repeat(1000))`, `for (let i = 0; i < 2000; i++) console.count("c" + i)`, `console.table(new Proxy([], {get() { throw 1 }}))`, `console.log("%i", {valueOf() { for (;;); }})`, `console.table({get a() { throw 1 }})`, `globalThis.parseInt = null; console.log("%i", 1)`,
	} {
		r := newTestRealm(t)
		start := time.Now()
		eval(t, r, src+"; 0")
		if d := time.Since(start); d > 3*time.Second {
			t.Errorf("%.90s took %v", src, d)
		}
		for _, s := range host(r).logs {
			if len(s) > 1<<20 {
				t.Errorf("%.60s: %d bytes", src, len(s))
			}
		}
	}
}

func TestConsoleStack(t *testing.T) {
	r := newTestRealm(t)
	if err := r.Turn(func() {
		if _, err := r.VM.RunScript("app.js", "function f() {\n  console.log(1) }\nf()"); err != nil {
			t.Error(err)
		}
	}); err != nil {
		t.Fatal(err)
	}
	stack := host(r).stacks[0]
	if len(stack) < 2 || stack[0].FuncName() != "f" || stack[0].Position().String() != "app.js:2:14" {
		t.Errorf("%v", stack)
	}
}

func BenchmarkConsoleLog(b *testing.B) {
	for name, args := range map[string]string{"text": `"hello", "world"`, "object": `"user", {id: 17, name: "Ada", tags: ["a", "b"]}`} {
		b.Run(name, func(b *testing.B) {
			r := Install(jsrt.New(), discard{newFakeHost()})
			fn, _ := callable(eval(b, r, "(n) => { for (let i = 0; i < n; i++) console.log("+args+") }"))
			b.ReportAllocs()
			b.ResetTimer()
			if _, err := fn(nil, r.VM.ToValue(b.N)); err != nil {
				b.Fatal(err)
			}
		})
	}
}
