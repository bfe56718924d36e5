package wasi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	xsys "github.com/tetratelabs/wazero/experimental/sys"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
)

// Bounds of a script, besides those of [Options].
const (
	maxCommands = 100_000 // commands and turns of loops
	maxDepth    = 50      // scripts that run scripts, and functions that call functions count as commands
	maxScript   = 1 << 20 // bytes
)

// Shell runs a script with pipes, redirections, loops and functions, as bash has
// them. c.Args are its arguments, the first being its name; they may be missing. See
// the package's comment for the error.
//
// There are no jobs: & is refused. <(command) runs the command before the one that
// reads it.
func (r *Runner) Shell(ctx context.Context, script string, c *Cmd) error {
	s, err := r.NewShell(c)
	if err != nil {
		return err
	}
	return s.Run(ctx, script)
}

// A Shell keeps variables, functions, the folder it is in and /tmp from script to script.
// It is used by one goroutine at a time, and needs no closing.
type Shell struct {
	r       *Runner
	cmd     Cmd
	st      *shellState
	history history
}

// NewShell returns a shell with the files, arguments, environment and streams of c.
func (r *Runner) NewShell(c *Cmd) (*Shell, error) {
	if c.Files == nil {
		return nil, errors.New("wasi: Cmd.Files is missing")
	}
	s := &Shell{r: r, cmd: *c}
	s.SetStdin(c.Stdin)
	return s, nil
}

// SetStdin says what the scripts that run from now on read; nil is empty. What one of them has begun to read when it ends
// is for the next, if that has the same input.
func (s *Shell) SetStdin(stdin io.Reader) { s.cmd.Stdin = shared(stdin) }

// Run runs a script, or a line of one. The command history lists those of before, but for such as begin with a blank.
func (s *Shell) Run(ctx context.Context, script string) error {
	s.history.add(script)
	return s.r.session(ctx, &s.cmd, func(ctx context.Context, p *proc) error {
		if s.st == nil {
			s.st = &shellState{funcs: map[string]bool{}, history: &s.history}
		} else {
			p.tree.adopt(s.st.p.tree)
		}
		return s.st.run(ctx, p, script, &budget{left: maxCommands})
	})
}

// Dir is the folder that the shell is in, such as /project/src.
func (s *Shell) Dir() string {
	if s.st == nil || s.st.interp == nil {
		return path.Join(projectDir, path.Clean("/"+s.cmd.Dir))
	}
	return s.st.interp.Dir
}

// Exited reports whether the last script called exit.
func (s *Shell) Exited() bool { return s.st != nil && s.st.interp != nil && s.st.interp.Exited() }

// adopt takes over /tmp of a tree that is not used any more.
func (t *tree) adopt(old *tree) {
	old.mu.Lock()
	defer old.mu.Unlock()
	t.inode = max(t.inode, old.inode)
	t.tmp.kids = old.tmp.kids
	for _, k := range t.tmp.kids {
		k.parent = t.tmp
	}
	t.held += held(t.tmp)
}

// held is the bytes of contents below n.
func held(n *node) int64 {
	sum := int64(len(n.data))
	for _, k := range n.kids {
		sum += held(k)
	}
	return sum
}

// A budget is what a run, with the scripts in it, may still do.
type budget struct {
	mu    sync.Mutex // guards left
	left  int
	depth int // of scripts in scripts
}

var errBudget = fmt.Errorf("more than %d commands", maxCommands)

func (b *budget) take() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left <= 0 {
		return errBudget
	}
	b.left--
	return nil
}

// A shellState is an interpreter and what its handlers look at.
type shellState struct {
	p      *proc
	interp *interp.Runner
	budget *budget
	stop   context.CancelCauseFunc

	history *history // nil for a script

	out, err swapWriter
	stdin    io.Reader // of the script; nil is empty

	mu      sync.Mutex // guards all below
	funcs   map[string]bool
	sourced map[string]string // scripts that source is about to read, by the name it was given
	serial  int
	clocks  []clock           // of time, the innermost last
	halves  int               // of pipes that run
	pipes   map[*os.File]bool // that feed commands
	feeding sync.WaitGroup
}

// A swapWriter is where the streams of a shell go during this run.
type swapWriter struct{ w io.Writer }

func (s *swapWriter) Write(buf []byte) (int, error) { return s.w.Write(buf) }

// nowhere is a folder that no machine has, since a file is in its place.
const nowhere = "/dev/null/samkit"

