package webapi

import "testing"

func TestUnicodeProperties(t *testing.T) {
	for src, want := range map[string]string{
		`"1 Äb1".match(new RegExp("\\p{L}+", "u"))[0]`:                                                                                                                                                         "Äb",
		`new RegExp("^\\p{Lu}", "u").test("é") + "" + new RegExp("^\\p{Uppercase_Letter}$", "u").test("É")`:                                                                                                    "falsetrue",
		`"a😀b1".replace(new RegExp("\\p{Emoji_Presentation}", "gu"), "-")`:                                                                                                                                     "a-b1",
		`new RegExp("^[\\p{L}\\p{N}_-]+", "u").exec("héllo_1 x")[0]`:                                                                                                                                           "héllo_1",
		`new RegExp("^\\P{L}+$", "u").test("12 !") + "" + new RegExp("^[^\\P{L}x]+$", "u").test("aé")`:                                                                                                         "truetrue",
		`new RegExp("\\p{Script=Greek}", "u").test("α") + "" + RegExp("\\p{sc=Han}", "u").test("漢")`:                                                                                                           "truetrue",
		`const r = new RegExp("\\p{Lu}", "gu"); [r.source, r.flags, String(r), r instanceof RegExp, r.constructor === RegExp]`:                                                                                 `\p{Lu},gu,/\p{Lu}/gu,true,true`,
		`"aÉb".split(new RegExp("\\p{Lu}", "u")) + "|" + [..."aÉbÈ".matchAll(new RegExp("\\p{Lu}", "gu"))].map(m => m.index)`:                                                                                  "a,b|1,3",
		`try { new RegExp("\\p{Nope}", "u") } catch (e) { e.name }`:                                                                                                                                            "SyntaxError",
		`new RegExp("\\p{White_Space}\\p{ASCII}\\p{Alphabetic}\\p{ID_Start}\\p{Any}", "u").test(" aaa😀")`:                                                                                                      "true",
		`new RegExp(/a/g).flags + RegExp(/b/y).source + new RegExp(/a/g, "i").flags + RegExp().source + RegExp.name`:                                                                                           "gbi(?:)RegExp",
		`const c = structuredClone({ r: new RegExp("[\\p{L}--b]/", "gv") }).r; [c.source, c.flags, c.test("a/"), c.test("b/"), new RegExp(c, "v").exec("xa/").index].join()`:                                   `[\p{L}--b]\/,gv,true,false,1`,
		`Object.keys(new RegExp("(?<a>x)", "d")).length + Object.getOwnPropertyNames(new RegExp("(?<a>x)", "d")).join()`:                                                                                       "0lastIndex",
		`const q = new RegExp("(?<a>.)", "gu"); "é😀".replace(q, (m, a, at, s, g) => m.length + at + g.a) + "é😀".replace(q, "[$1$<a>$$$&$'$2]") + q.lastIndex`:                                                  "1é3😀[éé$é😀$2][😀😀$😀$2]0",
		`const y = new RegExp("(?<a>b)", "y"); "bba".replace(y, "-") + y.lastIndex + "bab".split(new RegExp("(?<x>a)")).join("|") + "xbab".search(new RegExp("(?<x>a)", "u"))`:                                 "-ba1b|a|b2",
		`class R extends RegExp { x() { return 1 } }; const q = new R("\\p{L}", "u"); q.x() + String(q.test("é"))`:                                                                                             "1true",
		`JSON.stringify(new RegExp("(?<l>\\p{L})(?<n>\\p{Nd})", "u").exec("é1").groups)`:                                                                                                                       `{"l":"é","n":"1"}`,
		`[...new Intl.Segmenter().segment("e\u0301👨‍👩‍👧🇩🇪x")].length + [...new Intl.Segmenter("en", { granularity: "word" }).segment("Hi, wörld's!")].filter(s => s.isWordLike).map(s => s.segment).join("|")`: "4Hi|wörld's",
	} {
		r := newTestRealm(t)
		eval(t, r, "__samkit_complete('properties Intl')")
		if got := eval(t, r, src).String(); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", src, got, want)
		}
	}
}
