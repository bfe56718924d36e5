package task_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"samkit.dev/sam"
	"samkit.dev/tool/task"
	"samkit.dev/wasi"
)

func project(t *testing.T, files sam.Files) *sam.Project {
	t.Helper()
	p, err := sam.NewWorkspace(sam.NewMemStore(), "ada", nil).Create(t.Context(), "app", files)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func contents(t *testing.T, p *sam.Project) map[string]string {
	t.Helper()
	all := map[string]string{}
	for f, err := range p.Files(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		data, err := p.ReadFile(t.Context(), f.Name)
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name] = string(data)
	}
	return all
}

// once is a task of one stage.
func once(t *testing.T, p task.Policy, o *task.StageOptions, fn func(ctx context.Context, w *task.Work) error) *task.Task[int, int] {
	t.Helper()
	tk, err := task.Define("once", p, task.NewStage("only", func(ctx context.Context, w *task.Work, in int) (int, error) {
		return in + 1, fn(ctx, w)
	}, o))
	if err != nil {
		t.Fatal(err)
	}
	return tk
}

// A dirs is a Backend of the tests that does in the checkout what a function says.
type dirs func(dir string, c *task.Command) (int, error)

func (dirs) Name() string { return "dirs" }
func (d dirs) Run(ctx context.Context, c *task.Command) (task.Outcome, error) {
	dir, err := c.Checkout(ctx)
	if err != nil {
		return task.Outcome{}, err
	}
	code, err := d(dir, c)
	return task.Outcome{Code: code}, err
}

func wantFiles(t *testing.T, got map[string]string, want sam.Files) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("the files are %q, want %q", got, want)
	}
}

func ExampleTask_Run() {
	ctx := context.Background()
	app, _ := sam.NewWorkspace(sam.NewMemStore(), "ada", nil).Create(ctx, "app",
		sam.Files{"package.json": `{"left-pad":"1.2.0"}` + "\n", ".env": "TOKEN=x"})
	upgrade := task.NewStage("upgrade", func(ctx context.Context, w *task.Work, in Package) (Upgraded, error) {
		data, err := w.ReadFile("package.json")
		if err != nil {
			return Upgraded{}, err
		}
		if _, err := w.ReadFile(".env"); err != nil {
			fmt.Println(err)
		}
		data = bytes.ReplaceAll(data, []byte("1.2.0"), []byte("1.3.0"))
		return Upgraded{"1.2.0", "1.3.0"}, w.WriteFile("package.json", data)
	}, nil)
	verify := task.NewStage("verify", func(ctx context.Context, w *task.Work, in Upgraded) (string, error) {
		return "upgraded to " + in.To, w.Artifact("report", strings.NewReader("all tests pass"))
	}, &task.StageOptions{Writes: []string{}, Artifacts: []string{"report"}})
	t, err := task.Define("upgrade", task.Policy{Writable: []string{"package.json"}, Deny: []string{".env"}}, task.Then(upgrade, verify))
	if err != nil {
		panic(err)
	}
	out, run, err := t.Run(ctx, task.Project(app), Package{"left-pad"}, nil)
	fmt.Println(out, run.Status, run.Promoted, err)
	fmt.Printf("%s", run.Artifact(task.PatchArtifact))
	// Output:
	// open .env: task: refused: read .env is denied
	// upgraded to 1.3.0 succeeded [package.json] <nil>
	// diff --git a/package.json b/package.json
	// --- a/package.json
	// +++ b/package.json
	// @@ -1,1 +1,1 @@
	// -{"left-pad":"1.2.0"}
	// +{"left-pad":"1.3.0"}
}

