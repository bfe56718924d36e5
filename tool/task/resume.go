package task

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// ResumeOptions says how a run goes on. Nil means the zero ResumeOptions.
type ResumeOptions struct {
	Stage string // where it begins again; "" is the last that the run had reached
	// Files are what that last stage goes on with, as somebody has mended them; nil means what lies in [KeptRun.Dir]. An earlier stage
	// begins with the files that it had found.
	Files fs.FS
}

// Resume goes on with a run that k has, as a run of its own: from a stage on, with what the stages before it have returned and made. The
// task may have been mended meanwhile, in its stages and its policy.
//
// The ground is that of now: what others have changed since stays, or is a conflict, which is told before anything
// runs. What the policy does not let the task write, whoever has changed it, is as it was, and told among the refusals of the first stage. When the run succeeds what
// was kept of the former one is discarded. Without it the error matches fs.ErrNotExist.
func (t *Task[In, Out]) Resume(ctx context.Context, g Ground, k *Kept, id string, r *ResumeOptions, opts *RunOptions) (Out, *Run, error) {
	var out Out
	from, err := t.task.resumed(k, id, r)
	if err != nil {
		return out, nil, err
	}
	run, err := t.task.run(ctx, g, from.state.Input, opts, from)
	if err == nil {
		err = errors.Join(t.task.steps[len(t.task.steps)-1].out.decode(run.Output, &out), k.Discard(id))
	}
	return out, run, err
}

// A keptState is what a run needs to go on. The contents that it names are in the folder blobs.
type keptState struct {
	Input  json.RawMessage      `json:"input"`
	Base   map[string]wireEntry `json:"base"` // of the ground when the run began
	Stages []keptStage          `json:"stages"`
}

// A keptStage is how a stage began.
type keptStage struct {
	Name    string                `json:"name"`
	Input   json.RawMessage       `json:"input"`
	Changed map[string]*wireEntry `json:"changed"` // compared with Base; null is no file
}

type wireEntry struct {
	Hash string      `json:"hash"`
	Size int64       `json:"size"`
	Mode fs.FileMode `json:"mode"`
}

func (w wireEntry) entry() entry { return entry{w.Hash, w.Size, w.Mode} }

// A begin is how a stage begins.
type begin struct {
	stage string
	input json.RawMessage
	files map[string]entry
}

const (
	stateName = "state.json"
	blobsName = "blobs"
)

// keepState writes what is needed to go on to the folder of a sandbox.
func (s *sandbox) keepState(dir string) error {
	state := keptState{Input: s.input, Base: map[string]wireEntry{}}
	for name, e := range s.base {
		state.Base[name] = wireEntry{e.hash, e.size, e.mode}
	}
	need := map[string]bool{}
	note := func(name string, e *entry) *wireEntry {
		if base := at(s.base, name); base != nil {
			need[base.hash] = true
		}
		if e == nil {
			return nil
		}
		need[e.hash] = true
		return &wireEntry{e.hash, e.size, e.mode}
	}
	for _, b := range s.begins {
		st := keptStage{b.stage, b.input, map[string]*wireEntry{}}
		for _, name := range changed(s.base, b.files) {
			st.Changed[name] = note(name, at(b.files, name))
		}
		state.Stages = append(state.Stages, st)
	}
	for _, name := range changed(s.base, s.last) {
		note(name, nil)
	}
	if err := os.Mkdir(filepath.Join(dir, blobsName), 0o700); err != nil {
		return err
	}
	for _, hash := range slices.Sorted(maps.Keys(need)) {
		data, err := s.blobs.get(hash)
		if errors.Is(err, ErrConflict) {
			continue // the ground has lost it: nothing can be merged with it any more
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, blobsName, hash), data, 0o600)
		}
		if err != nil {
			return err
		}
	}
	data, err := json.Marshal(state)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, stateName), data, 0o600)
}

// A resumption is a kept run that goes on.
type resumption struct {
	id    string
	kept  KeptRun
	state keptState
	first int   // of the plan's steps
	at    int   // of state.Stages
	files fs.FS // nil for those that the stage had found
}

// resumed finds where a run goes on.
func (t *plan) resumed(k *Kept, id string, opts *ResumeOptions) (*resumption, error) {
	var o ResumeOptions
	if opts != nil {
		o = *opts
	}
	kept, err := k.Open(id)
	if err != nil {
		return nil, err
	}
	r := &resumption{id: id, kept: kept}
	data, err := os.ReadFile(filepath.Join(filepath.Dir(kept.Dir), stateName))
	if err == nil {
		err = json.Unmarshal(data, &r.state)
	}
	if err == nil && len(r.state.Stages) == 0 {
		err = errors.New("it had not begun a stage")
	}
	if err != nil {
		return nil, fmt.Errorf("task: resume run %s: %w", id, err)
	}
	last := len(r.state.Stages) - 1
	name := cmp.Or(o.Stage, r.state.Stages[last].Name)
	r.at = slices.IndexFunc(r.state.Stages, func(s keptStage) bool { return s.Name == name })
	r.first = slices.IndexFunc(t.steps, func(s planned) bool { return s.name == name })
	switch {
	case r.first < 0:
		return nil, fmt.Errorf("task: resume run %s: task %s has no stage %q", id, t.name, name)
	case r.at < 0:
		return nil, fmt.Errorf("task: resume run %s: it had not reached stage %s", id, name)
	case r.at == last:
		if r.files = o.Files; r.files == nil {
			r.files = os.DirFS(kept.Dir)
		}
	case o.Files != nil:
		return nil, fmt.Errorf("task: resume run %s: files are for the last stage that it had reached, %s", id, r.state.Stages[last].Name)
	}
	return r, nil
}

