// Package engine runs JavaScript in worker processes, which it can stop,
// bound and lose without harm. Handlers and benches share one.
//
//	func main() {
//		engine.Main()
//		e, err := engine.New(nil)
//		...
//		defer e.Close()
//
// Call [Main] first in main, and in TestMain of tests that run functions.js: a
// worker is the program itself, executed again.
//
// # Isolation
//
// Each project has a worker of its own, so that trouble stays with its maker; one
// that has been idle for [Options.Idle] ends. At [Sandboxed], the default, a
// worker can compute and talk to its parent, and the system refuses everything
// else. Where that can't be had [New] fails and says which level can: it never
// falls back by itself.
//
// In process the garbage of JavaScript is that of the program, whose collector runs
// often while its heap is small: with GOGC=400 a request through a framework such as Hono takes a
// quarter less CPU time, for some megabytes more. Workers are run so.
//
// # Limits
//
// Every request has a budget (see [Limits]). One that is over it ends within
// 300 milliseconds, whatever the code does, and with an error of its own:
// limit_wall, limit_cpu, limit_memory and so on, which [Stats] counts.
//
// What a request reads and writes through its bindings is bounded too. There a
// call fails, as an Error in JavaScript whose code is limit_rows_read or
// limit_rows_written (see [Limits]), limit_db_time, limit_db_result,
// limit_db_memory or limit_db_bytes (see sqlshim.Options), limit_kv_keys,
// limit_kv_bytes or limit_state_bytes (see sam.Limits).
//
// What code keeps with the Cache API stays in the memory of the program until the
// engine is closed: at most 8 MiB a response, 16 MiB for all requests that share a
// worker and 128 MiB in all. What was used longest ago leaves first.
package engine

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"samkit.dev/internal/workers"
)

// Main runs a worker and exits if this process was started as one. Otherwise
// it returns at once.
func Main() { workers.Main() }

// An Isolation is how workers are kept apart from the program.
type Isolation uint8

// The ways, from strong to weak.
const (
	Sandboxed Isolation = iota // processes with system calls filtered: Linux on amd64 and arm64
	Process                    // processes that can be killed and limited, on every platform
	InProcess                  // goroutines: fast, no boundary, only for code you wrote
)

func (i Isolation) String() string {
	switch i {
	case Sandboxed:
		return "sandboxed"
	case Process:
		return "process"
	case InProcess:
		return "inprocess"
	}
	return fmt.Sprintf("Isolation(%d)", uint8(i))
}

// UnmarshalText reads "sandboxed", "process" or "inprocess", for flags and configuration.
func (i *Isolation) UnmarshalText(text []byte) error {
	for _, level := range []Isolation{Sandboxed, Process, InProcess} {
		if string(text) == level.String() {
			*i = level
			return nil
		}
	}
	return fmt.Errorf("engine: isolation %q is none of sandboxed, process, inprocess", text)
}

// MarshalText writes what UnmarshalText reads.
func (i Isolation) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// Options configures an [Engine]. The zero Options is usable.
type Options struct {
	Isolation Isolation
	Command   []string      // a worker program that calls Main, such as samkit-worker beneath this package, for programs that cannot; and its arguments
	Limits    Limits        // of a request, where the app has none of its own
	Workers   int           // at once; zero means 64
	Spares    int           // workers started before they are needed, beside those; zero means 1, negative none
	Idle      time.Duration // before a worker ends; zero means 30 seconds
	Logger    *slog.Logger  // nil means slog.Default()
}

// Limits bounds one request. Zero fields mean the defaults given.
type Limits struct {
	Wall         time.Duration // from the request to the end of its response and of waitUntil; 30 seconds
	CPU          time.Duration // 10 seconds
	Memory       int64         // of the worker, in bytes; 128 MiB. One that compiles WebAssembly gets 64 times the size of its modules more, 256 MiB at most
	RequestBody  int64         // in bytes, and of a request that the code fetches; 32 MiB
	ResponseBody int64         // in bytes, and of a response that it fetches, decoded; 100 MiB
	Console      int64         // in bytes; 1 MiB
	Calls        int           // to bindings; 1,000
	Fetches      int           // requests to the network, those after redirects included; 50
	RowsRead     int64         // of databases; 10,000,000
	RowsWritten  int64         // to databases, index entries included; 1,000,000
}

// An Engine is safe for concurrent use.
type Engine struct{ pool *workers.Pool }

// New starts no process yet, but proves that it could. The caller closes the engine,
// after everything that uses it.
func New(opts *Options) (*Engine, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	pool, err := workers.NewPool(workers.Options{
		Isolation: workers.Isolation(o.Isolation),
		Command:   o.Command,
		Limits:    workers.Limits(o.Limits),
		Workers:   o.Workers,
		Spares:    o.Spares,
		Idle:      o.Idle,
		Logger:    o.Logger,
	})
	if errors.Is(err, workers.ErrNoMain) {
		return nil, errors.New("engine: engine.Main was not called, so this program cannot be its own worker: " + remedy())
	}
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	return &Engine{pool}, nil
}

// remedy says which line is missing.
func remedy() string {
	if testing.Testing() {
		return "add to a test file: func TestMain(m *testing.M) { engine.Main(); os.Exit(m.Run()) }"
	}
	return "call engine.Main() first in main, or set Options.Command to a program that does"
}

// Close ends all workers and waits. It may be called twice.
func (e *Engine) Close() error { return e.pool.Close() }

// Pool is what the packages of this module run code with.
func (e *Engine) Pool() *workers.Pool { return e.pool }

// Stats are counters since New, and gauges.
type Stats struct {
	Isolation       Isolation // the level reached
	Workers         int       // alive, without spares
	Started, Killed uint64    // processes
	Requests        uint64
	Fetches         uint64            // requests that code made to the network, redirects included
	LimitHits       map[string]uint64 // by error code, such as "limit_cpu"
}

// Stats returns the present numbers.
func (e *Engine) Stats() Stats {
	s := e.pool.Stats()
	return Stats{
		Isolation: Isolation(e.pool.Isolation()), Workers: s.Workers, Started: s.Started,
		Killed: s.Killed, Requests: s.Requests, Fetches: s.Fetches, LimitHits: s.LimitHits,
	}
}
