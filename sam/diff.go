package sam

import (
	"context"
	"io/fs"
	"slices"
	"strings"
)

// A Change is a file that differs between two moments of a project.
type Change struct {
	Before File // the zero File if it came
	After  File // the zero File if it went
}

// Kind is "added", "removed", "changed" or "renamed". A renamed file has the
// same contents under another name.
func (c Change) Kind() string {
	switch {
	case c.Before.Name == "":
		return "added"
	case c.After.Name == "":
		return "removed"
	case c.Before.Name == c.After.Name:
		return "changed"
	}
	return "renamed"
}

// name is what changes are sorted by.
func (c Change) name() string {
	if c.After.Name != "" {
		return c.After.Name
	}
	return c.Before.Name
}

// Diff returns the files that differ between two checkpoints, in the order of
// their names; renamed ones stand under the new name. An empty id is the present.
// If there is no such checkpoint the error matches fs.ErrNotExist.
func (p *Project) Diff(ctx context.Context, before, after string) ([]Change, error) {
	if err := p.look(ctx); err != nil {
		return nil, err
	}
	x, err := p.index(ctx)
	if err != nil {
		return nil, err
	}
	var sides [2]map[string]File
	var runs [2][]chunkRef
	for i, id := range []string{before, after} {
		if id == "" {
			continue
		}
		_, m, err := p.loadCheckpoint(ctx, id, x.head.Life)
		if err != nil {
			return nil, err
		}
		runs[i] = m.files
	}
	if before != "" && after != "" {
		// What is in a chunk of both is the same in both.
		runs[0], runs[1] = without(runs[0], runs[1]), without(runs[1], runs[0])
	}
	for i, id := range []string{before, after} {
		sides[i] = map[string]File{}
		if id == "" {
			for name, r := range x.files {
				sides[i][name] = r.File
			}
			continue
		}
		for f, err := range p.filesOf(ctx, runs[i]) {
			if err != nil {
				return nil, err
			}
			sides[i][f.Name] = f
		}
	}
	return diffFiles(sides[0], sides[1]), nil
}

func diffFiles(before, after map[string]File) []Change {
	var changes []Change
	gone := map[string][]File{} // by hash
	for name, f := range before {
		now, there := after[name]
		switch {
		case !there:
			gone[f.Hash] = append(gone[f.Hash], f)
		case now.Hash != f.Hash:
			changes = append(changes, Change{f, now})
		}
	}
	byName := func(a, b File) int { return strings.Compare(a.Name, b.Name) }
	for _, files := range gone {
		slices.SortFunc(files, byName)
	}
	var came []File
	for name, f := range after {
		if _, there := before[name]; !there {
			came = append(came, f)
		}
	}
	slices.SortFunc(came, byName)
	for _, f := range came {
		c := Change{After: f}
		// Empty files are alike without being the same.
		if from := gone[f.Hash]; len(from) > 0 && f.Size > 0 {
			c.Before, gone[f.Hash] = from[0], from[1:]
		}
		changes = append(changes, c)
	}
	for _, files := range gone {
		for _, f := range files {
			changes = append(changes, Change{Before: f})
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.name(), b.name()) })
	return changes
}

// CheckpointFS is a read-only view of the files at a checkpoint, like
// [Project.FS]. If the checkpoint is deleted, reading gives errors.
func (p *Project) CheckpointFS(ctx context.Context, id string) (fs.FS, error) {
	now, err := p.index(ctx)
	if err != nil {
		return nil, err
	}
	_, m, err := p.loadCheckpoint(ctx, id, now.head.Life)
	if err != nil {
		return nil, err
	}
	x := &index{past: true, files: map[string]*fileRecord{}}
	for f, err := range p.filesOf(ctx, m.files) {
		if err != nil {
			return nil, err
		}
		x.add(&fileRecord{File: f, blob: f.Size > maxInline})
	}
	return projectFS{ctx, p, x}, nil
}
