package task_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"samkit.dev/sam"
	"samkit.dev/tool/task"
	"samkit.dev/wasi"
)

type Package struct{ Name string }
type Upgraded struct{ From, To string }

// A stage that wants to write outside the policy is refused before anything runs.
func ExampleDefine() {
	upgrade := task.NewStage("upgrade", func(ctx context.Context, w *task.Work, in Package) (Upgraded, error) {
		return Upgraded{"1.2.0", "1.3.0"}, nil
	}, &task.StageOptions{Writes: []string{"config/**"}})
	_, err := task.Define("upgrade-dependency", task.Policy{Writable: []string{"src/**"}}, upgrade)
	fmt.Println(err)
	// Output: task: upgrade-dependency: stage upgrade writes "config/**", which the policy does not permit
}

func ExamplePolicy_Check() {
	p := task.Policy{Writable: []string{"package.json"}, Commands: [][]string{{"npm", "install", "*"}}}
	for _, w := range p.Check() {
		fmt.Println(w)
	}
	// Output:
	// commands: "npm install *" usually writes "package-lock.json", which is not writable.
	// commands: "npm install *" usually writes "node_modules/**", which is not writable.
	// commands: "npm install *" usually needs the network, and no host is allowed.
}

func ExamplePolicy_Narrow() {
	team := task.Policy{Writable: []string{"src/**", "docs/**"}, Deny: []string{".env"}, Commands: [][]string{{"npm", "**"}}}
	tests := task.Policy{Writable: []string{"**/*_test.js"}, Commands: [][]string{{"npm", "test"}, {"make"}}}
	p := team.Narrow(tests)
	fmt.Println(p.Writable, p.Deny, p.Commands)
	// Output: [src/**/*_test.js docs/**/*_test.js] [.env] [[npm test]]
}

func ExampleParse() {
	t, err := task.Parse([]byte(`{
		"name": "format", "policy": {"writable": ["src/**"], "commands": [["sed", "-i", "*", "*"]]},
		"stages": [{"name": "tidy", "commands": [["sed", "-i", "s/ *$//", "src/a.txt"]], "writes": ["src/*"]}]
	}`))
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	commands, err := wasi.New(&wasi.Options{Allow: []string{"sed"}})
	if err != nil {
		panic(err)
	}
	defer commands.Close()
	app, err := sam.NewWorkspace(sam.NewMemStore(), "ada", nil).Create(ctx, "app", sam.Files{"src/a.txt": "one  \ntwo\n"})
	if err != nil {
		panic(err)
	}
	_, run, err := t.Run(ctx, task.Project(app), []byte("null"), &task.RunOptions{Backend: task.Virtual(commands)})
	fmt.Println(run.Status, run.Promoted, err)
	// Output: succeeded [src/a.txt] <nil>
}

// A directory changes as a whole, and a failed run can be looked into.
func ExampleDir() {
	top, err := os.MkdirTemp("", "example-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(top)
	root, err := os.OpenRoot(top)
	if err != nil {
		panic(err)
	}
	defer root.Close()
	if err := task.Recover(context.Background(), root); err != nil { // if a program before was killed
		panic(err)
	}
	kept, err := task.OpenKept(filepath.Join(top, ".kept"), nil)
	if err != nil {
		panic(err)
	}
	write := task.NewStage("write", func(ctx context.Context, w *task.Work, fail bool) (string, error) {
		if err := w.WriteFile("notes.md", []byte("# Notes\n")); err != nil {
			return "", err
		}
		if fail {
			return "", errors.New("it would rather not")
		}
		return "done", nil
	}, nil)
	t, err := task.Define("notes", task.Policy{Writable: []string{"*.md"}, Deny: []string{".kept/**"}}, write)
	if err != nil {
		panic(err)
	}
	_, run, err := t.Run(context.Background(), task.Dir(root), true, &task.RunOptions{Failed: kept})
	fmt.Println(run.Status, err)
	left, err := kept.Open(run.ID)
	if err != nil {
		panic(err)
	}
	notes, err := os.ReadFile(filepath.Join(left.Dir, "notes.md"))
	fmt.Printf("%s%v\n", notes, err)
	out, run, err := t.Run(context.Background(), task.Dir(root), false, nil)
	fmt.Println(out, run.Promoted, err)
	// Output:
	// failed task: notes: stage write: it would rather not
	// # Notes
	// <nil>
	// done [notes.md] <nil>
}
