package webapi

import (
	"runtime"
	"testing"

	"github.com/dop251/goja"
)

func TestDOMException(t *testing.T) {
	runScripts(t, []script{
		{`let e = new DOMException("m", "AbortError"); [e.name, e.message, e.code, String(e)].join()`, "AbortError,m,20,AbortError: m"},
		{`let e = new DOMException(); [e.name, e.message, e.code].join()`, "Error,,0"},
		{`new DOMException() instanceof Error && DOMException.prototype instanceof Error`, "true"},
		{`Object.prototype.toString.call(new DOMException())`, "[object DOMException]"},
		{`DOMException.ABORT_ERR + DOMException.prototype.DATA_CLONE_ERR`, "45"},
		{`new DOMException("x", "DataCloneError").code`, "25"},
		{`new DOMException("x", "").code`, "0"},
		{`new DOMException(undefined, undefined).name`, "Error"},
		{`function deep() { return new DOMException("m", "N") }; deep().stack.split("\n")[0]`, "N: m"},
		{`function deep() { return new DOMException("m") }; deep().stack.includes("deep")`, "true"},
		{`let e = new DOMException("m"); e.stack = 5; e.stack + Object.keys(e).length`, "5"},
		{`Object.getOwnPropertyDescriptor(DOMException.prototype, "name").get.call({})`, "! TypeError: Illegal invocation: function called with incorrect `this` reference."},
		{`new DOMException(Symbol())`, "! TypeError: Cannot convert a Symbol value to a string"},
		{`try { throw new DOMException("m", "TimeoutError") } catch (e) { e.code }`, "23"},
	})
}

