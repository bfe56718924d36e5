package workbench

import (
	"context"

	"samkit.dev/sam"
)

// Checkpoint records a project's files, and the state that parts names. It is
// [sam.Project.Checkpoint], of which readers of [Bench.Events] hear, as of the methods
// below. Those that an agent or a tool makes are by "agent coder" or "tool markdown", after the role and the project; a
// program says with [sam.WithAuthor] who its people are.
func (b *Bench) Checkpoint(ctx context.Context, id sam.ProjectID, label string, parts sam.Parts) (sam.Checkpoint, error) {
	p, err := b.ws.Open(ctx, id)
	if err != nil {
		return sam.Checkpoint{}, err
	}
	c, err := p.Checkpoint(ctx, label, parts)
	if err == nil {
		b.history.publish()
	}
	return c, err
}

// Restore makes a project what it was at a checkpoint, after [sam.Project.Restore]. It
// returns the checkpoint of what it replaced: restoring that undoes it.
func (b *Bench) Restore(ctx context.Context, id sam.ProjectID, checkpoint string, parts sam.Parts) (sam.Checkpoint, error) {
	p, err := b.ws.Open(ctx, id)
	if err != nil {
		return sam.Checkpoint{}, err
	}
	c, err := p.Restore(ctx, checkpoint, parts)
	if err == nil {
		b.turns.restored(b, id, checkpoint, c.ID)
		b.history.publish()
	}
	return c, err
}

// DeleteCheckpoints removes checkpoints, all or none, after [sam.Project.DeleteCheckpoints].
func (b *Bench) DeleteCheckpoints(ctx context.Context, id sam.ProjectID, checkpoints ...string) error {
	p, err := b.ws.Open(ctx, id)
	if err != nil {
		return err
	}
	if err := p.DeleteCheckpoints(ctx, checkpoints...); err != nil {
		return err
	}
	b.history.publish()
	return nil
}

// Fork makes a project of what another was at a checkpoint, after [sam.Workspace.Fork].
func (b *Bench) Fork(ctx context.Context, from sam.ProjectID, checkpoint string, to sam.ProjectID, parts sam.Parts) (*sam.Project, error) {
	b.making.Lock()
	defer b.making.Unlock()
	p, err := b.ws.Fork(ctx, from, checkpoint, to, parts)
	if err != nil {
		return nil, err
	}
	b.roles.publish()
	return p, nil
}
