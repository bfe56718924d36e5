package sam

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// Restore makes the files what they were at a checkpoint, and the state that
// parts names: contents come back, and what came after goes, in one commit. The
// zero Parts restores the files alone. Before that it makes a checkpoint of what
// is there, of the same parts and in the same commit, and returns it: restoring
// that undoes it. What is written meanwhile is in that checkpoint, or comes after.
//
// Restored files have the present time. Whoever watches the project sees them
// change. A database that is open gives errors matching [ErrConflict] from then
// on, until it is opened again; one in a file of its own (sqlshim.Options.Dir)
// is in no checkpoint.
//
// If there is no such checkpoint, or if it does not hold what parts names, the
// error matches fs.ErrNotExist. Limits apply as to other writes, and those of
// [Project.Checkpoint].
func (p *Project) Restore(ctx context.Context, id string, parts Parts) (Checkpoint, error) {
	if err := checkpointParts(parts); err != nil {
		return Checkpoint{}, err
	}
	if err := p.checkpointing.acquire(ctx); err != nil {
		return Checkpoint{}, err
	}
	defer p.checkpointing.release()
	if err := p.look(ctx); err != nil {
		return Checkpoint{}, err
	}
	r := &restore{p: p, id: id, parts: parts}
	if err := p.withRoom(ctx, func() error { return r.run(ctx) }); err != nil {
		return Checkpoint{}, fmt.Errorf("restore project %q: %w", p.id, err)
	}
	return r.made, nil
}

// A restore is one on its way.
type restore struct {
	p     *Project
	id    string
	parts Parts
	c     *capture // of the present
	made  Checkpoint
}

func (r *restore) run(ctx context.Context) error {
	r.c = nil
	if !r.parts.KV && !r.parts.DB {
		return r.p.change(ctx, func(d *draft) error { return r.plan(ctx, d) })
	}
	err := r.gated(ctx)
	if !errors.Is(err, errMuch) {
		return err
	}
	// Most of the present is stored while others still write.
	if err := r.c.prepare(ctx); err != nil {
		return err
	}
	if err := r.c.prepare(ctx); err != nil {
		return err
	}
	r.c.prepared = true
	return r.gated(ctx)
}

// gated restores while nobody writes the state.
func (r *restore) gated(ctx context.Context) error {
	r.p.gate().Lock()
	defer r.p.gate().Unlock()
	err := r.p.change(ctx, func(d *draft) error { return r.plan(ctx, d) })
	if err == nil {
		r.p.state.recount()
	}
	return err
}

// capture captures the files x and the present state. What an earlier capture
// has stored is there as long as the history is the same.
func (r *restore) capture(ctx context.Context, x *index) error {
	next, err := r.p.newCapture(ctx, x, r.parts)
	if err != nil {
		return err
	}
	switch c := r.c; {
	case c == nil:
		r.c = next
	case c.h.version == next.h.version:
		c.x = x
	default:
		next.prepared = c.prepared
		r.c = next
	}
	return r.c.run(ctx, true)
}

// plan makes the draft of the files, with all else that is in the commit.
func (r *restore) plan(ctx context.Context, d *draft) error {
	err := r.capture(ctx, d.x)
	var record *checkpointRecord
	var m *manifest
	if err == nil {
		// Whoever deletes the checkpoint from now on changes the history, and this
		// commit is not made.
		record, m, err = r.p.loadCheckpoint(ctx, r.id, d.x.head.Life)
	}
	if err == nil {
		err = holds(r.id, m, r.parts)
	}
	if err == nil {
		err = r.files(ctx, d, m)
	}
	var state []Op
	if err == nil && (r.parts.KV || r.parts.DB) {
		state, err = r.state(ctx, m)
	}
	if err == nil {
		name := record.Label
		if name == "" {
			name = r.id
		}
		label := strings.ToValidUTF8(short("before restoring "+name), "")
		r.made, d.more, err = r.c.record(ctx, label)
		d.more = append(d.more, state...)
	}
	if errors.Is(err, errMoved) {
		return errLost
	}
	return err
}

// holds reports that a checkpoint lacks what parts names.
func holds(id string, m *manifest, parts Parts) error {
	switch {
	case parts.KV && !m.parts.KV:
		return fmt.Errorf("sam: checkpoint %q has no KV: %w", id, fs.ErrNotExist)
	case parts.DB && !m.parts.DB:
		return fmt.Errorf("sam: checkpoint %q has no databases: %w", id, fs.ErrNotExist)
	}
	return nil
}

