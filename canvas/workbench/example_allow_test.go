package workbench_test

import (
	"context"
	"fmt"
	"log"

	"samkit.dev/canvas"
	"samkit.dev/canvas/workbench"
	"samkit.dev/host"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

type customerIn struct {
	ID string `json:"id"`
}

func ExampleBench_Allow() {
	caps := host.New()
	host.Register(caps.Define("crm", 1), "lookup", "Finds a customer by id.", func(_ context.Context, in customerIn) (string, error) {
		return "customer " + in.ID, nil
	}, host.Reads)

	store := sam.NewMemStore()
	defer store.Close()
	eng, err := engine.New(&engine.Options{Isolation: engine.InProcess})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	ctx := context.Background()
	bench, err := workbench.New(ctx, sam.NewWorkspace(store, "ada", nil), eng, &workbench.Options{Capabilities: caps})
	if err != nil {
		log.Fatal(err)
	}
	defer bench.Close()
	if _, err := bench.Create(ctx, "dashboard", nil); err != nil {
		log.Fatal(err)
	}

	// In dashboard's functions.js: await env.CRM.lookup({id: "c1"})
	if err := bench.Allow(ctx, "dashboard", "CRM", tool.Grant{Uses: []string{"crm@1.lookup"}}); err != nil {
		log.Fatal(err)
	}
	app, err := bench.App(ctx, canvas.Visitor{}, "dashboard")
	if err != nil {
		log.Fatal(err)
	}
	out, err := app.Services["CRM"].Call(ctx, "lookup", []byte(`{"id":"c1"}`))
	fmt.Println(string(out), err)
	// Output: "customer c1" <nil>
}
