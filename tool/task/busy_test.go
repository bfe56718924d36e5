package task_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"samkit.dev/tool/task"
)

// While others replace files, a run sees each as it was at some moment, whole, and what it promotes takes nothing of theirs.
func TestSnapshotWhileOthersWrite(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	const files, size = 20, 20_000
	version := func(n int) []byte { return bytes.Repeat([]byte{'a' + byte(n%26)}, size) }
	for i := range files {
		if err := root.WriteFile(fmt.Sprint("f", i), version(0), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	stop, stopped := make(chan struct{}), sync.WaitGroup{}
	last := map[string]string{}
	stopped.Go(func() {
		for n := 1; ; n++ {
			name := fmt.Sprint("f", n%files)
			select {
			case <-stop:
				return
			default:
			}
			// As programs do that save with care. A task that replaces the file just now makes the name free for a moment.
			if err := errors.Join(root.WriteFile("saving", version(n), 0o644), root.Rename("saving", name)); err != nil {
				t.Error(err)
				return
			}
			last[name] = string(version(n))
		}
	})
	own := bytes.Repeat([]byte("T"), size)
	tk := once(t, task.Policy{Writable: []string{"f*", "mine"}, Deny: []string{"saving"}}, nil, func(ctx context.Context, w *task.Work) error {
		for i := range files {
			data, err := w.ReadFile(fmt.Sprint("f", i))
			if err != nil {
				return err
			}
			if len(data) != size || bytes.Count(data, data[:1]) != size {
				return fmt.Errorf("f%d is torn: %d bytes, %d of the first", i, len(data), bytes.Count(data, data[:1]))
			}
		}
		return errors.Join(w.WriteFile("f0", own), w.WriteFile("mine", own))
	})
	seen := map[task.Status]int{}
	for range 40 {
		_, run, err := tk.Run(t.Context(), task.Dir(root), 0, nil)
		seen[run.Status]++
		if err != nil && run.Status != task.Conflicted {
			t.Error(err)
		}
	}
	close(stop)
	stopped.Wait()
	t.Log(seen)
	for name, want := range last {
		if got, err := root.ReadFile(name); err != nil || string(got) != want && !(name == "f0" && string(got) == string(own)) {
			t.Errorf("%s: %d bytes, %v: what was written last is lost", name, len(got), err)
		}
	}
}
