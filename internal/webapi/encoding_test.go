package webapi

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTextEncoder(t *testing.T) {
	runScripts(t, []script{
		{`new TextEncoder().encode("aé\u20ac😀").join()`, "97,195,169,226,130,172,240,159,152,128"},
		{`new TextEncoder().encode("\ud800a").join()`, "239,191,189,97"},
		{`new TextEncoder().encode().length + new TextEncoder().encode(undefined).length`, "0"},
		{`new TextEncoder().encode(null).length`, "4"},
		{`new TextEncoder().encoding`, "utf-8"},
		{`new TextEncoder().encode("a") instanceof Uint8Array`, "true"},
		{`let u = new Uint8Array(5), r = new TextEncoder().encodeInto("aé😀", u); [r.read, r.written, u.join(".")].join()`, "2,3,97.195.169.0.0"},
		{`let u = new Uint8Array(7), r = new TextEncoder().encodeInto("aé😀", u); [r.read, r.written].join()`, "4,7"},
		{`let u = new Uint8Array(10).subarray(3, 5), r = new TextEncoder().encodeInto("abc", u); [r.read, u.buffer.byteLength, new Uint8Array(u.buffer).join("")].join()`, "2,10,000979800000"},
		{`new TextEncoder().encodeInto("a", new Uint8ClampedArray(3))`, "! TypeError: Failed to execute 'encodeInto' on 'TextEncoder': parameter 2 is not of type 'Uint8Array'."},
		{`new TextEncoder().encodeInto("a", {length: 1e12})`, "! TypeError: Failed to execute 'encodeInto' on 'TextEncoder': parameter 2 is not of type 'Uint8Array'."},
		{`TextEncoder.prototype.encode.call({}, "a")`, "! TypeError: Illegal invocation: function called with incorrect `this` reference."},
	})
}

