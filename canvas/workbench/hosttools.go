package workbench

import (
	"context"

	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// defineTools registers env.HOST.tools.
func defineTools(b *Bench, c *host.Capability) {
	host.Register(c, "open", "Opens a session in which a project is a tool, with a grant that is no more than the agent has. A grant that names no project is for the work project.", openToolSession)
	host.Register(c, "close", "Closes a session that the agent opened.", closeToolSession)
	host.Register(c, "list", "Lists the sessions that the agent opened.", listToolSessions, host.Reads)
}

type openToolIn struct {
	Project sam.ProjectID `json:"project" jsonschema:"the tool"`
	Grant   tool.Grant    `json:"grant"`
}

// A toolSession is a Session as the agent sees it.
type toolSession struct {
	Session string        `json:"session"`
	Project sam.ProjectID `json:"project"`
	Grant   tool.Grant    `json:"grant"`
	Words   string        `json:"words" jsonschema:"the grant, for a person"`
	Since   string        `json:"since"`
}

func newToolSession(s Session) toolSession {
	return toolSession{s.ID, s.Project, s.Grant, s.Grant.Words(), isoTime(s.Since)}
}

func openToolSession(ctx context.Context, in openToolIn) (toolSession, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return toolSession{}, err
	}
	opened, err := s.b.openTool(ctx, s, in.Project, s.b.aimed(in.Grant))
	if err != nil {
		return toolSession{}, toHost(err)
	}
	return newToolSession(opened), nil
}

type closeToolIn struct {
	Session string `json:"session"`
}

func closeToolSession(ctx context.Context, in closeToolIn) (nothing, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return nothing{}, err
	}
	if !s.opened(in.Session) {
		return nothing{}, &host.Error{Code: host.NotFound, Message: "The agent has opened no such session.", Hint: "tools.list shows them."}
	}
	return nothing{}, toHost(s.b.CloseTool(ctx, in.Session))
}

// opened reports whether an open tool session is this agent's.
func (s *session) opened(id string) bool {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	t := s.b.tools[id]
	return t != nil && t.Agent == s.ID
}

type listToolsOut struct {
	Sessions []toolSession `json:"sessions"`
}

func listToolSessions(ctx context.Context, _ nothing) (listToolsOut, error) {
	out := listToolsOut{Sessions: []toolSession{}}
	s, err := sessionOf(ctx)
	if err != nil {
		return out, err
	}
	for _, t := range s.b.Sessions() {
		if t.Agent == s.ID {
			out.Sessions = append(out.Sessions, newToolSession(t))
		}
	}
	return out, nil
}
