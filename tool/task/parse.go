package task

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"time"
)

//go:embed task.schema.json
var taskSchema []byte

// TaskSchema returns the JSON Schema of what [Parse] reads.
func TaskSchema() json.RawMessage { return slices.Clone(taskSchema) }

// A wireTask is a task as JSON. task.schema.json describes it.
type wireTask struct {
	Schema      string          `json:"$schema"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Policy      Policy          `json:"policy"`
	Stages      []wireTaskStage `json:"stages"`
}

type wireTaskStage struct {
	Name      string            `json:"name"`
	Commands  [][]string        `json:"commands"`
	Dir       string            `json:"dir"`
	Writes    []string          `json:"writes"`
	Artifacts map[string]string `json:"artifacts"`
	Result    string            `json:"result"`
	Input     json.RawMessage   `json:"input"`
	Output    json.RawMessage   `json:"output"`
	TimeoutMs float64           `json:"timeoutMs"`
}

// Parse reads a task whose stages are commands, as JSON that [TaskSchema] describes, and checks it as [Define]
// does. A stage runs its commands one after the other; each gets the stage's input as JSON on its
// standard input, and an exit code other than zero fails the stage. Its output is the JSON in the file
// "result", or its input. Such files are named like upgrade.task.json, so that no task writes them by
// a pattern with stars.
func Parse(data []byte) (*Task[json.RawMessage, json.RawMessage], error) {
	var w wireTask
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&w); err != nil {
		return nil, fmt.Errorf("task: read a task: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("task: read a task: something follows it")
	}
	rules, _ := w.Policy.rules() // what is wrong newPlan tells
	var steps []*step
	var errs []error
	for _, ws := range w.Stages {
		if ws.TimeoutMs < 0 || ws.TimeoutMs > 1e12 {
			errs = append(errs, fmt.Errorf("task: %s: stage %s: timeoutMs is %v", w.Name, ws.Name, ws.TimeoutMs))
		}
		for _, argv := range ws.Commands {
			if !rules.permits(argv) {
				errs = append(errs, fmt.Errorf("task: %s: stage %s runs %q, which is not among the policy's commands", w.Name, ws.Name, argv))
			}
		}
		s := &step{name: ws.Name}
		s.opts = StageOptions{Writes: ws.Writes, Artifacts: slices.Sorted(maps.Keys(ws.Artifacts)), Timeout: time.Duration(ws.TimeoutMs * float64(time.Millisecond))}
		s.in = newContract(reflect.TypeFor[json.RawMessage](), ws.Input)
		s.out = newContract(reflect.TypeFor[json.RawMessage](), ws.Output)
		s.run = func(ctx context.Context, work *Work, in json.RawMessage) (json.RawMessage, error) {
			if err := s.in.check(in); err != nil {
				return nil, &ContractError{Stage: s.name, Input: true, Err: err}
			}
			out, err := ws.run(ctx, work, in)
			if err != nil {
				return nil, err
			}
			if err := s.out.check(out); err != nil {
				return nil, &ContractError{Stage: s.name, Err: err}
			}
			return out, nil
		}
		steps = append(steps, s)
	}
	t, err := newPlan(w.Name, w.Policy, steps)
	if err = errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	t.about = w.Description
	return &Task[json.RawMessage, json.RawMessage]{t}, nil
}

// An ExitError reports a command of a stage that [Parse] read, and its exit code.
type ExitError struct {
	Argv []string
	Code int
}

func (e *ExitError) Error() string { return fmt.Sprintf("task: %q: exit code %d", e.Argv, e.Code) }

func (ws wireTaskStage) run(ctx context.Context, w *Work, in json.RawMessage) (json.RawMessage, error) {
	for _, argv := range ws.Commands {
		x, err := w.ExecWith(ctx, &ExecOptions{Dir: ws.Dir, Stdin: bytes.NewReader(in)}, argv...)
		if err != nil {
			return nil, err
		}
		if x.Code != 0 {
			return nil, &ExitError{argv, x.Code}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ws.Artifacts)) {
		data, err := w.ReadFile(ws.Artifacts[name])
		if err != nil {
			continue // the run is incomplete, and says so
		}
		if err := w.Artifact(name, bytes.NewReader(data)); err != nil {
			return nil, err
		}
	}
	if ws.Result == "" {
		return in, nil
	}
	return w.ReadFile(ws.Result)
}
