package workbench_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"samkit.dev/canvas"
	"samkit.dev/canvas/workbench"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// openViewer opens the tool "viewer" on "notes".
func openViewer(bench *workbench.Bench, g tool.Grant) (workbench.Session, *canvas.App) {
	ctx := context.Background()
	for id, files := range map[sam.ProjectID]sam.Files{"viewer": nil, "notes": {"docs/a.md": "hello", "README.md": "read me"}} {
		if _, err := bench.Create(ctx, id, files); err != nil {
			log.Fatal(err)
		}
	}
	session, err := bench.OpenTool(ctx, "viewer", g)
	if err != nil {
		log.Fatal(err)
	}
	app, err := bench.App(ctx, canvas.Visitor{Session: session.ID}, "viewer")
	if err != nil {
		log.Fatal(err)
	}
	return session, app
}

func ExampleBench_Decide() {
	bench, closeAll := newBench()
	defer closeAll()
	_, app := openViewer(bench, tool.Grant{Project: "notes", Paths: []string{"docs/**"}, Mode: tool.ReadWrite, Confirm: true})

	page, leave := context.WithCancel(context.Background())
	defer leave()
	go func() { // the page of the workbench, and a person
		for range bench.Events(page, "", "") {
			for _, a := range bench.Approvals() {
				fmt.Printf("May %s call %s with %s?\n", a.Project, a.Func, a.Args)
				bench.Decide(a.ID, tool.Answer{Allow: true, By: "ada"})
			}
		}
	}()
	_, err := app.Tool.Call(context.Background(), "files.remove", json.RawMessage(`{"path":"docs/a.md"}`))
	fmt.Println(err)
	// Output:
	// May viewer call files@1.remove with {"path":"docs/a.md"}?
	// <nil>
}

func ExampleBench_Widen() {
	bench, closeAll := newBench()
	defer closeAll()
	ctx := context.Background()
	session, app := openViewer(bench, tool.Grant{Project: "notes", Paths: []string{"docs/**"}, Mode: tool.Read})

	_, err := app.Tool.Call(ctx, "files.read", json.RawMessage(`{"path":"README.md"}`))
	fmt.Println(err)
	for _, d := range bench.Denials() {
		fmt.Println(d.Want.Words()) // and if the person agrees:
		if _, err := bench.Widen(ctx, session.ID, d.Want); err != nil {
			log.Fatal(err)
		}
	}
	_, err = app.Tool.Call(ctx, "files.read", json.RawMessage(`{"path":"README.md"}`))
	fmt.Println(err, bench.Activity(session.ID).Last.On)
	// Output:
	// denied: The grant does not allow to read "README.md" of the project notes.
	// Read "README.md" of the project notes.
	// <nil> notes/README.md
}

func ExampleBench_UndoTurn() {
	bench, closeAll := newBench()
	defer closeAll()
	ctx := context.Background()
	for _, id := range []sam.ProjectID{"bot", "notes"} {
		if _, err := bench.Create(ctx, id, sam.Files{"index.html": "before"}); err != nil {
			log.Fatal(err)
		}
	}
	bench.SetWork(ctx, "notes")
	bench.SetAgent(ctx, "bot")
	bench.Host().Call(ctx, "checkpoints.create", json.RawMessage(`{"label":"Before: a title"}`))
	bench.Host().Call(ctx, "files.write", json.RawMessage(`{"path":"index.html","content":"after"}`))

	turn := bench.Turn()
	fmt.Println(turn.Agent, turn.Label)
	if err := bench.UndoTurn(ctx, turn.Checkpoint); err != nil {
		log.Fatal(err)
	}
	project, err := bench.Workspace().Open(ctx, "notes")
	if err != nil {
		log.Fatal(err)
	}
	text, err := project.ReadFile(ctx, "index.html")
	fmt.Println(string(text), err)
	// Output:
	// bot Before: a title
	// before <nil>
}
