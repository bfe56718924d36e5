package docs_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"samkit.dev/host/engine"
	"samkit.dev/sam"
)

// beyond has code that goes over a limit, by the first column of its row.
var beyond = map[string]string{
	"Timers set at once":            `for (let i = 0; i <= 10000; i++) setTimeout(() => {}, 1)`,
	"Headers of a `Headers` object": `const h = new Headers(); for (let i = 0; i <= 2048; i++) h.append("a", "b")`,
	"Entries of a `FormData`":       `const f = new FormData(); for (let i = 0; i <= 10000; i++) f.append("a", "b")`,
	"Key":                           `await env.KV.put("k".repeat(513), "")`,
	"Value":                         `await env.KV.put("k", new ArrayBuffer(26 << 20))`,
	"Metadata":                      `await env.KV.put("k", "", { metadata: "m".repeat(1024) })`,
	"Keys of one `get` of many":     `await env.KV.get(Array.from({ length: 101 }, (_, i) => "k" + i))`,
	"Least time to live":            `await env.KV.put("k", "", { expirationTtl: 59 })`,
	"String, BLOB or row":           `await env.DB.prepare("SELECT zeroblob(5000000)").all()`,
	"Statement":                     `await env.DB.prepare("SELECT '" + "a".repeat(100001) + "'").all()`,
	"Columns of a table or result":  `await env.DB.prepare("SELECT " + "1,".repeat(100) + "1").all()`,
	"Parameters of a statement":     `await env.DB.prepare("SELECT 1 IN (" + Array(101).fill("?").join() + ")").bind(...Array(101).fill(1)).all()`,
	"Depth of an expression":        `await env.DB.prepare("SELECT " + "1+".repeat(101) + "1").all()`,
	"Parts of a UNION and its like": `await env.DB.prepare("SELECT 1 " + "UNION SELECT 2 ".repeat(5)).all()`,
	"Pattern of LIKE or GLOB":       `await env.DB.prepare("SELECT 'a' LIKE '" + "a".repeat(51) + "'").all()`,
	"Attached databases":            `await env.DB.prepare("ATTACH ':memory:' AS x").all()`,
	"Hosts":                         `await fetch("https://api.example.com/")`,
	"Arguments of a call":           `await env.HOST.greeter.hello({ name: "x".repeat(17 << 20) })`,
	"Nesting of the arguments":      `let o = {}; for (let i = 0; i < 65; i++) o = { o }; await env.HOST.greeter.hello(o)`,
	"Name of a cache":               `await caches.open("c".repeat(1025))`,
	"Memory":                        `new WebAssembly.Memory({ initial: 65537 })`,
	"Table":                         `new WebAssembly.Table({ initial: 10000001, element: "anyfunc" })`,
	"Handlers":                      `const h = new HTMLRewriter(); for (let i = 0; i <= 10000; i++) h.on("p", {})`,
	"Selector":                      `new HTMLRewriter().on("p".repeat(70000), {})`,
	"Nesting of `:not`":             `new HTMLRewriter().on(":not(".repeat(17) + "p" + ")".repeat(17), {})`,
	"Tag or comment":                `await new HTMLRewriter().on("p", { element() {} }).transform(new Response("<p " + "x".repeat(9e6) + ">")).text()`,
	"Open elements":                 `await new HTMLRewriter().on("p", { element() {} }).transform(new Response("<p>".repeat(70000))).text()`,
	"`crypto.getRandomValues`":      `crypto.getRandomValues(new Uint8Array(65537))`,
	"PBKDF2 iterations":             `await derive("PBKDF2", 256, { iterations: 100001 })`,
	"PBKDF2 iterations times blocks of output":                   `await derive("PBKDF2", 256 * 21, { iterations: 100000 })`,
	"RSA key that is made":                                       `await crypto.subtle.generateKey({ name: "RSA-PSS", modulusLength: 4104, publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-256" }, true, ["sign"])`,
	"HMAC key that is made":                                      `await crypto.subtle.generateKey({ name: "HMAC", hash: "SHA-256", length: 524289 }, true, ["sign"])`,
	"Derived bits":                                               `await derive("HKDF", 1048584, { info: new Uint8Array(1) })`,
	"Nesting for `structuredClone`":                              `let o = {}; for (let i = 0; i <= 2000; i++) o = { o }; structuredClone(o)`,
	"Signals of `AbortSignal.any`":                               `AbortSignal.any(Array.from({ length: 10001 }, () => new AbortController().signal))`,
	"Pattern of a part of a `URLPattern`":                        `new URLPattern({ pathname: "/" + "a".repeat(65536) })`,
	"`autoAllocateChunkSize`":                                    `new ReadableStream({ type: "bytes", autoAllocateChunkSize: 1 << 25 })`,
	"Nesting of JSON, read and written":                          `JSON.parse("[".repeat(5001) + "]".repeat(5001))`,
	"Nesting of a regular expression":                            `new RegExp("(?<a>" + "(".repeat(1001) + ")".repeat(1001) + ")", "u")`,
	"Calls to bindings (KV, DB, HOST, services, ASSETS, caches)": `for (let i = 0; i <= 1000; i++) await env.KV.get("k")`,
}

// What goes over a limit ends as the page says: with an error of that name, that code or that text.
func TestLimitsShow(t *testing.T) {
	e, err := engine.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	var source strings.Builder
	source.WriteString(`const derive = async (name, bits, more) => {
	const key = await crypto.subtle.importKey("raw", new Uint8Array(4), name, false, ["deriveBits"])
	await crypto.subtle.deriveBits({ name, hash: "SHA-256", salt: new Uint8Array(4), ...more }, key, bits)
}
const beyond = {`)
	for name, js := range beyond {
		fmt.Fprintf(&source, "%q: async (env) => { %s },\n", name, js)
	}
	source.WriteString(`}
export default { async fetch(request, env) {
	try { await beyond[await request.text()](env) } catch (e) { return Response.json({ name: e.name, code: String(e.code), message: e.message }) }
	return Response.json({ name: "nothing" })
} }`)
	r := newRun(t, e, sam.Files{"functions.js": source.String()})
	found := 0
	for _, row := range rows(t, "limits.md") {
		if beyond[row.cells[0]] == "" {
			continue
		}
		found++
		answer := r.request("POST", "/api/ "+row.cells[0])
		var got struct{ Name, Code, Message string }
		if err := json.Unmarshal([]byte(strings.TrimPrefix(answer, "200 ")), &got); err != nil {
			t.Errorf("%s: %s", row.cells[0], answer)
			continue
		}
		if !shows(row.cells[3], got.Name, got.Code, got.Message) {
			t.Errorf("limits.md:%d: %s: the page says %q, but it is %+v", row.line, row.cells[0], row.cells[3], got)
		}
	}
	if found != len(beyond) {
		t.Errorf("%d of %d limits have a row", found, len(beyond))
	}
}

// shows reports whether a cell of the page speaks of an error. Behind its name it may have
// what the message holds, or the code.
func shows(cell, name, code, message string) bool {
	if strings.Contains(cell, "`"+code+"`") || strings.HasSuffix(cell, "code "+code) {
		return true
	}
	said, text, _ := strings.Cut(cell, ": ")
	for or := range strings.SplitSeq(said, " or ") {
		if or == name && strings.Contains(message, text) {
			return true
		}
	}
	return false
}
