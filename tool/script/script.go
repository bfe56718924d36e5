package script

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"samkit.dev/host"
	"samkit.dev/host/console"
	"samkit.dev/host/engine"
	"samkit.dev/internal/jscheck"
	"samkit.dev/internal/workers"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// Limits of what a script gives back.
const (
	MaxResult = 1 << 20 // bytes of JSON
	MaxLines  = 100     // of Logs, Warnings and Errors each
)

// Timeout is how long a script may run, unless Options say otherwise.
const Timeout = 30 * time.Second

// A Mode says when a person is asked, by [Options.Confirm].
type Mode uint8

// The modes. Reads never ask.
const (
	Manual Mode = iota // runs ask, and so does each write
	Edit               // runs ask
	Plan               // runs ask, and writes are refused
	Auto               // the first run asks, for all of the Runner's
	Bypass             // nothing asks
)

// Options configures a [Runner]. Nil is the zero Options: a script may compute, and
// read and write the project's files, if Confirm permits.
type Options struct {
	Tools   *tool.Set       // rtcAgent.<group>.<function>; nil grants nothing. Where its grants have paths, files outside of them are refused
	Mode    Mode            // of this Runner's runs; for another mode make another Runner
	Confirm tool.Confirm    // nil denies
	Timeout time.Duration   // zero means [Timeout]; the script is ended
	While   bool            // permits while, do…while and for without a bound
	Console *console.Buffer // gets what scripts print, as they print it; nil discards

	// Apply makes a change of the project that has been permitted, such as a script's rtcAgent.writeFile; it may refuse it, or
	// note it. Nil means sam.Project.Apply.
	Apply func(context.Context, sam.Edit) error
	// Audit is told of each call of rtcAgent.readFile, writeFile and listDir when it has ended, as functions of the capability script.
	// A write that came as far as Apply is Apply's to note, and what is granted tells the Audit of Tools: together they have every
	// call of a script that reaches anything. It must not block. Nil means nobody.
	Audit func(context.Context, host.Record)
	// Observe is told of each run and each attempt to save when it is over, for metrics. It must not block. Nil means nobody.
	Observe func(Execution)
}

// An Execution is a run of a script, or an attempt to save one, as [Options.Observe] counts it.
type Execution struct {
	Action   string        // "save", "run", "eval"
	Status   string        // "ok"; "failed", if it threw; "killed"; "blocked" by the check; "denied"; "error", of anything else
	Duration time.Duration // with the check and with what a person took to answer
	Code     int           // bytes of source
	Result   int           // bytes of JSON
	Killed   string        // as in Result
}

// observed tells of what is over.
func (r *Runner) observed(action string, src Source, start time.Time, res *Result, err error) {
	if r.opts.Observe == nil {
		return
	}
	e := Execution{Action: action, Status: "ok", Duration: time.Since(start), Code: len(src.Code)}
	var blocked *BlockedError
	var refused *host.Error
	switch {
	case errors.As(err, &blocked):
		e.Status = "blocked"
	case errors.As(err, &refused) && refused.Code == host.Denied:
		e.Status = "denied"
	case err != nil:
		e.Status = "error"
	case res != nil:
		e.Result, e.Killed = len(res.Value), res.Killed
		switch {
		case res.Killed != "":
			e.Status = "killed"
		case res.Failed:
			e.Status = "failed"
		}
	}
	r.opts.Observe(e)
}

// A Runner runs scripts on the files of a project. It is safe for concurrent use.
type Runner struct {
	engine  *engine.Engine
	project Project
	opts    Options
	bare    bool // the files of the manual are not there

	checked   checked
	permitted atomic.Bool // somebody has agreed to a run

	mu   sync.Mutex // guards idle
	idle []string   // domains in which no script runs
}

// A Project is what a session at a prompt works on, such as a [*sam.Project].
type Project interface {
	ID() sam.ProjectID
	Owner() string
	FS(ctx context.Context) fs.FS
	ReadFile(ctx context.Context, name string) ([]byte, error)
	Files(ctx context.Context, prefix string) iter.Seq2[sam.File, error]
	Apply(ctx context.Context, edits ...sam.Edit) error
}

var _ Project = (*sam.Project)(nil)

// New returns a runner. It does not close e.
func New(e *engine.Engine, p *sam.Project, opts *Options) *Runner {
	r := &Runner{engine: e, project: p}
	if opts != nil {
		r.opts = *opts
	}
	if r.opts.Timeout <= 0 {
		r.opts.Timeout = Timeout
	}
	return r
}

