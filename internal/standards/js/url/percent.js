// Percent-encode sets: URL, 1.3. Each part of a URL is given all printable ASCII and
// says which of it comes back encoded.
import { is, test } from "../harness.js"

const ascii = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i))
const hex = (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")

/** Lists the characters that make returns encoded; those in skip divide parts. */
function encoded(skip, make) {
	return ascii.filter((c) => !skip.includes(c)).filter((c) => {
		const got = make(c)
		if (got !== "a" + c + "b" && got !== "a" + hex(c) + "b") throw new Error(JSON.stringify(c) + " gives " + got)
		return got !== "a" + c + "b"
	}).join("")
}

for (const [set, skip, want, make] of [
	["path", "?#\\", " \"<>^`{}", (c) => new URL("https://s.test/a" + c + "b").pathname.slice(1)],
	["path of another scheme", "?#", " \"<>^`{}", (c) => new URL("z://s/a" + c + "b").pathname.slice(1)],
	["opaque path", "?#", "", (c) => new URL("z:a" + c + "b").pathname],
	["special-query", "#", " \"'<>", (c) => new URL("https://s.test/?a" + c + "b").search.slice(1)],
	["query", "#", " \"<>", (c) => new URL("z://s/?a" + c + "b").search.slice(1)],
	["fragment", "", " \"<>`", (c) => new URL("https://s.test/#a" + c + "b").hash.slice(1)],
	["userinfo of a user name", "", " \"#/:;<=>?@[\\]^`{|}", (c) => { const u = new URL("https://s.test"); u.username = "a" + c + "b"; return u.username }],
	["userinfo of a password", "", " \"#/:;<=>?@[\\]^`{|}", (c) => { const u = new URL("https://s.test"); u.password = "a" + c + "b"; return u.password }],
	["path by its setter", "\\", " \"#<>?^`{}", (c) => { const u = new URL("https://s.test"); u.pathname = "a" + c + "b"; return u.pathname.slice(1) }],
	["query by its setter", "", " \"#'<>", (c) => { const u = new URL("https://s.test"); u.search = "a" + c + "b"; return u.search.slice(1) }],
	["fragment by its setter", "", " \"<>`", (c) => { const u = new URL("https://s.test"); u.hash = "a" + c + "b"; return u.hash.slice(1) }],
	["application/x-www-form-urlencoded", " ", "!\"#$%&'()+,/:;<=>?@[\\]^`{|}~", (c) => new URLSearchParams([["x", "a" + c + "b"]]).toString().slice(2)],
]) test("percent-encode set of " + set, () => { is(encoded(skip, make), want) })

test("C0 controls and DEL are encoded everywhere", () => {
	for (let i = 0; i < 0x21; i++) {
		if (i === 32) i = 127
		if (i === 9 || i === 10 || i === 13) continue
		const c = String.fromCharCode(i), e = hex(c)
		is(new URL("https://s.test/a" + c + "b?a" + c + "b#a" + c + "b").href, "https://s.test/a" + e + "b?a" + e + "b#a" + e + "b")
		is(new URL("z:a" + c + "b").href, "z:a" + e + "b")
	}
})
test("tab and newlines are dropped everywhere", () => {
	for (const c of "\t\n\r") is(new URL("https://s.te" + c + "st/a" + c + "b?a" + c + "b#a" + c + "b").href, "https://s.test/ab?ab#ab")
})