func TestTextDecoder(t *testing.T) {
	runScripts(t, []script{
		{`new TextDecoder().decode(new Uint8Array([97, 195, 169, 240, 159, 152, 128]))`, "aé😀"},
		{`new TextDecoder().decode() + new TextDecoder().decode(undefined) + "|"`, "|"},
		{`new TextDecoder().decode(new Uint8Array([97, 255, 98, 226, 130]))`, "a\uFFFDb\uFFFD"},
		{`new TextDecoder().decode(new Uint8Array([0xF0, 0x80, 0x80, 0x41, 0xED, 0xA0, 0x80]))`, "\uFFFD\uFFFD\uFFFDA\uFFFD\uFFFD\uFFFD"},
		{`new TextDecoder("utf-8", {fatal: true}).decode(new Uint8Array([255]))`, "! TypeError: Failed to decode input."},
		{`new TextDecoder("utf-8", {fatal: true}).decode(new Uint8Array([226, 130]))`, "! TypeError: Failed to decode input."},
		{`let d = new TextDecoder("utf-8", {fatal: true}); d.decode(new Uint8Array([226, 130]), {stream: true}) + d.decode(new Uint8Array([172]))`, "€"},
		{`let d = new TextDecoder; [226, 130, 172, 240, 159, 152, 128, 97].map(b => d.decode(new Uint8Array([b]), {stream: true})).join("|") + d.decode()`, "||€||||😀|a"},
		{`let d = new TextDecoder; d.decode(new Uint8Array([226, 130]), {stream: true}) + d.decode()`, "\uFFFD"},
		{`let d = new TextDecoder; d.decode(new Uint8Array([226, 130]), {stream: true}) + d.decode(new Uint8Array([97]))`, "\uFFFDa"},
		{`new TextDecoder().decode(new Uint8Array([239, 187, 191, 97])).length + new TextDecoder("utf-8", {ignoreBOM: true}).decode(new Uint8Array([239, 187, 191, 97])).length`, "3"},
		{`let d = new TextDecoder; d.decode(new Uint8Array([239, 187]), {stream: true}) + d.decode(new Uint8Array([191, 97, 239, 187, 191])).length`, "2"},
		{`let d = new TextDecoder, u = new Uint8Array([239, 187, 191, 97]); d.decode(u) + d.decode(u)`, "aa"},
		{`new TextDecoder("utf-16").decode(new Uint8Array([0xFF, 0xFE, 0x61, 0, 0x3D, 0xD8, 0, 0xDE]))`, "a😀"},
		{`new TextDecoder("utf-16be").decode(new Uint8Array([0, 0x61, 0xD8, 0x3D, 0xDE, 0]))`, "a😀"},
		{`new TextDecoder("utf-16le").decode(new Uint8Array([0x3D, 0xD8, 0x61, 0, 0x62]))`, "\uFFFDa\uFFFD"},
		{`let d = new TextDecoder("utf-16le"); [0x3D, 0xD8, 0, 0xDE, 0x61, 0].map(b => d.decode(new Uint8Array([b]), {stream: true})).join("|") + d.decode()`, "|||😀||a"},
		{`let d = new TextDecoder("utf-16le", {fatal: true}); try { d.decode(new Uint8Array([0, 0xDC])) } catch (e) { e.name }`, "TypeError"},
		{`new TextDecoder("latin1").encoding + new TextDecoder("ascii").decode(new Uint8Array([0x80, 0xE9]))`, "windows-1252€é"},
		{`new TextDecoder("shift_jis").decode(new Uint8Array([0x93, 0xFA, 0x96, 0x7B]))`, "日本"},
		{`let d = new TextDecoder("euc-jp"); d.decode(new Uint8Array([0xC6]), {stream: true}) + d.decode(new Uint8Array([0xFC]))`, "日"},
		{`new TextDecoder("gb18030").decode(new Uint8Array([0xC4, 0xE3, 0x84, 0x31, 0xA4, 0x37]))`, "你\uFFFD"},
		{`new TextDecoder("gb18030", {fatal: true}).decode(new Uint8Array([0x84, 0x31, 0xA4, 0x37]))`, "\uFFFD"},
		{`new TextDecoder("big5").decode(new Uint8Array([0xA7, 0x41]))`, "你"},
		{`new TextDecoder("euc-kr").decode(new Uint8Array([0xB0, 0xA1]))`, "가"},
		{`new TextDecoder("koi8-r").decode(new Uint8Array([0xD0]))`, "п"},
		{`new TextDecoder("iso-2022-jp").decode(new Uint8Array([0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42, 0x61]))`, "日a"},
		{`new TextDecoder("shift_jis", {fatal: true}).decode(new Uint8Array([0x93]))`, "! TypeError: Failed to decode input."},
		{`new TextDecoder("x-user-defined").decode(new Uint8Array([0x80])).charCodeAt(0).toString(16)`, "f780"},
		{`new TextDecoder("  UTF8\n").encoding`, "utf-8"},
		{`new TextDecoder("utf8\u00a0")`, "! RangeError: \"utf8\u00a0\" is not a valid encoding."},
		{`new TextDecoder("replacement")`, `! RangeError: "replacement" is not a valid encoding.`},
		{`new TextDecoder("iso-2022-kr")`, `! RangeError: "iso-2022-kr" is not a valid encoding.`},
		{`new TextDecoder("nope")`, `! RangeError: "nope" is not a valid encoding.`},
		{`let d = new TextDecoder("utf-8", {fatal: 1, ignoreBOM: "x"}); [d.encoding, d.fatal, d.ignoreBOM].join()`, "utf-8,true,true"},
		{`new TextDecoder().decode(new Uint8Array([97, 98, 99]).buffer) + new TextDecoder().decode(new DataView(new Uint8Array([97, 98]).buffer, 1))`, "abcb"},
		{`new TextDecoder().decode("abc")`, "! TypeError: Failed to execute 'decode' on 'TextDecoder': the value is neither an ArrayBuffer nor a view of one."},
		{`new TextDecoder().decode([97])`, "! TypeError: Failed to execute 'decode' on 'TextDecoder': the value is neither an ArrayBuffer nor a view of one."},
		{`let b = new ArrayBuffer(3); structuredClone(b, {transfer: [b]}); new TextDecoder().decode(b) + "|"`, "|"},
	})
}