func TestFailedRunChangesNothing(t *testing.T) {
	before := sam.Files{"src/a": "1", "src/b": "2", "c": "3"}
	boom := errors.New("boom")
	for name, c := range map[string]struct {
		fn     func(ctx context.Context, w *task.Work) error
		o      *task.StageOptions
		status task.Status
		is     error
	}{
		"error":    {func(ctx context.Context, w *task.Work) error { return boom }, nil, task.Failed, boom},
		"panic":    {func(ctx context.Context, w *task.Work) error { panic("boom") }, nil, task.Failed, nil},
		"timeout":  {func(ctx context.Context, w *task.Work) error { <-ctx.Done(); return ctx.Err() }, &task.StageOptions{Timeout: time.Millisecond}, task.Failed, context.DeadlineExceeded},
		"deaf":     {func(ctx context.Context, w *task.Work) error { <-t.Context().Done(); return nil }, &task.StageOptions{Timeout: time.Millisecond}, task.Failed, context.DeadlineExceeded},
		"artifact": {func(ctx context.Context, w *task.Work) error { return nil }, &task.StageOptions{Artifacts: []string{"report"}}, task.Incomplete, task.ErrIncomplete},
		"refused":  {func(ctx context.Context, w *task.Work) error { return w.WriteFile("c", nil) }, nil, task.Failed, task.ErrRefused},
	} {
		p := project(t, before)
		tk := once(t, task.Policy{Writable: []string{"src/**"}}, c.o, func(ctx context.Context, w *task.Work) error {
			if err := errors.Join(w.WriteFile("src/a", []byte("new")), w.Remove("src/b"), w.WriteFile("src/new", nil)); err != nil && !(c.is == context.DeadlineExceeded && errors.Is(err, task.ErrOver)) {
				t.Error(err)
			}
			return c.fn(ctx, w)
		})
		_, run, err := tk.Run(t.Context(), task.Project(p), 1, nil)
		if run.Status != c.status || err == nil || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: %s, %v", name, run.Status, err)
		}
		if c.is == context.DeadlineExceeded {
			// Its time may be over before it has written all.
		} else if len(run.Changes) != 3 || len(run.Stages) != 1 || !slices.Equal(run.Stages[0].Changed, []string{"src/a", "src/b", "src/new"}) {
			t.Errorf("%s: it tells of %d changes, %v", name, len(run.Changes), run.Stages)
		}
		wantFiles(t, contents(t, p), before)
	}
}

func TestCanceled(t *testing.T) {
	p := project(t, sam.Files{"a": "1"})
	ctx, cancel := context.WithCancel(t.Context())
	tk := once(t, task.Policy{Writable: []string{"a"}}, nil, func(ctx context.Context, w *task.Work) error {
		err := w.WriteFile("a", []byte("2"))
		cancel()
		return err
	})
	_, run, err := tk.Run(ctx, task.Project(p), 1, nil)
	if run.Status != task.Canceled || !errors.Is(err, context.Canceled) {
		t.Errorf("%s, %v", run.Status, err)
	}
	wantFiles(t, contents(t, p), sam.Files{"a": "1"})
}

// What a stage gives is checked before the next gets it.
func TestContract(t *testing.T) {
	reached := false
	give := func(o *task.StageOptions, out any) error {
		a := task.NewStage("a", func(ctx context.Context, w *task.Work, in int) (any, error) { return out, nil }, o)
		b := task.NewStage("b", func(ctx context.Context, w *task.Work, in any) (checked, error) {
			reached = true
			return checked{fmt.Sprint(in)}, nil
		}, nil)
		c := task.NewStage("c", func(ctx context.Context, w *task.Work, in checked) (int, error) { return len(in.Text), nil }, nil)
		tk, err := task.Define("t", task.Policy{}, task.Then(task.Then(a, b), c))
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = tk.Run(t.Context(), task.Project(project(t, nil)), 1, nil)
		return err
	}
	var ce *task.ContractError
	if err := give(&task.StageOptions{Output: json.RawMessage(`{"type":"string","maxLength":3}`)}, "long"); !errors.As(err, &ce) || ce.Stage != "a" || ce.Input || reached {
		t.Errorf("%v, reached: %v", err, reached)
	}
	if err := give(nil, func() {}); !errors.As(err, &ce) || reached {
		t.Errorf("%v, reached: %v", err, reached)
	}
	if err := give(&task.StageOptions{Output: json.RawMessage(`{"type":"string","maxLength":3}`)}, "abc"); err != nil || !reached {
		t.Errorf("%v, reached: %v", err, reached)
	}
	if err := give(nil, "bad"); !errors.As(err, &ce) || ce.Stage != "b" {
		t.Errorf("Validate was not asked: %v", err)
	}
}

