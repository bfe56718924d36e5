package bundle

import (
	"strings"
	"testing"
)

func TestNeeds(t *testing.T) {
	for src, want := range map[string]string{
		`Error.captureStackTrace?.(new Error(), f)`:                     "captureStackTrace",
		`new WeakRef(f); new FinalizationRegistry(f)`:                   "WeakRef",
		`Object.groupBy([], f)`:                                         "groupBy",
		`const { groupBy } = Map; groupBy(f)`:                           "groupBy",
		`f.groupBy("x")`:                                                "",
		`"x".isWellFormed()`:                                            "isWellFormed",
		`Promise.try(f); Array.fromAsync([])`:                           "fromAsync withResolvers",
		`new Map().values().map(f)`:                                     "iterators",
		`[...f.matchAll(/x/g)].map(f); Object.keys(f).map(f)`:           "iterators", // for Object.keys; it costs a little
		`/\p{L}/u.test("x")`:                                            "properties",
		`(1).toLocaleString()`:                                          "Intl",
		`new Intl.NumberFormat()`:                                       "Intl",
		`f.take(1)`:                                                     "iterators",
		`for (const x of f[Symbol.iterator]()) console.log(x, "plain")`: "",
	} {
		out := mustBuild(t, map[string]string{"functions.js": "const f = () => {}\n" + src + "\nexport default { fetch: f }"})
		first, _, _ := strings.Cut(string(out.Code), "\n")
		got := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(first, `"use strict";`), `globalThis.__samkit_complete?.("`), `");`)
		if got != want {
			t.Errorf("%s: first line %q, want %q", src, first, want)
		}
	}
}
