package webapi

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"testing"
)

// cryptoPrelude are functions that the scripts use.
const cryptoPrelude = `
const S = crypto.subtle, U = (...b) => new Uint8Array(b), T = s => new TextEncoder().encode(s);
const hex = b => [...new Uint8Array(b)].map(x => x.toString(16).padStart(2, "0")).join("");
const un = s => Uint8Array.from(s.match(/../g) || [], x => parseInt(x, 16));
const err = p => p.then(v => "no error: " + v, e => e.name);
`

// cryptoAlike are scripts whose outcome Node shares.
var cryptoAlike = []string{
	`S.digest("SHA-1", T("abc")).then(hex)`, `S.digest("sha-256", T("abc")).then(hex)`, `S.digest({name: "SHA-384"}, T("abc")).then(hex)`, `S.digest("SHA-512", T("").buffer).then(hex)`,
	`err(S.digest("SHA-3", U()))`, `err(S.digest("SHA-256", "abc"))`, `err(S.digest("SHA-256"))`, `err(S.digest({}, U()))`,
	`S.importKey("raw", T("key"), {name: "HMAC", hash: "SHA-256"}, true, ["sign"]).then(k => S.sign("HMAC", k, T("The quick brown fox jumps over the lazy dog"))).then(hex)`,
	`S.importKey("raw", T("key"), {name: "hmac", hash: {name: "sha-1"}}, true, ["sign"]).then(k => S.sign({name: "HMAC"}, k, T("x"))).then(hex)`,
	`S.importKey("raw", T("key"), {name: "HMAC", hash: "SHA-512"}, true, ["sign", "verify"]).then(k => JSON.stringify([k.type, k.extractable, k.algorithm, k.usages]))`,
	`S.importKey("raw", T("k"), {name: "HMAC", hash: "SHA-256"}, false, ["verify", "sign"]).then(async k => { let s = await S.sign("HMAC", k, T("x")); return [await S.verify("HMAC", k, s, T("x")), await S.verify("HMAC", k, s, T("y")), await S.verify("HMAC", k, U(1), T("x"))].join() })`,
	`S.generateKey({name: "HMAC", hash: "SHA-256"}, true, ["sign"]).then(async k => [(await S.exportKey("raw", k)).byteLength, k.algorithm.length].join())`,
	`S.generateKey({name: "HMAC", hash: "SHA-512", length: 256}, true, ["sign"]).then(async k => [(await S.exportKey("raw", k)).byteLength, k.algorithm.length].join())`,
	`S.importKey("raw", T("key"), {name: "HMAC", hash: "SHA-384"}, true, ["sign", "verify"]).then(k => S.exportKey("jwk", k)).then(j => JSON.stringify(Object.entries(j).sort()))`,
	`S.importKey("jwk", {kty: "oct", k: "a2V5", alg: "HS256"}, {name: "HMAC", hash: "SHA-256"}, true, ["sign"]).then(k => S.exportKey("raw", k)).then(hex)`,
	`err(S.importKey("jwk", {kty: "oct", k: "a2V5", alg: "HS512"}, {name: "HMAC", hash: "SHA-256"}, true, ["sign"]))`,
	`err(S.importKey("jwk", {kty: "RSA", k: "a2V5"}, {name: "HMAC", hash: "SHA-256"}, true, ["sign"]))`,
	`err(S.importKey("jwk", {kty: "oct", k: "a2V5", use: "enc"}, {name: "HMAC", hash: "SHA-256"}, true, ["sign"]))`,
	`err(S.importKey("jwk", {kty: "oct", k: "a2V5", key_ops: ["verify"]}, {name: "HMAC", hash: "SHA-256"}, true, ["sign"]))`,
	`err(S.importKey("jwk", {kty: "oct", k: "a2V5", ext: false}, {name: "HMAC", hash: "SHA-256"}, true, ["sign"]))`,
	`err(S.importKey("jwk", {kty: "oct"}, {name: "HMAC", hash: "SHA-256"}, true, ["sign"]))`,
	`err(S.importKey("raw", U(), {name: "HMAC", hash: "SHA-256"}, true, ["sign"]))`, `err(S.importKey("raw", U(1), {name: "HMAC", hash: "SHA-256"}, true, []))`,
	`err(S.importKey("raw", U(1), {name: "HMAC", hash: "SHA-256"}, true, ["encrypt"]))`, `err(S.importKey("raw", U(1), {name: "HMAC", hash: "SHA-256"}, true, ["nope"]))`, `err(S.importKey("raw", U(1), {name: "HMAC"}, true, ["sign"]))`,
	`err(S.importKey("nope", U(1), {name: "HMAC", hash: "SHA-256"}, true, ["sign"]))`, `err(S.importKey("raw", U(1), {name: "HMAC", hash: "nope"}, true, ["sign"]))`, `err(S.importKey("raw", U(1), "nope", true, ["sign"]))`,
	`err(S.generateKey({name: "HMAC", hash: "SHA-256"}, true, []))`, `err(S.generateKey({name: "HMAC", hash: "SHA-256", length: 0}, true, ["sign"]))`,
	`S.importKey("raw", U(1), {name: "HMAC", hash: "SHA-256"}, true, ["verify"]).then(k => err(S.sign("HMAC", k, U())))`,
	`err(S.sign("HMAC", {}, U()))`, `err(S.sign.call({}, "HMAC", {}, U()))`,
	`let u = crypto.getRandomValues(new Uint8Array(64)); u.some(x => x) && u.length`, `crypto.getRandomValues(new BigInt64Array(2)).length`,
	`/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID())`, `crypto.randomUUID() !== crypto.randomUUID()`,
	`try { crypto.getRandomValues(new Uint8Array(65537)) } catch (e) { e.name }`, `try { crypto.getRandomValues(new Float32Array(1)) } catch (e) { e.name }`, `crypto.subtle === crypto.subtle`,
	`Object.prototype.toString.call(crypto) + Object.prototype.toString.call(crypto.subtle)`,
}