type checked struct{ Text string }

func (c checked) Validate() error {
	if c.Text == "bad" {
		return errors.New("it is bad")
	}
	return nil
}

func TestWork(t *testing.T) {
	p := project(t, sam.Files{"a/x": "1", "a/y": "2", "b": "3", "secret/k": "4"})
	var kept *task.Work
	tk := once(t, task.Policy{Writable: []string{"a/**", "n*"}, Deny: []string{"secret/**"}}, nil, func(ctx context.Context, w *task.Work) error {
		kept = w
		id, err := w.Snapshot()
		if err != nil {
			return err
		}
		again, _ := w.Snapshot()
		if id != again {
			t.Error("equal files have two ids")
		}
		steps := []struct {
			what string
			err  error
			want error
		}{
			{"write", w.WriteFile("a/x", []byte("new")), nil},
			{"folder", w.WriteFile("a", nil), task.ErrRefused},
			{"denied", w.WriteFile("secret/k", nil), task.ErrRefused},
			{"outside", w.WriteFile("b", nil), fs.ErrPermission},
			{"dots", w.WriteFile("a/../b", nil), task.ErrRefused},
			{"into a file", w.WriteFile("a/x/y", nil), fs.ErrExist},
			{"case", w.WriteFile("a/X", nil), fs.ErrExist},
			{"remove", w.Remove("a/y"), nil},
			{"remove again", w.Remove("a/y"), fs.ErrNotExist},
			{"rename", w.Rename("a/x", "new"), nil},
			{"rename out", w.Rename("new", "b2"), task.ErrRefused},
			{"rename over", w.Rename("new", "new"), fs.ErrExist},
			{"no snapshot", w.Restore("x"), fs.ErrNotExist},
		}
		for _, s := range steps {
			if s.want == nil && s.err != nil || s.want != nil && !errors.Is(s.err, s.want) {
				t.Errorf("%s: %v, want %v", s.what, s.err, s.want)
			}
		}
		diff := map[string]string{}
		for name, patch := range w.Diff() {
			diff[name] = patch
		}
		if got := slices.Sorted(maps.Keys(diff)); !slices.Equal(got, []string{"a/x", "a/y", "new"}) {
			t.Errorf("diff: %v", got)
		}
		if got, _ := fs.Glob(w.FS(), "*"); !slices.Equal(got, []string{"b", "new"}) {
			t.Errorf("the root has %v", got)
		}
		if err := w.Restore(id); err != nil {
			t.Error(err)
		}
		if got, _ := w.Glob("**"); !slices.Equal(got, []string{"a/x", "a/y", "b"}) {
			t.Errorf("after restoring: %v", got)
		}
		if err := fs.WalkDir(w.FS(), ".", func(name string, d fs.DirEntry, err error) error { return err }); err != nil {
			t.Error(err)
		}
		return w.WriteFile("nn", []byte("kept"))
	})
	out, run, err := tk.Run(t.Context(), task.Project(p), 1, nil)
	if err != nil || out != 2 {
		t.Fatal(err)
	}
	wantFiles(t, contents(t, p), sam.Files{"a/x": "1", "a/y": "2", "b": "3", "secret/k": "4", "nn": "kept"})
	if len(run.Stages[0].Refused) != 5 {
		t.Errorf("%v", run.Stages[0].Refused)
	}
	if err := kept.WriteFile("a/x", nil); !errors.Is(err, task.ErrOver) {
		t.Errorf("after the stage: %v", err)
	}
}

