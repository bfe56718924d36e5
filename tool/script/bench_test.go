//go:build unix

package script_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/tool/script"
)

// used is the CPU time of this process and of those it has started that have ended.
func used(b *testing.B) time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}

// benched has the CPU time of the loop reported, with the worker's: a machine that is busy tells little by the clock.
func benched(b *testing.B, loop func(*engine.Engine, *sam.Project)) {
	b.Helper()
	e, err := engine.New(&engine.Options{Isolation: engine.Process})
	if err != nil {
		b.Fatal(err)
	}
	p, err := sam.NewWorkspace(sam.NewMemStore(), "me", nil).Create(b.Context(), "app", nil)
	if err != nil {
		b.Fatal(err)
	}
	before := used(b)
	loop(e, p)
	if err := e.Close(); err != nil { // then the worker's time is known, with its start in it
		b.Fatal(err)
	}
	b.ReportMetric(float64((used(b)-before).Microseconds())/float64(b.N), "cpu-µs/op")
}

// BenchmarkEval runs scripts in a worker that is warm: the check, unless the script is known, a new isolate and its answer.
func BenchmarkEval(b *testing.B) {
	const trivial = "return params.n + 1"
	const typed = "interface In { n: number }\nconst { n } = params as In;\nconst list: number[] = [1, 2, 3].map((x) => x * n);\nconsole.log(list);\nreturn list.reduce((a, b) => a + b, 0)"
	for _, kind := range []struct {
		name, code, want string
		known            bool
	}{{"trivial", trivial, "2", false}, {"typed", typed, "6", false}, {"known", typed, "6", true}} {
		b.Run(kind.name, func(b *testing.B) {
			benched(b, func(e *engine.Engine, p *sam.Project) {
				r := script.New(e, p, &script.Options{Mode: script.Bypass})
				src := script.Source{Code: kind.code}
				for n := 0; b.Loop(); n++ {
					if !kind.known {
						src.Code = fmt.Sprintf("%s // %d", kind.code, n)
					}
					if res, err := r.Eval(b.Context(), src, map[string]int{"n": 1}); err != nil || string(res.Value) != kind.want {
						b.Fatal(res, err)
					}
				}
			})
		})
	}
}

// BenchmarkREPL runs a line of a session.
func BenchmarkREPL(b *testing.B) {
	benched(b, func(e *engine.Engine, p *sam.Project) {
		r, err := script.NewREPL(b.Context(), e, p, nil)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if got, err := r.Eval(b.Context(), "const n = 1; n + 1"); err != nil || got != "2" {
				b.Fatal(got, err)
			}
		}
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	})
}
