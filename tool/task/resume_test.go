package task_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"samkit.dev/sam"
	"samkit.dev/tool/task"
)

// inThree is a task of three stages, the last of which holds if good.txt says "good".
func inThree(t *testing.T, ran *[]string, writable ...string) *task.Task[string, string] {
	t.Helper()
	note := func(name string) { *ran = append(*ran, name) }
	one := task.NewStage("one", func(_ context.Context, w *task.Work, in string) (string, error) {
		note("one")
		if err := w.Artifact("log", strings.NewReader("one ran")); err != nil {
			return "", err
		}
		return in + " one", w.WriteFile("one.txt", []byte("1"))
	}, &task.StageOptions{Artifacts: []string{"log"}})
	two := task.NewStage("two", func(_ context.Context, w *task.Work, in string) (string, error) {
		note("two")
		if err := w.Remove("old.txt"); err != nil {
			return "", err
		}
		return in + " two", w.WriteFile("text.txt", []byte("A\nb\nc\nd\ne\n"))
	}, nil)
	three := task.NewStage("three", func(_ context.Context, w *task.Work, in string) (string, error) {
		note("three")
		data, err := w.ReadFile("good.txt")
		if err == nil && string(data) != "good" {
			err = errors.New("it is not good")
		}
		if err != nil {
			return "", errors.Join(err, w.WriteFile("half.txt", []byte("half")))
		}
		return in + " three of " + string(w.Input()), nil
	}, nil)
	p := task.Policy{Writable: append([]string{"one.txt", "old.txt", "text.txt", "half.txt", "good.txt"}, writable...), Deny: []string{".env"}}
	made, err := task.Define("three", p, task.Then(task.Then(one, two), three))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func kept(t *testing.T) *task.Kept {
	t.Helper()
	k, err := task.OpenKept(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

var began = sam.Files{"text.txt": "a\nb\nc\nd\ne\n", "old.txt": "old", "other.txt": "other", ".env": "KEY=1"}

// A failed run goes on where it stopped, on the files as a person has mended them and on the ground as others have changed it.
func TestResume(t *testing.T) {
	for _, dir := range []bool{false, true} {
		var ran []string
		made, k := inThree(t, &ran), kept(t)
		g, read, change := grounds(t, dir, began)
		_, run, err := made.Run(t.Context(), g, "in", &task.RunOptions{Failed: k})
		if err == nil || !k.Has(run.ID) {
			t.Fatal(err)
		}
		sandbox, err := k.Open(run.ID)
		if err != nil {
			t.Fatal(err)
		}
		write(t, sandbox.Dir, "good.txt", "good")
		write(t, sandbox.Dir, "other.txt", "not the task's")
		change("text.txt", "a\nb\nc\nd\nE\n") // by others, at another place
		ran = nil
		out, again, err := made.Resume(t.Context(), g, k, run.ID, nil, &task.RunOptions{Failed: k})
		if err != nil || out != `in one two three of "in"` || strings.Join(ran, " ") != "three" {
			t.Fatalf("%v: %q %v %v", dir, out, ran, err)
		}
		if again.Resumed != run.ID || len(again.Stages) != 1 || len(again.Stages[0].Refused) != 1 || again.Stages[0].Refused[0].What != "other.txt" || string(again.Artifact("log")) != "one ran" {
			t.Errorf("%+v", again)
		}
		if parsed, err := task.ParseRun(again.JSON()); err != nil || parsed.Resumed != run.ID {
			t.Errorf("%v", err)
		}
		for name, want := range map[string]string{"text.txt": "A\nb\nc\nd\nE\n", "one.txt": "1", "good.txt": "good", "half.txt": "half", "other.txt": "other", ".env": "KEY=1", "old.txt": ""} {
			if got := read(name); got != want {
				t.Errorf("%v: %s is %q, not %q", dir, name, got, want)
			}
		}
		if k.Has(run.ID) {
			t.Error("what has been used is still there")
		}
		if _, _, err := made.Resume(t.Context(), g, k, run.ID, nil, nil); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("twice: %v", err)
		}
	}
}

// From an earlier stage on it has the files that that stage had found.
func TestResumeEarlier(t *testing.T) {
	var ran []string
	k := kept(t)
	g, read, change := grounds(t, false, began)
	_, run, err := inThree(t, &ran).Run(t.Context(), g, "in", &task.RunOptions{Failed: k})
	if err == nil {
		t.Fatal("it holds")
	}
	change("good.txt", "good")
	made := inThree(t, &ran)
	for stage, want := range map[string]string{"four": "no stage"} {
		if _, _, err := made.Resume(t.Context(), g, k, run.ID, &task.ResumeOptions{Stage: stage}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", stage, err)
		}
	}
	if _, _, err := made.Resume(t.Context(), g, k, run.ID, &task.ResumeOptions{Stage: "two", Files: fstest.MapFS{}}, nil); err == nil {
		t.Error("files for an earlier stage")
	}
	ran = nil
	out, _, err := made.Resume(t.Context(), g, k, run.ID, &task.ResumeOptions{Stage: "two"}, nil)
	if err != nil || out != `in one two three of "in"` || strings.Join(ran, " ") != "two three" {
		t.Errorf("%q %v %v", out, ran, err)
	}
	if read("one.txt") != "1" || read("half.txt") != "" || read("old.txt") != "" {
		t.Errorf("one.txt %q, half.txt %q", read("one.txt"), read("half.txt"))
	}
}

// Files that somebody has mended elsewhere, a conflict with the ground, a narrower policy, and a run that fails again.
func TestResumeOtherwise(t *testing.T) {
	var ran []string
	k := kept(t)
	g, read, change := grounds(t, false, began)
	made := inThree(t, &ran)
	_, run, err := made.Run(t.Context(), g, "in", &task.RunOptions{Failed: k})
	if err == nil {
		t.Fatal("it holds")
	}
	ran = nil
	_, second, err := made.Resume(t.Context(), g, k, run.ID, nil, &task.RunOptions{Failed: k})
	if err == nil || second.Status != task.Failed || !k.Has(run.ID) || !k.Has(second.ID) {
		t.Fatalf("not mended: %v", err)
	}
	change("text.txt", "X\nb\nc\nd\ne\n")
	_, clash, err := made.Resume(t.Context(), g, k, second.ID, nil, nil)
	if !errors.Is(err, task.ErrConflict) || clash.Status != task.Conflicted || len(clash.Stages) != 0 || read("one.txt") != "" {
		t.Errorf("others changed the same place: %v", err)
	}
	change("text.txt", "a\nb\nc\nd\ne\n")
	mended := fstest.MapFS{"good.txt": {Data: []byte("good")}, "one.txt": {Data: []byte("1")}, "text.txt": {Data: []byte("mended")}, "other.txt": {Data: []byte("other")}}
	out, third, err := made.Resume(t.Context(), g, k, second.ID, &task.ResumeOptions{Files: mended}, nil)
	if err != nil || !strings.HasPrefix(out, "in one two three") || third.Resumed != second.ID {
		t.Fatalf("%q %v", out, err)
	}
	if read("text.txt") != "mended" || read("half.txt") != "" || read("old.txt") != "" || read("other.txt") != "other" {
		t.Errorf("text.txt %q, old.txt %q", read("text.txt"), read("old.txt"))
	}
}

// grounds makes a project or a directory of files; read returns "" for a file that is not there.
func grounds(t *testing.T, dir bool, files sam.Files) (g task.Ground, read func(string) string, change func(name, text string)) {
	t.Helper()
	if !dir {
		store := sam.NewMemStore()
		t.Cleanup(func() { store.Close() })
		p, err := sam.NewWorkspace(store, "ada", nil).Create(t.Context(), "app", files)
		if err != nil {
			t.Fatal(err)
		}
		return task.Project(p), func(name string) string {
				data, err := p.ReadFile(t.Context(), name)
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Fatal(err)
				}
				return string(data)
			}, func(name, text string) {
				if err := p.WriteFile(t.Context(), name, []byte(text)); err != nil {
					t.Fatal(err)
				}
			}
	}
	at := t.TempDir()
	for name, text := range files {
		write(t, at, name, text)
	}
	root, err := os.OpenRoot(at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return task.Dir(root), func(name string) string {
		data, err := os.ReadFile(filepath.Join(at, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return string(data)
	}, func(name, text string) { write(t, at, name, text) }
}
