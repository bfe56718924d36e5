// The Body mixin: Fetch, 5.2 and 5.3.
import { is, ok, rejects, same, settle, test, throws } from "../harness.js"

const kinds = {
	Response: (body, headers) => new Response(body, { headers }),
	Request: (body, headers) => new Request("https://s.test", { method: "POST", body, headers }),
}
const utf8 = (s) => new TextEncoder().encode(s)
const streamOf = (...chunks) => new ReadableStream({ start(c) { for (const v of chunks) c.enqueue(v); c.close() } })

for (const [kind, make] of Object.entries(kinds)) {
	test(kind + ": text decodes UTF-8", async () => {
		is(await make(utf8("\u00e9\u{1f600}")).text(), "\u00e9\u{1f600}")
		is(await make(new Uint8Array([0xff, 0x41, 0xc3])).text(), "\ufffdA\ufffd")
	})
	test(kind + ": text drops a byte order mark", async () => {
		is(await make(new Uint8Array([0xef, 0xbb, 0xbf, 0x41])).text(), "A")
		is(await make("\ufeffA").text(), "A")
	})
	test(kind + ": text ignores the content type's charset", async () => { is(await make(new Uint8Array([0xe9]), { "content-type": "text/plain;charset=latin1" }).text(), "\ufffd") })
	test(kind + ": a lone surrogate becomes U+FFFD", async () => { is(await make("a\ud800").text(), "a\ufffd") })
	test(kind + ": json", async () => {
		same(await make('{"a":[1,null,"\u00e9"]}').json(), { a: [1, null, "\u00e9"] })
		same(await make("\ufeff[1]").json(), [1])
		is(await make(" 1 ").json(), 1)
	})
	for (const bad of ["", "{", "{a:1}", "undefined", "[1,]"]) test(kind + ": json of " + JSON.stringify(bad), async () => { await rejects(make(bad).json(), SyntaxError) })
	test(kind + ": arrayBuffer", async () => {
		const b = await make("hi").arrayBuffer()
		ok(b instanceof ArrayBuffer)
		same([...new Uint8Array(b)], [104, 105])
	})
	test(kind + ": bytes", async () => {
		const b = await make("hi").bytes()
		ok(b instanceof Uint8Array)
		same([...b], [104, 105])
		same([b.byteOffset, b.buffer.byteLength], [0, 2])
	})
	test(kind + ": blob", async () => {
		const b = await make("hi", { "content-type": "Image/PNG" }).blob()
		ok(b instanceof Blob && !(b instanceof File))
		same([b.size, b.type, await b.text()], [2, "image/png", "hi"])
	})
	test(kind + ": the type of a blob without a content type", async () => { is((await make(utf8("hi")).blob()).type, "") })
	test(kind + ": the type of a blob of a string", async () => { is((await make("hi").blob()).type, "text/plain;charset=UTF-8") })
	for (const method of ["text", "json", "arrayBuffer", "bytes", "blob", "formData"]) {
		test(kind + ": " + method + " reads once", async () => {
			const o = make("1", { "content-type": "application/x-www-form-urlencoded" })
			const p = o[method]()
			ok(p instanceof Promise)
			is(o.bodyUsed, true)
			await p
			is(o.bodyUsed, true)
			await rejects(o[method](), TypeError)
			await rejects(o.text(), TypeError)
		})
		test(kind + ": " + method + " of a locked stream", async () => {
			const o = make("1", { "content-type": "application/x-www-form-urlencoded" })
			const r = o.body.getReader()
			is(o.bodyUsed, false)
			await rejects(o[method](), TypeError)
			is(o.bodyUsed, false)
			r.releaseLock()
			await o[method]()
		})
		test(kind + ": " + method + " of something else", async () => { await rejects(globalThis[kind].prototype[method].call({}), TypeError) })
	}
	test(kind + ": json that fails uses up the body", async () => {
		const o = make("{")
		await rejects(o.json(), SyntaxError)
		is(o.bodyUsed, true)
		await rejects(o.text(), TypeError)
	})
	test(kind + ": no body reads as empty, and again", async () => {
		const o = make(null)
		is(o.body, null)
		same([await o.text(), (await o.arrayBuffer()).byteLength, (await o.bytes()).length, (await o.blob()).size], ["", 0, 0, 0])
		is(o.bodyUsed, false)
		await rejects(o.json(), SyntaxError)
	})
	test(kind + ": body is one stream", async () => {
		const o = make("hi")
		is(o.body, o.body)
		ok(!o.body.locked)
		const { value, done } = await o.body.getReader().read()
		ok(value instanceof Uint8Array)
		same([[...value], done], [[104, 105], false])
		is(o.bodyUsed, true)
		await rejects(o.text(), TypeError)
	})
	test(kind + ": reading marks the stream locked", async () => {
		const o = make("hi"), { body } = o
		const p = o.text()
		is(body.locked, true)
		throws(() => body.getReader(), TypeError)
		await p
	})
	test(kind + ": cancelling the stream uses up the body", async () => {
		const o = make("hi")
		await o.body.cancel()
		is(o.bodyUsed, true)
		await rejects(o.text(), TypeError)
	})
	test(kind + ": a stream is the body itself", async () => {
		const s = streamOf(utf8("a"), utf8("b")), o = make(s)
		is(o.body, s)
		is(await o.text(), "ab")
	})
	test(kind + ": a stream of characters cut in two", async () => { is(await make(streamOf(new Uint8Array([0xe2, 0x82]), new Uint8Array([0xac]))).text(), "\u20ac") })
	test(kind + ": a stream of empty chunks", async () => { is(await make(streamOf(new Uint8Array(), utf8("a"), new Uint8Array())).text(), "a") })
	test(kind + ": a stream without chunks", async () => { is(await make(streamOf()).text(), "") })
	test(kind + ": a stream that pulls", async () => {
		let n = 0
		const s = new ReadableStream({ async pull(c) { await settle(); if (++n > 3) c.close(); else c.enqueue(utf8(String(n))) } })
		is(await make(s).text(), "123")
	})
	test(kind + ": a stream of strings is none of bytes", async () => { await rejects(make(streamOf("a")).text(), TypeError) })
	test(kind + ": a stream of numbers is none of bytes", async () => { await rejects(make(streamOf(1)).arrayBuffer(), TypeError) })
	test(kind + ": a stream that fails", async () => {
		const e = new Error("mine")
		await rejects(make(new ReadableStream({ start(c) { c.error(e) } })).text(), e)
		await rejects(make(new ReadableStream({ pull() { throw e } })).bytes(), e)
		let n = 0
		await rejects(make(new ReadableStream({ pull(c) { if (n++) throw e; c.enqueue(utf8("a")) } })).json(), e)
	})
	test(kind + ": a locked stream is no body", () => {
		const s = streamOf()
		s.getReader()
		throws(() => make(s), TypeError)
	})
	test(kind + ": a disturbed stream is no body", async () => {
		const s = streamOf(utf8("a"), utf8("b")), r = s.getReader()
		await r.read()
		r.releaseLock()
		throws(() => make(s), TypeError)
	})
	test(kind + ": a byte stream", async () => {
		let n = 0
		const s = new ReadableStream({ type: "bytes", pull(c) { if (n++) c.close(); else c.enqueue(utf8("hi")) } })
		is(await make(s).text(), "hi")
	})
	test(kind + ": the readable end of a TransformStream", async () => {
		const { readable, writable } = new TransformStream()
		const w = writable.getWriter()
		w.write(utf8("a"))
		w.write(utf8("b"))
		w.close()
		is(await make(readable).text(), "ab")
	})
	test(kind + ": piped through", async () => {
		is(await new Response(make("hi").body.pipeThrough(new TextDecoderStream()).pipeThrough(new TransformStream({ transform(s, c) { c.enqueue(s.toUpperCase()) } })).pipeThrough(new TextEncoderStream())).text(), "HI")
	})
	test(kind + ": for await of the body", async () => {
		const parts = []
		for await (const chunk of make("hi").body) parts.push(...chunk)
		same(parts, [104, 105])
	})
	test(kind + ": formData of params", async () => {
		const f = await make(new URLSearchParams([["a", "1"], ["a", "2 3"], ["\u00e9", "&"]])).formData()
		ok(f instanceof FormData)
		same([...f], [["a", "1"], ["a", "2 3"], ["\u00e9", "&"]])
	})
	for (const [text, want] of [["", []], ["a", [["a", ""]]], ["a=b=c&&d", [["a", "b=c"], ["d", ""]]], ["a+b=%26%zz", [["a b", "&%zz"]]], ["a=%ff", [["a", "\ufffd"]]], ["\ufeffa=1", [["\ufeffa", "1"]]]])
		test(kind + ": formData of " + JSON.stringify(text), async () => {
			same([...await make(utf8(text), { "content-type": "application/x-www-form-urlencoded" }).formData()], want)
		})
	for (const type of ["application/x-www-form-urlencoded;charset=UTF-8", "APPLICATION/X-WWW-FORM-URLENCODED", "application/x-www-form-urlencoded; charset=latin1"])
		test(kind + ": formData of the type " + type, async () => { is((await make("a=%C3%A9", { "content-type": type }).formData()).get("a"), "\u00e9") })
	for (const type of [null, "text/plain", "application/json", "multipart/form-data", "multipart/mixed; boundary=x", "x"])
		test(kind + ": no formData of the type " + type, async () => { await rejects(make(utf8("a=b"), type ? { "content-type": type } : {}).formData(), TypeError) })
	test(kind + ": formData there and back", async () => {
		const f = new FormData()
		f.append("a", "1\r\n2")
		f.append("n\"a\r\nme", "v")
		f.append("", "")
		f.append("file", new File(["hi"], "\u00e9\".txt", { type: "text/x-a" }))
		f.append("blob", new Blob([new Uint8Array([0, 255, 13, 10])]))
		f.append("a", "3")
		const o = make(f), g = await o.formData()
		same([...g.keys()], ["a", "n\"a\r\nme", "", "file", "blob", "a"])
		same(g.getAll("a"), ["1\r\n2", "3"])
		const file = g.get("file")
		ok(file instanceof File)
		same([file.name, file.type, await file.text()], ["\u00e9\".txt", "text/x-a", "hi"])
		const blob = g.get("blob")
		same([blob.name, blob.type, [...new Uint8Array(await blob.arrayBuffer())]], ["blob", "application/octet-stream", [0, 255, 13, 10]])
	})
	test(kind + ": formData of multipart", async () => {
		const body = ["--x", 'Content-Disposition: form-data; name="a"', "", "1", "--x", 'content-disposition: form-data; name="f"; filename="f.txt"', "Content-Type: text/html", "", "<p>", "", "--x--", ""].join("\r\n")
		const g = await make(utf8(body), { "content-type": "multipart/form-data; boundary=x" }).formData()
		same([g.get("a"), g.get("f").name, g.get("f").type, await g.get("f").text()], ["1", "f.txt", "text/html", "<p>\r\n"])
	})
	test(kind + ": formData of multipart with a quoted boundary", async () => {
		const body = '--a b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--a b--\r\n'
		is((await make(utf8(body), { "content-type": 'multipart/form-data; boundary="a b"' }).formData()).get("a"), "1")
	})
	test(kind + ": formData of a file without a type is text/plain", async () => {
		const body = '--x\r\nContent-Disposition: form-data; name="a"; filename="f"\r\n\r\n1\r\n--x--\r\n'
		is((await make(utf8(body), { "content-type": "multipart/form-data; boundary=x" }).formData()).get("a").type, "text/plain")
	})
	for (const [name, body] of [["nothing", ""], ["text", "hello"], ["an open part", '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1'], ["no name", "--x\r\nContent-Disposition: form-data\r\n\r\n1\r\n--x--\r\n"], ["no disposition", "--x\r\nA: b\r\n\r\n1\r\n--x--\r\n"]])
		test(kind + ": no formData of multipart of " + name, async () => { await rejects(make(utf8(body), { "content-type": "multipart/form-data; boundary=x" }).formData(), TypeError) })
	test(kind + ": members of the mixin", () => {
		const proto = globalThis[kind].prototype
		for (const m of ["text", "json", "arrayBuffer", "bytes", "blob", "formData"]) {
			is(typeof proto[m], "function", m)
			is(proto[m].length, 0, m)
		}
		for (const a of ["body", "bodyUsed"]) is(typeof Object.getOwnPropertyDescriptor(proto, a).get, "function", a)
	})
	test(kind + ": a large body", async () => {
		const big = new Uint8Array(1 << 20).fill(97)
		is((await make(big).text()).length, 1 << 20)
		is((await make(new Blob([big]).stream()).arrayBuffer()).byteLength, 1 << 20)
	})
}
for (const [header, want] of [
	["Text/HTML; Charset=UTF-8", "text/html;charset=UTF-8"],
	["text/plain;a=b;A=c", "text/plain;a=b"],
	["text/plain; a=b ;c = d;e=", "text/plain;a=b"],
	["text/plain;a=\"b c\"", "text/plain;a=\"b c\""],
	["text/plain;a=\"b\\\"c\\d\"", "text/plain;a=\"b\\\"cd\""],
	["text/plain;a=\"b", "text/plain;a=b"],
	["text/plain;a=\"b\"c;d=e", "text/plain;a=b;d=e"],
	["text/plain;a=\"\"", "text/plain;a=\"\""],
	["text/plain;a;b=c", "text/plain;b=c"],
	["text/plain;;;", "text/plain"],
	["text/plain ", "text/plain"],
	["text/plain, text/html", "text/html"],
	["text/plain, nonsense, */*", "text/plain"],
	["text/plain;charset=a, text/plain;b=c", "text/plain;b=c;charset=a"],
	["text/plain;charset=a, text/html, text/plain", "text/plain"],
	["text/plain;a=\"b,c/d\"", "text/plain;a=\"b,c/d\""],
	["nonsense", ""],
	["text/", ""],
	["/plain", ""],
	["te xt/plain", ""],
	["text/pl ain", ""],
	["", ""],
]) test("the MIME type of " + JSON.stringify(header), async () => { is((await new Response("x", { headers: { "content-type": header } }).blob()).type, want) })
test("the MIME type of two headers", async () => { is((await new Response("x", { headers: [["content-type", "text/plain;charset=a"], ["content-type", "text/plain"]] }).blob()).type, "text/plain;charset=a") })

test("a stream's source is cancelled with the body", async () => {
	let why
	const p = new Response(new ReadableStream({ cancel(r) { why = r } }))
	await p.body.cancel("done")
	is(why, "done")
})
test("a stream that yields no bytes is cancelled", async () => {
	let cancelled = false
	await rejects(new Response(new ReadableStream({ pull(c) { c.enqueue("text") }, cancel() { cancelled = true } })).text(), TypeError)
	await settle()
	ok(cancelled)
})
test("an abort does not touch a response that is there", async () => {
	const c = new AbortController(), q = new Request("https://s.test", { method: "POST", body: "hi", signal: c.signal })
	c.abort()
	is(await q.text(), "hi")
})