// run runs a script. The interpreter reaches the machine in a few places; see
// rewrite.go for those that are closed before it sees a script.
func (s *shellState) run(ctx context.Context, p *proc, script string, b *budget) (err error) {
	if len(script) > maxScript {
		return p.fail(2, "the script is longer than %d bytes", maxScript)
	}
	ctx, s.stop = context.WithCancelCause(ctx)
	defer s.stop(nil)
	s.p, s.budget, s.pipes = p, b, map[*os.File]bool{}
	s.out.w, s.err.w = p.stdout, p.stderr
	name := p.name()
	defer func() {
		// A fault of the interpreter is the script's problem.
		fault := recover()
		if big, ok := fault.(outgrown); ok {
			err = p.outgrown(big.err)
		} else if fault != nil {
			err = p.fail(exitCrash, "the shell crashed: %v", fault)
		}
	}()
	if tooDeep() {
		return p.fail(exitCannot, "%v", errDeep)
	}
	parsed, err := s.parse(script, name)
	if err != nil {
		fmt.Fprintf(p.stderr, "%v\n", err)
		return &ExitError{Code: 2}
	}
	defer s.closePipes()
	defer watchMemory(ctx, p.r.opts.Memory, s.stop)()
	if err := s.prepare(ctx); err != nil {
		return err
	}
	err = s.interp.Run(ctx, parsed)
	var status interp.ExitStatus
	why := context.Cause(ctx)
	switch {
	case isBound(err) || isBound(why):
		if !isBound(err) {
			err = why
		}
		return p.outgrown(err)
	case err == nil || errors.As(err, &status) && status == 0:
		return nil
	case errors.As(err, &status):
		return &ExitError{Code: int(status)}
	case ctx.Err() != nil:
		return &ExitError{Code: exitStopped, Err: ctx.Err()}
	}
	fmt.Fprintf(p.stderr, "%s: %v\n", name, err)
	return &ExitError{Code: 1}
}

// outgrown ends a script that has gone over a limit of its own.
func (p *proc) outgrown(err error) error {
	p.fail(exitCrash, "stopped: %v", err)
	return &ExitError{Code: exitCrash, Err: err}
}

// isBound reports whether a script was ended by a limit of its own.
func isBound(err error) bool {
	return errors.Is(err, errBudget) || errors.Is(err, errMemory) || errors.Is(err, errRoom) || errors.Is(err, errDeep)
}

// prepare makes the interpreter, or gives the one there is its input.
func (s *shellState) prepare(ctx context.Context) error {
	var stdin io.Reader
	if s.p.stdin != nil {
		f, err := s.feed(readable(ctx, s.p.stdin)) // a script ends though nobody has closed its input
		if err != nil {
			return err
		}
		stdin = f
	}
	s.stdin = stdin
	if s.interp != nil {
		// Only standard input is new; the writers are those of swapWriter.
		return interp.StdIO(stdin, &s.out, &s.err)(s.interp)
	}
	env := &environ{vars: map[string]string{
		"HOME": projectDir, "PATH": "/bin", "USER": "user", "LOGNAME": "user", "SHELL": "/bin/sh", "HOSTNAME": "samkit", "LANG": "C.UTF-8", "TERM": "dumb",
		"UID": "1000", "EUID": "1000", "GID": "1000", "TMPDIR": "/tmp", "BASH_VERSION": bashVersion,
	}, starting: true, began: time.Now()}
	for _, kv := range s.p.env {
		if name, value, ok := strings.Cut(kv, "="); ok && name != "" && name != "PWD" {
			env.vars[name] = value
		}
	}
	in, err := interp.New(
		interp.StdIO(stdin, &s.out, &s.err), interp.Env(env), interp.Interactive(true),
		interp.CallHandler(s.call),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return s.exec }),
		interp.OpenHandler(s.open), interp.StatHandler(s.stat), interp.AccessHandler(s.access), interp.ReadDirHandler2(s.readDir),
	)
	if err != nil {
		return err
	}
	in.Dir = s.p.dir // the option would look for it on the machine
	if len(s.p.args) > 1 {
		in.Params = slices.Clone(s.p.args[1:])
	}
	in.Reset()
	env.starting = false
	s.interp = in
	return nil
}

// An environ is what scripts begin with. While the interpreter starts, it is told a
// TMPDIR that cannot be: there it would make its own pipes.
type environ struct {
	vars     map[string]string
	starting bool
	began    time.Time // which SECONDS count from
}

// bashVersion is that of the bash that scripts have the answers of.
const bashVersion = "5.2.15(1)-release"

var _ expand.Environ = (*environ)(nil)

