package task_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"samkit.dev/sam"
	"samkit.dev/tool/task"
)

// Stages run one after the other, each has a report, and after one that fails there are no more.
func TestStagesInOrder(t *testing.T) {
	var order []string
	stage := func(name string, err error, o *task.StageOptions) task.Stage[int, int] {
		return task.NewStage(name, func(ctx context.Context, w *task.Work, in int) (int, error) {
			order = append(order, name)
			time.Sleep(time.Millisecond)
			order = append(order, "/"+name)
			return in + 1, errors.Join(err, w.WriteFile(name, nil))
		}, o)
	}
	boom := errors.New("boom")
	tk, err := task.Define("t", task.Policy{Writable: []string{"*"}}, task.Then(task.Then(task.Then(stage("a", nil, nil), stage("b", nil, nil)), stage("c", boom, nil)), stage("d", nil, nil)))
	if err != nil {
		t.Fatal(err)
	}
	_, run, err := tk.Run(t.Context(), task.Project(project(t, nil)), 0, nil)
	if !errors.Is(err, boom) || strings.Join(order, " ") != "a /a b /b c /c" {
		t.Errorf("%v, %v", order, err)
	}
	if len(run.Stages) != 3 {
		t.Fatalf("%+v", run.Stages)
	}
	for i, s := range run.Stages {
		name := string(rune('a' + i))
		if s.Name != name || s.Duration < time.Millisecond || s.Started.Before(run.Started) || (s.Err != "") != (name == "c") || !slices.Equal(s.Changed, []string{name}) {
			t.Errorf("%+v", s)
		}
	}
}

// An artifact is of the stage that declared it: no other can say that it is there.
func TestArtifactIsItsStages(t *testing.T) {
	p := project(t, sam.Files{"a": "1"})
	verify := task.NewStage("verify", func(ctx context.Context, w *task.Work, in int) (int, error) { return 0, nil }, &task.StageOptions{Artifacts: []string{"report"}})
	for name, artifact := range map[string]string{"another's": "report", "the run's": task.PatchArtifact, "a path": "../report", "nothing": ""} {
		var got error
		fake := task.NewStage("fake", func(ctx context.Context, w *task.Work, in int) (int, error) {
			got = w.Artifact(artifact, strings.NewReader("all tests pass"))
			return 0, w.WriteFile("a", []byte("2"))
		}, nil)
		tk, err := task.Define("t", task.Policy{Writable: []string{"a"}}, task.Then(fake, verify))
		if err != nil {
			t.Fatal(err)
		}
		_, run, err := tk.Run(t.Context(), task.Project(p), 0, nil)
		if got == nil || !errors.Is(err, task.ErrIncomplete) || run.Status != task.Incomplete || len(run.Promoted) > 0 {
			t.Errorf("%s: %v; %s, %v", name, got, run.Status, err)
		}
		wantFiles(t, contents(t, p), sam.Files{"a": "1"})
	}
}

// A stage has its own time before that of its policy, be it more or less.
func TestTimeOfStage(t *testing.T) {
	for name, c := range map[string]struct {
		policy, stage time.Duration
		late          bool
	}{
		"the policy's":    {time.Millisecond, 0, true},
		"less":            {time.Hour, time.Millisecond, true},
		"more":            {time.Millisecond, time.Hour, false},
		"of neither":      {0, 0, false},
		"less than usual": {0, time.Millisecond, true},
	} {
		tk := once(t, task.Policy{Timeout: c.policy}, &task.StageOptions{Timeout: c.stage}, func(ctx context.Context, w *task.Work) error {
			if c.late {
				<-ctx.Done()
				return ctx.Err()
			}
			end, ok := ctx.Deadline()
			if want := max(c.stage, c.policy, task.DefaultTimeout); !ok || time.Until(end) < want/2 || time.Until(end) > want {
				t.Errorf("%s: it ends in %v, of %v", name, time.Until(end), want)
			}
			return nil
		})
		_, run, err := tk.Run(t.Context(), task.Project(project(t, nil)), 0, nil)
		var te *task.TimeoutError
		if c.late != errors.As(err, &te) || c.late && (te.Stage != "only" || run.Status != task.Failed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A snapshot is of what the stage may write, or of what it names, and another stage can go back to it. What it does not name stays.
func TestSnapshotOfAStage(t *testing.T) {
	p := project(t, sam.Files{"package.json": "1", "src/a": "1", "docs/a": "1"})
	type ids struct{ Own, All string }
	first := task.NewStage("first", func(ctx context.Context, w *task.Work, in int) (ids, error) {
		own, err := w.Snapshot()
		all, err2 := w.Snapshot("**")
		return ids{own, all}, errors.Join(err, err2, w.WriteFile("package.json", []byte("2")), w.WriteFile("package-lock.json", []byte("added")))
	}, &task.StageOptions{Writes: []string{"package.json", "package-lock.json"}})
	second := task.NewStage("second", func(ctx context.Context, w *task.Work, in ids) (int, error) {
		if err := w.WriteFile("src/a", []byte("2")); err != nil {
			return 0, err
		}
		// Of all that has changed since, this stage may not write what the first may.
		if err := w.Restore(in.All); !errors.Is(err, task.ErrRefused) {
			t.Errorf("restoring all: %v", err)
		}
		if err := w.Restore(in.Own); !errors.Is(err, task.ErrRefused) {
			t.Errorf("restoring the first stage's: %v", err)
		}
		return 0, nil
	}, &task.StageOptions{Writes: []string{"src/**"}})
	third := task.NewStage("third", func(ctx context.Context, w *task.Work, in int) (ids, error) {
		id, err := w.Snapshot("src/**")
		return ids{Own: id}, errors.Join(err, w.WriteFile("src/new", nil), w.Remove("src/a"), w.WriteFile("package.json", []byte("3")), w.Restore(id))
	}, nil)
	tk, err := task.Define("t", task.Policy{Writable: []string{"package*.json", "src/**"}}, task.Then(task.Then(first, second), third))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := tk.Run(t.Context(), task.Project(p), 0, nil); err != nil {
		t.Fatal(err)
	}
	now := contents(t, p)
	wantFiles(t, now, sam.Files{"package.json": "3", "package-lock.json": "added", "src/a": "2", "docs/a": "1"})
}
