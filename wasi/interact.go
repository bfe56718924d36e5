package wasi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Interact is Python's prompt: it reads lines from c.Stdin, up to its end or to exit, whose
// code is the error's, prints prompts and results to c.Stdout and tracebacks to c.Stderr.
// Programs read from the same input. A deadline of [Options] is that of a line. Interrupt
// is Ctrl-C. One Interact at a time reads the prompt of a Python; other calls go between its lines.
func (p *Python) Interact(ctx context.Context, c *PythonCall) error {
	var own PythonCall
	if c != nil {
		own = *c
	}
	own.in = &typed{r: own.Stdin}
	out := own.Stdout
	if out == nil {
		out = io.Discard
	}
	keys := make(chan struct{}, 1)
	p.prompt(keys)
	defer p.prompt(nil)
	prompt := ">>> "
	for {
		fmt.Fprint(out, prompt)
		line, err := own.in.line(ctx, keys)
		switch {
		case errors.Is(err, errKey):
			fmt.Fprint(out, "\nKeyboardInterrupt\n")
			prompt = ">>> "
			continue
		case err == io.EOF && line == "":
			fmt.Fprintln(out)
			return nil
		case ctx.Err() != nil:
			return &ExitError{Code: exitStopped, Err: ctx.Err()}
		case err != nil && err != io.EOF:
			return err
		}
		more, err := p.Push(ctx, line, &own)
		var exit *ExitError
		if p.Exited() || ctx.Err() != nil || err != nil && !errors.As(err, &exit) {
			return err
		}
		if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errOutput) {
			if own.Stderr != nil {
				fmt.Fprintln(own.Stderr, err)
			}
		}
		prompt = ">>> "
		if more {
			prompt = "... "
		}
	}
}

// prompt has Interrupt tell who waits for a line.
func (p *Python) prompt(keys chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.prompts = keys
}

// line reads a line, without its newline.
func (t *typed) line(ctx context.Context, keys <-chan struct{}) (string, error) {
	var line []byte
	buf := make([]byte, 4096)
	for {
		n, err := t.read(ctx, buf, keys)
		line = append(line, buf[:n]...)
		if s, ok := strings.CutSuffix(string(line), "\n"); ok {
			return strings.TrimSuffix(s, "\r"), nil
		}
		if err != nil {
			return string(line), err
		}
		if len(line) > maxScript {
			return "", errors.New("wasi: a line is too long")
		}
	}
}
