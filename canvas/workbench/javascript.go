package workbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"samkit.dev/host/console"
	"samkit.dev/sam"
	"samkit.dev/tool/script"
)

// A javascript is a JavaScript session as a terminal has it. Its worker is started by the first line.
type javascript struct {
	b       *Bench
	project *sam.Project
	session *script.REPL
	lines   string // that are not finished
	ended   bool

	streams streams // of the line that runs
}

var _ repl = (*javascript)(nil)

func (j *javascript) prompt() string {
	if j.lines != "" {
		return "... "
	}
	return "> "
}

func (j *javascript) more(string) bool { return false } // the session says so
func (j *javascript) unfinished() bool { return j.lines != "" }
func (j *javascript) forget()          { j.lines = "" }
func (j *javascript) over() bool       { return j.ended }
func (j *javascript) resize(int, int)  {}

func (j *javascript) complete(_ context.Context, line string) (int, []string) { return len(line), nil }

func (j *javascript) run(ctx context.Context, lines string, _ io.Reader, out, errs io.Writer) int {
	text := j.lines + lines
	j.lines = ""
	switch strings.TrimSpace(text) {
	case "exit", "exit()", ".exit":
		j.ended = true
		return 0
	}
	j.streams.set(out, errs)
	defer j.streams.set(nil, nil)
	var value string
	err := j.start(ctx)
	if err == nil {
		value, err = j.session.Eval(ctx, text)
	}
	var threw *script.Exception
	switch {
	case err == nil && value == "":
		return 0
	case err == nil:
		fmt.Fprintln(out, value)
		return 0
	case errors.Is(err, script.ErrMore):
		j.lines = text
		return 0
	case errors.As(err, &threw):
		fmt.Fprintln(errs, threw.Text)
	case ctx.Err() == nil:
		fmt.Fprintln(errs, err)
	}
	if ctx.Err() != nil {
		return 130
	}
	return 1
}

func (j *javascript) start(ctx context.Context) (err error) {
	if j.session == nil {
		j.session, err = script.NewREPL(ctx, j.b.eng, j.project, &script.REPLOptions{Colors: true, Print: j.print})
	}
	return err
}

// print is what a line prints.
func (j *javascript) print(e console.Entry) {
	var w io.Writer = stdout{&j.streams}
	if e.Level >= slog.LevelWarn {
		w = stderr{&j.streams}
	}
	fmt.Fprintln(w, e.Text)
}

func (j *javascript) close() {
	if j.session != nil {
		j.session.Close()
	}
}
