package wasi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// A Python is an interpreter that keeps its state from call to call, as a person at a
// prompt expects, and as a notebook does. Calls queue: several may share one, such as a person's panel
// and an agent. The project is /project, where it starts, and its files are those of the
// moment of each call; /tmp lasts as long as the interpreter. There are no sockets,
// threads and processes.
//
// The interpreter starts with the first call. When it is gone, as after a crash, a call
// that would not stop, or Reset, the next call has a new one.
type Python struct {
	r    *Runner
	cmd  Cmd
	turn chan struct{} // holds one while a call is on

	life context.Context // ends with Close, and with the runner
	end  context.CancelFunc
	keys chan struct{} // a Ctrl-C that the interpreter has not seen; holds one

	mu      sync.Mutex // guards all below
	busy    bool       // a call is on
	exited  bool
	lines   []string      // of a statement that is not complete
	prompts chan struct{} // tells Interact of a Ctrl-C; nil if it does not wait for a line

	// Of who has the turn.
	guest *interpreter
	site  *shelf            // what %pip has installed
	have  map[string]string // version of each
}

// A PythonCall is what a call has of its own. All may be missing, and nil is a call of
// that kind.
type PythonCall struct {
	Files  Files     // instead of those that the interpreter was made with
	Args   []string  // of RunFile: sys.argv from 1 on
	Stdin  io.Reader // of input(); nil is empty
	Stdout io.Writer // nil discards; must not block for ever
	Stderr io.Writer // nil discards; must not block for ever

	in *typed // Stdin, if it is that of several calls
}

// NewPython returns an interpreter with the files, folder and environment of c; its
// other fields are not looked at. The caller closes it.
func (r *Runner) NewPython(c *Cmd) (*Python, error) {
	if c.Files == nil {
		return nil, errors.New("wasi: Cmd.Files is missing")
	}
	if r.commands["python3"] == nil {
		return nil, errors.New("wasi: the command python3 is not allowed")
	}
	p := &Python{r: r, cmd: *c, turn: make(chan struct{}, 1), keys: make(chan struct{}, 1), site: newShelf(), have: map[string]string{}}
	p.life, p.end = context.WithCancel(r.life)
	return p, nil
}

// Errors that calls of a [Python] return, within an [*ExitError].
var (
	// ErrPythonLost is that the interpreter is gone, with its state.
	ErrPythonLost = errors.New("wasi: the interpreter ended; its variables are lost")
	// ErrInterrupted is that Interrupt ended the call.
	ErrInterrupted = errors.New("wasi: interrupted")
)

// Run runs code as a cell of a notebook: if it ends with an expression whose value is
// not None, that is printed. It may await. Its first lines may be commands:
//
//	%run FILE [ARGUMENT...]
//	%pip install NAME[==VERSION]...
//
// The error is an [*ExitError]: code 1 after an exception, whose traceback is on
// Stderr, what exit was called with, 130 after Interrupt or when ctx ended, 124 after the deadline
// of [Options], 134 if the interpreter crashed. When ctx ends, KeyboardInterrupt is raised; the interpreter
// is stopped only if that does not help within a second or two.
func (p *Python) Run(ctx context.Context, code string, c *PythonCall) error {
	return p.call(ctx, c, func(ctx context.Context, c *PythonCall) error {
		rest, err := p.commands(ctx, code, c)
		if err != nil || strings.TrimSpace(rest) == "" {
			return err
		}
		_, err = p.ask(ctx, c, "cell", "", rest)
		return err
	})
}

// RunFile runs a file as a program, as %run does: it is __main__, and what it defines is
// there afterwards. name is a path in the project or from the root. The error is that of Run.
func (p *Python) RunFile(ctx context.Context, name string, c *PythonCall) error {
	return p.call(ctx, c, func(ctx context.Context, c *PythonCall) error {
		_, err := p.ask(ctx, c, append([]string{"file", name}, c.Args...)...)
		return err
	})
}

// Push gives a line to the prompt, without its newline. More reports that a statement goes on, and that
// the prompt is "... " instead of ">>> ". The error is that of Run; lines that begin
// with % are its commands.
func (p *Python) Push(ctx context.Context, line string, c *PythonCall) (more bool, err error) {
	err = p.call(ctx, c, func(ctx context.Context, c *PythonCall) error {
		p.mu.Lock()
		lines := append(p.lines, line)
		p.lines = nil
		p.mu.Unlock()
		if len(lines) == 1 && strings.HasPrefix(line, "%") {
			_, err := p.commands(ctx, line, c)
			return err
		}
		reply, err := p.ask(ctx, c, "line", "<stdin>", strings.Join(lines, "\n"))
		if reply == "more" {
			more = true
			p.mu.Lock()
			p.lines = lines
			p.mu.Unlock()
		}
		return err
	})
	return more, err
}

// Interrupt is Ctrl-C: it raises KeyboardInterrupt in the call that is on. If none is, it
// forgets the lines of a statement that is not complete.
func (p *Python) Interrupt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy {
		press(p.keys)
		return
	}
	p.lines = nil
	if p.prompts != nil {
		press(p.prompts)
	}
}

// press puts a Ctrl-C where at most one is kept.
func press(keys chan struct{}) {
	select {
	case keys <- struct{}{}:
	default:
	}
}

// Exited reports whether the last call ended by exit. The state is kept until Reset.
func (p *Python) Exited() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exited
}

