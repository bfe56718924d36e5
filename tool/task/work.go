package task

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"samkit.dev/sam"
	"samkit.dev/tool"
)

// ErrOver reports a use of Work after its stage has ended.
var ErrOver = errors.New("task: the stage is over")

// ErrNoBackend reports a command in a run that has no backend.
var ErrNoBackend = errors.New("task: the run has no backend, so there are no commands")

// Work is a stage's hands: its files and commands. All that it does is checked against the
// policy, and what is refused stands in the report. It is valid until the stage returns, and
// safe for concurrent use.
type Work struct {
	s    *sandbox
	step planned
	ctx  context.Context // the stage's: no command outlives it, whatever context it was given

	mu        sync.Mutex     // guards the rest
	over      bool           // nothing begins any more
	final     bool           // the report is made
	running   sync.WaitGroup // commands
	report    StageReport
	dropped   int // refusals beyond maxRefusals
	artifacts map[string]string
}

// Bounds of what a stage's report, and the snapshots of a run, hold.
const (
	maxRefusals  = 1000
	maxExecs     = 10_000
	maxSnapshots = 1000
	maxArtifacts = 1000
)

func (w *Work) alive() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return ErrOver
	}
	return nil
}

// end lets nothing begin any more, waits for commands, and returns the report.
func (w *Work) end() StageReport {
	w.mu.Lock()
	w.over = true
	w.mu.Unlock()
	w.running.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.final = true
	if w.dropped > 0 {
		w.report.Refused = append(w.report.Refused, Refusal{"write", fmt.Sprintf("%d more", w.dropped), "are left out"})
	}
	w.report.Artifacts = maps.Clone(w.artifacts)
	return w.report
}

// refuse records what is refused.
func (w *Work) refuse(kind, what, reason string) error {
	r := Refusal{kind, what, reason}
	w.note(r)
	return &RefusedError{r}
}

func (w *Work) note(r Refusal) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.final || slices.Contains(w.report.Refused[max(0, len(w.report.Refused)-8):], r) {
		return
	}
	if len(w.report.Refused) >= maxRefusals {
		w.dropped++
		return
	}
	w.report.Refused = append(w.report.Refused, r)
	w.s.event(w.step.name, "refused", "%s", r)
}

// RunID returns the ID of the run.
func (w *Work) RunID() string { return w.s.run.ID }

// Input returns the task's input, as JSON: in the first stage that is what the stage gets. The caller must not change it.
func (w *Work) Input() json.RawMessage { return w.s.input }

// maxLog is how many bytes of a text an event has.
const maxLog = 4 << 10

// Log tells those who watch the run something, by an event of the kind "log". It stands in no report.
func (w *Work) Log(text string) {
	if w.alive() == nil {
		w.s.event(w.step.name, "log", "%s", strings.ToValidUTF8(text[:min(len(text), maxLog)], ""))
	}
}

// FS is the files as the task sees them, at each call: those of the ground when the run began, with
// what stages have changed. What the policy denies is not there, and asking for it is told as refused.
// Symbolic links are listed and not followed.
func (w *Work) FS() fs.FS { return view{w.s, w} }

// ReadFile returns a file's contents, which the caller may keep.
func (w *Work) ReadFile(name string) ([]byte, error) { return view{w.s, w}.ReadFile(name) }

// WriteFile makes or replaces a file. An existing one keeps its permissions. The error matches
// [ErrRefused] if the policy, or the stage's Writes, does not permit it.
func (w *Work) WriteFile(name string, data []byte) error {
	return w.edit([]sam.Edit{{Name: name, Data: data, IfHash: "*"}})
}

// Remove removes a file. If there is none the error matches fs.ErrNotExist.
func (w *Work) Remove(name string) error {
	return w.edit([]sam.Edit{{Name: name, Remove: true, IfHash: "*"}})
}

// Rename gives a file another name, which must be free.
func (w *Work) Rename(from, to string) error {
	return w.edit([]sam.Edit{{Name: from, Rename: to, IfHash: "*"}})
}

