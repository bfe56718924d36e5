package workbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"samkit.dev/sam"
	"samkit.dev/wasi"
)

// A shell is the command line as a terminal has it.
type shell struct {
	project *sam.Project
	sh      *wasi.Shell
	streams *streams

	code int // of what ran last

	mu   sync.Mutex // guards size
	size string     // what the shell has to be told of it
}

var _ repl = (*shell)(nil)

func newShell(r *wasi.Runner, p *sam.Project) (repl, error) {
	s := &shell{project: p, streams: &streams{}}
	sh, err := r.NewShell(&wasi.Cmd{
		Files: p, Env: []string{"TERM=xterm-256color"}, Stdout: stdout{s.streams}, Stderr: stderr{s.streams},
	})
	s.sh = sh
	return s, err
}

// prompt is the project, and where in it the shell is.
func (s *shell) prompt() string {
	dir := s.sh.Dir()
	if in, ok := strings.CutPrefix(dir, "/project"); ok && (in == "" || in[0] == '/') {
		dir = string(s.project.ID()) + in
	}
	return dir + " $ "
}

func (s *shell) more(lines string) bool { return wasi.Incomplete(lines) }
func (s *shell) unfinished() bool       { return false }
func (s *shell) forget()                {}
func (s *shell) close()                 {}

func (s *shell) run(ctx context.Context, lines string, in io.Reader, out, errs io.Writer) int {
	s.mu.Lock()
	size := s.size
	s.size = ""
	s.mu.Unlock()
	if size != "" {
		// Nobody asked for it, so it leaves $? as it was, does not read what is typed, and by its blank stays out of the history.
		s.sh.SetStdin(nil)
		s.sh.Run(ctx, fmt.Sprintf(" %s; (exit %d)", size, s.code))
	}
	s.sh.SetStdin(in)
	s.streams.set(out, errs)
	defer s.streams.set(nil, nil)
	err := s.sh.Run(ctx, lines)
	s.code = 0
	var exit *wasi.ExitError
	if errors.As(err, &exit) {
		s.code = exit.Code
	}
	if err != nil && err != error(exit) {
		fmt.Fprintf(errs, "%v\n", err)
		s.code = max(s.code, 1)
	} else if errors.Is(err, context.DeadlineExceeded) {
		fmt.Fprintln(errs, "The time for a command is over.")
	}
	return s.code
}

func (s *shell) complete(ctx context.Context, line string) (int, []string) {
	return s.sh.Complete(ctx, line)
}

func (s *shell) resize(columns, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size = fmt.Sprintf("export COLUMNS=%d LINES=%d", columns, rows)
}

func (s *shell) over() bool { return s.sh.Exited() }

// streams are where what a shell runs now prints: the shell has one set for its life.
type streams struct {
	mu        sync.Mutex // guards what follows
	out, errs io.Writer
}

func (s *streams) set(out, errs io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out, s.errs = out, errs
}

type stdout struct{ *streams }

func (s stdout) Write(buf []byte) (int, error) {
	s.mu.Lock()
	w := s.out
	s.mu.Unlock()
	return write(w, buf)
}

type stderr struct{ *streams }

func (s stderr) Write(buf []byte) (int, error) {
	s.mu.Lock()
	w := s.errs
	s.mu.Unlock()
	return write(w, buf)
}

// write writes to a stream of a command, or nowhere when that is over.
func write(w io.Writer, buf []byte) (int, error) {
	if w == nil {
		return len(buf), nil
	}
	return w.Write(buf)
}
