package workbench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/tool"
	"samkit.dev/tool/task"
	"samkit.dev/tool/task/taskjs"
)

// TaskOptions is how the tasks of a bench run (package tool/task): on the files of a project, with the commands of
// Options.Commands. The zero TaskOptions is usable.
type TaskOptions struct {
	Kept    *task.Kept // keeps what failed runs leave, and may serve many benches: each sees its own; nil keeps nothing
	Unasked bool       // agents run tasks without a person's consent, which Options.Confirm gives
}

// Bounds of a bench's tasks.
const (
	maxTaskRuns    = 4         // at once
	maxTaskReports = 50        // that are remembered
	maxTaskFiles   = 200       // definitions that are listed
	maxTaskSource  = 64 << 10  // bytes of a definition
	maxTaskInput   = 256 << 10 // bytes
)

// A TaskFile is a definition among the files of a project.
type TaskFile struct {
	Path string
	Lang string // "json", "js" or "ts"
}

// A TaskInfo is what a definition says.
type TaskInfo struct {
	Name, Description string
	Policy            task.Policy
	Warnings          []string // of Policy.Check
	Stages            []task.StageInfo
}

// A TaskStart says what to run: the definition in a file, or a Source.
type TaskStart struct {
	Project sam.ProjectID
	Path    string          // of a TaskFile
	Source  string          // a definition, where Path is ""
	Lang    string          // of Source
	Input   json.RawMessage // nil is null

	resumed string // the run that this one goes on with, or ""
}

// definesTask returns the language of a file that is to be listed, or "". What lies deeper in the folder tasks is for definitions to import.
func definesTask(name string) string {
	if strings.Count(name, "/") > 1 && !strings.Contains(path.Base(name), ".task.") {
		return ""
	}
	return task.DefinitionLang(name)
}

var errNoTasks = &host.Error{Code: host.Unavailable, Message: "This workbench runs no tasks."}

// TaskFiles lists the definitions of tasks in a project, at most 200: files named like upgrade.task.json and tasks/upgrade.ts, see [task.DefinitionLang]. Whether one is
// right [Bench.ReadTask] tells.
func (b *Bench) TaskFiles(ctx context.Context, id sam.ProjectID) ([]TaskFile, error) {
	p, err := b.ws.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	all := []TaskFile{}
	for f, err := range p.Files(ctx, "") {
		if err != nil {
			return nil, err
		}
		if lang := definesTask(f.Name); lang != "" && len(all) < maxTaskFiles {
			all = append(all, TaskFile{f.Name, lang})
		}
	}
	return all, nil
}

// ReadTask reads a definition. What is wrong with it is a [*host.Error] with the code invalid.
func (b *Bench) ReadTask(ctx context.Context, id sam.ProjectID, file string) (TaskInfo, error) {
	p, err := b.ws.Open(ctx, id)
	if err != nil {
		return TaskInfo{}, err
	}
	t, err := b.readTask(ctx, p, TaskStart{Path: file})
	if err != nil {
		return TaskInfo{}, err
	}
	return TaskInfo{t.Name(), t.Description(), t.Policy(), t.Policy().Check(), t.Stages()}, nil
}

type anyTask = *task.Task[json.RawMessage, json.RawMessage]

