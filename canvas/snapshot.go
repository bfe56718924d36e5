package canvas

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"net/http"
	"path"
	"slices"
	"sync"
	"time"

	"samkit.dev/sam"
)

// snapshotPrefix starts the path element that names the checkpoint an app is pinned to. What lies
// below it never changes, so browsers keep it.
const snapshotPrefix = "~at."

// A source is the files of an app: the project, or a checkpoint of it.
type source interface {
	Stat(ctx context.Context, name string) (sam.File, error)
	ReadFile(ctx context.Context, name string) ([]byte, error)
	Files(ctx context.Context, prefix string) iter.Seq2[sam.File, error]
	FS(ctx context.Context) fs.FS
}

var (
	_ source = (*sam.Project)(nil)
	_ source = checkpoint{}
)

// A checkpoint is the files of a checkpoint. What is not in memory is read as long as the view's
// context lives, which is the handler's.
type checkpoint struct{ view fs.FS }

func (c checkpoint) Stat(_ context.Context, name string) (sam.File, error) {
	info, err := fs.Stat(c.view, name)
	if err != nil {
		return sam.File{}, err
	}
	f, ok := info.Sys().(sam.File)
	if !ok {
		return sam.File{}, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist} // a folder
	}
	return f, nil
}

func (c checkpoint) ReadFile(_ context.Context, name string) ([]byte, error) {
	return fs.ReadFile(c.view, name)
}

func (c checkpoint) Files(ctx context.Context, prefix string) iter.Seq2[sam.File, error] {
	return func(yield func(sam.File, error) bool) {
		err := fs.WalkDir(c.view, path.Join(".", prefix), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			f, err := c.Stat(ctx, name)
			if err == nil && !yield(f, nil) {
				err = fs.SkipAll
			}
			return err
		})
		if err != nil {
			yield(sam.File{}, err)
		}
	}
}

func (c checkpoint) FS(context.Context) fs.FS { return c.view }

// maxSnapshots is how many checkpoints of one project are kept prepared.
const maxSnapshots = 4

// snapshotAge is how long a deleted checkpoint may go unnoticed.
const snapshotAge = 10 * time.Second

// snapshots are the generations of checkpoints that apps of a project are pinned to.
type snapshots struct {
	making sync.Mutex // held while one is made; before mu
	mu     sync.Mutex // guards all
	all    []*generation
}

// generationAt returns what was prepared of a checkpoint, or of the project as it is now if id is empty.
func (s *site) generationAt(ctx context.Context, id string) (*generation, error) {
	if id == "" {
		return s.generation(ctx)
	}
	if _, err := s.project.Revision(ctx); err != nil {
		return nil, err // the project is gone, and with it what it was
	}
	c := &s.snapshots
	if g := c.find(id); g != nil && g.fresh() {
		return g, nil
	}
	c.making.Lock()
	defer c.making.Unlock()
	known := c.find(id)
	if known != nil && known.fresh() {
		return known, nil
	}
	view, err := s.project.CheckpointFS(s.h.done, id)
	switch {
	case errors.Is(err, fs.ErrNotExist) && known != nil:
		c.remove(known)
		s.h.hold(-known.retire())
		return nil, err
	case err != nil:
		return nil, err
	case known != nil:
		known.seen.Store(time.Now().UnixNano())
		return known, nil
	}
	g, err := s.newGenerationOf(checkpoint{view}, sam.Version("checkpoint "+id), view)
	if err != nil {
		return nil, err
	}
	g.snapshot = id
	g.seen.Store(time.Now().UnixNano())
	first, out := c.add(g)
	if out != nil {
		s.h.hold(-out.retire())
	}
	if first {
		s.h.warmed()
	}
	return g, nil
}

// fresh reports whether the checkpoint was there a short time ago.
func (g *generation) fresh() bool {
	return time.Since(time.Unix(0, g.seen.Load())) < g.site.h.snapshotAge
}

// find returns the generation of a checkpoint, or nil.
func (c *snapshots) find(id string) *generation {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, g := range c.all {
		if g.snapshot == id {
			copy(c.all[1:], c.all[:i]) // the one used last comes first
			c.all[0] = g
			return g
		}
	}
	return nil
}

// add keeps a generation. It reports whether it is the first, and returns the one that has to go for it, or nil.
func (c *snapshots) add(g *generation) (first bool, out *generation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	first = len(c.all) == 0
	c.all = slices.Insert(c.all, 0, g)
	if len(c.all) > maxSnapshots {
		out, c.all = c.all[maxSnapshots], c.all[:maxSnapshots]
	}
	return first, out
}

func (c *snapshots) remove(g *generation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = slices.DeleteFunc(c.all, func(other *generation) bool { return other == g })
}

func (c *snapshots) empty() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.all) == 0
}

// drop forgets the responses prepared of checkpoints, and returns how many bytes they had.
func (c *snapshots) drop() (n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, g := range c.all {
		n += g.drop()
	}
	return n
}

// chill gives all of it up, likewise.
func (c *snapshots) chill() (n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, g := range c.all {
		n += g.retire()
	}
	c.all = nil
	return n
}

// generation returns what was prepared of the files that this app shows.
func (v *visit) generation() (*generation, error) {
	return v.site.generationAt(v.ctx(), v.app.Snapshot)
}

// pinned answers for a path that names another checkpoint than the app's, or none where a page
// belongs below one. Whoever comes for a page is sent on; functions.js answers the pages that are still open.
// Under Own, where pages use paths from the root, they stay there.
func (v *visit) pinned(gen *generation) bool {
	at, want := v.loc.snapshot, v.app.Snapshot
	if at == want || at == "" && v.h.own != nil {
		return false
	}
	if v.r.Method == http.MethodGet && navigation(v.r) {
		to := v.loc.top()
		if want != "" && v.h.own == nil {
			to += snapshotPrefix + want + "/"
		}
		v.redirect(http.StatusFound, to+escape(v.loc.name)+query(v.r))
		return true
	}
	if at == "" || gen.config.functionsFirst("/"+v.loc.name) {
		return false
	}
	v.notFound()
	return true
}

// caching says how long a browser may keep a file. A page is asked for each time, by rights, and since
// what a script gets of it differs from what is shown.
func (v *visit) caching(file string, status int) []string {
	switch {
	case v.loc.snapshot == "" || v.loc.snapshot != v.app.Snapshot || status != http.StatusOK || isPage(file):
		return valNoCache
	case v.loc.token != "" || v.h.asksWho():
		return valMine
	}
	return valForever
}
