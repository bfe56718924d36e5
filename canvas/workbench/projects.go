package workbench

import (
	"context"
	"errors"
	"io/fs"

	"samkit.dev/sam"
)

// Create makes a project with the files of fsys, nil meaning none.
func (b *Bench) Create(ctx context.Context, id sam.ProjectID, fsys fs.FS) (*sam.Project, error) {
	return b.Add(func(ws *sam.Workspace) (*sam.Project, error) { return ws.Create(ctx, id, fsys) })
}

// Add makes a project in one of the other ways that a workspace has: cloned, forked or
// imported. While fn runs no project of the bench is made or deleted, so fn should
// have at hand what comes from elsewhere, and must not call b.
func (b *Bench) Add(fn func(*sam.Workspace) (*sam.Project, error)) (*sam.Project, error) {
	b.making.Lock()
	defer b.making.Unlock()
	p, err := fn(b.ws)
	if err != nil {
		return nil, err
	}
	b.roles.publish()
	return p, nil
}

// Delete removes a project with its state and history. First it loses its roles, services and [Bench.Connects], and
// the sessions end that were granted something of it: a project of the same name begins with none.
func (b *Bench) Delete(ctx context.Context, id sam.ProjectID) error {
	b.making.Lock()
	defer b.making.Unlock()
	return b.deleteProject(ctx, id)
}

// deleteProject is Delete; making is held.
func (b *Bench) deleteProject(ctx context.Context, id sam.ProjectID) error {
	if _, err := b.ws.Open(ctx, id); err != nil {
		return err
	}
	if err := b.strip(ctx, id); err != nil {
		return err
	}
	b.tasks.dropProject(id)
	if err := b.ws.Delete(ctx, id); err != nil {
		return err
	}
	b.mu.Lock()
	delete(b.consoles, id)
	delete(b.reloads, id)
	if j := b.journals[id]; j != nil {
		b.drop(j)
	}
	b.mu.Unlock()
	b.terminals.drop(id)
	b.pythons.drop(id)
	b.roles.publish()
	return nil
}

// strip takes its roles and services from a project, and ends what was granted of it.
func (b *Bench) strip(ctx context.Context, id sam.ProjectID) error {
	b.mu.Lock()
	for _, s := range b.services[id] {
		s.set.Revoke()
	}
	delete(b.services, id)
	_, connected := b.connects[id]
	wasWork, wasAgent := b.work == id, b.agent != nil && b.agent.Project == id
	var sessions []string
	for _, s := range b.tools {
		if s.Project == id || s.Grant.Project == id {
			sessions = append(sessions, s.ID)
		}
	}
	b.mu.Unlock()
	if connected {
		if err := b.Connect(ctx, id); err != nil {
			return err
		}
	}
	for _, s := range sessions {
		if err := b.CloseTool(ctx, s); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if wasAgent {
		if err := b.SetAgent(ctx, ""); err != nil {
			return err
		}
	}
	if wasWork {
		return b.SetWork(ctx, "")
	}
	return nil
}
