package webapi

import "testing"

const rsaPrelude = aesPrelude + `
const R = {"kty":"RSA","n":"vK7XijhmkyXN-lHZyG3Rw84xYbEvz9sS0eI9iLBdmRyZYKS4TX5Vc_v-pXfWii7c4YHlUUc9JG1lE5ulnxhpbacIkb8ZSe6nhpZfZlsy8myMuPaGwVAOZEpl-W1D-qg9TJgw193-mDXPAXNVvnnOnihzewpS_NG8pQTcKCIYN3U3rMMeG-gL32zGiSjKN7Ykg8mWxkJ46f4hWUnq-dWII-kxMkLH32AcongilxW0bhXDqPxwqSR1i53-n2bSwuOhQZNom2ymtEVnTAEeQkv8DsnhLlI66gFHMnJnI1E_Ao9ueqWCRiiEPQjeqYYk8hizIuFO3gwK20Ewk3elgd_BVQ","e":"AQAB","d":"LuQIvtn7a_BGO0JiLDRWoCG7Ffsx1actCyn9ft3NtQJtf54QC3otBHEIvNiGYbr5u7VLZyKcKFRjfTb-NwabFNwg_g-O2lfMHF98f_SEOckOQ91IafxaR0RSCWXFMiLjcQiVguAxqGQe-M5P7dFZruaApIBRVXFOP3hwuiyW9hjnAw5wLdjdhePEopYU5Zl7eZ9LOY7ssNkCipUPuyyuNrdo6Sjx0ppnrBxBuY0OAQGJNmQWXgU68-Ruz5oMeVEH3Wphtw97eCWcnOpZboRxmonse1BSkF_k-iCAYgz5YtrRWBVoncTs_HksDRx1aQTTEiAddBlXZ2gkq4wPcsUf4Q","p":"59jsFO6cFHhdtspvRbrLGGAv_Xc9-0xzgs9IeQk2rPuGXkq7L8GJyv9CIbRtKVZOofR6wxMZRJyFL0IoIOrOG5DdNXwM_Bn45AuQGDh07ZEplzTLvgZVh7n944OA1sctv_JWPgjsW2TrSUUATgGG83RWGkp3y2doU9zzLTE6xb0","q":"0FbHsPp6xNtuRfN2lRths60a7e_fsNgYkB3HABslqewtEu5Ka3f6BqeAyuWZ4qg_7-1ao2ImJeXhTGqjjmjrBIswV7kT1Yzf14IIll0dxS6WYuJUHQeYXK6kuqkE7hbxo-ygTECrMhyQscJiDp8NQoULkM6CYl3FNqAHdt8ip3k","dp":"zDChI4JOljy4FH_PZjMwIaS9P1dgkE1xwjg61NaHf-v6GFtq5pFmgRE0tiiIp4pqsHp4EAxnCaVsKwXx_6OsqFx6Zlt9uB5LtNR2MM6wNHbPkWsfMZm0hFgLQfAUbZR4N3__8py7RXbpPdt2fD0eFJZWKsuBG_RTzuBej2O3JmU","dq":"YfC51aga-NpTH81RbM0_g_EX3M1Mcl1URsPI3nLkpNojYmflUlpHjsNF15xSWGxSCl-hoXctidlkrcDf_L2z5iHs6wBVo6mjPTOjB9TkfuLkzb2qXy9H4CI1zI5Sg_8DP9WokdBA6sDlALvpzwfUevYCtuNuBgIhCQn4GFjTeLk","qi":"3q4Yd7LzFj7ZKQuQ9AGyNLERdfGVIC9pNTZfIGIhWem-tqHt9fKc6_m-ZWJCBGqK5xYXI9aiqSseqHN1fdz9BtkuymzK_i2V1uHkjpHSHAnz6JP5f1LTuWLeLf6JtRNhtnQNtryZ63_hN64gjhM7cIatekg02Q8bAnNAu3JRqMA"};
const RP = {kty: R.kty, n: R.n, e: R.e}, PK = {name: "RSASSA-PKCS1-v1_5", hash: "SHA-256"}, PSS = {name: "RSA-PSS", hash: "SHA-256"}, OAEP = {name: "RSA-OAEP", hash: "SHA-1"};
const sorted = j => JSON.stringify(Object.entries(j).sort());
const both = (alg, u, v) => Promise.all([S.importKey("jwk", R, alg, true, [u]), S.importKey("jwk", RP, alg, true, [v])]);
`

