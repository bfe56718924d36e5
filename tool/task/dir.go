package task

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"samkit.dev/sam"
	"samkit.dev/tool"
)

// Dir is the ground of a directory. A run copies the files that the policy does not deny; what it promotes
// goes through a journal in the folder .samkit-task, so that a program that is killed meanwhile
// leaves the directory as it was or as it is to be, once [Recover] or the next
// run has looked at it. No symbolic link is followed. What git keeps in .git is not copied, unless the policy names it.
//
// A folder that this program may not read is an error: deny it. A journal that was left with a file of .git in it is not
// recovered by itself but told as an error, since it may have come with the directory's contents.
//
// Files that others write while the journal is at work are never lost: they make the run a conflict. The caller closes r,
// after the runs.
func Dir(r *os.Root) Ground { return &directory{disk: disk{root: r}} }

// Recover finishes or undoes what a killed program has left half promoted in a directory. Runs do so by
// themselves when they begin; a program that reads the directory before calls it at its start.
func Recover(ctx context.Context, r *os.Root) error {
	return (&directory{disk: disk{root: r}}).recover(ctx)
}

type directory struct{ disk disk }

// own is the folder where journals are. No task sees it.
const own = ".samkit-task"

func (d *directory) recover(ctx context.Context) error {
	if _, err := d.disk.root.Lstat(own); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	unlock, err := d.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return d.disk.settle()
}

func (d *directory) begin(ctx context.Context, s *sandbox) error {
	if err := d.recover(ctx); err != nil {
		return err
	}
	s.modes = true
	var size int64
	root := d.disk.root
	return walk(root, func(name string, info fs.FileInfo) (bool, error) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		switch {
		case name == own:
			return false, nil
		case !comparable(name):
			s.run.Skipped = append(s.run.Skipped, name)
			return false, nil
		case s.plan.rules.denied(name):
			return true, nil // of a folder, "a" is not "a/**"
		case info.IsDir():
			if s.plan.leavesOut(name) {
				return false, nil
			}
			s.folders = append(s.folders, name)
			return true, nil
		case !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0:
			s.run.Skipped = append(s.run.Skipped, name)
			return false, nil
		}
		if size += info.Size(); size > s.blobs.max {
			return false, fmt.Errorf("%w: the files are larger than %d bytes", ErrLimit, s.blobs.max)
		}
		if len(s.base) >= maxFiles {
			return false, fmt.Errorf("%w: more than %d files", ErrLimit, maxFiles)
		}
		e, data, err := readEntry(root, name, info, s.blobs.max)
		for try := 1; errors.Is(err, errReplaced) && try < tries; try++ {
			if info, err = root.Lstat(name); err == nil {
				e, data, err = readEntry(root, name, info, s.blobs.max)
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil // somebody removed it just now
		}
		if errors.Is(err, fs.ErrPermission) {
			s.run.Skipped = append(s.run.Skipped, name)
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if _, err := s.blobs.put(data); err != nil {
			return false, err
		}
		s.base[name] = e
		s.now.put(name, e)
		return false, nil
	})
}

// leavesOut reports whether nothing of a folder is for the task to see.
func (t *plan) leavesOut(folder string) bool {
	if strings.EqualFold(path.Base(folder), ".git") && !slices.ContainsFunc(t.rules.writable, func(p tool.Pattern) bool { return namesGit(p.String()) }) {
		return true
	}
	all, err := tool.ParsePattern(tool.Literal(sam.FoldName(folder)) + "/**")
	return err == nil && slices.ContainsFunc(t.rules.folded, func(d tool.Pattern) bool { return d.Covers(all) })
}

// now returns a file as it is, or nil; clash is true if it is none that a task could have made.
func (d *directory) now(name string, limit int64) (e *entry, data []byte, clash bool, err error) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := d.disk.root.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return nil, nil, true, nil // somebody put a link in the way
		}
	}
	info, err := d.disk.root.Lstat(name)
	switch {
	case isMissing(err):
		return nil, nil, false, nil
	case err != nil:
		return nil, nil, false, err
	case info.IsDir():
		return nil, nil, false, nil // to be emptied, or else the journal finds it in the way
	case !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0:
		return nil, nil, true, nil
	}
	now, data, err := readEntry(d.disk.root, name, info, limit)
	return &now, data, false, err
}

// isMissing reports whether there is no such file, or a file where its folder would be.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir)
}

func (d *directory) promote(ctx context.Context, s *sandbox, names []string, want map[string]entry) ([]string, error) {
	unlock, err := d.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := d.disk.settle(); err != nil {
		return nil, err
	}
	var clashes, merged []string
	var edits []replace
	for _, name := range names {
		now, data, odd, err := d.now(name, s.blobs.max)
		if err != nil {
			return nil, err
		}
		if odd {
			clashes = append(clashes, name)
			continue
		}
		target := at(want, name)
		v, e, err := s.judge(at(s.base, name), target, now, func() ([]byte, error) { return data, nil })
		switch {
		case err != nil:
			return nil, err
		case v == clash:
			clashes = append(clashes, name)
		case v == write:
			if e != nil && target != nil && e.hash != target.hash {
				merged = append(merged, name)
			}
			edits = append(edits, replace{name, now, e})
		}
	}
	if len(clashes) > 0 {
		return nil, &ConflictError{clashes}
	}
	if len(edits) == 0 {
		return nil, nil
	}
	return merged, d.disk.change(ctx, edits, s.blobs.get)
}
