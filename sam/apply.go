package sam

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"
)

// commitTries is how often a write is planned again because another one came
// first, before it gives up.
const commitTries = 100

// WriteFile makes or replaces a file. To write only over known contents use Apply.
func (p *Project) WriteFile(ctx context.Context, name string, data []byte) error {
	return p.Apply(ctx, Edit{Name: name, Data: data, IfHash: "*"})
}

// An Edit changes one file. Exactly one of Data, Rename and Remove is used; if
// none is, the file becomes empty.
type Edit struct {
	Name   string
	Data   []byte // not retained
	Rename string // the new name, which must be free
	Remove bool
	IfHash string // the expected hash; "" expects no file, "*" expects nothing
}

// Apply makes all edits or none, in their order: each sees what those before it
// did. Writing what a file holds already changes nothing.
//
// The error is a [*ConflictError] if an IfHash does not hold, a [*NameError], a
// [*LimitError], or matches fs.ErrNotExist if the file to rename or remove is missing.
func (p *Project) Apply(ctx context.Context, edits ...Edit) error {
	for _, e := range edits {
		if (e.Data != nil && (e.Remove || e.Rename != "")) || (e.Remove && e.Rename != "") {
			return fmt.Errorf("sam: edit of %q is more than one of Data, Rename and Remove", e.Name)
		}
		if err := CheckFileName(e.Name); err != nil {
			return err
		}
		if int64(len(e.Data)) > p.ws.limits.FileBytes {
			return &LimitError{Limit: "FileBytes", Max: p.ws.limits.FileBytes, Name: e.Name}
		}
	}
	made := make([]*fileRecord, len(edits)) // hashed once, however often it is planned
	var names []string
	for i, e := range edits {
		names = append(names, e.Name)
		if e.Rename != "" {
			names = append(names, e.Rename)
		}
		if !e.Remove && e.Rename == "" {
			made[i] = newRecord(e.Name, slices.Clone(e.Data))
		}
	}
	if len(names) == 0 {
		return nil
	}
	if err := p.look(ctx, names...); err != nil {
		return err
	}
	return p.change(ctx, func(d *draft) error {
		for i, e := range edits {
			if err := d.edit(ctx, e, made[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// SetAgentManaged says whether an agent made the project and may delete it.
func (p *Project) SetAgentManaged(ctx context.Context, managed bool) error {
	return p.change(ctx, func(d *draft) error {
		d.head.Agent = managed
		return nil
	})
}

// change plans a write on the files of now and commits it, again if another
// write came first.
func (p *Project) change(ctx context.Context, plan func(*draft) error) error {
	if err := p.writing.acquire(ctx); err != nil {
		return err
	}
	defer p.writing.release()
	for try := range commitTries {
		x, err := p.index(ctx)
		if err != nil {
			return err
		}
		err = p.try(ctx, x, plan)
		if !errors.Is(err, errLost) {
			return err
		}
		// Another handle came first. It may be in another process, and about to
		// write again: leave it some time, less than a write takes.
		if try > 2 {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Duration(try) * 100 * time.Microsecond):
			}
		}
	}
	return fmt.Errorf("sam: project %q: others kept writing: %w", p.id, ErrConflict)
}

// errLost reports a commit that another one came before.
var errLost = errors.New("sam: another write came first")

// try makes one attempt of a change to the files x.
func (p *Project) try(ctx context.Context, x *index, plan func(*draft) error) (err error) {
	if p.names == nil || p.namesOf != x.version {
		p.names, p.namesOf = newNameSet(x.files), x.version
	}
	d := &draft{p: p, x: x, head: x.head, changed: map[string]*fileRecord{}}
	committed := false
	defer func() {
		if !committed {
			d.undo()
		}
	}()
	if err := plan(d); err != nil {
		return err
	}
	d.dropSame()
	if len(d.changed) == 0 && d.head == x.head && len(d.more) == 0 {
		return nil
	}
	if err := d.checkLimits(); err != nil {
		return err
	}
	y, err := p.commit(ctx, x, d)
	if err != nil {
		return err
	}
	committed, p.namesOf = true, y.version
	return nil
}

// commit writes what d changes of the files x and makes the new index current.
func (p *Project) commit(ctx context.Context, x *index, d *draft) (*index, error) {
	ops := []Op{{Key: headKey, Value: d.head.encode(), If: x.version}}
	names := slices.Sorted(maps.Keys(d.changed))
	for _, name := range names {
		r, cond := d.changed[name], Absent
		if old := x.files[name]; old != nil {
			cond = old.version
		}
		op := Op{Key: filePrefix + name, If: cond, Delete: r == nil}
		if r != nil {
			if err := p.storeBlob(ctx, r); err != nil {
				return nil, err
			}
			op.Value = r.encode()
		}
		ops = append(ops, op)
	}
	versions, err := p.space.Commit(ctx, append(ops, d.more...)...)
	if errors.Is(err, ErrConflict) {
		return nil, errLost
	}
	if err != nil {
		return nil, fmt.Errorf("sam: write project %q: %w", p.id, err)
	}
	for i, name := range names {
		if r := d.changed[name]; r != nil {
			r.version = versions[i+1]
		}
	}
	y := x.with(versions[0], d.head, d.changed)
	p.adopt(x, y)
	return y, nil
}

// storeBlob puts the contents of a large record where they belong.
func (p *Project) storeBlob(ctx context.Context, r *fileRecord) error {
	if !r.blob || r.data == nil {
		return nil
	}
	hash, _, err := p.ws.store.Blobs().Put(ctx, bytes.NewReader(r.data))
	if err != nil {
		return fmt.Errorf("sam: write %q: %w", r.Name, err)
	}
	if hash != r.Hash {
		return fmt.Errorf("sam: write %q: the store returned hash %s for contents with hash %s", r.Name, hash, r.Hash)
	}
	r.data = nil // another try need not put it again
	return nil
}

// adopt makes y, which this handle has just made of x, current. If there is
// already something newer, or may be, the next read finds out.
func (p *Project) adopt(x, y *index) {
	p.loading.hold()
	defer p.loading.release()
	if cur := p.cur.Load(); cur != nil && cur.x == x {
		// The count is that of x: the next read sees that it has grown, and finds
		// y's version in the store, or a newer one.
		p.set(cur.count, y)
	}
}

// A draft is a change being planned.
type draft struct {
	p       *Project
	x       *index
	head    headRecord
	changed map[string]*fileRecord // nil: to be removed
	more    []Op                   // beside head and files
	undos   []func()               // for p.names, to be run backwards
}

func (d *draft) undo() {
	for _, fn := range slices.Backward(d.undos) {
		fn()
	}
}

func (d *draft) lookup(name string) *fileRecord {
	if r, ok := d.changed[name]; ok {
		return r
	}
	return d.x.files[name]
}

// put makes a file, or replaces it.
func (d *draft) put(r *fileRecord) error {
	if d.lookup(r.Name) == nil {
		if err := d.p.names.check(r.Name); err != nil {
			return err
		}
		d.p.names.add(r.Name)
		d.undos = append(d.undos, func() { d.p.names.remove(r.Name) })
	}
	d.changed[r.Name] = r
	return nil
}

// remove removes a file that is there.
func (d *draft) remove(name string) {
	d.changed[name] = nil
	d.p.names.remove(name)
	d.undos = append(d.undos, func() { d.p.names.add(name) })
}

// edit plans one edit; made is the record of one that writes.
func (d *draft) edit(ctx context.Context, e Edit, made *fileRecord) error {
	now := d.lookup(e.Name)
	hash := ""
	if now != nil {
		hash = now.Hash
	}
	if e.IfHash != "*" && e.IfHash != hash {
		return &ConflictError{Name: e.Name, Hash: hash}
	}
	switch {
	case made != nil:
		if hash == made.Hash {
			return nil
		}
		return d.put(made)
	case now == nil && e.Remove:
		return pathError("remove", e.Name, fs.ErrNotExist)
	case now == nil:
		return pathError("rename", e.Name, fs.ErrNotExist)
	case e.Remove:
		d.remove(e.Name)
		return nil
	case e.Rename == e.Name:
		return nil
	}
	moved := *now
	moved.Name, moved.version = e.Rename, ""
	if !moved.blob && moved.data == nil {
		data, err := projectFS{ctx, d.p, d.x}.small(now)
		if errors.Is(err, ErrConflict) {
			return errLost
		}
		if err != nil {
			return pathError("rename", e.Name, err)
		}
		moved.data = data
	}
	d.remove(e.Name)
	if d.lookup(e.Rename) != nil {
		return &NameError{Name: e.Rename, Reason: "is taken", Other: e.Rename}
	}
	return d.put(&moved)
}

// dropSame forgets changes that change nothing.
func (d *draft) dropSame() {
	for name, r := range d.changed {
		old := d.x.files[name]
		if r == old || r != nil && old != nil && r.Hash == old.Hash {
			delete(d.changed, name)
		}
	}
}

func (d *draft) checkLimits() error {
	files, size := len(d.x.files), d.x.bytes
	for name, r := range d.changed {
		if old := d.x.files[name]; old != nil {
			files, size = files-1, size-old.Size
		}
		if r != nil {
			files, size = files+1, size+r.Size
		}
	}
	l := d.p.ws.limits
	if files > l.Files && files > len(d.x.files) {
		return &LimitError{Limit: "Files", Max: int64(l.Files)}
	}
	if size > l.ProjectBytes && size > d.x.bytes {
		return &LimitError{Limit: "ProjectBytes", Max: l.ProjectBytes}
	}
	return nil
}
