package tool

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Words says the grant to a person, in one sentence. It is what a page shows and what
// errors hint at. Names are quoted, so that none can pretend to be something else.
//
//	Read and change "docs/**" of the project notes; call crm@1.lookup; at most 100 calls; until 2026-11-30 17:00 UTC; asks before each change.
func (g Grant) Words() string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if len(g.Paths) > 0 {
		verb := "read"
		if g.Mode == ReadWrite {
			verb = "read and change"
		}
		of := "a project" // that of whoever gives the grant
		if g.Project != "" {
			of = "the project " + word(string(g.Project))
		}
		add("%s %s of %s", verb, list(g.Paths, files), of)
	}
	if len(g.Uses) > 0 {
		on := ""
		if g.Project != "" && len(g.Paths) == 0 {
			on = " on the project " + word(string(g.Project))
		}
		add("call %s%s", list(g.Uses, word), on)
	}
	if len(parts) == 0 {
		return "Nothing."
	}
	if g.MaxCalls > 0 {
		noun := "calls"
		if g.MaxCalls == 1 {
			noun = "call"
		}
		add("at most %s %s", thousands(g.MaxCalls), noun)
	}
	if !g.Expires.IsZero() {
		add("until %s", clock(g.Expires))
	}
	if g.Confirm {
		add("asks before each change")
	}
	s := strings.Join(parts, "; ")
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

func list(items []string, word func(string) string) string {
	quoted := make([]string, len(items))
	for i, s := range items {
		quoted[i] = word(s)
	}
	if n := len(quoted); n > 1 {
		return strings.Join(quoted[:n-1], ", ") + " and " + quoted[n-1]
	}
	return quoted[0]
}

func files(pattern string) string {
	if pattern == "**" {
		return "every file"
	}
	return quote(pattern)
}

// word leaves plain names as they are.
func word(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@.*-") == "" {
		return s
	}
	return quote(s)
}

// quote shows a text that a stranger chose: what doesn't print or isn't ASCII is
// spelled out, cut to a length fit for a sentence.
func quote(s string) string {
	if len(s) > 200 {
		return strconv.QuoteToASCII(s[:200]) + "…"
	}
	return strconv.Quote(s)
}

func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
