package canvas

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"samkit.dev/host"
	"samkit.dev/host/console"
	"samkit.dev/internal/appconfig"
	"samkit.dev/internal/bundle"
	"samkit.dev/internal/workers"
	"samkit.dev/kv"
	"samkit.dev/sam"
	"samkit.dev/sqlshim"
)

// A scriptCache keeps the bundle of a project's functions.js, and the
// workers.App of each role and session that runs it.
type scriptCache struct {
	mu      sync.Mutex // held while bundling, so that one request does it for all
	built   *built
	running map[appKey]*running
	dbs     map[string]*sqlshim.DB
	open    atomic.Int64 // len(dbs), as far as the handler counts them
	checked time.Time    // when dbs were known to be in order
	moment  sam.Version  // of the project, then; a restore makes another
	serial  uint64
	secrets secrets
	fetches fetches
}

// A built is a bundle and what it was made from.
type built struct {
	revision sam.Version
	recipe   recipe
	names    string // hash of the names of all files: they decide what an import finds
	inputs   map[string]string
	script   *workers.Script
	err      error
}

// A recipe is what settings have to say about a bundle.
type recipe struct {
	entry string
	jsx   string
	node  bool   // Buffer and process are there without an import
	rest  string // rules, aliases, constants and pages, as JSON
}

func (s *settings) recipe() recipe {
	r := recipe{entry: s.entry, jsx: s.jsx, node: slices.Contains(s.Flags, "nodejs_compat")}
	if len(s.Rules) > 0 || len(s.Alias) > 0 || len(s.Define) > 0 || len(s.Pages) > 0 {
		rest, _ := json.Marshal([]any{s.Rules, s.Alias, s.Define, s.Pages}) // strings always encode
		r.rest = string(rest)
	}
	return r
}

// bundling are the options of the bundle.
func (s *settings) bundling(dev bool) *bundle.Options {
	o := &bundle.Options{Development: dev, JSXImportSource: s.jsx, NodeGlobals: s.recipe().node, Alias: s.Alias, Define: s.Define, Pages: s.Pages}
	for _, r := range s.Rules {
		o.Rules = append(o.Rules, bundle.Rule(r))
	}
	return o
}

// An appKey is what apps of a project differ in that are kept apart.
type appKey struct {
	role     host.Role
	session  string
	snapshot string
}

// A running is the workers.App made of a canvas.App.
type running struct {
	from   App
	config *settings
	script *workers.Script
	values string // of secrets
	sql    string // hash of the migrations
	app    *workers.App
	used   time.Time
}

// script returns what runs the functions.js of an app now.
func (s *site) script(ctx context.Context, gen *generation, app *App) (*workers.App, error) {
	c := &s.scripts
	c.mu.Lock()
	defer c.mu.Unlock()
	script, err := s.bundled(ctx, gen)
	if err != nil {
		return nil, err
	}
	values, err := c.secrets.read(ctx, s.project)
	if err != nil {
		return nil, err
	}
	switch {
	case gen.snapshot == "" && c.moment != gen.revision:
		s.checkDatabases(ctx, time.Second)
		c.moment = gen.revision
	case time.Since(c.checked) > time.Second:
		s.checkDatabases(ctx, 50*time.Millisecond)
	}
	key := appKey{role(app), app.Session, app.Snapshot}
	r := c.running[key]
	if r != nil && r.script == script && r.values == values.sum && r.sql == gen.sql && sameSettings(r.config, gen.config) && sameApp(&r.from, app) {
		r.used = time.Now()
		return r.app, nil
	}
	bindings, err := s.bindings(ctx, gen, app, script, values)
	if err != nil {
		return nil, err
	}
	network, err := s.network(app, values)
	if err != nil {
		return nil, err
	}
	c.serial++
	r = &running{from: *app, config: gen.config, script: script, values: values.sum, sql: gen.sql, used: time.Now()}
	r.from.Vars, r.from.Fetch = maps.Clone(app.Vars), slices.Clone(app.Fetch)
	r.app = &workers.App{
		Domain: fmt.Sprintf("%s %d %s %s", s.domain(), key.role, key.snapshot, key.session), Version: fmt.Sprintf("%s %d", script.Hash, c.serial),
		Script: script, Bindings: bindings, Limits: workers.Limits(app.Limits),
		Project: string(s.project.ID()), Role: role(app), Session: app.Session,
		Console: s.sink(app, values), Network: network,
	}
	if c.running == nil {
		c.running = map[appKey]*running{}
	}
	if len(c.running) > 64 {
		c.evict()
	}
	c.running[key] = r
	return r.app, nil
}

// evict forgets the app that was used least recently.
func (c *scriptCache) evict() {
	var oldest appKey
	var since *running
	for key, r := range c.running {
		if since == nil || r.used.Before(since.used) {
			oldest, since = key, r
		}
	}
	delete(c.running, oldest)
}

