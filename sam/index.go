package sam

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
)

// maxHeld is how many bytes of small files a project keeps in memory.
const maxHeld = 32 << 20

// An index is the files of a project at one moment. It never changes.
type index struct {
	version Version // of the head
	head    headRecord
	files   map[string]*fileRecord
	names   []string // of files, sorted
	bytes   int64    // of all files
	held    int64    // bytes of contents in memory
	past    bool     // it is of a checkpoint, which keeps the contents

	dirsOnce sync.Once
	dirs     map[string][]fs.DirEntry // by folder, made when first asked for
}

// errMoved reports that a space changed while it was read.
var errMoved = errors.New("sam: changed while reading")

// view shows fn one moment of a space, another one if people change files of
// theirs in it meanwhile: fn starts anew then.
func view(ctx context.Context, v Viewer, fn func(Space) error) error {
	for range commitTries {
		if err := v.View(ctx, fn); !errors.Is(err, errMoved) {
			return err
		}
	}
	return fmt.Errorf("sam: the project changes faster than it can be read: %w", ErrConflict)
}

// loadIndex reads a project's files, all of one moment. Records that prev has
// in the same version are not read again.
func loadIndex(ctx context.Context, s Space, prev *index) (x *index, err error) {
	if v, ok := s.(Viewer); ok {
		err = view(ctx, v, func(s Space) error {
			x, err = readIndex(ctx, s, prev)
			return err
		})
		return x, err
	}
	for range 100 {
		x, err = readIndex(ctx, s, prev)
		if err == nil {
			_, e, err := s.Get(ctx, headKey)
			if err != nil {
				return nil, err
			}
			if e.Version == x.version {
				return x, nil
			}
			prev = x // what was read needs no second reading
			continue
		}
		if !errors.Is(err, errMoved) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("sam: the project changes faster than it can be read: %w", ErrConflict)
}

// readIndex reads the records once.
func readIndex(ctx context.Context, s Space, prev *index) (*index, error) {
	value, e, err := s.Get(ctx, headKey)
	if err != nil {
		return nil, err
	}
	x := &index{version: e.Version, files: map[string]*fileRecord{}}
	if x.head, err = parseHead(value); err != nil {
		return nil, err
	}
	for e, err := range s.List(ctx, filePrefix, "") {
		if err != nil {
			return nil, err
		}
		name := strings.TrimPrefix(e.Key, filePrefix)
		if prev != nil {
			if r := prev.files[name]; r != nil && r.version == e.Version {
				x.add(r)
				continue
			}
		}
		r, err := readRecord(ctx, s, name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, errMoved
		}
		if err != nil {
			return nil, err
		}
		x.add(r)
	}
	slices.Sort(x.names)
	return x, nil
}

func readRecord(ctx context.Context, s Space, name string) (*fileRecord, error) {
	value, e, err := s.Get(ctx, filePrefix+name)
	if err != nil {
		return nil, err
	}
	r, err := parseRecord(name, value)
	if err != nil {
		return nil, fmt.Errorf("file %q: %w", name, err)
	}
	r.version = e.Version
	return r, nil
}

// add is used only while an index is made.
func (x *index) add(r *fileRecord) {
	if r.data != nil && x.held+r.Size > maxHeld {
		bare := *r
		bare.data = nil
		r = &bare
	}
	if r.data != nil {
		x.held += r.Size
	}
	x.files[r.Name] = r
	x.names = append(x.names, r.Name)
	x.bytes += r.Size
}

// with returns the index after a commit. Nil records are removed files.
func (x *index) with(version Version, head headRecord, changed map[string]*fileRecord) *index {
	y := &index{version: version, head: head, files: maps.Clone(x.files), bytes: x.bytes, held: x.held}
	var added []string
	removed := false
	for name, r := range changed {
		old := y.files[name]
		if old != nil {
			y.bytes -= old.Size
			if old.data != nil {
				y.held -= old.Size
			}
		}
		if r == nil {
			delete(y.files, name)
			removed = true
			continue
		}
		if old == nil {
			added = append(added, name)
		}
		if r.blob || y.held+r.Size > maxHeld {
			r.data = nil
		} else {
			y.held += r.Size
		}
		y.files[name] = r
		y.bytes += r.Size
	}
	y.names = x.names
	if removed || len(added) > 0 {
		y.names = make([]string, 0, len(y.files))
		for _, name := range x.names {
			if y.files[name] != nil {
				y.names = append(y.names, name)
			}
		}
		y.names = append(y.names, added...)
		slices.Sort(y.names)
	}
	return y
}

// recordBytes is about what a record takes in memory, without its contents.
const recordBytes = 400

// weight returns about how many bytes of memory the index takes.
func (x *index) weight() int64 { return x.held + recordBytes*int64(len(x.files)+1) }

// find returns the record of a name, or of the one that is the same in Unicode's
// composed form.
func (x *index) find(name string) *fileRecord {
	if r := x.files[name]; r != nil || isASCII(name) {
		return r
	}
	same := composed(name)
	for n, r := range x.files {
		if !isASCII(n) && composed(n) == same {
			return r
		}
	}
	return nil
}

// below returns the names that start with prefix.
func (x *index) below(prefix string) []string {
	i, _ := slices.BinarySearch(x.names, prefix)
	j := i
	for j < len(x.names) && strings.HasPrefix(x.names[j], prefix) {
		j++
	}
	return x.names[i:j]
}

// diff returns the files that differ, sorted. Those that are gone have no hash.
func (x *index) diff(old *index) []File {
	var files []File
	for name, r := range x.files {
		if o := old.files[name]; o == nil || o.Hash != r.Hash {
			files = append(files, r.File)
		}
	}
	for name := range old.files {
		if x.files[name] == nil {
			files = append(files, File{Name: name})
		}
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files
}