func TestEvents(t *testing.T) {
	runScripts(t, []script{
		{`let e = new Event("x"); [e.type, e.bubbles, e.cancelable, e.composed, e.isTrusted, e.eventPhase, e.target, e.defaultPrevented].join()`, "x,false,false,false,false,0,,false"},
		{`new Event()`, "! TypeError: Failed to construct 'Event': 1 argument required, but only 0 present."},
		{`new Event("x", 5)`, "! TypeError: The Event's options is not an object"},
		{`new Event("x", null).type + new Event(undefined).type`, "xundefined"},
		{`Event.AT_TARGET + Event.prototype.BUBBLING_PHASE`, "5"},
		{`new CustomEvent("x", {detail: 7}).detail`, "7"},
		{`new CustomEvent("x").detail`, "null"},
		{`new CustomEvent("x") instanceof Event`, "true"},
		{`let e = new ErrorEvent("error", {message: "m", lineno: 3, error: 9}); [e.message, e.lineno, e.colno, e.filename, e.error].join("|")`, "m|3|0||9"},
		{`let e = new MessageEvent("m", {data: {a: 1}}); e.data.a + e.origin + e.ports.length + e.source`, "10null"},
		{`Object.getOwnPropertyDescriptor(CustomEvent.prototype, "detail").get.call(new Event("x"))`, "! TypeError: Illegal invocation: function called with incorrect `this` reference."},
		{`let t = new EventTarget, s = ""; t.addEventListener("a", e => s += e.type + (e.target === t) + e.eventPhase + (e.currentTarget === t) + e.composedPath().length); let e = new Event("a"); t.dispatchEvent(e) + s + e.eventPhase + e.currentTarget + e.composedPath().length`, "trueatrue2true10null0"},
		{`let t = new EventTarget, n = 0, f = () => n++; t.addEventListener("a", f); t.addEventListener("a", f); t.addEventListener("a", f, true); t.dispatchEvent(new Event("a")); n`, "2"},
		{`let t = new EventTarget, n = 0, f = () => n++; t.addEventListener("a", f); t.removeEventListener("a", f, true); t.dispatchEvent(new Event("a")); t.removeEventListener("a", f); t.dispatchEvent(new Event("a")); n`, "1"},
		{`let t = new EventTarget, n = 0; t.addEventListener("a", () => n++, {once: true}); t.dispatchEvent(new Event("a")); t.dispatchEvent(new Event("a")); n`, "1"},
		{`let t = new EventTarget, s = ""; t.addEventListener("a", () => s += "b"); t.addEventListener("a", () => s += "c", true); t.dispatchEvent(new Event("a")); s`, "cb"},
		{`let t = new EventTarget; t.addEventListener("a", e => e.preventDefault()); t.dispatchEvent(new Event("a", {cancelable: true})) + "" + t.dispatchEvent(new Event("a"))`, "falsetrue"},
		{`let t = new EventTarget; t.addEventListener("a", e => e.preventDefault(), {passive: true}); t.dispatchEvent(new Event("a", {cancelable: true}))`, "true"},
		{`let t = new EventTarget, s = ""; t.addEventListener("a", e => { s += 1; e.stopImmediatePropagation() }); t.addEventListener("a", e => s += 2); t.dispatchEvent(new Event("a")); s`, "1"},
		{`let t = new EventTarget, s = "", o = { handleEvent(e) { s += (this === o) + e.type } }; t.addEventListener("a", o); t.dispatchEvent(new Event("a")); s`, "truea"},
		{`let t = new EventTarget, s = ""; t.addEventListener("a", () => t.addEventListener("a", () => s += "late")); t.dispatchEvent(new Event("a")); s`, ""},
		{`let t = new EventTarget, s = "", g = () => s += "g"; t.addEventListener("a", () => t.removeEventListener("a", g)); t.addEventListener("a", g); t.dispatchEvent(new Event("a")); s`, ""},
		{`let t = new EventTarget, e = new Event("a"), m; t.addEventListener("a", () => { try { t.dispatchEvent(e) } catch (x) { m = x.name } }); t.dispatchEvent(e); m`, "InvalidStateError"},
		{`let t = new EventTarget; t.addEventListener("a", null); t.removeEventListener("a", null); t.dispatchEvent(new Event("a"))`, "true"},
		{`new EventTarget().addEventListener("a", 5)`, "! TypeError: The event listener is not an object"},
		{`new EventTarget().addEventListener("a")`, "! TypeError: Failed to execute 'addEventListener' on 'EventTarget': 2 arguments required, but only 1 present."},
		{`new EventTarget().dispatchEvent({type: "a"})`, "! TypeError: Failed to execute 'dispatchEvent' on 'EventTarget': parameter 1 is not of type 'Event'."},
		{`class My extends EventTarget { constructor() { super(); this.n = 0; this.addEventListener("x", () => this.n++) } }; let m = new My; m.dispatchEvent(new Event("x")); m.n + (m instanceof EventTarget)`, "2"},
		{`class E extends Event { constructor() { super("q"); this.k = 4 } }; let t = new EventTarget, n; t.addEventListener("q", e => n = e.k + (e instanceof E)); t.dispatchEvent(new E); n`, "5"},
		{`let t = new EventTarget, n = 0, c = new AbortController; t.addEventListener("a", () => n++, {signal: c.signal}); t.dispatchEvent(new Event("a")); c.abort(); t.dispatchEvent(new Event("a")); n`, "1"},
		{`let t = new EventTarget, n = 0; t.addEventListener("a", () => n++, {signal: AbortSignal.abort()}); t.dispatchEvent(new Event("a")); n`, "0"},
		{`new EventTarget().addEventListener("a", () => 1, {signal: 5})`, "! TypeError: Failed to execute 'addEventListener' on 'EventTarget': member signal is not of type 'AbortSignal'."},
		{`let e = new Event("a"); e.initEvent("b", true, true); [e.type, e.bubbles, e.cancelable].join()`, "b,true,true"},
		{`let e = new Event("a", {cancelable: true}); e.returnValue = false; e.cancelBubble = true; [e.defaultPrevented, e.returnValue, e.cancelBubble].join()`, "true,false,true"},
	})
}

func TestListenerThrows(t *testing.T) {
	r := newTestRealm(t)
	got := eval(t, r, `let t = new EventTarget, s = ""; t.addEventListener("a", () => { throw new Error("one") }); t.addEventListener("a", {}); t.addEventListener("a", () => s = "ran"); t.dispatchEvent(new Event("a")); s`).String()
	if want := "Error: one; TypeError: The event listener's handleEvent is not a function"; got != "ran" || uncaught(r) != want {
		t.Errorf("%s, uncaught %s", got, uncaught(r))
	}
}

