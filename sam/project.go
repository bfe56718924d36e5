package sam

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// A File describes a file of a project.
type File struct {
	Name    string
	Size    int64  // in bytes
	Hash    string // SHA-256 in lower-case hex
	ModTime time.Time
}

// A Project is one app. It is safe for concurrent use, and handles of one
// project agree, whatever workspace they come from: what one has written
// the others read.
type Project struct {
	ws      *Workspace
	id      ProjectID
	name    string // of its space
	space   Space
	changes Counter // the space, if it counts
	looks   looker  // the space, if people edit its files
	life    string  // of the project that was opened; see headRecord

	cur     atomic.Pointer[current]
	loading lock // guards refreshing cur
	writing lock // guards names and a write from its plan to its commit
	names   *nameSet
	namesOf Version // the head that names belongs to

	entry atomic.Pointer[gate] // nil until asked for; see gate
	state stateUse

	checkpointing lock // held while a checkpoint is made or deleted
	history       atomic.Pointer[history]
}

// A current is an index, and the count of changes up to which it is the newest.
type current struct {
	count uint64
	x     *index
}

func newProject(w *Workspace, id ProjectID) *Project {
	p := &Project{ws: w, id: id, name: w.spaceOf(id)}
	p.space = w.store.Space(p.name)
	p.changes, _ = p.space.(Counter)
	p.looks, _ = p.space.(looker)
	return p
}

// A looker is a space whose files people edit. lookAt makes their edits of the
// files named, or of all, known to Changes.
type looker interface {
	lookAt(ctx context.Context, names ...string) error
}

// look makes edits of people known at once that would else be some time later.
func (p *Project) look(ctx context.Context, names ...string) error {
	if p.looks == nil {
		return nil
	}
	if err := p.looks.lookAt(ctx, names...); err != nil {
		return fmt.Errorf("sam: project %q: %w", p.id, err)
	}
	return nil
}

// ID returns the project's name in its workspace.
func (p *Project) ID() ProjectID { return p.id }

// Owner returns the owner of the project's workspace.
func (p *Project) Owner() string { return p.ws.owner }

// gone reports that the project was deleted.
func (p *Project) gone() error {
	return fmt.Errorf("sam: project %q: %w", p.id, fs.ErrNotExist)
}

// index returns the files of now. If nothing changed it does no I/O.
func (p *Project) index(ctx context.Context) (*index, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if p.changes != nil {
		if cur := p.cur.Load(); cur != nil && cur.count == p.changes.Changes() {
			return cur.x, nil
		}
	}
	return p.refresh(ctx)
}

// refresh asks the store whether the files changed, and reads those that did.
func (p *Project) refresh(ctx context.Context) (*index, error) {
	if err := p.loading.acquire(ctx); err != nil {
		return nil, err
	}
	defer p.loading.release()
	var count uint64
	var prev *index
	cur := p.cur.Load()
	if cur != nil {
		prev = cur.x
	}
	if p.changes != nil {
		// Read before the store is, so that a change meanwhile is noticed next time.
		count = p.changes.Changes()
		if cur != nil && cur.count == count {
			return prev, nil
		}
	}
	value, e, err := p.space.Get(ctx, headKey)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, p.gone()
	}
	if err != nil {
		return nil, fmt.Errorf("sam: project %q: %w", p.id, err)
	}
	if prev != nil && prev.version == e.Version {
		p.cur.Store(&current{count, prev})
		return prev, nil
	}
	head, err := parseHead(value)
	if err != nil {
		return nil, err
	}
	if p.life != "" && head.Life != p.life {
		return nil, p.gone()
	}
	x, err := loadIndex(ctx, p.space, prev)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, p.gone()
	}
	if err != nil {
		return nil, fmt.Errorf("sam: project %q: %w", p.id, err)
	}
	if p.life != "" && x.head.Life != p.life {
		return nil, p.gone()
	}
	p.set(count, x)
	return x, nil
}

// set makes x current. loading is held, or the project is not shared yet.
func (p *Project) set(count uint64, x *index) {
	p.life = x.head.Life
	p.cur.Store(&current{count, x})
	p.ws.weigh(p, x.weight())
}

// Revision returns a token that stands for the files of now: it differs whenever
// they differ, and is never used again. With a store that counts changes, as
// those of this module do, it costs nanoseconds and no I/O if nothing changed.
func (p *Project) Revision(ctx context.Context) (Version, error) {
	x, err := p.index(ctx)
	if err != nil {
		return "", err
	}
	return x.version, nil
}

// Info describes the project.
func (p *Project) Info(ctx context.Context) (Info, error) {
	x, err := p.index(ctx)
	if err != nil {
		return Info{}, err
	}
	return x.head.info(p.id), nil
}

