import { cases, now, outcome, see } from "../see.js";

const of = (...chunks) => new ReadableStream({ start(c) { for (const x of chunks) c.enqueue(x); c.close(); } });
async function drain(stream) {
  const all = [];
  for await (const x of stream) all.push(x);
  return all;
}
const bytes = (text) => new TextEncoder().encode(text);

export default () => ({
  "read to the end": () => drain(of(1, "a", null)),
  "a reader": async () => {
    const r = of("a").getReader();
    return [await r.read(), await r.read(), await r.closed, r.constructor.name];
  },
  "start, then pull for each chunk": async () => {
    const log = [];
    let n = 0;
    const s = new ReadableStream({ start() { log.push("start"); }, pull(c) { c.enqueue(++n); if (n === 3) c.close(); } });
    return [log, await drain(s), n];
  },
  "highWaterMark": async () => {
    let pulls = 0;
    const s = new ReadableStream({ pull(c) { pulls++; c.enqueue(1); } }, { highWaterMark: 3 });
    await new Promise((r) => setTimeout(r, 5));
    return [pulls, s.locked];
  },
  "desiredSize": () => {
    let c;
    new ReadableStream({ start(x) { c = x; } }, { highWaterMark: 2 });
    const sizes = [c.desiredSize];
    c.enqueue(1);
    sizes.push(c.desiredSize);
    c.close();
    sizes.push(now(() => c.enqueue(2)).thrown?.$error, now(() => c.close()).thrown?.$error);
    return sizes;
  },
  "locked": () => {
    const s = of();
    s.getReader();
    return [s.locked, now(() => s.getReader())];
  },
  "cancel": async () => {
    const log = [];
    const s = new ReadableStream({ cancel(why) { log.push(why); } });
    return [await s.cancel("why"), log, await drain(s)];
  },
  "cancel while locked": async () => {
    const s = of();
    s.getReader();
    return outcome(() => s.cancel());
  },
  "an error reaches the reader": async () => {
    const r = new ReadableStream({ start(c) { c.error(new RangeError("bad")); } }).getReader();
    return [await outcome(() => r.read()), await outcome(() => r.closed)];
  },
  "an error thrown in pull": () => drain(new ReadableStream({ pull() { throw new RangeError("no"); } })),
  "releaseLock with a read pending": async () => {
    const s = new ReadableStream();
    const r = s.getReader();
    const p = r.read();
    r.releaseLock();
    return [s.locked, (await outcome(() => p)).thrown?.$error, (await outcome(() => r.closed)).thrown?.$error];
  },
  "read after release": async () => {
    const r = of(1).getReader();
    r.releaseLock();
    return (await outcome(() => r.read())).thrown?.$error;
  },
  "tee": async () => {
    const [a, b] = of(1, 2).tee();
    return [await drain(a), await drain(b)];
  },
  "tee shares chunks": async () => {
    const chunk = { x: 1 };
    const [a, b] = of(chunk).tee();
    const [x] = await drain(a);
    const [y] = await drain(b);
    return [x === chunk, x === y];
  },
  "from": async () => [await drain(ReadableStream.from([1, 2])), await drain(ReadableStream.from((async function* () { yield "a"; })())), now(() => ReadableStream.from(5)).thrown?.$error],
  "break out of a loop": async () => {
    const log = [];
    const s = new ReadableStream({ pull(c) { c.enqueue(1); }, cancel() { log.push("cancelled"); } });
    for await (const x of s) {
      log.push(x);
      break;
    }
    return [log, s.locked];
  },
  "values with preventCancel": async () => {
    const s = of(1, 2);
    for await (const x of s.values({ preventCancel: true })) break;
    return [s.locked, await drain(s)];
  },
  "a byte stream": async () => {
    const s = new ReadableStream({ type: "bytes", start(c) { c.enqueue(bytes("abcdef")); c.close(); } });
    const r = s.getReader({ mode: "byob" });
    return [r.constructor.name, await r.read(new Uint8Array(4)), await r.read(new Uint8Array(4)), await r.read(new Uint8Array(4))];
  },
  "a byob request": async () => {
    const s = new ReadableStream({ type: "bytes", autoAllocateChunkSize: 8, pull(c) { const v = c.byobRequest.view; v[0] = 65; c.byobRequest.respond(1); c.close(); } });
    return drain(s);
  },
  "an unknown mode": () => now(() => of().getReader({ mode: "x" })).thrown?.$error,
  "byob detaches": async () => {
    const s = new ReadableStream({ type: "bytes", start(c) { c.enqueue(bytes("abc")); c.close(); } });
    const buffer = new Uint8Array(3);
    await s.getReader({ mode: "byob" }).read(buffer);
    return buffer.byteLength;
  },
  "readAtLeast or min": async () => {
    const s = new ReadableStream({ type: "bytes", start(c) { c.enqueue(bytes("ab")); c.enqueue(bytes("cd")); c.close(); } });
    const r = s.getReader({ mode: "byob" });
    return [typeof r.readAtLeast, await outcome(() => r.read(new Uint8Array(8), { min: 3 }))];
  },
  "pipeTo": async () => {
    const log = [];
    await of(1, 2).pipeTo(new WritableStream({ start() { log.push("start"); }, write(x) { log.push(x); }, close() { log.push("close"); } }));
    return log;
  },
  "pipeTo with a failing sink": async () => {
    const log = [];
    const s = new ReadableStream({ pull(c) { c.enqueue(1); }, cancel(e) { log.push(see(e)); } });
    return [await outcome(() => s.pipeTo(new WritableStream({ write() { throw new RangeError("full"); } }))), log];
  },
  "pipeTo with a failing source": async () => {
    const log = [];
    return [await outcome(() => new ReadableStream({ start(c) { c.error(new RangeError("bad")); } }).pipeTo(new WritableStream({ abort(e) { log.push(see(e)); } }))), log];
  },
  "pipeTo preventClose": async () => {
    const log = [];
    const w = new WritableStream({ write(x) { log.push(x); }, close() { log.push("close"); } });
    await of(1).pipeTo(w, { preventClose: true });
    const writer = w.getWriter();
    await writer.write(2);
    await writer.close();
    return log;
  },
  "pipeThrough": async () => drain(of("a", "b").pipeThrough(new TransformStream({ transform(x, c) { c.enqueue(x + x); }, flush(c) { c.enqueue("end"); } }))),
  "an identity transform": async () => drain(of(1, { a: 2 }).pipeThrough(new TransformStream())),
  "a transform that terminates": async () => drain(of(1, 2).pipeThrough(new TransformStream({ transform(x, c) { c.enqueue(x); c.terminate(); } }))),
  "a transform that fails": async () => outcome(() => drain(of(1).pipeThrough(new TransformStream({ transform() { throw new RangeError("bad"); } })))),
  "a writer": async () => {
    const log = [];
    const w = new WritableStream({ write(x) { log.push(x); } }, { highWaterMark: 2 }).getWriter();
    const sizes = [w.desiredSize];
    w.write(1);
    sizes.push(w.desiredSize);
    await w.ready;
    await w.close();
    return [sizes, log, await w.closed];
  },
  "a writer after close": async () => {
    const w = new WritableStream().getWriter();
    await w.close();
    return [(await outcome(() => w.write(1))).thrown?.$error, (await outcome(() => w.close())).thrown?.$error];
  },
  "abort of a writer": async () => {
    const log = [];
    const w = new WritableStream({ abort(e) { log.push(see(e)); } }).getWriter();
    await w.abort("why");
    return [log, await outcome(() => w.closed), await outcome(() => w.write(1))];
  },
  "writes are in order": async () => {
    const log = [];
    const w = new WritableStream({ async write(x) { await new Promise((r) => setTimeout(r, 3 - x)); log.push(x); } }).getWriter();
    w.write(1);
    w.write(2);
    await w.close();
    return log;
  },
  "controller.signal": async () => {
    let c;
    const w = new WritableStream({ start(x) { c = x; } });
    await w.abort("why");
    return [c.signal.aborted, c.signal.reason];
  },
  "encoder and decoder streams": async () => [await drain(of("é", "😀").pipeThrough(new TextEncoderStream())), await drain(of(new Uint8Array([0xc3]), new Uint8Array([0xa9])).pipeThrough(new TextDecoderStream()))],
  "an encoder stream and halves of a pair": async () => drain(of("\ud83d", "\ude00").pipeThrough(new TextEncoderStream())),
  ...cases("compression", { gzip: "gzip", deflate: "deflate", "deflate-raw": "deflate-raw" }, async (_, format) => {
    const packed = new Response(new Response("x".repeat(1000)).body.pipeThrough(new CompressionStream(format)));
    const data = await packed.arrayBuffer();
    return [data.byteLength < 100, (await new Response(new Response(data).body.pipeThrough(new DecompressionStream(format))).text()).length];
  }),
  "compression of unknown format": () => now(() => new CompressionStream("zip")).thrown?.$error,
  "decompression of nonsense": async () => (await outcome(() => new Response(new Response("nonsense").body.pipeThrough(new DecompressionStream("gzip"))).text())).thrown?.$error,
  "decompression of a part": async () => {
    const data = await new Response(new Response("x".repeat(1000)).body.pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
    return (await outcome(() => new Response(new Response(data.slice(0, 15)).body.pipeThrough(new DecompressionStream("gzip"))).text())).thrown?.$error;
  },
  "FixedLengthStream": async () => {
    const { readable, writable } = new FixedLengthStream(3);
    const w = writable.getWriter();
    const wrote = Promise.all([w.write(bytes("abc")), w.close()]);
    const text = await new Response(readable).text();
    await wrote;
    return text;
  },
  "FixedLengthStream, too much": async () => {
    const { readable, writable } = new FixedLengthStream(2);
    const w = writable.getWriter();
    const text = new Response(readable).text().catch((e) => e.name);
    w.write(bytes("abc")).catch(() => {});
    return text;
  },
  "IdentityTransformStream": async () => {
    const { readable, writable } = new IdentityTransformStream();
    const w = writable.getWriter();
    const wrote = w.write(bytes("abc")).then(() => w.close());
    const text = await new Response(readable).text();
    await wrote;
    return text;
  },
  "strategies": () => {
    const a = new CountQueuingStrategy({ highWaterMark: 5 });
    const b = new ByteLengthQueuingStrategy({ highWaterMark: 7 });
    return [a.highWaterMark, a.size("x"), b.highWaterMark, b.size(new Uint8Array(3))];
  },
  "names": () => ["ReadableStream", "ReadableStreamDefaultReader", "ReadableStreamBYOBReader", "ReadableStreamDefaultController", "ReadableByteStreamController", "ReadableStreamBYOBRequest", "WritableStream", "WritableStreamDefaultWriter", "WritableStreamDefaultController", "TransformStream", "TransformStreamDefaultController", "CountQueuingStrategy", "ByteLengthQueuingStrategy", "TextEncoderStream", "TextDecoderStream", "CompressionStream", "DecompressionStream", "FixedLengthStream", "IdentityTransformStream"].filter((n) => typeof globalThis[n] !== "function"),
});
