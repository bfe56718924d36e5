package workbench

import (
	"context"
	"fmt"
	"io/fs"
	"slices"

	"samkit.dev/host"
	"samkit.dev/tool"
)

// Widen adds a grant that a person has agreed to, such as [Denial.Want], to a tool session that is open: for the project
// of its grant, until that expires, within its MaxCalls and asking where it asks. What an agent opened can still do no more than the
// agent. It is kept as the session is. To narrow a session, open another and close it: what runs by the wider grant ends with that.
// The error matches fs.ErrNotExist if the session is not open.
func (b *Bench) Widen(ctx context.Context, session string, g tool.Grant) (Session, error) {
	b.saving.Lock()
	defer b.saving.Unlock()
	b.mu.Lock()
	s := b.tools[session]
	b.mu.Unlock()
	if s == nil {
		return Session{}, fmt.Errorf("workbench: tool session %q: %w", session, fs.ErrNotExist)
	}
	g, err := s.addition(g)
	if err != nil {
		return Session{}, err
	}
	if err := s.set.Add(g); err != nil {
		return Session{}, &host.Error{Code: host.Invalid, Message: err.Error(), Err: err}
	}
	s.mu.Lock()
	s.Added = append(slices.Clip(s.Added), g)
	err = s.write(ctx, s.reserved)
	now := s.Session
	s.mu.Unlock()
	b.denials.drop(func(d *Denial) bool { return d.Session == session && sameGrant(d.Want, g) })
	b.roles.publish()
	b.approvals.topic.publish()
	return now, err
}

// addition is a grant as it may be added to the session's.
func (s *session) addition(g tool.Grant) (tool.Grant, error) {
	if g.Project != "" && g.Project != s.Grant.Project {
		return g, &host.Error{Code: host.Invalid, Message: "A session is for one project.", Hint: "Open another for " + string(g.Project) + "."}
	}
	if g.Project == s.self && s.self != "" && g.Mode == tool.ReadWrite {
		return g, errSelf
	}
	g.Expires, g.MaxCalls, g.Confirm = s.Grant.Expires, s.Grant.MaxCalls, s.Grant.Confirm
	g.Paths, g.Uses = slices.Clone(g.Paths), slices.Clone(g.Uses)
	return g, nil
}

func sameGrant(a, b tool.Grant) bool {
	return a.Project == b.Project && a.Mode == b.Mode && slices.Equal(a.Paths, b.Paths) && slices.Equal(a.Uses, b.Uses)
}
