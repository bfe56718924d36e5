package workbench

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// maxTools bounds the tool sessions that are open at once.
const maxTools = 100

// A sessionRecord is a tool session as it is kept.
type sessionRecord struct {
	Session
	Used int `json:"used,omitempty"` // calls, at least as many as were made
}

// OpenTool opens a session in which a project is a tool, with a grant that a person has
// seen. It is served with env.TOOL to visitors with the session's ID (see [Bench.App]),
// until it is closed, the grant expires or its calls are used; it survives a restart. The
// work project stays what it is. The grant's defaults are filled in. The error
// matches fs.ErrNotExist if one of the projects is missing.
func (b *Bench) OpenTool(ctx context.Context, id sam.ProjectID, g tool.Grant) (Session, error) {
	return b.openTool(ctx, nil, id, g)
}

// openTool is OpenTool for an agent's session, or for a person if opener is nil. What an
// agent opens can do no more than the agent, and ends with its role.
func (b *Bench) openTool(ctx context.Context, opener *session, id sam.ProjectID, g tool.Grant) (Session, error) {
	now := time.Now()
	if err := g.Check(now); err != nil {
		return Session{}, &host.Error{Code: host.Invalid, Message: err.Error(), Err: err}
	}
	for _, p := range []sam.ProjectID{id, cmp.Or(g.Project, id)} {
		if _, err := b.ws.Open(ctx, p); err != nil {
			return Session{}, err
		}
	}
	rec := Session{ID: rand.Text(), Project: id, Grant: g.WithDefaults(now), Since: now}
	rec.Grant.Paths, rec.Grant.Uses = slices.Clone(g.Paths), slices.Clone(g.Uses)
	if opener != nil {
		rec.Agent = opener.ID
	}
	b.saving.Lock()
	defer b.saving.Unlock()
	s, err := b.newTool(rec, opener, 0)
	if err != nil {
		return Session{}, err
	}
	if err := b.admit(s); err != nil {
		s.set.Revoke()
		return Session{}, err
	}
	if err := s.save(ctx, 0); err != nil {
		s.set.Revoke()
		return Session{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tools[s.ID] = s
	b.wg.Go(s.wait)
	b.roles.publish()
	return s.Session, nil
}

// admit reports why there can't be one more session; saving is held.
func (b *Bench) admit(s *session) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		return ErrClosed
	case len(b.tools) >= maxTools:
		return &host.Error{Code: host.Exhausted, Message: fmt.Sprintf("%d tool sessions are open.", maxTools), Hint: "Close some of them.",
			Details: fmt.Appendf(nil, `{"limit":"tool_sessions","value":%d}`, maxTools)}
	case s.Agent != "" && (b.agent == nil || b.agent.ID != s.Agent):
		return errEnded
	}
	return nil
}

// CloseTool ends a session and its rights at once: calls that run are cancelled, its path leads to
// nothing more. It does so even if an error says that this could not be kept. The error matches fs.ErrNotExist if it is not open.
func (b *Bench) CloseTool(ctx context.Context, session string) error {
	b.mu.Lock()
	s := b.tools[session]
	delete(b.tools, session)
	b.mu.Unlock()
	if s == nil {
		return fmt.Errorf("workbench: tool session %q: %w", session, fs.ErrNotExist)
	}
	s.set.Revoke()
	b.roles.publish()
	return s.remove(ctx)
}

// Sessions lists the open tool sessions, the oldest first.
func (b *Bench) Sessions() []Session {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([]Session, 0, len(b.tools))
	for _, s := range b.tools {
		all = append(all, s.Session)
	}
	slices.SortFunc(all, func(a, b Session) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID)) })
	return all
}

// charge counts a call before it is made. The record runs ahead of the count, by a twentieth of
// all calls: a restart may cost the tool some of them, and never gives it one.
func (s *session) charge(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made < s.reserved {
		s.made++
		return nil
	}
	if s.made >= s.Grant.MaxCalls { // of all grants
		return usedUp(s.Grant.MaxCalls)
	}
	upto := min(s.made+1+s.Grant.MaxCalls/20, s.Grant.MaxCalls)
	if err := s.write(ctx, upto); err != nil {
		return err
	}
	s.made++
	return nil
}

func usedUp(max int) error {
	return &host.Error{Code: host.Exhausted, Message: fmt.Sprintf("All %d calls of the session are used.", max), Hint: "Ask for a new grant.",
		Details: fmt.Appendf(nil, `{"limit":"grant_calls","value":%d}`, max)}
}

// save keeps the session.
func (s *session) save(ctx context.Context, used int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.write(ctx, used)
}

// write keeps the session with used calls; s.mu is held. One that was removed is not made again.
func (s *session) write(ctx context.Context, used int) error {
	if s.over {
		return errEnded
	}
	if s.b.opts.Roles != nil {
		value, err := json.Marshal(sessionRecord{s.Session, used})
		if err != nil {
			return err
		}
		// One that was given up might have been made after all, under a version that nobody knows.
		ctx = context.WithoutCancel(ctx)
		versions, err := s.b.opts.Roles.Commit(ctx, sam.Op{Key: sessionPrefix + s.ID, Value: value, If: s.version})
		if err != nil {
			return fmt.Errorf("workbench: keep the session: %w", err)
		}
		s.version = versions[0]
	}
	s.reserved = used
	return nil
}

// bury says that the session's record must not be written any more.
func (s *session) bury() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
}

// remove removes the session's record.
func (s *session) remove(ctx context.Context) error {
	s.bury()
	if s.b.opts.Roles == nil {
		return nil
	}
	if _, err := s.b.opts.Roles.Commit(ctx, sam.Op{Key: sessionPrefix + s.ID, Delete: true, If: sam.Any}); err != nil {
		return fmt.Errorf("workbench: forget the session: %w", err)
	}
	return nil
}

// wait waits for the end of the session's rights, which may come by itself, and forgets it. If
// the bench closes it is kept.
func (s *session) wait() {
	select {
	case <-s.set.Done():
	case <-s.b.ctx.Done():
		return
	}
	b := s.b
	b.mu.Lock()
	closed, open := b.closed, b.tools[s.ID] == s
	if open && !closed {
		delete(b.tools, s.ID)
	}
	b.mu.Unlock()
	if closed || !open {
		return
	}
	b.roles.publish()
	if err := s.remove(b.ctx); err != nil && b.ctx.Err() == nil {
		b.opts.Logger.Error("workbench: a tool session that has ended is still in the store", "session", s.ID, "err", err)
	}
}
