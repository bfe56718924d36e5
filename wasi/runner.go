package wasi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tetratelabs/wazero/sys"

	"samkit.dev/sam"
	"samkit.dev/wasi/internal/modules"
)

// Options configures a [Runner]. Nil and the zero Options have the built-in commands
// and the limits given.
type Options struct {
	Allow    []string           // commands that there are; nil means all
	Modules  map[string][]byte  // more commands, as WASI preview1 modules
	Builtins map[string]Builtin // more commands, in Go
	Wheels   Wheels             // what %pip of a [Python] may install; the zero value is nothing
	CacheDir string             // for compiled code, private to the program; "" keeps it in memory
	Memory   int64              // of a command, and of the files that a run holds; zero means 256 MiB
	Timeout  time.Duration      // of a run; zero means 30 seconds
	Output   int64              // of a run, both streams together, in bytes; zero means 8 MiB
}

// A Builtin is a command in Go. It returns an [*ExitError] for a code other than zero,
// and ends when ctx does.
type Builtin func(ctx context.Context, c *Cmd) error

// Files is what commands work on, such as a [*sam.Project]. Apply refuses with an error
// that matches fs.ErrPermission what may not be written.
type Files interface {
	FS(ctx context.Context) fs.FS
	Apply(ctx context.Context, edits ...sam.Edit) error
}

var _ Files = (*sam.Project)(nil)

// A Cmd is one command. Only Files and Args are required.
type Cmd struct {
	Files  Files
	Args   []string // Args[0] names the command
	Dir    string   // in the project, such as "src"; "" is its root
	Env    []string // "NAME=value"; nothing is inherited
	Stdin  io.Reader
	Stdout io.Writer // nil discards; must not block for ever
	Stderr io.Writer // nil discards; must not block for ever
	Atomic bool      // write files only if the command succeeds, and then all at once
	Allow  []string  // commands that may be used, whoever starts them (xargs, find, a script); nil means all of the Runner
}

// An ExitError is an exit code other than zero.
type ExitError struct {
	Code int
	Err  error // why, if it was not the command's own choice
}

func (e *ExitError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("wasi: exit status %d: %v", e.Code, e.Err)
	}
	return fmt.Sprintf("wasi: exit status %d", e.Code)
}

func (e *ExitError) Unwrap() error { return e.Err }

// Exit codes that are not a command's own, as shells have them.
const (
	exitTimeout  = 124
	exitCannot   = 126
	exitNotFound = 127
	exitStopped  = 130 // SIGINT
	exitCrash    = 134 // SIGABRT
	exitPipe     = 141 // SIGPIPE
)

// ErrClosed reports a use of a Runner after Close.
var ErrClosed = errors.New("wasi: the runner is closed")

// A Runner compiles commands once and runs them many times. It is safe for concurrent use.
type Runner struct {
	opts     Options
	engine   *engine
	commands map[string]command
	names    []string // of commands, in order

	mu     sync.Mutex // guards closed, and running.Add against Wait
	closed bool
	end    context.CancelFunc // of all runs
	life   context.Context
	runs   sync.WaitGroup
}

// New returns a runner. The caller closes it. A command is compiled when it is first
// used, within a tenth of a second or so, or read from CacheDir.
func New(opts *Options) (*Runner, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Memory <= 0 {
		o.Memory = 256 << 20
	}
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Output <= 0 {
		o.Output = 8 << 20
	}
	engine, err := newEngine(o.CacheDir, o.Memory)
	if err != nil {
		return nil, err
	}
	r := &Runner{opts: o, engine: engine, commands: commandTable(&o)}
	r.names = slices.Sorted(maps.Keys(r.commands))
	r.life, r.end = context.WithCancel(context.Background())
	return r, nil
}

// Commands is the names of the commands that there are, in order.
func (r *Runner) Commands() []string { return slices.Clone(r.names) }

// Prepare compiles commands now, so that their first run does not have to wait: for Python that is seconds.
// Names that are no commands, and commands in Go, need nothing.
func (r *Runner) Prepare(names ...string) error {
	if err := r.begin(); err != nil {
		return err
	}
	defer r.runs.Done()
	for _, name := range names {
		if r.commands[name] == nil {
			continue
		}
		module, code := name, r.opts.Modules[name]
		switch {
		case code != nil:
		case r.opts.Builtins[name] != nil:
			continue
		case slices.Contains(applets, name):
			module = "toybox"
		case name == "python3":
			module = "python"
		case !slices.Contains(modules.Names(), name):
			continue
		}
		if _, err := r.engine.module(module, code); err != nil {
			return fmt.Errorf("wasi: compile %s: %w", name, err)
		}
	}
	return nil
}

// Close ends all runs and waits for them. It can be called again.
func (r *Runner) Close() error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.end()
	r.runs.Wait()
	return r.engine.close()
}

// Run runs a command; it is never parsed by a shell. See the package's comment for the
// error.
func (r *Runner) Run(ctx context.Context, c *Cmd) error {
	if len(c.Args) == 0 {
		return errors.New("wasi: Cmd.Args is empty")
	}
	return r.session(ctx, c, func(ctx context.Context, p *proc) error { return p.run(ctx, p) })
}