// apply makes the files of a sandbox, which are the ground's of now, those with which the stage goes on, and returns its input.
func (r *resumption) apply(s *sandbox) (json.RawMessage, error) {
	base, err := r.load(s)
	if err != nil {
		return nil, err
	}
	mine := maps.Clone(base)
	if r.files != nil {
		if mine, err = r.read(s, base); err != nil {
			return nil, err
		}
	} else {
		for name, w := range r.state.Stages[r.at].Changed {
			if delete(mine, name); w != nil {
				mine[name] = w.entry()
			}
		}
	}
	var edits, gone []edit
	var clashes []string
	for _, name := range changed(base, mine) {
		if s.plan.rules.denied(name) || !writes(s.plan.rules.writable, name) {
			s.early = append(s.early, Refusal{"write", name, "is not writable"})
			continue
		}
		now := at(s.base, name)
		v, e, err := s.judge(at(base, name), at(mine, name), now, func() ([]byte, error) { return s.blobs.get(now.hash) })
		switch {
		case errors.Is(err, fs.ErrNotExist): // the contents of then are lost
			clashes = append(clashes, name)
		case err != nil:
			return nil, err
		case v == clash:
			clashes = append(clashes, name)
		case v == write && e == nil:
			gone = append(gone, edit{name, nil})
		case v == write:
			edits = append(edits, edit{name, e})
		}
	}
	if len(clashes) > 0 {
		return nil, &ConflictError{clashes}
	}
	return r.state.Stages[r.at].Input, s.apply(append(gone, edits...))
}

// load takes the contents and artifacts of the former run, and returns the files of the ground then.
func (r *resumption) load(s *sandbox) (map[string]entry, error) {
	base := map[string]entry{}
	for name, w := range r.state.Base {
		base[name] = w.entry()
	}
	dir := filepath.Join(filepath.Dir(r.kept.Dir), blobsName)
	blobs, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, b := range blobs {
		data, err := os.ReadFile(filepath.Join(dir, b.Name()))
		if err == nil {
			_, err = s.blobs.put(data) // by what it is, whatever its name says
		}
		if err != nil {
			return nil, err
		}
	}
	again := map[string]bool{PatchArtifact: true} // what the stages that run again make, or have made in vain
	for _, st := range r.state.Stages[r.at:] {
		for _, report := range r.kept.Run.Stages {
			for name := range report.Artifacts {
				again[name] = again[name] || report.Name == st.Name
			}
		}
	}
	for name, hash := range r.kept.Run.Artifacts { // those of runs before it, too
		if again[name] || !goodName.MatchString(name) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(r.kept.ArtifactDir(), name))
		if err != nil {
			return nil, err
		}
		if hashOf(data) != hash {
			return nil, fmt.Errorf("the artifact %s was changed", name)
		}
		s.run.Artifacts[name], s.run.Data[hash] = hash, data
	}
	return base, nil
}

// read takes the files as they lie where the run was kept, or where somebody has mended them.
func (r *resumption) read(s *sandbox, base map[string]entry) (map[string]entry, error) {
	mine := map[string]entry{}
	err := fs.WalkDir(r.files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		old := at(base, name)
		if !d.Type().IsRegular() { // only what the ground had is kept
			if old != nil && old.link() {
				mine[name] = *old
			} else {
				s.early = append(s.early, Refusal{"write", name, "is no plain file, which no run goes on with"})
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Size() > s.blobs.max || len(mine) >= maxFiles {
			return fmt.Errorf("%w: the files that were kept are too large, or too many", ErrLimit)
		}
		data, err := fs.ReadFile(r.files, name)
		if err != nil {
			return err
		}
		e := entry{hashOf(data), int64(len(data)), plainMode}
		if old != nil && !old.link() {
			e.mode = old.mode
		} else if s.modes {
			e.mode = info.Mode().Perm()
		}
		if old == nil || old.hash != e.hash {
			if _, err := s.blobs.put(bytes.Clone(data)); err != nil {
				return err
			}
		}
		mine[name] = e
		return nil
	})
	for name, e := range base { // a link that was not followed is as it was, too
		if _, there := mine[name]; !there && s.plan.rules.denied(name) {
			mine[name] = e
		}
	}
	return mine, err
}
