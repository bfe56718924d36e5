package wasi

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"time"

	xsys "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/sys"
)

//go:embed session.py
var sessionSource []byte

// pythonDir is where an interpreter finds what the host brings for it.
const pythonDir = "/usr/lib/python3"

// An interpreter is a guest that runs as long as a [Python] has it. Between calls it waits
// in a read of /dev/session: that it asks for more is how a call ends, so nothing of it
// runs while nobody answers for it.
type interpreter struct {
	p      *Python
	ctx    context.Context
	cancel context.CancelFunc
	tree   *tree
	parked chan string   // the answer to what it was asked last
	asked  chan string   // what it is asked
	ended  chan struct{} // closed when the guest is gone
	err    error         // how, once it is

	// Of the guest while it runs, of the call while it is parked.
	in             *typed
	stdout, stderr swapWriter
	message        string // what is left of it
	reading        bool   // message has an end that was not told yet
	answer         string
}

// start starts an interpreter and waits until it can be asked.
func (p *Python) start(ctx context.Context, c *PythonCall) (*interpreter, error) {
	module, err := p.r.engine.module("python", nil)
	if err != nil {
		return nil, err
	}
	if err := p.r.begin(); err != nil {
		return nil, err
	}
	g := &interpreter{p: p, parked: make(chan string), asked: make(chan string), ended: make(chan struct{})}
	g.ctx, g.cancel = context.WithCancel(context.WithValue(p.life, keyboard{}, p.keys))
	g.stdout.w, g.stderr.w = c.Stdout, c.Stderr
	g.tree = newTree(g.ctx, p.r.engine, c.Files, p.r.names, p.r.opts.Memory)
	g.tree.forPython(p.site)
	guest := &proc{
		r: p.r, tree: g.tree, args: []string{"python3", pythonDir + "/session.py"}, dir: path.Join(projectDir, path.Clean("/"+p.cmd.Dir)),
		env: append([]string{"HOME=" + projectDir, "PATH=/bin", "LANG=C.UTF-8", "TERM=dumb"}, p.cmd.Env...),
	}
	v := &view{t: g.tree, ctx: g.ctx, stdin: g, stdout: g.writer(&g.stdout), stderr: g.writer(&g.stderr), session: control{g}, keys: p.keys}
	guest.stdout, guest.stderr = v.stdout, v.stderr
	go func() {
		defer p.r.runs.Done()
		defer close(g.ended)
		defer g.cancel()
		instance, err := module.start(g.ctx, v.config(guest), guest.kept("python"))
		if err == nil {
			_, err = instance.ExportedFunction("_start").Call(g.ctx)
			instance.Close(context.WithoutCancel(g.ctx))
		}
		g.err = guest.ended(g.ctx, err)
	}()
	select {
	case <-g.parked:
		return g, nil
	case <-g.ended:
		err = fmt.Errorf("wasi: python does not start: %w", g.err)
	case <-ctx.Done():
		err = &ExitError{Code: exitStopped, Err: ctx.Err()}
	}
	g.stop()
	return nil, err
}

// stop ends the guest and waits for its end.
func (g *interpreter) stop() {
	g.cancel()
	<-g.ended
}

// lost is the error of a call that the interpreter did not survive.
func (g *interpreter) lost(c *PythonCall) error {
	code := exitCrash
	var exit *ExitError
	if errors.As(g.err, &exit) {
		code = exit.Code
	}
	fmt.Fprintln(c.Stderr, "the interpreter ended; its variables are lost")
	return &ExitError{Code: code, Err: ErrPythonLost}
}

// do asks the parked guest, and waits until it is parked again. alive is false if it
// ended, or has to.
func (g *interpreter) do(ctx context.Context, c *PythonCall, message string) (reply string, alive bool) {
	g.tree.refresh(g.ctx, c.Files)
	in := c.in
	if in == nil {
		in = &typed{r: c.Stdin}
	}
	g.in, g.stdout.w, g.stderr.w = in, c.Stdout, c.Stderr
	select {
	case g.asked <- message:
	case <-g.ended:
		return "", false
	}
	select {
	case reply := <-g.parked:
		return reply, true
	case <-g.ended:
		return "", false
	case <-ctx.Done():
	}
	// A Ctrl-C that is seen just before a sleep does not end it; the next one does.
	again := time.NewTicker(patience / 4)
	defer again.Stop()
	for range 4 {
		press(g.p.keys)
		select {
		case reply := <-g.parked:
			return reply, true
		case <-g.ended:
			return "", false
		case <-again.C:
		}
	}
	return "", false
}