func (e *environ) Get(name string) expand.Variable {
	if name == "TMPDIR" && e.starting {
		return expand.Variable{Set: true, Kind: expand.String, Str: nowhere}
	}
	if user, ok := strings.CutPrefix(name, "HOME "); ok {
		// The folder of another user: the machine would be asked.
		return expand.Variable{Set: true, Kind: expand.String, Str: "~" + user}
	}
	if name == "SECONDS" {
		return expand.Variable{Set: true, Kind: expand.String, Str: strconv.Itoa(int(time.Since(e.began).Seconds()))}
	}
	v, ok := e.vars[name]
	if !ok {
		return expand.Variable{}
	}
	ids := name == "UID" || name == "EUID" || name == "GID"
	return expand.Variable{Set: true, Exported: !ids && name != "BASH_VERSION", ReadOnly: ids, Kind: expand.String, Str: v}
}

func (e *environ) Each(f func(string, expand.Variable) bool) {
	for name := range e.vars {
		if !f(name, e.Get(name)) {
			return
		}
	}
}

// command is a command of the script as a proc.
func (s *shellState) command(hc interp.HandlerContext, args []string) *proc {
	q := s.p.with(args)
	q.dir, q.stdin, q.stdout, q.stderr = hc.Dir, hc.Stdin, s.bound(hc.Stdout), s.bound(hc.Stderr)
	vars := map[string]string{}
	hc.Env.Each(func(name string, v expand.Variable) bool {
		if v.IsSet() && v.Exported && v.Kind == expand.String {
			vars[name] = v.Str
		} else {
			delete(vars, name)
		}
		return true
	})
	q.env = nil
	for name, value := range vars {
		q.env = append(q.env, name+"="+value)
	}
	slices.Sort(q.env)
	return q
}

// exec runs what is neither a function nor part of the shell.
func (s *shellState) exec(ctx context.Context, args []string) error {
	hc := interp.HandlerCtx(ctx)
	if args[0] == hiddenBuiltin && len(args) > 1 {
		return builtin(ctx, hc, args[1:])
	}
	if len(args) > 1 && args[0] == hiddenHalf && strings.HasPrefix(args[1], hiddenHalfName) {
		return s.half(ctx, hc, args[1])
	}
	if args[0] == hiddenRoom && len(args) > 3 {
		return s.roomy(hc, args[1:])
	}
	q := s.command(hc, args)
	q.stdin = readable(ctx, hc.Stdin)
	s.onTerminal(hc, q)
	var err error
	switch args[0] {
	case hiddenType:
		err = s.kind(q)
	case hiddenCommandV:
		err = s.commandV(q)
	case hiddenHistory:
		err = s.history.command(q.with(append([]string{"history"}, args[1:]...)))
	case hiddenTimeStart, hiddenTimeStart + "-p":
		err = s.clock(args[0] != hiddenTimeStart)
	case hiddenPrintf:
		q.args = slices.Concat([]string{"printf"}, args[1:])
		err = s.printf(ctx, hc, q)
	case hiddenCat:
		err = s.copyIn(ctx, q, int(s.p.r.opts.Memory))
	case hiddenCat + "-short":
		err = s.copyIn(ctx, q, substPattern)
	case hiddenTimeEnd:
		err = s.clocked(q, hc.LastExitStatus)
	default:
		q.budget = s.budget
		err = q.run(ctx, q)
	}
	var exit *ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		return nil
	case errors.As(err, &exit):
		return interp.ExitStatus(exit.Code)
	}
	return err
}

// abs is a path that a handler was given.
func (s *shellState) abs(ctx context.Context, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(interp.HandlerCtx(ctx).Dir, name)
}

// pathErr has the text that bash prints after the path.
func pathErr(name string, err error) error {
	return &fs.PathError{Op: "sh", Path: name, Err: reason(err)}
}

func (s *shellState) open(ctx context.Context, name string, flag int, _ fs.FileMode) (io.ReadWriteCloser, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if strings.HasPrefix(name, nowhere+"/source/") {
		s.mu.Lock()
		text := s.sourced[name]
		delete(s.sourced, name)
		s.mu.Unlock()
		return s.feed(strings.NewReader(text))
	}
	hc := interp.HandlerCtx(ctx)
	v := &view{t: s.p.tree, ctx: ctx, stdin: hc.Stdin, stdout: hc.Stdout, stderr: hc.Stderr}
	var o xsys.Oflag
	switch {
	case flag&os.O_RDWR != 0:
		o = xsys.O_RDWR
	case flag&os.O_WRONLY != 0:
		o = xsys.O_WRONLY
	}
	for _, pair := range []struct {
		go_  int
		wasi xsys.Oflag
	}{{os.O_CREATE, xsys.O_CREAT}, {os.O_TRUNC, xsys.O_TRUNC}, {os.O_APPEND, xsys.O_APPEND}, {os.O_EXCL, xsys.O_EXCL}} {
		if flag&pair.go_ != 0 {
			o |= pair.wasi
		}
	}
	f, e := v.OpenFile(s.abs(ctx, name), o, 0o644)
	if e != 0 {
		return nil, pathErr(name, errnoError(e))
	}
	handle := &shellFile{f: f, ctx: ctx, name: name}
	if o != xsys.O_RDONLY {
		return handle, nil
	}
	if dir, _ := f.IsDir(); dir {
		f.Close()
		return nil, pathErr(name, errnoError(xsys.EISDIR))
	}
	return s.feed(handle)
}

