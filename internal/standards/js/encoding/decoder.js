// TextDecoder: WHATWG Encoding, 8 and 9.
import { is, ok, same, test, throws } from "../harness.js"

const decode = (label, bytes, options) => new TextDecoder(label, options).decode(new Uint8Array(bytes))

test("the default is UTF-8, not fatal, without the mark", () => {
	const d = new TextDecoder()
	same([d.encoding, d.fatal, d.ignoreBOM], ["utf-8", false, false])
})
const labels = {
	"utf-8": ["utf8", "unicode-1-1-utf-8", "UTF-8", " utf-8\n", "x-unicode20utf8"],
	"windows-1252": ["latin1", "iso-8859-1", "ascii", "us-ascii", "l1", "cp1252", "x-cp1252", "iso88591"],
	"utf-16le": ["utf-16", "ucs-2", "unicode", "csunicode", "iso-10646-ucs-2", "utf-16le"], "utf-16be": ["unicodefffe", "utf-16be"],
	"shift_jis": ["sjis", "ms_kanji", "x-sjis", "windows-31j", "shift-jis"], "euc-jp": ["x-euc-jp"], "iso-2022-jp": ["csiso2022jp"],
	"euc-kr": ["korean", "ks_c_5601-1987", "windows-949", "ksc5601"], "gbk": ["gb2312", "chinese", "x-gbk", "gb_2312-80"], "gb18030": [], "big5": ["big5-hkscs", "cn-big5", "x-x-big5"],
	"koi8-r": ["koi", "koi8", "cskoi8r"], "koi8-u": ["koi8-ru"], "macintosh": ["mac", "x-mac-roman"], "x-mac-cyrillic": ["x-mac-ukrainian"], "ibm866": ["866", "cp866"],
	"iso-8859-2": ["latin2", "l2"], "iso-8859-5": ["cyrillic"], "iso-8859-7": ["greek", "elot_928"], "iso-8859-8": ["hebrew", "visual"], "iso-8859-8-i": ["logical"], "iso-8859-15": ["l9", "latin-9".replace("-", "") === "latin9" ? "iso8859-15" : ""],
	"windows-874": ["tis-620", "iso-8859-11", "dos-874"], "windows-1250": ["cp1250"], "windows-1251": ["x-cp1251"], "windows-1253": [], "windows-1254": ["latin5", "iso-8859-9", "l5"], "windows-1255": [], "windows-1256": [], "windows-1257": [], "windows-1258": ["x-cp1258"],
	"iso-8859-3": [], "iso-8859-4": [], "iso-8859-6": ["arabic"], "iso-8859-10": ["l6"], "iso-8859-13": [], "iso-8859-14": [], "iso-8859-16": [], "x-user-defined": [],
}
for (const [name, others] of Object.entries(labels)) test("labels of " + name, () => {
	for (const label of [name, name.toUpperCase(), ...others]) is(new TextDecoder(label).encoding, name, label)
})
test("a label that is none throws", () => {
	for (const label of ["", "utf-9", "utf_8", "latin-2x", "\u00a0utf-8", "utf-8\0", "replacement", "iso-2022-cn", "hz-gb-2312", "utf-7", "utf-32"]) throws(() => new TextDecoder(label), RangeError, label)
})
test("ASCII white space around a label is dropped", () => { is(new TextDecoder("\t\n\f\r utf-16be ").encoding, "utf-16be") })

