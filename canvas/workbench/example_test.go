package workbench_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"

	"samkit.dev/canvas"
	"samkit.dev/canvas/workbench"
	"samkit.dev/host/console"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
)

// newBench makes a bench on a store in memory.
func newBench() (*workbench.Bench, func()) {
	store := sam.NewMemStore()
	eng, err := engine.New(&engine.Options{Isolation: engine.InProcess})
	if err != nil {
		log.Fatal(err)
	}
	bench, err := workbench.New(context.Background(), sam.NewWorkspace(store, "ada", nil), eng,
		&workbench.Options{Roles: store.Space("ada/~bench")})
	if err != nil {
		log.Fatal(err)
	}
	return bench, func() {
		bench.Close()
		eng.Close()
		store.Close()
	}
}

func ExampleNew() {
	bench, closeAll := newBench()
	defer closeAll()
	apps, err := canvas.NewSite(bench.App, &canvas.Options{Engine: bench.Engine()})
	if err != nil {
		log.Fatal(err)
	}
	defer apps.Close()
	// apps is an http.Handler that serves every project of the bench.
}

func ExampleBench_SetWork() {
	bench, closeAll := newBench()
	defer closeAll()
	ctx := context.Background()
	if _, err := bench.Create(ctx, "notes", sam.Files{"index.html": "<h1>Notes</h1>"}); err != nil {
		log.Fatal(err)
	}
	if err := bench.SetWork(ctx, "notes"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(bench.Work())
	err := bench.Delete(ctx, "notes")
	fmt.Printf("%q %v\n", bench.Work(), err)
	// Output:
	// notes
	// "" <nil>
}

func ExampleBench_Events() {
	bench, closeAll := newBench()
	defer closeAll()
	ctx := context.Background()
	notes, err := bench.Create(ctx, "notes", nil)
	if err != nil {
		log.Fatal(err)
	}
	for e, err := range bench.Events(ctx, "notes", "") {
		if err != nil {
			log.Fatal(err)
		}
		switch e.Kind {
		case workbench.Ready:
			// From here on nothing is missed.
			if err := notes.WriteFile(ctx, "index.html", []byte("<h1>Notes</h1>")); err != nil {
				log.Fatal(err)
			}
		case workbench.Files:
			fmt.Println(e.Files[0].Name, e.Files[0].Size)
			return
		}
	}
	// Output: index.html 14
}

func ExampleBench_Console() {
	bench, closeAll := newBench()
	defer closeAll()
	ctx := context.Background()
	if _, err := bench.Create(ctx, "notes", nil); err != nil {
		log.Fatal(err)
	}
	app, err := bench.App(ctx, canvas.Visitor{}, "notes")
	if err != nil {
		log.Fatal(err)
	}
	app.Console.Add(console.Entry{Text: "hello"}) // as the app would

	buf, err := bench.Console(ctx, "notes")
	if err != nil {
		log.Fatal(err)
	}
	for e := range buf.Since(0) {
		fmt.Println(e.Seq, e.Text)
	}
	// Output: 1 hello
}

func ExampleBench_Restore() {
	bench, closeAll := newBench()
	defer closeAll()
	ctx := sam.WithAuthor(context.Background(), "ada")
	notes, err := bench.Create(ctx, "notes", sam.Files{"index.html": "<h1>Notes</h1>"})
	if err != nil {
		log.Fatal(err)
	}
	good, err := bench.Checkpoint(ctx, "notes", "works", sam.Parts{KV: true, DB: true})
	if err != nil {
		log.Fatal(err)
	}
	if err := notes.WriteFile(ctx, "index.html", []byte("<h1>Oops</h1>")); err != nil {
		log.Fatal(err)
	}
	undo, err := bench.Restore(ctx, "notes", good.ID, sam.Parts{})
	if err != nil {
		log.Fatal(err)
	}
	page, err := notes.ReadFile(ctx, "index.html")
	fmt.Printf("%s %v; %q by %s undoes it\n", page, err, undo.Label, undo.By)
	// Output: <h1>Notes</h1> <nil>; "before restoring works" by ada undoes it
}

func ExampleNewGroup() {
	store := sam.NewMemStore()
	defer store.Close()
	eng, err := engine.New(&engine.Options{Isolation: engine.InProcess})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	group := workbench.NewGroup(func(ctx context.Context, person string) (*workbench.Bench, error) {
		return workbench.New(ctx, sam.NewWorkspace(store, person, nil), eng,
			&workbench.Options{Roles: store.Space(person + "/~bench")})
	})
	defer group.Close()

	ctx := context.Background()
	for _, person := range []string{"ada", "bob"} {
		bench, err := group.Bench(ctx, person)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := bench.Create(ctx, "notes", nil); err != nil { // each their own
			log.Fatal(err)
		}
	}
	_, err = group.App(ctx, canvas.Visitor{Principal: "eve"}, "notes")
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output: true
}