// control is /dev/session: the guest reads what it is asked, up to the end of a
// file, writes its answer, and reads again.
type control struct{ g *interpreter }

func (c control) Read(buf []byte) (int, error) {
	g := c.g
	if !g.reading {
		select {
		case g.parked <- g.answer:
		case <-g.ctx.Done():
			panic(sys.NewExitError(exitStopped))
		}
		select {
		case g.message = <-g.asked:
		case <-g.ctx.Done():
			panic(sys.NewExitError(exitStopped))
		}
		g.answer, g.reading = "", true
	}
	n := copy(buf, g.message)
	g.message = g.message[n:]
	g.reading = n > 0
	return n, nil
}

func (c control) Write(buf []byte) (int, error) {
	if len(c.g.answer)+len(buf) > 100 {
		return 0, xsys.EINVAL
	}
	c.g.answer += string(buf)
	return len(buf), nil
}

// Read is standard input. Ctrl-C ends it as a signal does.
func (g *interpreter) Read(buf []byte) (int, error) {
	n, err := g.in.read(g.ctx, buf, g.p.keys)
	if errors.Is(err, errKey) {
		press(g.p.keys)
		err = xsys.EINTR
	}
	return n, err
}

// writer is a standard stream. A program that prints more than it may, or what nobody reads, is told
// by Ctrl-C: it would end the interpreter as a signal.
func (g *interpreter) writer(w io.Writer) io.Writer { return patientWriter{g, w} }

type patientWriter struct {
	g *interpreter
	w io.Writer
}

func (w patientWriter) Write(buf []byte) (int, error) {
	if _, err := w.w.Write(buf); err != nil {
		press(w.g.p.keys)
	}
	return len(buf), nil
}

var errKey = errors.New("Ctrl-C")

// typed is what somebody types. Where a read is given up, what comes later is there for
// the next; nothing beyond a line is taken.
type typed struct {
	r    io.Reader
	wait chan typing
	left []byte
	err  error
}

type typing struct {
	data []byte
	err  error
}

// read reads up to the end of a line. A goroutine that is still in r's Read when nobody
// waits for it lives until that returns, as with [os/exec.Cmd].
func (t *typed) read(ctx context.Context, buf []byte, keys <-chan struct{}) (int, error) {
	if t.r == nil {
		return 0, io.EOF
	}
	if len(t.left) == 0 && t.err == nil {
		if t.wait == nil {
			t.wait = make(chan typing, 1)
			go func(wait chan<- typing) {
				data := make([]byte, 32<<10)
				n, err := t.r.Read(data)
				wait <- typing{data[:n], err}
			}(t.wait)
		}
		select {
		case got := <-t.wait:
			t.left, t.err, t.wait = got.data, got.err, nil
		case <-keys:
			return 0, errKey
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	n := copy(buf, t.left)
	for i, b := range t.left[:n] {
		if b == '\n' {
			n = i + 1
			break
		}
	}
	t.left = t.left[n:]
	if n > 0 {
		return n, nil
	}
	return 0, t.err
}

// forPython puts into a tree what an interpreter looks for.
func (t *tree) forPython(site *shelf) {
	lib, _ := t.find("/usr/lib")
	own := t.folder(lib, path.Base(pythonDir))
	t.make(own, "session.py").data = sessionSource
	own.kids["session.py"].read = true
	packages := t.folder(own, "dist-packages")
	packages.shelf = site
	own.fixed, packages.fixed = true, true
	dev, _ := t.find("/dev")
	t.make(dev, "session").device = "session"
}

// refresh makes the project what it is now, for files, but for what is open.
func (t *tree) refresh(ctx context.Context, files Files) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.files, t.base, t.err = files, files.FS(ctx), nil
	clear(t.dirty)
	clear(t.gone)
	t.stale(t.project)
	t.held = held(t.project) + held(t.tmp)
}

// stale forgets what is in a folder of the project, and reports whether it is used.
func (t *tree) stale(n *node) (used bool) {
	maps.DeleteFunc(n.kids, func(_ string, k *node) bool {
		keep := k.open > 0
		if k.dir {
			keep = t.stale(k) || k.made || keep
		}
		if keep {
			used = true
		} else {
			k.parent = nil
		}
		return !keep
	})
	n.mtime = time.Now().UnixNano() // Python looks again for modules in it
	n.lazy = "."
	if n != t.project {
		n.lazy = t.projectName(n)
	}
	return used
}
