package workbench_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"samkit.dev/canvas/workbench"
)

// An agent's page calls a model with its person's own key. The person agrees to where it goes.
func ExampleBench_Connect() {
	bench, closeAll := newBench()
	defer closeAll()
	ctx, stop := context.WithCancel(context.Background())
	if _, err := bench.Create(ctx, "bot", nil); err != nil {
		log.Fatal(err)
	}
	if err := bench.SetAgent(ctx, "bot"); err != nil {
		log.Fatal(err)
	}
	done := make(chan struct{})
	go func() { // the page of the workbench
		defer close(done)
		for e, err := range bench.Events(ctx, "", "") {
			if err != nil {
				log.Fatal(err)
			}
			if e.Kind == workbench.Ready { // the agent's functions.js, from here on
				go bench.Host().Call(ctx, "ui.connect", json.RawMessage(`{"origin":"https://api.example.com"}`))
			}
			for _, p := range e.Prompts {
				if p.Act != workbench.Connect {
					continue
				}
				fmt.Printf("May the pages of %s load from and talk to %s?\n", p.Project, p.Origin)
				if err := bench.Answer(p.ID, "allow"); err != nil {
					log.Fatal(err)
				}
			}
			if e.Kind == workbench.Projects && len(bench.Connects("bot")) > 0 {
				return
			}
		}
	}()
	<-done
	fmt.Println(bench.Connected())
	err := bench.Connect(ctx, "bot") // and takes it back
	fmt.Println(bench.Connects("bot"), err)
	stop()
	// Output:
	// May the pages of bot load from and talk to https://api.example.com?
	// map[bot:[https://api.example.com]]
	// [] <nil>
}
