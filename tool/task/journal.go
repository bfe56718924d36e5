package task

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"samkit.dev/sam"
)

// How a directory changes.
//
// All that is new is written into the folder of the journal, then the journal itself, and its
// name is the moment from which the change holds. Only then files are moved: old ones into the folder,
// where it is seen whether they are what the run was to replace, and new ones get their
// names, which must be free. Every step can be told to have been done, so whoever finds a journal goes on with
// it. If a step can't be done the journal is marked, and all steps are undone.
//
// A file that is replaced is missing for a moment. In turn nothing that somebody else wrote is ever
// overwritten: a move takes what is there, whoever made it, and a link is made only where nothing is.

// A replace is a change of a file: now is what must be there, want what is to be; nil is no file.
type replace struct {
	name      string
	now, want *entry
}

const (
	journalDir  = own + "/journal"
	journalName = journalDir + "/journal.json"
	journalTemp = journalDir + "/journal.tmp"
	abortName   = journalDir + "/abort"
)

// A move is a step of a journal.
type move struct {
	Op   string `json:"op"` // "take" out of the way, "mkdir", "put"
	Name string `json:"name"`
	// Of a take, what must be found; of a put, what comes. A folder has fs.ModeDir and is empty.
	Hash string      `json:"hash,omitempty"`
	Size int64       `json:"size,omitempty"`
	Mode fs.FileMode `json:"mode"`
	Link string      `json:"link,omitempty"` // of a put, the target
}

func (m move) entry() entry { return entry{m.Hash, m.Size, m.Mode} }

// spare is where the file of a step is when it is not in its place.
func spare(i int, m move) string { return fmt.Sprintf("%s/%s-%d", journalDir, m.Op, i) }

// change makes edits, all or none, and durably.
func (d disk) change(ctx context.Context, edits []replace, load func(hash string) ([]byte, error)) error {
	moves, err := d.plan(edits)
	if err != nil {
		return err
	}
	if err := d.write(ctx, moves, load); err != nil {
		return errors.Join(err, d.root.RemoveAll(journalDir))
	}
	if err := d.finish(moves); err != nil {
		return err
	}
	d.prune(edits)
	return nil
}

// plan returns the steps of edits.
func (d disk) plan(edits []replace) ([]move, error) {
	var takes, folders, mkdirs, puts []move
	gone := map[string]bool{} // what is a file now, and will be none
	for _, e := range edits {
		if e.now != nil {
			takes = append(takes, move{"take", e.name, e.now.hash, e.now.size, e.now.mode, ""})
			gone[e.name] = true
		}
	}
	empty := map[string]bool{}
	made := map[string]bool{}
	for _, e := range edits {
		if e.want == nil {
			continue
		}
		if info, err := d.root.Lstat(e.name); err == nil && info.IsDir() {
			// The folders in it go as well, the innermost first.
			var inside []string
			err := walkBelow(d.root, e.name, func(name string, info fs.FileInfo) {
				if info.IsDir() {
					inside = append(inside, name)
				}
			})
			if err != nil {
				return nil, err
			}
			slices.Reverse(inside)
			for _, name := range append(inside, e.name) {
				if !empty[name] {
					empty[name] = true
					folders = append(folders, move{Op: "take", Name: name, Mode: fs.ModeDir})
				}
			}
		}
		for _, dir := range parents(e.name) {
			if made[dir] {
				continue
			}
			if info, err := d.root.Lstat(dir); err == nil && info.IsDir() {
				continue
			} else if err == nil && !gone[dir] {
				return nil, &ConflictError{[]string{dir}}
			}
			made[dir] = true
			mkdirs = append(mkdirs, move{Op: "mkdir", Name: dir, Mode: fs.ModeDir})
		}
		puts = append(puts, move{"put", e.name, e.want.hash, e.want.size, e.want.mode, ""})
	}
	return slices.Concat(takes, folders, mkdirs, puts), nil
}

