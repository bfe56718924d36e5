package main

import (
	"context"
	"embed"
	"errors"
	"io/fs"

	"samkit.dev/canvas/workbench"
	"samkit.dev/host"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// projects are what everybody starts with.
//
//go:embed projects
var projects embed.FS

// benches opens the bench of a person.
type benches struct {
	store sam.Store
	eng   *engine.Engine
	caps  *host.Capabilities
}

// open is called when somebody is there whose bench is not open.
func (bs benches) open(ctx context.Context, person string) (*workbench.Bench, error) {
	if !validName(person) {
		return nil, errors.New("nobody is logged in") // Auth has asked already
	}
	ws := sam.NewWorkspace(bs.store, person, nil)
	b, err := workbench.New(ctx, ws, bs.eng, &workbench.Options{
		Roles:        bs.store.Space(person + "/~bench"),
		Capabilities: bs.caps, // for the agent: env.HOST.crm.lookup
	})
	if err != nil {
		return nil, err
	}
	if err := bs.furnish(ctx, b); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// furnish gives a bench what it does not have yet. Roles and tool sessions are kept with the
// bench; services are not, so they are allowed each time.
func (bs benches) furnish(ctx context.Context, b *workbench.Bench) error {
	for _, id := range []sam.ProjectID{"dashboard", "assistant", "reader"} {
		dir, err := fs.Sub(projects, "projects/"+string(id))
		if err != nil {
			return err
		}
		if _, err := b.Create(ctx, id, dir); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if b.Work() == "" {
		if err := b.SetWork(ctx, "dashboard"); err != nil {
			return err
		}
	}
	if b.Agent().ID == "" {
		if err := b.SetAgent(ctx, "assistant"); err != nil {
			return err
		}
	}
	// Whatever it is edited to, the dashboard may call this one function: env.CRM.lookup.
	return b.Allow(ctx, "dashboard", "CRM", tool.Grant{Uses: []string{"crm@1.lookup"}})
}

// docs is what the reader is granted, in words on the page that asks for it.
var docs = tool.Grant{Project: "dashboard", Paths: []string{"docs/**"}, Mode: tool.ReadWrite}

type lookupIn struct {
	ID string `json:"id"`
}

type customer struct {
	Name      string `json:"name"`
	LookedFor string `json:"lookedFor"` // by whom
}

// crm is what the program offers. Who asks is the person logged in, whatever the code says.
func crm() *host.Capabilities {
	caps := host.New()
	host.Register(caps.Define("crm", 1), "lookup", "Finds a customer by id.", func(ctx context.Context, in lookupIn) (customer, error) {
		call, _ := host.CallFrom(ctx)
		if in.ID == "" {
			return customer{}, &host.Error{Code: host.Invalid, Message: "Which customer?"}
		}
		return customer{Name: "Customer " + in.ID, LookedFor: call.Principal}, nil
	}, host.Reads)
	return caps
}
