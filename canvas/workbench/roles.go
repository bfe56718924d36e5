package workbench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"samkit.dev/sam"
)

// rolesKey is where the roles stand in [Options.Roles].
const rolesKey = "roles"

// rolesRecord is the roles as they are kept.
type rolesRecord struct {
	Work sam.ProjectID `json:"work,omitempty"`
}

// Work returns the work project, or "".
func (b *Bench) Work() sam.ProjectID {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.work
}

// SetWork makes a project the work project; "" means none. The error matches
// fs.ErrNotExist if there is no such project.
func (b *Bench) SetWork(ctx context.Context, id sam.ProjectID) error {
	if id != "" {
		if _, err := b.ws.Open(ctx, id); err != nil {
			return err
		}
	}
	b.saving.Lock()
	defer b.saving.Unlock()
	if b.Work() == id {
		return nil
	}
	if err := b.saveRoles(ctx, rolesRecord{Work: id}); err != nil {
		return err
	}
	b.mu.Lock()
	b.work = id
	b.mu.Unlock()
	b.roles.publish()
	return nil
}

func (b *Bench) saveRoles(ctx context.Context, r rolesRecord) error {
	if b.opts.Roles == nil {
		return nil
	}
	value, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if _, err := b.opts.Roles.Commit(ctx, sam.Op{Key: rolesKey, Value: value, If: sam.Any}); err != nil {
		return fmt.Errorf("workbench: keep the roles: %w", err)
	}
	return nil
}

// loadRoles takes the roles that were kept. Those of projects that are gone are void.
func (b *Bench) loadRoles(ctx context.Context) error {
	if b.opts.Roles == nil {
		return nil
	}
	value, _, err := b.opts.Roles.Get(ctx, rolesKey)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var r rolesRecord
	if err == nil {
		err = json.Unmarshal(value, &r)
	}
	if err != nil {
		return fmt.Errorf("workbench: read the roles: %w", err)
	}
	if r.Work == "" {
		return nil
	}
	switch _, err := b.ws.Open(ctx, r.Work); {
	case err == nil:
		b.work = r.Work
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return nil
}
