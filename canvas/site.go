package canvas

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"samkit.dev/host/console"
	"samkit.dev/sam"
)

// A site is what a handler keeps about one project.
type site struct {
	h       *Handler
	project *sam.Project
	hub     hub
	meter   meter                          // of console entries from pages
	console *console.Buffer                // for apps that have none
	serial  uint64                         // of the project's workers, with the handler's nonce
	out     atomic.Pointer[console.Buffer] // of the app last asked for
	busy    atomic.Int64                   // requests that functions.js is answering
	users   atomic.Int64                   // those that siteOf gave it to and that have not left; grows under the handler's mu
	used    atomic.Int64                   // when it was last asked for, in Unix nanoseconds

	gen      atomic.Pointer[generation]
	building sync.Mutex // guards replacing gen

	snapshots snapshots
	rewriting turn // of pages that are for one visitor

	storing sync.Mutex // guards changing what visitors' localStorage holds

	mu       sync.Mutex // guards what follows
	policies []*policy
	scripts  scriptCache
	told     map[string]bool // remarks that the console has
	crons    map[cronRun]bool
}

// maxSites is how many projects a handler keeps something about. The others
// are prepared again when asked for.
const maxSites = 10_000

// siteOf returns the site of an app's project. It stays while the caller has it, who says when that is over: leave.
func (h *Handler) siteOf(app *App) *site {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sites[app.Project]
	if s == nil {
		if len(h.sites) >= maxSites {
			h.dropSites()
		}
		s = h.newSite(app.Project)
		h.sites[app.Project] = s
	}
	s.users.Add(1)
	s.used.Store(time.Now().UnixNano())
	s.out.Store(app.consoleOf(s))
	return s
}

func (s *site) leave() { s.users.Add(-1) }

// newSite makes the site of a project, with the workers that an earlier one had. The caller holds mu.
func (h *Handler) newSite(p *sam.Project) *site {
	serial, had := h.parted[p]
	if had {
		delete(h.parted, p)
	} else {
		h.serial++
		serial = h.serial
	}
	return &site{h: h, project: p, console: console.NewBuffer(0), serial: serial}
}

// domain stands for the project towards the engine, which other handlers may use too.
func (s *site) domain() string { return s.h.nonce + "." + strconv.FormatUint(s.serial, 36) }

// part forgets a site that has nothing by now which can't be made again, but for whose its workers are: of many
// projects that were asked for once, eight bytes stay.
func (h *Handler) part(s *site) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || !s.free() || !s.bare() || h.sites[s.project] != s {
		return
	}
	if len(h.parted) >= maxSites {
		clear(h.parted) // they get other workers
	}
	h.parted[s.project] = s.serial
	delete(h.sites, s.project)
}

// free reports that nobody uses the site. Nobody comes while the caller holds the handler's mu.
func (s *site) free() bool { return s.users.Load() == 0 && s.busy.Load() == 0 && s.hub.empty() }

// bare reports that nothing of the project is prepared, and nothing remembered.
func (s *site) bare() bool {
	if _, last := s.console.Range(); last > 0 || s.gen.Load() != nil || !s.snapshots.empty() || s.scripts.open.Load() > 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.told) == 0 && len(s.crons) == 0
}

// dropSites forgets half of the sites: the idle ones without open pages. The
// caller holds mu.
func (h *Handler) dropSites() {
	for _, s := range h.oldest() {
		if len(h.sites) <= maxSites/2 {
			return
		}
		if s.free() {
			h.held -= s.drop()
			delete(h.sites, s.project)
			h.closing(s, true)
		}
	}
}

// closing releases a site's databases, which may take a while, and lets Close
// wait for it. A site that stays keeps them if a request came meanwhile. The caller holds mu.
func (h *Handler) closing(s *site, gone bool) {
	if h.closed {
		return // Close does it
	}
	n := s.scripts.open.Swap(0)
	if n == 0 {
		return
	}
	h.databases.Add(-n)
	h.active.Add(1)
	go func() {
		defer h.active.Done()
		c := &s.scripts
		c.mu.Lock()
		defer c.mu.Unlock()
		if !gone && s.busy.Load() > 0 { // it was counted before it asked for c.mu
			c.open.Add(n)
			h.databases.Add(n)
			return
		}
		if err := c.close(); err != nil {
			h.log.Error("canvas: closing a database", "project", s.project.ID(), "err", err)
		}
	}()
}

