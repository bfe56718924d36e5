package task_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"samkit.dev/sam"
	"samkit.dev/tool/task"
)

// Runs on one ground at once lose nothing of each other: each adds a line to a file of its own, and all to one file,
// trying again when another was faster.
func TestOverlap(t *testing.T) {
	dir, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := dir.WriteFile("all", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	p := project(t, sam.Files{"all": ""})
	for name, c := range map[string]struct {
		ground task.Ground
		read   func(name string) ([]byte, error)
	}{
		"project": {task.Project(p), func(name string) ([]byte, error) { return p.ReadFile(t.Context(), name) }},
		"dir":     {task.Dir(dir), dir.ReadFile},
	} {
		t.Run(name, func(t *testing.T) {
			const runs = 6
			var all sync.WaitGroup
			for i := range runs {
				all.Go(func() {
					own := fmt.Sprint("own", i)
					tk := once(t, task.Policy{Writable: []string{"*"}}, nil, func(ctx context.Context, w *task.Work) error {
						data, err := w.ReadFile("all")
						return errors.Join(err, w.WriteFile("all", fmt.Appendf(data, "%d\n", i)), w.WriteFile(own, []byte("x")))
					})
					for {
						_, run, err := tk.Run(t.Context(), c.ground, 0, nil)
						if err == nil {
							return
						}
						if run.Status != task.Conflicted {
							t.Errorf("%s, %v", run.Status, err)
							return
						}
					}
				})
			}
			all.Wait()
			data, err := c.read("all")
			if err != nil || len(data) != 2*runs {
				t.Errorf("%q, %v", data, err)
			}
			for i := range runs {
				if data, err := c.read(fmt.Sprint("own", i)); err != nil || string(data) != "x" {
					t.Errorf("own%d: %q, %v", i, data, err)
				}
			}
		})
	}
}
