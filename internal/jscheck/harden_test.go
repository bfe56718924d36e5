package jscheck

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
	"samkit.dev/internal/webapi"
)

// A hardened realm runs scripts of tests, and notes what they reach that they must not.
type hardened struct {
	*webapi.Realm
	reached []string
	never   map[*goja.Object]string // objects that no script may have
}

// canaries are globals that an embedder's realm may have, or has.
var canaries = strings.Fields(`fetch require process setTimeout setInterval queueMicrotask WebAssembly Reflect Proxy crypto performance Request Response ReadableStream
	Uint8Array ArrayBuffer DataView globalThis self navigator caches WebSocket __host Deno Bun Intl WeakRef FinalizationRegistry Event AbortController HTMLRewriter`)

func newHardened(t testing.TB, needs string) *hardened {
	t.Helper()
	h := newRealm(t, needs)
	if err := Harden(h.Runtime); err != nil {
		t.Fatal(err)
	}
	return h
}

func newRealm(t testing.TB, needs string) *hardened {
	t.Helper()
	h := &hardened{never: map[*goja.Object]string{}}
	h.Realm = webapi.Install(jsrt.New(), quiet{})
	for _, name := range []string{"fetch", "require", "process", "setTimeout", "setInterval", "queueMicrotask", "__host"} {
		h.DefineGlobal(name, h.Func(name, 0, func(goja.FunctionCall) goja.Value {
			h.reached = append(h.reached, "called "+name)
			return goja.Undefined()
		}))
	}
	for _, name := range canaries {
		if o, ok := h.Global.Get(name).(*goja.Object); ok {
			h.never[o] = name
		}
	}
	complete, _ := goja.AssertFunction(h.Global.Get("__samkit_complete"))
	if _, err := complete(goja.Undefined(), h.VM.ToValue(needs)); err != nil {
		t.Fatal(err)
	}
	params := h.VM.NewObject()
	h.Method(params, "see", 1, func(c goja.FunctionCall) goja.Value {
		for _, v := range c.Arguments {
			h.see(v)
		}
		return goja.Undefined()
	})
	h.DefineGlobal("params", params)
	return h
}

// generated is what code made from a string returns in these tests: no script spells it.
const generated = "made at run time"

func (h *hardened) see(v goja.Value) {
	switch v := v.(type) {
	case *goja.Object:
		if name, ok := h.never[v]; ok {
			h.reached = append(h.reached, "has "+name)
		}
	case goja.String:
		if strings.Contains(v.String(), generated) {
			h.reached = append(h.reached, "made code")
		}
	}
}

// run returns what a checked script's promise came to.
func (h *hardened) run(t testing.TB, p *Program, most time.Duration) string {
	t.Helper()
	timer := time.AfterFunc(most, func() { h.Interrupt("time") })
	defer timer.Stop()
	module := h.VM.NewObject()
	wrapper, err := h.VM.RunProgram(p.Program.Program)
	if err != nil {
		t.Fatal(err)
	}
	start, _ := goja.AssertFunction(wrapper)
	operators, err := h.VM.RunString("({ pow: (a, b) => a ** b, shift: (b) => b })")
	if err != nil {
		t.Fatal(err)
	}
	read := h.Func("stack", 2, func(c goja.FunctionCall) goja.Value { return c.Argument(0) })
	if _, err := h.Enter(start, goja.Undefined(), module, goja.Undefined(), jsrt.AppendFunc(h.VM), operators, read, h.LateFields(p.Program), h.Skip(p.Program)); err != nil {
		return outcome(err)
	}
	fn, _ := goja.AssertFunction(module.Get("exports"))
	result, err := h.Enter(fn, goja.Undefined())
	if err != nil {
		return outcome(err)
	}
	promise, ok := jsrt.IsPromise(result)
	if !ok {
		t.Fatalf("the script gave %v", result)
	}
	v := promise.Result()
	if v == nil {
		return "pending"
	}
	h.see(v)
	text := "?"
	if err := h.Catch(func() { text = v.String() }); err != nil {
		return outcome(err)
	}
	if promise.State() == goja.PromiseStateRejected {
		return "threw " + text
	}
	return text
}

func outcome(err error) string {
	var fault *jsrt.Fault
	if errors.As(err, &fault) {
		return fault.Reason
	}
	return "threw " + err.Error()
}

type quiet struct{}

