package script_test

import (
	"testing"

	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/tool/script"
)

// BenchmarkEval runs a trivial script in a worker that is warm: the check, a new isolate and its answer.
func BenchmarkEval(b *testing.B) {
	e, err := engine.New(&engine.Options{Isolation: engine.Process})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	p, err := sam.NewWorkspace(sam.NewMemStore(), "me", nil).Create(b.Context(), "app", nil)
	if err != nil {
		b.Fatal(err)
	}
	r := script.New(e, p, &script.Options{Mode: script.Bypass})
	for b.Loop() {
		if res, err := r.Eval(b.Context(), script.Source{Code: "return params.n + 1"}, map[string]int{"n": 1}); err != nil || string(res.Value) != "2" {
			b.Fatal(res, err)
		}
	}
}

// BenchmarkREPL runs a line of a session.
func BenchmarkREPL(b *testing.B) {
	e, err := engine.New(&engine.Options{Isolation: engine.Process})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	p, err := sam.NewWorkspace(sam.NewMemStore(), "me", nil).Create(b.Context(), "app", nil)
	if err != nil {
		b.Fatal(err)
	}
	r, err := script.NewREPL(b.Context(), e, p, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for b.Loop() {
		if got, err := r.Eval(b.Context(), "const n = 1; n + 1"); err != nil || got != "2" {
			b.Fatal(got, err)
		}
	}
}
