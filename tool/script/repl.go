package script

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"

	"samkit.dev/host"
	"samkit.dev/host/console"
	"samkit.dev/host/engine"
	"samkit.dev/internal/bundle"
	"samkit.dev/internal/workers"
)

// ErrMore is the error of [REPL.Eval] for input that is not finished, because a bracket, a template or a
// comment is open: ask for another line, and give both.
var ErrMore = errors.New("script: the input is not finished")

// An Exception is what a line threw, or why it ended, in the words of a prompt.
type Exception struct {
	Text string // "Uncaught TypeError: x is not a function\n    at REPL3:1:4", in colors as REPLOptions say
	Lost bool   // the session had to be started anew: its variables are gone
}

func (e *Exception) Error() string { return e.Text }

// REPLOptions configures a [REPL]. Nil is the zero REPLOptions.
type REPLOptions struct {
	Colors  bool                // values have escape sequences of terminals, as Node's have
	Timeout time.Duration       // of an Eval; zero means [Timeout]
	Plan    bool                // rtcAgent.writeFile is refused
	Bare    bool                // rtcAgent has the project's files alone, not AGENT.md and functions/, which are made when they are read
	Print   func(console.Entry) // gets what lines print, in order and before their Eval returns; it must not block. Nil discards
	Console *console.Buffer     // gets it as well; nil discards
}

// A REPL is a JavaScript session over the files of a project, for the person who owns them. It is safe for
// concurrent use: lines run one after the other.
//
// A line is JavaScript or TypeScript, in sloppy mode, with await. What it declares the following lines have; they may
// declare it again, constants too. The variable _ has the value of the line before, and _error what was thrown last.
// %run src/a.ts runs a module with all that it imports by relative paths: its exports become
// variables. rtcAgent.readFile, writeFile and listDir are the files, as scripts have them. There is no network, no
// npm and no eval; timers and promises that a line leaves behind end with it.
//
// The session runs in a worker of its own, apart from those of functions.js and of scripts, and keeps it until Close,
// or for a day without a line, unless the engine needs its place for another. A line that had to be stopped while it computed, or that overflowed
// the stack or the memory, costs the session its variables: [Exception.Lost].
type REPL struct {
	engine *engine.Engine
	opts   REPLOptions
	files  *Runner
	app    *workers.App
	turn   chan struct{} // has one element while no line runs
	closed chan struct{}
	once   sync.Once // of closed

	// Of who has the turn.
	lines  int // that have been given to this session's worker
	number int // of the last line
	places places
}

//go:embed repl.js
var replCode []byte

// NewREPL starts a session. The caller closes it, before e.
func NewREPL(ctx context.Context, e *engine.Engine, p Project, opts *REPLOptions) (*REPL, error) {
	r := &REPL{engine: e, turn: make(chan struct{}, 1), closed: make(chan struct{})}
	if opts != nil {
		r.opts = *opts
	}
	if r.opts.Timeout <= 0 {
		r.opts.Timeout = Timeout
	}
	mode := Bypass
	if r.opts.Plan {
		mode = Plan
	}
	r.files = &Runner{engine: e, project: p, opts: Options{Mode: mode, Timeout: r.opts.Timeout}, bare: r.opts.Bare}
	number := numbers.Add(1)
	r.app = &workers.App{
		Domain:   fmt.Sprintf("repl\x00%s\x00%s\x00%d", p.Owner(), p.ID(), number),
		Version:  fmt.Sprintf("repl-%d", number),
		Script:   &workers.Script{Code: replCode},
		Bindings: []workers.Binding{{Name: "FILES", Caller: agent{r.files}, Flat: true}},
		Limits:   workers.Limits{Wall: r.opts.Timeout, CPU: r.opts.Timeout},
		Project:  string(p.ID()), Role: host.Tool, Console: r.print, Prompt: true, Idle: 24 * time.Hour,
	}
	if _, err := r.ask(ctx, question{Probe: true}); err != nil {
		r.engine.Pool().End(r.app)
		return nil, fmt.Errorf("script: %w", err)
	}
	r.turn <- struct{}{}
	return r, nil
}