func TestAbort(t *testing.T) {
	runScripts(t, []script{
		{`let c = new AbortController; [c.signal.aborted, c.signal.reason, c.signal === c.signal, c.signal.onabort].join()`, "false,,true,"},
		{`let c = new AbortController; c.abort(); c.signal.reason.name + c.signal.reason.code + c.signal.aborted`, "AbortError20true"},
		{`let c = new AbortController; c.abort("why"); c.abort("other"); c.signal.reason`, "why"},
		{`let c = new AbortController; c.abort(null); c.signal.reason`, "null"},
		{`let c = new AbortController, s = ""; c.signal.addEventListener("abort", e => s += e.type + e.isTrusted + (e.target === c.signal)); c.signal.onabort = () => s += "on"; c.abort(); c.abort(); s`, "aborttruetrueon"},
		{`let c = new AbortController, s = ""; c.signal.onabort = () => s += 1; c.signal.addEventListener("abort", () => s += 2); c.signal.onabort = () => s += 3; c.abort(); s`, "32"},
		{`let c = new AbortController; c.signal.onabort = () => 1; c.signal.onabort = null; c.signal.onabort`, "null"},
		{`let c = new AbortController; c.signal.onabort = 5; c.signal.onabort`, "null"},
		{`AbortSignal.abort().throwIfAborted()`, "! AbortError: The operation was aborted"},
		{`AbortSignal.abort(7).throwIfAborted()`, "! 7"},
		{`new AbortController().signal.throwIfAborted()`, "undefined"},
		{`new AbortSignal()`, "! TypeError: Illegal constructor"},
		{`new AbortController().signal instanceof EventTarget`, "true"},
		{`AbortSignal.timeout(-1)`, "! TypeError: The timeout is outside the accepted range"},
		{`AbortSignal.timeout(NaN)`, "! TypeError: The timeout is not a finite number"},
		{`AbortSignal.timeout(5n)`, "! TypeError: Cannot convert a BigInt value to a number"},
		{`AbortSignal.timeout(Number.MAX_SAFE_INTEGER).aborted`, "false"},
		{`new Promise(f => { let s = AbortSignal.timeout(5); s.onabort = () => f(s.reason.name + performance.now()) })`, "TimeoutError5"},
		{`AbortSignal.any([]).aborted`, "false"},
		{`AbortSignal.any([AbortSignal.abort(1), AbortSignal.abort(2)]).reason`, "1"},
		{`let a = new AbortController, b = new AbortController, s = AbortSignal.any([a.signal, b.signal]), n = 0; s.onabort = () => n++; b.abort("b"); a.abort("a"); s.reason + n`, "b1"},
		{`let a = new AbortController, s = AbortSignal.any(new Set([AbortSignal.any([a.signal])])); a.abort("deep"); s.reason`, "deep"},
		{`let a = new AbortController, d = AbortSignal.any([a.signal]), l = ""; a.signal.onabort = () => l += "a" + d.aborted; d.onabort = () => l += "d"; a.abort(); l`, "atrued"},
		{`AbortSignal.any([1])`, "! TypeError: Failed to execute 'any' on 'AbortSignal': a member is not of type 'AbortSignal'."},
		{`AbortSignal.any(1)`, "! TypeError: Failed to execute 'any' on 'AbortSignal': parameter 1 is not iterable."},
		{`let s = AbortSignal.abort(); AbortSignal.any({ *[Symbol.iterator]() { for (;;) yield s } })`, "! RangeError: AbortSignal.any takes at most 10000 signals"},
		{`Object.getOwnPropertyDescriptor(AbortSignal.prototype, "aborted").get.call(new EventTarget)`, "! TypeError: Illegal invocation: function called with incorrect `this` reference."},
	})
}

func TestAbortFromGo(t *testing.T) {
	r := newTestRealm(t)
	var got goja.Value
	err := r.Turn(func() {
		s := r.newAbortSignal()
		removed := s.onAbort(func(goja.Value) { t.Error("a removed step ran") })
		removed()
		s.onAbort(func(v goja.Value) { got = v })
		r.VM.Set("s", s.object(r))
		same, ok := signalOf(r.VM.Get("s"))
		if !ok || same != s {
			t.Error("signalOf")
		}
		s.abort(r.VM.ToValue("go"))
		s.onAbort(func(goja.Value) { t.Error("a late step ran") })
	})
	if err != nil || got.String() != "go" || eval(t, r, "s.reason").String() != "go" {
		t.Error(err, got)
	}
}

// A signal that AbortSignal.any made is collected while its source lives on,
// unless something waits for it.
func TestDependentSignalsAreCollected(t *testing.T) {
	r := newTestRealm(t)
	eval(t, r, `globalThis.c = new AbortController; globalThis.hit = 0;
		for (let i = 0; i < 1000; i++) AbortSignal.any([c.signal]);
		AbortSignal.any([c.signal]).onabort = () => hit++; 0`)
	runtime.GC()
	runtime.GC()
	s, _ := signalOf(eval(t, r, "c.signal"))
	live := 0
	for _, p := range s.dependents {
		if p.Value() != nil {
			live++
		}
	}
	if live > 10 {
		t.Errorf("%d of 1001 dependents live", live)
	}
	if got := eval(t, r, "c.abort(); hit").ToInteger(); got != 1 {
		t.Errorf("%d listeners ran, want 1", got)
	}
}
