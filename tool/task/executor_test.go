package task_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"testing"
	"time"

	"samkit.dev/sam"
	"samkit.dev/tool/task"
)

// An agent's operations, one by one, each with an answer.
func ExampleExecute() {
	ctx := context.Background()
	p, err := sam.NewWorkspace(sam.NewMemStore(), "ada", nil).Create(ctx, "app", sam.Files{"src/a.js": "1", ".env": "KEY=1"})
	if err != nil {
		log.Fatal(err)
	}
	e, err := task.Execute(ctx, task.Project(p), "fix", task.Policy{Writable: []string{"src/**"}, Deny: []string{".env"}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Work().WriteFile("src/a.js", []byte("2")))
	fmt.Println(e.Work().WriteFile("index.html", nil))
	_, err = e.Work().ReadFile(".env")
	fmt.Println(err)
	run, err := e.Commit()
	fmt.Println(run.Status, run.Promoted, err)
	// Output:
	// <nil>
	// task: refused: write index.html is not writable
	// open .env: task: refused: read .env is denied
	// succeeded [src/a.js] <nil>
}

func TestExecutor(t *testing.T) {
	g, read, change := grounds(t, false, sam.Files{"a.txt": "a"})
	begin := func(p task.Policy, ctx context.Context) *task.Executor {
		t.Helper()
		p.Writable = []string{"*.txt"}
		e, err := task.Execute(ctx, g, "agent", p, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Work().WriteFile("a.txt", []byte("b")); err != nil {
			t.Fatal(err)
		}
		return e
	}
	e := begin(task.Policy{}, t.Context())
	run, err := e.Abandon()
	if !errors.Is(err, task.ErrAbandoned) || run.Status != task.Failed || read("a.txt") != "a" {
		t.Errorf("%+v %v", run, err)
	}
	if again, err := e.Commit(); again != run || !errors.Is(err, task.ErrAbandoned) {
		t.Errorf("after its end: %v", err)
	}
	if err := e.Work().WriteFile("a.txt", nil); !errors.Is(err, task.ErrOver) {
		t.Error(err)
	}
	e = begin(task.Policy{}, t.Context())
	change("a.txt", "c")
	if run, err := e.Commit(); !errors.Is(err, task.ErrConflict) || run.Status != task.Conflicted {
		t.Errorf("%+v %v", run, err)
	}
	e = begin(task.Policy{Timeout: time.Millisecond * 300}, t.Context())
	for e.Work().WriteFile("b.txt", nil) == nil {
		time.Sleep(time.Millisecond)
	}
	if _, err := e.Commit(); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	e = begin(task.Policy{}, ctx)
	cancel()
	for e.Work().WriteFile("b.txt", nil) == nil {
		time.Sleep(time.Millisecond)
	}
	if run, err := e.Commit(); !errors.Is(err, context.Canceled) || run.Status != task.Canceled {
		t.Errorf("%+v %v", run, err)
	}
	if read("a.txt") != "c" || read("b.txt") != "" {
		t.Errorf("a.txt is %q", read("a.txt"))
	}
	if _, err := task.Execute(t.Context(), g, "agent", task.Policy{Writable: []string{"../x"}}, nil); err == nil {
		t.Error("a policy that can't be read")
	}
	if _, err := task.Execute(t.Context(), g, "agent", task.Policy{}, &task.RunOptions{Bytes: -1}); err == nil {
		t.Error("wrong options")
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := task.Execute(gone, g, "agent", task.Policy{}, nil); err == nil {
		t.Error("a context that has ended")
	}
}