// Close ends the session, and a line that runs in it.
func (r *REPL) Close() error {
	r.once.Do(func() { close(r.closed) })
	r.engine.Pool().End(r.app)
	return nil
}

// A question is what repl.js gets.
type question struct {
	Name   string `json:"name,omitempty"`
	Code   string `json:"code,omitempty"`
	Needs  string `json:"needs"`
	Module bool   `json:"module,omitempty"`
	Colors bool   `json:"colors,omitempty"`
	Probe  bool   `json:"probe,omitempty"`
}

// A reply is its answer.
type reply struct {
	Text         string
	Threw        bool
	Line, Column int
	Lines        int
}

func (r *REPL) ask(ctx context.Context, q question) (*reply, error) {
	body, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	response, err := r.engine.Pool().Fetch(ctx, r.app, &workers.Request{
		Method: "POST", URL: "http://repl/", Body: strings.NewReader(string(body)), Length: int64(len(body)), Life: ctx,
	})
	if err != nil {
		return nil, err
	}
	a := &reply{}
	return a, decode(response, a)
}

// Eval runs a line, several, or "%run file.js", and returns the value as Node's prompt prints it; "" for %run
// and for input without code. The error is [ErrMore], an [*Exception], the end of ctx, which stops the line, or what kept it from running.
func (r *REPL) Eval(ctx context.Context, text string) (string, error) {
	select {
	case <-r.turn:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-r.closed:
		return "", errREPLClosed
	}
	defer func() { r.turn <- struct{}{} }()
	select {
	case <-r.closed:
		return "", errREPLClosed
	default:
	}
	q, err := r.compile(ctx, text)
	if q == nil || err != nil {
		return "", err
	}
	a, err := r.ask(ctx, *q)
	if err != nil {
		return "", r.ended(ctx, err)
	}
	if before := r.lines; before > 0 && a.Lines != before+1 { // its worker made room for others
		r.print(console.Entry{Time: time.Now(), Level: slog.LevelWarn, Origin: console.System, Text: "The session was idle, and began anew with this line." + gone})
	}
	r.lines = a.Lines
	switch {
	case a.Threw && a.Line > 0:
		return "", r.wrong(a.Text, fmt.Sprintf("%s:%d:%d", q.Name, a.Line, a.Column))
	case a.Threw:
		return "", &Exception{Text: "Uncaught " + r.places.rewrite(a.Text)}
	}
	return r.places.rewrite(a.Text), nil
}

var errREPLClosed = errors.New("script: the session is closed")

// wrong is the Exception of source that is no JavaScript.
func (r *REPL) wrong(text, at string) *Exception {
	if strings.Contains(text, "import") || strings.Contains(text, "export") {
		text += " (modules are run with %run file.js)"
	}
	return &Exception{Text: "Uncaught SyntaxError: " + text + "\n    at " + r.places.rewrite(at)}
}

// compile makes what is to run of input. It returns nil if there is nothing.
func (r *REPL) compile(ctx context.Context, text string) (*question, error) {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		return nil, nil
	}
	r.number++
	name := fmt.Sprintf("REPL%d", r.number)
	if command, ok := strings.CutPrefix(trimmed, "%"); ok {
		return r.module(ctx, name, command)
	}
	if len(text) > MaxLine {
		return nil, &Exception{Text: fmt.Sprintf("The input has %d bytes, more than %d", len(text), MaxLine)}
	}
	var out *bundle.Output
	var err error
	shift := 0
	if strings.HasPrefix(trimmed, "{") && !strings.HasSuffix(trimmed, ";") { // an object rather than a block, if it may be one
		if out, err = bundle.Line(name, []byte("("+text+"\n)")); err == nil {
			shift = 1
		}
	}
	if shift == 0 {
		out, err = bundle.Line(name, []byte(text))
	}
	if errors.Is(err, bundle.ErrUnfinished) {
		r.number--
		return nil, ErrMore
	}
	var wrong *bundle.Error
	if errors.As(err, &wrong) {
		d := wrong.Diagnostics[0]
		return nil, r.wrong(d.Text, fmt.Sprintf("%s:%d:%d", d.File, d.Line, d.Column))
	}
	if err != nil {
		return nil, err
	}
	r.places.add(name, out, 1, shift)
	return &question{Name: name, Code: string(out.Code), Needs: out.Needs, Colors: r.opts.Colors}, nil
}

