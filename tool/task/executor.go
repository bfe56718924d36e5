package task

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
)

// An Executor makes the single operations of an agent that decides for itself what comes next: each is checked and answered at once, as
// a stage's are, and all of them together are written or not. It is a run of one stage, named "agent", and has the report of one. It is safe for concurrent use.
type Executor struct {
	work *Work
	end  chan error // takes one: how the stage ends
	once sync.Once
	done chan struct{} // closed when the run has ended
	run  *Run
	err  error
}

// ErrAbandoned is the error of a run whose [Executor] was abandoned.
var ErrAbandoned = errors.New("task: the run was abandoned")

// Execute begins such a run on g. The caller ends it by [Executor.Commit] or [Executor.Abandon]; ctx and the policy's time end it as well,
// without anything being written.
func Execute(ctx context.Context, g Ground, name string, p Policy, opts *RunOptions) (*Executor, error) {
	e := &Executor{end: make(chan error, 1), done: make(chan struct{})}
	began := make(chan *Work, 1)
	t, err := Define(name, p, NewStage("agent", func(ctx context.Context, w *Work, _ json.RawMessage) (json.RawMessage, error) {
		began <- w
		select {
		case err := <-e.end:
			return json.RawMessage("null"), err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}, nil))
	if err != nil {
		return nil, err
	}
	go func() {
		defer close(e.done)
		_, e.run, e.err = t.Run(ctx, g, json.RawMessage("null"), opts)
	}()
	select {
	case e.work = <-began:
		return e, nil
	case <-e.done: // the ground could not be read, or an option is wrong
		return nil, e.err
	}
}

// Work is the agent's hands, until the run has ended: then it refuses with [ErrOver].
func (e *Executor) Work() *Work { return e.work }

// Commit ends the run and writes what was changed, unless somebody has changed the same meanwhile. Operations that are being made are ended first.
// After the first end of the run it returns how that was.
func (e *Executor) Commit() (*Run, error) { return e.finish(nil) }

// Abandon ends the run and writes nothing. The error matches [ErrAbandoned], if the run had not ended otherwise.
func (e *Executor) Abandon() (*Run, error) { return e.finish(ErrAbandoned) }

func (e *Executor) finish(err error) (*Run, error) {
	e.once.Do(func() { e.end <- err })
	<-e.done
	return e.run, e.err
}