// rsaAlike are scripts whose outcome Node shares.
var rsaAlike = []string{
	`both(PK, "sign", "verify").then(([s, p]) => S.sign("RSASSA-PKCS1-v1_5", s, T("m"))).then(hex)`,
	`both({...PK, hash: "SHA-512"}, "sign", "verify").then(([s, p]) => S.sign("RSASSA-PKCS1-v1_5", s, T("m"))).then(hex)`,
	`both(PK, "sign", "verify").then(async ([s, p]) => { let x = await S.sign(PK, s, T("m")); return [await S.verify(PK, p, x, T("m")), await S.verify(PK, p, x, T("n")), await S.verify(PK, p, U(1), T("m"))].join() })`,
	`both(PK, "sign", "verify").then(([s, p]) => JSON.stringify([s.type, s.usages, p.type, p.usages, s.algorithm.name, s.algorithm.hash, s.algorithm.modulusLength, [...s.algorithm.publicExponent]]))`,
	`both(PK, "sign", "verify").then(([s]) => S.exportKey("jwk", s)).then(sorted)`, `both(PK, "sign", "verify").then(([s, p]) => S.exportKey("jwk", p)).then(sorted)`, `both(PK, "sign", "verify").then(([s, p]) => S.exportKey("spki", p)).then(hex)`, `both(PK, "sign", "verify").then(([s, p]) => S.exportKey("pkcs8", s)).then(hex)`,
	`both(OAEP, "decrypt", "encrypt").then(([s]) => S.exportKey("jwk", s)).then(j => j.alg)`, `both({...OAEP, hash: "SHA-384"}, "decrypt", "encrypt").then(([s]) => S.exportKey("jwk", s)).then(j => j.alg)`,
	`both(PK, "sign", "verify").then(async ([s]) => S.exportKey("jwk", await S.importKey("pkcs8", await S.exportKey("pkcs8", s), PSS, true, ["sign"]))).then(sorted)`, `both(PK, "sign", "verify").then(async ([s, p]) => S.exportKey("jwk", await S.importKey("spki", await S.exportKey("spki", p), PSS, true, ["verify"]))).then(sorted)`,
	`both(PSS, "sign", "verify").then(async ([s, p]) => { let a = {name: "RSA-PSS", saltLength: 32}, x = await S.sign(a, s, T("m")); return [x.byteLength, await S.verify(a, p, x, T("m")), await S.verify(a, p, x, T("n")), await S.verify({...a, saltLength: 20}, p, x, T("m"))].join() })`,
	`both(PSS, "sign", "verify").then(([s]) => err(S.sign("RSA-PSS", s, T("m"))))`,
	`both(OAEP, "decrypt", "encrypt").then(async ([s, p]) => { let a = {name: "RSA-OAEP", label: T("l")}; return [hex(await S.decrypt(a, s, await S.encrypt(a, p, T("secret")))), await err(S.decrypt("RSA-OAEP", s, await S.encrypt(a, p, T("secret")))), await err(S.encrypt(a, p, new Uint8Array(300)))].join() })`,
	`both(OAEP, "unwrapKey", "wrapKey").then(async ([s, p]) => { let k = await imp("AES-GCM", K32), w = await S.wrapKey("raw", k, p, "RSA-OAEP"); return w.byteLength + hex(await S.exportKey("raw", await S.unwrapKey("raw", w, s, "RSA-OAEP", "AES-GCM", true, ["encrypt"]))) })`,
	`err(S.importKey("jwk", R, PK, true, ["verify"]))`, `err(S.importKey("jwk", RP, PK, true, ["sign"]))`, `err(S.importKey("jwk", {...R, alg: "RS512"}, PK, true, ["sign"]))`, `err(S.importKey("jwk", {kty: "RSA", n: R.n}, PK, true, ["verify"]))`, `err(S.importKey("spki", U(1), PK, true, ["verify"]))`, `err(S.importKey("jwk", RP, {name: "RSA-PSS"}, true, ["verify"]))`, `err(S.generateKey({name: "RSA-PSS", hash: "SHA-256", modulusLength: 2048}, true, ["sign"]))`,
	`S.generateKey({name: "RSA-PSS", hash: "SHA-256", modulusLength: 2048, publicExponent: U(1, 0, 1)}, false, ["sign", "verify"]).then(k => [k.publicKey.usages, k.privateKey.usages, k.privateKey.extractable, k.publicKey.algorithm.modulusLength].join())`,
}

func TestRSAAgainstNode(t *testing.T) {
	want := nodeOutcomes(t, rsaPrelude, rsaAlike)
	for i, src := range rsaAlike {
		if got := outcome(t, newTestRealm(t), "{"+rsaPrelude+src+"}"); got != want[i] {
			t.Errorf("%s\n got %s\nnode %s", src, got, want[i])
		}
	}
}

func TestRSAHostile(t *testing.T) {
	rows := []script{
		{`err(S.generateKey({name: "RSA-PSS", hash: "SHA-256", modulusLength: 1e9, publicExponent: U(1, 0, 1)}, true, ["sign"]))`, "OperationError"},
		{`err(S.generateKey({name: "RSA-PSS", hash: "SHA-256", modulusLength: 2048, publicExponent: U(4)}, true, ["sign"]))`, "OperationError"},
		{`err(S.importKey("jwk", {...RP, n: "_".repeat(1e6)}, PK, true, ["verify"]))`, "DataError"},
		{`err(S.importKey("jwk", {...RP, n: "AA"}, PK, true, ["verify"]))`, "DataError"},
		{`err(S.importKey("jwk", {...R, d: R.n}, PK, true, ["sign"]))`, "DataError"},
		{`err(S.importKey("jwk", {...R, p: "AQ", q: "AQ"}, PK, true, ["sign"]))`, "DataError"},
		{`S.importKey("jwk", {...RP, n: "Aw"}, PK, true, ["verify"]).then(k => S.verify(PK, k, U(1), U(1)))`, "false"},
		{`both(PSS, "sign", "verify").then(([s]) => err(S.sign({name: "RSA-PSS", saltLength: 1e6}, s, T("m"))))`, "OperationError"},
		{`both(PSS, "sign", "verify").then(([s]) => err(S.sign({name: "RSA-PSS", saltLength: 300}, s, T("m"))))`, "OperationError"},
	}
	for i := range rows {
		rows[i].src = "{" + rsaPrelude + rows[i].src + "}"
	}
	runScripts(t, rows)
}
