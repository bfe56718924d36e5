const shown = [];
const { exports: e } = new WebAssembly.Instance(new WebAssembly.Module(load("refs")), { env: { see: (v) => shown.push(v) } });
const o = { a: 1 }, s = Symbol("x"), f = () => 5;
for (const v of [o, s, f, undefined, null, 0, NaN, "text", 5n, true, e.same]) out(Object.is(e.same(v), v), e.isNull(v));
e.show(o); e.show(undefined); e.show(null); out(shown[0] === o, shown[1], shown[2]);
out(e.values.get(0), e.values.get(1)); e.values.set(0, o); out(e.get(0) === o); e.put(1, s); out(e.values.get(1) === s);
out(e.values.grow(2, "filler"), e.values.get(3), e.values.grow(1), e.values.get(4), e.values.length); e.values.set(0); out(e.values.get(0));
e.hide(o); e.keep(f); out(e.kept.value === f); e.kept.value = 12; out(e.kept.value);
for (let i = 0; i < 20000; i++) { e.same({ i }); e.same("s" + i); }
out(e.found() === o, e.values.get(1) === s, e.get(3), e.kept.value);
out(e.one() === e.one(), e.one()(), typeof e.one()); e.setFn(0, e.one()); out(e.callFn(0), e.fns.get(0) === e.one()); e.setFn(0, null); fails(() => e.callFn(0)); fails(() => e.setFn(0, f));
const g = new WebAssembly.Global({ value: "externref", mutable: true }, o); out(g.value === o); g.value = undefined; out(g.value);
const c = new WebAssembly.Global({ value: "externref" }, "fixed"); out(c.value); fails(() => { c.value = 1; });
out(new WebAssembly.Global({ value: "anyfunc" }).value, new WebAssembly.Global({ value: "anyfunc" }, e.same).value === e.same);
const t = new WebAssembly.Table({ element: "externref", initial: 2 }, "init"); out(t.get(1), t.length); out(new WebAssembly.Table({ element: "externref", initial: 1 }).get(0));