// session makes what a run needs, runs it, and commits its files.
func (r *Runner) session(ctx context.Context, c *Cmd, run func(context.Context, *proc) error) error {
	if c.Files == nil {
		return errors.New("wasi: Cmd.Files is missing")
	}
	if err := r.begin(); err != nil {
		return err
	}
	defer r.runs.Done()
	ctx, cancel := context.WithTimeout(ctx, r.opts.Timeout)
	defer cancel()
	defer context.AfterFunc(r.life, cancel)()

	names := r.names
	if c.Allow != nil {
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(c.Allow, name) })
	}
	t := newTree(ctx, r.engine, c.Files, names, r.opts.Memory)
	t.atomic = c.Atomic
	out := &output{left: r.opts.Output, limit: r.opts.Output}
	p := &proc{
		r: r, tree: t, names: names, args: c.Args, dir: path.Join(projectDir, path.Clean("/"+c.Dir)), env: c.Env,
		stdin: readable(ctx, c.Stdin), stdout: out.to(c.Stdout), stderr: out.to(c.Stderr),
	}
	p.run = func(ctx context.Context, p *proc) error { return r.dispatch(ctx, p) }
	err := run(ctx, p)
	if why := ctx.Err(); why != nil {
		code := exitStopped
		switch {
		case r.life.Err() != nil:
			why = ErrClosed
		case errors.Is(why, context.DeadlineExceeded):
			code = exitTimeout
		}
		err = &ExitError{Code: code, Err: why}
	} else if out.over() {
		err = &ExitError{Code: exitPipe, Err: errOutput}
	}
	if werr := t.end(context.WithoutCancel(ctx), err != nil); werr != nil {
		return errors.Join(fmt.Errorf("wasi: write files: %w", werr), err)
	}
	return err
}

func (r *Runner) begin() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ErrClosed
	}
	r.runs.Add(1)
	return nil
}

// over reports whether output was cut.
func (o *output) over() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.marked
}

// end commits what is left, and returns the first error that a commit had.
func (t *tree) end(ctx context.Context, failed bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.atomic && failed {
		return nil
	}
	if err := t.flush(ctx); err != nil {
		return err
	}
	return t.err
}

// A proc is a command that runs: the tree, and what a process has.
type proc struct {
	r              *Runner
	tree           *tree
	names          []string // of the commands that it may use, in order
	args           []string
	dir            string // absolute, in the tree
	env            []string
	stdin          io.Reader // nil is empty
	stdout, stderr io.Writer
	run            func(context.Context, *proc) error // runs another command
	budget         *budget                            // of scripts; nil until there is one
}

// A command is how one is run.
type command func(ctx context.Context, p *proc) error

// dispatch runs the command that args names.
func (r *Runner) dispatch(ctx context.Context, p *proc) error {
	name := p.args[0]
	if strings.HasPrefix(name, "/bin/") {
		name = name[len("/bin/"):]
	} else if strings.Contains(name, "/") {
		return p.file(ctx)
	}
	if size := argBytes(p); size > maxArgBytes {
		fmt.Fprintf(p.stderr, "%s: Argument list too long\n", name)
		return &ExitError{Code: exitCannot}
	}
	if p.has(name) {
		return guarded(ctx, p, r.commands[name])
	}
	if r.commands[name] != nil {
		fmt.Fprintf(p.stderr, "%s: not permitted here\n", p.args[0])
		return &ExitError{Code: exitCannot}
	}
	fmt.Fprintf(p.stderr, "%s: command not found\n", p.args[0])
	return &ExitError{Code: exitNotFound}
}

// has reports whether there is a command that p may use.
func (p *proc) has(name string) bool {
	_, ok := slices.BinarySearch(p.names, name)
	return ok
}

// guarded runs a command in Go; a fault of it is its own.
func guarded(ctx context.Context, p *proc, cmd command) (err error) {
	defer func() {
		fault := recover()
		if exit, ok := fault.(*sys.ExitError); ok {
			err = &ExitError{Code: int(exit.ExitCode() & 255)} // how a view ends a command that was told to stop
		} else if fault != nil {
			err = p.fail(exitCrash, "crashed: %v", fault)
		}
	}()
	return cmd(ctx, p)
}

// maxArgBytes is how long arguments and environment may be together, as on Linux.
const maxArgBytes = 2 << 20

func argBytes(p *proc) (size int) {
	for _, s := range p.args {
		size += len(s) + 1
	}
	for _, s := range p.env {
		size += len(s) + 1
	}
	return size
}

// fail prints a message under the command's name and returns the code as error.
func (p *proc) fail(code int, format string, args ...any) error {
	fmt.Fprintf(p.stderr, "%s: %s\n", p.name(), fmt.Sprintf(format, args...))
	return &ExitError{Code: code}
}

// name is what p is called; a script may have no name.
func (p *proc) name() string {
	if len(p.args) == 0 {
		return "sh"
	}
	return p.args[0]
}

// getenv returns a variable, or "".
func (p *proc) getenv(name string) string {
	for _, kv := range slices.Backward(p.env) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}
