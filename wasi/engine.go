package wasi

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/experimental/sysfs"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"samkit.dev/wasi/internal/modules"
)

// An engine compiles modules and runs them. wazero bounds memory by the Runtime, and
// decides there whether machine code looks at the context: our own modules call yield
// now and then instead, which is several times as fast. See RATIONALE.md.
type engine struct {
	cache   wazero.CompilationCache
	own     wazero.Runtime
	foreign wazero.Runtime
	// read is modules.Read. That New alone names it lets the linker leave the modules, 6 MB, out of programs which
	// import this package through another and never make a Runner.
	read func(name string) ([]byte, error)

	mu       sync.Mutex // guards compiled
	compiled map[string]*compiling
}

// A compiling is one module, compiled and prepared by who first needs it.
type compiling struct {
	once     sync.Once
	rt       wazero.Runtime
	module   wazero.CompiledModule
	snapshot *snapshot // nil if there is none
	err      error
}

func newEngine(cacheDir string, memory int64) (*engine, error) {
	cache := wazero.NewCompilationCache()
	if cacheDir != "" {
		var err error
		if cache, err = wazero.NewCompilationCacheWithDir(cacheDir); err != nil {
			return nil, fmt.Errorf("wasi: cache of compiled code: %w", err)
		}
	}
	pages := uint32(min(max(memory>>16, 1), 1<<16))
	config := wazero.NewRuntimeConfig().WithCompilationCache(cache).WithMemoryLimitPages(pages).WithDebugInfoEnabled(false)
	ctx := context.Background()
	e := &engine{
		cache: cache, read: modules.Read, compiled: map[string]*compiling{},
		own:     wazero.NewRuntimeWithConfig(ctx, config),
		foreign: wazero.NewRuntimeWithConfig(ctx, config.WithCloseOnContextDone(true)),
	}
	for _, rt := range []wazero.Runtime{e.own, e.foreign} {
		_, err := wasi_snapshot_preview1.Instantiate(ctx, rt)
		if err == nil && rt == e.own {
			_, err = rt.NewHostModuleBuilder("samkit").
				NewFunctionBuilder().WithGoFunction(api.GoFunc(yield), nil, nil).Export("yield").
				NewFunctionBuilder().WithGoFunction(api.GoFunc(interrupted), nil, []api.ValueType{api.ValueTypeI32}).Export("interrupted").
				Instantiate(ctx)
		}
		if err != nil {
			e.close()
			return nil, fmt.Errorf("wasi: %w", err)
		}
	}
	return e, nil
}

// yield is called by guests several times a millisecond; see build/port/interrupt.c.
func yield(ctx context.Context, _ []uint64) {
	if ctx.Err() != nil {
		panic(sys.NewExitError(exitStopped))
	}
}

// interrupted is yield for Python: whether somebody pressed Ctrl-C since it last asked.
func interrupted(ctx context.Context, stack []uint64) {
	yield(ctx, nil)
	stack[0] = 0
	if keys, _ := ctx.Value(keyboard{}).(chan struct{}); keys != nil {
		select {
		case <-keys:
			stack[0] = 1
		default:
		}
	}
}

// keyboard is the key of a context's channel of Ctrl-C, which holds one.
type keyboard struct{}

func (e *engine) close() error {
	ctx := context.Background()
	return errors.Join(e.own.Close(ctx), e.foreign.Close(ctx), e.cache.Close(ctx))
}

// module compiles a module once. code is nil for one of ours.
func (e *engine) module(name string, code []byte) (*compiling, error) {
	rt, key := e.own, "own "+name
	if code != nil {
		rt, key = e.foreign, "foreign "+name
	}
	e.mu.Lock()
	c := e.compiled[key]
	if c == nil {
		c = &compiling{rt: rt}
		e.compiled[key] = c
	}
	e.mu.Unlock()
	c.once.Do(func() {
		data := code
		if data == nil {
			if data, c.err = e.read(name); c.err != nil {
				return
			}
			if name == "python" {
				data = pythonCode(data)
			}
		}
		ctx := experimental.WithCompilationWorkers(context.Background(), runtime.GOMAXPROCS(0))
		if c.module, c.err = rt.CompileModule(ctx, data); c.err == nil && code == nil {
			c.snapshot, c.err = e.prepare(c.module)
		}
	})
	return c, c.err
}

// start makes a guest of the module, whose _start can be called, from the snapshot if there is one and kept is set.
func (c *compiling) start(ctx context.Context, config wazero.ModuleConfig, kept bool) (api.Module, error) {
	guest, err := c.rt.InstantiateModule(ctx, c.module, config)
	if err == nil && kept && c.snapshot != nil {
		if err = c.snapshot.restore(guest); err != nil {
			guest.Close(context.WithoutCancel(ctx))
			return nil, err
		}
	}
	return guest, err
}

// run runs a module as a command.
func (e *engine) run(ctx context.Context, p *proc, name string, code []byte) error {
	module, err := e.module(name, code)
	if err != nil {
		return p.fail(exitCannot, "cannot be run: %v", err)
	}
	v := &view{t: p.tree, ctx: ctx, stdin: p.stdin, stdout: p.stdout, stderr: p.stderr}
	guest, err := module.start(ctx, v.config(p), p.kept(name))
	if err != nil {
		return p.ended(ctx, err)
	}
	defer guest.Close(context.WithoutCancel(ctx))
	start := guest.ExportedFunction("_start")
	if start == nil {
		return p.fail(exitCannot, "cannot be run: the module exports no _start")
	}
	_, err = start.Call(ctx)
	return p.ended(ctx, err)
}

// config is what a guest has of the world: its arguments and environment, v's streams
// and files, time and chance.
func (v *view) config(p *proc) wazero.ModuleConfig {
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions().WithArgs(p.args...).
		WithStdout(guestWriter{v.ctx, v.stdout}).WithStderr(guestWriter{v.ctx, v.stderr}).
		WithSysWalltime().WithSysNanotime().WithNanosleep(v.sleep).WithRandSource(rand.Reader).
		WithFSConfig(wazero.NewFSConfig().(sysfs.FSConfig).WithSysFSMount(v, "/"))
	if v.stdin != nil {
		config = config.WithStdin(guestReader{v.ctx, v.stdin})
	}
	for _, kv := range p.env {
		if key, value, ok := strings.Cut(kv, "="); ok && key != "PWD" && key != "" && !strings.ContainsRune(kv, 0) {
			config = config.WithEnv(key, value)
		}
	}
	return config.WithEnv("PWD", p.dir)
}

// ended turns how a guest ended into an error of ours.
func (p *proc) ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &ExitError{Code: exitStopped, Err: ctx.Err()}
	}
	var exit *sys.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit):
		if exit.ExitCode() == 0 {
			return nil
		}
		return &ExitError{Code: int(exit.ExitCode() & 255)}
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return p.fail(exitCrash, "crashed: %s", strings.TrimSuffix(strings.TrimPrefix(first, "wasm error: "), " (recovered by wazero)"))
}

// sleep sleeps until ctx ends at the latest; files that are finished are committed first.
func (v *view) sleep(ns int64) {
	if time.Duration(ns) > flushAge {
		v.t.mu.Lock()
		v.t.closed()
		v.t.mu.Unlock()
	}
	timer := time.NewTimer(time.Duration(ns))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-v.keys:
		press(v.keys) // for who asks why
	case <-v.ctx.Done():
		panic(sys.NewExitError(exitStopped))
	}
}

// abs is a path of the tree, from the directory that p is in.
func (p *proc) abs(name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(p.dir, name)
}
