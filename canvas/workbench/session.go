package workbench

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// A Session is a project in a role: the current agent, or a tool at work.
type Session struct {
	ID      string        `json:"id"` // for canvas.Visitor
	Project sam.ProjectID `json:"project"`
	Grant   tool.Grant    `json:"grant,omitzero"`  // of a tool; the zero Grant of the agent, which has env.HOST
	Added   []tool.Grant  `json:"added,omitempty"` // by Bench.Widen
	Since   time.Time     `json:"since"`
	Agent   string        `json:"agent,omitempty"` // the agent's session that opened it; "" if a person did
}

// apiVersion is that of env.HOST and env.TOOL.
const apiVersion = "1.0"

// A session is a Session at work. It stands behind env.HOST or env.TOOL.
type session struct {
	Session
	b    *Bench
	role host.Role
	set  *tool.Set
	self sam.ProjectID // the agent that it serves, whose files it may not write; "" if none

	mu       sync.Mutex  // guards what follows
	version  sam.Version // of its record
	reserved int         // calls that the record says are used
	made     int         // calls that count for the grant
	calls    int         // all, since the bench was opened
	over     bool        // the record is or will be removed
	latest   host.Record // the call that ended last
	wrote    []string    // the files it changed last, of the grant's project, the newest last
}

var _ host.Valuer = (*session)(nil)

type sessionKey struct{}

// sessionOf returns the session that a call of a built-in function comes from.
func sessionOf(ctx context.Context) (*session, error) {
	s, ok := ctx.Value(sessionKey{}).(*session)
	if !ok {
		return nil, errEnded
	}
	return s, nil
}

var errEnded = &host.Error{Code: host.Denied, Message: "This session has ended.", Hint: "Open the project again from the workbench."}

// newAgent is the session of the current agent.
func (b *Bench) newAgent(rec Session) *session {
	s := &session{Session: rec, b: b, role: host.Agent, self: rec.Project}
	s.set = tool.Everything(b.agentOffer, &tool.Options{Confirm: b.opts.Confirm, Audit: s.ended})
	return s
}

// newTool is a session of a tool with what is left of its grant. opener is the
// agent's session that opened it, nil if a person did.
func (b *Bench) newTool(rec Session, opener *session, reserved int) (*session, error) {
	s := &session{Session: rec, b: b, role: host.Tool, reserved: reserved, made: reserved}
	opts := &tool.Options{Confirm: b.opts.Confirm, Audit: s.ended, Charge: s.charge}
	if opener != nil {
		opts.Within, s.self = opener.set, opener.Project
		if rec.Grant.Project == s.self && rec.Grant.Mode == tool.ReadWrite {
			return nil, errSelf
		}
	}
	left := rec.Grant
	if left.MaxCalls -= reserved; left.MaxCalls <= 0 {
		return nil, &host.Error{Code: host.Exhausted, Message: "All calls of the grant are used."}
	}
	var err error
	if s.set, err = tool.NewSet(b.toolOffer, opts, left); err != nil {
		return nil, &host.Error{Code: host.Invalid, Message: err.Error(), Err: err}
	}
	for _, g := range rec.Added {
		if err := s.set.Add(g); err != nil {
			s.set.Revoke()
			return nil, &host.Error{Code: host.Invalid, Message: err.Error(), Err: err}
		}
	}
	return s, nil
}

// ended is told of every call.
func (s *session) ended(ctx context.Context, r host.Record) {
	s.mu.Lock()
	s.latest = r
	s.calls++
	s.mu.Unlock()
	s.b.opts.Audit(ctx, r)
}

// maxWrote bounds the files that a session is known to have changed.
const maxWrote = 200

