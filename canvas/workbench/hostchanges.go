package workbench

import (
	"context"
	"time"

	"samkit.dev/sam"
)

// How long files.changes waits for a change.
const (
	defaultChangesWait = 20 * time.Second
	maxChangesWait     = 60 * time.Second
)

type changesIn struct {
	Project sam.ProjectID `json:"project,omitempty"`
	After   string        `json:"after,omitempty" jsonschema:"from the last answer; empty at first"`
	WaitMS  int           `json:"waitMs,omitempty" jsonschema:"milliseconds; 20000 if left out"`
}

// A changedFile is a file as it became.
type changedFile struct {
	Path    string `json:"path"`
	Size    int64  `json:"size"`
	Hash    string `json:"hash,omitempty"`
	Removed bool   `json:"removed,omitempty"`
}

type changesOut struct {
	After  string        `json:"after"`
	Missed bool          `json:"missed,omitempty"`
	Files  []changedFile `json:"files"`
}

// fileChanges waits for changes of files that the caller may read. Without after it
// returns the present position at once.
func fileChanges(ctx context.Context, in changesIn) (changesOut, error) {
	out := changesOut{After: in.After, Files: []changedFile{}}
	s, p, err := onProject(ctx, in.Project)
	if err != nil {
		return out, err
	}
	waiting, cancel := context.WithTimeout(ctx, waitFor(in.WaitMS, defaultChangesWait, maxChangesWait))
	defer cancel()
	for e, err := range s.b.Events(waiting, p.ID(), in.After) {
		if err != nil {
			if waiting.Err() != nil && ctx.Err() == nil {
				break // it took that long to begin
			}
			return out, toHost(err)
		}
		out.After = e.ID
		if e.Kind == Ready && e.Missed {
			out.Missed = true
			break
		}
		for _, f := range e.Files {
			if s.sees(ctx, p, f.Name) {
				out.Files = append(out.Files, changedFile{f.Name, f.Size, f.Hash, f.Hash == ""})
			}
		}
		if len(out.Files) > 0 {
			break
		}
	}
	return out, ctx.Err()
}
