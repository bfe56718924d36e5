// fflate
// Zip made and opened, gzip, zlib and deflate both ways, streamed; and read back by DecompressionStream.
// GET /
// GET /download.zip
import { AsyncGzip, Gunzip, gunzipSync, gzipSync, deflateSync, inflateSync, strFromU8, strToU8, unzipSync, unzlibSync, zipSync, Zip, ZipDeflate, zlibSync } from "fflate";

const text = "Zürich 🚲 ".repeat(400);
const files = { "a.txt": strToU8(text), dir: { "b.bin": new Uint8Array(1000).map((_, i) => i * 7), "ü.json": [strToU8('{"x":1}'), { level: 0 }] } } as const;
const options = { level: 6, mtime: "2024-01-02T03:04:06" } as const;
const digest = async (b: Uint8Array) => [...new Uint8Array(await crypto.subtle.digest("SHA-256", b))].slice(0, 8);

export default {
  async fetch(request: Request) {
    if (new URL(request.url).pathname === "/download.zip") {
      const { readable, writable } = new TransformStream();
      const writer = writable.getWriter();
      const zip = new Zip((err, data, final) => { writer.write(data); if (final) writer.close(); });
      for (const name of ["one.txt", "two.txt"]) { const f = new ZipDeflate(name, options as any); f.mtime = options.mtime; zip.add(f); f.push(strToU8(name + text)); f.push(new Uint8Array(0), true); }
      zip.end();
      return new Response(readable, { headers: { "content-type": "application/zip" } });
    }
    const zipped = zipSync(files as any, { ...options, comment: "made here" } as any);
    const opened = unzipSync(zipped, { filter: (f) => !f.name.endsWith("/") });
    const gz = gzipSync(strToU8(text), { level: 9, mtime: 0 });
    const native = await new Response(new Response(gz).body!.pipeThrough(new DecompressionStream("gzip"))).text();
    const squeezed = new Uint8Array(await new Response(new Response(text).body!.pipeThrough(new CompressionStream("deflate"))).arrayBuffer());
    let streamed = 0;
    const g = new Gunzip((chunk) => { streamed += chunk.length; });
    for (let i = 0; i < gz.length; i += 13) g.push(gz.subarray(i, i + 13), i + 13 >= gz.length);
    return Response.json({
      zip: [zipped.length, await digest(zipped)], names: Object.entries(opened).map(([n, d]) => [n, d.length]), json: strFromU8(opened["dir/ü.json"]), same: strFromU8(opened["a.txt"]) === text,
      gz: [gz.length, await digest(gz), strFromU8(gunzipSync(gz)) === text, native === text, streamed], zlib: strFromU8(unzlibSync(squeezed)) === text,
      raw: inflateSync(deflateSync(strToU8("short"))).length, level: [1, 3, 6, 9].map((level) => zlibSync(strToU8(text), { level: level as 1 }).length),
      broken: (() => { try { gunzipSync(strToU8("not gzip at all, is it")); } catch (e) { return (e as Error).message; } })(), asynchronous: typeof AsyncGzip,
    });
  },
};
