package task_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"samkit.dev/sam"
	"samkit.dev/tool/task"
)

func TestKept(t *testing.T) {
	dir := t.TempDir()
	k, err := task.OpenKept(dir, &task.KeptOptions{Runs: 2, Bytes: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	fail := func(size int) *task.Run {
		t.Helper()
		p := project(t, sam.Files{"a": "1", ".env": "TOKEN"})
		tk := once(t, task.Policy{Writable: []string{"*"}, Deny: []string{".env"}}, nil, func(ctx context.Context, w *task.Work) error {
			return errors.Join(w.WriteFile("b/../b", nil), w.WriteFile("b", []byte(strings.Repeat("x", size))), w.Artifact("report", strings.NewReader("r")), errors.New("boom"))
		})
		_, run, err := tk.Run(t.Context(), task.Project(p), 1, &task.RunOptions{Failed: k})
		if err == nil {
			t.Fatal("it did not fail")
		}
		return run
	}
	run := fail(1)
	kept, err := k.Open(run.ID)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{filepath.Join(kept.Dir, "a"): "1", filepath.Join(kept.Dir, "b"): "x", filepath.Join(kept.ArtifactDir(), "report"): "r"} {
		if data, err := os.ReadFile(name); err != nil || string(data) != want {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if _, err := os.Stat(filepath.Join(kept.Dir, ".env")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a denied file was kept: %v", err)
	}
	if kept.Run.Status != task.Failed || kept.Run.ID != run.ID || kept.Bytes == 0 {
		t.Errorf("%+v", kept)
	}
	fail(2)
	last := fail(3)
	if all, err := k.List(); err != nil || len(all) != 2 || all[0].ID != last.ID {
		t.Errorf("%d are kept, %v", len(all), err)
	}
	if _, err := k.Open(run.ID); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the oldest is still there: %v", err)
	}
	if large := fail(20_000); !strings.Contains(large.Err, "more than a run may hold") {
		t.Errorf("%s", large.Err)
	}
	if err := k.Discard(last.ID); err != nil {
		t.Error(err)
	}
	for _, id := range []string{last.ID, "", "..", "run-../../../../etc", run.ID + "/files"} {
		if err := k.Discard(id); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("discard %q: %v", id, err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "new-left"), 0o700); err != nil {
		t.Fatal(err)
	}
	young, err := task.OpenKept(dir, &task.KeptOptions{Age: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	if all, err := young.List(); err != nil || len(all) != 0 {
		t.Errorf("%d are kept, %v", len(all), err)
	}
	if names, _ := os.ReadDir(dir); len(names) != 0 {
		t.Errorf("%v are left", names)
	}
}
