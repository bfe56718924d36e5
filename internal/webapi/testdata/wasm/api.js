out(String(WebAssembly), typeof WebAssembly, Object.getOwnPropertyNames(WebAssembly).filter((n) => !/Streaming|Tag|Exception|JSTag/.test(n)).sort());
for (const n of ["CompileError", "LinkError", "RuntimeError"]) {
  const E = WebAssembly[n], x = new E("m", { cause: 1 });
  out(x instanceof E, x instanceof Error, x.name, x.message, String(x), Object.prototype.toString.call(x), E.name, E.length, Object.getPrototypeOf(E) === Error, typeof x.stack, x.cause, E("y") instanceof E, Object.keys(x));
  class Sub extends E {} out(new Sub("z") instanceof E, new Sub("z").message);
}
fails(() => new WebAssembly.Module()); fails(() => new WebAssembly.Module(new Uint8Array())); fails(() => new WebAssembly.Module("text"));
out(WebAssembly.validate(load("basics")), WebAssembly.validate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])), WebAssembly.validate(new Uint8Array([1, 2, 3])), WebAssembly.validate(load("basics").slice(0, 300)));
fails(() => WebAssembly.validate(5)); out(WebAssembly.validate(load("basics").slice().buffer));
for (const d of [undefined, {}, { initial: -1 }, { initial: 70000 }, { initial: 2, maximum: 1 }, { initial: "1" }, { initial: 1.9, maximum: 3 }]) { try { out(new WebAssembly.Memory(d).buffer.byteLength); } catch (x) { out(x.name); } }
for (const d of [undefined, {}, { element: "anyfunc" }, { element: "i32", initial: 1 }, { element: "anyfunc", initial: 10000001 }, { element: "anyfunc", initial: 2, maximum: 1 }, { element: "anyfunc", initial: 3 }]) { try { out(new WebAssembly.Table(d).length); } catch (x) { out(x.name); } }
for (const [d, v] of [[undefined], [{}], [{ value: "i32" }], [{ value: "i64" }], [{ value: "i64" }, 5n], [{ value: "i64" }, 5], [{ value: "f32" }, 0.1], [{ value: "f64" }, "7"], [{ value: "i32" }, 2 ** 33 + 1], [{ value: "wat" }]]) { try { out(String(new WebAssembly.Global(d, v).value)); } catch (x) { out(x.name); } }
const names = (k) => Object.getOwnPropertyNames(k.prototype).filter((n) => n !== "type").sort();
out(names(WebAssembly.Module), names(WebAssembly.Instance), names(WebAssembly.Memory), names(WebAssembly.Table), names(WebAssembly.Global));
fails(() => WebAssembly.Memory.prototype.grow.call({}, 1)); fails(() => WebAssembly.Memory.prototype.buffer); fails(() => WebAssembly.Table.prototype.get.call({}, 1));
const empty = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
later(async () => {
  const m = await WebAssembly.compile(load("linked")); out(m instanceof WebAssembly.Module, WebAssembly.Module.imports(m).length);
  const both = await WebAssembly.instantiate(empty); out(Object.keys(both), both.instance instanceof WebAssembly.Instance, Object.keys(both.instance.exports));
  out(await WebAssembly.instantiate(both.module) instanceof WebAssembly.Instance, await WebAssembly.instantiate(both.module, {}) instanceof WebAssembly.Instance);
  for (const f of [() => WebAssembly.compile(), () => WebAssembly.compile(new Uint8Array([0])), () => WebAssembly.instantiate(m), () => WebAssembly.instantiate(m, { a: {} }), () => WebAssembly.instantiate(5)]) { let p; try { p = f(); } catch (x) { out("thrown at once"); continue; } try { await p; } catch (x) { out("rejected", x.name); } }
});