// encodingLabels are the labels of the standard by name.
var encodingLabels = map[string]string{
	"utf-8":          "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
	"ibm866":         "866 cp866 csibm866 ibm866",
	"iso-8859-2":     "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
	"iso-8859-3":     "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
	"iso-8859-4":     "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
	"iso-8859-5":     "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
	"iso-8859-6":     "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
	"iso-8859-7":     "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek",
	"iso-8859-8":     "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 visual",
	"iso-8859-8-i":   "csiso88598i iso-8859-8-i logical",
	"iso-8859-10":    "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
	"iso-8859-13":    "iso-8859-13 iso8859-13 iso885913",
	"iso-8859-14":    "iso-8859-14 iso8859-14 iso885914",
	"iso-8859-15":    "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
	"iso-8859-16":    "iso-8859-16",
	"koi8-r":         "cskoi8r koi koi8 koi8-r koi8_r",
	"koi8-u":         "koi8-ru koi8-u",
	"macintosh":      "csmacintosh mac macintosh x-mac-roman",
	"windows-874":    "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
	"windows-1250":   "cp1250 windows-1250 x-cp1250",
	"windows-1251":   "cp1251 windows-1251 x-cp1251",
	"windows-1252":   "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252",
	"windows-1253":   "cp1253 windows-1253 x-cp1253",
	"windows-1254":   "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254",
	"windows-1255":   "cp1255 windows-1255 x-cp1255",
	"windows-1256":   "cp1256 windows-1256 x-cp1256",
	"windows-1257":   "cp1257 windows-1257 x-cp1257",
	"windows-1258":   "cp1258 windows-1258 x-cp1258",
	"x-mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
	"gbk":            "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk",
	"gb18030":        "gb18030",
	"big5":           "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
	"euc-jp":         "cseucpkdfmtjapanese euc-jp x-euc-jp",
	"iso-2022-jp":    "csiso2022jp iso-2022-jp",
	"shift_jis":      "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
	"euc-kr":         "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949",
	"utf-16be":       "unicodefffe utf-16be",
	"utf-16le":       "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
	"x-user-defined": "x-user-defined",
}

func TestEncodingLabels(t *testing.T) {
	n := 0
	for name, labels := range encodingLabels {
		for _, label := range strings.Fields(labels) {
			n++
			d, ok := newTextDecoder(strings.ToUpper(label), false, false)
			if !ok || d.name != name {
				t.Errorf("%s: %+v, want %s", label, d, name)
			}
		}
	}
	t.Logf("%d labels", n)
	for _, label := range strings.Fields("csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr replacement utf-7 utf-32") {
		if _, ok := newTextDecoder(label, false, false); ok {
			t.Errorf("%s is taken", label)
		}
	}
}

func FuzzTextDecoder(f *testing.F) {
	f.Add([]byte("a\xe2\x82\xac\xff"), "utf-8", 2)
	f.Add([]byte("\x3d\xd8\x00\xde"), "utf-16le", 3)
	f.Add([]byte("\x1b$BF|\x1b(B"), "iso-2022-jp", 1)
	f.Add([]byte("\x84\x31\xa4\x37\x81"), "gb18030", 4)
	f.Fuzz(func(t *testing.T, data []byte, label string, at int) {
		whole, ok := newTextDecoder(label, false, true)
		if !ok {
			return
		}
		want, _ := whole.decode(data, false)
		if !utf8.ValidString(want) {
			t.Errorf("%q is not valid", want)
		}
		if at < 0 || at > len(data) {
			return
		}
		got := ""
		for _, part := range [][]byte{data[:at], data[at:], nil} {
			s, _ := whole.decode(part, part != nil)
			got += s
		}
		if got != want && (whole.legacy == nil) {
			t.Errorf("%s: %q split at %d gives %q, want %q", label, data, at, got, want)
		}
	})
}

