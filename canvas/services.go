package canvas

import (
	"context"
	"encoding/json"
	"iter"
	"regexp"
	"slices"
	"strconv"

	"samkit.dev/host"
)

// absent is a service that a project asks for and was not given: every call
// is denied and says what would allow it.
type absent struct {
	service string
	funcs   []string
}

var _ host.Caller = absent{}

// absentService stands in for a service. Nobody can say which functions it
// would have, so it has those that the code names.
func absentService(code []byte, binding, service string) absent {
	re := regexp.MustCompile(`\b` + regexp.QuoteMeta(binding) + `\s*(?:\?\.|\.)\s*([A-Za-z_$][\w$]*)`)
	a := absent{service: service}
	for _, m := range re.FindAllSubmatch(code, 1000) {
		if name := string(m[1]); !slices.Contains(a.funcs, name) {
			a.funcs = append(a.funcs, name)
		}
	}
	return a
}

// Funcs implements host.Caller.
func (a absent) Funcs() iter.Seq[host.Func] {
	return func(yield func(host.Func) bool) {
		for _, name := range a.funcs {
			if !yield(host.Func{Capability: a.service, Version: 1, Name: name}) {
				return
			}
		}
	}
}

// Call implements host.Caller.
func (a absent) Call(_ context.Context, name string, _ json.RawMessage) (json.RawMessage, error) {
	grant, _ := json.Marshal(map[string]any{"uses": []string{a.service + "." + name}}) // strings always encode
	return nil, &host.Error{
		Code: host.Denied, Message: "The service " + a.service + " was not given to this app.",
		Hint: "The program that serves the app can give it in App.Services.", Grant: grant,
	}
}

// pinned is a caller whose capabilities have the versions that a project's
// sam.json asks for.
type pinned struct {
	host.Caller
	uses map[string]int
}

// pin applies "uses" to a caller. A version that is not offered stays as
// asked for: its functions are missing, and the console says so.
func (s *site) pin(c host.Caller, uses map[string]int) host.Caller {
	if len(uses) == 0 {
		return c
	}
	offered := map[string]bool{}
	for f := range c.Funcs() {
		if uses[f.Capability] == f.Version {
			offered[f.Capability] = true
		}
	}
	for name, version := range uses {
		if !offered[name] {
			s.remark("sam.json uses version " + strconv.Itoa(version) + " of " + name + ", which the program does not offer.")
		}
	}
	return pinned{c, uses}
}

// Funcs implements host.Caller.
func (p pinned) Funcs() iter.Seq[host.Func] {
	return func(yield func(host.Func) bool) {
		for f := range p.Caller.Funcs() {
			if v, ok := p.uses[f.Capability]; ok && f.Version != v {
				continue
			}
			if !yield(f) {
				return
			}
		}
	}
}

// Values implements host.Valuer.
func (p pinned) Values() map[string]json.RawMessage {
	if v, ok := p.Caller.(host.Valuer); ok {
		return v.Values()
	}
	return nil
}
