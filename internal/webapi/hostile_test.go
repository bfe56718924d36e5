package webapi

import (
	"errors"
	"slices"
	"testing"
	"time"

	"samkit.dev/internal/jsrt"
)

// poke calls everything that a global has with arguments that nobody expects.
// Exceptions are fine; a Go panic ends the turn as a fault.
const poke = `(name) => {
	let thrower = new Proxy({}, Object.fromEntries(["get", "has", "ownKeys", "getPrototypeOf", "getOwnPropertyDescriptor", "set", "defineProperty"].map(t => [t, () => { throw new Error("trap") }])));
	let {proxy, revoke} = Proxy.revocable({}, {}); revoke();
	let detached = new ArrayBuffer(4), view = new Uint8Array(detached), typed = new BigInt64Array(1); structuredClone(0, {transfer: [typed.buffer]}); structuredClone(0, {transfer: [detached]});
	let cyclic = {}; cyclic.self = cyclic;
	let sets = [
		[], [undefined, undefined, undefined], [null, null, null], [Symbol(), Symbol(), Symbol()], [10n, 10n], [NaN, NaN], [Infinity, -Infinity], [-1, -1], [1e308, 1e308], ["", ""], ["\ud800", "\udfff"],
		[thrower, thrower], [proxy, proxy], [{length: 1e12}, {length: 1e12}], [[], []], [[[1]], {}], [cyclic, cyclic], [detached, detached], [view, new DataView(new ArrayBuffer(2))],
		[new Uint8Array(3), new Uint8Array(3)], [typed, typed], [() => { throw new Error("callback") }, 5], ["a", () => { throw new Error("callback") }], [{get name() { throw new Error("getter") }, toString() { throw new Error("toString") }}, {}],
		[{valueOf() { return {} }, toString() { return {} }}, 1], [{[Symbol.iterator]: () => ({next: () => 5})}, 1], [{[Symbol.iterator]: 5}, 1], [Object.create(null), Object.create(null)], [function f() {}, class {}], ["raw", new Uint8Array(1), "HMAC", true, ["sign"]],
		["jwk", {kty: "oct", k: "AA"}, {name: "AES-GCM", length: thrower}, {}, [thrower]], [{name: "HMAC", hash: cyclic}, cyclic, cyclic, cyclic], [new Date(NaN), /x/y], [Promise.reject(1), new Map([[1, 2]])], [1.5, {signal: {}}],
	];
	for (let s of sets) for (let v of s) try { if (v instanceof Promise) v.catch(() => 0) } catch {}
	let quiet = v => { if (v instanceof Promise) v.catch(() => 0); return v };
	let attempts = 0, attempt = fn => { attempts++; try { return quiet(fn()) } catch (e) { return undefined } };
	let target = globalThis[name], seen = new Set, things = [target];
	for (let args of sets) {
		if (typeof target === "function") { attempt(() => target(...args)); let o = attempt(() => new target(...args)); if (o && things.length < 12) things.push(o) }
	}
	if (typeof target === "function") attempt(() => things.push(target.prototype));
	for (let thing of things) {
		let names = new Map;
		for (let o = thing; o && o !== Object.prototype && o !== Function.prototype; o = Object.getPrototypeOf(o)) for (let k of Reflect.ownKeys(o)) if (!names.has(k)) names.set(k, Object.getOwnPropertyDescriptor(o, k));
		for (let [k, d] of names) {
			if (!d || k === "constructor") continue;
			for (let recv of [thing, undefined, {}, thrower]) {
				if (d.get) attempt(() => d.get.call(recv));
				for (let args of sets) {
					if (d.set) attempt(() => d.set.call(recv, args[0]));
					if (typeof d.value === "function") attempt(() => d.value.apply(recv, args));
				}
			}
			attempt(() => { for (let x of thing) break });
		}
		attempt(() => console.log(thing, "%s", thing)); attempt(() => structuredClone(thing)); attempt(() => JSON.stringify(thing)); attempt(() => String(thing));
	}
	return attempts;
}`

func TestHostileArguments(t *testing.T) {
	families := slices.Concat(exceptionGlobals, eventGlobals, abortGlobals, timerGlobals, urlGlobals, performanceGlobals, cloneGlobals, consoleGlobals, encodingGlobals, base64Globals, navigatorGlobals, cryptoGlobals)
	calls := int64(0)
	for _, g := range families {
		r := Install(jsrt.New(), discard{newFakeHost()})
		start := time.Now()
		fn, _ := callable(eval(t, r, poke))
		n, err := r.Enter(fn, nil, r.VM.ToValue(g.name))
		var f *jsrt.Fault
		if errors.As(err, &f) || err != nil {
			t.Errorf("%s: %v", g.name, err)
			continue
		}
		if n.ToInteger() < 10 {
			t.Errorf("%s: only %v calls", g.name, n)
		}
		calls += n.ToInteger()
		h := r.Host.(discard).fakeHost
		for i := 0; i < 200; i++ {
			ran, err := h.step(r.Runtime)
			if errors.As(err, &f) {
				t.Errorf("%s: a timer: %v", g.name, err)
			}
			if !ran {
				break
			}
		}
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%s took %v", g.name, d)
		}
	}
	t.Logf("%d calls", calls)
}

// An interrupt and a stack overflow end the turn wherever native code called back.
func TestFaultsPass(t *testing.T) {
	for _, c := range []struct{ src, reason string }{
		{`let t = new EventTarget; t.addEventListener("a", () => { for (;;); }); t.dispatchEvent(new Event("a"))`, "interrupt"},
		{`let c = new AbortController; c.signal.onabort = () => { for (;;); }; c.abort()`, "interrupt"},
		{`new URLSearchParams("a=1").forEach(() => { for (;;); })`, "interrupt"},
		{`new URL({toString() { for (;;); }})`, "interrupt"},
		{`structuredClone({get a() { for (;;); }})`, "interrupt"},
		{`AbortSignal.any({ *[Symbol.iterator]() { for (;;); } })`, "interrupt"},
		{`new URLSearchParams({ *[Symbol.iterator]() { for (;;) yield ["a", "b"]; } })`, "interrupt"},
		{`queueMicrotask(() => { for (;;); })`, "interrupt"},
		{`crypto.subtle.digest({get name() { for (;;); }}, new Uint8Array)`, "interrupt"},
		{`console.count({toString() { for (;;); }})`, "interrupt"},
		{`let t = new EventTarget, f = () => f(); t.addEventListener("a", f); t.dispatchEvent(new Event("a"))`, "stack"},
		{`let t = new EventTarget; t.addEventListener("a", () => t.dispatchEvent(new Event("a"))); t.dispatchEvent(new Event("a"))`, "stack"},
	} {
		r := newTestRealm(t)
		patience := 50 * time.Millisecond
		if c.reason == "stack" {
			patience = 10 * time.Second // to get there may take a busy machine long
		}
		timer := time.AfterFunc(patience, func() { r.VM.Interrupt("stop") })
		_, err := run(r, c.src)
		timer.Stop()
		var f *jsrt.Fault
		if !errors.As(err, &f) || f.Reason != c.reason {
			t.Errorf("%s: %v, want a fault by %s", c.src, err, c.reason)
		}
		if n := len(host(r).uncaught); n > 0 {
			t.Errorf("%s: %d uncaught exceptions", c.src, n)
		}
	}
}
