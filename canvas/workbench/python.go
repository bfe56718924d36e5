package workbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"samkit.dev/sam"
	"samkit.dev/wasi"
)

// A python is the interpreter of a project as a terminal has it.
type python struct {
	b       *Bench
	project *sam.Project
	last    *interpreter // of the line before
	open    bool         // a statement goes on
	stale   bool         // last has lines that are to be forgotten
}

var _ repl = (*python)(nil)

func (p *python) prompt() string {
	if p.open {
		return "... "
	}
	return ">>> "
}

func (p *python) more(string) bool { return false } // the interpreter says so
func (p *python) unfinished() bool { return p.open }
func (p *python) over() bool       { return false }
func (p *python) resize(int, int)  {}
func (p *python) close()           {} // the interpreter is the project's

func (p *python) complete(_ context.Context, line string) (int, []string) { return len(line), nil }

func (p *python) forget() {
	p.stale = p.stale || p.open
	p.open = false
}

// run takes a line as the prompt does. Several at once, as somebody pastes them, are a cell, unless they go on
// with a statement.
func (p *python) run(ctx context.Context, lines string, in io.Reader, out, errs io.Writer) int {
	at, err := p.b.python(ctx, p.project, nil)
	if err != nil {
		fmt.Fprintln(errs, err)
		return 1
	}
	if p.last != nil && p.last != at {
		fmt.Fprintln(errs, "The interpreter began anew: "+p.last.why)
		p.open = false
	} else if p.stale {
		at.Interrupt()
	}
	p.last, p.stale = at, false
	at.began = true
	lines = strings.TrimSuffix(lines, "\n")
	call := &wasi.PythonCall{Files: p.project, Stdin: in, Stdout: out, Stderr: errs}
	switch {
	case !p.open && strings.TrimSpace(lines) == "exit": // as newer Pythons understand it
		p.open, err = at.Push(ctx, "exit()", call)
	case p.open || !strings.Contains(lines, "\n"):
		for line := range strings.SplitSeq(lines, "\n") {
			if p.open, err = at.Push(ctx, line, call); err != nil {
				break
			}
		}
	default:
		err = at.Run(ctx, lines, call)
	}
	if at.Exited() {
		at.Reset()
		at.began = false
	}
	var exit *wasi.ExitError
	switch {
	case err == nil:
		return 0
	case at.over():
		fmt.Fprintln(errs, "The interpreter ended: "+at.why)
		return 1
	case errors.Is(err, wasi.ErrPythonLost):
		at.began = false
		fmt.Fprintln(errs, lostVariables)
	}
	switch {
	case !errors.As(err, &exit):
		fmt.Fprintln(errs, err)
		return 1
	case errors.Is(err, context.DeadlineExceeded):
		fmt.Fprintln(errs, "The time for a line is over.")
	case exit.Err != nil && exit.Code > 1 && ctx.Err() == nil && !errors.Is(err, wasi.ErrInterrupted) && !errors.Is(err, wasi.ErrPythonLost):
		fmt.Fprintln(errs, exit.Err)
	}
	return exit.Code
}
