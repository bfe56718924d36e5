package webapi

import (
	"strings"
	"testing"
	"time"
)

// TestIntlHostile gives Intl what no honest program does: the answers are bounded and are errors of JavaScript.
func TestIntlHostile(t *testing.T) {
	for src, want := range map[string]string{
		`new Intl.NumberFormat("x".repeat(10000))`:                                                            "RangeError",
		`new Intl.NumberFormat("de" + "-abcde".repeat(2000))`:                                                 "RangeError",
		`new Intl.NumberFormat("en\u0000")`:                                                                   "RangeError",
		`new Intl.NumberFormat("en\ud800")`:                                                                   "RangeError",
		`new Intl.NumberFormat("de-u-nu-" + "abcd-".repeat(190) + "abcd").format(1.5)`:                        "1,5",
		`"a".localeCompare("b", "x".repeat(1e6))`:                                                             "RangeError",
		`"a".localeCompare("b", "de", { sensitivity: "x".repeat(1e6) })`:                                      "RangeError",
		`(1).toLocaleString("de", { minimumFractionDigits: 1e9 })`:                                            "RangeError",
		`(1).toLocaleString("de", { minimumIntegerDigits: 1e9 })`:                                             "RangeError",
		`(1).toLocaleString("de", { style: "unit", unit: "meter-per-".repeat(1e5) + "meter" })`:               "RangeError",
		`(1).toLocaleString("de", { style: "unit", unit: "constructor" })`:                                    "RangeError",
		`(1).toLocaleString("de", { numberingSystem: "constructor".slice(0, 8) })`:                            "1",
		`(1).toLocaleString("de-u-nu-tostring")`:                                                              "1",
		`(1).toLocaleString("de", { style: "currency", currency: "__proto__" })`:                              "RangeError",
		`new Intl.NumberFormat("de").format("1e99999999")`:                                                    "∞",
		`new Intl.NumberFormat("de").format("9".repeat(1e5)).length`:                                          "1",
		`new Intl.NumberFormat("de", { maximumFractionDigits: 100 }).format(5e-324).length`:                   "1",
		`new Intl.NumberFormat("en").format(10n ** 3000n).length`:                                             "4001",
		`(1.7976931348623157e308).toLocaleString("ar-EG").length`:                                             "411",
		`new Date(8.64e15).toLocaleString("th")`:                                                              "13/9/276303 00:00:00",
		`new Date(0).toLocaleString("de", { timeZone: "A".repeat(1e6) })`:                                     "RangeError",
		`new Date(0).toLocaleString("de", { fractionalSecondDigits: 1e9 })`:                                   "RangeError",
		`new Intl.DateTimeFormat("de").format(1e300)`:                                                         "RangeError",
		`new Intl.RelativeTimeFormat("de").format(1e300, "day").length > 300`:                                 "true",
		`new Intl.RelativeTimeFormat("de").format(1, "x".repeat(1e6))`:                                        "RangeError",
		`Intl.getCanonicalLocales({ length: 1e15 }).length`:                                                   "0",
		`new Intl.ListFormat("de").format({})`:                                                                "TypeError",
		`[...new Intl.Segmenter("de", { granularity: "sentence" }).segment("1. ".repeat(3000))].length`:       "3000",
		`new Intl.Segmenter("de").segment("\u0301".repeat(100000)).containing(99999).index`:                   "0",
		`new Intl.Segmenter("de", { granularity: "word" }).segment("\ud800\udfff\ud800").containing(2).index`: "2",
		`"\ud800\ud800i\udc00".toLocaleUpperCase("tr") === "\ud800\ud800\u0130\udc00"`:                        "true",
		`new Intl.Collator("de").compare("\ud800", "\udc00")`:                                                 "0",
		`new Intl.Collator("de", { numeric: true }).compare("1".repeat(1e5), "2".repeat(1e5))`:                "-1",
		`Intl.NumberFormat.prototype.format`:                                                                  "TypeError",
		`Intl.NumberFormat.call(null, "de").format(1.5)`:                                                      "1,5",
		`class F extends Intl.NumberFormat { x() { return this.format(1.5) } }; new F("de").x()`:              "1,5",
		`new Intl.NumberFormat() instanceof Intl.NumberFormat`:                                                "true",
	} {
		r := newTestRealm(t)
		eval(t, r, "__samkit_complete('Intl localeCompare')")
		start := time.Now()
		got := eval(t, r, "var out; try { out = String(eval("+quoted(src)+")) } catch (e) { out = e.name }; out").String()
		if got != want {
			t.Errorf("%s\ngot  %.100s\nwant %s", src, got, want)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%s took %v", src, d)
		}
	}
}

func quoted(s string) string { return "`" + strings.ReplaceAll(s, `\`, `\\`) + "`" }

// TestIntlUnused checks that a realm without Intl reads nothing of it.
func TestIntlUnused(t *testing.T) {
	r := newTestRealm(t)
	eval(t, r, `(1234.5).toFixed(1) + "b".localeCompare("a")`)
	if r.locales != nil {
		t.Error("the index of the locales was read")
	}
	eval(t, r, `__samkit_complete("Intl"); typeof Intl`)
	if r.locales != nil {
		t.Error("the index of the locales was read before Intl was used")
	}
}
