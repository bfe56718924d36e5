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

func ExampleBench_OpenTool() {
	bench, closeAll := newBench()
	defer closeAll()
	ctx := context.Background()
	for id, files := range map[sam.ProjectID]sam.Files{"viewer": nil, "notes": {"docs/a.md": "hello"}} {
		if _, err := bench.Create(ctx, id, files); err != nil {
			log.Fatal(err)
		}
	}
	grant := tool.Grant{Project: "notes", Paths: []string{"docs/**"}, Mode: tool.Read, MaxCalls: 100}
	fmt.Println(grant.Words()) // and only if the person agrees:
	session, err := bench.OpenTool(ctx, "viewer", grant)
	if err != nil {
		log.Fatal(err)
	}
	// What the page frames is handler.Path(canvas.Visitor{Session: session.ID}, "viewer"). Its app:
	app, err := bench.App(ctx, canvas.Visitor{Session: session.ID}, "viewer")
	if err != nil {
		log.Fatal(err)
	}
	_, err = app.Tool.Call(ctx, "files.read", json.RawMessage(`{"path":"secret.md"}`))
	fmt.Println(err)

	if err := bench.CloseTool(ctx, session.ID); err != nil {
		log.Fatal(err)
	}
	_, err = app.Tool.Call(ctx, "files.read", json.RawMessage(`{"path":"docs/a.md"}`))
	fmt.Println(err)
	// Output:
	// Read "docs/**" of the project notes; at most 100 calls.
	// denied: The grant does not allow to read "secret.md" of the project notes.
	// denied: The rights to this have been withdrawn.
}

func ExampleBench_SetAgent() {
	bench, closeAll := newBench()
	defer closeAll()
	ctx := context.Background()
	for _, id := range []sam.ProjectID{"bot", "notes"} {
		if _, err := bench.Create(ctx, id, nil); err != nil {
			log.Fatal(err)
		}
	}
	if err := bench.SetAgent(ctx, "bot"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(bench.Agent().Project)
	for _, project := range []string{"notes", "bot"} {
		_, err := bench.Host().Call(ctx, "files.write", fmt.Appendf(nil, `{"project":%q,"path":"index.html","content":"<h1>hi</h1>"}`, project))
		fmt.Println(err)
	}
	// Output:
	// bot
	// <nil>
	// denied: The current agent can't change its own files.
}

func ExampleBench_Audit() {
	bench, closeAll := newBench()
	defer closeAll()
	ctx := context.Background()
	if _, err := bench.Create(ctx, "bot", nil); err != nil {
		log.Fatal(err)
	}
	if err := bench.SetAgent(ctx, "bot"); err != nil {
		log.Fatal(err)
	}
	bench.Host().Call(ctx, "files.write", json.RawMessage(`{"project":"bot","path":"a","content":""}`))
	for r, err := range bench.Audit(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.Role, r.Project, r.Func, r.Code)
	}
	// Output: agent bot files@1.write denied
}

func ExampleBench_Answer() {
	bench, closeAll := newBench()
	defer closeAll()
	ctx := context.Background()
	if _, err := bench.Create(ctx, "bot", nil); err != nil {
		log.Fatal(err)
	}
	if err := bench.SetAgent(ctx, "bot"); err != nil {
		log.Fatal(err)
	}
	page, leave := context.WithCancel(ctx)
	defer leave()
	go func() { // the page of the workbench, and a person
		for e := range bench.Events(page, "", "") {
			for _, p := range e.Prompts {
				if p.Act == workbench.Ask {
					bench.Answer(p.ID, p.Choices[0])
				}
			}
		}
	}()
	for { // in functions.js: await env.HOST.ui.ask({ question: "Which?", choices: ["this", "that"] })
		out, err := bench.Host().Call(ctx, "ui.ask", json.RawMessage(`{"question":"Which?","choices":["this","that"],"timeoutMs":50}`))
		if err != nil {
			log.Fatal(err)
		}
		if string(out) != `{"answered":false}` { // the page may come later than the question
			fmt.Println(string(out))
			break
		}
	}
	// Output: {"answered":true,"answer":"this"}
}
