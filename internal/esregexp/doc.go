// Package esregexp matches regular expressions of ECMAScript 2025, as its specification has
// them (https://tc39.es/ecma262/#sec-regexp-regular-expression-objects): all flags, named groups
// that stand twice, look-behind, sets of the flag v, halves of surrogate pairs.
//
//	p, err := esregexp.Compile(utf16.Encode([]rune(`(?<y>\d+)`)), "u")
//	m, err := p.Match(utf16.Encode([]rune("in 2024")), 0, nil)
//	// m is [3 7 3 7]
//
// It goes back and tries again, as any engine of this language does, without recursion, and
// asks now and then whether to go on. The class of a property of strings, such as
// \p{RGI_Emoji}, holds whatever has the form of one.
//
// # Concurrency
//
// A Program is immutable and safe for concurrent use.
package esregexp
