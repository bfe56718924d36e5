package esregexp

import (
	"regexp"
	"strings"
	"sync"
)

var (
	named    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\(\?<[^=!]`) })
	half     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\u[dD][89a-fA-F]`) })
	modifier = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\(\?(?:-|[ims]+-?)[ims]*:`) })
)

// Beyond reports whether an expression is one that goja's engines refuse or match wrongly: it has property
// escapes, named groups, modifiers, halves of pairs to look around for, or the flag d or v.
func Beyond(pattern, flags string) bool {
	if strings.ContainsAny(flags, "dv") {
		return true
	}
	if strings.ContainsRune(flags, 'u') && (strings.Contains(pattern, `\p`) || strings.Contains(pattern, `\P`)) {
		return true
	}
	if !strings.Contains(pattern, "(?") {
		return false
	}
	return named().MatchString(pattern) || modifier().MatchString(pattern) || half().MatchString(pattern) || strings.Contains(pattern, "\ufffd")
}