// The maximal subpart of an ill-formed sequence becomes one U+FFFD.
const broken = [
	[[0x80], "\ufffd"], [[0xc0, 0x80], "\ufffd\ufffd"], [[0xc3], "\ufffd"], [[0xc3, 0x28], "\ufffd("], [[0xe2, 0x82], "\ufffd"], [[0xe2, 0x28, 0xa1], "\ufffd(\ufffd"],
	[[0xe2, 0x82, 0x28], "\ufffd("], [[0xed, 0xa0, 0x80], "\ufffd\ufffd\ufffd"], [[0xed, 0xbf, 0xbf], "\ufffd\ufffd\ufffd"], [[0xf0, 0x9f, 0x98], "\ufffd"], [[0xf0, 0x9f, 0x41], "\ufffdA"],
	[[0xf0, 0x80, 0x80, 0x80], "\ufffd\ufffd\ufffd\ufffd"], [[0xf4, 0x90, 0x80, 0x80], "\ufffd\ufffd\ufffd\ufffd"], [[0xf5, 0x80], "\ufffd\ufffd"], [[0xff, 0xfe], "\ufffd\ufffd"], [[0xe0, 0x9f, 0xbf], "\ufffd\ufffd\ufffd"],
	[[0x41, 0xc3, 0xa9, 0xff, 0x42], "Aé\ufffdB"], [[0xf0, 0x9f, 0x98, 0x80, 0xf0], "😀\ufffd"],
]
for (const [bytes, want] of broken) {
	test("broken UTF-8 " + bytes.map((b) => b.toString(16)), () => { is(decode("utf-8", bytes), want) })
	test("broken UTF-8 is fatal " + bytes.map((b) => b.toString(16)), () => { throws(() => decode("utf-8", bytes, { fatal: true }), TypeError) })
}
test("well-formed UTF-8 at its edges", () => {
	for (const c of ["\0", "\x7f", "\x80", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{10ffff}"]) is(decode("utf-8", new TextEncoder().encode(c), { fatal: true }), c)
})
test("a mark is dropped once", () => {
	is(decode("utf-8", [0xef, 0xbb, 0xbf, 0x41]), "A")
	is(decode("utf-8", [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf]), "\ufeff")
	is(decode("utf-8", [0x41, 0xef, 0xbb, 0xbf]), "A\ufeff")
})
test("ignoreBOM keeps it", () => { is(decode("utf-8", [0xef, 0xbb, 0xbf, 0x41], { ignoreBOM: true }), "\ufeffA") })
test("the mark of another encoding is a character or broken", () => {
	is(decode("utf-8", [0xff, 0xfe, 0x41]), "\ufffd\ufffdA")
	is(decode("utf-16le", [0xfe, 0xff, 0x41, 0]), "\ufffeA")
})
test("a mark in a stream is dropped at its start alone", () => {
	const d = new TextDecoder()
	is(d.decode(new Uint8Array([0xef]), { stream: true }) + d.decode(new Uint8Array([0xbb, 0xbf]), { stream: true }) + d.decode(new Uint8Array([0x41])), "A")
	is(d.decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x42])), "B")
})
test("stream keeps what is not complete", () => {
	const d = new TextDecoder()
	same([d.decode(new Uint8Array([0xf0, 0x9f]), { stream: true }), d.decode(new Uint8Array([0x98]), { stream: true }), d.decode(new Uint8Array([0x80]), { stream: true }), d.decode()], ["", "", "😀", ""])
})
test("the end of a stream shows what is not complete", () => {
	const d = new TextDecoder()
	d.decode(new Uint8Array([0xe2, 0x82]), { stream: true })
	is(d.decode(), "\ufffd")
	is(d.decode(new Uint8Array([0xac])), "\ufffd")
})
test("a fatal decoder can be used after an error", () => {
	const d = new TextDecoder("utf-8", { fatal: true })
	throws(() => d.decode(new Uint8Array([0xff])), TypeError)
	is(d.decode(new Uint8Array([0x41])), "A")
})
test("UTF-16 in either order", () => {
	is(decode("utf-16le", [0x3d, 0xd8, 0, 0xde, 0x41, 0]), "😀A")
	is(decode("utf-16be", [0xd8, 0x3d, 0xde, 0, 0, 0x41]), "😀A")
	is(decode("utf-16le", [0xff, 0xfe, 0x41, 0]), "A")
	is(decode("utf-16be", [0xfe, 0xff, 0, 0x41]), "A")
})
test("UTF-16 that is broken", () => {
	is(decode("utf-16le", [0x3d, 0xd8]), "\ufffd")
	is(decode("utf-16le", [0, 0xde]), "\ufffd")
	is(decode("utf-16le", [0x3d, 0xd8, 0x41, 0]), "\ufffdA")
	is(decode("utf-16le", [0x41]), "\ufffd")
	is(decode("utf-16le", [0x3d, 0xd8, 0x00]), "\ufffd")
	throws(() => decode("utf-16le", [0x3d, 0xd8], { fatal: true }), TypeError)
})
test("UTF-16 by single bytes", () => {
	const d = new TextDecoder("utf-16le")
	let s = ""
	for (const b of [0x3d, 0xd8, 0, 0xde, 0x41, 0]) s += d.decode(new Uint8Array([b]), { stream: true })
	is(s + d.decode(), "😀A")
})
const legacy = [
	["windows-1252", [0x80, 0xe9, 0x9f, 0x81], "€éŸ\x81"], ["iso-8859-2", [0xb1, 0xe6], "ąć"], ["iso-8859-5", [0xd0, 0xf0], "а№"], ["iso-8859-7", [0xe1, 0xd2], "α\ufffd"], ["iso-8859-15", [0xa4], "€"],
	["koi8-r", [0xc1, 0xd1], "ая"], ["windows-1251", [0xe0, 0xff], "ая"], ["ibm866", [0xa0, 0xef], "ая"], ["macintosh", [0x8e, 0xdb], "é€"], ["windows-874", [0xa1], "ก"], ["windows-1254", [0xfd], "ı"], ["windows-1255", [0xe0], "א"], ["windows-1256", [0xc7], "ا"],
	["shift_jis", [0x82, 0xa0, 0xb1, 0x83, 0x5c], "あｱソ"], ["euc-jp", [0xa4, 0xa2, 0x8e, 0xb1], "あｱ"], ["iso-2022-jp", [0x1b, 0x24, 0x42, 0x24, 0x22, 0x1b, 0x28, 0x42, 0x41], "あA"],
	["euc-kr", [0xb0, 0xa1, 0xc8, 0xfe], "가힝"], ["gbk", [0xc4, 0xe3, 0xba, 0xc3, 0x80], "你好€"], ["gb18030", [0x81, 0x30, 0x81, 0x30, 0xc4, 0xe3], "\x80你"], ["big5", [0xa7, 0x41, 0xa6, 0x6e], "你好"], ["x-user-defined", [0x41, 0x80, 0xff], "A\uf780\uf7ff"],
]
for (const [label, bytes, want] of legacy) test(label + " decodes", () => { is(decode(label, bytes), want) })
test("a legacy encoding by single bytes", () => {
	const d = new TextDecoder("shift_jis")
	is(d.decode(new Uint8Array([0x82]), { stream: true }) + d.decode(new Uint8Array([0xa0])), "あ")
})
test("a broken pair keeps its ASCII byte", () => {
	is(decode("shift_jis", [0x82, 0x22]), "\ufffd\"")
	is(decode("euc-kr", [0xb0, 0x41 - 1]), "\ufffd@")
	is(decode("big5", [0xa7, 0x20]), "\ufffd ")
	throws(() => decode("gbk", [0xc4], { fatal: true }), TypeError)
})
test("every kind of buffer", () => {
	const b = new Uint8Array([0x61, 0x62, 0x63, 0x64])
	is(new TextDecoder().decode(b.buffer), "abcd")
	is(new TextDecoder().decode(new DataView(b.buffer, 1, 2)), "bc")
	is(new TextDecoder().decode(new Uint16Array(b.buffer, 2)), "cd")
	is(new TextDecoder().decode(b.subarray(3)), "d")
})
test("nothing decodes to nothing", () => {
	is(new TextDecoder().decode(), "")
	is(new TextDecoder().decode(undefined), "")
	is(new TextDecoder().decode(new Uint8Array()), "")
})
test("what is no buffer throws", () => {
	for (const v of ["x", 5, {}, [1], true]) throws(() => new TextDecoder().decode(v), TypeError)
})
test("a detached buffer is empty", () => {
	const b = new ArrayBuffer(4)
	structuredClone(b, { transfer: [b] })
	is(new TextDecoder().decode(b), "")
})
test("members check what they are called on", () => {
	throws(() => TextDecoder.prototype.decode.call({}), TypeError)
	is(Object.prototype.toString.call(new TextDecoder()), "[object TextDecoder]")
})
