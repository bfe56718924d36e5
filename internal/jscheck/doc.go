// Package jscheck reads a script that an AI wrote, before it runs, and says which parts of it a
// script may not use: where, of what kind, and what to use in their place.
//
//	p, problems := jscheck.Check(src, nil)
//	if len(problems) > 0 {
//		return problems // "2:11: fetch is blocked (network): call a granted function with …"
//	}
//	// p is src, compiled
//
// A script is the body of an async function, in TypeScript or JavaScript: return gives its
// result, and await works everywhere.
//
// # What is judged is what runs
//
// esbuild strips the types; goja parses what is left; the check walks over goja's tree, and
// that tree is compiled, in strict mode. There is no second parser that could understand a
// script differently.
//
// # What it finds
//
// Names are resolved: fetch is blocked where it is the global one, and fine as a variable,
// parameter, label, property or type. Globals are a list of what is allowed ([Allowed]), so the
// names that are blocked by name have only the better message. Access to constructor and
// __proto__ is found in every form that can be decided without running the script. The rest is
// closed at run time by [Harden], so the check is for the author, who learns at once and in
// words, and Harden is for safety.
package jscheck