func TestPartial(t *testing.T) {
	p := project(t, sam.Files{"a": "1", "b": "1"})
	a := task.NewStage("a", func(ctx context.Context, w *task.Work, in int) (int, error) { return 0, w.WriteFile("a", []byte("2")) }, nil)
	b := task.NewStage("b", func(ctx context.Context, w *task.Work, in int) (int, error) {
		return 0, errors.Join(w.WriteFile("b", []byte("2")), errors.New("boom"))
	}, nil)
	tk, err := task.Define("t", task.Policy{Writable: []string{"*"}}, task.Then(a, b))
	if err != nil {
		t.Fatal(err)
	}
	_, run, err := tk.Run(t.Context(), task.Project(p), 0, &task.RunOptions{Partial: true})
	if err == nil || run.Status != task.Failed || !slices.Equal(run.Promoted, []string{"a"}) {
		t.Errorf("%v, %+v", err, run)
	}
	wantFiles(t, contents(t, p), sam.Files{"a": "2", "b": "1"})
}

// Changes of others are kept, merged where they are at other places, and else nothing is written.
func TestConflict(t *testing.T) {
	text := "1\n2\n3\n4\n5\n6\n7\n"
	for name, c := range map[string]struct {
		theirs []sam.Edit
		want   sam.Files
		ok     bool
	}{
		"elsewhere": {[]sam.Edit{{Name: "c", Data: []byte("new"), IfHash: "*"}}, sam.Files{"a": "x\n2\n3\n4\n5\n6\n7\n", "c": "new"}, true},
		"merged":    {[]sam.Edit{{Name: "a", Data: []byte("1\n2\n3\n4\n5\n6\ny\n"), IfHash: "*"}}, sam.Files{"a": "x\n2\n3\n4\n5\n6\ny\n"}, true},
		"same":      {[]sam.Edit{{Name: "a", Data: []byte("x\n2\n3\n4\n5\n6\n7\n"), IfHash: "*"}, {Name: "b", Remove: true, IfHash: "*"}}, sam.Files{"a": "x\n2\n3\n4\n5\n6\n7\n"}, true},
		"clash":     {[]sam.Edit{{Name: "a", Data: []byte("z\n2\n3\n4\n5\n6\n7\n"), IfHash: "*"}}, sam.Files{"a": "z\n2\n3\n4\n5\n6\n7\n", "b": "b"}, false},
		"removed":   {[]sam.Edit{{Name: "a", Remove: true, IfHash: "*"}}, sam.Files{"b": "b"}, false},
		"changed":   {[]sam.Edit{{Name: "b", Data: []byte("c"), IfHash: "*"}}, sam.Files{"a": text, "b": "c"}, false},
	} {
		p := project(t, sam.Files{"a": text, "b": "b"})
		tk := once(t, task.Policy{Writable: []string{"*"}}, nil, func(ctx context.Context, w *task.Work) error {
			err := p.Apply(ctx, c.theirs...)
			return errors.Join(err, w.WriteFile("a", []byte("x\n2\n3\n4\n5\n6\n7\n")), w.Remove("b"))
		})
		_, run, err := tk.Run(t.Context(), task.Project(p), 1, nil)
		var ce *task.ConflictError
		if c.ok && err != nil || !c.ok && (run.Status != task.Conflicted || !errors.As(err, &ce) || len(ce.Names) != 1) {
			t.Errorf("%s: %s, %v", name, run.Status, err)
		}
		if name == "merged" && !slices.Equal(run.Merged, []string{"a"}) {
			t.Errorf("merged %v", run.Merged)
		}
		wantFiles(t, contents(t, p), c.want)
	}
}