// nodeOutcomes runs scripts in Node, each value awaited and made a string.
func nodeOutcomes(t *testing.T, prelude string, scripts []string) []string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("node is not installed")
		}
		t.Skip("node is not installed: the comparison with another implementation needs it")
	}
	data, _ := json.Marshal(scripts)
	cmd := exec.Command(node, "-e", `(async () => { let out = [];
		for (let src of JSON.parse(require("fs").readFileSync(0, "utf8"))) {
			try { out.push(String(await (0, eval)("{" + process.argv[1] + src + "}"))) } catch (e) { out.push("! " + e) }
		}
		console.log(JSON.stringify(out)) })()`, prelude)
	cmd.Stdin = bytes.NewReader(data)
	raw, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	return want
}

func TestCryptoAgainstNode(t *testing.T) {
	want := nodeOutcomes(t, cryptoPrelude, cryptoAlike)
	for i, src := range cryptoAlike {
		if got := outcome(t, newTestRealm(t), "{"+cryptoPrelude+src+"}"); got != want[i] {
			t.Errorf("%s\n got %s\nnode %s", src, got, want[i])
		}
	}
}

func TestCrypto(t *testing.T) {
	rows := []script{
		{`S.importKey("raw", U(1), {name: "HMAC", hash: "SHA-256"}, false, ["sign"]).then(k => err(S.exportKey("raw", k)))`, "InvalidAccessError"},
		{`S.importKey("raw", U(1), {name: "HMAC", hash: "SHA-256"}, false, ["verify", "sign"]).then(k => k.usages.join())`, "sign,verify"},
		{`S.digest("MD5", T("abc")).then(hex)`, "900150983cd24fb0d6963f7d28e17f72"},
		{`S.importKey("raw", T("key"), {name: "HMAC", hash: "SHA-256"}, true, ["sign"]).then(k => S.sign("HMAC", k, T("The quick brown fox jumps over the lazy dog"))).then(hex)`, "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8"},
		{`S.timingSafeEqual(U(1, 2), U(1, 2)) + "" + S.timingSafeEqual(U(1, 2), U(1, 3))`, "truefalse"},
		{`S.timingSafeEqual(U(1, 2), U(1))`, "! TypeError: Input buffers must have the same byte length"},
		{`crypto.getRandomValues({length: 1e12})`, "! TypeError: Failed to execute 'getRandomValues' on 'Crypto': parameter 1 is not of type 'ArrayBufferView'."},
		{`crypto.getRandomValues(new DataView(new ArrayBuffer(1)))`, "! TypeMismatchError: The data argument must be an integer-type TypedArray."},
		{`err(S.generateKey({name: "HMAC", hash: "SHA-256", length: 4e9}, true, ["sign"]))`, "OperationError"},
		{`err(S.generateKey({name: "HMAC", hash: "SHA-256", length: Number.MAX_SAFE_INTEGER}, true, ["sign"]))`, "TypeError"},
		{`err(S.generateKey({name: "HMAC", hash: "SHA-256", length: 2 ** 32 - 1}, true, ["sign"]))`, "OperationError"},
		{`S.importKey("raw", U(255, 255), {name: "HMAC", hash: "SHA-256", length: 12}, true, ["sign"]).then(async k => hex(await S.exportKey("raw", k)) + k.algorithm.length)`, "fff012"},
		{`err(S.importKey("raw", U(1), {name: "HMAC", hash: "SHA-256"}, true, { *[Symbol.iterator]() { for (;;) yield "sign" } }))`, "TypeError"},
		{`err(S.importKey("jwk", {kty: "oct", k: "aa", key_ops: { *[Symbol.iterator]() { for (;;) yield "sign" } }}, {name: "HMAC", hash: "SHA-256"}, true, ["sign"]))`, "DataError"},
		{`S.importKey("raw", T("key"), {name: "HMAC", hash: "SHA-256"}, true, ["sign"]).then(async k => { let c = structuredClone(k); return (c !== k) + c.type + hex(await S.exportKey("raw", c)) })`, "truesecret6b6579"},
		{`S.importKey("raw", T("secret"), {name: "HMAC", hash: "SHA-256"}, true, ["sign"]).then(k => { console.log(k); return 1 })`, "1"},
		{`let d = T("abc"), p = S.digest("SHA-1", d); d[0] = 0; p.then(hex)`, "a9993e364706816aba3e25717850c26c9cd0d89d"},
	}
	for i := range rows {
		rows[i].src = "{" + cryptoPrelude + rows[i].src + "}"
	}
	runScripts(t, rows)
}