// Reset ends the interpreter, after the call that is on. What %pip has installed stays.
func (p *Python) Reset() {
	p.turn <- struct{}{}
	p.drop()
	p.mu.Lock()
	p.lines, p.exited = nil, false
	p.mu.Unlock()
	<-p.turn
}

// Close ends the interpreter and the call that is on. It can be called again.
func (p *Python) Close() error {
	p.end()
	p.Reset()
	return nil
}

// drop ends the interpreter and waits for its end. The caller has the turn.
func (p *Python) drop() {
	if p.guest != nil {
		p.guest.stop()
		p.guest = nil
	}
}

// call waits for its turn and runs f with the bounds of a run.
func (p *Python) call(ctx context.Context, c *PythonCall, f func(context.Context, *PythonCall) error) error {
	var own PythonCall
	if c != nil {
		own = *c
	}
	if own.Files == nil {
		own.Files = p.cmd.Files
	}
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return &ExitError{Code: exitStopped, Err: ctx.Err()}
	}
	defer func() { <-p.turn }()
	if err := p.r.begin(); err != nil {
		return err
	}
	defer p.r.runs.Done()
	if _, err := p.r.engine.module("python", nil); err != nil {
		return err // compiling is not the call's time
	}
	ctx, cancel := context.WithTimeout(ctx, p.r.opts.Timeout)
	defer cancel()
	defer context.AfterFunc(p.life, cancel)()
	p.begin()
	defer p.done()

	out := &output{left: p.r.opts.Output, limit: p.r.opts.Output}
	own.Stdout, own.Stderr = out.to(own.Stdout), out.to(own.Stderr)
	err := f(ctx, &own)
	if err == nil {
		return nil
	}
	exit := &ExitError{Code: exitStopped, Err: ctx.Err()}
	switch {
	case p.life.Err() != nil:
		exit.Err = ErrClosed
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		exit.Code = exitTimeout
	case ctx.Err() != nil:
	case out.over():
		exit = &ExitError{Code: exitPipe, Err: errOutput}
	default:
		return err
	}
	if errors.Is(err, ErrPythonLost) {
		exit.Err = errors.Join(exit.Err, ErrPythonLost)
	}
	return exit
}

// begin and done are around a call: a Ctrl-C is about the one that is on.
func (p *Python) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy, p.exited = true, false
	p.release()
}

func (p *Python) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy = false
	p.release()
}

// release forgets a Ctrl-C.
func (p *Python) release() {
	select {
	case <-p.keys:
	default:
	}
}

// patience is how long a program may take to end after KeyboardInterrupt.
const patience = 2 * time.Second

// ask has the interpreter do something, and returns its answer.
func (p *Python) ask(ctx context.Context, c *PythonCall, request ...string) (reply string, err error) {
	for _, s := range request {
		if strings.ContainsRune(s, 0) {
			fmt.Fprintln(c.Stderr, "ValueError: source code string cannot contain null bytes")
			return "", &ExitError{Code: 1}
		}
	}
	if p.guest == nil {
		if p.guest, err = p.start(ctx, c); err != nil {
			return "", err
		}
	}
	g := p.guest
	reply, alive := g.do(ctx, c, strings.Join(request, "\x00"))
	if !alive {
		p.drop()
	}
	if werr := g.tree.end(context.WithoutCancel(ctx), false); werr != nil {
		return reply, fmt.Errorf("wasi: write files: %w", werr)
	}
	if !alive {
		return "", g.lost(c)
	}
	switch verb, code, _ := strings.Cut(reply, " "); verb {
	case "ok", "more":
		return reply, nil
	case "exit":
		p.mu.Lock()
		p.exited = true
		p.mu.Unlock()
		var n int
		fmt.Sscan(code, &n)
		if n == 0 {
			return reply, nil
		}
		return reply, &ExitError{Code: n}
	case "error":
		return reply, &ExitError{Code: 1}
	}
	return reply, &ExitError{Code: exitStopped, Err: ErrInterrupted}
}

// commands runs the lines that code begins with and that are for the host, and returns
// the rest, with its lines where they were.
func (p *Python) commands(ctx context.Context, code string, c *PythonCall) (rest string, err error) {
	blank := ""
	for {
		line, after, more := strings.Cut(code, "\n")
		text := strings.TrimSpace(line)
		if text != "" && text[0] != '%' {
			return blank + code, nil
		}
		if text != "" {
			if err := p.command(ctx, strings.Fields(text[1:]), c); err != nil {
				return "", err
			}
		}
		if !more {
			return "", nil
		}
		blank, code = blank+"\n", after
	}
}

func (p *Python) command(ctx context.Context, words []string, c *PythonCall) error {
	switch {
	case len(words) > 1 && words[0] == "run":
		_, err := p.ask(ctx, c, append([]string{"file"}, words[1:]...)...)
		return err
	case len(words) > 2 && words[0] == "pip" && words[1] == "install":
		if err := p.install(words[2:], c.Stdout); err != nil {
			fmt.Fprintf(c.Stderr, "ERROR: %v\n", err)
			return &ExitError{Code: 1, Err: err}
		}
		return nil
	}
	fmt.Fprintf(c.Stderr, "there are the commands %%run FILE [ARGUMENT...] and %%pip install NAME...\n")
	return &ExitError{Code: 2}
}
