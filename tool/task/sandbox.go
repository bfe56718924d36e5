package task

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"samkit.dev/sam"
	"samkit.dev/tool"
)

// A RefusedError reports what the policy does not let a stage do. It matches [ErrRefused] and
// fs.ErrPermission.
type RefusedError struct{ Refusal }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("task: refused: %s %s %s", e.Kind, e.What, e.Reason)
}

// Is reports whether target is ErrRefused or fs.ErrPermission.
func (e *RefusedError) Is(target error) bool {
	return target == ErrRefused || target == fs.ErrPermission
}

// A sandbox is the files of one run: those of the ground when it began, and what the
// stages made of them. Contents are held once, by their hash; to go back is
// to take up an older list of names.
type sandbox struct {
	run     *Run
	plan    *plan
	input   json.RawMessage
	backend Backend
	env     []string
	modes   bool // the ground has permissions and links
	emit    func(Event)
	blobs   *blobs
	base    map[string]entry // of the ground at the beginning
	folders []string         // of the ground, those that are empty too
	from    *resumption      // nil for a run that begins anew
	early   []Refusal        // for the report of the first stage
	begins  []begin          // of the stages so far
	last    map[string]entry // the files when the last stage had ended, held or not

	cmd sync.Mutex // held while a command runs and its files are looked at
	co  *checkout  // nil before a backend asks for it; guarded by cmd

	mu        sync.Mutex // guards the rest
	now       *tree
	size      int64 // bytes of now
	snapshots map[string]snapshot
	tmp       string // the folder of files of this program's own, "" before it is needed
}

// A snapshot is the files that patterns match.
type snapshot struct {
	patterns []tool.Pattern
	files    map[string]entry
}

// folder returns a folder of the run's own, made when first asked for.
func (s *sandbox) folder(name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tmp == "" {
		dir, err := os.MkdirTemp("", "samkit-task-")
		if err != nil {
			return "", err
		}
		s.tmp = dir
	}
	dir := filepath.Join(s.tmp, name)
	return dir, os.MkdirAll(dir, 0o700)
}

// close removes what the run has on the disk.
func (s *sandbox) close() error {
	s.cmd.Lock()
	defer s.cmd.Unlock()
	if s.co != nil {
		s.co.root.Close()
		s.co = nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tmp == "" {
		return nil
	}
	dir := s.tmp
	s.tmp = ""
	return removeAll(dir)
}

// removeAll is os.RemoveAll that gets through folders made unreadable.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// mayWrite returns why a stage may not write a file, or nil.
func (s *sandbox) mayWrite(w *Work, name string) error {
	switch {
	case !comparable(name):
		return w.refuse("write", name, "is no name that can be compared with a policy")
	case s.plan.rules.denied(name):
		return w.refuse("write", name, "is denied")
	case !writes(w.step.writes, name):
		return w.refuse("write", name, "is not writable")
	}
	return nil
}

// read returns contents, which the caller must not change.
func (s *sandbox) read(w *Work, name string) ([]byte, error) {
	if comparable(name) && s.plan.rules.denied(name) {
		return nil, w.refuse("read", name, "is denied")
	}
	s.mu.Lock()
	e, there := s.now.files[name]
	s.mu.Unlock()
	switch {
	case !there:
		return nil, fs.ErrNotExist
	case e.link():
		return nil, w.refuse("read", name, "is a symbolic link, which no task follows")
	}
	return s.blobs.get(e.hash)
}

// An edit sets a file, or removes it if entry is nil.
type edit struct {
	name  string
	entry *entry
}

// apply makes edits, all or none. They may be made by the stage.
func (s *sandbox) apply(edits []edit) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := map[string]*entry{}
	size := s.size
	undo := func(err error) error {
		for name := range before {
			s.now.remove(name)
		}
		for name, e := range before {
			if e != nil {
				s.now.put(name, *e)
			}
		}
		return err
	}
	for _, ed := range edits {
		var old *entry
		if e, there := s.now.files[ed.name]; there {
			old = &e
			size -= e.size
		}
		if _, noted := before[ed.name]; !noted {
			before[ed.name] = old
		}
		if ed.entry == nil {
			s.now.remove(ed.name)
			continue
		}
		if err := s.now.set(ed.name, *ed.entry); err != nil {
			return undo(fmt.Errorf("task: %s: %w", ed.name, err))
		}
		if size += ed.entry.size; size > s.blobs.max {
			return undo(fmt.Errorf("%w: its files are larger than %d bytes", ErrLimit, s.blobs.max))
		}
	}
	if len(s.now.files) > maxFiles {
		return undo(fmt.Errorf("%w: more than %d files", ErrLimit, maxFiles))
	}
	s.size = size
	return nil
}

// maxFiles bounds the files of a run.
const maxFiles = 200_000

// moment returns the files of now.
func (s *sandbox) moment() map[string]entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.now.files)
}

// goBack makes the files what they were.
func (s *sandbox) goBack(files map[string]entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.become(files)
	s.size = sizeOf(files)
}

func sizeOf(files map[string]entry) (n int64) {
	for _, e := range files {
		n += e.size
	}
	return n
}

