package box

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"samkit.dev/internal/netguard"
)

// A Kind is how a Box holds.
type Kind uint8

// The kinds. There is no default: choosing is the caller's.
const (
	Light  Kind = iota + 1 // against mistakes
	Strong                 // against hostile commands, on Linux
)

func (k Kind) String() string {
	switch k {
	case Light:
		return "light"
	case Strong:
		return "strong"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// ErrMainNotCalled is returned by Open in a program that could not be its own supervisor.
var ErrMainNotCalled = errors.New("box: neither engine.Main nor task.Main was called at the top of main (or TestMain)")

// Options configures a Box. The zero Options is usable.
type Options struct {
	// System are paths of the machine that commands may read beside the usual ones, such as
	// "/opt/node": absolute, and none below which there is anything secret.
	System []string
	// Resolver finds the addresses of hosts for commands that have a network; nil means the system's.
	Resolver netguard.Resolver
	// Dial connects to an address that was checked; nil means a [net.Dialer].
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// A Box runs commands. It is safe for concurrent use.
type Box struct {
	kind  Kind
	opts  Options
	level Level
	bare  bool // a light one without namespaces

	mu      sync.Mutex // guards the rest
	closed  bool
	running map[*running]struct{}
	spare   spare
	all     sync.WaitGroup // of Run, and of goroutines that make and end spares
}

// A running is a command that Close ends.
type running struct{ end context.CancelCauseFunc }

// ErrClosed is why a command was ended whose Box was closed.
var ErrClosed = errors.New("box: closed")

// Open opens a Box and tries to escape from it. The caller closes it.
func Open(kind Kind, opts *Options) (*Box, error) {
	if kind != Light && kind != Strong {
		return nil, fmt.Errorf("box: there is no kind %d", kind)
	}
	b := &Box{kind: kind, running: make(map[*running]struct{})}
	if opts != nil {
		b.opts = *opts
	}
	level, err := b.probe()
	if err != nil {
		return nil, fmt.Errorf("box: a %s box can't be had here: %w", kind, err)
	}
	b.level = level
	return b, nil
}

// Level returns what the box was found to hold when it was opened.
func (b *Box) Level() Level { return b.level }

// Close ends the commands that run, and waits for them. It may be called twice.
func (b *Box) Close() error {
	b.mu.Lock()
	b.closed = true
	for r := range b.running {
		r.end(ErrClosed)
	}
	b.mu.Unlock()
	b.dropSpare()
	b.all.Wait()
	return nil
}

// A Command is what to run, and what it may reach.
type Command struct {
	Argv []string // never a line for a shell; a first word without a slash is looked up in PATH, and never in Root
	// Env is NAME=value. It is added to PATH, HOME, TMPDIR, LANG and the proxy's variables; the
	// program's own environment is never passed on. Entries of PATH must be absolute.
	Env  []string
	Root string // the workspace: an absolute path of a directory, all of which may be read
	Dir  string // relative to Root; "" is Root

	// Writable are patterns as those of package tool's grants, such as "src/**", or "**" for all. They are rounded up to directories that
	// exist, since programs replace files rather than change them: of "package.json" all of its directory is writable. So who
	// has finer rules compares afterwards. Nil means that nothing is writable.
	Writable []string
	// ReadOnly are files and directories that stay as they are, whatever Writable says. Those of .git which
	// make git run programs, its hooks and its configuration, always do.
	ReadOnly []string
	// Deny are patterns of files that can't be read or written. A Light box without namespaces does not hold them, see Level: leave such
	// files out of Root. A file that appears later is not held either.
	Deny []string
	// Network are the hosts that are reached through the proxy, see package netguard for how they
	// are written. Nil means no network; in a Strong box there is the loopback of its own.
	Network []string

	Stdin          io.Reader // nil is empty
	Stdout, Stderr io.Writer // nil discards; not written to at once if they are the same
	Limits         Limits
}

// Limits bounds a command and all that it starts. Zero means the default, so nothing is without bounds but time, which is the context's.
type Limits struct {
	Processes int   // at once; 256
	Memory    int64 // bytes that they use of their own; 2 GiB
	FileSize  int64 // bytes of one file; 1 GiB
	Disk      int64 // bytes that the workspace's file system may lose; 2 GiB
	Temp      int64 // bytes in the temporary directory of a Strong box; 512 MiB
	Output    int64 // bytes on standard output and error together; 16 MiB
}

func (l Limits) withDefaults() Limits {
	set := func(v *int64, d int64) {
		if *v <= 0 {
			*v = d
		}
	}
	if l.Processes <= 0 {
		l.Processes = 256
	}
	set(&l.Memory, 2<<30)
	set(&l.FileSize, 1<<30)
	set(&l.Disk, 2<<30)
	set(&l.Temp, 512<<20)
	set(&l.Output, 16<<20)
	return l
}

// A Result says how a command ended.
type Result struct {
	Code     int    // its exit code; 128 + n if signal n ended it
	Killed   Reason // why it was ended; "" if it ended by itself
	Duration time.Duration
	Refusals []Refusal // what it tried and did not get, in order
}

// A Reason is why a command was ended.
type Reason string

// The reasons. What Run's context had as its cause is an error of Run.
const (
	Canceled  Reason = "canceled"
	TimedOut  Reason = "time"
	Output    Reason = "output"
	Memory    Reason = "memory"
	Processes Reason = "processes"
	Disk      Reason = "disk"
)

// A Refusal is what a command tried and did not get.
type Refusal struct {
	Kind   string // "network" or "write"
	What   string // "https://api.example.com", ".git/hooks/pre-commit"
	Reason string // for people
	Entry  string // of Command.Network, which would grant it, or ""
}

// maxRefusals is how many refusals of one command are kept.
const maxRefusals = 1000

// refusals collects them from several goroutines.
type refusals struct {
	mu   sync.Mutex // guards list
	list []Refusal
}

func (r *refusals) add(one Refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.list) < maxRefusals {
		r.list = append(r.list, one)
	}
}

func (r *refusals) take() []Refusal {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list
}

// Run runs a command and returns when it and all that it started have ended. They are ended when ctx is; the Result then
// says so, and there is no error. An error says that it could not be run, or that its output could not be written.
func (b *Box) Run(ctx context.Context, c *Command) (*Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done, err := b.enter(&running{cancel})
	if err != nil {
		return nil, err
	}
	defer done()
	j, err := b.prepare(c)
	if err != nil {
		return nil, fmt.Errorf("box: %w", err)
	}
	defer j.close()
	before, err := watchPaths(j.root, c.ReadOnly)
	if err != nil {
		return nil, fmt.Errorf("box: %w", err)
	}
	began := time.Now()
	j.full = newDiskWatch(j.root, j.limits.Disk)
	res, err := b.run(ctx, j)
	err = errors.Join(err, before.restore(&j.refused))
	if err != nil {
		return nil, fmt.Errorf("box: %s: %w", c.Argv[0], err)
	}
	res.Duration = time.Since(began)
	res.Refusals = j.refused.take()
	return res, nil
}

// enter registers a run, unless the box is closed.
func (b *Box) enter(r *running) (leave func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, ErrClosed
	}
	b.running[r] = struct{}{}
	b.all.Add(1)
	return func() {
		b.mu.Lock()
		delete(b.running, r)
		b.mu.Unlock()
		b.all.Done()
	}, nil
}

// reason says why a context ended.
func reason(ctx context.Context) Reason {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return TimedOut
	}
	return Canceled
}