// edit makes edits as a project does, all or none.
func (w *Work) edit(edits []sam.Edit) error {
	if err := w.alive(); err != nil {
		return err
	}
	var all []edit
	ahead := map[string]*entry{} // of edits before
	look := func(name string) *entry {
		if e, there := ahead[name]; there {
			return e
		}
		w.s.mu.Lock()
		defer w.s.mu.Unlock()
		if e, there := w.s.now.files[name]; there {
			return &e
		}
		return nil
	}
	set := func(name string, e *entry) {
		ahead[name] = e
		all = append(all, edit{name, e})
	}
	for _, ed := range edits {
		if err := w.s.mayWrite(w, ed.Name); err != nil {
			return err
		}
		old := look(ed.Name)
		hash := ""
		if old != nil {
			hash = old.hash
		}
		switch {
		case ed.IfHash != "*" && ed.IfHash != hash:
			return &sam.ConflictError{Name: ed.Name, Hash: hash}
		case (ed.Remove || ed.Rename != "") && old == nil:
			return pathError("remove", ed.Name, fs.ErrNotExist)
		case ed.Remove:
			set(ed.Name, nil)
		case ed.Rename != "":
			if err := w.s.mayWrite(w, ed.Rename); err != nil {
				return err
			}
			if look(ed.Rename) != nil {
				return pathError("rename", ed.Rename, fs.ErrExist)
			}
			set(ed.Name, nil)
			set(ed.Rename, old)
		default:
			hash, err := w.s.blobs.put(bytes.Clone(ed.Data))
			if err != nil {
				return err
			}
			e := entry{hash, int64(len(ed.Data)), plainMode}
			if old != nil && !old.link() {
				e.mode = old.mode
			}
			set(ed.Name, &e)
		}
	}
	return w.s.apply(all)
}

// ExecOptions says more of a command. Nil means the zero ExecOptions.
type ExecOptions struct {
	Dir            string    // where it starts; "" is the root of the files
	Env            []string  // "NAME=value", after those of the run
	Stdin          io.Reader // nil is empty
	Stdout, Stderr io.Writer // get all that it writes, beside the report; nil means the report alone
}

// Exec runs a command that the policy permits, in the root of the files. A code other than zero is no
// error. Values of its environment are left out of its report. An error that matches [ErrRefused] or [ErrNoBackend] says that it did not run; what a command
// wrote and may not is put back, and told among the stage's refusals.
func (w *Work) Exec(ctx context.Context, argv ...string) (Exec, error) {
	return w.ExecWith(ctx, nil, argv...)
}

// ExecWith is Exec with options. Commands that need a checkout run one after the other.
func (w *Work) ExecWith(ctx context.Context, opts *ExecOptions, argv ...string) (Exec, error) {
	var o ExecOptions
	if opts != nil {
		o = *opts
	}
	x := Exec{Argv: slices.Clone(argv), Dir: o.Dir, Started: time.Now()}
	if err := w.begin(); err != nil {
		return x, err
	}
	defer w.running.Done()
	line := fmt.Sprintf("%q", argv)
	switch {
	case !w.s.plan.rules.permits(argv):
		return x, w.refuse("command", line, "is not among the policy's commands")
	case o.Dir != "" && !fs.ValidPath(o.Dir):
		return x, pathError("exec", o.Dir, fs.ErrInvalid)
	case w.s.backend == nil:
		w.refuse("command", line, "needs a backend, and the run has none")
		return x, ErrNoBackend
	}
	env := slices.Concat(w.s.env, o.Env)
	for _, e := range env {
		name, _, ok := strings.Cut(e, "=")
		if !ok || name == "" || strings.Contains(e, "\x00") {
			return x, fmt.Errorf("task: the environment has an entry that is not NAME=value")
		}
		x.Env = append(x.Env, name+"=…")
	}
	policy := w.s.plan.policy
	policy.Writable = nil
	for _, p := range w.step.writes {
		policy.Writable = append(policy.Writable, p.String())
	}
	var out, errOut capture
	var checked bool
	c := &Command{
		Run: w.s.run.ID, Argv: x.Argv, Dir: o.Dir, Env: env, Stdin: o.Stdin, Policy: policy, Files: files{w.s, w},
		Stdout: out.with(o.Stdout), Stderr: errOut.with(o.Stderr),
		Checkout: func(ctx context.Context) (string, error) {
			if !checked {
				w.s.cmd.Lock()
				checked = true
			}
			return w.s.checkout(ctx)
		},
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(w.ctx, func() { cancel(context.Cause(w.ctx)) })()
	w.s.event(w.step.name, "exec", "%s", line)
	outcome, err := w.s.backend.Run(ctx, c)
	if checked {
		err = errors.Join(err, w.s.takeIn(w))
		w.s.cmd.Unlock()
	}
	for _, r := range outcome.Refused {
		w.note(r)
	}
	x.Code, x.Duration = outcome.Code, time.Since(x.Started)
	x.Stdout, x.Stderr = out.output(env), errOut.output(env)
	if err != nil {
		x.Err = err.Error()
		err = fmt.Errorf("task: %s: %w", line, err)
	}
	w.s.event(w.step.name, "exec-end", "%s: exit code %d after %v", line, x.Code, x.Duration.Round(time.Millisecond))
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.report.Execs) < maxExecs {
		w.report.Execs = append(w.report.Execs, x)
	}
	return x, err
}

// begin counts a command that runs.
func (w *Work) begin() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return ErrOver
	}
	w.running.Add(1)
	return nil
}

