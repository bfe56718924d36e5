package canvas

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"samkit.dev/host"
	"samkit.dev/internal/appconfig"
	"samkit.dev/kv"
	"samkit.dev/sam"
	"samkit.dev/sqlshim"
)

// Data is the state of a project by the names that it has in env, for a program that shows it to
// whoever develops the app. What the program itself gave to the app ([App.KV], [App.DB]) is not in it.
type Data struct {
	KV map[string]*kv.Namespace // by name in env; there is always KV
	DB []string                 // names in env, sorted; there is always DB

	h   *Handler
	app *App
	gen *generation
	dbs map[string]appconfig.Database
}

// Data returns the state of a project that v may see, as its settings are now. It asks the [Finder].
func (h *Handler) Data(ctx context.Context, v Visitor, id sam.ProjectID) (*Data, error) {
	app, err := h.find(ctx, v, id)
	if err != nil {
		return nil, err
	}
	if app == nil || app.Project == nil {
		return nil, fmt.Errorf("canvas: project %q: %w", id, fs.ErrNotExist)
	}
	s := h.siteOf(app)
	defer s.leave()
	gen, err := s.generation(ctx)
	if err != nil {
		return nil, err
	}
	d := &Data{KV: map[string]*kv.Namespace{}, h: h, app: app, gen: gen, dbs: gen.config.databases()}
	for name, id := range gen.config.namespaces() {
		d.KV[name] = kv.New(app.Project.State(), id)
	}
	d.DB = slices.Sorted(maps.Keys(d.dbs))
	return d, nil
}

// IDs returns under which names kv.New and sqlshim.Open find, by their names in env, what
// the project has: in a state that is not its present one, such as that of [sam.Project.CheckpointState].
func (d *Data) IDs() (kv, db map[string]string) {
	db = make(map[string]string, len(d.dbs))
	for name, def := range d.dbs {
		db[name] = def.ID
	}
	return d.gen.config.namespaces(), db
}

var errShutting = &host.Error{Code: host.Unavailable, Message: "The server is shutting down.", Retry: true}

// busyWait is how long a write waits to see whether the app's connection is in order.
const busyWait = time.Second

// readTries is how often a database is opened again since the app has written it meanwhile.
const readTries = 4

// Read calls fn with a connection to a database of its own, which refuses to write; opts bounds what it may
// take. The app goes on meanwhile. If that changes the database under fn, fn is called again with another
// connection, a few times. The error matches fs.ErrNotExist if there is no such database.
func (d *Data) Read(ctx context.Context, name string, opts sqlshim.Options, fn func(*sqlshim.DB) error) error {
	def, ok := d.dbs[name]
	if !ok {
		return fmt.Errorf("canvas: database %q: %w", name, fs.ErrNotExist)
	}
	if !d.h.enter() {
		return errShutting
	}
	defer d.h.active.Done()
	opts.ReadOnly, opts.Dir, opts.Migrations = true, "", def.Table
	for try := 1; ; try++ {
		err := d.read(ctx, def.ID, opts, fn)
		if !errors.Is(err, sam.ErrConflict) || try == readTries {
			return err
		}
	}
}

func (d *Data) read(ctx context.Context, id string, opts sqlshim.Options, fn func(*sqlshim.DB) error) error {
	db, err := sqlshim.Open(ctx, d.app.Project.State(), id, &opts)
	if err != nil {
		return err
	}
	return errors.Join(fn(db), db.Close())
}

// Write calls fn with the app's own connection to a database, which has the migrations of the project; the
// app's statements wait for those of fn. fn must not keep it. The error matches fs.ErrNotExist if there is no such
// database, and is a [*BuildError] if a migration fails.
func (d *Data) Write(ctx context.Context, name string, fn func(*sqlshim.DB) error) error {
	def, ok := d.dbs[name]
	if !ok {
		return fmt.Errorf("canvas: database %q: %w", name, fs.ErrNotExist)
	}
	if !d.h.enter() {
		return errShutting
	}
	defer d.h.active.Done()
	s := d.h.siteOf(d.app)
	defer s.leave()
	s.busy.Add(1) // so that nobody closes it
	defer s.busy.Add(-1)
	db, err := d.open(ctx, s, def)
	if err != nil {
		return err
	}
	return fn(db)
}

// open opens the app's connection, if a restore or another process has not left it behind.
func (d *Data) open(ctx context.Context, s *site, def appconfig.Database) (*sqlshim.DB, error) {
	c := &s.scripts
	c.mu.Lock()
	defer c.mu.Unlock()
	s.checkDatabases(ctx, busyWait)
	return s.database(ctx, d.gen, def)
}
