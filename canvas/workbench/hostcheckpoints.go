package workbench

import (
	"context"
	"time"

	"samkit.dev/host"
	"samkit.dev/sam"
)

// maxListed is how many checkpoints or projects are listed at once.
const maxListed = 1000

// defineCheckpoints registers env.HOST.checkpoints.
func defineCheckpoints(b *Bench, c *host.Capability) {
	host.Register(c, "create", "Records a project's files, and with state its KV and databases, so that they can be restored.", createCheckpoint)
	host.Register(c, "list", "Lists a project's checkpoints, the newest first.", listCheckpoints, host.Reads)
	host.Register(c, "diff", "Lists the files that differ between two checkpoints; one that is left out is the present.", diffCheckpoints, host.Reads)
	host.Register(c, "restore", "Makes a project's files, and with state its KV and databases, what they were. What they are now is a checkpoint first, which is returned.", restoreCheckpoint)
}

// A checkpoint is a sam.Checkpoint as code sees it.
type checkpoint struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	By    string `json:"by,omitempty"`
	Time  string `json:"time"`
	State bool   `json:"state,omitempty"` // it holds KV and databases
	Files int    `json:"files"`
	Bytes int64  `json:"bytes"`
}

func newCheckpoint(c sam.Checkpoint) checkpoint {
	return checkpoint{c.ID, c.Label, c.By, isoTime(c.Time), c.Parts.KV && c.Parts.DB, c.Files, c.Bytes}
}

// isoTime writes a time as Date.prototype.toISOString does.
func isoTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// stateParts are the parts that code means by state. Secrets never travel: code that
// the agent writes would read them.
func stateParts(state bool) sam.Parts { return sam.Parts{KV: state, DB: state} }

type createCheckpointIn struct {
	Project sam.ProjectID `json:"project,omitempty"`
	Label   string        `json:"label,omitempty"`
	State   bool          `json:"state,omitempty"`
}

func createCheckpoint(ctx context.Context, in createCheckpointIn) (checkpoint, error) {
	s, p, err := onProject(ctx, in.Project)
	if err != nil {
		return checkpoint{}, err
	}
	c, err := s.b.Checkpoint(s.authored(ctx), p.ID(), in.Label, stateParts(in.State))
	if err == nil && s.role == host.Agent {
		s.b.turns.begin(s, p, c)
	}
	return newCheckpoint(c), toHost(err)
}

// authored returns a context in which checkpoints are this session's.
func (s *session) authored(ctx context.Context) context.Context {
	return sam.WithAuthor(ctx, s.role.String()+" "+string(s.Project))
}

type listCheckpointsIn struct {
	Project sam.ProjectID `json:"project,omitempty"`
	Limit   int           `json:"limit,omitempty" jsonschema:"100 if left out"`
}

type listCheckpointsOut struct {
	Checkpoints []checkpoint `json:"checkpoints"`
	More        bool         `json:"more,omitempty"`
}

func listCheckpoints(ctx context.Context, in listCheckpointsIn) (listCheckpointsOut, error) {
	out := listCheckpointsOut{Checkpoints: []checkpoint{}}
	_, p, err := onProject(ctx, in.Project)
	if err != nil {
		return out, err
	}
	limit := 100
	if in.Limit > 0 {
		limit = min(in.Limit, maxListed)
	}
	for c, err := range p.Checkpoints(ctx) {
		if err != nil {
			return out, toHost(err)
		}
		if len(out.Checkpoints) == limit {
			out.More = true
			break
		}
		out.Checkpoints = append(out.Checkpoints, newCheckpoint(c))
	}
	return out, nil
}

type diffIn struct {
	Project sam.ProjectID `json:"project,omitempty"`
	Before  string        `json:"before,omitempty" jsonschema:"a checkpoint's id"`
	After   string        `json:"after,omitempty" jsonschema:"likewise"`
}

// A fileChange is a file that differs between two moments.
type fileChange struct {
	Kind string `json:"kind" jsonschema:"added, removed, changed or renamed"`
	Path string `json:"path"`
	From string `json:"from,omitempty" jsonschema:"of a renamed file: its name before"`
	Size int64  `json:"size"`
	Hash string `json:"hash,omitempty"`
	Was  string `json:"was,omitempty" jsonschema:"the hash before"`
}

type diffOut struct {
	Changes []fileChange `json:"changes"`
}

func diffCheckpoints(ctx context.Context, in diffIn) (diffOut, error) {
	out := diffOut{Changes: []fileChange{}}
	_, p, err := onProject(ctx, in.Project)
	if err != nil {
		return out, err
	}
	changes, err := p.Diff(ctx, in.Before, in.After)
	if err != nil {
		return out, noCheckpoint(err)
	}
	for _, c := range changes {
		f := fileChange{Kind: c.Kind(), Path: c.After.Name, Size: c.After.Size, Hash: c.After.Hash, Was: c.Before.Hash}
		if f.Path == "" {
			f.Path = c.Before.Name
		} else if f.Kind == "renamed" {
			f.From = c.Before.Name
		}
		out.Changes = append(out.Changes, f)
	}
	return out, nil
}

type restoreIn struct {
	Project sam.ProjectID `json:"project,omitempty"`
	ID      string        `json:"id"`
	State   bool          `json:"state,omitempty"`
}

// restoreCheckpoint returns the checkpoint of what it replaced.
func restoreCheckpoint(ctx context.Context, in restoreIn) (checkpoint, error) {
	s, p, err := onProject(ctx, in.Project)
	if err == nil {
		err = s.mayChange(p.ID())
	}
	if err != nil {
		return checkpoint{}, err
	}
	c, err := s.b.Restore(s.authored(ctx), p.ID(), in.ID, stateParts(in.State))
	return newCheckpoint(c), noCheckpoint(err)
}

// noCheckpoint is toHost where what may be missing is a checkpoint.
func noCheckpoint(err error) error {
	he := toHost(err)
	if isGone(he) {
		return &host.Error{Code: host.NotFound, Message: "There is no such checkpoint, or it holds no state.", Hint: "checkpoints.list shows them.", Err: err}
	}
	return he
}
