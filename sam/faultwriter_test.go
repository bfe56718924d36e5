package sam_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strings"

	"samkit.dev/sam"
	"samkit.dev/sam/boltstore"
)

// A faultState is what a store holds: the number of the last commit of files,
// and that of keys, 0 if there are none, and both as they are in the newest
// checkpoint that was asked for.
type faultState struct {
	Files, Keys int
	Kept        faultKept
}

type faultKept struct {
	Some        bool
	Files, Keys int
}

// A faultStep is a step of the writer, and what came of it.
type faultStep struct {
	What string // "files", "keys", "checkpoint", "restore", "delete" or "compact"
	N    int

	Err     string // of the step
	State   faultState
	ReadErr string // of reading State after it
	Wrong   string // what should never be
}

// faultSteps makes what the writer does of a seed.
func faultSteps(kind string, seed uint64) []faultStep {
	r := rand.New(rand.NewPCG(seed, 0))
	var steps []faultStep
	for n := 1; n <= 4; n++ {
		steps = append(steps, faultStep{What: "files", N: n}, faultStep{What: "keys", N: n})
	}
	at := 0
	for _, what := range []string{"checkpoint", "restore", "delete", "compact"} {
		if what == "compact" && kind != "bolt" {
			continue
		}
		if what == "restore" {
			at = min(at+1+r.IntN(4), len(steps)-1)
		} else {
			at = 2 + r.IntN(len(steps)-3)
		}
		steps = append(steps[:at:at], append([]faultStep{{What: what}}, steps[at:]...)...)
	}
	return steps
}

// after returns the state that a step makes of one.
func (s faultStep) after(now faultState) faultState {
	switch s.What {
	case "files":
		now.Files = s.N
	case "keys":
		now.Keys = s.N
	case "checkpoint":
		now.Kept = faultKept{true, now.Files, now.Keys}
	case "restore":
		if k := now.Kept; k.Some {
			now.Files, now.Keys = k.Files, k.Keys
		}
	case "delete":
		now = faultState{}
	}
	return now
}

// faultWriter runs the steps. The last element of dir says what store it is.
func faultWriter(dir string, seed uint64) any {
	kind := filepath.Base(dir)
	steps := faultSteps(kind, seed)
	var s sam.Store
	var w *sam.Workspace
	var last faultState
	var changes uint64
	for i := range steps {
		step := &steps[i]
		var err error
		if s == nil {
			if s, err = openKind(kind, filepath.Join(dir, "new", "store")); err != nil {
				step.Err, step.ReadErr = err.Error(), err.Error()
				s = nil
				continue
			}
			w = sam.NewWorkspace(s, "o", nil)
			defer s.Close()
		}
		space := s.Space("o/p").(sam.Counter)
		if err := step.run(s, w); err != nil {
			step.Err = err.Error()
		}
		now := space.Changes()
		state, err := readFaultState(w)
		switch {
		case errors.Is(err, errHalf):
			step.Wrong = err.Error()
		case err != nil:
			step.ReadErr = err.Error()
		case state != last && now == changes:
			step.Wrong = fmt.Sprintf("the state became %v and nobody was told", state)
		}
		if step.State = state; err == nil {
			last, changes = state, now
		}
	}
	return steps
}

func (s faultStep) run(store sam.Store, w *sam.Workspace) error {
	ctx := context.Background()
	switch s.What {
	case "delete":
		if err := w.Delete(ctx, "p"); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	case "compact":
		return store.(*boltstore.Store).Compact(ctx)
	}
	p, err := w.Create(ctx, "p", nil)
	if errors.Is(err, fs.ErrExist) {
		p, err = w.Open(ctx, "p")
	}
	if err != nil {
		return err
	}
	switch s.What {
	case "checkpoint":
		now, err := readNumbers(ctx, p)
		if err == nil {
			_, err = p.Checkpoint(ctx, fmt.Sprintf(faultLabel, now.Keys), sam.Parts{KV: true})
		}
		return err
	case "restore":
		kept, _, err := newestKept(ctx, p)
		if err == nil && kept.ID != "" {
			_, err = p.Restore(ctx, kept.ID, sam.Parts{KV: true})
		}
		return err
	case "keys":
		data := crashContents(0, s.N)
		_, err = p.State().Space.Commit(ctx, sam.Op{Key: "kv/a", Value: data, If: sam.Any}, sam.Op{Key: "kv/b", Value: data, If: sam.Any},
			sam.Op{Key: "kv/pad", Value: []byte(strings.Repeat("x", 300<<10)), If: sam.Any}) // soon there is something to compact
		return err
	}
	edits := crashEdits(0, s.N)
	if odd := edits[2]; odd.Remove {
		_, err := p.Stat(ctx, odd.Name)
		if errors.Is(err, fs.ErrNotExist) {
			edits = edits[:2]
		} else if err != nil {
			return err
		}
	}
	return p.Apply(ctx, edits...)
}

