package taskjs

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"samkit.dev/host"
	"samkit.dev/host/console"
	"samkit.dev/host/engine"
	"samkit.dev/internal/bundle"
	"samkit.dev/internal/workers"
	"samkit.dev/tool/task"
)

//go:embed task.d.ts
var types string

// Types returns the declarations of what a module has, in TypeScript: task.d.ts.
func Types() string { return types }

//go:embed define.js
var defineSource []byte

//go:embed run.js
var runSource []byte

// define is define.js on one line, which is the first of a module and has no place in its source map.
var define = sync.OnceValues(func() ([]byte, error) {
	code, err := bundle.Minify(defineSource)
	if err == nil {
		if code = []byte(strings.TrimSpace(string(code))); strings.Contains(string(code), "\n") {
			err = errors.New("taskjs: define.js is more than a line")
		}
	}
	return code, err
})

// Limits of a module.
const (
	defineTime = 10 * time.Second // that reading a definition may take
	defineCPU  = 3 * time.Second  // and compute
	stageCPU   = 30 * time.Second // that a stage may compute
	stageCalls = 10_000           // of a stage's context
	maxValue   = 4 << 20          // bytes of JSON that a stage returns
	maxStages  = 100
)

// A module is a bundled definition.
type module struct {
	engine *engine.Engine
	name   string
	script *workers.Script
}

// numbers tells what runs in the engine apart.
var numbers atomic.Uint64

// Parse reads the task that the module name in fsys exports by default, and checks it as [task.Define] does. It does not close
// e, which the task's runs need as well. What is wrong with the module comes back with its place.
func Parse(ctx context.Context, e *engine.Engine, fsys fs.FS, name string) (*task.Task[json.RawMessage, json.RawMessage], error) {
	m, err := load(ctx, e, fsys, name)
	if err != nil {
		return nil, err
	}
	var answer struct{ Task wireTask }
	if err := m.ask(ctx, fmt.Sprintf("define-%d", numbers.Add(1)), question{Define: true}, nil, &answer); err != nil {
		return nil, fmt.Errorf("task: %s: %w", name, err)
	}
	t, err := answer.Task.define(m)
	if err != nil {
		return nil, fmt.Errorf("task: %s: %w", name, err)
	}
	return t, nil
}

// load bundles a module.
func load(ctx context.Context, e *engine.Engine, fsys fs.FS, name string) (*module, error) {
	if task.DefinitionLang(name) == "" && !fs.ValidPath(name) {
		return nil, fmt.Errorf("task: read %s: %w", name, fs.ErrInvalid)
	}
	if _, err := fs.Stat(fsys, name); err != nil {
		return nil, fmt.Errorf("task: read %s: %w", name, err)
	}
	out, err := bundle.Functions(ctx, fsys, name, nil)
	if err != nil {
		return nil, fmt.Errorf("task: %w", err)
	}
	for _, in := range out.Inputs {
		if in != name && !neutral(in) && task.DefinitionLang(in) == "" {
			return nil, fmt.Errorf("task: %s imports %s; what a definition imports lies in the folder tasks, where no task writes by a pattern with stars", name, in)
		}
	}
	first, rest, _ := strings.Cut(string(out.Code), "\n")
	if strings.Contains(first, "async") {
		return nil, fmt.Errorf("task: %s awaits outside of functions, which a definition does not", name)
	}
	head, err := define()
	if err != nil {
		return nil, err
	}
	code := first + string(head) + "\n" + rest + string(runSource)
	return &module{e, name, &workers.Script{Code: []byte(code), Map: out.Map}}, nil
}

// neutral reports whether a file only says how others are read.
func neutral(name string) bool {
	base := name[strings.LastIndexByte(name, '/')+1:]
	return base == "package.json" || base == "tsconfig.json"
}

// A wireTask is a task as run.js describes it.
type wireTask struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Policy      task.Policy     `json:"policy"`
	Input       json.RawMessage `json:"input"`
	Stages      []wireStage     `json:"stages"`
}

type wireStage struct {
	Name      string          `json:"name"`
	Writes    []string        `json:"writes"`
	Artifacts []string        `json:"artifacts"`
	TimeoutMs float64         `json:"timeoutMs"`
	Input     json.RawMessage `json:"input"`
	Output    json.RawMessage `json:"output"`
}

// define makes the task.
func (w wireTask) define(m *module) (*task.Task[json.RawMessage, json.RawMessage], error) {
	if len(w.Stages) > maxStages {
		return nil, fmt.Errorf("there are more than %d stages", maxStages)
	}
	var all *task.Stage[json.RawMessage, json.RawMessage]
	for i, ws := range w.Stages {
		if ws.TimeoutMs < 0 || ws.TimeoutMs > 1e12 {
			return nil, fmt.Errorf("stage %s: timeoutMs is %v", ws.Name, ws.TimeoutMs)
		}
		opts := &task.StageOptions{Writes: ws.Writes, Artifacts: ws.Artifacts, Timeout: time.Duration(ws.TimeoutMs * float64(time.Millisecond)), Input: ws.Input, Output: ws.Output}
		if i == 0 && w.Input != nil {
			if opts.Input = w.Input; ws.Input != nil {
				opts.Input = slices.Concat([]byte(`{"allOf":[`), w.Input, []byte(","), ws.Input, []byte("]}"))
			}
		}
		stage := task.NewStage(ws.Name, m.stage(i, ws.Name), opts)
		if all == nil {
			all = &stage
		} else {
			joined := task.Then(*all, stage)
			all = &joined
		}
	}
	if all == nil {
		all = new(task.Stage[json.RawMessage, json.RawMessage])
	}
	t, err := task.Define(w.Name, w.Policy, *all)
	if err != nil {
		return nil, err
	}
	return t.Describe(w.Description), nil
}

