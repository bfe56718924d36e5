package task

import (
	"fmt"
	"slices"
	"strings"
)

// An argv is a command that a policy permits.
type argv struct {
	args []string // with `\*` and `\**` for stars, "*" for any argument
	rest bool     // any more arguments
}

// parseArgv reads a command of a policy.
func parseArgv(words []string) (argv, error) {
	refuse := func(format string, args ...any) (argv, error) {
		return argv{}, fmt.Errorf("the command %q "+format, append([]any{words}, args...)...)
	}
	if len(words) == 0 || words[0] == "" {
		return refuse("has no name")
	}
	a := argv{args: words}
	if n := len(words); words[n-1] == "**" {
		a.args, a.rest = words[:n-1], true
	}
	for _, w := range a.args {
		switch {
		case strings.Contains(w, "\x00"):
			return refuse("has an argument with a NUL")
		case w == "**":
			return refuse(`has "**" before its end`)
		case w != "*" && w != `\*` && w != `\**` && strings.Contains(w, "*"):
			return refuse("has a star beside other characters in %q: a star stands for a whole argument", w)
		}
	}
	return a, nil
}

// words is what parseArgv reads.
func (a argv) words() []string {
	if a.rest {
		return append(slices.Clone(a.args), "**")
	}
	return a.args
}

// matches reports whether the policy's command covers one that is to be run.
func (a argv) matches(args []string) bool {
	if len(args) < len(a.args) || len(args) > len(a.args) && !a.rest {
		return false
	}
	for i, w := range a.args {
		if w != "*" && plain(w) != args[i] {
			return false
		}
	}
	return len(args) > 0
}

// plain is an argument of a policy as it is run.
func plain(w string) string {
	if w == `\*` || w == `\**` {
		return w[1:]
	}
	return w
}

// intersect returns the command that covers what both cover.
func (a argv) intersect(b argv) (argv, bool) {
	if len(a.args) < len(b.args) {
		a, b = b, a
	}
	if len(a.args) > len(b.args) && !b.rest {
		return argv{}, false
	}
	both := argv{args: slices.Clone(a.args), rest: a.rest && b.rest}
	for i, w := range b.args {
		switch {
		case both.args[i] == "*":
			both.args[i] = w
		case w != "*" && w != both.args[i]:
			return argv{}, false
		}
	}
	return both, len(both.args) > 0 || both.rest
}