// files plans the files of m.
func (r *restore) files(ctx context.Context, d *draft, m *manifest) error {
	var back []File
	found := make(map[string]bool, m.fileCount)
	for f, err := range r.p.filesOf(ctx, m.files) {
		if err != nil {
			return err
		}
		found[f.Name] = true
		if now := d.x.files[f.Name]; now == nil || now.Hash != f.Hash {
			back = append(back, f)
		}
	}
	for name := range d.x.files {
		if !found[name] {
			d.remove(name)
		}
	}
	now := time.Now()
	for _, f := range back {
		f.ModTime = now
		record, err := r.p.pastRecord(ctx, f)
		if err == nil {
			err = d.put(record)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pastRecord returns the record of a file that a checkpoint keeps.
func (p *Project) pastRecord(ctx context.Context, f File) (r *fileRecord, err error) {
	r = &fileRecord{File: f, blob: f.Size > maxInline}
	if !r.blob {
		r.data, err = p.fileData(ctx, f)
	}
	return r, err
}

// state returns the ops that make the state that of m. The gate is held, so
// that the state is as the capture saw it.
func (r *restore) state(ctx context.Context, m *manifest) ([]Op, error) {
	if err := r.fits(ctx, m); err != nil {
		return nil, err
	}
	plan := statePlan{now: map[string]Version{}, ops: map[string]Op{}}
	if r.parts.KV {
		if err := r.stateRun(ctx, &plan, m.kv, r.c.m.kv); err != nil {
			return nil, err
		}
	}
	if r.parts.DB {
		if err := r.stateRun(ctx, &plan, m.db, r.c.m.db); err != nil {
			return nil, err
		}
		if err := r.latch(ctx, &plan); err != nil {
			return nil, err
		}
	}
	var ops []Op
	for _, op := range plan.ops {
		ops = append(ops, op)
	}
	slices.SortFunc(ops, func(a, b Op) int { return strings.Compare(a.Key, b.Key) })
	if !r.parts.KV {
		return ops, nil
	}
	// Claims only come: one that is there now may be of a value that is being put.
	// Each is written, so that nobody gives it up for what was before.
	for it, err := range r.p.items(ctx, m.claims) {
		if err != nil {
			return nil, err
		}
		ops = append(ops, Op{Key: it.key, If: Any})
	}
	return ops, nil
}

// fits reports the limit that the state of m would pass.
func (r *restore) fits(ctx context.Context, m *manifest) error {
	var more stateSize
	for _, change := range []struct {
		size stateSize
		sign int64
	}{{m.state, 1}, {r.c.m.state, -1}} {
		s := change.size
		if r.parts.KV {
			more = more.plus(stateSize{change.sign * s.kvBytes, change.sign * s.kvBytes, change.sign * s.kvKeys})
		}
		if r.parts.DB {
			more.bytes += change.sign * (s.bytes - s.kvBytes)
		}
	}
	if more.bytes <= 0 && more.kvBytes <= 0 && more.kvKeys <= 0 {
		return nil
	}
	now, err := countState(ctx, r.p.space)
	if err != nil {
		return err
	}
	return now.plus(more).over(&r.p.ws.limits)
}

// A statePlan is what changes of the state.
type statePlan struct {
	now map[string]Version // of keys that may change
	ops map[string]Op      // by key
}

// stateRun plans that the chunks of one run replace those of another.
func (r *restore) stateRun(ctx context.Context, plan *statePlan, then, now []chunkRef) error {
	for _, ref := range without(now, then) {
		for _, e := range r.c.listed[ref.stamp] {
			plan.now[e.Key] = e.Version
			plan.ops[e.Key] = Op{Key: e.Key, Delete: true, If: e.Version}
		}
	}
	for it, err := range r.p.items(ctx, without(then, now)) {
		if err != nil {
			return err
		}
		version, there := plan.now[it.key]
		if there {
			// Most of a chunk is the same, and reading is cheaper than writing.
			value, _, err := r.p.space.Get(ctx, it.key)
			if errors.Is(err, fs.ErrNotExist) {
				return errMoved // another process removed it
			}
			if err != nil {
				return err
			}
			if bytes.Equal(value, it.value) {
				delete(plan.ops, it.key)
				continue
			}
		}
		plan.ops[it.key] = Op{Key: it.key, Value: it.value, If: version}
	}
	return nil
}

// latch plans that the head of each database that changes is written, though it
// be the same: its version tells those who have it open.
func (r *restore) latch(ctx context.Context, plan *statePlan) error {
	heads := map[string]bool{}
	for key := range plan.ops {
		if rest, ok := strings.CutPrefix(key, dbPrefix); ok {
			name, _, _ := strings.Cut(rest, "/")
			heads[dbPrefix+name+"/"+dbHead] = true
		}
	}
	for key := range heads {
		if _, planned := plan.ops[key]; planned {
			continue
		}
		value, e, err := r.p.space.Get(ctx, key)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		plan.ops[key] = Op{Key: key, Value: value, If: e.Version}
	}
	return nil
}
