package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"

	"samkit.dev/sam"
)

// A folder is a folder of the machine as files that commands work on. Links in it are
// not followed out of it, and not shown.
type folder struct{ root *os.Root }

func (f folder) FS(context.Context) fs.FS { return f.root.FS() }

// Apply makes the edits one after the other: a folder has no commits.
func (f folder) Apply(ctx context.Context, edits ...sam.Edit) error {
	for _, e := range edits {
		if err := errors.Join(ctx.Err(), sam.CheckFileName(e.Name)); err != nil {
			return err
		}
		if err := f.apply(e); err != nil {
			return err
		}
	}
	return nil
}

func (f folder) apply(e sam.Edit) error {
	switch {
	case e.Remove:
		if err := f.root.Remove(e.Name); err != nil {
			return err
		}
		// As in a project, a folder without files is none.
		for dir := path.Dir(e.Name); dir != "." && f.root.Remove(dir) == nil; dir = path.Dir(dir) {
		}
		return nil
	case e.Rename != "":
		return f.root.Rename(e.Name, e.Rename)
	}
	if err := f.root.MkdirAll(path.Dir(e.Name), 0o777); err != nil {
		return err
	}
	return f.root.WriteFile(e.Name, e.Data, 0o666)
}
