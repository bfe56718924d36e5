package webapi

import "testing"

const ecPrelude = aesPrelude + `
const EC = {kty: "EC", crv: "P-256", x: "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4", y: "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM", d: "870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE"};
const ED = {kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"};
const pub = ({d, ...rest}) => rest, P256 = {name: "ECDSA", namedCurve: "P-256"}, DH = {name: "ECDH", namedCurve: "P-256"}, SIG = {name: "ECDSA", hash: "SHA-256"};
const b64 = s => btoa(String.fromCharCode(...un(s))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
const sorted = j => JSON.stringify(Object.entries(j).sort());
`

// ecAlike are scripts whose outcome Node shares.
var ecAlike = []string{
	`S.importKey("jwk", EC, P256, true, ["sign"]).then(k => JSON.stringify([k.type, k.algorithm, k.usages]))`, `S.importKey("jwk", pub(EC), P256, true, ["verify"]).then(k => JSON.stringify([k.type, k.algorithm, k.usages]))`,
	`S.importKey("jwk", EC, P256, true, ["sign"]).then(k => S.exportKey("jwk", k)).then(sorted)`, `S.importKey("jwk", EC, P256, true, ["sign"]).then(k => S.exportKey("pkcs8", k)).then(hex)`,
	`S.importKey("jwk", pub(EC), P256, true, ["verify"]).then(k => S.exportKey("raw", k)).then(hex)`, `S.importKey("jwk", pub(EC), P256, true, []).then(k => S.exportKey("spki", k)).then(hex)`, `S.importKey("jwk", pub(EC), P256, true, []).then(k => err(S.exportKey("pkcs8", k)))`,
	`S.importKey("jwk", EC, P256, true, ["sign"]).then(async k => S.exportKey("jwk", await S.importKey("pkcs8", await S.exportKey("pkcs8", k), P256, true, ["sign"]))).then(sorted)`,
	`S.importKey("jwk", pub(EC), P256, true, ["verify"]).then(async k => S.exportKey("jwk", await S.importKey("spki", await S.exportKey("spki", k), P256, true, ["verify"]))).then(sorted)`,
	`S.importKey("jwk", pub(EC), P256, true, ["verify"]).then(async k => S.exportKey("jwk", await S.importKey("raw", await S.exportKey("raw", k), P256, true, ["verify"]))).then(sorted)`,
	`Promise.all([S.importKey("jwk", EC, P256, true, ["sign"]), S.importKey("jwk", pub(EC), P256, true, ["verify"])]).then(async ([s, p]) => { let x = await S.sign(SIG, s, T("m")); return [x.byteLength, await S.verify(SIG, p, x, T("m")), await S.verify(SIG, p, x, T("n")), await S.verify(SIG, p, U(1), T("m"))].join() })`,
	`S.importKey("jwk", pub(EC), P256, true, ["verify"]).then(p => S.verify(SIG, p, un("00".repeat(64)), T("m")))`,
	`S.generateKey({name: "ECDSA", namedCurve: "P-521"}, false, ["sign", "verify"]).then(async k => [(await S.sign({name: "ECDSA", hash: "SHA-512"}, k.privateKey, U(1))).byteLength, k.publicKey.extractable, k.privateKey.extractable, k.publicKey.usages, k.privateKey.usages].join())`,
	`S.generateKey({name: "ECDSA", namedCurve: "P-384"}, true, ["sign", "verify"]).then(async k => { let j = await S.exportKey("jwk", k.privateKey); return [j.x.length, j.y.length, j.d.length, j.crv, j.kty].join() })`,
	`err(S.generateKey({name: "ECDSA", namedCurve: "P-256"}, true, ["verify"]))`, `err(S.generateKey({name: "ECDSA", namedCurve: "P-255"}, true, ["sign"]))`, `err(S.generateKey({name: "ECDSA", namedCurve: "P-256"}, true, ["encrypt"]))`,
	`err(S.importKey("jwk", {...EC, crv: "P-384"}, P256, true, ["sign"]))`, `err(S.importKey("jwk", {...EC, x: EC.y}, P256, true, ["sign"]))`, `err(S.importKey("jwk", EC, P256, true, ["verify"]))`, `err(S.importKey("raw", U(4, 1), P256, true, ["verify"]))`, `err(S.importKey("spki", U(1), P256, true, ["verify"]))`, `err(S.importKey("pkcs8", U(), P256, true, ["sign"]))`,
	`S.importKey("jwk", EC, P256, true, ["sign"]).then(k => err(S.sign("ECDSA", k, U())))`, `S.importKey("jwk", EC, P256, false, ["sign"]).then(k => err(S.sign({name: "ECDSA", hash: "nope"}, k, U())))`,
	`Promise.all([S.importKey("jwk", EC, DH, true, ["deriveBits"]), S.importKey("jwk", pub(EC), DH, true, [])]).then(([s, p]) => S.deriveBits({name: "ECDH", public: p}, s, 256)).then(hex)`,
	`Promise.all([S.importKey("jwk", EC, DH, true, ["deriveBits"]), S.importKey("jwk", pub(EC), DH, true, [])]).then(([s, p]) => S.deriveBits({name: "ECDH", public: p}, s, 128)).then(hex)`,
	`Promise.all([S.importKey("jwk", EC, DH, true, ["deriveKey"]), S.importKey("jwk", pub(EC), DH, true, [])]).then(([s, p]) => S.deriveKey({name: "ECDH", public: p}, s, {name: "AES-GCM", length: 256}, true, ["encrypt"])).then(k => S.exportKey("raw", k)).then(hex)`,
	`Promise.all([S.importKey("jwk", EC, DH, true, ["deriveBits"]), S.importKey("jwk", pub(EC), P256, true, [])]).then(([s, p]) => err(S.deriveBits({name: "ECDH", public: p}, s, 128)))`, `S.importKey("jwk", EC, DH, true, ["deriveBits"]).then(s => err(S.deriveBits({name: "ECDH"}, s, 128)))`,
	`Promise.all([S.importKey("jwk", EC, DH, true, ["deriveBits"]), S.importKey("jwk", pub(EC), DH, true, [])]).then(([s, p]) => err(S.deriveBits({name: "ECDH", public: p}, s, 264)))`,
	`S.importKey("jwk", ED, "Ed25519", true, ["sign"]).then(k => S.sign("Ed25519", k, T("message"))).then(hex)`, `S.importKey("jwk", ED, "Ed25519", true, ["sign"]).then(k => S.exportKey("pkcs8", k)).then(hex)`, `S.importKey("jwk", pub(ED), "Ed25519", true, ["verify"]).then(k => S.exportKey("spki", k)).then(hex)`, `S.importKey("jwk", pub(ED), "Ed25519", true, ["verify"]).then(k => S.exportKey("raw", k)).then(hex)`,
	`S.importKey("jwk", ED, "Ed25519", true, ["sign"]).then(k => JSON.stringify([k.type, k.algorithm, k.usages]))`,
	`S.importKey("jwk", ED, "Ed25519", true, ["sign"]).then(async k => S.exportKey("jwk", await S.importKey("pkcs8", await S.exportKey("pkcs8", k), "Ed25519", true, ["sign"]))).then(j => j.d + j.x)`,
	`Promise.all([S.importKey("jwk", ED, "Ed25519", true, ["sign"]), S.importKey("jwk", pub(ED), "Ed25519", true, ["verify"])]).then(async ([s, p]) => { let x = await S.sign("Ed25519", s, T("m")); return [x.byteLength, await S.verify("Ed25519", p, x, T("m")), await S.verify("Ed25519", p, x, T("n"))].join() })`,
	`S.generateKey("Ed25519", true, ["sign", "verify"]).then(k => k.publicKey.usages + k.privateKey.type)`, `err(S.importKey("jwk", {...ED, crv: "X25519"}, "Ed25519", true, ["sign"]))`, `err(S.importKey("raw", U(1), "Ed25519", true, ["verify"]))`,
	`S.generateKey("X25519", true, ["deriveBits"]).then(async a => { let b = await S.generateKey("X25519", true, ["deriveBits"]); return hex(await S.deriveBits({name: "X25519", public: b.publicKey}, a.privateKey, 256)) === hex(await S.deriveBits({name: "X25519", public: a.publicKey}, b.privateKey, 256)) })`,
	`S.generateKey("X25519", true, ["deriveBits"]).then(async a => { let p = await S.exportKey("pkcs8", a.privateKey), j = await S.exportKey("jwk", await S.importKey("pkcs8", p, "X25519", true, ["deriveBits"])); return p.byteLength + j.kty + j.crv + j.d.length })`,
}

func TestECAgainstNode(t *testing.T) {
	want := nodeOutcomes(t, ecPrelude, ecAlike)
	for i, src := range ecAlike {
		if got := outcome(t, newTestRealm(t), "{"+ecPrelude+src+"}"); got != want[i] {
			t.Errorf("%s\n got %s\nnode %s", src, got, want[i])
		}
	}
}
