import { cases, outcome } from "../see.js";

const of = (body, type) => new Response(body, type === undefined ? {} : { headers: { "content-type": type } });

export default () => ({
  ...cases("text of", { ascii: "abc", utf8: "é日😀", bom: "\uFEFFa", "bad bytes": new Uint8Array([65, 0xff, 0xc3, 66]), empty: "", null: null }, async (_, body) => new Response(body).text()),
  ...cases("json of", { object: '{"a":[1]}', bom: '\uFEFF{"a":1}', number: " 5 ", empty: "", bad: "{a:1}", null: null, "a trailing comma": "[1,]", "a long one": '{"a":' }, async (_, body) => {
    const r = await outcome(() => new Response(body).json());
    return r?.thrown ? r.thrown.$error : r;
  }),
  ...cases("json's words of", { empty: "", bad: "{a:1}", text: "<html>", "cut off": '{"a":', "cut in a string": '"abc', "a trailing comma": "[1,]", "two values": "1 2", "a bad escape": '"\\x"', "undefined": "undefined", "a newline in a string": '"a\nb"' }, (_, body) => new Response(body).json()),
  ...cases("bytes by", { arrayBuffer: "arrayBuffer", bytes: "bytes" }, (_, m) => new Response("aé")[m]()),
  "blob": async () => {
    const b = await of("abc", "Text/Plain; Charset=X").blob();
    return [b.type, b.size, await b.text(), b.constructor.name];
  },
  "blob without type": async () => (await new Response(new Uint8Array([1])).blob()).type,
  ...cases("form data of", {
    "url-encoded": ["a=1&b=x+y&a=%C3%A9", "application/x-www-form-urlencoded"], "with charset": ["a=1", "application/x-www-form-urlencoded;charset=UTF-8"],
    multipart: ['--B\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--B--\r\n', "multipart/form-data; boundary=B"], "quoted boundary": ['--B B\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--B B--', 'multipart/form-data; boundary="B B"'],
    "without boundary": ["x", "multipart/form-data"], "of another type": ["x", "text/plain"], "without type": ["x", undefined], "bad multipart": ["nonsense", "multipart/form-data; boundary=B"], "no name": ["--B\r\nContent-Disposition: form-data\r\n\r\n1\r\n--B--\r\n", "multipart/form-data; boundary=B"], "not closed": ['--B\r\nContent-Disposition: form-data; name="a"\r\n\r\n1', "multipart/form-data; boundary=B"], empty: ["", "application/x-www-form-urlencoded"], "LF only": ['--B\nContent-Disposition: form-data; name="a"\n\n1\n--B--\n', "multipart/form-data; boundary=B"],
  }, async (_, [body, type]) => {
    const r = await outcome(() => of(new TextEncoder().encode(body), type).formData());
    return r.thrown ? r.thrown.$error : r;
  }),
  ...cases("form data's words of", { "another type": ["x", "text/plain"], "no type": ["x", undefined], "no boundary": ["x", "multipart/form-data"], "bad multipart": ["nonsense", "multipart/form-data; boundary=B"] }, (_, [body, type]) => of(new TextEncoder().encode(body), type).formData()),
  "form data with a file": async () => {
    const body = '--B\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\nContent-Type: text/x\r\n\r\nabc\r\n--B\r\nContent-Disposition: form-data; name="g"; filename="é.bin"\r\nContent-Type: a/b\r\n\r\n\r\n--B--\r\n';
    const form = await of(body, "multipart/form-data; boundary=B").formData();
    const f = form.get("f");
    const g = form.get("g");
    return [f.constructor.name, f.name, f.type, f.size, await f.text(), g.name, g.type, g.size];
  },
  ...cases("twice by", { text: "text", json: "json", arrayBuffer: "arrayBuffer", blob: "blob", formData: "formData", bytes: "bytes" }, async (_, m) => {
    const r = new Response("1", { headers: { "content-type": "application/x-www-form-urlencoded" } });
    await r[m]();
    return [r.bodyUsed, await outcome(() => r[m]())];
  }),
  "text of a null body twice": async () => {
    const r = new Response(null);
    return [await r.text(), await r.text(), r.bodyUsed];
  },
  "text while locked": async () => {
    const r = new Response("x");
    r.body.getReader();
    return outcome(() => r.text());
  },
  "text after a partial read": async () => {
    const r = new Response(new ReadableStream({ start(c) { c.enqueue(new Uint8Array([65])); c.enqueue(new Uint8Array([66])); c.close(); } }));
    const reader = r.body.getReader();
    const first = await reader.read();
    reader.releaseLock();
    return [first, r.bodyUsed, await outcome(() => r.text())];
  },
  "a body is cancelled": async () => {
    const r = new Response("abc");
    await r.body.cancel();
    return [r.bodyUsed, await outcome(() => r.text())];
  },
  "a body is a byte stream": async () => {
    const reader = new Response("abcdef").body.getReader({ mode: "byob" });
    const { value, done } = await reader.read(new Uint8Array(4));
    return [value, done];
  },
  "a form is sent and read": async () => {
    const form = new FormData();
    form.append("a", "1");
    form.append("q", "é\r\nx");
    form.append("f", new Blob(["abc"], { type: "t/x" }), "n.txt");
    const back = await new Response(form).formData();
    return [...back].map(([k, v]) => [k, typeof v === "string" ? v : [v.name, v.type, v.size]]);
  },
  // The line after the last boundary is optional.
  "the bytes of a form": async () => {
    const form = new FormData();
    form.append("a b", "1");
    form.append('q"', "x");
    form.append("f", new File(["abc"], 'n"1.txt', { type: "t/x" }));
    const r = new Response(form);
    const boundary = r.headers.get("content-type").split("boundary=")[1].replace(/"/g, "");
    return (await r.text()).replaceAll(boundary, "BOUNDARY").trimEnd();
  },
});
