package task

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
)

// RunOptions configures a run. Nil and the zero RunOptions run stages that execute nothing.
type RunOptions struct {
	Backend Backend                           // nil refuses commands
	Env     []string                          // "NAME=value", of commands; values of 4 characters and more are left out of the reports of commands, those they print too
	Partial bool                              // promote the stages that held before one failed; discouraged, as nobody looked at the result
	Failed  *Kept                             // keeps what a run leaves that does not succeed; nil keeps nothing
	Events  func(Event)                       // as they happen, one at a time and in order; it must not call the run's Work
	Approve func(context.Context, *Run) error // looks at what the run is to write, Run.Changes; its error fails the run, and nothing is written. Nil approves
	Bytes   int64                             // that the run's files may have, and all their contents together; zero means 1 GiB
}

// Run runs the task on g: the stages one after the other on a copy of the files, and if all held and
// every declared artifact is there, one write of what they changed. Otherwise g stays as it was.
//
// It returns a Run in every case but bad input or options. The error is the run's: that of the stage
// that failed, or one that matches [ErrIncomplete] or [ErrConflict].
func (t *Task[In, Out]) Run(ctx context.Context, g Ground, in In, opts *RunOptions) (Out, *Run, error) {
	var out Out
	first, last := t.task.steps[0], t.task.steps[len(t.task.steps)-1]
	data, err := first.in.encode(in)
	if err != nil {
		return out, nil, &ContractError{Stage: first.name, Input: true, Err: err}
	}
	run, err := t.task.run(ctx, g, data, opts, nil)
	if err == nil {
		err = last.out.decode(run.Output, &out)
	}
	return out, run, err
}

// newID returns the name of a run.
func newID() string { return "run-" + strings.ToLower(rand.Text()[:16]) }

func (t *plan) run(ctx context.Context, g Ground, in json.RawMessage, opts *RunOptions, from *resumption) (*Run, error) {
	var o RunOptions
	if opts != nil {
		o = *opts
	}
	if o.Bytes < 0 {
		return nil, fmt.Errorf("task: %s: Bytes is %d", t.name, o.Bytes)
	}
	if o.Bytes == 0 {
		o.Bytes = 1 << 30
	}
	run := &Run{ID: newID(), Task: t.name, Policy: t.policy, Started: time.Now().UTC(), Artifacts: map[string]string{}, Data: map[string][]byte{}}
	s := &sandbox{run: run, plan: t, input: in, backend: o.Backend, env: slices.Clone(o.Env), base: map[string]entry{}, now: newTree()}
	s.blobs = &blobs{max: o.Bytes, mem: map[string][]byte{}, disk: map[string]int64{}, dir: func() (string, error) { return s.folder("blobs") }}
	if from != nil {
		run.Resumed, s.from = from.id, from
	}
	var order sync.Mutex
	s.emit = func(e Event) {
		if o.Events != nil {
			order.Lock()
			defer order.Unlock()
			o.Events(e)
		}
	}
	if o.Backend != nil {
		run.Backend = o.Backend.Name()
	}
	s.event("", "start", "task %s began", t.name)
	err := s.work(ctx, g, in, o)
	s.conclude(ctx, err)
	if err != nil && o.Failed != nil {
		if kerr := o.Failed.keep(s, s.last); kerr != nil {
			err = errors.Join(err, kerr)
			run.Err = err.Error()
		}
	}
	if cerr := s.close(); cerr != nil {
		s.event("", "end", "what the run had on the disk is not removed: %v", cerr)
	}
	s.event("", "end", "task %s: %s", t.name, run.Status)
	return run, err
}

// conclude records how a run ended.
func (s *sandbox) conclude(ctx context.Context, err error) {
	run := s.run
	switch {
	case err == nil:
		run.Status = Succeeded
	case errors.Is(err, ErrIncomplete):
		run.Status = Incomplete
	case errors.Is(err, ErrConflict):
		run.Status = Conflicted
	case ctx.Err() != nil:
		run.Status = Canceled
	default:
		run.Status = Failed
	}
	if err != nil {
		run.Err = err.Error()
	}
	run.Duration = time.Since(run.Started)
}