// changed notes that a call may change a file.
func (s *session) changed(p sam.ProjectID, name string) {
	if p != s.Grant.Project {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrote = slices.DeleteFunc(s.wrote, func(w string) bool { return w == name })
	if len(s.wrote) == maxWrote {
		s.wrote = slices.Delete(s.wrote, 0, 1)
	}
	s.wrote = append(s.wrote, name)
}

// Activity is what a session has done since the bench was opened.
type Activity struct {
	Calls int         // all, for the agent; for a tool those that count for its grant, since it was opened
	Last  host.Record // the call that ended last; zero if there was none
	Wrote []string    // the files of the grant's project that a tool changed last, at most 200, the newest last
}

// Activity returns what an open session has done. Of another it is zero.
func (b *Bench) Activity(session string) Activity {
	s := b.session(session)
	if s == nil {
		return Activity{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := Activity{s.made, s.latest, slices.Clone(s.wrote)}
	if s.role == host.Agent {
		a.Calls = s.calls
	}
	return a
}

var errSelf = &host.Error{Code: host.Denied, Message: "The current agent can't change its own files.", Hint: "Change a copy, and let a person make that the agent."}

// Funcs implements host.Caller.
func (s *session) Funcs() iter.Seq[host.Func] {
	return func(yield func(host.Func) bool) {
		for f := range s.set.Funcs() {
			if !yield(f) {
				return
			}
		}
		if s.role == host.Tool {
			yield(closeFunc)
		}
	}
}

var closeFunc = host.Func{Name: "close", Doc: "Ends this session and its rights."}

// Values implements host.Valuer.
func (s *session) Values() map[string]json.RawMessage {
	values := map[string]json.RawMessage{"apiVersion": asJSON(apiVersion)}
	if s.role == host.Tool {
		values["grant"] = asJSON(struct {
			tool.Grant
			Words string `json:"words"`
		}{s.Grant, s.Grant.Words()})
		return values
	}
	type capability struct {
		Version   int      `json:"version"`
		Functions []string `json:"functions"`
	}
	caps := map[string]*capability{}
	for f := range s.set.Funcs() {
		if f.Capability == "" {
			continue
		}
		key := f.Capability
		if c := caps[key]; c != nil && c.Version != f.Version {
			key = fmt.Sprintf("%s@%d", f.Capability, f.Version)
		}
		if caps[key] == nil {
			caps[key] = &capability{Version: f.Version}
		}
		caps[key].Functions = append(caps[key].Functions, f.Name)
	}
	values["capabilities"] = asJSON(caps)
	return values
}

func asJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return b
}

// Call implements host.Caller. Who calls is this session, whatever ctx says; the person
// and the call's id are ctx's.
func (s *session) Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	call, _ := host.CallFrom(ctx)
	call.Project, call.Role, call.Session = string(s.Project), s.role, s.ID
	if call.ID == "" {
		call.ID = rand.Text()
	}
	ctx = context.WithValue(host.WithCall(ctx, call), sessionKey{}, s)
	switch {
	case s.role == host.Tool && name == closeFunc.Name:
		return s.last(ctx, call, closeFunc.Name, args, func(ctx context.Context) (json.RawMessage, error) {
			return json.RawMessage("null"), toHost(s.b.CloseTool(ctx, s.ID))
		})
	case s.role == host.Agent && s.b.opts.SetAgent && isSuccession(name):
		return s.last(ctx, call, "roles@1.setActiveAgent", args, func(ctx context.Context) (json.RawMessage, error) {
			return s.b.agentOffer.Call(ctx, name, args)
		})
	}
	defer s.b.turns.call(s)()
	out, err := s.set.Call(ctx, name, args)
	if err = s.wanted(name, args, err); err != nil {
		s.denied(name, err)
	}
	return out, err
}

// last makes a call that ends the session if it succeeds: its set can't answer for it, and would withhold what
// it returns. The end of the request, which comes with that of the session, does not stop it half-way.
func (s *session) last(ctx context.Context, call host.Call, name string, args json.RawMessage, fn func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	r := host.Record{Call: call, Func: name, Time: time.Now(), ArgsHash: host.HashArgs(args)}
	var out json.RawMessage
	var failed error = errEnded
	select {
	case <-s.set.Done():
	default:
		out, failed = fn(context.WithoutCancel(ctx))
	}
	err := host.AsError(ctx, failed)
	if r.Duration = time.Since(r.Time); err != nil {
		r.Refused(err)
	}
	s.ended(ctx, r)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// project returns the project that a built-in function acts on: the one named or, for "", the
// grant's of a tool, the work project of the agent.
func (s *session) project(ctx context.Context, id sam.ProjectID) (*sam.Project, error) {
	switch {
	case s.role == host.Tool:
		if id != "" && id != s.Grant.Project || s.Grant.Project == "" {
			return nil, &host.Error{Code: host.Denied, Message: "The grant is not for this project.", Grant: asJSON(tool.Grant{Project: id})}
		}
		id = s.Grant.Project
	case id == "":
		if id = s.b.Work(); id == "" {
			return nil, &host.Error{Code: host.NotFound, Message: "There is no work project.", Hint: "Name a project, or open one."}
		}
	}
	p, err := s.b.ws.Open(ctx, id)
	if err != nil {
		return nil, toHost(err)
	}
	return p, nil
}

// mayRead returns nil if the call that ctx belongs to may read a file.
func (s *session) mayRead(ctx context.Context, p *sam.Project, name string) error {
	return tool.Check(ctx, p.ID(), name, tool.Read)
}

// sees reports whether a name may be shown to the call that ctx belongs to.
func (s *session) sees(ctx context.Context, p *sam.Project, name string) bool {
	return tool.Covers(ctx, p.ID(), name, tool.Read)
}

// mayWrite returns nil if the call that ctx belongs to may change, make or remove a file.
func (s *session) mayWrite(ctx context.Context, p *sam.Project, name string) error {
	if p.ID() == s.self {
		return errSelf
	}
	err := tool.Check(ctx, p.ID(), name, tool.ReadWrite)
	if err == nil && s.role == host.Tool {
		s.changed(p.ID(), name)
	}
	return err
}

// mayChange returns nil if a project as a whole may be changed: restored, deleted, imported into. Tools
// may do that to none.
func (s *session) mayChange(id sam.ProjectID) error {
	switch {
	case s.role != host.Agent:
		return &host.Error{Code: host.Denied, Message: "A tool may not change a project as a whole."}
	case id == s.self:
		return errSelf
	}
	return nil
}
