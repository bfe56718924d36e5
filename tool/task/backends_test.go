package task_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"samkit.dev/sam"
	"samkit.dev/tool/task"
	"samkit.dev/wasi"
)

// backends are all that can be had here, by name. Those that can't are told.
func backends(t *testing.T) map[string]task.Backend {
	t.Helper()
	commands, err := wasi.New(&wasi.Options{Allow: []string{"cat", "cp", "tee", "rm", "mv", "mkdir"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { commands.Close() })
	all := map[string]task.Backend{"virtual": task.Virtual(commands)}
	for _, open := range []func(*task.BoxOptions) (*task.Box, error){task.Light, task.Strong} {
		b, err := open(nil)
		if err != nil {
			t.Logf("left out: %v", err)
			continue
		}
		t.Cleanup(func() { b.Close() })
		all[b.Name()] = b
	}
	return all
}

// A watched is a Backend that tells of each command the run that it belongs to.
type watched struct {
	task.Backend
	runs *[]string
}

func (w watched) Run(ctx context.Context, c *task.Command) (task.Outcome, error) {
	*w.runs = append(*w.runs, c.Run)
	return w.Backend.Run(ctx, c)
}

// What another backend is, is one field: the same task does the same to the same files, and tells the same of it.
func TestBackendsAgree(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the task's commands are those of Unix")
	}
	const definition = `{
		"name": "agree", "policy": {"writable": ["out/**", "notes"], "deny": [".env"], "commands": [["cat", "**"], ["cp", "*", "*"], ["tee", "*"], ["rm", "*"], ["mv", "*", "*"]]},
		"stages": [
			{"name": "make", "commands": [["cp", "src/a", "out/d/a"], ["tee", "out/in"], ["rm", "out/old"], ["mv", "out/from", "out/to"]], "artifacts": {"copy": "out/d/a"}},
			{"name": "look", "commands": [["cat", "out/d/a", "src/a"]%s], "writes": [], "result": "out/in", "output": {"type": "object"}}
		]
	}`
	files := sam.Files{"src/a": "one\n", "out/old": "gone\n", "out/d/old": "x", "out/from": "moved\n", "notes": "kept\n", ".env": "TOKEN"}
	all := backends(t)
	for name, c := range map[string]struct {
		more   string // a command of the last stage
		status task.Status
		want   sam.Files
	}{
		"held":    {"", task.Succeeded, sam.Files{"src/a": "one\n", "out/d/a": "one\n", "out/d/old": "x", "out/in": `{"n":1}`, "out/to": "moved\n", "notes": "kept\n", ".env": "TOKEN"}},
		"failed":  {`, ["cat", "missing"]`, task.Failed, files},
		"denied":  {`, ["cat", ".env"]`, task.Failed, files},
		"refused": {`, ["rm", "nothing"], ["cat", "missing"]`, task.Failed, files},
	} {
		told := map[string]any{}
		for kind, b := range all {
			tk, err := task.Parse(fmt.Appendf(nil, definition, c.more))
			if err != nil {
				t.Fatal(err)
			}
			p := project(t, files)
			var runs []string
			var here []any
			_, run, err := tk.Run(t.Context(), task.Project(p), json.RawMessage(`{"n":1}`), &task.RunOptions{Backend: watched{b, &runs}})
			if run.Status != c.status || (err == nil) != (c.status == task.Succeeded) || run.Backend != kind {
				t.Errorf("%s: %s, %s: %v", name, kind, run.Status, err)
			}
			wantFiles(t, contents(t, p), c.want)
			if len(runs) < 5 || slices.ContainsFunc(runs, func(id string) bool { return id != run.ID }) {
				t.Errorf("%s: %s: commands of %v, the run is %s", name, kind, runs, run.ID)
			}
			for _, s := range run.Stages {
				for _, x := range s.Execs {
					here = append(here, x.Argv, x.Code, x.Stdout)
				}
				here = append(here, s.Name, s.Changed, s.Artifacts)
			}
			here = append(here, run.Promoted, run.Changes, run.Artifacts, string(run.Output))
			told[kind] = here
		}
		for kind, here := range told {
			if !reflect.DeepEqual(here, told["virtual"]) {
				t.Errorf("%s: %s tells\n%v\nand virtual\n%v", name, kind, here, told["virtual"])
			}
		}
	}
}

// Commands run on a copy: what one does is not in the directory before the task has succeeded, nor is the directory where it runs.
func TestWorksOnACopy(t *testing.T) {
	for kind, b := range backends(t) {
		dir, err := os.OpenRoot(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		if err := dir.WriteFile("a", []byte("before"), 0o644); err != nil {
			t.Fatal(err)
		}
		tk := once(t, task.Policy{Writable: []string{"*"}, Commands: [][]string{{"cp", "*", "*"}, {"rm", "*"}}}, nil, func(ctx context.Context, w *task.Work) error {
			for _, argv := range [][]string{{"cp", "a", "b"}, {"rm", "a"}} {
				if x, err := w.Exec(ctx, argv...); err != nil || x.Code != 0 {
					t.Errorf("%s: %+v, %v", kind, x, err)
				}
			}
			if got, err := dir.ReadFile("a"); err != nil || string(got) != "before" {
				t.Errorf("%s: while the task works: %q, %v", kind, got, err)
			}
			if _, err := dir.Stat("b"); err == nil {
				t.Errorf("%s: it is written before the task has ended", kind)
			}
			return nil
		})
		if _, _, err := tk.Run(t.Context(), task.Dir(dir), 0, &task.RunOptions{Backend: b}); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if got, err := dir.ReadFile("b"); err != nil || string(got) != "before" {
			t.Errorf("%s: %q, %v", kind, got, err)
		}
	}
}