func TestVirtual(t *testing.T) {
	r, err := wasi.New(&wasi.Options{Allow: []string{"echo", "cp", "cat", "sed", "rm", "sleep"}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p := project(t, sam.Files{"src/a": "one\n", "b": "two\n", ".env": "TOKEN"})
	tk := once(t, task.Policy{Writable: []string{"src/**"}, Deny: []string{".env"}, Commands: [][]string{{"cp", "*", "*"}, {"cat", "**"}, {"rm", "*"}, {"sleep", "*"}}}, nil,
		func(ctx context.Context, w *task.Work) error {
			run := func(argv ...string) task.Exec {
				t.Helper()
				x, err := w.Exec(ctx, argv...)
				if err != nil {
					t.Errorf("%q: %v", argv, err)
				}
				return x
			}
			if x := run("cat", "src/a", "b"); x.Code != 0 || x.Stdout.Head != "one\ntwo\n" || x.Stdout.Size != 8 || x.Stdout.Hash != sam.Hash([]byte("one\ntwo\n")) {
				t.Errorf("%+v", x)
			}
			if x := run("cat", ".env"); x.Code == 0 || strings.Contains(x.Stdout.Head, "TOKEN") {
				t.Errorf("%+v", x)
			}
			if x := run("cp", "b", "src/c"); x.Code != 0 {
				t.Errorf("%+v", x)
			}
			if x := run("cp", "src/a", "b"); x.Code == 0 {
				t.Errorf("it wrote b: %+v", x)
			}
			run("rm", "b")
			if _, err := w.Exec(ctx, "rm", "-r", "src"); !errors.Is(err, task.ErrRefused) {
				t.Errorf("rm -r: %v", err)
			}
			var all bytes.Buffer
			if x, err := w.ExecWith(ctx, &task.ExecOptions{Dir: "src", Env: []string{"TOKEN=hunter2"}, Stdin: strings.NewReader("in"), Stdout: &all}, "cat", "-", "c"); err != nil || all.String() != "intwo\n" {
				t.Errorf("%+v, %v, %q", x, err, &all)
			} else if !slices.Equal(x.Env, []string{"TOKEN=…"}) {
				t.Errorf("the report has %q", x.Env)
			}
			return nil
		})
	_, run, err := tk.Run(t.Context(), task.Project(p), 1, &task.RunOptions{Backend: task.Virtual(r)})
	if err != nil {
		t.Fatal(err)
	}
	wantFiles(t, contents(t, p), sam.Files{"src/a": "one\n", "src/c": "two\n", "b": "two\n", ".env": "TOKEN"})
	var kinds []string
	for _, r := range run.Stages[0].Refused {
		kinds = append(kinds, r.Kind+" "+r.What)
	}
	if want := []string{"write b", "write b", `command ["rm" "-r" "src"]`}; !slices.Equal(slices.Compact(kinds), slices.Compact(want)) {
		t.Errorf("%v", kinds)
	}
	if run.Backend != "virtual" || len(run.Stages[0].Execs) != 6 {
		t.Errorf("%s, %d commands", run.Backend, len(run.Stages[0].Execs))
	}
	// A stage's time ends its commands.
	slow := once(t, task.Policy{Commands: [][]string{{"sleep", "*"}}}, &task.StageOptions{Timeout: 50 * time.Millisecond}, func(ctx context.Context, w *task.Work) error {
		_, err := w.Exec(context.Background(), "sleep", "1000") // the stage's time ends it all the same
		return err
	})
	if _, run, err := slow.Run(t.Context(), task.Project(p), 1, &task.RunOptions{Backend: task.Virtual(r)}); !errors.Is(err, context.DeadlineExceeded) || run.Status != task.Failed || len(run.Stages[0].Execs) != 1 {
		t.Errorf("%v, %+v", err, run)
	}
}

func TestNoBackend(t *testing.T) {
	tk := once(t, task.Policy{Commands: [][]string{{"ls"}}}, nil, func(ctx context.Context, w *task.Work) error {
		_, err := w.Exec(ctx, "ls")
		return err
	})
	_, run, err := tk.Run(t.Context(), task.Project(project(t, nil)), 1, nil)
	if !errors.Is(err, task.ErrNoBackend) || len(run.Stages[0].Refused) != 1 {
		t.Errorf("%v, %+v", err, run.Stages)
	}
}

// What a command does in its directory is taken where the policy permits it, and put back elsewhere.
func TestCheckout(t *testing.T) {
	p := project(t, sam.Files{"src/a": "1", "src/old": "2", "b/c": "3", "d": "4", ".env": "TOKEN"})
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	var dir string
	backend := dirs(func(d string, c *task.Command) (int, error) {
		dir = d
		in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
		if c.Argv[0] == "look" {
			fmt.Fprintf(c.Stdout, "%v", os.DirFS(dir).(fs.ReadDirFS) != nil)
			var names []string
			do(fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					data, err := os.ReadFile(in(name))
					do(err)
					names = append(names, name+"="+string(data))
				}
				return err
			}))
			if want := []string{"b/c=3", "d=4", "src/a=new", "src/added=5", "src/later=6"}; !slices.Equal(names, want) {
				t.Errorf("the directory has %v, want %v", names, want)
			}
			return 0, nil
		}
		do(os.WriteFile(in("src/a"), []byte("new"), 0o600))
		do(os.Remove(in("src/old")))
		do(os.WriteFile(in("src/added"), []byte("5"), 0o600))
		do(os.RemoveAll(in("b")))
		do(os.WriteFile(in("b"), []byte("a file where a folder was"), 0o600))
		do(os.Remove(in("d")))
		do(os.MkdirAll(in("d/e"), 0o755))
		do(os.WriteFile(in("d/e/f"), nil, 0o600))
		do(os.WriteFile(in(".env"), []byte("mine"), 0o600))
		do(os.MkdirAll(in(".git/hooks"), 0o755))
		do(os.WriteFile(in(".git/hooks/pre-commit"), []byte("#!/bin/sh"), 0o700))
		return 3, nil
	})
	tk := once(t, task.Policy{Writable: []string{"src/**"}, Deny: []string{".env"}, Commands: [][]string{{"go"}, {"look"}}}, nil, func(ctx context.Context, w *task.Work) error {
		if x, err := w.Exec(ctx, "go"); err != nil || x.Code != 3 {
			t.Errorf("%+v, %v", x, err)
		}
		do(w.WriteFile("src/later", []byte("6")))
		_, err := w.Exec(ctx, "look")
		return err
	})
	_, run, err := tk.Run(t.Context(), task.Project(p), 1, &task.RunOptions{Backend: backend})
	if err != nil {
		t.Fatal(err)
	}
	wantFiles(t, contents(t, p), sam.Files{"src/a": "new", "src/added": "5", "src/later": "6", "b/c": "3", "d": "4", ".env": "TOKEN"})
	var refused []string
	for _, r := range run.Stages[0].Refused {
		refused = append(refused, r.What)
	}
	slices.Sort(refused)
	if want := []string{".env", ".git/hooks/pre-commit", "b", "b/c", "d", "d/e/f"}; !reflect.DeepEqual(refused, want) {
		t.Errorf("refused %v, want %v", refused, want)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory is still there: %v", err)
	}
}

