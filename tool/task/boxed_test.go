//go:build unix

package task

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// Commands of the machine work on a copy: what they may write is promoted, all else told; what they started ends with
// the stage.
func TestBoxes(t *testing.T) {
	for _, open := range []func(*BoxOptions) (*Box, error){Light, Strong} {
		b, err := open(nil)
		if err != nil {
			t.Logf("left out: %v", err)
			continue
		}
		t.Run(b.Name(), func(t *testing.T) {
			t.Cleanup(func() { b.Close() })
			t.Log(b.Level())
			r, err := os.OpenRoot(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { r.Close() })
			fill(t, r, map[string]string{"src/a": "old\n", "package.json": "{}\n", "Makefile": "all:\n", ".env": "TOKEN\n", "run*": "#!/bin/sh\necho ran\n"})
			script := "cat src/a; cat .env; echo new > src/a; echo n > src/new; mkdir -p src/deep/er; echo d > src/deep/er/d; echo evil > Makefile; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit; ./run; echo $TOKEN; exit 3"
			stage := NewStage("s", func(ctx context.Context, w *Work, in int) (int, error) {
				x, err := w.ExecWith(ctx, &ExecOptions{Env: []string{"TOKEN=given"}}, "sh", "-c", script)
				if err != nil {
					return 0, err
				}
				if x.Code != 3 || x.Stdout.Head != "old\nran\nTOKEN=…\n" || strings.Contains(x.Stderr.Head, "TOKEN") {
					t.Errorf("%+v", x)
				}
				return 0, nil
			}, nil)
			policy := Policy{Writable: []string{"src/**"}, Deny: []string{".env"}, Commands: [][]string{{"sh", "-c", "*"}, {"sleep", "*"}}}
			tk, err := Define("t", policy, stage)
			if err != nil {
				t.Fatal(err)
			}
			_, run, err := tk.Run(t.Context(), Dir(r), 0, &RunOptions{Backend: b})
			if err != nil {
				t.Fatalf("%v\n%+v", err, run.Stages)
			}
			want := map[string]string{"src/a": "new\n", "src/new": "n\n", "src/deep/er/d": "d\n", "package.json": "{}\n", "Makefile": "all:\n", ".env": "TOKEN\n", "run*": "#!/bin/sh\necho ran\n"}
			if got := state(t, r); !maps.Equal(got, want) {
				t.Errorf("%v", got)
			}
			for _, x := range run.Stages[0].Refused {
				if !slices.Contains([]string{"write"}, x.Kind) {
					t.Errorf("%v", x)
				}
			}
			slow, err := Define("t", policy, NewStage("s", func(ctx context.Context, w *Work, in int) (int, error) {
				_, err := w.Exec(ctx, "sleep", "1000")
				return 0, err
			}, &StageOptions{Timeout: 200 * time.Millisecond}))
			if err != nil {
				t.Fatal(err)
			}
			if _, run, err := slow.Run(t.Context(), Dir(r), 0, &RunOptions{Backend: b}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v, %+v", err, run)
			}
		})
	}
}
