package workbench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"
	"time"

	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// A service is functions of the program given to a project.
type service struct {
	caller host.Caller
	set    *tool.Set
}

// Allow gives a project a service, whatever its role: with the name "CRM" and a grant
// that Uses "crm@1.lookup" it calls env.CRM.lookup. Without MaxCalls and Expires the grant
// holds until Allow is called again for that name, until the project is deleted or the bench closed; it is not kept in
// the store. The zero Grant takes the service away, at once.
func (b *Bench) Allow(ctx context.Context, id sam.ProjectID, name string, g tool.Grant) error {
	if name == "" || strings.ToUpper(name) != name || name == "HOST" || name == "TOOL" {
		return fmt.Errorf("workbench: the service %q has a name that is not upper-case, or is taken", name)
	}
	if g.Project != "" || len(g.Paths) > 0 {
		return errors.New("workbench: a service has functions, and no files")
	}
	var s service
	if len(g.Uses) > 0 {
		var err error
		if s, err = b.newService(g); err != nil {
			return err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		s.set.Revoke()
		return ErrClosed
	}
	byName := maps.Clone(b.services[id]) // apps have the former one
	if byName == nil {
		byName = make(map[string]service)
	}
	byName[name].set.Revoke()
	delete(byName, name)
	if s.set != nil {
		byName[name] = s
	}
	b.services[id] = byName
	return nil
}

func (b *Bench) newService(g tool.Grant) (service, error) {
	if b.opts.Capabilities == nil {
		return service{}, errors.New("workbench: Options.Capabilities has nothing to allow")
	}
	if g.MaxCalls == 0 {
		g.MaxCalls = math.MaxInt
	}
	if g.Expires.IsZero() {
		g.Expires = time.Now().AddDate(100, 0, 0)
	}
	set, err := tool.NewSet(b.opts.Capabilities, &tool.Options{Confirm: b.opts.Confirm, Audit: b.opts.Audit}, g)
	if err != nil {
		return service{}, err
	}
	caller, err := set.Flat()
	if err != nil {
		set.Revoke()
		return service{}, err
	}
	return service{caller, set}, nil
}

// servicesOf returns what a project was allowed.
func (b *Bench) servicesOf(id sam.ProjectID) map[string]host.Caller {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.services[id]) == 0 {
		return nil
	}
	out := make(map[string]host.Caller, len(b.services[id]))
	for name, s := range b.services[id] {
		out[name] = s.caller
	}
	return out
}