// sink passes what functions.js prints to the app's console, without secrets.
func (s *site) sink(app *App, values *secretValues) func(console.Entry) {
	out := app.consoleOf(s)
	return func(e console.Entry) {
		if e.Origin == "" {
			e.Origin = console.Functions
		}
		e.Text, e.Stack = clean(values.redact(e.Text)), clean(values.redact(e.Stack))
		out.Add(e)
	}
}

// bundled returns the bundle of functions.js. A revision that changed nothing
// it is made from keeps it, and so its isolates. The caller holds c.mu.
func (s *site) bundled(ctx context.Context, gen *generation) (*workers.Script, error) {
	last := &s.scripts.built
	if gen.snapshot != "" {
		last = &gen.built
	}
	if b := *last; b != nil && b.revision == gen.revision && b.recipe == gen.config.recipe() {
		return b.script, b.err
	}
	names, hashes, err := census(ctx, gen.files)
	if err != nil {
		return nil, err
	}
	if b := *last; b != nil && b.err == nil && b.recipe == gen.config.recipe() && b.names == names && b.unchanged(hashes) {
		b.revision = gen.revision
		return b.script, nil
	}
	made, err := bundle.Functions(ctx, gen.files.FS(ctx), gen.config.entry, gen.config.bundling(s.h.opts.Dev))
	b := &built{revision: gen.revision, recipe: gen.config.recipe(), names: names}
	switch {
	case err == nil:
		b.script = &workers.Script{Code: made.Code, Map: made.Map, Hash: made.Hash, Wasm: map[string][]byte{}}
		for _, m := range made.Wasm {
			b.script.Wasm[m.Name] = m.Binary
		}
		b.inputs = map[string]string{}
		for _, name := range made.Inputs {
			b.inputs[name] = hashes[name]
		}
	case ctx.Err() != nil:
		return nil, ctx.Err()
	default:
		b.err = &BuildError{diagnostics(err)}
	}
	*last = b
	return b.script, b.err
}

func (b *built) unchanged(hashes map[string]string) bool {
	for name, hash := range b.inputs {
		if hashes[name] != hash {
			return false
		}
	}
	return true
}

// census lists the files of an app: the hash of all names, and each file's hash.
func census(ctx context.Context, files source) (names string, hashes map[string]string, err error) {
	h := sha256.New()
	hashes = map[string]string{}
	for f, err := range files.Files(ctx, "") {
		if err != nil {
			return "", nil, err
		}
		h.Write([]byte(f.Name + "\n"))
		hashes[f.Name] = f.Hash
	}
	return hex.EncodeToString(h.Sum(nil)), hashes, nil
}

// build reports errors in the source of the app, for New.
func (s *site) build(ctx context.Context, snapshot string) error {
	gen, err := s.generationAt(ctx, snapshot)
	if err != nil {
		return err
	}
	if d := gen.config.invalid; d != nil {
		return &BuildError{[]Diagnostic{*d}}
	}
	if gen.config.entry == "" {
		return nil
	}
	s.scripts.mu.Lock()
	defer s.scripts.mu.Unlock()
	_, err = s.bundled(ctx, gen)
	return err
}

// sameApp reports whether two apps run functions.js alike.
func sameApp(a, b *App) bool {
	return sameCaller(a.Host, b.Host) && sameCaller(a.Tool, b.Tool) && maps.EqualFunc(a.Services, b.Services, sameCaller) &&
		maps.Equal(a.KV, b.KV) && maps.Equal(a.DB, b.DB) && maps.Equal(a.Vars, b.Vars) &&
		slices.Equal(a.Fetch, b.Fetch) && a.Limits == b.Limits && a.Console == b.Console
}

// sameCaller compares two callers, of which some cannot be compared.
func sameCaller(a, b host.Caller) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	t := reflect.TypeOf(a)
	return t == reflect.TypeOf(b) && t.Comparable() && reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable() && a == b
}