// diff returns the change of a file between two moments.
func (s *sandbox) diff(name string, before, after map[string]entry) (Change, error) {
	c := Change{Name: name, Kind: "changed"}
	load := func(files map[string]entry) (*side, error) {
		e, there := files[name]
		if !there {
			return nil, nil
		}
		data, err := s.blobs.get(e.hash)
		mode := "100644"
		switch {
		case e.link():
			mode = "120000"
		case e.mode&0o111 != 0:
			mode = "100755"
		}
		return &side{data, mode}, err
	}
	a, err := load(before)
	b, err2 := load(after)
	switch {
	case a == nil:
		c.Kind = "added"
	case b == nil:
		c.Kind = "removed"
	}
	if err = errors.Join(err, err2); err != nil {
		return c, fmt.Errorf("task: compare %s: %w", name, err)
	}
	c.Diff = patch(name, a, b)
	return c, nil
}

// event tells who watches the run.
func (s *sandbox) event(stage, kind, format string, args ...any) {
	s.emit(Event{s.run.ID, s.plan.name, stage, kind, fmt.Sprintf(format, args...), time.Now()})
}

// view is the files as a stage sees them, at each call.
type view struct {
	s *sandbox
	w *Work
}

var (
	_ fs.ReadFileFS = view{}
	_ fs.ReadDirFS  = view{}
	_ fs.StatFS     = view{}
)

func (v view) Open(name string) (fs.File, error) {
	info, err := v.Stat(name)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	if info.IsDir() {
		entries, err := v.ReadDir(name)
		return &openDir{info: info, entries: entries}, err
	}
	data, err := v.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return &openFile{info, strings.NewReader(string(data))}, nil
}

func pathError(op, name string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

func (v view) ReadFile(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, pathError("open", name, fs.ErrInvalid)
	}
	if err := v.w.alive(); err != nil {
		return nil, pathError("open", name, err)
	}
	data, err := v.s.read(v.w, name)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return slices.Clone(data), nil
}

func (v view) Stat(name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, pathError("stat", name, fs.ErrInvalid)
	}
	if err := v.w.alive(); err != nil {
		return nil, pathError("stat", name, err)
	}
	if comparable(name) && v.s.plan.rules.denied(name) {
		return nil, pathError("stat", name, v.w.refuse("read", name, "is denied"))
	}
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	if e, there := v.s.now.files[name]; there {
		return fileInfo{name, e, v.s.run.Started}, nil
	}
	if v.s.now.kids[name] != nil {
		return fileInfo{name, entry{mode: fs.ModeDir | 0o755}, v.s.run.Started}, nil
	}
	return nil, pathError("stat", name, fs.ErrNotExist)
}

func (v view) ReadDir(name string) ([]fs.DirEntry, error) {
	if !fs.ValidPath(name) {
		return nil, pathError("readdir", name, fs.ErrInvalid)
	}
	if err := v.w.alive(); err != nil {
		return nil, pathError("readdir", name, err)
	}
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	kids := v.s.now.kids[name]
	if kids == nil {
		return nil, pathError("readdir", name, fs.ErrNotExist)
	}
	var entries []fs.DirEntry
	for _, kid := range slices.Sorted(maps.Keys(kids)) {
		e := entry{mode: fs.ModeDir | 0o755}
		full := kid
		if name != "." {
			full = name + "/" + kid
		}
		if !kids[kid] {
			e = v.s.now.files[full]
		}
		entries = append(entries, fs.FileInfoToDirEntry(fileInfo{full, e, v.s.run.Started}))
	}
	return entries, nil
}

type fileInfo struct {
	name string
	entry
	time time.Time
}

func (i fileInfo) Name() string       { return i.name[strings.LastIndex(i.name, "/")+1:] }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) Mode() fs.FileMode  { return i.mode }
func (i fileInfo) ModTime() time.Time { return i.time }
func (i fileInfo) IsDir() bool        { return i.mode.IsDir() }

// Sys is a sam.File, as that of a project's.
func (i fileInfo) Sys() any {
	if i.IsDir() {
		return nil
	}
	return sam.File{Name: i.name, Size: i.size, Hash: i.hash, ModTime: i.time}
}

type openFile struct {
	info fs.FileInfo
	*strings.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFile) Close() error               { return nil }

type openDir struct {
	info    fs.FileInfo
	entries []fs.DirEntry
	at      int
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *openDir) Close() error               { return nil }
func (d *openDir) Read([]byte) (int, error) {
	return 0, pathError("read", d.info.Name(), errors.New("is a folder"))
}

func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	rest := d.entries[d.at:]
	if n > 0 {
		if len(rest) == 0 {
			return nil, io.EOF
		}
		rest = rest[:min(n, len(rest))]
	}
	d.at += len(rest)
	return rest, nil
}

// files are a sandbox as commands of package wasi see it.
type files struct {
	s *sandbox
	w *Work
}

// FS implements wasi.Files.
func (f files) FS(context.Context) fs.FS { return view(f) }

// Apply implements wasi.Files.
func (f files) Apply(_ context.Context, edits ...sam.Edit) error { return f.w.edit(edits) }