func (quiet) Log(slog.Level, string, []goja.StackFrame) {}
func (quiet) After(time.Duration, func()) (stop func()) { return func() {} }
func (quiet) Now() time.Time                            { return time.Unix(0, 0) }
func (quiet) Uncaught(goja.Value)                       {}

// runs runs a script that passes the check.
func runs(t *testing.T, src string) string {
	t.Helper()
	p, problems := Check([]byte(src), nil)
	if p == nil {
		return fmt.Sprint(problems)
	}
	h := newHardened(t, p.Needs)
	got := h.run(t, p, 20*time.Second)
	if len(h.reached) > 0 {
		t.Errorf("%s: %v", src, h.reached)
	}
	return got
}

func TestHarden(t *testing.T) {
	h := newHardened(t, "")
	for _, name := range h.Global.GetOwnPropertyNames() {
		if !allowed[name] {
			t.Errorf("%s is left", name)
		}
	}
	for _, name := range append(canaries, "Function", "eval", "EvalError", "escape", "GoError") {
		if v := h.Global.Get(name); v != nil {
			t.Errorf("%s is %v", name, v)
		}
	}
	for _, name := range Allowed() {
		if v := h.Global.Get(name); v == nil && name != "rtcAgent" {
			t.Errorf("there is no %s", name)
		}
	}
	for src, want := range map[string]string{
		"return 1 + 1": "2",
		"const s: string[] = ['a']; s.push('b'); return JSON.stringify({ s, n: 2n ** 70n + '' })":                                 `{"s":["a","b"],"n":"1180591620717411303424"}`,
		"return await new Promise((r) => r(this === undefined))":                                                                  "true",
		"return typeof arguments + arguments.length":                                                                              "object0",
		"let s = ''; for (let i = 0; i < 300; i++) s += 'x'; return s.length":                                                     "300",
		"const out = []; for await (const x of (async function* () { yield 1; yield* [2, 3] })()) out.push(x); return out.join()": "1,2,3",
		"using x = { [Symbol.dispose]() { params.x = 5 } }; return 1":                                                             "1",
		"class A { #a = 1; static s = 2; get a() { return this.#a } accessor b = 3 } const a = new A(); return a.a + A.s + a.b":   "6",
		"return structuredClone(new Map([[1, new Set([2])]])).get(1).has(2)":                                                      "true",
		"return new URL('/a?b=1', 'http://x').searchParams.get('b') + atob(btoa('y'))":                                            "1y",
		"return [...'a1b2'.matchAll(/(?<d>\\d)/gu)].map((m) => m.groups.d).join()":                                                "1,2",
		"let n = 1; n <<= 3; return n":                                                                                            "8",
		"enum E { A = 1, B } return E.B":                                                                                          "2",
		"throw new Error('x')":                                                                                                    "threw Error: x",
		"try { null.a } catch (e) { return e instanceof TypeError }":                                                              "true",
		"const f = (x) => x ? f(x - 1) : 'deep'; return f(500)":                                                                   "deep",
		"return params.missing?.a?.b ?? 'none'":                                                                                   "none",
		"fetched: for (const x of [1, 2]) { if (x === 1) continue fetched; return x }":                                            "2",
	} {
		if got := runs(t, src); got != want {
			t.Errorf("%s: %s, want %s", src, got, want)
		}
	}
}

func TestHardenReportsWhatStays(t *testing.T) {
	rt := jsrt.New()
	rt.Global.DefineDataProperty("constant", rt.VM.ToValue(1), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_TRUE)
	if err := Harden(rt); err == nil || !strings.Contains(err.Error(), "constant") {
		t.Error(err)
	}
	if err := Harden(jsrt.New(), "Reflect"); err != nil {
		t.Error(err)
	}
}

// TestHarnessNotices proves that a realm that is not hardened would fail these tests.
func TestHarnessNotices(t *testing.T) {
	for _, src := range []string{
		"return (() => {})[['con', 'structor'].join('')]('return \"made at\" + \" run time\"')()",
		"params.see((() => {})[['con', 'structor'].join('')]('return this')())",
	} {
		p, problems := Check([]byte(src), nil)
		if p == nil {
			t.Fatal(problems)
		}
		h := newRealm(t, p.Needs)
		if h.run(t, p, 20*time.Second); len(h.reached) == 0 {
			t.Errorf("%s reached nothing", src)
		}
	}
}
