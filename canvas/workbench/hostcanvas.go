package workbench

import (
	"context"

	"samkit.dev/host"
	"samkit.dev/sam"
)

// defineCanvas registers env.HOST.canvas.
func defineCanvas(b *Bench, c *host.Capability) {
	host.Register(c, "reload", "Makes the open pages of a project load again.", reloadCanvas)
}

type canvasIn struct {
	Project sam.ProjectID `json:"project,omitempty"`
}

func reloadCanvas(ctx context.Context, in canvasIn) (nothing, error) {
	s, p, err := onProject(ctx, in.Project)
	if err != nil {
		return nothing{}, err
	}
	s.b.Reload(p.ID())
	return nothing{}, nil
}

// Reload makes the open pages of a project load again.
func (b *Bench) Reload(id sam.ProjectID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c := b.reloads[id]; c != nil {
		close(c)
		delete(b.reloads, id)
	}
}

// reloading returns a channel that the next Reload closes.
func (b *Bench) reloading(id sam.ProjectID) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.reloads[id] == nil {
		b.reloads[id] = make(chan struct{})
	}
	return b.reloads[id]
}