// A Source is a script.
type Source struct {
	Name, Description string // of one that is saved
	Lang              string // "js" or "ts"; "" means ts
	Code              string
}

// A Result is what a script returned and printed. One that threw has a Result too,
// with the exception as the last of Errors.
type Result struct {
	Value    json.RawMessage `json:"value,omitempty"` // see the package; nil if the script did not return
	Logs     []string        `json:"logs,omitempty"`  // the first [MaxLines], as of the two that follow; objects are JSON
	Warnings []string        `json:"warnings,omitempty"`
	Errors   []string        `json:"errors,omitempty"`
	Duration time.Duration   `json:"duration,omitempty"` // from the start of the worker's request to its end
	Killed   string          `json:"killed,omitempty"`   // what ended the script: "deadline", "cpu", "memory", "output", "calls", "crash" of the worker; or ""
	Failed   bool            `json:"failed,omitempty"`   // it threw, or was ended
	Line     int             `json:"line,omitempty"`     // where it threw, in the source: from 1; 0 if that is not known
	Column   int             `json:"column,omitempty"`   // from 1, in UTF-16 units
	Stack    string          `json:"stack,omitempty"`    // the calls that led there, a line each, the innermost first: "f (script:2:9)"
}

// A BlockedError lists what a script may not use. It did not run.
type BlockedError struct{ Uses []Use }

// A Use is one use that is blocked.
type Use struct {
	Name         string // "fetch", ".constructor"; "" if the script does not parse
	Category     string // "network", "syntax"
	Instead      string // what to use; "" if nothing replaces it
	Text         string // all in words, with the place
	Line, Column int    // from 1, columns in UTF-16 units
}

// Error says each use, one a line.
func (e *BlockedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "script: blocked uses: %d", len(e.Uses))
	for _, u := range e.Uses {
		b.WriteString("\n" + u.Text)
	}
	return b.String()
}

// check returns what code becomes, or a *BlockedError.
func (r *Runner) check(src Source) (*passed, error) {
	switch src.Lang {
	case "", "ts", "typescript", "js", "javascript":
	default:
		return nil, fmt.Errorf("script: language %q is none of js, ts", src.Lang)
	}
	p, problems := r.checked.check(src.Code, &jscheck.Options{JavaScript: strings.HasPrefix(src.Lang, "j"), While: r.opts.While})
	if p != nil {
		return p, nil
	}
	e := &BlockedError{}
	for _, x := range problems {
		e.Uses = append(e.Uses, Use{Name: x.Name, Category: string(x.Category), Instead: x.Instead, Text: x.String(), Line: x.Line, Column: x.Column})
	}
	return nil, e
}

// Eval runs a script once. Params, as JSON, is what it sees as params; nil is null there.
func (r *Runner) Eval(ctx context.Context, src Source, params any) (*Result, error) {
	return r.execute(ctx, "eval", src, params)
}

func (r *Runner) execute(ctx context.Context, action string, src Source, params any) (res *Result, err error) {
	defer func(start time.Time) { r.observed(action, src, start, res, err) }(time.Now())
	p, err := r.check(src)
	if err != nil {
		return nil, err
	}
	input, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("script: params: %w", err)
	}
	if err := r.ask(ctx, runs, map[string]any{"name": src.Name, "code": src.Code}); err != nil {
		return nil, err
	}
	return r.run(ctx, p, input)
}

//go:embed runner.js
var runnerCode string

// runner is what runs after the code of a script.
var runner = sync.OnceValue(func() string {
	names, err := json.Marshal(slices.Sorted(maps.Keys(jscheck.Blocked())))
	if err != nil {
		panic(err) // of strings
	}
	return strings.NewReplacer("$NAMES", string(names), "$MOST", strconv.Itoa(MaxResult)).Replace(runnerCode)
})

// numbers tells runs apart, and domains.
var numbers atomic.Uint64

// domain returns one in which no script runs: what ends a script may end its worker, and all in it.
func (r *Runner) domain() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.idle); n > 0 {
		d := r.idle[n-1]
		r.idle = r.idle[:n-1]
		return d
	}
	return fmt.Sprintf("script\x00%s\x00%s\x00%d", r.project.Owner(), r.project.ID(), numbers.Add(1))
}

