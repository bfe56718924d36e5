package task

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"samkit.dev/internal/netguard"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// DefaultTimeout is how long a stage may take if neither it nor its policy says.
const DefaultTimeout = 2 * time.Minute

// A Policy is what a task may do. The zero Policy permits reading only. As JSON its
// fields are writable, deny, commands, network and timeoutMs; others are an error.
type Policy struct {
	Writable []string      // "src/**"; see the package's documentation
	Deny     []string      // neither read nor written; wins over Writable
	Commands [][]string    // argv; "*" is one argument, "**" at the end the rest
	Network  []string      // hosts: "registry.example.com", "*.example.com", "127.0.0.1:8080"
	Timeout  time.Duration // of a stage without its own; zero means DefaultTimeout
}

// wirePolicy is a Policy as JSON.
type wirePolicy struct {
	Writable  []string   `json:"writable,omitempty"`
	Deny      []string   `json:"deny,omitempty"`
	Commands  [][]string `json:"commands,omitempty"`
	Network   []string   `json:"network,omitempty"`
	TimeoutMs float64    `json:"timeoutMs,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (p Policy) MarshalJSON() ([]byte, error) {
	return json.Marshal(wirePolicy{p.Writable, p.Deny, p.Commands, p.Network, millis(p.Timeout)})
}

// UnmarshalJSON implements json.Unmarshaler. An unknown field is an error: a misspelt deny
// must not permit.
func (p *Policy) UnmarshalJSON(data []byte) error {
	var w wirePolicy
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&w); err != nil {
		return fmt.Errorf("task: a policy: %w", err)
	}
	if w.TimeoutMs < 0 || w.TimeoutMs > 1e12 {
		return fmt.Errorf("task: a policy: timeoutMs is %v", w.TimeoutMs)
	}
	*p = Policy{w.Writable, w.Deny, w.Commands, w.Network, time.Duration(w.TimeoutMs * float64(time.Millisecond))}
	return nil
}

// millis is a duration in milliseconds, as reports and policies have it.
func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// Narrow returns what both policies permit. If the paths that both may write take more
// than [tool.MaxIntersection] patterns for two of theirs, it permits less.
//
// Of a policy that [Define] would refuse, what can't be read permits nothing; its Deny is
// kept, so that Define refuses the result too.
func (p Policy) Narrow(q Policy) Policy {
	n := Policy{Deny: union(p.Deny, q.Deny), Timeout: min(p.timeout(), q.timeout())}
	a, _ := p.rules()
	b, _ := q.rules()
	for _, x := range a.writable {
		for _, y := range b.writable {
			for _, both := range x.Intersect(y) {
				if !slices.Contains(n.Writable, both.String()) {
					n.Writable = append(n.Writable, both.String())
				}
			}
		}
	}
	for _, x := range a.commands {
		for _, y := range b.commands {
			if both, ok := x.intersect(y); ok {
				n.Commands = append(n.Commands, both.words())
			}
		}
	}
	for _, x := range p.Network {
		for _, y := range q.Network {
			if both := narrowHost(x, y); both != "" && !slices.Contains(n.Network, both) {
				n.Network = append(n.Network, both)
			}
		}
	}
	return n
}

func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

func (p Policy) timeout() time.Duration {
	if p.Timeout <= 0 {
		return DefaultTimeout
	}
	return p.Timeout
}

// narrowHost returns the entry that grants what both do, or "". Of two entries with stars one
// lies within the other, or they have nothing in common.
func narrowHost(a, b string) string {
	covers := func(wide, narrow string) bool {
		suffix, star := strings.CutPrefix(wide, "*.")
		return wide == narrow || star && strings.HasSuffix(narrow, "."+suffix) && !strings.HasPrefix(narrow, "http://") ||
			wide == "*" && !strings.Contains(narrow, "//") && publicName(narrow)
	}
	switch {
	case covers(a, b):
		return b
	case covers(b, a):
		return a
	}
	return ""
}

// publicName reports whether an entry is a name, or a pattern of names, at its scheme's port.
func publicName(entry string) bool {
	return !strings.ContainsAny(entry, ":[") && strings.ContainsFunc(entry, func(r rune) bool { return r >= 'a' && r <= 'z' })
}

// rules are a policy that has been read.
type rules struct {
	writable []tool.Pattern
	deny     []tool.Pattern
	folded   []tool.Pattern // deny in sam.FoldName's writing
	commands []argv
}

// rules reads a policy. The error says all that is wrong; what is not is in the result.
func (p Policy) rules() (*rules, error) {
	var r rules
	var errs []error
	for _, text := range p.Writable {
		pat, err := tool.ParsePattern(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("writable: %w", err))
			continue
		}
		r.writable = append(r.writable, pat)
	}
	for _, text := range p.Deny {
		pat, err := tool.ParsePattern(text)
		folded, ferr := tool.ParsePattern(sam.FoldName(text))
		if err = errors.Join(err, ferr); err != nil {
			errs = append(errs, fmt.Errorf("deny: %w", err))
			continue
		}
		r.deny, r.folded = append(r.deny, pat), append(r.folded, folded)
	}
	for _, words := range p.Commands {
		a, err := parseArgv(words)
		if err != nil {
			errs = append(errs, fmt.Errorf("commands: %w", err))
			continue
		}
		r.commands = append(r.commands, a)
	}
	if _, err := netguard.ParseList(p.Network); err != nil {
		errs = append(errs, fmt.Errorf("network: %w", err))
	}
	if p.Timeout < 0 {
		errs = append(errs, fmt.Errorf("the timeout is %v", p.Timeout))
	}
	return &r, errors.Join(errs...)
}

// denied reports whether a task neither reads nor writes a file. One whose name no pattern can be
// compared with is denied.
func (r *rules) denied(name string) bool {
	if !comparable(name) {
		return true
	}
	folded := sam.FoldName(name)
	if first, _, _ := strings.Cut(folded, "/"); first == own {
		return true
	}
	for i := range r.deny {
		if r.deny[i].Match(name) || r.folded[i].Match(folded) {
			return true
		}
	}
	return false
}

// every matches whatever a pattern can be compared with.
var every = func() tool.Pattern {
	p, err := tool.ParsePattern("**")
	if err != nil {
		panic(err)
	}
	return p
}()

func comparable(name string) bool { return every.Match(name) }

// writes reports whether one of the patterns permits to write a file that is not denied.
func writes(patterns []tool.Pattern, name string) bool {
	guarded := guard(name)
	return slices.ContainsFunc(patterns, func(p tool.Pattern) bool {
		return p.Match(name) && (guarded == nil || guarded(p.String()))
	})
}

// guard returns the condition that a pattern must meet beside matching a name which no star is
// enough for, or nil.
func guard(name string) func(pattern string) bool {
	folded := sam.FoldName(name)
	if namesGit(name) {
		return namesGit
	}
	if DefinitionLang(name) == "" {
		return nil
	}
	return func(pattern string) bool {
		pattern = sam.FoldName(pattern)
		return strings.HasPrefix(folded, taskDir) && strings.HasPrefix(pattern, taskDir) ||
			strings.Contains(folded, ".task.") && strings.Contains(pattern, ".task.") && DefinitionLang(pattern) != ""
	}
}

// namesGit reports whether a part of a path is .git.
func namesGit(name string) bool {
	return slices.Contains(strings.Split(sam.FoldName(name), "/"), ".git")
}

// taskDir is the folder of definitions.
const taskDir = "tasks/"

// DefinitionLang returns the language in which a file of this name would define a task, "json", "js" or "ts", or "" if its name is not that of a
// definition: those are called like upgrade.task.json and upgrade.task.ts, wherever they are, or are modules in the folder tasks.
func DefinitionLang(name string) string {
	folded := sam.FoldName(name)
	if strings.HasSuffix(folded, ".d.ts") {
		return ""
	}
	base := folded[strings.LastIndexByte(folded, '/')+1:]
	dot := strings.LastIndexByte(base, '.')
	if dot < 0 {
		return ""
	}
	lang := map[string]string{".json": "json", ".js": "js", ".mjs": "js", ".ts": "ts", ".mts": "ts"}[base[dot:]]
	switch {
	case strings.HasSuffix(base[:dot], ".task"):
		return lang
	case strings.HasPrefix(folded, taskDir) && lang != "json":
		return lang
	}
	return ""
}

// permits reports whether a command may run.
func (r *rules) permits(args []string) bool {
	return slices.ContainsFunc(r.commands, func(a argv) bool { return a.matches(args) })
}