// A question is what run.js gets.
type question struct {
	Define bool            `json:"define,omitempty"`
	Index  int             `json:"index"`
	First  bool            `json:"first"`
	Stage  string          `json:"stage"`
	Run    string          `json:"run"`
	Input  json.RawMessage `json:"input,omitempty"`
	Value  json.RawMessage `json:"value,omitempty"`
}

// stage is what a stage does.
func (m *module) stage(i int, name string) func(context.Context, *task.Work, json.RawMessage) (json.RawMessage, error) {
	return func(ctx context.Context, w *task.Work, in json.RawMessage) (json.RawMessage, error) {
		var answer struct{ Value json.RawMessage }
		q := question{Index: i, First: i == 0, Stage: name, Run: w.RunID(), Input: w.Input(), Value: in}
		if err := m.ask(ctx, w.RunID(), q, &hands{work: w}, &answer); err != nil {
			return nil, err
		}
		return answer.Value, nil
	}
}

// idle is how long the worker of a run stays when a stage has ended: the next one begins soon.
const idle = 2 * time.Second

// ask has run.js answer a question. One that throws is a [*ThrownError].
func (m *module) ask(ctx context.Context, run string, q question, h *hands, into any) error {
	body, err := json.Marshal(q)
	if err != nil {
		return err
	}
	app := &workers.App{
		Domain: "task\x00" + run, Version: fmt.Sprintf("task-%d", numbers.Add(1)), Script: m.script,
		Limits:  workers.Limits{Wall: 24 * time.Hour, CPU: stageCPU, Calls: stageCalls, ResponseBody: maxValue + 1000},
		Project: run, Role: host.Tool, Fresh: true, Idle: idle,
	}
	if q.Define {
		app.Limits.Wall, app.Limits.CPU = defineTime, defineCPU
	}
	if h != nil {
		app.Bindings = []workers.Binding{{Name: "WORK", Caller: h, Flat: true}}
		app.Console = func(e console.Entry) { h.work.Log(e.Text) }
	}
	response, err := m.engine.Pool().Fetch(ctx, app, &workers.Request{
		Method: "POST", URL: "http://task/", Body: strings.NewReader(string(body)), Length: int64(len(body)), Life: ctx,
	})
	var data []byte
	if err == nil {
		if data = response.Bytes; response.Body != nil {
			data, err = io.ReadAll(response.Body)
			err = errors.Join(err, response.Body.Close())
		}
	}
	var failed *workers.Error
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &failed) && (failed.Code == "unavailable" || failed.Code == "worker_died"):
		return fmt.Errorf("the engine: %w", err)
	case errors.As(err, &failed):
		return m.thrown(ended(failed, app.Limits.CPU), failed.Stack, nil)
	case err != nil:
		return err
	}
	var threw struct{ Threw, Code, Stack string }
	if err := json.Unmarshal(data, &threw); err != nil {
		return fmt.Errorf("the answer of the module: %w", err)
	}
	if threw.Threw != "" {
		return m.thrown(threw.Threw, threw.Stack, h.cause(threw.Threw))
	}
	return json.Unmarshal(data, into)
}

// ended says what ended a stage.
func ended(e *workers.Error, cpu time.Duration) string {
	switch e.Code {
	case "limit_cpu":
		return fmt.Sprintf("it computed for longer than %v", cpu)
	case "limit_wall":
		return "it took too long"
	case "limit_memory":
		return "it needed more memory than it may have"
	case "limit_calls":
		return fmt.Sprintf("it made more than %d calls of its context", stageCalls)
	case "limit_console":
		return "it printed more than it may"
	case "limit_response_body":
		return fmt.Sprintf("it returned more than %d bytes", maxValue)
	case "no_response":
		return "it waits for a promise that nothing settles"
	}
	return e.Message
}

// A ThrownError is what a module threw, or what ended it.
type ThrownError struct {
	Text string
	At   string // "tasks/upgrade.ts:12:3", or ""
	Err  error  // what the context refused, if that was thrown; else nil
}

func (e *ThrownError) Error() string {
	if e.At == "" {
		return e.Text
	}
	return e.Text + " (at " + e.At + ")"
}

// Unwrap returns e.Err.
func (e *ThrownError) Unwrap() error { return e.Err }

// place is the end of a line of a stack.
var place = regexp.MustCompile(`\(?([^\s()]+:\d+:\d+)\)?$`)

func (m *module) thrown(text, stack string, cause error) error {
	e := &ThrownError{Text: text, Err: cause}
	for line := range strings.SplitSeq(stack, "\n") {
		at := place.FindStringSubmatch(strings.TrimSpace(line))
		if at == nil || !strings.HasPrefix(strings.TrimSpace(line), "at ") {
			continue
		}
		if name, _, _ := strings.Cut(at[1], ":"); task.DefinitionLang(name) != "" || name == m.name {
			e.At = at[1]
			break
		}
	}
	return e
}
