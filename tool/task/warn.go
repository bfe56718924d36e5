package task

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"samkit.dev/tool"
)

// Check reports, in a sentence each, what is suspicious but not wrong: patterns that
// are wide or do nothing, and commands that will not get far under this
// policy. What is wrong [Define] refuses.
func (p Policy) Check() []string {
	var w warnings
	r, _ := p.rules()
	w.paths(r)
	for _, a := range r.commands {
		w.command(p, r, a)
	}
	for _, host := range p.Network {
		switch {
		case host == "*":
			w.add("network: %q is every public host.", host)
		case strings.HasPrefix(host, "*.") && strings.Count(host, ".") == 1:
			w.add("network: %q is every host of a top-level domain.", host)
		case strings.HasPrefix(host, "http://"):
			w.add("network: what comes from %q may be changed on its way.", host)
		}
	}
	if p.Timeout > time.Hour {
		w.add("timeout: a stage may take %v; twice the 95th percentile of what it takes is a good bound, see Suggest.", p.Timeout)
	}
	return w
}

type warnings []string

func (w *warnings) add(format string, args ...any) {
	if s := fmt.Sprintf(format, args...); !slices.Contains(*w, s) {
		*w = append(*w, s)
	}
}

func (w *warnings) paths(r *rules) {
	for i, p := range r.writable {
		switch text := p.String(); {
		case text == "**":
			w.add("writable: %q is every file; a narrow list makes smaller changes.", text)
		case strings.Trim(text, "*/.") == "":
			w.add("writable: %q names no folder and no file.", text)
		}
		for k, q := range r.writable {
			if i != k && q.Covers(p) && (i > k || !p.Covers(q)) {
				w.add("writable: %q is within %q.", p, q)
			}
		}
		for _, d := range r.deny {
			if d.Covers(p) {
				w.add("writable: %q is never written, for deny has %q.", p, d)
			}
		}
	}
	for _, d := range r.deny {
		if d.String() == "**" {
			w.add("deny: %q leaves no file to read.", d)
		}
	}
}

// A habit is what a command is known to do. A hint, not a rule: commands change, and run
// what the project says.
type habit struct {
	args   []string // its first arguments
	writes []string // patterns
	net    bool
}

var habits = []habit{
	{[]string{"npm", "install"}, []string{"package.json", "package-lock.json", "node_modules/**"}, true},
	{[]string{"npm", "ci"}, []string{"node_modules/**"}, true},
	{[]string{"npm", "update"}, []string{"package.json", "package-lock.json", "node_modules/**"}, true},
	{[]string{"pnpm", "install"}, []string{"pnpm-lock.yaml", "node_modules/**"}, true},
	{[]string{"pnpm", "add"}, []string{"package.json", "pnpm-lock.yaml", "node_modules/**"}, true},
	{[]string{"yarn", "install"}, []string{"yarn.lock", "node_modules/**"}, true},
	{[]string{"yarn", "add"}, []string{"package.json", "yarn.lock", "node_modules/**"}, true},
	{[]string{"npm", "test"}, []string{"**/__snapshots__/**"}, false},
	{[]string{"pnpm", "test"}, []string{"**/__snapshots__/**"}, false},
	{[]string{"yarn", "test"}, []string{"**/__snapshots__/**"}, false},
	{[]string{"go", "mod"}, []string{"go.mod", "go.sum"}, true},
	{[]string{"go", "get"}, []string{"go.mod", "go.sum"}, true},
	{[]string{"cargo", "build"}, []string{"target/**"}, false},
	{[]string{"cargo", "test"}, []string{"target/**"}, false},
	{[]string{"cargo", "update"}, []string{"Cargo.lock"}, true},
	{[]string{"git", "commit"}, []string{".git/**"}, false},
	{[]string{"git", "push"}, nil, true},
}

// interpreters run whatever their arguments say.
var interpreters = strings.Fields("sh bash dash zsh ksh fish env xargs find sudo doas ssh python python3 perl ruby node deno bun npx pnpx")

func (w *warnings) command(p Policy, r *rules, a argv) {
	text := strings.Join(a.words(), " ")
	if len(a.args) == 0 || a.args[0] == "*" {
		w.add("commands: %q is any command.", text)
		return
	}
	if strings.ContainsAny(a.args[0], " \t|&;<>$`\"'") {
		w.add("commands: %q is no line for a shell; a command is the list of its arguments.", a.args[0])
	}
	base := a.args[0][strings.LastIndex(a.args[0], "/")+1:]
	if slices.Contains(interpreters, base) && (a.rest || slices.Contains(a.args, "*")) {
		w.add("commands: %q runs whatever its arguments say.", text)
	}
	for _, h := range habits {
		if n := len(h.args); len(a.args) < n || !slices.Equal(a.args[:n], h.args) {
			continue
		}
		for _, path := range h.writes {
			want, err := tool.ParsePattern(path)
			if err == nil && !slices.ContainsFunc(r.writable, func(q tool.Pattern) bool { return len(q.Intersect(want)) > 0 }) {
				w.add("commands: %q usually writes %q, which is not writable.", text, path)
			}
		}
		if h.net && len(p.Network) == 0 {
			w.add("commands: %q usually needs the network, and no host is allowed.", text)
		}
	}
}
