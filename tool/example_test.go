package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"time"

	"samkit.dev/host"
	"samkit.dev/tool"
)

type lookupIn struct {
	ID string `json:"id"`
}

// newCapabilities offers a CRM.
func newCapabilities() *host.Capabilities {
	caps := host.New()
	crm := caps.Define("crm", 1)
	host.Register(crm, "lookup", "Finds a customer by id.", func(_ context.Context, in lookupIn) (string, error) { return "customer " + in.ID, nil }, host.Reads)
	host.Register(crm, "remove", "Removes a customer.", func(_ context.Context, in lookupIn) (string, error) { return "removed " + in.ID, nil })
	return caps
}

func ExampleNewSet() {
	set, err := tool.NewSet(newCapabilities(), nil, tool.Grant{Uses: []string{"crm@1.lookup"}})
	if err != nil {
		log.Fatal(err)
	}
	defer set.Revoke()
	ctx := context.Background()
	out, err := set.Call(ctx, "crm.lookup", json.RawMessage(`{"id":"c1"}`))
	fmt.Println(string(out), err)

	_, err = set.Call(ctx, "crm.remove", json.RawMessage(`{"id":"c1"}`))
	var denied *host.Error
	if errors.As(err, &denied) {
		fmt.Println(denied.Message)
		fmt.Println(denied.Hint)
		fmt.Println(string(denied.Grant))
	}
	// Output:
	// "customer c1" <nil>
	// The grant does not allow to call crm@1.remove.
	// It would need a grant: Call crm@1.remove.
	// {"uses":["crm@1.remove"]}
}

func ExampleSet_Narrow() {
	set, err := tool.NewSet(newCapabilities(), nil, tool.Grant{Uses: []string{"crm@1.*"}})
	if err != nil {
		log.Fatal(err)
	}
	narrow, err := set.Narrow(tool.Grant{Uses: []string{"crm@1.lookup"}, MaxCalls: 1})
	if err != nil {
		log.Fatal(err)
	}
	for f := range narrow.Funcs() {
		fmt.Println(f.Name)
	}
	set.Revoke() // which ends both
	_, err = narrow.Call(context.Background(), "crm.lookup", json.RawMessage(`{"id":"c1"}`))
	fmt.Println(err)
	// Output:
	// lookup
	// denied: The rights to this have been withdrawn.
}

func ExampleSet_Add() {
	set, err := tool.NewSet(newCapabilities(), nil, tool.Grant{Uses: []string{"crm@1.lookup"}})
	if err != nil {
		log.Fatal(err)
	}
	defer set.Revoke()
	ctx, args := context.Background(), json.RawMessage(`{"id":"c1"}`)
	_, err = set.Call(ctx, "crm.remove", args)
	var denied *host.Error
	if !errors.As(err, &denied) {
		log.Fatal(err)
	}
	var want tool.Grant
	if err := json.Unmarshal(denied.Grant, &want); err != nil {
		log.Fatal(err)
	}
	fmt.Println(want.Words()) // and if the person agrees:
	if err := set.Add(want); err != nil {
		log.Fatal(err)
	}
	out, err := set.Call(ctx, "crm.remove", args)
	fmt.Println(string(out), err)
	// Output:
	// Call crm@1.remove.
	// "removed c1" <nil>
}

func ExampleEverything() {
	agent := tool.Everything(newCapabilities(), nil)
	defer agent.Revoke()
	for f := range agent.Funcs() {
		fmt.Println(f.Name)
	}
	// Output:
	// lookup
	// remove
}

func ExampleConfirm() {
	ask := func(_ context.Context, q tool.Question) (tool.Answer, error) {
		fmt.Printf("May %s be called with %s?\n", q.Func.Name, q.Args)
		// Yes, and don't ask again for this customer.
		return tool.Answer{Allow: true, Scope: tool.WithArgs, Args: q.Args, By: "ada"}, nil
	}
	set, err := tool.NewSet(newCapabilities(), &tool.Options{Confirm: ask}, tool.Grant{Uses: []string{"crm@1.*"}, Confirm: true})
	if err != nil {
		log.Fatal(err)
	}
	defer set.Revoke()
	for _, id := range []string{"c1", "c1", "c2"} {
		if _, err := set.Call(context.Background(), "crm.remove", fmt.Appendf(nil, `{"id":%q}`, id)); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// May remove be called with {"id":"c1"}?
	// May remove be called with {"id":"c2"}?
}

func ExampleGrant_Words() {
	fmt.Println(tool.Grant{
		Project: "notes", Paths: []string{"docs/**"}, Mode: tool.ReadWrite,
		MaxCalls: 100, Expires: time.Date(2026, 11, 30, 17, 0, 0, 0, time.UTC), Confirm: true,
	}.Words())
	// Output: Read and change "docs/**" of the project notes; at most 100 calls; until 2026-11-30 17:00 UTC; asks before each change.
}

func ExampleCheck() {
	caps := host.New()
	type in struct {
		Name string `json:"name"`
	}
	host.Register(caps.Define("files", 1), "shout", "Reads a file aloud.", func(ctx context.Context, in in) (string, error) {
		if err := tool.Check(ctx, "notes", in.Name, tool.Read); err != nil {
			return "", err
		}
		return "HELLO", nil
	}, host.OnFiles, host.Reads)

	set, err := tool.NewSet(caps, nil, tool.Grant{Project: "notes", Paths: []string{"docs/**"}, Mode: tool.Read})
	if err != nil {
		log.Fatal(err)
	}
	defer set.Revoke()
	for _, name := range []string{"docs/a.md", "docs2/a.md", "docs/../secret"} {
		_, err := set.Call(context.Background(), "files.shout", fmt.Appendf(nil, `{"name":%q}`, name))
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// denied: The grant does not allow to read "docs2/a.md" of the project notes.
	// invalid: The name "docs/../secret" is no name that a file can have.
}

func ExampleSet_Flat() {
	set, err := tool.NewSet(newCapabilities(), nil, tool.Grant{Uses: []string{"crm@1.lookup"}})
	if err != nil {
		log.Fatal(err)
	}
	defer set.Revoke()
	crm, err := set.Flat() // for canvas.App.Services: env.CRM.lookup
	if err != nil {
		log.Fatal(err)
	}
	out, err := crm.Call(context.Background(), "lookup", json.RawMessage(`{"id":"c1"}`))
	fmt.Println(string(out), err)
	// Output: "customer c1" <nil>
}

func ExampleMatchPath() {
	for _, name := range []string{"docs/a.md", "docs2/a.md"} {
		ok, err := tool.MatchPath("docs/**", name)
		fmt.Println(name, ok, err)
	}
	// Output:
	// docs/a.md true <nil>
	// docs2/a.md false <nil>
}

func ExampleLiteral() {
	fmt.Println(tool.Literal("notes/*draft*.md"))
	// Output: notes/\*draft\*.md
}