func TestBase64(t *testing.T) {
	runScripts(t, []script{
		{`btoa("abc") + btoa("ab") + btoa("")`, "YWJjYWI="},
		{`btoa("\xff\x00é")`, "/wDp"},
		{`btoa("€")`, "! InvalidCharacterError: btoa() can only operate on characters in the Latin1 (ISO/IEC 8859-1) range."},
		{`btoa("\ud800")`, "! InvalidCharacterError: btoa() can only operate on characters in the Latin1 (ISO/IEC 8859-1) range."},
		{`btoa()`, "! TypeError: Failed to execute 'btoa': 1 argument required, but only 0 present."},
		{`btoa(null) + btoa(undefined) + btoa(12)`, "bnVsbA==dW5kZWZpbmVkMTI="},
		{`atob("YWJj") + atob(" Y W I = ") + atob("YQ")`, "abcaba"},
		{`[...atob("/wDp")].map(c => c.charCodeAt(0)).join()`, "255,0,233"},
		{`atob("YR")`, "a"},
		{`atob("YQ==YQ==")`, "! InvalidCharacterError: atob() called with invalid base64-encoded data. (Only whitespace, '+', '/', alphanumeric ASCII, and up to two terminal '=' signs when the input data length is divisible by 4 are allowed.)"},
		{`atob("YQ=")`, "! InvalidCharacterError: atob() called with invalid base64-encoded data. (Only whitespace, '+', '/', alphanumeric ASCII, and up to two terminal '=' signs when the input data length is divisible by 4 are allowed.)"},
		{`atob("=")`, "! InvalidCharacterError: atob() called with invalid base64-encoded data. (Only whitespace, '+', '/', alphanumeric ASCII, and up to two terminal '=' signs when the input data length is divisible by 4 are allowed.)"},
		{`atob("A")`, "! InvalidCharacterError: atob() called with invalid base64-encoded data. (Only whitespace, '+', '/', alphanumeric ASCII, and up to two terminal '=' signs when the input data length is divisible by 4 are allowed.)"},
		{`atob("ab-_")`, "! InvalidCharacterError: atob() called with invalid base64-encoded data. (Only whitespace, '+', '/', alphanumeric ASCII, and up to two terminal '=' signs when the input data length is divisible by 4 are allowed.)"},
		{`atob("YWJj\u00a0")`, "! InvalidCharacterError: atob() called with invalid base64-encoded data. (Only whitespace, '+', '/', alphanumeric ASCII, and up to two terminal '=' signs when the input data length is divisible by 4 are allowed.)"},
		{`atob("") + atob("\t\n\f\r ") + "|"`, "|"},
		{`try { atob("*") } catch (e) { e instanceof DOMException && e.code }`, "5"},
	})
}

func TestNavigator(t *testing.T) {
	runScripts(t, []script{
		{`navigator.userAgent + navigator.language + navigator.hardwareConcurrency`, "Cloudflare-Workersen1"},
		{`Object.prototype.toString.call(navigator)`, "[object Navigator]"},
	})
}

func BenchmarkTextEncoder(b *testing.B) {
	for name, src := range map[string]string{
		"encode":   `enc.encode("hello, world")`,
		"encode8k": `enc.encode(big)`,
		"decode":   `dec.decode(bytes)`,
	} {
		b.Run(name, func(b *testing.B) {
			r := newTestRealm(b)
			eval(b, r, `globalThis.enc = new TextEncoder; globalThis.dec = new TextDecoder; globalThis.big = "é".repeat(4096); globalThis.bytes = enc.encode("hello, wörld"); 0`)
			fn, _ := callable(eval(b, r, "(n) => { for (let i = 0; i < n; i++) "+src+" }"))
			b.ReportAllocs()
			b.ResetTimer()
			if _, err := fn(nil, r.VM.ToValue(b.N)); err != nil {
				b.Fatal(err)
			}
		})
	}
}