// maxDatabases is how many of the projects' databases a handler keeps open.
// Each takes some megabytes; one that is closed is opened again when asked for.
const maxDatabases = 100

// opened counts a database that was opened, and closes those of the projects
// that were not asked for the longest if there are too many.
func (h *Handler) opened() {
	if h.databases.Add(1) <= h.maxDatabases {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.oldest() {
		if h.databases.Load() <= h.maxDatabases*3/4 {
			return
		}
		if s.busy.Load() == 0 && s.scripts.open.Load() > 0 {
			h.closing(s, false)
		}
	}
}

// oldest returns the sites by use, the least recent first. The caller holds mu.
func (h *Handler) oldest() []*site {
	type aged struct {
		s  *site
		at int64
	}
	all := make([]aged, 0, len(h.sites))
	for _, s := range h.sites {
		all = append(all, aged{s, s.used.Load()})
	}
	slices.SortFunc(all, func(a, b aged) int { return int(min(1, max(-1, a.at-b.at))) })
	out := make([]*site, len(all))
	for i, a := range all {
		out[i] = a.s
	}
	return out
}

// maxHeld bounds the bytes of prepared responses of a handler, beside their encodings.
const maxHeld = 64 << 20

// hold counts n more bytes of prepared responses, and makes room.
func (h *Handler) hold(n int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held += n
	if h.held <= maxHeld {
		return
	}
	for _, s := range h.oldest() {
		if h.held <= maxHeld*3/4 {
			return
		}
		h.held -= s.drop()
	}
}

// drop forgets prepared responses and returns how many bytes they had.
func (s *site) drop() int64 {
	n := s.snapshots.drop()
	if gen := s.gen.Load(); gen != nil {
		n += gen.drop()
	}
	return n
}

// policy returns the policy of an app with these granted origins.
func (s *site) policy(connect []string) *policy {
	if len(connect) == 0 && len(s.h.plain.connect) == 0 {
		return s.h.plain
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.policies {
		if slices.Equal(p.connect, connect) {
			return p
		}
	}
	if len(s.policies) >= 16 {
		s.policies = s.policies[:0]
	}
	p := newPolicy(s.h.opts.Origin, s.h.frames, slices.Clone(connect))
	s.policies = append(s.policies, p)
	return p
}

// generation returns what was prepared of the project as it is now.
func (s *site) generation(ctx context.Context) (*generation, error) {
	rev, err := s.project.Revision(ctx)
	if err != nil {
		return nil, err
	}
	if gen := s.gen.Load(); gen != nil && gen.revision == rev {
		return gen, nil
	}
	s.building.Lock()
	defer s.building.Unlock()
	if rev, err = s.project.Revision(ctx); err != nil {
		return nil, err
	}
	old := s.gen.Load()
	if old != nil && old.revision == rev {
		return old, nil
	}
	gen, err := s.newGeneration(ctx, rev)
	if err != nil {
		return nil, err
	}
	if old != nil {
		gen.modules = old.compiled()
		s.h.hold(-old.retire())
	}
	s.gen.Store(gen)
	if old == nil {
		s.h.warmed()
	}
	return gen, nil
}

// A generation is a project at one revision, or a checkpoint: its settings, and the
// responses prepared so far.
type generation struct {
	site      *site
	files     source
	snapshot  string // the checkpoint, or ""
	revision  sam.Version
	id        string // stands for the revision towards pages
	config    *settings
	headers   []headerRule
	redirects []redirectRule
	sql       string // hash of the names of the migrations

	seen  atomic.Int64 // when the checkpoint was last there, in Unix nanoseconds
	built *built       // functions.js of the checkpoint; guarded by the site's scripts

	mu      sync.RWMutex // guards what follows
	ready   map[readyKey]*prepared
	held    int64
	dropped bool
	failed  []Diagnostic
	modules map[string]*module
}

// A readyKey names a prepared response: the path as asked for, since a page's
// relative URLs depend on it, and whether it is shown as a page.
type readyKey struct {
	name string
	page bool
}

func (s *site) newGeneration(ctx context.Context, rev sam.Version) (*generation, error) {
	return s.newGenerationOf(s.project, rev, s.project.FS(ctx))
}

// newGenerationOf makes the generation of files, which fsys shows.
func (s *site) newGenerationOf(files source, rev sam.Version, fsys fs.FS) (*generation, error) {
	sum := sha256.Sum256([]byte(rev))
	g := &generation{
		site: s, files: files, revision: rev, id: hex.EncodeToString(sum[:8]),
		ready: map[readyKey]*prepared{}, modules: map[string]*module{},
	}
	if err := g.configure(fsys); err != nil {
		return nil, err
	}
	return g, nil
}

// file is the project's name of a file that is served as name.
func (g *generation) file(name string) string {
	if g.config.assets != "" {
		return g.config.assets + "/" + name
	}
	return name
}

// served is the name under which a file of the project is served.
func (g *generation) served(file string) (name string, ok bool) {
	if g.config.assets == "" {
		return file, true
	}
	return strings.CutPrefix(file, g.config.assets+"/")
}

// changesPages reports whether pages have to load again when a file changes
// that is not served itself: the settings, and functions.js with what it may import.
func (g *generation) changesPages(file string) bool {
	switch fold(file) {
	case "sam.json", "wrangler.toml", "wrangler.json", "wrangler.jsonc", g.file("_headers"), g.file("_redirects"):
		return true
	}
	return file == g.config.entry || g.config.Worker && strings.HasPrefix(file, path.Dir(g.config.entry)+"/") || strings.HasPrefix(file, "functions/") || strings.HasPrefix(file, "functions.")
}

// rules reads _headers and _redirects.
func (g *generation) rules(fsys fs.FS) error {
	text, err := optional(fsys, g.file("_headers"))
	if err != nil {
		return err
	}
	rules, problems := parseHeaders(text)
	g.headers = rules
	if text, err = optional(fsys, g.file("_redirects")); err != nil {
		return err
	}
	redirects, more := parseRedirects(text)
	g.redirects = redirects
	for _, p := range append(problems, more...) {
		g.site.remark(p)
	}
	return nil
}

func optional(fsys fs.FS, name string) (string, error) {
	data, err := fs.ReadFile(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	return string(data), nil
}

// lookup returns a prepared response, or nil.
func (g *generation) lookup(key readyKey) *prepared {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.ready[key]
}

// store keeps a prepared response for the next request of its like.
func (g *generation) store(key readyKey, p *prepared) {
	g.mu.Lock()
	if g.dropped || g.ready[key] != nil {
		g.mu.Unlock()
		return
	}
	g.ready[key] = p
	n := p.size() + int64(len(key.name))
	g.held += n
	g.mu.Unlock()
	g.site.h.hold(n)
}

// drop forgets the prepared responses and returns their bytes.
func (g *generation) drop() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := g.held
	g.held = 0
	clear(g.ready)
	return n
}

// maxModules bounds the compiled modules that a new revision takes over.
const maxModules = 2000

// compiled returns the compiled modules: most files are the same in the next
// revision, and a page that still shows this one needs their positions.
func (g *generation) compiled() map[string]*module {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if len(g.modules) > maxModules {
		return map[string]*module{}
	}
	return maps.Clone(g.modules)
}

// retire is drop for good: what is prepared later is kept no more.
func (g *generation) retire() int64 {
	g.mu.Lock()
	g.dropped = true
	g.mu.Unlock()
	return g.drop()
}

func (g *generation) failures() []Diagnostic {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return slices.Clone(g.failed)
}

// fail notes build errors, once each: on the console and on open pages.
func (g *generation) fail(out *console.Buffer, diags []Diagnostic) {
	g.mu.Lock()
	var fresh []Diagnostic
	for _, d := range diags {
		if !slices.Contains(g.failed, d) && len(g.failed) < 100 {
			g.failed = append(g.failed, d)
			fresh = append(fresh, d)
		}
	}
	g.mu.Unlock()
	for _, d := range fresh {
		out.Add(buildEntry(d))
	}
	if len(fresh) > 0 {
		e := failEvent(fresh)
		e.of = g.snapshot
		g.site.hub.send(e)
	}
}