// faultLabel is the label of the checkpoints that are asked for, with the number
// of the keys.
const faultLabel = "keys %d"

// newestKept returns the newest checkpoint that was asked for, or the zero Checkpoint.
func newestKept(ctx context.Context, p *sam.Project) (c sam.Checkpoint, keys int, err error) {
	for c, err := range p.Checkpoints(ctx) {
		if err != nil {
			return c, 0, err
		}
		if n, _ := fmt.Sscanf(c.Label, faultLabel, &keys); n == 1 {
			return c, keys, nil
		}
	}
	return c, 0, nil
}

// readKept reads the newest checkpoint that was asked for.
func readKept(ctx context.Context, p *sam.Project) (faultKept, error) {
	c, keys, err := newestKept(ctx, p)
	if err != nil || c.ID == "" {
		return faultKept{}, err
	}
	view, err := p.CheckpointFS(ctx, c.ID)
	if err != nil {
		return faultKept{}, err
	}
	a, err1 := faultNumber(fs.ReadFile(view, "a/0"))
	b, err2 := faultNumber(fs.ReadFile(view, "b/c/0"))
	if err := errors.Join(err1, err2); err != nil {
		return faultKept{}, err
	}
	if a != b {
		return faultKept{}, fmt.Errorf("%w: files %d and %d in a checkpoint", errHalf, a, b)
	}
	return faultKept{true, a, keys}, nil
}

// errHalf is of a state that no commit makes.
var errHalf = errors.New("half of a commit is there")

// readFaultState reads all there is.
func readFaultState(w *sam.Workspace) (faultState, error) {
	ctx := context.Background()
	p, err := w.Open(ctx, "p")
	if errors.Is(err, fs.ErrNotExist) {
		return faultState{}, nil
	}
	if err != nil {
		return faultState{}, err
	}
	state, err := readNumbers(ctx, p)
	if err == nil {
		state.Kept, err = readKept(ctx, p)
	}
	return state, err
}

// readNumbers reads the files and keys of a project.
func readNumbers(ctx context.Context, p *sam.Project) (faultState, error) {
	read := func(name string) (int, error) { return faultNumber(p.ReadFile(ctx, name)) }
	get := func(key string) (int, error) {
		data, _, err := p.State().Space.Get(ctx, key)
		return faultNumber(data, err)
	}
	a, err1 := read("a/0")
	b, err2 := read("b/c/0")
	odd, err3 := p.ReadFile(ctx, "odd-0/file")
	if errors.Is(err3, fs.ErrNotExist) {
		odd, err3 = []byte("none"), nil
	}
	x, err4 := get("kv/a")
	y, err5 := get("kv/b")
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return faultState{}, err
	}
	want := "none"
	if a%2 == 1 {
		want = fmt.Sprint(a)
	}
	if a != b || x != y || string(odd) != want {
		return faultState{}, fmt.Errorf("%w: files %d, %d and %s, keys %d and %d", errHalf, a, b, odd, x, y)
	}
	return faultState{Files: a, Keys: x}, nil
}

// faultNumber is the number of contents, 0 if there are none.
func faultNumber(data []byte, err error) (int, error) {
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n, err := number(data)
	if err != nil {
		err = fmt.Errorf("%w: %w", errHalf, err)
	}
	return n, err
}
