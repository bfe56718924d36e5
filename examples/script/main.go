// Script saves, runs and tries scripts over the files of a folder.
//
//	go run ./examples/script -C app eval 'return (await rtcAgent.listDir()).length'
//	go run ./examples/script -C app save words words.ts
//	go run ./examples/script -C app run words '{"file":"notes.md"}'
//	go run ./examples/script -C app list
//	go run ./examples/script -C app repl
//
// What scripts write is written to the folder. Before a script runs, and before it writes, you are asked, unless
// -yes is given. The result is printed as JSON, what the script printed to the standard error. It exits
// with 1 if the script failed, was blocked or not permitted.
package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path"
	"strings"
	"time"

	"samkit.dev/host/console"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/tool"
	"samkit.dev/tool/script"
)

func main() {
	engine.Main() // runs scripts if this process was started for that
	dir := flag.String("C", ".", "the folder")
	yes := flag.Bool("yes", false, "ask nothing")
	timeout := flag.Duration("timeout", script.Timeout, "how long a script may take")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c := &command{in: bufio.NewScanner(os.Stdin), out: os.Stdout, err: os.Stderr, yes: *yes, timeout: *timeout}
	if err := c.run(ctx, *dir, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "script:", err)
		os.Exit(1)
	}
}

// A command is one use of the program.
type command struct {
	in       *bufio.Scanner
	out, err io.Writer
	yes      bool
	timeout  time.Duration
}

var errUsage = errors.New("usage: eval CODE [PARAMS], save NAME FILE, run NAME [PARAMS], list or repl")

func (c *command) run(ctx context.Context, dir string, args []string) error {
	args = append(args, "", "", "")
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	app, err := c.load(ctx, root)
	if err != nil {
		return err
	}
	eng, err := engine.New(&engine.Options{Isolation: engine.Process})
	if err != nil {
		return err
	}
	defer eng.Close()
	o := &script.Options{Confirm: c.ask, Timeout: c.timeout, Apply: func(ctx context.Context, e sam.Edit) error { return apply(ctx, root, app, e) }}
	if c.yes {
		o.Mode = script.Bypass
	}
	r := script.New(eng, app, o)
	switch args[0] {
	case "eval":
		return c.show(r.Eval(ctx, script.Source{Code: args[1]}, params(args[2])))
	case "run":
		return c.show(r.Run(ctx, args[1], params(args[2])))
	case "save":
		code, err := root.ReadFile(args[2])
		if err != nil {
			return err
		}
		lang := strings.TrimPrefix(path.Ext(args[2]), ".")
		return r.Save(ctx, script.Source{Name: args[1], Lang: lang, Code: string(code)})
	case "list":
		list, err := r.List(ctx)
		for _, s := range list {
			fmt.Fprintln(c.out, s.Name, s.Description)
		}
		return err
	case "repl":
		return c.repl(ctx, eng, app)
	}
	return errUsage
}

// load makes a project of a folder, in memory.
func (c *command) load(ctx context.Context, root *os.Root) (*sam.Project, error) {
	files := sam.Files{}
	err := fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || sam.CheckFileName(name) != nil {
			return err
		}
		data, err := root.ReadFile(name)
		files[name] = string(data)
		return err
	})
	if err != nil {
		return nil, err
	}
	return sam.NewWorkspace(sam.NewMemStore(), "me", nil).Create(ctx, "folder", files)
}

// apply makes a change in the project, which checks it, and then in the folder.
func apply(ctx context.Context, root *os.Root, app *sam.Project, e sam.Edit) error {
	if err := app.Apply(ctx, e); err != nil {
		return err
	}
	if e.Remove {
		return root.Remove(e.Name)
	}
	if err := root.MkdirAll(path.Dir(e.Name), 0o755); err != nil {
		return err
	}
	return root.WriteFile(e.Name, e.Data, 0o644)
}

// params are those of a command line: JSON, which the runner looks at.
func params(text string) any {
	return rawJSON(cmp.Or(text, "null"))
}

type rawJSON string

func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

func (c *command) show(res *script.Result, err error) error {
	if err != nil {
		return err
	}
	for _, list := range [][]string{res.Logs, res.Warnings, res.Errors} {
		for _, l := range list {
			fmt.Fprintln(c.err, l)
		}
	}
	if res.Failed {
		return errors.New("the script failed")
	}
	fmt.Fprintf(c.out, "%s\n", res.Value)
	return nil
}

// ask is a tool.Confirm of the command line.
func (c *command) ask(_ context.Context, q tool.Question) (tool.Answer, error) {
	fmt.Fprintf(c.err, "%s %s\nAllow it? [y/N] ", q.Func.Doc, q.Args)
	return tool.Answer{Allow: c.in.Scan() && strings.EqualFold(strings.TrimSpace(c.in.Text()), "y")}, c.in.Err()
}

// repl reads lines and runs each, until there are no more.
func (c *command) repl(ctx context.Context, eng *engine.Engine, app *sam.Project) error {
	r, err := script.NewREPL(ctx, eng, app, &script.REPLOptions{Plan: true, Timeout: c.timeout, Print: func(e console.Entry) { fmt.Fprintln(c.err, e.Text) }})
	if err != nil {
		return err
	}
	defer r.Close()
	var input string
	fmt.Fprint(c.err, "> ")
	for c.in.Scan() {
		input += c.in.Text() + "\n"
		value, err := r.Eval(ctx, input)
		if errors.Is(err, script.ErrMore) {
			fmt.Fprint(c.err, "… ")
			continue
		}
		input = ""
		switch {
		case err != nil:
			fmt.Fprintln(c.err, err)
		case value != "":
			fmt.Fprintln(c.out, value)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		fmt.Fprint(c.err, "> ")
	}
	return c.in.Err()
}
