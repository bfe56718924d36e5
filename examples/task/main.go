// Task runs a task on the files of a folder: a definition in JSON, JavaScript or TypeScript says what it may write and
// run, and the folder gets all of its work or nothing.
//
//	go run ./examples/task                                 a demonstration, in memory
//	go run ./examples/task -C app app/headers.task.json    on a folder
//	go run ./examples/task -C app app/tasks/headers.ts
//	go run ./examples/task -C app -report out.html app/headers.task.json '{"year": 2026}'
//
// Commands are those of package wasi, so nothing outside the folder can be reached, unless -backend says light or strong: then
// they are the machine's own, on a copy. A module, such as tasks/headers.ts, is read
// below the folder. The last argument is the task's input. -types prints the declarations of what a module has. -check prints what is suspicious in the policy, and runs nothing. -keep names a folder
// where what a failed run leaves is kept. The exit code is 0 if the task succeeded, and 1 otherwise.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/tool/task"
	"samkit.dev/tool/task/taskjs"
	"samkit.dev/wasi"
)

// demo adds up a table and checks the result.
//
//go:embed demo.task.json
var demo []byte

func main() {
	task.Main()   // of the backends light and strong
	engine.Main() // of the engine, for modules
	var c command
	flag.StringVar(&c.dir, "C", "", "the folder that the task works on; without it the files are a demonstration's")
	flag.StringVar(&c.report, "report", "", "a file for the report, as a page")
	flag.StringVar(&c.keep, "keep", "", "a folder for what failed runs leave")
	flag.StringVar(&c.backend, "backend", "virtual", "what runs commands: virtual, light or strong")
	flag.TextVar(&c.isolation, "isolation", engine.Sandboxed, "how a module is kept apart: sandboxed, process or inprocess")
	types := flag.Bool("types", false, "print task.d.ts, and run nothing")
	flag.BoolVar(&c.check, "check", false, "print warnings about the policy, and run nothing")
	flag.Parse()
	if *types {
		fmt.Print(taskjs.Types())
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := c.run(ctx, os.Stdout, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "task:", err)
		os.Exit(1)
	}
}

type command struct {
	dir, report, keep, backend string
	check                      bool
	isolation                  engine.Isolation
}

func (c command) run(ctx context.Context, out io.Writer, args []string) (err error) {
	input := json.RawMessage(`null`)
	if len(args) > 1 {
		input = json.RawMessage(args[1])
	}
	if len(args) > 2 || len(args) > 0 && c.dir == "" && !c.check {
		return errors.New("give a folder with -C, a definition, and perhaps an input")
	}
	t, closeEngine, err := c.read(ctx, args)
	if err != nil {
		return err
	}
	defer closeEngine()
	for _, warning := range t.Policy().Check() {
		fmt.Fprintln(out, "warning:", warning)
	}
	if c.check {
		return nil
	}
	ground, done, err := c.ground(ctx)
	if err != nil {
		return err
	}
	defer done()
	backend, end, err := c.open()
	if err != nil {
		return err
	}
	defer end()
	opts := &task.RunOptions{Backend: backend, Events: func(e task.Event) { fmt.Fprintf(out, "%-9s %s\n", e.Kind, e.Text) }}
	if c.keep != "" {
		if opts.Failed, err = task.OpenKept(c.keep, nil); err != nil {
			return err
		}
	}
	result, run, err := t.Run(ctx, ground, input, opts)
	if run == nil {
		return err
	}
	fmt.Fprintf(out, "\n%s", run.Artifact(task.PatchArtifact))
	if err == nil {
		fmt.Fprintf(out, "\noutput: %s\n", result)
	}
	if c.report != "" {
		f, ferr := os.Create(c.report)
		if ferr != nil {
			return errors.Join(err, ferr)
		}
		err = errors.Join(err, run.HTML(f), f.Close())
	}
	return err
}

// read reads the definition. The caller ends what a module needs, after the run.
func (c command) read(ctx context.Context, args []string) (*task.Task[json.RawMessage, json.RawMessage], func() error, error) {
	none := func() error { return nil }
	if len(args) == 0 {
		t, err := task.Parse(demo)
		return t, none, err
	}
	lang := task.DefinitionLang(filepath.ToSlash(args[0]))
	if lang != "json" && strings.HasSuffix(args[0], "s") {
		root := cmp.Or(c.dir, ".")
		name, err := filepath.Rel(root, args[0])
		if err != nil {
			return nil, nil, err
		}
		e, err := engine.New(&engine.Options{Isolation: c.isolation})
		if err != nil {
			return nil, nil, err
		}
		t, err := taskjs.Parse(ctx, e, os.DirFS(root), filepath.ToSlash(name))
		if err != nil {
			return nil, nil, errors.Join(err, e.Close())
		}
		return t, e.Close, nil
	}
	definition, err := os.ReadFile(args[0])
	if err != nil {
		return nil, nil, err
	}
	t, err := task.Parse(definition)
	return t, none, err
}

// open returns what runs commands. The caller ends it.
func (c command) open() (task.Backend, func() error, error) {
	var b *task.Box
	var err error
	switch c.backend {
	case "", "virtual":
		r, err := wasi.New(nil)
		if err != nil {
			return nil, nil, err
		}
		return task.Virtual(r), r.Close, nil
	case "light":
		b, err = task.Light(nil)
	case "strong":
		b, err = task.Strong(nil)
	default:
		err = fmt.Errorf("there is no backend %q", c.backend)
	}
	if err != nil {
		return nil, nil, err
	}
	return b, b.Close, nil
}

// ground is the folder, or a project in memory.
func (c command) ground(ctx context.Context) (task.Ground, func(), error) {
	if c.dir != "" {
		root, err := os.OpenRoot(c.dir)
		if err != nil {
			return nil, nil, err
		}
		return task.Dir(root), func() { root.Close() }, nil
	}
	store := sam.NewMemStore()
	p, err := sam.NewWorkspace(store, "demo", nil).Create(ctx, "shop", sam.Files{
		"sales.csv": "month,eur\njan,120\nfeb,80\nmar,200\n", "out/sum.json": `{"sum": 0}` + "\n", ".env": "TOKEN=hunter2\n",
	})
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	return task.Project(p), func() { store.Close() }, nil
}