// Snapshot records the files that one of the patterns matches, or without patterns all that the stage
// may write, and returns an id to Restore. It is made of names and hashes: equal files
// have equal ids, and contents are stored once.
func (w *Work) Snapshot(patterns ...string) (string, error) {
	if err := w.alive(); err != nil {
		return "", err
	}
	snap := snapshot{files: map[string]entry{}}
	for _, text := range patterns {
		p, err := tool.ParsePattern(text)
		if err != nil {
			return "", fmt.Errorf("task: snapshot: %w", err)
		}
		snap.patterns = append(snap.patterns, p)
	}
	if len(patterns) == 0 {
		for _, p := range w.step.writes {
			snap.patterns = append(snap.patterns, p)
			patterns = append(patterns, p.String())
		}
	}
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	for name, e := range w.s.now.files {
		if snap.has(name) {
			snap.files[name] = e
		}
	}
	id := manifestHash(patterns, snap.files)
	if w.s.snapshots == nil {
		w.s.snapshots = map[string]snapshot{}
	}
	if _, there := w.s.snapshots[id]; !there && len(w.s.snapshots) >= maxSnapshots {
		return "", fmt.Errorf("%w: more than %d snapshots", ErrLimit, maxSnapshots)
	}
	w.s.snapshots[id] = snap
	return id, nil
}

func (s snapshot) has(name string) bool {
	return slices.ContainsFunc(s.patterns, func(p tool.Pattern) bool { return p.Match(name) })
}

// Restore makes the files of a snapshot what they were: contents come back, and what was added
// since goes. Nothing is restored if the stage may not write one of the files that differ.
func (w *Work) Restore(id string) error {
	if err := w.alive(); err != nil {
		return err
	}
	w.s.mu.Lock()
	snap, there := w.s.snapshots[id]
	now := map[string]entry{}
	for name, e := range w.s.now.files {
		if there && snap.has(name) {
			now[name] = e
		}
	}
	w.s.mu.Unlock()
	if !there {
		return fmt.Errorf("task: there is no snapshot %s: %w", id, fs.ErrNotExist)
	}
	var gone, back []edit
	for _, name := range changed(now, snap.files) {
		if err := w.s.mayWrite(w, name); err != nil {
			return err
		}
		if e, there := snap.files[name]; there {
			back = append(back, edit{name, &e})
		} else {
			gone = append(gone, edit{name, nil})
		}
	}
	return w.s.apply(append(gone, back...))
}

// MaxArtifact bounds an artifact, in bytes.
const MaxArtifact = 64 << 20

// Artifact keeps a result: a report, a build. One of the same name is replaced. The name must be declared in
// StageOptions.Artifacts, or be no other stage's.
func (w *Work) Artifact(name string, r io.Reader) error {
	if err := w.alive(); err != nil {
		return err
	}
	if !goodName.MatchString(name) || name == PatchArtifact {
		return fmt.Errorf("task: %q is no name for an artifact", name)
	}
	if !slices.Contains(w.step.opts.Artifacts, name) {
		for _, other := range w.s.plan.steps {
			if slices.Contains(other.opts.Artifacts, name) {
				return fmt.Errorf("task: the artifact %q is stage %s's", name, other.name)
			}
		}
	}
	data, err := io.ReadAll(io.LimitReader(r, MaxArtifact+1))
	if err != nil {
		return fmt.Errorf("task: artifact %s: %w", name, err)
	}
	if len(data) > MaxArtifact {
		return fmt.Errorf("%w: the artifact %s is larger than %d bytes", ErrLimit, name, MaxArtifact)
	}
	hash, err := w.s.blobs.put(data)
	if err != nil {
		return fmt.Errorf("task: artifact %s: %w", name, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return ErrOver
	}
	if w.artifacts == nil {
		w.artifacts = map[string]string{}
	}
	if _, there := w.artifacts[name]; !there && len(w.artifacts) >= maxArtifacts {
		return fmt.Errorf("%w: more than %d artifacts of a stage", ErrLimit, maxArtifacts)
	}
	w.artifacts[name] = hash
	w.s.event(w.step.name, "artifact", "%s", name)
	return nil
}

// Diff yields the files that differ from those of the ground when the run began, by name, with a
// unified patch each. A patch that can't be made says why.
func (w *Work) Diff() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		now := w.s.moment()
		for _, name := range changed(w.s.base, now) {
			c, err := w.s.diff(name, w.s.base, now)
			if err != nil {
				c.Diff = err.Error()
			}
			if !yield(name, c.Diff) {
				return
			}
		}
	}
}

// Glob returns the names of the files that a pattern matches, sorted.
func (w *Work) Glob(pattern string) ([]string, error) {
	p, err := tool.ParsePattern(pattern)
	if err != nil {
		return nil, fmt.Errorf("task: %w", err)
	}
	var names []string
	for name := range w.s.moment() {
		if p.Match(name) {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names, nil
}
