package webapi

import "testing"

const aesPrelude = cryptoPrelude + `
const K16 = un("000102030405060708090a0b0c0d0e0f"), K32 = un("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
const imp = (alg, k, ...u) => S.importKey("raw", k || K16, alg, true, u.length ? u : ["encrypt", "decrypt"]);
const kdf = (alg, k) => S.importKey("raw", T(k), alg, false, ["deriveBits", "deriveKey"]);
`

// aesAlike are scripts whose outcome Node shares.
var aesAlike = []string{
	`imp("AES-GCM").then(k => S.encrypt({name: "AES-GCM", iv: new Uint8Array(12)}, k, T("hello"))).then(hex)`,
	`imp("AES-GCM", K32).then(k => S.encrypt({name: "AES-GCM", iv: new Uint8Array(16), additionalData: T("extra"), tagLength: 96}, k, T("hello"))).then(hex)`,
	`imp("AES-GCM").then(k => S.encrypt({name: "AES-GCM", iv: new Uint8Array(12), tagLength: 32}, k, T(""))).then(hex)`,
	`imp("AES-GCM").then(async k => { let a = {name: "AES-GCM", iv: new Uint8Array(12), tagLength: 64}; return hex(await S.decrypt(a, k, await S.encrypt(a, k, T("round trip")))) })`,
	`imp("AES-GCM").then(async k => { let a = {name: "AES-GCM", iv: new Uint8Array(12)}, c = new Uint8Array(await S.encrypt(a, k, T("x"))); c[0] ^= 1; return err(S.decrypt(a, k, c)) })`,
	`imp("AES-GCM").then(async k => { let a = {name: "AES-GCM", iv: new Uint8Array(12), tagLength: 32}, c = new Uint8Array(await S.encrypt(a, k, T("x"))); c[0] ^= 1; return err(S.decrypt(a, k, c)) })`,
	`imp("AES-GCM").then(k => err(S.decrypt({name: "AES-GCM", iv: new Uint8Array(12)}, k, U(1))))`,
	`imp("AES-GCM").then(k => err(S.encrypt({name: "AES-GCM", iv: new Uint8Array(12), tagLength: 33}, k, U(1))))`,
	`imp("AES-GCM").then(k => err(S.encrypt({name: "AES-GCM"}, k, U(1))))`,
	`imp("AES-CBC").then(k => S.encrypt({name: "AES-CBC", iv: new Uint8Array(16)}, k, T("sixteen bytes!!!"))).then(hex)`,
	`imp("AES-CBC", K32).then(async k => { let a = {name: "AES-CBC", iv: K16}; return hex(await S.decrypt(a, k, await S.encrypt(a, k, T("abc")))) })`,
	`imp("AES-CBC").then(k => err(S.decrypt({name: "AES-CBC", iv: K16}, k, U(1, 2))))`, `imp("AES-CBC").then(k => err(S.decrypt({name: "AES-CBC", iv: K16}, k, U())))`, `imp("AES-CBC").then(k => err(S.encrypt({name: "AES-CBC", iv: U(1)}, k, U())))`,
	`imp("AES-CTR").then(k => S.encrypt({name: "AES-CTR", counter: K16, length: 64}, k, new Uint8Array(40))).then(hex)`,
	`imp("AES-CTR").then(k => S.encrypt({name: "AES-CTR", counter: un("000000000000000000000000000000ff"), length: 8}, k, new Uint8Array(50))).then(hex)`,
	`imp("AES-CTR").then(k => S.encrypt({name: "AES-CTR", counter: un("ffffffffffffffffffffffffffffffff"), length: 128}, k, new Uint8Array(40))).then(hex)`,
	`imp("AES-CTR").then(k => S.encrypt({name: "AES-CTR", counter: un("ffffffffffffffffffffffffffffffff"), length: 4}, k, new Uint8Array(250))).then(hex)`,
	`imp("AES-CTR").then(k => err(S.encrypt({name: "AES-CTR", counter: K16, length: 1}, k, new Uint8Array(40))))`, `imp("AES-CTR").then(k => err(S.encrypt({name: "AES-CTR", counter: K16, length: 129}, k, U())))`,
	`Promise.all([imp("AES-KW", K16, "wrapKey", "unwrapKey"), imp("AES-GCM", K32)]).then(([w, k]) => S.wrapKey("raw", k, w, "AES-KW")).then(hex)`,
	`Promise.all([imp("AES-KW", K16, "wrapKey", "unwrapKey"), imp("AES-GCM", K32)]).then(async ([w, k]) => hex(await S.exportKey("raw", await S.unwrapKey("raw", await S.wrapKey("raw", k, w, "AES-KW"), w, "AES-KW", "AES-CBC", true, ["encrypt"]))))`,
	`imp("AES-KW", K16, "unwrapKey").then(w => err(S.unwrapKey("raw", new Uint8Array(24), w, "AES-KW", "AES-CBC", true, ["encrypt"])))`,
	`Promise.all([imp("AES-GCM", K16, "wrapKey", "unwrapKey"), imp("AES-CBC", K32)]).then(async ([w, k]) => { let a = {name: "AES-GCM", iv: new Uint8Array(12)}; return hex(await S.exportKey("raw", await S.unwrapKey("jwk", await S.wrapKey("jwk", k, w, a), w, a, "AES-CBC", true, ["encrypt"]))) })`,
	`S.generateKey({name: "AES-GCM", length: 256}, true, ["decrypt", "encrypt"]).then(k => JSON.stringify([k.type, k.extractable, k.algorithm]))`,
	`imp("AES-CTR").then(k => S.exportKey("jwk", k)).then(j => JSON.stringify(Object.entries(j).sort()))`,
	`err(imp("AES-GCM", U(1, 2)))`, `err(S.generateKey({name: "AES-GCM", length: 100}, true, ["encrypt"]))`, `err(S.generateKey({name: "AES-GCM"}, true, ["encrypt"]))`, `err(S.generateKey({name: "AES-KW", length: 128}, true, ["encrypt"]))`, `err(imp("AES-GCM", K16, "sign"))`,
	`imp("AES-GCM").then(k => err(S.encrypt({name: "AES-CBC", iv: K16}, k, U())))`,
	`err(S.importKey("jwk", {kty: "oct", k: "AAECAwQFBgcICQoLDA0ODw", alg: "A256GCM"}, "AES-GCM", true, ["encrypt"]))`,
	`kdf("PBKDF2", "password").then(k => S.deriveBits({name: "PBKDF2", hash: "SHA-256", salt: T("salt"), iterations: 1000}, k, 256)).then(hex)`,
	`kdf("PBKDF2", "").then(k => S.deriveBits({name: "PBKDF2", hash: "SHA-512", salt: U(), iterations: 1}, k, 1024)).then(hex)`,
	`kdf("PBKDF2", "p").then(k => S.deriveKey({name: "PBKDF2", hash: "SHA-1", salt: T("s"), iterations: 10}, k, {name: "AES-GCM", length: 256}, true, ["encrypt"])).then(k => S.exportKey("raw", k)).then(hex)`,
	`kdf("PBKDF2", "p").then(k => S.deriveKey({name: "PBKDF2", hash: "SHA-1", salt: T("s"), iterations: 10}, k, {name: "HMAC", hash: "SHA-384"}, true, ["sign"])).then(k => S.exportKey("raw", k)).then(hex)`,
	`kdf("PBKDF2", "p").then(k => err(S.deriveBits({name: "PBKDF2", hash: "SHA-256", salt: T("s"), iterations: 0}, k, 8)))`, `kdf("PBKDF2", "p").then(k => err(S.deriveBits({name: "PBKDF2", hash: "SHA-256", salt: T("s"), iterations: 1}, k, 7)))`, `kdf("PBKDF2", "p").then(k => err(S.deriveBits({name: "PBKDF2", hash: "SHA-256", salt: T("s"), iterations: 1}, k, null)))`,
	`err(S.importKey("raw", U(1), "PBKDF2", true, ["deriveBits"]))`, `err(S.importKey("raw", U(1), "HKDF", false, ["sign"]))`, `err(S.importKey("jwk", {kty: "oct", k: "AA"}, "PBKDF2", false, ["deriveBits"]))`,
	`kdf("HKDF", "secret").then(k => S.deriveBits({name: "HKDF", hash: "SHA-256", salt: T("salt"), info: T("info")}, k, 512)).then(hex)`,
	`kdf("HKDF", "secret").then(k => S.deriveKey({name: "HKDF", hash: "SHA-512", salt: U(), info: U()}, k, {name: "AES-CBC", length: 128}, true, ["encrypt"])).then(k => S.exportKey("raw", k)).then(hex)`,
	`kdf("HKDF", "secret").then(k => err(S.deriveBits({name: "HKDF", hash: "SHA-256", salt: U(), info: U()}, k, 255 * 256 + 8)))`, `kdf("HKDF", "secret").then(k => err(S.deriveBits({name: "HKDF", hash: "SHA-256", salt: U()}, k, 8)))`,
}