// MaxLine is how many bytes the input of a [REPL] may have.
const MaxLine = 256 << 10

// module makes what %run is to run.
func (r *REPL) module(ctx context.Context, name, command string) (*question, error) {
	verb, file, _ := strings.Cut(command, " ")
	file = strings.Trim(strings.TrimSpace(file), `"'`)
	if verb != "run" || file == "" {
		return nil, &Exception{Text: "%" + command + " is no command: %run file.js is"}
	}
	file = path.Clean(strings.TrimLeft(file, "/"))
	out, err := bundle.Functions(ctx, r.files.project.FS(ctx), file, nil)
	var wrong *bundle.Error
	switch {
	case errors.As(err, &wrong):
		return nil, &Exception{Text: "Uncaught SyntaxError: " + wrong.Error()}
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Exception{Text: "There is no file " + file}
	case err != nil:
		return nil, err
	case len(out.Wasm) > 0:
		return nil, &Exception{Text: file + " imports WebAssembly, which a session does not run"}
	}
	r.places.add(name, out, 0, 0)
	return &question{Name: name, Code: string(out.Code), Needs: out.Needs, Module: true, Colors: r.opts.Colors}, nil
}

// patience is how long the worker may take to say that it still has the session.
const patience = 2 * time.Second

// ended says why a line had no answer, and looks what is left of the session.
func (r *REPL) ended(ctx context.Context, err error) error {
	lost := r.look(context.WithoutCancel(ctx))
	select {
	case <-r.closed:
		r.engine.Pool().End(r.app) // which may have been started again
		return errREPLClosed
	default:
	}
	var failed *workers.Error
	switch {
	case ctx.Err() != nil && !lost:
		return context.Cause(ctx)
	case ctx.Err() != nil:
		return &stopped{&Exception{Text: "The line was stopped." + gone, Lost: true}, context.Cause(ctx)}
	case errors.As(err, &failed):
		text := "Uncaught " + r.places.rewrite(failed.Message)
		if failed.Code == "no_response" {
			text = "The line waits for something that cannot happen."
		} else if ended[failed.Code] != "" {
			text = "The line was ended: " + failed.Message + "."
		}
		if lost {
			text += gone
		}
		return &Exception{Text: text, Lost: lost}
	}
	return fmt.Errorf("script: %w", err)
}

// look asks the worker whether the session is there still, and ends it if it does not answer.
func (r *REPL) look(ctx context.Context) (lost bool) {
	select {
	case <-r.closed:
		return true
	default:
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	a, err := r.ask(ctx, question{Probe: true})
	before := r.lines
	if err != nil {
		r.engine.Pool().End(r.app)
		r.lines = 0
		return true
	}
	r.lines = a.Lines
	return before > 0 && a.Lines == 0
}

const gone = " The variables of the session are gone."

// stopped is an Exception that is the end of a context too.
type stopped struct {
	*Exception
	cause error
}

func (s *stopped) Unwrap() []error { return []error{s.Exception, s.cause} }

// print passes on what a line prints.
func (r *REPL) print(e console.Entry) {
	e.Text, e.Stack, e.Source = r.places.rewrite(e.Text), r.places.rewrite(e.Stack), r.places.rewrite(e.Source)
	if r.opts.Console != nil {
		r.opts.Console.Add(e)
	}
	if r.opts.Print != nil {
		r.opts.Print(e)
	}
}

var placePattern = regexp.MustCompile(`\bREPL(\d+):(\d+):(\d+)`)