// ReadFile returns the contents of a file, which the caller may keep.
func (p *Project) ReadFile(ctx context.Context, name string) ([]byte, error) {
	if err := p.look(ctx, name); err != nil {
		return nil, err
	}
	for {
		x, err := p.index(ctx)
		if err != nil {
			return nil, err
		}
		r := x.find(name)
		if r == nil {
			return nil, pathError("read", name, fs.ErrNotExist)
		}
		if r.blob {
			data, err := p.readBlob(ctx, r)
			return data, pathError("read", name, err)
		}
		data, err := projectFS{ctx, p, x}.small(r)
		if errors.Is(err, ErrConflict) {
			continue // it changed between the two reads
		}
		return append([]byte{}, data...), pathError("read", name, err)
	}
}

// readBlob returns the contents of a large file.
func (p *Project) readBlob(ctx context.Context, r *fileRecord) ([]byte, error) {
	b, err := p.ws.store.Blobs().Open(ctx, r.Hash)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	buf := bytes.NewBuffer(make([]byte, 0, min(r.Size, 64<<20)+bytes.MinRead))
	if _, err := buf.ReadFrom(contextReader{ctx, b}); err != nil {
		return nil, err
	}
	if int64(buf.Len()) != r.Size {
		return nil, fmt.Errorf("has %d of its %d bytes: %w", buf.Len(), r.Size, io.ErrUnexpectedEOF)
	}
	return buf.Bytes(), nil
}

// Stat describes a file.
func (p *Project) Stat(ctx context.Context, name string) (File, error) {
	if err := p.look(ctx, name); err != nil {
		return File{}, err
	}
	x, err := p.index(ctx)
	if err != nil {
		return File{}, err
	}
	r := x.find(name)
	if r == nil {
		return File{}, pathError("stat", name, fs.ErrNotExist)
	}
	return r.File, nil
}

// Files yields the files whose names start with prefix, in the order of their
// bytes. All are of one moment.
func (p *Project) Files(ctx context.Context, prefix string) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		err := p.look(ctx)
		var x *index
		if err == nil {
			x, err = p.index(ctx)
		}
		if err != nil {
			yield(File{}, err)
			return
		}
		for _, name := range x.below(prefix) {
			if err := ctx.Err(); err != nil {
				yield(File{}, err)
				return
			}
			if !yield(x.files[name].File, nil) {
				return
			}
		}
	}
}

// FS is a read-only view of this moment. It uses ctx for every read. Its files
// seek, and their FileInfo's Sys is a [File].
//
// The view never shows a later moment. Small files are held in memory, up to
// 32 MiB a project; beyond that, reading one that has changed since gives
// [ErrConflict].
//
// If the project can't be read, every call of the view returns the reason.
func (p *Project) FS(ctx context.Context) fs.FS {
	x, err := p.index(ctx)
	if err != nil {
		return brokenFS{err}
	}
	return projectFS{ctx, p, x}
}

type brokenFS struct{ err error }

func (b brokenFS) Open(name string) (fs.File, error) { return nil, pathError("open", name, b.err) }

// Watch yields the files that are written or removed from now on, until ctx
// ends. A removed file has no hash. Changes that follow each other closely are
// yielded as one. It ends with an error if the project is deleted.
func (p *Project) Watch(ctx context.Context) iter.Seq2[File, error] {
	wake := p.wakes(ctx)
	seen, err := p.index(ctx)
	return func(yield func(File, error) bool) {
		for _, werr := range wake {
			if err == nil {
				err = werr
			}
			var x *index
			if err == nil {
				x, err = p.index(ctx)
			}
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				yield(File{}, err)
				return
			}
			for _, f := range x.diff(seen) {
				if !yield(f, nil) {
					return
				}
			}
			seen = x
		}
	}
}

// watchEvery is how often a project is looked at whose store has no Watcher.
const watchEvery = 300 * time.Millisecond

// wakes yields once, then whenever the files may have changed.
func (p *Project) wakes(ctx context.Context) iter.Seq2[struct{}, error] {
	var events iter.Seq2[Entry, error]
	if w, ok := p.space.(Watcher); ok {
		events = w.Watch(ctx, headKey)
	}
	return func(yield func(struct{}, error) bool) {
		if ctx.Err() != nil || !yield(struct{}{}, nil) {
			return
		}
		if events != nil {
			for _, err := range events {
				if !yield(struct{}{}, err) {
					return
				}
			}
			return
		}
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if !yield(struct{}{}, nil) {
					return
				}
			}
		}
	}
}

// IsText reports whether an editor should open a file with these contents, of
// which head is the beginning.
func IsText(name string, head []byte) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".ico", ".bmp", ".woff", ".woff2", ".ttf", ".otf", ".eot",
		".mp3", ".mp4", ".webm", ".ogg", ".wav", ".flac", ".mov", ".pdf", ".zip", ".gz", ".br", ".zst", ".sam", ".wasm", ".db", ".sqlite":
		return false
	}
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		switch {
		case r == utf8.RuneError && n == 1:
			return !utf8.FullRune(head) // a rune that the end of head cuts
		case r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' && r != 0x1b:
			return false
		}
		head = head[n:]
	}
	return true
}
