package task_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"samkit.dev/sam"
	"samkit.dev/tool/task"
	"samkit.dev/wasi"
)

// benchmark runs a task of some stages, each of which writes a file and executes a command, again and again. The median is what a run takes; less
// the commands it is what stages, checks, report and promotion cost.
func benchmark(b *testing.B, ground task.Ground, stages, commands int) {
	r, err := wasi.New(&wasi.Options{Allow: []string{"cat"}})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	n := 0
	stage := func(name string) task.Stage[int, int] {
		return task.NewStage(name, func(ctx context.Context, w *task.Work, in int) (int, error) {
			for range commands {
				if x, err := w.Exec(ctx, "cat", "src/f1.js"); err != nil || x.Code != 0 {
					return 0, fmt.Errorf("exit code %d, %w", x.Code, err)
				}
			}
			n++
			return in, w.WriteFile("src/"+name, fmt.Append(nil, n))
		}, nil)
	}
	all := stage("s0")
	for i := 1; i < stages; i++ {
		all = task.Then(all, stage(fmt.Sprint("s", i)))
	}
	tk, err := task.Define("bench", task.Policy{Writable: []string{"src/**"}, Commands: [][]string{{"cat", "*"}}}, all)
	if err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if _, _, err := tk.Run(b.Context(), ground, 0, &task.RunOptions{Backend: task.Virtual(r)}); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
}

// benchFiles are a small project's.
func benchFiles() sam.Files {
	files := sam.Files{}
	for i := range 30 {
		files[fmt.Sprintf("src/f%d.js", i)] = string(make([]byte, 4000+i))
	}
	return files
}

func BenchmarkRunProject(b *testing.B) {
	for _, c := range [][2]int{{1, 0}, {3, 0}, {1, 1}, {3, 1}} {
		b.Run(fmt.Sprintf("stages=%d/commands=%d", c[0], c[1]), func(b *testing.B) {
			p, err := sam.NewWorkspace(sam.NewMemStore(), "ada", nil).Create(b.Context(), "app", benchFiles())
			if err != nil {
				b.Fatal(err)
			}
			benchmark(b, task.Project(p), c[0], c[1])
		})
	}
}

func BenchmarkRunDir(b *testing.B) {
	root, err := os.OpenRoot(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	if err := root.Mkdir("src", 0o755); err != nil {
		b.Fatal(err)
	}
	for name, text := range benchFiles() {
		if err := root.WriteFile(name, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	for _, c := range [][2]int{{1, 0}, {3, 1}} {
		b.Run(fmt.Sprintf("stages=%d/commands=%d", c[0], c[1]), func(b *testing.B) { benchmark(b, task.Dir(root), c[0], c[1]) })
	}
}
