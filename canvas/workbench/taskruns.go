package workbench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/tool/task"
)

// TaskRunning is the status of a run that has not ended.
const TaskRunning task.Status = "running"

// A TaskRun is a run of a task on a project.
type TaskRun struct {
	ID       string // of the run, in reports as well
	Project  sam.ProjectID
	Path     string // of the definition; "" if it was no file
	Task     string // its name
	Agent    bool   // an agent started it; else a person
	Resumed  string // the run that it goes on with, or ""
	Status   task.Status
	Err      string   // why it did not succeed
	Stages   []string // of the task
	Stage    string   // at work, or which failed
	Started  time.Time
	Duration time.Duration // when it has ended
	Changes  int           // files that differ at its end, written or not
	Kept     bool          // what it left can be opened, resumed and discarded
}

// A taskRecord is a TaskRun as it is kept.
type taskRecord struct {
	TaskRun
	Source string `json:",omitempty"` // of the definition, if that was no file
	Lang   string `json:",omitempty"`
}

// A taskReport is the report of a run as it is kept.
type taskReport struct {
	Report json.RawMessage
	Data   map[string][]byte // the contents of artifacts by hash, as far as they fit
}

// A taskRun is a run of the bench.
type taskRun struct {
	taskRecord
	bench  *Bench
	cancel context.CancelCauseFunc // nil of a run of before
	began  chan struct{}           // closed when it has an ID
	done   chan struct{}           // closed when it has ended

	// Guarded by taskRuns.mu, as is taskRecord:
	events  []task.Event
	dropped int         // events before those
	failed  error       // of a run that has not begun
	report  *taskReport // if it is not in the store
}

// Bounds of what is kept of a run.
const (
	taskPrefix    = "task/"
	reportPrefix  = "taskreport/"
	maxTaskEvents = 1000
	maxEventText  = 500       // bytes
	maxReport     = 500 << 10 // bytes of a report in the store
	maxReportData = 256 << 10 // bytes of the contents of artifacts in the store
)

// taskRuns are the runs of a bench.
type taskRuns struct {
	bench *Bench
	topic *topic

	saving sync.Mutex // held while the store is written

	mu   sync.Mutex // guards runs
	runs []*taskRun // the oldest first
}

// seen is the run for others; mu is held.
func (r *taskRun) seen() TaskRun {
	t := r.TaskRun
	t.Stages = slices.Clone(t.Stages)
	t.Kept = t.Kept && r.bench.opts.Tasks != nil && r.bench.opts.Tasks.Kept != nil && r.bench.opts.Tasks.Kept.Has(t.ID)
	return t
}

// find returns a run, or nil; mu is held.
func (w *taskRuns) find(id string) *taskRun {
	for _, r := range w.runs {
		if r.ID == id && id != "" {
			return r
		}
	}
	return nil
}

// admit takes a run that is to begin.
func (w *taskRuns) admit(r *taskRun) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	running := 0
	for _, other := range w.runs {
		if other.Status == TaskRunning {
			running++
		}
	}
	if running >= maxTaskRuns {
		return &host.Error{Code: host.Exhausted, Message: fmt.Sprintf("%d tasks run.", maxTaskRuns), Hint: "Wait until one has ended, or cancel it.", Retry: true,
			Details: fmt.Appendf(nil, `{"limit":"task_runs","value":%d}`, maxTaskRuns)}
	}
	w.runs = append(w.runs, r)
	return nil
}

// drop forgets a run.
func (w *taskRuns) drop(r *taskRun) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs = slices.DeleteFunc(w.runs, func(o *taskRun) bool { return o == r })
}

// event takes what happens in a run.
func (r *taskRun) event(e task.Event) {
	e.Text = shorten(e.Text, 0, maxEventText)
	w := r.bench.tasks
	w.mu.Lock()
	first := r.ID == ""
	r.ID = e.Run
	if e.Stage != "" {
		r.Stage = e.Stage
	}
	if len(r.events) == maxTaskEvents {
		r.events = slices.Delete(r.events, 0, 1)
		r.dropped++
	}
	r.events = append(r.events, e)
	record := r.taskRecord
	w.mu.Unlock()
	if first {
		w.save(record, nil) // so that a run which the program does not survive is known
		close(r.began)
	}
	w.topic.publish()
}

