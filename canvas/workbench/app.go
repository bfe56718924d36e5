package workbench

import (
	"context"

	"samkit.dev/canvas"
	"samkit.dev/host"
	"samkit.dev/sam"
)

var _ canvas.Finder = (*Bench)(nil).App

// App is a [canvas.Finder] for the projects of the bench. Each is served in the
// role of work: with its own state and console, without env.HOST and env.TOOL. A
// visitor who brings a session is refused: its rights have ended.
func (b *Bench) App(ctx context.Context, v canvas.Visitor, id sam.ProjectID) (*canvas.App, error) {
	if v.Session != "" {
		return nil, &host.Error{Code: host.Denied, Message: "This session has ended.", Hint: "Open the project again from the workbench."}
	}
	p, err := b.ws.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	return &canvas.App{Project: p, Console: b.console(id), Role: host.App}, nil
}
