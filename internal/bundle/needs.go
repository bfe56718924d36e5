package bundle

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
)

// A need is something of ECMAScript that the runtime adds for bundles that use it.
type need struct {
	name string   // as the runtime's __samkit_complete knows it
	text []string // found in code that uses it, and seldom in other code
	more func() *regexp.Regexp
	hint []string // one of these is in all that more matches: to look for them takes a hundredth of the time
}

// needs errs on the side of adding too much.
var needs = []need{
	{name: "captureStackTrace", text: []string{"captureStackTrace"}},
	{name: "isWellFormed", text: []string{"WellFormed"}},
	{name: "WeakRef", text: []string{"WeakRef", "FinalizationRegistry"}},
	{name: "groupBy", text: []string{"Object.groupBy", "Map.groupBy"}, more: lazily(`\{[^{}]*\bgroupBy\b[^{}]*\}\s*=\s*(?:Object|Map)\b`), hint: []string{"groupBy"}},
	{name: "fromAsync", text: []string{"fromAsync"}},
	{name: "disposable", text: []string{"DisposableStack", "SuppressedError"}},
	{name: "upsert", text: []string{"getOrInsert"}},
	{name: "numbers", text: []string{"sumPrecise", "f16round"}},
	{name: "withResolvers", text: []string{"withResolvers", "Promise.try"}},
	{name: "escape", text: []string{"RegExp.escape"}},
	{name: "transfer", text: []string{".transfer", ".detached"}},
	{name: "properties", text: []string{`\p{`, `\P{`, "hasIndices", "unicodeSets", ".indices", "(?i", "(?s", "(?m", "(?-"},
		more: lazily(`\(\?<[^=!]|RegExp\([^\n]*["'` + "`" + `][gimsuy]*[dv][dgimsuvy]*["'` + "`" + `]|\\u[dD][89a-fA-F][^\n]*\(\?|\(\?[^\n]*\\u[dD][89a-fA-F]`), hint: []string{"(?", "RegExp("}},
	{name: "Intl", text: []string{"toLocale"}, more: lazily(`\bIntl\b`), hint: []string{"Intl"}},
	{name: "localeCompare", text: []string{"localeCompare"}},
	{name: "Proxy", more: lazily(`\bProxy\b`), hint: []string{"Proxy"}},
	{name: "Date", more: lazily(`\bDate\b`), hint: []string{"Date"}},
	{name: "typedFrom", more: lazily(`[0-9]Array\.from\(`), hint: []string{"Array.from("}},
	{name: "iterators", text: []string{".take(", ".drop(", ".toArray(", "Iterator.from", "Iterator.concat", "Iterator.prototype", "instanceof Iterator", "extends Iterator", "typeof Iterator"},
		more: lazily(`\.(?:values|keys|entries|matchAll)\([^()]*\)\s*\.(?:map|filter|flatMap|reduce|forEach|some|every|find)\(`), hint: []string{".values(", ".keys(", ".entries(", ".matchAll("}},
}

// lazily is an expression that is compiled when it is first needed: a worker process, which is this program too, never does.
func lazily(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// directive is the first line of a bundle, and holds no source.
const directive = `"use strict";`

// withNeeds says on the first line of the code what the code needs.
func withNeeds(code []byte) []byte {
	names := needsOf(code)
	if names == "" || !bytes.HasPrefix(code, []byte(directive)) {
		return code
	}
	call := `globalThis.__samkit_complete?.("` + names + `");`
	return append([]byte(directive+call), code[len(directive):]...)
}

// needsOf returns the names of what code needs, with spaces between them.
func needsOf(code []byte) string {
	var names []string
	for _, n := range needs {
		if n.in(code) {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, " ")
}

func (n need) in(code []byte) bool {
	return containsAny(code, n.text) || n.more != nil && containsAny(code, n.hint) && n.more().Match(code)
}

func containsAny(code []byte, texts []string) bool {
	for _, t := range texts {
		if bytes.Contains(code, []byte(t)) {
			return true
		}
	}
	return false
}