// feed returns a pipe that r is written to. The interpreter would make one itself, and
// leave it to the garbage collector.
func (s *shellState) feed(r io.Reader) (*os.File, error) {
	if s.full() {
		return nil, &fs.PathError{Op: "sh", Path: "pipe", Err: errFiles}
	}
	pr, pw, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pipes[pr], s.pipes[pw] = true, true
	s.feeding.Go(func() {
		io.Copy(pw, r)
		pw.Close()
		if c, ok := r.(io.Closer); ok {
			c.Close()
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.pipes, pw)
	})
	return pr, nil
}

var errFiles = errors.New("too many open files")

// full reports whether a script has too many files open. The interpreter does not tell when it closes one.
func (s *shellState) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pipes) <= 2*maxFeeds {
		return false
	}
	for f := range s.pipes {
		if conn, err := f.SyscallConn(); err != nil || conn.Control(func(uintptr) {}) != nil {
			delete(s.pipes, f)
		}
	}
	return len(s.pipes) > maxFeeds
}

// closePipes ends what still feeds commands, and waits.
func (s *shellState) closePipes() {
	s.stop(nil)
	s.mu.Lock()
	for f := range s.pipes {
		f.Close()
	}
	clear(s.pipes)
	s.mu.Unlock()
	s.feeding.Wait()
}

// A shellFile is a file that the shell itself has open.
type shellFile struct {
	f    xsys.File
	ctx  context.Context
	name string
}

func (f *shellFile) Read(buf []byte) (n int, err error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	defer stopped(&err)
	n, e := f.f.Read(buf)
	switch {
	case e != 0:
		return n, pathErr(f.name, errnoError(e))
	case n == 0 && len(buf) > 0:
		return 0, io.EOF
	}
	return n, nil
}

func (f *shellFile) Write(buf []byte) (n int, err error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	defer stopped(&err)
	n, e := f.f.Write(buf)
	if e != 0 {
		return n, pathErr(f.name, errnoError(e))
	}
	return n, nil
}

func (f *shellFile) Close() error {
	if e := f.f.Close(); e != 0 {
		return pathErr(f.name, errnoError(e))
	}
	return nil
}

// stopped makes an error of how a view ends a command that was told to stop.
func stopped(err *error) {
	if fault := recover(); fault != nil {
		*err = context.Canceled
	}
}

func (s *shellState) stat(ctx context.Context, name string, _ bool) (fs.FileInfo, error) {
	info, err := s.p.tree.info(s.abs(ctx, name))
	if err != nil {
		return nil, pathErr(name, err)
	}
	return info, nil
}

// access: all is readable; what is in /bin can be run, and scripts.
func (s *shellState) access(ctx context.Context, name string, mode interp.AccessMode) error {
	info, err := s.p.tree.info(s.abs(ctx, name))
	if err != nil {
		return pathErr(name, err)
	}
	if mode&interp.AccessExec != 0 && info.Mode()&0o111 == 0 {
		return pathErr(name, errnoError(xsys.EACCES))
	}
	return nil
}

// readDir counts as a command: */../*/../* lists folders again and again.
func (s *shellState) readDir(ctx context.Context, name string) ([]fs.DirEntry, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err := s.budget.take(); err != nil {
		return nil, err
	}
	return s.p.tree.readDir(s.abs(ctx, name))
}

var errMemory = errors.New("out of memory")

// watchMemory ends a run whose interpreter, in Go, may fill the program's memory: if the
// program's heap has grown by four times what a command may have. It is a last
// resort; other work of the program counts too.
func watchMemory(ctx context.Context, limit int64, stop context.CancelCauseFunc) (done func()) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	heap := func() uint64 { metrics.Read(sample); return sample[0].Value.Uint64() }
	most := heap() + 4*uint64(limit)
	ended := make(chan struct{})
	quit := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if heap() > most {
					stop(errMemory)
					return
				}
			case <-quit:
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { close(quit); <-ended }
}