// readTask reads the definition of a start.
func (b *Bench) readTask(ctx context.Context, p *sam.Project, start TaskStart) (anyTask, error) {
	lang, data := start.Lang, []byte(start.Source)
	switch {
	case start.Path != "" && start.Source != "":
		return nil, &host.Error{Code: host.Invalid, Message: "A task is a file or a source, not both."}
	case start.Path != "":
		if lang = task.DefinitionLang(start.Path); lang == "" {
			return nil, &host.Error{Code: host.Invalid, Message: fmt.Sprintf("%q is no name of a task's definition.", shorten(start.Path, 0, 100)), Hint: "Such as tasks/upgrade.ts, or upgrade.task.json."}
		}
		var err error
		if data, err = p.ReadFile(ctx, start.Path); err != nil {
			return nil, err
		}
	}
	if len(data) > maxTaskSource {
		return nil, &host.Error{Code: host.Invalid, Message: fmt.Sprintf("The definition of a task has at most %d bytes.", maxTaskSource)}
	}
	var t anyTask
	var err error
	switch lang {
	case "json":
		t, err = task.Parse(data)
	case "js", "ts":
		if start.Path != "" {
			t, err = taskjs.Parse(ctx, b.eng, p.FS(ctx), start.Path)
			break
		}
		name := "source.task." + lang
		t, err = taskjs.Parse(ctx, b.eng, sam.Files{name: start.Source}, name)
	default:
		err = fmt.Errorf("a task is no %q", shorten(lang, 0, 20))
	}
	if err != nil && ctx.Err() == nil {
		err = &host.Error{Code: host.Invalid, Message: err.Error(), Err: err}
	}
	return t, err
}

// RunTask starts a task for a person, and returns when it runs; an event of the kind [Tasks] says that it goes on or has
// ended. The run is the bench's: it goes on when ctx ends, until [Bench.CancelTask] or the end of the bench.
func (b *Bench) RunTask(ctx context.Context, start TaskStart) (TaskRun, error) {
	return b.runTask(ctx, nil, start)
}

// runTask is RunTask for a session of the agent, or for a person if s is nil.
func (b *Bench) runTask(ctx context.Context, s *session, start TaskStart) (TaskRun, error) {
	if b.opts.Tasks == nil {
		return TaskRun{}, errNoTasks
	}
	p, err := b.ws.Open(ctx, start.Project)
	if err != nil {
		return TaskRun{}, err
	}
	if s != nil {
		if err := s.mayChange(p.ID()); err != nil {
			return TaskRun{}, err
		}
	}
	if len(start.Input) == 0 {
		start.Input = json.RawMessage("null")
	}
	if len(start.Input) > maxTaskInput || !json.Valid(start.Input) {
		return TaskRun{}, &host.Error{Code: host.Invalid, Message: fmt.Sprintf("The input is no JSON of at most %d bytes.", maxTaskInput)}
	}
	t, err := b.readTask(ctx, p, start)
	if err != nil {
		return TaskRun{}, err
	}
	if err := b.askTask(ctx, s, t, start); err != nil {
		return TaskRun{}, err
	}
	return b.launch(ctx, s, p, t, start, func(ctx context.Context, opts *task.RunOptions) (*task.Run, error) {
		_, run, err := t.Run(ctx, task.Project(p), start.Input, opts)
		return run, err
	})
}

// askTask asks a person whether an agent's task may run.
func (b *Bench) askTask(ctx context.Context, s *session, t anyTask, start TaskStart) error {
	if s == nil || b.opts.Tasks.Unasked {
		return nil
	}
	call, _ := host.CallFrom(ctx)
	ctx, cancel := context.WithTimeout(ctx, tool.AnswerWithin)
	defer cancel()
	a, err := b.opts.Confirm(ctx, tool.Question{
		Call: call, Func: host.Func{Capability: "tasks", Version: 1, Name: "run", Doc: "Runs a task, and writes what it changes if all its stages hold."},
		Args: asJSON(map[string]any{"project": start.Project, "task": t.Name(), "path": start.Path, "policy": t.Policy(), "input": start.Input, "resumes": start.resumed}),
	})
	if err != nil || !a.Allow {
		return &host.Error{Code: host.Denied, Message: "tasks.run was not permitted.", Err: err}
	}
	return nil
}

