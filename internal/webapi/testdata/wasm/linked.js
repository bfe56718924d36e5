const A = new WebAssembly.Instance(new WebAssembly.Module(load("basics")), { env: { log() {}, big: (v) => v, pair: () => [1, 2], base: 1, count: new WebAssembly.Global({ value: "i32", mutable: true }, 0) } });
const mod = new WebAssembly.Module(load("linked"));
const memory = new WebAssembly.Memory({ initial: 1, maximum: 5 });
const table = new WebAssembly.Table({ element: "anyfunc", initial: 3 });
const count = new WebAssembly.Global({ value: "i32", mutable: true }, 5);
const a = { memory, table, fn: A.exports.add, count, big: 2n ** 62n, real: 0.1, js: () => 100 };
const { exports: e } = new WebAssembly.Instance(mod, { a });
out(e.memory === memory, e.table === table, e.fn === A.exports.add, e.count === count, e.js === a.js, typeof e.js, e.js());
new Uint8Array(memory.buffer)[3] = 9; out(e.peek(3)); e.poke(4, 11); out(new Uint8Array(memory.buffer)[4]);
out(e.call(1, 2), String(e.big()), e.real()); e.inc(); out(count.value); count.value = 1; e.inc(); out(count.value);
out(table.get(0), table.get(1)(), e.at(1)); fails(() => e.at(0)); fails(() => e.at(9));
const b = memory.buffer; out(e.grow(), b.byteLength, memory.buffer.byteLength); out(memory.grow(1), memory.buffer.byteLength); new Uint8Array(memory.buffer)[150000] = 4; out(e.peek(150000));
// a second instance over the same things
const { exports: e2 } = new WebAssembly.Instance(mod, { a: { ...a, fn: e.fn, js: e.js, big: 1n, real: new WebAssembly.Global({ value: "f32" }, 2) } });
e2.poke(0, 42); out(e.peek(0), e2.call(3, 4), e2.js === e.js, e2.real(), e2.at(1), e.memory === e2.memory); e2.grow(); out(memory.buffer.byteLength, e.peek(0));
out(table.get(1) === table.get(1));
// from an instance's memory and table
const { exports: e3 } = new WebAssembly.Instance(mod, { a: { ...a, memory: A.exports.memory, table: A.exports.table } });
out(e3.peek(8), e3.memory === A.exports.memory, A.exports.table.get(1)());
// what does not fit
for (const [k, v] of Object.entries({ memory: {}, table: memory, fn: 5, count: 1, big: 5, real: "x", js: undefined })) fails(() => new WebAssembly.Instance(mod, { a: { ...a, [k]: v } }));
fails(() => new WebAssembly.Instance(mod, { a: { ...a, fn: e.peek } }));
fails(() => new WebAssembly.Instance(mod, { a: { ...a, memory: new WebAssembly.Memory({ initial: 0 }) } }));
fails(() => new WebAssembly.Instance(mod, { a: { ...a, table: new WebAssembly.Table({ element: "externref", initial: 3 }) } }));
fails(() => new WebAssembly.Instance(mod, { a: { ...a, count: new WebAssembly.Global({ value: "i32" }, 5) } }));
fails(() => new WebAssembly.Instance(mod, { a: { ...a, count: new WebAssembly.Global({ value: "i64", mutable: true }, 5n) } }));
fails(() => new WebAssembly.Instance(mod)); fails(() => new WebAssembly.Instance(mod, {})); fails(() => new WebAssembly.Instance({}, {})); fails(() => new WebAssembly.Instance(mod, 5));