// write makes the journal. Until its last step nothing has happened.
func (d disk) write(ctx context.Context, moves []move, load func(hash string) ([]byte, error)) error {
	if err := d.mkdir(journalDir); err != nil {
		return err
	}
	for i := range moves {
		m := &moves[i]
		if m.Op != "put" {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := load(m.Hash)
		if err != nil {
			return err
		}
		if m.Mode&fs.ModeSymlink != 0 {
			m.Link = string(data)
			continue
		}
		if err := d.create(spare(i, *m), data, m.Mode); err != nil {
			return err
		}
	}
	data, err := json.Marshal(moves)
	if err != nil {
		return err
	}
	if err := d.create(journalTemp, data, 0o600); err != nil {
		return err
	}
	for _, dir := range []string{journalDir, own, "."} {
		if err := d.syncDir(dir); err != nil {
			return err
		}
	}
	return d.rename(journalTemp, journalName)
}

// finish does what a journal says, or undoes it. The journal is there after an error only if it could
// not be undone.
func (d disk) finish(moves []move) error {
	err := d.syncDir(journalDir)
	if err == nil {
		err = d.forward(moves)
	}
	if err == nil {
		if err = d.remove(journalName); err == nil {
			d.clear()
			return nil
		}
	}
	if uerr := d.undo(moves); uerr != nil {
		return &halfError{err, uerr}
	}
	return err
}

// A halfError says that a change could be neither made nor undone.
type halfError struct{ err, undo error }

func (e *halfError) Error() string {
	return fmt.Sprintf("%v, and it could not be undone: %v; what is missing lies in %s", e.err, e.undo, journalDir)
}

// clear removes what is left of a journal, once it is sure that nobody finds its name again. If it can't be
// removed now the next run does so.
func (d disk) clear() {
	if d.syncDir(journalDir) == nil && d.at("clear", journalDir) == nil {
		d.root.RemoveAll(journalDir)
	}
}

// settle looks for what a killed program has left.
func (d disk) settle() error {
	data, _, err := readFile(d.root, journalName, 1<<30)
	if errors.Is(err, fs.ErrNotExist) {
		return d.root.RemoveAll(journalDir) // it had not begun, or was done
	}
	var moves []move
	if err == nil {
		err = json.Unmarshal(data, &moves)
	}
	for _, m := range moves {
		err = errors.Join(err, m.check())
	}
	if err != nil {
		return fmt.Errorf("task: read %s: %w", journalName, err)
	}
	if _, aerr := d.root.Lstat(abortName); aerr == nil {
		err = d.undo(moves)
	} else if err = d.finish(moves); errors.Is(err, ErrConflict) {
		err = nil // it was undone: somebody wrote there meanwhile; no halfError, which has no causes
	}
	if err != nil {
		return fmt.Errorf("task: recover the directory: %w", err)
	}
	return nil
}

// check says why a step of a journal that was found is not to be believed: a repository may bring one along, and must not
// write with it where its files can't be.
func (m move) check() error {
	first, _, _ := strings.Cut(m.Name, "/")
	switch {
	case !slices.Contains([]string{"take", "mkdir", "put"}, m.Op):
		return fmt.Errorf("there is no step %q", m.Op)
	case !comparable(m.Name) || sam.FoldName(first) == own || namesGit(m.Name):
		return fmt.Errorf("a step is about %q", m.Name)
	case m.Op == "put" && m.Mode&fs.ModeSymlink != 0 && !leads(m.Name, m.Link):
		return fmt.Errorf("the link %q may lead out", m.Name)
	}
	return nil
}

// forward does the steps that are not done yet.
func (d disk) forward(moves []move) error {
	touched := map[string]bool{}
	taken := false
	for i, m := range moves {
		touched[path.Dir(m.Name)] = true
		var err error
		if m.Op != "take" && !taken {
			// An old file must be sure to be found here before its place is another's.
			if err := d.syncDir(journalDir); err != nil {
				return err
			}
			taken = true
		}
		switch m.Op {
		case "take":
			err = d.take(spare(i, m), m)
		case "mkdir":
			if err = d.mkdir(m.Name); errors.Is(err, fs.ErrExist) {
				if info, lerr := d.root.Lstat(m.Name); lerr == nil && info.IsDir() {
					err = nil
				}
			}
		case "put":
			err = d.put(spare(i, m), m)
		}
		if errors.Is(err, fs.ErrExist) || isMissing(err) {
			err = &ConflictError{[]string{m.Name}}
		}
		if err != nil {
			return err
		}
	}
	if !taken {
		if err := d.syncDir(journalDir); err != nil {
			return err
		}
	}
	return d.sync(touched)
}

func (d disk) sync(folders map[string]bool) error {
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		if err := d.syncDir(dir); err != nil && !isMissing(err) {
			return err
		}
	}
	return nil
}

