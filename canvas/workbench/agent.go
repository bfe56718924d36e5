package workbench

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"iter"
	"time"

	"samkit.dev/host"
	"samkit.dev/sam"
)

// Agent returns the session of the current agent. Its ID is "" if there is none.
func (b *Bench) Agent() Session {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.agent == nil {
		return Session{}
	}
	return b.agent.Session
}

// SetAgent makes a project the current agent; "" means none. Of all projects it alone has
// env.HOST, and only where it is served with its session. The former one
// loses env.HOST at once, in the middle of a request, and so do the tool sessions that it opened:
// even if an error says that this could not be kept. No function of env.HOST changes the
// agent's own files. The error matches fs.ErrNotExist if there is no such project.
func (b *Bench) SetAgent(ctx context.Context, id sam.ProjectID) error {
	return b.setAgent(ctx, id, nil)
}

// setAgent is SetAgent for a person, or for the agent's session if by is not nil.
func (b *Bench) setAgent(ctx context.Context, id sam.ProjectID, by *session) error {
	if id != "" {
		if _, err := b.ws.Open(ctx, id); err != nil {
			return err
		}
	}
	b.saving.Lock()
	defer b.saving.Unlock()
	if b.isClosed() {
		return ErrClosed
	}
	if by != nil && b.Agent().ID != by.ID {
		return errEnded // a person was faster
	}
	if b.Agent().Project == id {
		return nil
	}
	var next *session
	if id != "" {
		next = b.newAgent(Session{ID: rand.Text(), Project: id, Since: time.Now()})
	}
	gone := b.dismissAgent()
	r := rolesRecord{Work: b.Work()}
	if next != nil {
		r.Agent = &next.Session
	}
	defer b.roles.publish()
	if err := b.saveRoles(ctx, r, gone...); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.agent = next
	return nil
}

// dismissAgent ends the rights of the current agent, and returns what removes the
// records of the sessions that it opened.
func (b *Bench) dismissAgent() (ops []sam.Op) {
	b.mu.Lock()
	old := b.agent
	b.agent = nil
	var opened []*session
	for id, s := range b.tools {
		if old != nil && s.Agent == old.ID {
			opened = append(opened, s)
			delete(b.tools, id)
		}
	}
	b.mu.Unlock()
	if old == nil {
		return nil
	}
	old.set.Revoke() // and all that was narrowed from it
	for _, s := range opened {
		s.bury()
		ops = append(ops, sam.Op{Key: sessionPrefix + s.ID, Delete: true, If: sam.Any})
	}
	return ops
}

// Host returns env.HOST as the current agent has it, for other doors such as MCP. It
// follows the role: without an agent it has no functions, and calls are denied.
func (b *Bench) Host() host.Caller { return agentDoor{b} }

type agentDoor struct{ b *Bench }

var _ host.Valuer = agentDoor{}

func (d agentDoor) agent() *session {
	d.b.mu.Lock()
	defer d.b.mu.Unlock()
	return d.b.agent
}

// Funcs implements host.Caller.
func (d agentDoor) Funcs() iter.Seq[host.Func] {
	if s := d.agent(); s != nil {
		return s.Funcs()
	}
	return func(func(host.Func) bool) {}
}

// Values implements host.Valuer.
func (d agentDoor) Values() map[string]json.RawMessage {
	if s := d.agent(); s != nil {
		return s.Values()
	}
	return nil
}

// Call implements host.Caller.
func (d agentDoor) Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	if s := d.agent(); s != nil {
		return s.Call(ctx, name, args)
	}
	return nil, &host.Error{Code: host.Denied, Message: "There is no current agent.", Hint: "A person makes a project the agent on the workbench."}
}