func TestLimits(t *testing.T) {
	p := project(t, sam.Files{"a": "1"})
	tk := once(t, task.Policy{Writable: []string{"*"}}, nil, func(ctx context.Context, w *task.Work) error {
		for i := range 100 {
			if err := w.WriteFile("f", bytes.Repeat([]byte{byte(i)}, 100)); err != nil {
				return err
			}
		}
		return nil
	})
	_, run, err := tk.Run(t.Context(), task.Project(p), 1, &task.RunOptions{Bytes: 1000})
	if !errors.Is(err, task.ErrLimit) || run.Status != task.Failed {
		t.Errorf("%v", err)
	}
}

func TestEvents(t *testing.T) {
	p := project(t, sam.Files{"a": "1"})
	var kinds []string
	var id string
	tk := once(t, task.Policy{Writable: []string{"a"}}, nil, func(ctx context.Context, w *task.Work) error {
		w.WriteFile("b", nil)
		id = w.RunID()
		return w.Artifact("x", strings.NewReader("y"))
	})
	_, run, err := tk.Run(t.Context(), task.Project(p), 1, &task.RunOptions{Events: func(e task.Event) {
		kinds = append(kinds, e.Kind)
		if e.Run == "" || e.Time.IsZero() || e.Task != "once" {
			t.Errorf("%+v", e)
		}
	}})
	if err != nil || id != run.ID {
		t.Errorf("%v, %s, %s", err, id, run.ID)
	}
	if want := []string{"start", "stage", "refused", "artifact", "stage-end", "end"}; !slices.Equal(kinds, want) {
		t.Errorf("%v", kinds)
	}
	if !slices.Equal(run.ArtifactNames(), []string{task.PatchArtifact, "x"}) || string(run.Artifact("x")) != "y" {
		t.Errorf("%v", run.Artifacts)
	}
}
