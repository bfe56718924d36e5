package webapi

import "testing"

func TestStreams(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"read": {`
			const s = new ReadableStream({ start(c) { c.enqueue("a"); c.enqueue("b"); c.close() } })
			const r = s.getReader(); const out = []
			for (;;) { const { value, done } = await r.read(); if (done) break; out.push(value) }
			await r.closed; return out.join()`, "a,b"},
		"pull": {`
			let n = 0
			const s = new ReadableStream({ async pull(c) { await null; if (n++ < 3) c.enqueue(n); else c.close() } })
			const out = []; const it = s[Symbol.asyncIterator]()
			for (let x = await it.next(); !x.done; x = await it.next()) out.push(x.value)
			return out.join()`, "1,2,3"},
		"tee": {`
			const [a, b] = new Response("hello").body.tee()
			return await new Response(a).text() + await new Response(b).text()`, "hellohello"},
		"pipeThrough": {`
			const s = ReadableStream.from(["a", "b", "c"]).pipeThrough(new TransformStream({ transform(x, c) { c.enqueue(x.toUpperCase()) }, flush(c) { c.enqueue("!") } }))
			const out = []; const r = s.getReader()
			for (let x = await r.read(); !x.done; x = await r.read()) out.push(x.value)
			return out.join("")`, "ABC!"},
		"pipeTo": {`
			const out = []
			await ReadableStream.from([1, 2, 3]).pipeTo(new WritableStream({ async write(x) { await null; out.push(x) }, close() { out.push("end") } }))
			return out.join()`, "1,2,3,end"},
		"text codec": {`
			const s = ReadableStream.from(["h€", "llo \ud83d", "\ude00"]).pipeThrough(new TextEncoderStream()).pipeThrough(new TextDecoderStream())
			let out = ""; const r = s.getReader()
			for (let x = await r.read(); !x.done; x = await r.read()) out += x.value
			return out`, "h€llo 😀"},
		"gzip": {`
			const zipped = new Blob(["hello ".repeat(1000)]).stream().pipeThrough(new CompressionStream("gzip"))
			const buf = await new Response(zipped).arrayBuffer()
			const text = await new Response(new Blob([buf]).stream().pipeThrough(new DecompressionStream("gzip"))).text()
			return (buf.byteLength < 200) + " " + text.length`, "true 6000"},
		"bad gzip": {`
			try { await new Response(new Blob(["nonsense"]).stream().pipeThrough(new DecompressionStream("gzip"))).text() } catch (e) { return e.name }`, "TypeError"},
		"byob": {`
			const s = new ReadableStream({ type: "bytes", pull(c) { const v = c.byobRequest?.view; if (v) { v[0] = 7; c.byobRequest.respond(1) } else c.enqueue(new Uint8Array([1,2])) } })
			const r = s.getReader({ mode: "byob" })
			const { value } = await r.read(new Uint8Array(4))
			return value.length + ":" + value[0]`, "1:7"},
		"byte enqueue": {`
			const s = new ReadableStream({ type: "bytes", start(c) { c.enqueue(new Uint8Array([1,2,3,4,5])); c.close() } })
			const r = s.getReader({ mode: "byob" })
			const a = await r.read(new Uint8Array(2)); const b = await r.read(new Uint8Array(10)); const c = await r.read(new Uint8Array(1))
			return [...a.value].join() + "|" + [...b.value].join() + "|" + c.done`, "1,2|3,4,5|true"},
		"error": {`
			const s = new ReadableStream({ pull() { throw new Error("boom") } })
			try { await s.getReader().read() } catch (e) { return e.message }`, "boom"},
		"cancel": {`
			let why
			const s = new ReadableStream({ cancel(r) { why = r } })
			await s.cancel("enough"); return why`, "enough"},
		"writer": {`
			const out = []
			const w = new WritableStream({ write(x) { out.push(x) } }, { highWaterMark: 2 }).getWriter()
			out.push(w.desiredSize); const p = w.write("a"); out.push(w.desiredSize); await p; await w.close()
			return out.join()`, "2,1,a"},
		"abort": {`
			let why
			const s = new WritableStream({ abort(r) { why = r } })
			const w = s.getWriter(); await w.abort("stop")
			try { await w.write(1) } catch (e) { return why + ":" + e }`, "stop:stop"},
		"pipe abort": {`
			const c = new AbortController(); let why
			const p = new ReadableStream({ cancel(r) { why = r } }).pipeTo(new WritableStream(), { signal: c.signal })
			c.abort("now")
			try { await p } catch (e) { return e + ":" + why }`, "now:now"},
		"response stream": {`
			const r = new Response(new ReadableStream({ start(c) { c.enqueue(new TextEncoder().encode("x")); c.close() } }))
			return await r.text()`, "x"},
		"string chunk": {`
			try { return await new Response(ReadableStream.from(["x"])).text() } catch (e) { return e.name }`, "TypeError"},
		"locked": {`
			const s = new ReadableStream(); s.getReader()
			try { s.getReader() } catch (e) { return e.name + s.locked }`, "TypeErrortrue"},
		"clone": {`
			const r = new Response(ReadableStream.from([new Uint8Array([65, 66])])); const c = r.clone()
			return await r.text() + await c.text()`, "ABAB"},
		"release": {`
			const s = new ReadableStream({ start(c) { c.enqueue(1) } }); const r = s.getReader()
			await r.read(); const p = r.read(); r.releaseLock()
			try { await p } catch (e) { return e.name + s.locked }`, "TypeErrorfalse"},
		"body used": {`
			const q = new Request("http://x/", { method: "POST", body: "abc" })
			await q.text(); try { await q.text() } catch (e) { return e.name + q.bodyUsed }`, "TypeErrortrue"},
		"strategies": {`
			return [new CountQueuingStrategy({ highWaterMark: 3 }).highWaterMark, new ByteLengthQueuingStrategy({ highWaterMark: 5 }).size(new Uint8Array(7))].join()`, "3,7"},
		"fixed length": {`
			const f = new FixedLengthStream(3); const w = f.writable.getWriter()
			const text = new Response(f.readable).text(); await w.write(new TextEncoder().encode("abc")); await w.close(); return await text`, "abc"},
		"many chunks": {`
			let n = 0; const s = new ReadableStream({ pull(c) { if (n++ < 5000) c.enqueue(new Uint8Array(1)); else c.close() } })
			return String((await new Response(s).arrayBuffer()).byteLength)`, "5000"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newTestRealm(t)
			if got := evalAsync(t, r, "(async () => {"+c.src+"})()"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
