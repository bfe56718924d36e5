const seen = [];
const boxed = new WebAssembly.Global({ value: "i32", mutable: true }, 3);
const imports = { env: {
  log: (v) => { seen.push(v); if (v === 13) throw marker; if (memory && v === 99) seen.push("in", view.byteLength, memory.buffer.byteLength); },
  big: (v) => v * 2n,
  pair: function (v) { "use strict"; return [this === undefined ? 1 : 0, v + 0.25]; },
  base: 1000, count: boxed,
} };
const marker = { mine: true };
let memory, view;
const mod = new WebAssembly.Module(load("basics"));
out("module", String(mod), mod instanceof WebAssembly.Module);
out(WebAssembly.Module.imports(mod));
out(WebAssembly.Module.exports(mod));
out(WebAssembly.Module.customSections(mod, "name").length);
const inst = new WebAssembly.Instance(mod, imports);
out("start", seen);
const e = inst.exports;
memory = e.memory;
out(Object.getPrototypeOf(e), Object.isFrozen(e), Object.isExtensible(e), Object.keys(e).length, String(inst), e.add === inst.exports.add);
out(e.add.name, e.add.length, typeof e.add, e.sum === e.add, e.log === e.log2, e.log === imports.env.log, e.log.name);
out(Object.getOwnPropertyNames(e.add).filter((n) => n !== "arguments" && n !== "caller"), "prototype" in e.add);
try { new e.add(1, 2); out("constructs"); } catch (x) { out(x instanceof TypeError); }
out(e.add(1, 2), e.add("3", 4.9), e.add(2 ** 31, 0), e.add(2 ** 40 + 5, 0), e.add(), e.add(NaN, Infinity), e.add({ valueOf: () => 8 }, true));
out(e.fib(10), e.half(3), e.half(0.1), e.pair(1.5), String(e.big(5n)), String(e.big(2n ** 64n + 1n)), String(e.big(-7n)));
fails(() => e.big(5)); fails(() => e.big("x")); out(String(e.big("6")), String(e.big(true)));
fails(() => e.add(1n, 2)); fails(() => e.add(Symbol(), 2));
fails(() => e.boom()); fails(() => e.div(1, 0)); fails(() => e.load(70000)); fails(() => e.trunc(NaN));
fails(() => e.deep(1)); out(e.div(7, 2));
try { e.callLog(13); } catch (x) { out("same", x === marker); }
out(e.indirect(0, 5, 3), e.indirect(1, 5, 3)); fails(() => e.indirect(2, 1, 1)); fails(() => e.indirect(50, 1, 1));
out(e.base()); e.bump(); e.bump(); out(boxed.value, e.answer.value, String(e.wide.value), e.real.value, e.answer.valueOf());
e.wide.value = 9n; e.real.value = "2.5"; out(String(e.wide.value), e.real.value);
fails(() => { e.answer.value = 1; }); fails(() => { e.wide.value = 1; });
fails(() => { "use strict"; e.memory = 1; });
// memory
out(String(memory), memory.buffer === memory.buffer, memory.buffer.byteLength, memory === inst.exports.memory);
view = new Uint8Array(memory.buffer);
out(String.fromCharCode(...view.subarray(8, 13))); view[20] = 200; out(e.load(20)); e.store(21, 7); out(view[21]);
const old = memory.buffer;
out(e.growBy(1), old.byteLength, view.byteLength, view[20], memory.buffer.byteLength, old === memory.buffer, e.load(20));
view = new Uint8Array(memory.buffer); out(view[21]);
seen.length = 0; e.growThenLog(); out(seen, memory.buffer.byteLength);
out(memory.grow(1), memory.buffer.byteLength); fails(() => memory.grow(1)); fails(() => memory.grow(-1)); fails(() => memory.grow());
out(e.growBy(1), e.growBy(0));
const at = memory.buffer; out(memory.grow(0), at.byteLength, memory.buffer.byteLength);
// table
const t = e.table;
out(String(t), t.length, t.get(0) === e.add, t.get(1) === e.add, t.get(1)(9, 4), t.get(3), t.get(1) === t.get(1), t.get(2) === e.log);
fails(() => t.get(4)); fails(() => t.set(4, null)); fails(() => t.set(0, () => 1)); fails(() => t.get(-1)); fails(() => t.set(0, 5));
t.set(0, t.get(1)); out(e.indirect(0, 5, 3)); t.set(3, e.add); out(e.indirect(3, 5, 3), t.get(3) === e.add);
out(t.grow(2), t.length, t.get(5), t.grow(1, e.add), t.get(6) === e.add); fails(() => t.grow(5));
t.set(3); out(t.get(3));
