package sam_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"samkit.dev/kv"
	"samkit.dev/sam"
	"samkit.dev/sqlshim"
)

// A moment is all of a project that a checkpoint may hold.
type moment struct {
	files map[string]string
	kv    map[string]string
	rows  map[int]string
	raw   map[string]string // keys of the state as they are stored
	parts sam.Parts
}

func (m moment) clone() moment {
	m.files, m.kv, m.rows = maps.Clone(m.files), maps.Clone(m.kv), maps.Clone(m.rows)
	return m
}

// A historyRun does random things to a project and a model of it.
type historyRun struct {
	t    *testing.T
	rnd  *rand.Rand
	kind string
	dir  string
	s    sam.Store
	w    *sam.Workspace
	p    *sam.Project
	db   *sqlshim.DB // stays open over restores
	now  moment
	past map[string]moment // by checkpoint
	made int               // copies
	log  []string
}

// TestHistoryModel does random edits, writes of KV and SQL, checkpoints, restores,
// clones and forks, and kills the store in between. SAMKIT_HISTORY_OPS says how
// many; the default is 1,500.
func TestHistoryModel(t *testing.T) {
	ops := 1500
	if s := os.Getenv("SAMKIT_HISTORY_OPS"); s != "" {
		var err error
		if ops, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	seed := rand.Uint64()
	if s := os.Getenv("SAMKIT_HISTORY_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	// In memory if there is such a place: what is looked at does not need a disk.
	top, err := os.MkdirTemp("/dev/shm", "samkit-history-")
	if err != nil {
		top = t.TempDir()
	}
	defer os.RemoveAll(top)
	kinds := []string{"mem", "bolt", "dir", "plain"}
	done := map[string]int{}
	for n := 0; ops > 0; n++ {
		r := &historyRun{t: t, rnd: rand.New(rand.NewPCG(seed, uint64(n))), kind: kinds[n%len(kinds)], past: map[string]moment{}}
		r.dir = filepath.Join(top, "0")
		length := min(ops, 1+r.rnd.IntN(200))
		ops -= length
		r.start()
		for range length {
			what := r.step()
			done[what]++
			if t.Failed() {
				break
			}
		}
		r.check()
		r.db.Close()
		r.s.Close()
		os.RemoveAll(r.dir)
		if t.Failed() {
			t.Fatalf("%s, seed %d, sequence %d, %d steps:\n%s", r.kind, seed, n, len(r.log), strings.Join(r.log, "\n"))
		}
	}
	t.Logf("%v", done)
}

func (r *historyRun) open() {
	switch r.kind {
	case "bolt", "dir":
		s, err := openKind(r.kind, r.dir)
		if err != nil {
			r.t.Fatal(err)
		}
		r.s = s
	case "plain":
		r.s = plain{sam.NewMemStore()}
	default:
		r.s = sam.NewMemStore()
	}
}

func (r *historyRun) start() {
	r.open()
	r.w = sam.NewWorkspace(r.s, "o", nil)
	r.p = create(r.t, r.w, "p", sam.Files{"index.html": "0"})
	r.now = moment{files: map[string]string{"index.html": "0"}, kv: map[string]string{}, rows: map[int]string{}}
	r.openDB()
	if _, err := r.db.Exec(context.Background(), "CREATE TABLE t(k INTEGER PRIMARY KEY, v TEXT)"); err != nil {
		r.t.Fatal(err)
	}
}

func (r *historyRun) openDB() {
	db, err := sqlshim.Open(context.Background(), r.p.State(), "DB", nil)
	if err != nil {
		r.t.Fatal(err)
	}
	r.db = db
}

// sql runs a statement; a database that a restore has made stale is opened again.
func (r *historyRun) sql(stale bool, sql string, args ...any) *sqlshim.Result {
	res, err := r.db.Query(context.Background(), sql, args...)
	if errors.Is(err, sam.ErrConflict) && stale {
		r.db.Close()
		r.openDB()
		res, err = r.db.Query(context.Background(), sql, args...)
	}
	if err != nil {
		r.t.Errorf("%s: %v", sql, err)
		return nil
	}
	return res
}

func (r *historyRun) do(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Error(err)
	}
}

func (r *historyRun) contents() string {
	n := r.rnd.IntN(200)
	switch r.rnd.IntN(20) {
	case 0:
		n = 0
	case 1:
		n = 5000 + r.rnd.IntN(5000)
	case 2:
		n = 60<<10 + r.rnd.IntN(10<<10) // about as much as stays in the space
	}
	c := strconv.Itoa(r.rnd.IntN(50)) // soon the same comes again
	return strings.Repeat(c, n/len(c)+1)[:n]
}

func (r *historyRun) parts() sam.Parts {
	return []sam.Parts{{}, {KV: true}, {DB: true}, {KV: true, DB: true}, {KV: true, DB: true}}[r.rnd.IntN(5)]
}

func (r *historyRun) pick() (string, bool) {
	ids := slices.Sorted(maps.Keys(r.past))
	if len(ids) == 0 {
		return "", false
	}
	return ids[r.rnd.IntN(len(ids))], true
}

// some returns parts of those that there are.
func (r *historyRun) some(of sam.Parts) sam.Parts {
	want := r.parts()
	return sam.Parts{KV: want.KV && of.KV, DB: want.DB && of.DB}
}

// step does one thing and returns what.
func (r *historyRun) step() (what string) {
	ctx := context.Background()
	note := func(format string, args ...any) string {
		s := fmt.Sprintf(format, args...)
		r.log = append(r.log, s)
		what, _, _ := strings.Cut(s, " ")
		return what
	}
	switch n := r.rnd.IntN(100); {
	case n < 30:
		var edits []sam.Edit
		names := map[string]bool{}
		for range 1 + r.rnd.IntN(4) {
			name := fmt.Sprintf("d%d/f%d", r.rnd.IntN(3), r.rnd.IntN(8))
			if names[name] {
				continue
			}
			names[name] = true
			if _, there := r.now.files[name]; there && r.rnd.IntN(3) == 0 {
				edits = append(edits, sam.Edit{Name: name, Remove: true, IfHash: "*"})
				delete(r.now.files, name)
				continue
			}
			data := r.contents()
			edits = append(edits, sam.Edit{Name: name, Data: []byte(data), IfHash: "*"})
			r.now.files[name] = data
		}
		what = note("edit %d", len(edits))
		r.do(r.p.Apply(ctx, edits...))
	case n < 45:
		key := fmt.Sprint("k", r.rnd.IntN(30))
		ns := kv.New(r.p.State(), "KV")
		if r.rnd.IntN(3) == 0 {
			what = note("delete %s", key)
			r.do(ns.Delete(ctx, key))
			delete(r.now.kv, key)
			break
		}
		value := r.contents()
		what = note("put %s %d", key, len(value))
		r.do(ns.Put(ctx, kv.Entry{Key: key, Value: []byte(value)}))
		r.now.kv[key] = value
	case n < 60:
		k, v := r.rnd.IntN(30), r.contents()
		if r.rnd.IntN(4) == 0 {
			what = note("sql-delete %d", k)
			r.sql(true, "DELETE FROM t WHERE k = ?", int64(k))
			delete(r.now.rows, k)
			break
		}
		what = note("sql-put %d %d", k, len(v))
		r.sql(true, "INSERT OR REPLACE INTO t VALUES(?, ?)", int64(k), v)
		r.now.rows[k] = v
	case n < 75:
		parts := r.parts()
		c, err := r.p.Checkpoint(ctx, "", parts)
		r.do(err)
		what = note("checkpoint %s %+v", c.ID, parts)
		r.keep(c, r.raw(r.p))
	case n < 87:
		id, ok := r.pick()
		if !ok {
			break
		}
		then := r.past[id]
		parts := r.some(then.parts)
		before := r.raw(r.p)
		c, err := r.p.Restore(ctx, id, parts)
		r.do(err)
		what = note("restore %s %+v, made %s", id, parts, c.ID)
		r.keep(c, before)
		r.now.files = maps.Clone(then.files)
		if parts.KV {
			r.now.kv = maps.Clone(then.kv)
		}
		if parts.DB {
			r.now.rows = maps.Clone(then.rows)
		}
		raw := r.raw(r.p)
		for key, value := range then.raw {
			if of(key, parts) && raw[key] != value {
				r.t.Errorf("key %s is not what it was", key)
			}
		}
		for key := range raw {
			if _, was := then.raw[key]; of(key, parts) && !was {
				r.t.Errorf("key %s was not there", key)
			}
		}
		r.check()
	case n < 90:
		r.made++
		parts := r.parts()
		what = note("clone %+v", parts)
		q, err := r.w.Clone(ctx, "p", sam.ProjectID(fmt.Sprint("c", r.made)), parts)
		r.do(err)
		r.copied(q, r.now, parts)
	case n < 93:
		id, ok := r.pick()
		if !ok {
			break
		}
		r.made++
		parts := r.some(r.past[id].parts)
		what = note("fork %s %+v", id, parts)
		q, err := r.w.Fork(ctx, "p", id, sam.ProjectID(fmt.Sprint("c", r.made)), parts)
		r.do(err)
		r.copied(q, r.past[id], parts)
	case n < 95:
		id, ok := r.pick()
		if !ok {
			break
		}
		what = note("forget %s", id)
		r.do(r.p.DeleteCheckpoints(ctx, id))
		delete(r.past, id)
		// Whatever nobody needs goes, however young.
		_, err := sam.SweepAll(ctx, r.s, time.Now().Add(time.Hour))
		r.do(err)
	case n < 97:
		what = note("diff")
		r.diff()
	default:
		what = note("crash")
		r.crash()
	}
	return what
}

// of reports whether a key belongs to parts.
func of(key string, parts sam.Parts) bool {
	return parts.KV && strings.HasPrefix(key, "kv/") || parts.DB && strings.HasPrefix(key, "db/")
}

// keep notes what a checkpoint holds of a state.
func (r *historyRun) keep(c sam.Checkpoint, raw map[string]string) {
	m := r.now.clone()
	m.parts, m.raw = c.Parts, raw
	r.past[c.ID] = m
}

// raw returns the keys of the state.
func (r *historyRun) raw(p *sam.Project) map[string]string {
	raw := map[string]string{}
	for _, prefix := range []string{"kv/", "db/"} {
		for e, err := range p.State().Space.List(context.Background(), prefix, "") {
			if err != nil {
				r.t.Fatal(err)
			}
			value, _, err := p.State().Space.Get(context.Background(), e.Key)
			if err != nil {
				r.t.Fatal(err)
			}
			raw[e.Key] = string(value)
		}
	}
	return raw
}

// check compares the project with the model.
func (r *historyRun) check() {
	r.same(r.p, r.now)
	rows := map[int]string{}
	if res := r.sql(true, "SELECT k, v FROM t"); res != nil {
		for _, row := range res.Rows {
			rows[int(row[0].(int64))] = row[1].(string)
		}
	}
	if !maps.Equal(rows, r.now.rows) {
		r.t.Errorf("%d rows are there, want %d", len(rows), len(r.now.rows))
	}
}

// same compares files and KV of a project.
func (r *historyRun) same(p *sam.Project, want moment) {
	ctx := context.Background()
	files := map[string]string{}
	for f, err := range p.Files(ctx, "") {
		if err != nil {
			r.t.Fatal(err)
		}
		data, err := p.ReadFile(ctx, f.Name)
		if err != nil || f.Hash != sam.Hash(data) {
			r.t.Errorf("file %s: %v", f.Name, err)
		}
		files[f.Name] = string(data)
	}
	if !maps.Equal(files, want.files) {
		r.t.Errorf("the files are %q, want %q", slices.Sorted(maps.Keys(files)), slices.Sorted(maps.Keys(want.files)))
	}
	values := map[string]string{}
	ns := kv.New(p.State(), "KV")
	for e, err := range ns.List(ctx, "", "") {
		if err == nil {
			e, err = ns.Get(ctx, e.Key)
		}
		if err != nil {
			r.t.Fatal(err)
		}
		values[e.Key] = string(e.Value)
	}
	if !maps.Equal(values, want.kv) {
		r.t.Errorf("the keys are %q, want %q", slices.Sorted(maps.Keys(values)), slices.Sorted(maps.Keys(want.kv)))
	}
}

// copied checks a copy of a moment, and deletes it.
func (r *historyRun) copied(q *sam.Project, of moment, parts sam.Parts) {
	ctx := context.Background()
	if q == nil {
		return
	}
	if !parts.KV {
		of.kv = map[string]string{}
	}
	r.same(q, of)
	if parts.DB {
		db, err := sqlshim.Open(ctx, q.State(), "DB", nil)
		if err != nil {
			r.t.Fatal(err)
		}
		defer db.Close()
		res, err := db.Query(ctx, "SELECT k, v FROM t")
		if err != nil {
			r.t.Fatal(err)
		}
		rows := map[int]string{}
		for _, row := range res.Rows {
			rows[int(row[0].(int64))] = row[1].(string)
		}
		if !maps.Equal(rows, of.rows) {
			r.t.Errorf("the copy has %d rows, want %d", len(rows), len(of.rows))
		}
	}
	r.do(r.w.Delete(ctx, q.ID()))
}

// diff compares two moments by the project and by the model.
func (r *historyRun) diff() {
	a, _ := r.pick()
	b, _ := r.pick()
	changes, err := r.p.Diff(context.Background(), a, b)
	r.do(err)
	side := func(id string) map[string]string {
		if id == "" {
			return r.now.files
		}
		return r.past[id].files
	}
	files := maps.Clone(side(a))
	for _, c := range changes {
		if c.Before.Name != "" {
			delete(files, c.Before.Name)
		}
	}
	for _, c := range changes {
		if c.After.Name != "" {
			data := side(b)[c.After.Name]
			files[c.After.Name] = data
			if c.After.Hash != sam.Hash([]byte(data)) || c.Kind() == "changed" && c.Before.Hash == c.After.Hash {
				r.t.Errorf("wrong change %+v", c)
			}
		}
	}
	if !maps.Equal(files, side(b)) {
		r.t.Errorf("the changes do not lead from one to the other: %+v", changes)
	}
}

// crash goes on with what is durable now.
func (r *historyRun) crash() {
	if r.kind != "bolt" && r.kind != "dir" {
		// New handles, at least.
		r.w = sam.NewWorkspace(r.s, "o", nil)
	} else {
		copied := r.dir + "x"
		r.do(os.CopyFS(copied, os.DirFS(r.dir)))
		r.db.Close()
		r.s.Close()
		r.do(os.RemoveAll(r.dir))
		r.do(os.Rename(copied, r.dir))
		r.open()
		r.w = sam.NewWorkspace(r.s, "o", nil)
		defer r.openDB()
	}
	p, err := r.w.Open(context.Background(), "p")
	if err != nil {
		r.t.Fatal(err)
	}
	r.p = p
	ids := []string{}
	for c, err := range p.Checkpoints(context.Background()) {
		r.do(err)
		ids = append(ids, c.ID)
	}
	slices.Sort(ids)
	if !slices.Equal(ids, slices.Sorted(maps.Keys(r.past))) {
		r.t.Errorf("checkpoints %q, want %q", ids, slices.Sorted(maps.Keys(r.past)))
	}
}
