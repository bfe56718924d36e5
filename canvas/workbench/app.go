package workbench

import (
	"context"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/host"
	"samkit.dev/sam"
)

// sessionWall is how long a request of the agent or of a tool may take: it may have to wait until a person has answered
// ([tool.AnswerWithin], maxAskWait). What it computes is bounded as ever.
const sessionWall = 6 * time.Minute

var _ canvas.Finder = (*Bench)(nil).App

// App is a [canvas.Finder] for the projects of the bench. A visitor without a session is
// served a project in the role of work: with its own state and console, the services
// of [Bench.Allow] and the origins of [Bench.Connect], without env.HOST and env.TOOL. Those come with the ID of an open
// [Session] in [canvas.Visitor]: canvas.Handler.Path seals it into a path. A visitor
// whose session has ended, or is another project's, is refused.
func (b *Bench) App(ctx context.Context, v canvas.Visitor, id sam.ProjectID) (*canvas.App, error) {
	p, err := b.ws.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	app := &canvas.App{Project: p, Connect: b.Connects(id), Console: b.console(id), Role: host.App, Services: b.servicesOf(id), Reload: b.reloading(id)}
	if v.Session == "" {
		return app, nil
	}
	s := b.session(v.Session)
	if s == nil || s.Project != id {
		return nil, errEnded
	}
	app.Session, app.Role, app.Done = s.ID, s.role, s.set.Done()
	app.Limits.Wall = sessionWall
	if s.role == host.Agent {
		app.Host = s
	} else {
		app.Tool = s
	}
	return app, nil
}

// session returns an open session, or nil.
func (b *Bench) session(id string) *session {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.tools[id]
	if b.agent != nil && b.agent.ID == id {
		s = b.agent
	}
	if s == nil {
		return nil
	}
	select {
	case <-s.set.Done():
		return nil
	default:
		return s
	}
}
