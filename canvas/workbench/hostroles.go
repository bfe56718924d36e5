package workbench

import (
	"context"

	"samkit.dev/host"
)

// defineRoles registers env.HOST.roles, whose functions depend on what the program allows.
func defineRoles(b *Bench, c *host.Capability) {
	if b.opts.SetAgent {
		host.Register(c, "setActiveAgent", "Makes a project the current agent. The caller's session ends with that.", setActiveAgent)
	}
}

// isSuccession reports whether a call of an agent is one that may end its own session.
func isSuccession(name string) bool {
	return name == "roles.setActiveAgent" || name == "roles@1.setActiveAgent"
}

func setActiveAgent(ctx context.Context, in projectIn) (nothing, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return nothing{}, err
	}
	if in.Project == "" {
		return nothing{}, &host.Error{Code: host.Invalid, Message: "Name a project."}
	}
	return nothing{}, toHost(s.b.setAgent(ctx, in.Project, s))
}
