package workbench

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"strings"

	"samkit.dev/host"
)

// A group is built-in functions of a bench under one name: env.HOST.files. They are
// registered once, and each role gets its part: the agent all, a tool session what
// toolMay lists. A group with an empty name stands directly under env.HOST.
//
// Who calls is in the function's context: sessionOf says which session, and its methods are the only
// way to a project. A function that acts on files by name is marked host.OnFiles and
// calls session.mayRead or session.mayWrite for each; one on a project as a whole session.mayChange. What ends a call early (a session that is closed, an
// agent that is replaced) ends the context; what it would have returned is withheld.
type group struct {
	name   string
	define func(b *Bench, c *host.Capability)
}

// groups are the built-in functions.
var groups = []group{
	{"files", defineFiles},
	{"canvas", defineCanvas},
	{"console", defineConsole},
	{"checkpoints", defineCheckpoints},
	{"projects", defineProjects},
	{"tools", defineTools},
	{"secrets", defineSecrets},
	{"roles", defineRoles},
	{"ui", defineUI},
	{"cmd", defineCmd},
	{"python", definePython},
	{"script", defineScript},
	{"tasks", defineTasks},
	{"", defineTop},
}

// toolMay lists the built-in functions that tool sessions may be granted: those of
// files by Project, Paths and Mode, the others by Uses. What is not here no grant can give.
var toolMay = map[string]bool{
	"files.list": true, "files.stat": true, "files.read": true, "files.write": true, "files.remove": true, "files.rename": true, "files.changes": true,
	"files.edit": true, "files.apply": true, "files.search": true,
	"canvas.reload": true, "console.read": true,
}

// topName is the capability behind the group without a name.
const topName = "top"

// builtins registers the groups of a bench.
func builtins(b *Bench) *host.Capabilities {
	caps := host.New()
	for _, g := range groups {
		g.define(b, caps.Define(cmp.Or(g.name, topName), 1))
	}
	return caps
}

// An offer is what sessions of a role may be given: the built-in functions and
// those of the program.
type offer struct {
	builtin *host.Capabilities
	program *host.Capabilities // nil if there are none
	may     func(group, name string) bool
}

// offers makes the offers of both roles.
func offers(b *Bench) (agent, tool *offer) {
	builtin := builtins(b)
	agent = &offer{builtin, b.opts.Capabilities, func(string, string) bool { return true }}
	tool = &offer{builtin, b.opts.Capabilities, func(group, name string) bool { return toolMay[group+"."+name] }}
	return agent, tool
}

// Funcs implements host.Caller.
func (o *offer) Funcs() iter.Seq[host.Func] {
	return func(yield func(host.Func) bool) {
		for f := range o.builtin.Funcs() {
			if !o.may(f.Capability, f.Name) {
				continue
			}
			if f.Capability == topName {
				f.Capability, f.Version = "", 0
			}
			if !yield(f) {
				return
			}
		}
		if o.program == nil {
			return
		}
		for f := range o.program.Funcs() {
			if !yield(f) {
				return
			}
		}
	}
}

// Call implements host.Caller. A set has decided that the call may be made.
func (o *offer) Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	group, fn, dotted := strings.Cut(name, ".")
	if !dotted {
		group, fn = topName, name
	}
	group, _, _ = strings.Cut(group, "@")
	if c := o.builtin.Get(group, 1); c != nil {
		if !o.may(group, fn) {
			return nil, &host.Error{Code: host.Denied, Message: name + " is not for this role."}
		}
		return c.Call(ctx, fn, args)
	}
	if o.program == nil {
		return nil, &host.Error{Code: host.NotFound, Message: "There is no such function."}
	}
	return o.program.Call(ctx, name, args)
}