// bindings are the members of env.
func (s *site) bindings(ctx context.Context, gen *generation, app *App, script *workers.Script, values *secretValues) ([]workers.Binding, error) {
	byName := map[string]workers.Binding{}
	add := func(b workers.Binding) { byName[b.Name] = b } // the later one wins
	for name, text := range gen.config.Vars {
		add(workers.Binding{Name: name, JSON: text})
	}
	for name, id := range gen.config.namespaces() {
		add(workers.Binding{Name: name, KV: kv.New(s.project.State(), id)})
	}
	for name, d := range gen.config.databases() {
		if app.DB[name] != nil || !mentions(script.Code, name) {
			continue // opening costs memory, and this code cannot reach it
		}
		db, err := s.database(ctx, gen, d)
		if err != nil {
			return nil, fmt.Errorf("open the database %s: %w", name, err)
		}
		add(workers.Binding{Name: name, DB: db})
	}
	for name, value := range values.byName {
		add(workers.Binding{Name: name, JSON: jsonString(value)})
	}
	for name, value := range app.Vars {
		add(workers.Binding{Name: name, JSON: jsonString(value)})
	}
	for name, ns := range app.KV {
		add(workers.Binding{Name: name, KV: ns})
	}
	for name, db := range app.DB {
		add(workers.Binding{Name: name, DB: db})
	}
	for name, c := range app.Services {
		add(workers.Binding{Name: name, Caller: c, Flat: true})
	}
	if app.Host != nil {
		add(workers.Binding{Name: "HOST", Caller: s.pin(app.Host, gen.config.Uses)})
	}
	if app.Tool != nil {
		add(workers.Binding{Name: "TOOL", Caller: s.pin(app.Tool, gen.config.Uses)})
	}
	for name, service := range gen.config.services() {
		if _, given := byName[name]; !given {
			add(workers.Binding{Name: name, Caller: absentService(script.Code, name, service), Flat: true})
		}
	}
	for _, a := range gen.config.Absent {
		if _, given := byName[a.Binding]; !given {
			add(workers.Binding{Name: a.Binding, Absent: "samkit has no " + a.Product})
		}
	}
	add(workers.Binding{Name: gen.config.Assets.Binding, Fetch: s.assets(app)})
	return slices.SortedFunc(maps.Values(byName), func(a, b workers.Binding) int { return strings.Compare(a.Name, b.Name) }), nil
}

func jsonString(s string) json.RawMessage {
	b, _ := json.Marshal(s) // a string always encodes
	return b
}

// mentions reports whether code can reach a member of env by this name: it
// names it, or looks members up by names it makes.
func mentions(code []byte, name string) bool {
	text := string(code)
	return strings.Contains(text, name) || strings.Contains(text, "env[") || strings.Contains(text, "(env)")
}

// database opens a database of the project, once, and brings it up to its
// migrations. The caller holds c.mu.
func (s *site) database(ctx context.Context, gen *generation, d appconfig.Database) (*sqlshim.DB, error) {
	c := &s.scripts
	db := c.dbs[d.ID]
	if db == nil {
		var err error
		if db, err = sqlshim.Open(ctx, s.project.State(), d.ID, &sqlshim.Options{Migrations: d.Table}); err != nil {
			return nil, err
		}
		if c.dbs == nil {
			c.dbs = map[string]*sqlshim.DB{}
		}
		c.dbs[d.ID] = db
		c.open.Add(1)
		s.h.opened()
	}
	return db, migrate(ctx, gen.files.FS(ctx), db, d)
}

// checkDatabases gives up databases that somebody else has written, such as a
// restored checkpoint: they give errors until they are opened again. One that is
// busy for so long is taken to be in order. The caller holds scripts.mu.
func (s *site) checkDatabases(ctx context.Context, wait time.Duration) {
	c := &s.scripts
	c.checked = time.Now()
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for id, db := range c.dbs {
		if _, err := db.Query(ctx, "SELECT 1"); errors.Is(err, sam.ErrConflict) {
			db.Close() // it is lost already
			delete(c.dbs, id)
			clear(c.running)
			if c.open.Load() > 0 {
				c.open.Add(-1)
				s.h.databases.Add(-1)
			}
		}
	}
}

// recheck is for after a request that went wrong.
func (s *site) recheck(ctx context.Context) {
	s.scripts.mu.Lock()
	defer s.scripts.mu.Unlock()
	if len(s.scripts.dbs) > 0 {
		s.checkDatabases(ctx, 50*time.Millisecond)
	}
}

// close releases the project's databases. The caller holds mu.
func (c *scriptCache) close() error {
	var errs []error
	for _, db := range c.dbs {
		errs = append(errs, db.Close())
	}
	c.fetches.close()
	c.dbs, c.running = nil, nil // whoever runs next opens again
	return errors.Join(errs...)
}

// secrets reads a project's secrets, not more often than secretsAge.
type secrets struct {
	at     time.Time
	values *secretValues
	latest atomic.Pointer[secretValues] // values, for who must not wait for the lock
}

// secretsAge is how long a changed secret may go unnoticed.
const secretsAge = 100 * time.Millisecond

// secretValues are the secrets of one moment.
type secretValues struct {
	byName   map[string]string
	sum      string
	replacer *strings.Replacer
}

func (c *secrets) read(ctx context.Context, p *sam.Project) (*secretValues, error) {
	if c.values != nil && time.Since(c.at) < secretsAge {
		return c.values, nil
	}
	names, err := p.Secrets().Names(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the secrets: %w", err)
	}
	v := &secretValues{byName: map[string]string{}}
	h := sha256.New()
	for _, name := range names {
		value, err := p.Secrets().Value(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("read the secret %s: %w", name, err)
		}
		v.byName[name] = value
		fmt.Fprintf(h, "%q%q", name, value)
	}
	v.sum = hex.EncodeToString(h.Sum(nil))
	v.replacer = redactor(v.byName)
	c.at, c.values = time.Now(), v
	c.latest.Store(v)
	return v, nil
}

func (v *secretValues) redact(s string) string {
	if len(v.byName) == 0 {
		return s
	}
	return v.replacer.Replace(s)
}