// end notes how a run has ended.
func (r *taskRun) end(run *task.Run, err, cause error) {
	w := r.bench.tasks
	defer close(r.done)
	if run == nil {
		w.drop(r)
		w.mu.Lock()
		r.failed = err
		w.mu.Unlock()
		return
	}
	rep := newTaskReport(run)
	w.mu.Lock()
	r.Status, r.Err, r.Duration, r.Changes = run.Status, run.Err, run.Duration, len(run.Changes)
	if run.Status == task.Canceled && cause != nil && !errors.Is(cause, context.Canceled) {
		r.Err = cause.Error()
	}
	if run.Status == task.Succeeded {
		r.Stage = ""
	}
	r.Kept = err != nil
	record := r.taskRecord
	w.mu.Unlock()
	saved := w.save(record, rep)
	w.mu.Lock()
	if !saved {
		r.report = rep
	}
	w.mu.Unlock()
	w.sweep()
	w.topic.publish()
}

// save keeps a run in the store, if there is one, and reports whether it did.
func (w *taskRuns) save(record taskRecord, rep *taskReport) bool {
	space := w.bench.opts.Roles
	if space == nil {
		return false
	}
	w.saving.Lock()
	defer w.saving.Unlock()
	ops := []sam.Op{{Key: taskPrefix + record.ID, Value: asJSON(record), If: sam.Any}}
	if rep != nil {
		ops = append(ops, sam.Op{Key: reportPrefix + record.ID, Value: asJSON(rep), If: sam.Any})
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.bench.ctx), auditFinal) // when the bench closes, too
	defer cancel()
	if _, err := space.Commit(ctx, ops...); err != nil {
		w.bench.opts.Logger.Error("workbench: keep the run of a task", "run", record.ID, "err", err)
		return false
	}
	return true
}

// sweep forgets the oldest runs that are too many.
func (w *taskRuns) sweep() {
	w.mu.Lock()
	ended := 0
	var gone []*taskRun
	for _, r := range slices.Backward(w.runs) {
		if r.Status == TaskRunning {
			continue
		}
		if ended++; ended > maxTaskReports {
			gone = append(gone, r)
		}
	}
	w.mu.Unlock()
	w.forget(gone)
}

// forget removes runs that have ended, with what they left.
func (w *taskRuns) forget(gone []*taskRun) {
	if len(gone) == 0 {
		return
	}
	log := w.bench.opts.Logger
	w.mu.Lock()
	w.runs = slices.DeleteFunc(w.runs, func(r *taskRun) bool { return slices.Contains(gone, r) })
	w.mu.Unlock()
	var ops []sam.Op
	for _, r := range gone {
		ops = append(ops, sam.Op{Key: taskPrefix + r.ID, Delete: true, If: sam.Any}, sam.Op{Key: reportPrefix + r.ID, Delete: true, If: sam.Any})
		if o := w.bench.opts.Tasks; r.Kept && o != nil && o.Kept != nil {
			if err := o.Kept.Discard(r.ID); err != nil && !errors.Is(err, fs.ErrNotExist) {
				log.Error("workbench: discard what a task has left", "run", r.ID, "err", err)
			}
		}
	}
	if space := w.bench.opts.Roles; space != nil {
		w.saving.Lock()
		defer w.saving.Unlock()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(w.bench.ctx), auditFinal)
		defer cancel()
		if _, err := space.Commit(ctx, ops...); err != nil {
			log.Error("workbench: forget the runs of tasks", "err", err)
		}
	}
	w.topic.publish()
}

// load takes the runs that were kept. One that was at work when the program ended has been canceled by that.
func (w *taskRuns) load(ctx context.Context) error {
	space := w.bench.opts.Roles
	if space == nil {
		return nil
	}
	for e, err := range space.List(ctx, taskPrefix, "") {
		var value []byte
		var record taskRecord
		if err == nil {
			value, _, err = space.Get(ctx, e.Key)
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = json.Unmarshal(value, &record)
		}
		if err != nil {
			return fmt.Errorf("workbench: read the runs of tasks: %w", err)
		}
		r := &taskRun{taskRecord: record, bench: w.bench}
		if r.ID = strings.TrimPrefix(e.Key, taskPrefix); r.Status == TaskRunning {
			r.Status, r.Err = task.Canceled, "the program ended while it ran"
		}
		w.runs = append(w.runs, r)
	}
	slices.SortFunc(w.runs, func(a, b *taskRun) int { return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.ID, b.ID)) })
	return nil
}