func TestAESAgainstNode(t *testing.T) {
	want := nodeOutcomes(t, aesPrelude, aesAlike)
	for i, src := range aesAlike {
		if got := outcome(t, newTestRealm(t), "{"+aesPrelude+src+"}"); got != want[i] {
			t.Errorf("%s\n got %s\nnode %s", src, got, want[i])
		}
	}
}

func TestKDFHostile(t *testing.T) {
	rows := []script{
		{`imp("AES-GCM").then(async k => { let a = {name: "AES-GCM", iv: U(1, 2, 3), tagLength: 64}; return hex(await S.decrypt(a, k, await S.encrypt(a, k, T("round trip")))) })`, "726f756e642074726970"},
		{`imp("AES-GCM").then(k => err(S.encrypt({name: "AES-GCM", iv: U()}, k, U())))`, "OperationError"},
		{`kdf("PBKDF2", "p").then(k => S.deriveBits({name: "PBKDF2", hash: "SHA-256", salt: U(), iterations: 4e9}, k, 8))`, "! NotSupportedError: Pbkdf2 failed: iteration counts above 100000 are not supported (requested 4000000000)."},
		{`kdf("PBKDF2", "p").then(k => err(S.deriveBits({name: "PBKDF2", hash: "SHA-256", salt: U(), iterations: 1e5}, k, 1e6)))`, "OperationError"},
		{`kdf("PBKDF2", "p").then(k => err(S.deriveBits({name: "PBKDF2", hash: "SHA-256", salt: U(), iterations: 1}, k, 4e9)))`, "OperationError"},
		{`kdf("HKDF", "p").then(k => err(S.deriveBits({name: "HKDF", hash: "SHA-256", salt: U(), info: U()}, k, 2 ** 32 - 8)))`, "OperationError"},
	}
	for i := range rows {
		rows[i].src = "{" + aesPrelude + rows[i].src + "}"
	}
	runScripts(t, rows)
}