// work is a run between its beginning and its end.
func (s *sandbox) work(ctx context.Context, g Ground, value json.RawMessage, o RunOptions) error {
	if err := g.begin(ctx, s); err != nil {
		return fmt.Errorf("task: %s: read the ground: %w", s.plan.name, err)
	}
	if s.size = sizeOf(s.base); s.size > o.Bytes {
		return fmt.Errorf("%w: the ground's files are larger than %d bytes", ErrLimit, o.Bytes)
	}
	if len(s.base) > maxFiles {
		return fmt.Errorf("%w: the ground has more than %d files", ErrLimit, maxFiles)
	}
	held := s.base // the files after the last stage that held
	var err error
	steps := s.plan.steps
	if s.from != nil {
		if value, err = s.from.apply(s); err != nil {
			return fmt.Errorf("task: %s: resume run %s: %w", s.plan.name, s.from.id, err)
		}
		steps = steps[s.from.first:]
	}
	for _, step := range steps {
		before := s.moment()
		s.begins = append(s.begins, begin{step.name, value, before})
		if value, err = s.stage(ctx, step, before, value); err != nil {
			s.changes(s.moment()) // what it tried
			s.goBack(before)
			break
		}
		held = s.moment()
	}
	if err == nil {
		s.run.Output = value
		s.changes(held)
	}
	if missing := s.missing(); err == nil && missing != "" {
		err = fmt.Errorf("%w: %s", ErrIncomplete, missing)
	}
	if cerr := ctx.Err(); err == nil && cerr != nil {
		err = fmt.Errorf("task: %s: %w", s.plan.name, cerr)
	}
	if err != nil && (!o.Partial || ctx.Err() != nil || errors.Is(err, ErrIncomplete)) {
		return err
	}
	names := changed(s.base, held)
	if len(names) == 0 {
		return err
	}
	if o.Approve != nil {
		if aerr := o.Approve(ctx, s.run); aerr != nil {
			return errors.Join(err, fmt.Errorf("task: %s: promote: %w", s.plan.name, aerr))
		}
	}
	merged, perr := g.promote(ctx, s, names, held)
	if perr != nil {
		return errors.Join(err, fmt.Errorf("task: %s: promote: %w", s.plan.name, perr))
	}
	s.run.Promoted, s.run.Merged = names, merged
	return err
}

// changes records what differs from the ground, and the patch.
func (s *sandbox) changes(now map[string]entry) {
	s.last = now
	var all strings.Builder
	s.run.Changes = nil
	for _, name := range changed(s.base, now) {
		c, err := s.diff(name, s.base, now)
		if err != nil {
			c.Diff = err.Error() + "\n"
		}
		s.run.Changes = append(s.run.Changes, c)
		all.WriteString(c.Diff)
	}
	data := []byte(all.String())
	hash := hashOf(data)
	s.run.Artifacts[PatchArtifact], s.run.Data[hash] = hash, data
}

// missing names an artifact that a stage declared and did not make, or is "".
func (s *sandbox) missing() string {
	for _, step := range s.plan.steps {
		for _, name := range step.opts.Artifacts {
			if _, there := s.run.Artifacts[name]; !there {
				return fmt.Sprintf("%s of stage %s", name, step.name)
			}
		}
	}
	return ""
}

// stage runs one stage.
func (s *sandbox) stage(ctx context.Context, step planned, from map[string]entry, in json.RawMessage) (json.RawMessage, error) {
	s.event(step.name, "stage", "stage %s began", step.name)
	timed, cancel := context.WithTimeoutCause(ctx, step.timeout, &TimeoutError{step.name, step.timeout})
	defer cancel()
	w := &Work{s: s, step: step, ctx: timed}
	w.report = StageReport{Name: step.name, Started: time.Now().UTC()}
	for _, r := range s.early {
		w.note(r)
	}
	s.early = nil
	type result struct {
		out json.RawMessage
		err error
	}
	done := make(chan result, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				done <- result{err: fmt.Errorf("task: stage %s panicked: %v\n%s", step.name, v, debug.Stack())}
			}
		}()
		out, err := step.run(timed, w, in)
		done <- result{out, err}
	}()
	var r result
	select {
	case r = <-done:
		if r.err != nil && timed.Err() != nil {
			r.err = errors.Join(context.Cause(timed), r.err)
		}
	case <-timed.Done():
		r.err = context.Cause(timed)
	}
	cancel() // commands that the stage has left running
	report := w.end()
	report.Duration = time.Since(report.Started)
	if r.err != nil {
		r.err = fmt.Errorf("task: %s: stage %s: %w", s.plan.name, step.name, r.err)
		report.Err = r.err.Error()
	}
	report.Changed = changed(from, s.moment())
	for name, hash := range report.Artifacts {
		data, err := s.blobs.get(hash)
		if err != nil {
			r.err = errors.Join(r.err, err)
			continue
		}
		s.run.Artifacts[name], s.run.Data[hash] = hash, data
	}
	s.run.Stages = append(s.run.Stages, report)
	s.event(step.name, "stage-end", "stage %s: %s", step.name, cmp.Or(report.Err, "held"))
	return r.out, r.err
}

// A TimeoutError reports a stage that took too long. It matches context.DeadlineExceeded.
type TimeoutError struct {
	Stage string
	Limit time.Duration
}

func (e *TimeoutError) Error() string { return fmt.Sprintf("it took longer than %v", e.Limit) }

// Is reports whether target is context.DeadlineExceeded.
func (e *TimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// ArtifactNames returns the names of the run's artifacts, sorted.
func (r *Run) ArtifactNames() []string { return slices.Sorted(maps.Keys(r.Artifacts)) }

// Artifact returns the contents of an artifact, which the caller must not change, or nil.
func (r *Run) Artifact(name string) []byte { return r.Data[r.Artifacts[name]] }
