package box_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"samkit.dev/internal/confine"
	"samkit.dev/tool/task/internal/box"
)

func TestMain(m *testing.M) {
	confine.Main()
	if len(os.Args) > 2 && os.Args[1] == "attack" {
		attack(os.Args[2:])
		return
	}
	os.Exit(m.Run())
}

// open opens a box, or skips where a strong one can't be had: on other systems, and on machines without
// user namespaces.
func open(t testing.TB, kind box.Kind, opts *box.Options) *box.Box {
	t.Helper()
	b, err := box.Open(kind, opts)
	if err != nil {
		if kind == box.Strong {
			t.Skipf("no strong box: %v", err)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// A said is a command's output and how it ended.
type said struct {
	*box.Result
	out string
}

// sh runs a script of sh, as hostile as it likes.
func sh(t testing.TB, b *box.Box, c box.Command, script string) said {
	t.Helper()
	c.Argv = []string{"sh", "-c", script}
	return run(t, b, c)
}

func run(t testing.TB, b *box.Box, c box.Command) said {
	t.Helper()
	var out bytes.Buffer
	if c.Stdout == nil {
		c.Stdout, c.Stderr = &out, &out
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	res, err := b.Run(ctx, &c)
	if err != nil {
		t.Fatalf("%q: %v", c.Argv, err)
	}
	return said{res, out.String()}
}

// workspace returns a new one, beside which there is nothing that a test did not put there.
func workspace(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "workspace")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	return root
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// each runs a test with both kinds.
func each(t *testing.T, test func(t *testing.T, b *box.Box)) {
	for _, kind := range []box.Kind{box.Light, box.Strong} {
		t.Run(kind.String(), func(t *testing.T) { test(t, open(t, kind, nil)) })
	}
}

var all = []string{"**"}

func TestRun(t *testing.T) {
	each(t, func(t *testing.T, b *box.Box) {
		t.Log(b.Level())
		root := workspace(t)
		write(t, root+"/in", "hello")
		got := sh(t, b, box.Command{Root: root, Writable: all}, "cat in > out; cat in; echo to stderr >&2; exit 3")
		if got.Code != 3 || got.Killed != "" || !strings.Contains(got.out, "hello") || !strings.Contains(got.out, "to stderr\n") {
			t.Fatalf("%+v %q", got.Result, got.out)
		}
		if s := read(t, root+"/out"); s != "hello" {
			t.Fatalf("out holds %q", s)
		}
	})
}