// free lets other scripts run in a domain whose worker has not been harmed.
func (r *Runner) free(domain string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.idle = append(r.idle, domain)
}

func (r *Runner) run(ctx context.Context, p *passed, params []byte) (*Result, error) {
	out := &printed{to: r.opts.Console}
	domain := r.domain()
	call, known := host.CallFrom(ctx) // whoever runs a script makes its calls
	if !known {
		call = host.Call{Project: string(r.project.ID()), Role: host.Tool}
	}
	app := &workers.App{
		Domain:  domain,
		Version: "script-" + strconv.FormatUint(numbers.Add(1), 10),
		Script:  &workers.Script{Code: p.code, Map: p.m, After: runner()},
		Bindings: []workers.Binding{
			{Name: "AGENT", Caller: agent{r}, Flat: true},
			{Name: "TOOLS", Caller: r.opts.Tools},
		},
		Limits:  workers.Limits{Wall: r.opts.Timeout, CPU: r.opts.Timeout, ResponseBody: 4 * MaxResult},
		Project: call.Project, Role: call.Role, Session: call.Session, Console: out.add, Fresh: true,
	}
	start := time.Now()
	response, err := r.engine.Pool().Fetch(ctx, app, &workers.Request{
		Method: "POST", URL: "http://script/", Header: []string{"needs", p.needs}, Body: strings.NewReader(string(params)), Length: int64(len(params)), Principal: call.Principal, Life: ctx,
	})
	res := &Result{Duration: time.Since(start)}
	var answer struct {
		Value json.RawMessage `json:"value"`
		Error string          `json:"error"`
		Code  string          `json:"code"`
		Threw bool            `json:"threw"`
		Stack string          `json:"stack"`
	}
	if err == nil {
		err = decode(response, &answer)
	}
	out.mu.Lock()
	defer out.mu.Unlock()
	res.Logs, res.Warnings, res.Errors = out.logs, out.warnings, out.errors
	var failed *workers.Error
	if !errors.As(err, &failed) || ended[failed.Code] == "" {
		r.free(domain)
	}
	switch {
	case err == nil && !answer.Threw && len(answer.Value) > MaxResult: // characters were counted in the worker
		res.Failed, res.Errors = true, last(res.Errors, fmt.Sprintf("RangeError: The result has more than %d bytes", MaxResult))
	case err == nil && !answer.Threw:
		res.Value = answer.Value
	case err == nil:
		res.place(answer.Stack)
		res.Failed, res.Killed, res.Errors = true, ended[answer.Code], last(res.Errors, answer.Error+res.at())
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case failed != nil && ended[failed.Code] != "":
		res.place(failed.Stack)
		res.Failed, res.Killed, res.Errors = true, ended[failed.Code], last(res.Errors, r.why(failed)+res.at())
	case failed != nil && (failed.Code == "exception" || failed.Code == "no_response"):
		res.place(failed.Stack)
		res.Failed, res.Errors = true, last(res.Errors, r.why(failed)+res.at())
	default:
		return nil, fmt.Errorf("script: %w", err)
	}
	return res, nil
}

// decode reads what runner.js answered.
func decode(response *workers.Response, answer any) error {
	data := response.Bytes
	if response.Body != nil {
		var err error
		data, err = io.ReadAll(response.Body)
		if err = errors.Join(err, response.Body.Close()); err != nil {
			return err
		}
	}
	return json.Unmarshal(data, answer)
}

// ended has what ends a script, by the engine's code.
var ended = map[string]string{
	"limit_wall": "deadline", "limit_cpu": "cpu", "limit_memory": "memory", "worker_died": "crash",
	"limit_console": "output", "limit_response_body": "output", "limit_calls": "calls",
}

// last appends what ended the script, whatever has been printed before.
func last(lines []string, s string) []string {
	return append(lines[:min(len(lines), MaxLines-1):min(len(lines), MaxLines-1)], s)
}

// printed collects what a script prints.
type printed struct {
	to *console.Buffer

	mu                     sync.Mutex // guards what follows
	logs, warnings, errors []string
}

func (o *printed) add(e console.Entry) {
	if o.to != nil {
		o.to.Add(e)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	list := &o.logs
	switch {
	case e.Level >= slog.LevelError:
		list = &o.errors
	case e.Level >= slog.LevelWarn:
		list = &o.warnings
	}
	if len(*list) < MaxLines {
		*list = append(*list, e.Text)
	}
}
