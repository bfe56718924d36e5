package workbench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"samkit.dev/sam"
)

// rolesKey is where the roles stand in [Options.Roles]; tool sessions stand below sessionPrefix.
const (
	rolesKey      = "roles"
	sessionPrefix = "session/"
)

// rolesRecord is the roles as they are kept.
type rolesRecord struct {
	Work  sam.ProjectID `json:"work,omitempty"`
	Agent *Session      `json:"agent,omitempty"`
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
	r := b.record()
	if r.Work == id {
		return nil
	}
	r.Work = id
	if err := b.saveRoles(ctx, r); err != nil {
		return err
	}
	b.mu.Lock()
	b.work = id
	b.mu.Unlock()
	b.roles.publish()
	return nil
}

// record returns the roles as they are; saving is held.
func (b *Bench) record() rolesRecord {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := rolesRecord{Work: b.work}
	if b.agent != nil {
		r.Agent = &b.agent.Session
	}
	return r
}

func (b *Bench) saveRoles(ctx context.Context, r rolesRecord, more ...sam.Op) error {
	if b.opts.Roles == nil {
		return nil
	}
	value, err := json.Marshal(r)
	if err != nil {
		return err
	}
	ops := append([]sam.Op{{Key: rolesKey, Value: value, If: sam.Any}}, more...)
	if _, err := b.opts.Roles.Commit(ctx, ops...); err != nil {
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
	var r rolesRecord
	if err == nil {
		err = json.Unmarshal(value, &r)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("workbench: read the roles: %w", err)
	}
	if ok, err := b.exists(ctx, r.Work); err != nil {
		return err
	} else if ok {
		b.work = r.Work
	}
	if r.Agent != nil {
		if ok, err := b.exists(ctx, r.Agent.Project); err != nil {
			return err
		} else if ok {
			b.agent = b.newAgent(*r.Agent)
		}
	}
	if err := b.loadConnects(ctx); err != nil {
		return err
	}
	return b.loadSessions(ctx)
}

// exists reports whether there is a project.
func (b *Bench) exists(ctx context.Context, id sam.ProjectID) (bool, error) {
	if id == "" {
		return false, nil
	}
	_, err := b.ws.Open(ctx, id)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// loadSessions takes the tool sessions that were kept. Those that have ended meanwhile, or
// whose projects, agent or functions are gone, are removed.
func (b *Bench) loadSessions(ctx context.Context) error {
	for e, err := range b.opts.Roles.List(ctx, sessionPrefix, "") {
		if err != nil {
			return fmt.Errorf("workbench: read the sessions: %w", err)
		}
		if err := b.loadSession(ctx, e.Key); err != nil {
			return fmt.Errorf("workbench: read the session %q: %w", e.Key, err)
		}
	}
	return nil
}

func (b *Bench) loadSession(ctx context.Context, key string) error {
	value, e, err := b.opts.Roles.Get(ctx, key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var r sessionRecord
	if err == nil {
		err = json.Unmarshal(value, &r)
	}
	if err != nil {
		return err
	}
	s, why, err := b.reopen(ctx, r)
	if err != nil {
		return err
	}
	if why != "" {
		b.opts.Logger.Info("workbench: a tool session is over", "session", r.ID, "project", r.Project, "why", why)
		_, err := b.opts.Roles.Commit(ctx, sam.Op{Key: key, Delete: true, If: sam.Any})
		return err
	}
	s.version = e.Version
	b.tools[s.ID] = s
	b.wg.Go(s.wait)
	return nil
}

// reopen makes the session of a record, or says why it is over.
func (b *Bench) reopen(ctx context.Context, r sessionRecord) (s *session, why string, err error) {
	for _, id := range []sam.ProjectID{r.Project, r.Grant.Project} {
		if id == "" {
			continue
		}
		if ok, err := b.exists(ctx, id); err != nil {
			return nil, "", err
		} else if !ok {
			return nil, "the project is gone", nil
		}
	}
	var opener *session
	if r.Agent != "" {
		if b.agent == nil || b.agent.ID != r.Agent {
			return nil, "the agent that opened it has lost its role", nil
		}
		opener = b.agent
	}
	if !r.Grant.Expires.After(time.Now()) {
		return nil, "the grant has expired", nil
	}
	s, err = b.newTool(r.Session, opener, r.Used)
	if err != nil {
		return nil, err.Error(), nil
	}
	return s, "", nil
}
