package webapi

import (
	"strings"
	"testing"
)

// TestFetchClasses goes through Headers, Request, Response and the Body mixin as
// the Fetch standard describes them; where workerd differs, its answer stands.
func TestFetchClasses(t *testing.T) {
	for src, want := range map[string]string{
		// Headers
		`[...new Headers({ B: "2", a: "1" })].join("|")`:       "a,1|b,2",
		`[...new Headers([["x", "1"], ["X", "2"]])].join("|")`: "x,1, 2",
		`const h = new Headers(); h.append("Set-Cookie", "a"); h.append("set-cookie", "b"); return [...h].join("|") + h.getSetCookie().length`: "set-cookie,a|set-cookie,b2",
		`new Headers({ a: " \t v \n" }).get("A")`:       "v",
		`new Headers().get("x")`:                        "null",
		`new Headers({ "a b": "1" })`:                   "TypeError",
		`new Headers({ a: "x\r\ny" })`:                  "TypeError",
		`new Headers({ "": "x" })`:                      "TypeError",
		`new Headers("x")`:                              "TypeError",
		`new Headers([["a"]])`:                          "TypeError",
		`new Headers(new Headers({ a: "1" })).get("a")`: "1",
		`new Headers(new Map([["a", "1"]])).get("a")`:   "1",
		`const h = new Headers({ a: "1", b: "2" }); h.delete("A"); h.set("B", "3"); return h.has("a") + h.get("b")`:             "false3",
		`const out = []; new Headers({ b: "1", a: "2" }).forEach((v, k, h) => out.push(k + v + h.has("a"))); return out.join()`: "a2true,b1true",
		`[...new Headers({ b: "1" }).keys(), ...new Headers({ b: "1" }).values()].join()`:                                       "b,1",
		`Object.prototype.toString.call(new Headers())`:                                                                         "[object Headers]",
		`Headers.prototype.get.call({}, "a")`:                                                                                   "TypeError",
		// Request
		`new Request("http://x/a?b#c").url`:                                                                          "http://x/a?b#c",
		`new Request("nonsense")`:                                                                                    "TypeError",
		`new Request("http://x/").method`:                                                                            "GET",
		`new Request("http://x/", { method: "post" }).method`:                                                        "POST",
		`new Request("http://x/", { method: "a b" })`:                                                                "TypeError",
		`new Request("http://x/", { method: "TRACE" })`:                                                              "TypeError",
		`new Request("http://x/", { body: "x" })`:                                                                    "TypeError",
		`new Request("http://x/", { method: "POST", body: "x" }).headers.get("content-type")`:                        "text/plain;charset=UTF-8",
		`new Request("http://x/", { method: "POST", body: new URLSearchParams({ a: "b c" }) }).text()`:               "a=b+c",
		`new Request("http://x/", { method: "POST", body: new URLSearchParams("a=b") }).headers.get("content-type")`: "application/x-www-form-urlencoded;charset=UTF-8",
		`new Request(new URL("http://x/y")).url`:                                                                     "http://x/y",
		`const a = new Request("http://x/", { method: "POST", body: "abc" }); const b = new Request(a); return [a.bodyUsed, await b.text()].join()`: "true,abc",
		`const a = new Request("http://x/", { headers: { q: "1" } }); return new Request(a, { headers: { z: "2" } }).headers.has("q")`:              "false",
		`const a = new Request("http://x/", { method: "POST", body: "abc" }); const b = a.clone(); return await a.text() + await b.text()`:          "abcabc",
		`const c = new AbortController(); const q = new Request("http://x/", { signal: c.signal }); c.abort(); return q.signal.aborted`:             "true",
		`new Request("http://x/", { signal: {} })`:               "TypeError",
		`new Request("http://x/").body`:                          "null",
		`new Request("http://x/").signal instanceof AbortSignal`: "true",
		`class R extends Request { get twice() { return this.url + this.url } }; return new R("http://x/").twice`: "http://x/http://x/",
		// Response
		`new Response().status`:                      "200",
		`new Response(null).body`:                    "null",
		`new Response("", { status: 99 })`:           "RangeError",
		`new Response("", { status: 600 })`:          "RangeError",
		`new Response("", { status: NaN })`:          "RangeError",
		`new Response("", { status: "201" }).status`: "201",
		`new Response("x", { status: 204 })`:         "TypeError",
		`new Response(null, { status: 204 }).status`: "204",
		`new Response("", { statusText: "a\r\nb" })`: "TypeError",
		`[new Response().statusText, Response.json(1, { status: 201 }).statusText, new Response("", { status: 413 }).statusText, new Response("", { status: 299 }).statusText, new Response("", { status: 419 }).statusText].join()`:                                    "OK,Created,Payload Too Large,Successful,Client Error",
		`[new Response("", { statusText: "" }).statusText, new Response("", { statusText: "Fine" }).clone().statusText, new Response("", new Response("", { status: 404 })).statusText, Response.error().statusText, Response.redirect("http://a/").statusText].join()`: ",Fine,Not Found,,Found",
		`new Response("a", { headers: { "content-type": "x/y" } }).headers.get("Content-Type")`:                                        "x/y",
		`new Response(new Uint8Array([104, 105])).text()`:                                                                              "hi",
		`new Response(new Uint8Array([104, 105]).buffer).headers.has("content-type")`:                                                  "false",
		`const u = new Uint8Array([1]); const r = new Response(u); u[0] = 9; return [...new Uint8Array(await r.arrayBuffer())].join()`: "1",
		`new Response({}).text()`:                        "[object Object]",
		`Response.json({ a: [1, null, "€"] }).text()`:    `{"a":[1,null,"€"]}`,
		`Response.json(5).text()`:                        "5",
		`Response.json("x").text()`:                      `"x"`,
		`Response.json(undefined)`:                       "TypeError",
		`Response.json(() => 1)`:                         "TypeError",
		`Response.json(1n)`:                              "TypeError",
		`const a = {}; a.a = a; return Response.json(a)`: "TypeError",
		`Response.json({}, { status: 201, headers: { "content-type": "a/b" } }).headers.get("content-type")`:                         "a/b",
		`return Response.json({ toJSON() { return 7 } }).text()`:                                                                     "7",
		`Response.redirect("http://x/y").headers.get("location")`:                                                                    "http://x/y",
		`Response.redirect("http://x/y", 301).status`:                                                                                "301",
		`Response.redirect("http://x/y", 200)`:                                                                                       "RangeError",
		`Response.redirect("/y")`:                                                                                                    "TypeError",
		`Response.redirect("http://x/").headers.set("a", "b")`:                                                                       "TypeError",
		`Response.error().type`:                                                                                                      "error",
		`new Response("a").json()`:                                                                                                   "SyntaxError",
		`new Response('{"a":1}').json().then(o => o.a)`:                                                                              "1",
		`new Response("\ufeffx").text().then(s => s.length)`:                                                                         "1",
		`new Response(new Uint8Array([0xef, 0xbb, 0xbf, 120])).text()`:                                                               "x",
		`new Response(new Uint8Array([0xe2, 0x82, 65])).text()`:                                                                      "\uFFFDA",
		`new Response(new Blob(["x"], { type: "a/b" })).headers.get("content-type")`:                                                 "a/b",
		`new Response("abc").blob().then(b => b.size + b.type)`:                                                                      "3text/plain;charset=UTF-8",
		`new Response("abc").bytes().then(b => b.constructor.name + b.length)`:                                                       "Uint8Array3",
		`const r = new Response("a"); await r.text(); return r.clone()`:                                                              "TypeError",
		`new Response("a").ok + "" + new Response("a", { status: 404 }).ok`:                                                          "truefalse",
		`const r = new Response("a", new Response("b", { status: 201, headers: { a: "1" } })); return r.status + r.headers.get("a")`: "2011",
		`const r = new Response("abc"); const s = r.body; return [s instanceof ReadableStream, r.bodyUsed, s.locked].join()`:         "true,false,false",
		`const r = new Response("abc"); const rd = r.body.getReader(); await rd.read(); return r.bodyUsed`:                           "true",
		`JSON.parse = () => 1; return (await new Response('{"a":2}').json()).a`:                                                      "2",
		`JSON.stringify = () => "x"; return await Response.json({ a: 1 }).text()`:                                                    `{"a":1}`,
		`const a = new Response("abc"); const b = new Response(a.body, a); const text = await b.text(); return [text, a.bodyUsed, b.bodyUsed, a.body.locked].join()`: "abc,true,true,true",
		`const s = new Response("abc").body; const b = new Response(s); await b.text(); return s.getReader()`:                                                        "TypeError",
		`const s = new Response("abc").body; const b = new Response(s); s.getReader(); return b.text()`:                                                              "TypeError",
		// FormData, Blob, File
		`const f = new FormData(); f.append("a", "1"); f.append("a", "2"); f.set("b", "3"); return [f.getAll("a"), f.get("b"), f.has("c"), [...f.keys()]].join("|")`:                                                                                                         "1,2|3|false|a,a,b",
		`const f = new FormData(); f.append("f", new Blob(["x"]), "n.txt"); const g = f.get("f"); return [g instanceof File, g.name, await g.text()].join()`:                                                                                                                 "true,n.txt,x",
		`const f = new FormData(); f.append("a", "é\n"); f.append("f", new File(["data"], "a\"b.txt", { type: "text/x" })); const g = await new Response(f).formData(); const x = g.get("f"); return [JSON.stringify(g.get("a")), x.name, x.type, await x.text()].join("|")`: "\"é\\r\\n\"|a\"b.txt|text/x|data",
		`new Response(new URLSearchParams("a=1&b=%20+c")).formData().then(f => JSON.stringify([...f]))`:                                                                                                                                                                      `[["a","1"],["b","  c"]]`,
		`new Response("x", { headers: { "content-type": "text/plain" } }).formData()`:                                                                                                                                                                                        "TypeError",
		`new Response("x", { headers: { "content-type": "multipart/form-data; boundary=y" } }).formData()`:                                                                                                                                                                   "TypeError",
		`new FormData().append("a")`:                                     "TypeError",
		`new Blob(["ab", new Uint8Array([99]), new Blob(["d"])]).text()`: "abcd",
		`new Blob(["abcdef"]).slice(1, -1).text()`:                       "bcde",
		`new Blob(["abcdef"]).slice(4, 2).size`:                          "0",
		`new Blob([], { type: "A/B" }).type`:                             "a/b",
		`new Blob("x")`:                                                  "TypeError",
		`new File([], "x", { lastModified: 5 }).lastModified`:            "5",
		`new File(["x"])`:                                                "TypeError",
		`new Response(new Blob(["abc"]).stream()).text()`:                "abc",
	} {
		r := newTestRealm(t)
		body := src
		if !strings.Contains(src, "return ") {
			body = "return " + src
		}
		got := evalAsync(t, r, "(async () => { try { return String(await (async () => {"+body+"})()) } catch (e) { return e.name } })()")
		if got != want {
			t.Errorf("%s\n got %q\nwant %q", src, got, want)
		}
	}
}

func TestFetchWithoutNetwork(t *testing.T) {
	for src, want := range map[string]string{
		`fetch("https://example.com/x")`: "TypeError: fetch failed: this app has no access to the network, so it cannot reach https://example.com/x",
		`fetch("nonsense")`:              "TypeError: Invalid URL: nonsense",
		`fetch(new Request("http://x/", { method: "POST", body: "a" }))`: "TypeError: fetch failed: this app has no access to the network, so it cannot reach http://x/",
		`fetch()`: "TypeError: Invalid URL: undefined",
	} {
		if got := evalAsync(t, newTestRealm(t), src+".then(() => 'ok', String)"); got != want {
			t.Errorf("%s: %s, want %s", src, got, want)
		}
	}
}
