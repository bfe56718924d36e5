package tool

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"samkit.dev/sam"
)

// checkName returns why a file's name can't be compared with a grant, or "". A name
// is compared as it is, so one that somebody may read as another path is refused.
func checkName(name string) string {
	if sam.CheckFileName(name) != nil {
		return "is no name that a file can have"
	}
	if !norm.NFC.IsNormalString(name) {
		return "is not in Unicode's composed form (NFC)"
	}
	if !samePath(name, norm.NFKC.String(name)) {
		return "is another path for who normalises it"
	}
	for decoded := name; ; {
		next := unescape(decoded)
		if next == decoded {
			return ""
		}
		if !samePath(name, next) {
			return "is another path for who decodes it"
		}
		decoded = next
	}
}

// samePath reports whether a reading of a name is a path with as many parts, each of which stands for itself.
func samePath(name, reading string) bool {
	if reading == name {
		return true
	}
	for part := range strings.SplitSeq(reading, "/") {
		if part == "" || part == "." || part == ".." || strings.ContainsFunc(part, func(r rune) bool { return r == '\\' || unicode.IsControl(r) }) {
			return false
		}
	}
	return strings.Count(reading, "/") == strings.Count(name, "/")
}

// unescape decodes percent signs before ASCII, which are all that a path is made of. It
// shortens what it changes.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if hi, lo := unhex(s[i+1]), unhex(s[i+2]); hi >= 0 && hi < 8 && lo >= 0 {
				b.WriteByte(byte(hi<<4 | lo))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// A pattern is the parts of a path as a grant has them, "**" being any number of parts.
type pattern []string

// parsePattern checks a pattern. What it can't match any name with is an error, so
// that nobody grants something else than was meant.
func parsePattern(text string) (pattern, error) {
	p, reason := readPattern(text)
	if reason != "" {
		return nil, fmt.Errorf("tool: the path %s of a grant %s", quote(text), reason)
	}
	return p, nil
}

// readPattern returns a pattern, or why it is none.
func readPattern(text string) (p pattern, reason string) {
	// Stars stand for characters that a name may have, so the rest is judged as a name.
	if reason := checkName(literal(text)); reason != "" {
		return nil, reason
	}
	for part := range strings.SplitSeq(text, "/") {
		switch {
		case part == "**":
			if n := len(p); n > 0 && p[n-1] == "**" {
				continue // twice means the same
			}
		case strings.Contains(unstar(part), "**"):
			return nil, `has "**" beside other characters; "**" is a part of its own`
		}
		p = append(p, part)
	}
	if p[len(p)-1] == "**" {
		p = append(p, "*") // a folder's pattern is not the folder itself
	}
	return p, ""
}

// MatchPath reports whether a file's name is like a pattern of a grant. The error says why the
// pattern is none.
func MatchPath(pattern, name string) (bool, error) {
	p, err := parsePattern(pattern)
	if err != nil {
		return false, err
	}
	return checkName(name) == "" && p.match(name), nil
}

// unstar removes the escaped stars of a part.
func unstar(part string) string { return strings.ReplaceAll(part, `\*`, "") }

// literal returns a name as the pattern might match it.
func literal(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, `\*`, "x"), "*", "x")
}

// Literal returns the pattern that matches nothing but name.
func Literal(name string) string { return strings.ReplaceAll(name, "*", `\*`) }

// match reports whether the pattern covers a name that checkName accepts. Its time is at most
// the product of both lengths: only the last star is ever tried again.
func (p pattern) match(name string) bool {
	return p.matchParts(strings.Split(name, "/"))
}

// matchParts is match for the parts of a name, or of another pattern, whose stars then are
// wild and deep.
func (p pattern) matchParts(parts []string) bool {
	i, k := 0, 0
	star, retry := -1, 0
	for k < len(parts) {
		switch {
		case i < len(p) && p[i] == "**":
			star, retry = i, k
			i++
		case i < len(p) && parts[k] != deep && matchPart(p[i], parts[k]):
			i, k = i+1, k+1
		case star >= 0:
			retry++
			i, k = star+1, retry
		default:
			return false
		}
	}
	for i < len(p) && p[i] == "**" {
		i++
	}
	return i == len(p)
}

// matchPart matches one part, in the same way.
func matchPart(p, s string) bool {
	i, k := 0, 0
	star, retry := -1, 0
	for k < len(s) {
		switch {
		case i < len(p) && p[i] == '*':
			star, retry = i, k
			i++
		case i+1 < len(p) && p[i] == '\\' && s[k] == '*' && p[i+1] == '*':
			i, k = i+2, k+1
		case i < len(p) && p[i] != '\\' && p[i] == s[k]:
			i, k = i+1, k+1
		case star >= 0:
			retry++
			i, k = star+1, retry
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}