// launch starts a run and returns when it has an ID.
func (b *Bench) launch(ctx context.Context, s *session, p *sam.Project, t anyTask, start TaskStart, do func(context.Context, *task.RunOptions) (*task.Run, error)) (TaskRun, error) {
	r := &taskRun{bench: b, began: make(chan struct{}), done: make(chan struct{})}
	r.TaskRun = TaskRun{Project: p.ID(), Path: start.Path, Task: t.Name(), Agent: s != nil, Status: TaskRunning, Started: time.Now(), Resumed: start.resumed}
	r.Source, r.Lang = start.Source, start.Lang // for who goes on with it
	for _, st := range t.Stages() {
		r.Stages = append(r.Stages, st.Name)
	}
	running, cancel := context.WithCancelCause(context.WithoutCancel(ctx)) // who calls stays known
	r.cancel = cancel
	if err := b.tasks.admit(r); err != nil {
		cancel(nil)
		return TaskRun{}, err
	}
	opts := &task.RunOptions{Failed: b.opts.Tasks.Kept, Events: r.event, Approve: func(ctx context.Context, run *task.Run) error { return r.mayPromote(ctx, s, p, run) }}
	if b.opts.Commands != nil {
		opts.Backend = task.Virtual(b.opts.Commands)
		if s != nil {
			opts.Backend = task.Virtual(b.opts.Commands, b.agentCommands...)
		}
	}
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		b.tasks.drop(r)
		cancel(nil)
		return TaskRun{}, ErrClosed
	}
	b.wg.Go(func() {
		defer cancel(nil)
		defer context.AfterFunc(b.ctx, func() { cancel(ErrClosed) })()
		if s != nil {
			b.wg.Go(func() {
				select {
				case <-s.set.Done():
					cancel(errEnded)
				case <-running.Done():
				}
			})
		}
		run, err := do(running, opts)
		r.end(run, err, context.Cause(running))
	})
	b.mu.Unlock()
	select {
	case <-r.began:
	case <-r.done:
	}
	b.tasks.mu.Lock()
	defer b.tasks.mu.Unlock()
	if r.ID == "" { // its input was wrong
		err := r.failed
		var contract *task.ContractError
		if start.resumed != "" && !errors.Is(err, fs.ErrNotExist) || errors.As(err, &contract) {
			err = &host.Error{Code: host.Invalid, Message: err.Error(), Err: err}
		}
		return TaskRun{}, err
	}
	return r.seen(), nil
}

// mayPromote reports why a run must not write what it has changed. The rights of an agent may have ended, and what it may not write
// by its own functions it does not write by a task.
func (r *taskRun) mayPromote(ctx context.Context, s *session, p *sam.Project, run *task.Run) error {
	if s == nil {
		return nil
	}
	select {
	case <-s.set.Done():
		return errEnded
	default:
	}
	for _, c := range run.Changes {
		if err := s.mayWrite(ctx, p, c.Name); err != nil {
			return err
		}
	}
	return nil
}

// TaskRuns lists the runs of tasks: those at work, and the last 50 that have ended, of before the bench was opened as well. The
// newest is first.
func (b *Bench) TaskRuns() []TaskRun {
	b.tasks.mu.Lock()
	defer b.tasks.mu.Unlock()
	all := []TaskRun{}
	for _, r := range slices.Backward(b.tasks.runs) {
		if r.ID != "" {
			all = append(all, r.seen())
		}
	}
	return all
}

// TaskRun returns a run, and what has happened in it since the bench was opened: the last 1,000 events, the first of them being
// number first. The error matches fs.ErrNotExist if it is not known.
func (b *Bench) TaskRun(id string) (run TaskRun, events []task.Event, first int, err error) {
	b.tasks.mu.Lock()
	defer b.tasks.mu.Unlock()
	r := b.tasks.find(id)
	if r == nil {
		return TaskRun{}, nil, 0, noRun(id)
	}
	return r.seen(), slices.Clone(r.events), r.dropped, nil
}

func noRun(id string) error {
	return fmt.Errorf("workbench: run %q of a task: %w", shorten(id, 0, 100), fs.ErrNotExist)
}

// CancelTask ends a run, whoever's it is: its project stays as it was. One that has ended stays as it is. The error matches
// fs.ErrNotExist if it is not known.
func (b *Bench) CancelTask(id string) error {
	b.tasks.mu.Lock()
	defer b.tasks.mu.Unlock()
	r := b.tasks.find(id)
	if r == nil {
		return noRun(id)
	}
	if r.cancel != nil {
		r.cancel(context.Canceled)
	}
	return nil
}
