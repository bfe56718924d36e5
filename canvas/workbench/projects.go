package workbench

import (
	"context"
	"io/fs"

	"samkit.dev/sam"
)

// Create makes a project with the files of fsys, nil meaning none.
func (b *Bench) Create(ctx context.Context, id sam.ProjectID, fsys fs.FS) (*sam.Project, error) {
	p, err := b.ws.Create(ctx, id, fsys)
	if err != nil {
		return nil, err
	}
	b.roles.publish()
	return p, nil
}

// Delete removes a project with its state and history. If it was the work project,
// there is none from then on.
func (b *Bench) Delete(ctx context.Context, id sam.ProjectID) error {
	if err := b.ws.Delete(ctx, id); err != nil {
		return err
	}
	b.mu.Lock()
	delete(b.consoles, id)
	if j := b.journals[id]; j != nil {
		b.drop(j)
	}
	wasWork := b.work == id
	b.mu.Unlock()
	b.roles.publish()
	if wasWork {
		return b.SetWork(ctx, "")
	}
	return nil
}
