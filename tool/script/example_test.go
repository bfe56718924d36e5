package script_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"samkit.dev/host/console"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/tool/script"
)

func Example() {
	ctx := context.Background()
	eng, err := engine.New(&engine.Options{Isolation: engine.Process})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	app, err := sam.NewWorkspace(sam.NewMemStore(), "ada", nil).Create(ctx, "notes", nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := app.WriteFile(ctx, "docs/a.md", []byte("first")); err != nil {
		log.Fatal(err)
	}

	r := script.New(eng, app, &script.Options{Mode: script.Bypass}) // nobody is asked
	err = r.Save(ctx, script.Source{Name: "count", Description: "counts the notes", Code: `
const names: string[] = await rtcAgent.listDir(params.folder);
console.log("found", names);
return names.length;`})
	if err != nil {
		log.Fatal(err)
	}
	res, err := r.Run(ctx, "count", map[string]string{"folder": "docs"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(res.Value), res.Logs)

	_, err = r.Eval(ctx, script.Source{Code: `while (true) fetch("https://example.com")`}, nil)
	var blocked *script.BlockedError
	if errors.As(err, &blocked) {
		for _, u := range blocked.Uses {
			fmt.Println(u.Text)
		}
	}
	// Output:
	// 1 [found ["a.md"]]
	// 1:1: while is blocked (loops): use for…of, a for with a bound, or the methods of arrays
	// 1:14: fetch is blocked (network): call a granted function with rtcAgent.callFunction(name, args)
}

func ExampleRunner_Eval() {
	eng, err := engine.New(&engine.Options{Isolation: engine.Process})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	ctx := context.Background()
	app, err := sam.NewWorkspace(sam.NewMemStore(), "ada", nil).Create(ctx, "notes", nil)
	if err != nil {
		log.Fatal(err)
	}
	r := script.New(eng, app, &script.Options{Mode: script.Bypass})
	res, err := r.Eval(ctx, script.Source{Code: `return new Map([[params.key, 2n ** 64n]])`}, map[string]string{"key": "big"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(res.Value))
	// Output: {"$map":[["big",{"$bigint":"18446744073709551616"}]]}
}

func ExampleREPL() {
	eng, err := engine.New(&engine.Options{Isolation: engine.Process})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	ctx := context.Background()
	app, err := sam.NewWorkspace(sam.NewMemStore(), "ada", nil).Create(ctx, "notes", nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := app.WriteFile(ctx, "lib/tax.ts", []byte("export const tax = (net: number) => net * 0.2")); err != nil {
		log.Fatal(err)
	}
	r, err := script.NewREPL(ctx, eng, app, &script.REPLOptions{Print: func(e console.Entry) { fmt.Println(e.Text) }})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	var input string
	for _, line := range []string{"%run lib/tax.ts", "const net = await Promise.resolve(50)", "({ net,", "tax: tax(net) })", "console.log('of', _.net)", "missing()"} {
		input += line + "\n"
		value, err := r.Eval(ctx, input)
		if errors.Is(err, script.ErrMore) {
			continue
		}
		input = ""
		if err != nil {
			fmt.Println(err)
		} else if value != "" {
			fmt.Println(value)
		}
	}
	// Output:
	// undefined
	// { net: 50, tax: 10 }
	// of 50
	// undefined
	// Uncaught ReferenceError: missing is not defined
	//     at REPL5:1:1
}

// A program counts the runs of scripts for its metrics.
func ExampleOptions_observe() {
	eng, err := engine.New(&engine.Options{Isolation: engine.Process})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	ctx := context.Background()
	app, err := sam.NewWorkspace(sam.NewMemStore(), "ada", nil).Create(ctx, "notes", nil)
	if err != nil {
		log.Fatal(err)
	}
	r := script.New(eng, app, &script.Options{Mode: script.Bypass, Observe: func(e script.Execution) {
		fmt.Println(e.Action, e.Status, e.Code, e.Result)
	}})
	for _, code := range []string{"return [1, 2]", "throw 1", "fetch('x')"} {
		r.Eval(ctx, script.Source{Code: code}, nil)
	}
	// Output:
	// eval ok 13 5
	// eval failed 7 0
	// eval blocked 10 0
}