// dropProject ends the runs on a project, and forgets those that have ended.
func (w *taskRuns) dropProject(id sam.ProjectID) {
	w.mu.Lock()
	var ended []*taskRun
	var wait []chan struct{}
	for _, r := range w.runs {
		switch {
		case r.Project != id:
		case r.Status == TaskRunning:
			r.cancel(fs.ErrNotExist)
			wait = append(wait, r.done)
			ended = append(ended, r)
		default:
			ended = append(ended, r)
		}
	}
	w.mu.Unlock()
	for _, done := range wait {
		<-done
	}
	w.forget(ended)
}

// TaskReport returns the report of a run that has ended. One that is very long is kept shortened: patches and outputs first. The contents of
// artifacts are there as far as they are small. The error matches fs.ErrNotExist if there is none.
func (b *Bench) TaskReport(ctx context.Context, id string) (*task.Run, error) {
	b.tasks.mu.Lock()
	r := b.tasks.find(id)
	var rep *taskReport
	if r != nil {
		rep = r.report
	}
	b.tasks.mu.Unlock()
	if r == nil {
		return nil, noRun(id)
	}
	if rep == nil {
		if b.opts.Roles == nil {
			return nil, fmt.Errorf("workbench: the report of run %q: %w", id, fs.ErrNotExist)
		}
		value, _, err := b.opts.Roles.Get(ctx, reportPrefix+id)
		if err == nil {
			rep = &taskReport{}
			err = json.Unmarshal(value, rep)
		}
		if err != nil {
			return nil, fmt.Errorf("workbench: the report of run %q: %w", id, err)
		}
	}
	run, err := task.ParseRun(rep.Report)
	if err != nil {
		return nil, err
	}
	maps.Copy(run.Data, rep.Data)
	return run, nil
}

// newTaskReport is what is kept of a run.
func newTaskReport(run *task.Run) *taskReport {
	rep := &taskReport{Report: run.JSON(), Data: map[string][]byte{}}
	for _, most := range []int{4 << 10, 200, 0} { // bytes of each text
		if len(rep.Report) <= maxReport {
			break
		}
		rep.Report = shorterRun(run, most).JSON()
	}
	if len(rep.Report) > maxReport { // names and arguments alone are as long
		bare := *shorterRun(run, 0)
		bare.Stages, bare.Changes, bare.Skipped, bare.Promoted, bare.Merged = nil, nil, nil, nil, nil
		rep.Report = bare.JSON()
	}
	left := maxReportData
	for _, name := range run.ArtifactNames() {
		hash := run.Artifacts[name]
		if data := run.Data[hash]; rep.Data[hash] == nil && len(data) <= left {
			rep.Data[hash] = data
			left -= len(data)
		}
	}
	return rep
}

// shorterRun is a report with texts of at most so many bytes; if they are none, lists are short as well.
func shorterRun(run *task.Run, most int) *task.Run {
	cut := func(s string) string {
		if len(s) <= most {
			return s
		}
		return shorten(s, 0, most) + fmt.Sprintf("\n[shortened: %d bytes]\n", len(s))
	}
	out := func(o task.Output) task.Output {
		o.Head, o.Tail = cut(o.Head), cut(o.Tail)
		return o
	}
	items := 10_000
	if most == 0 {
		items = 50
	}
	short := *run
	short.Err = cut(run.Err)
	if len(run.Output) > most {
		short.Output = nil
	}
	short.Changes, short.Stages = nil, nil
	short.Skipped, short.Promoted, short.Merged = first(run.Skipped, items), first(run.Promoted, items), first(run.Merged, items)
	for _, c := range first(run.Changes, items) {
		c.Diff = cut(c.Diff)
		short.Changes = append(short.Changes, c)
	}
	for _, s := range first(run.Stages, items) {
		s.Err, s.Changed, s.Refused = cut(s.Err), first(s.Changed, items), first(s.Refused, items)
		var execs []task.Exec
		for _, x := range first(s.Execs, items) {
			x.Stdout, x.Stderr = out(x.Stdout), out(x.Stderr)
			execs = append(execs, x)
		}
		s.Execs = execs
		short.Stages = append(short.Stages, s)
	}
	return &short
}

func first[T any](list []T, n int) []T { return list[:min(len(list), n)] }
