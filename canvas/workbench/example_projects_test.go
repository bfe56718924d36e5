package workbench_test

import (
	"context"
	"fmt"
	"log"

	"samkit.dev/canvas/workbench"
	"samkit.dev/sam"
)

func ExampleBench_Add() {
	bench, closeAll := newBench()
	defer closeAll()
	ctx := context.Background()
	if _, err := bench.Create(ctx, "notes", sam.Files{"index.html": "<h1>Notes</h1>"}); err != nil {
		log.Fatal(err)
	}
	copied, err := bench.Add(func(ws *sam.Workspace) (*sam.Project, error) {
		return ws.Clone(ctx, "notes", "notes-2", sam.Parts{KV: true, DB: true})
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(copied.ID())
	// Output: notes-2
}

func ExampleSearch() {
	bench, closeAll := newBench()
	defer closeAll()
	ctx := context.Background()
	notes, err := bench.Create(ctx, "notes", sam.Files{"src/list.js": "// The newest first.\nexport const LIST = 50;\n"})
	if err != nil {
		log.Fatal(err)
	}
	found, err := workbench.Search(ctx, notes, workbench.Query{Text: "list", IgnoreCase: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range found.Matches {
		fmt.Printf("%s:%d:%d %s\n", m.Path, m.Line, m.Column, m.Text)
	}
	// Output: src/list.js:2:14 export const LIST = 50;
}