// take moves away what is to be replaced, and looks at it.
func (d disk) take(to string, m move) error {
	if _, err := d.root.Lstat(to); err != nil {
		if err := d.rename(m.Name, to); err != nil {
			return err
		}
	}
	info, err := d.root.Lstat(to)
	if err != nil {
		return err
	}
	clash := &ConflictError{[]string{m.Name}}
	if m.Mode.IsDir() || info.IsDir() {
		if m.Mode.IsDir() && info.IsDir() {
			f, err := d.root.Open(to)
			if err != nil {
				return err
			}
			names, err := f.Readdirnames(1)
			f.Close()
			if len(names) == 0 && (err == nil || errors.Is(err, io.EOF)) {
				return nil
			}
		}
		return clash
	}
	if !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 {
		return clash
	}
	e, _, err := readEntry(d.root, to, info, m.Size+1)
	if err == nil && e != m.entry() || errors.Is(err, ErrLimit) {
		return clash
	}
	return err
}

// put brings a new file to its place. It stays in the journal, until its name there is on the disk.
func (d disk) put(from string, m move) error {
	if m.Mode&fs.ModeSymlink != 0 {
		err := d.symlink(m.Link, m.Name)
		if target, rerr := d.root.Readlink(m.Name); errors.Is(err, fs.ErrExist) && rerr == nil && target == m.Link {
			return nil
		}
		return err
	}
	if _, err := d.root.Lstat(from); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return d.place(from, m.Name)
}

// undo makes the directory what it was before a journal.
func (d disk) undo(moves []move) error {
	if _, err := d.root.Lstat(abortName); err != nil {
		if err := d.create(abortName, nil, 0o600); err != nil {
			return err
		}
		if err := d.syncDir(journalDir); err != nil {
			return err
		}
	}
	touched := map[string]bool{}
	var errs []error
	for i, m := range slices.Backward(moves) {
		touched[path.Dir(m.Name)] = true
		var err error
		switch m.Op {
		case "take":
			err = d.giveBack(spare(i, m), m)
		case "mkdir":
			if info, lerr := d.root.Lstat(m.Name); lerr == nil && info.IsDir() {
				if perr := d.at("remove", m.Name); perr != nil {
					err = perr
				} else {
					d.root.Remove(m.Name) // fails if somebody has put something there
				}
			}
		case "put":
			err = d.unput(spare(i, m), m)
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if err := d.sync(touched); err != nil {
		return err
	}
	if err := d.remove(journalName); err != nil {
		return err
	}
	d.clear()
	return nil
}

// unput moves a new file out of its place, if it is there and still ours.
func (d disk) unput(to string, m move) error {
	if m.Mode&fs.ModeSymlink != 0 {
		if target, err := d.root.Readlink(m.Name); err == nil && target == m.Link {
			return d.remove(m.Name)
		}
		return nil
	}
	if _, err := d.root.Lstat(to); err == nil {
		if same(d.root, to, m.Name) {
			return d.remove(m.Name) // it has both names
		}
		return nil // it never came
	}
	if !d.isOurs(m.Name, m) {
		return nil // it is back already, or somebody has changed or removed it
	}
	if err := d.rename(m.Name, to); err != nil {
		return err
	}
	if d.isOurs(to, m) {
		return nil
	}
	return d.place(to, m.Name) // somebody changed it just now: theirs stays
}

func (d disk) isOurs(name string, m move) bool {
	info, err := d.root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	e, _, err := readEntry(d.root, name, info, m.Size+1)
	return err == nil && e.hash == m.Hash
}

// giveBack brings an old file to its place, as put does. If somebody has put another there it is as if they had
// replaced the old one, which is gone then.
func (d disk) giveBack(from string, m move) error {
	info, err := d.root.Lstat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was never taken
	}
	if err != nil {
		return err
	}
	for _, dir := range parents(m.Name) {
		if _, err := d.root.Lstat(dir); isMissing(err) {
			if err := d.mkdir(dir); isMissing(err) {
				return nil // a file stands in the way
			} else if err != nil {
				return err
			}
		}
	}
	if info.Mode().IsRegular() {
		err = d.place(from, m.Name)
	} else if _, lerr := d.root.Lstat(m.Name); lerr != nil {
		err = d.rename(from, m.Name)
	}
	if errors.Is(err, fs.ErrExist) || isMissing(err) {
		return nil
	}
	return err
}

// prune removes the folders that the change has emptied. It is no part of the promise.
func (d disk) prune(edits []replace) {
	for _, e := range edits {
		if e.want != nil {
			continue
		}
		for _, dir := range slices.Backward(parents(e.name)) {
			if info, err := d.root.Lstat(dir); err != nil || !info.IsDir() || d.root.Remove(dir) != nil {
				break
			}
		}
	}
}
