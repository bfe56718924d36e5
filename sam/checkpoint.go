package sam

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"
)

// captureBatch is how many bytes a checkpoint writes at a time before it is
// committed, and reads at most while it keeps others from writing.
const captureBatch = 8 << 20

// Checkpoint records the files, and the state that parts names, of one moment.
// What is in no earlier checkpoint is stored, all else shared with them. Secrets
// are never in a checkpoint; naming some is an error.
//
// The error is a [*LimitError] of Checkpoints or HistoryBytes if the project has
// as many as it may.
func (p *Project) Checkpoint(ctx context.Context, label string, parts Parts) (Checkpoint, error) {
	if err := errors.Join(checkLabel(label), checkpointParts(parts)); err != nil {
		return Checkpoint{}, err
	}
	if err := p.checkpointing.acquire(ctx); err != nil {
		return Checkpoint{}, err
	}
	defer p.checkpointing.release()
	if err := p.look(ctx); err != nil {
		return Checkpoint{}, err
	}
	var made Checkpoint
	err := p.withRoom(ctx, func() error {
		x, err := p.index(ctx)
		if err != nil {
			return err
		}
		c, err := p.newCapture(ctx, x, parts)
		if err == nil {
			err = c.run(ctx, false)
		}
		var ops []Op
		if err == nil {
			made, ops, err = c.record(ctx, label)
		}
		if err != nil {
			return err
		}
		versions, err := p.space.Commit(ctx, ops...)
		if errors.Is(err, ErrConflict) {
			return errLost
		}
		if err == nil {
			p.history.Store(c.next(versions[len(ops)-1]))
		}
		return err
	})
	if err != nil {
		return Checkpoint{}, fmt.Errorf("checkpoint project %q: %w", p.id, err)
	}
	return made, nil
}

func checkpointParts(parts Parts) error {
	if len(parts.Secrets) > 0 {
		return errors.New("sam: secrets are never in a checkpoint")
	}
	return nil
}

// withRoom runs fn again while others write, and once more after removing what
// no checkpoint needs, if there was no room.
func (p *Project) withRoom(ctx context.Context, fn func() error) error {
	err := p.again(ctx, fn)
	var limit *LimitError
	if !errors.As(err, &limit) || limit.Limit != "HistoryBytes" {
		return err
	}
	cleared := p.again(ctx, func() error {
		x, err := p.index(ctx)
		if err != nil {
			return err
		}
		h, err := p.loadHistory(ctx, x.head.Life)
		if err != nil {
			return err
		}
		return p.collect(ctx, h, nil, nil)
	})
	if cleared != nil {
		return cleared
	}
	return p.again(ctx, fn)
}

// A capture makes the manifest of a moment, and collects what has to be stored
// for it. If another write comes first it is of no more use.
type capture struct {
	p     *Project
	x     *index
	h     *history
	m     manifest
	parts Parts

	shared map[digest]bool     // manifest and chunks of the newest checkpoint
	stamps map[digest]chunkRef // chunks of the state by stamp
	placed map[digest]bool     // in the space, or in ops or late
	ops    []Op                // to be committed
	bytes  int64               // in ops
	late   [][]byte            // to be put into Blobs
	added  int64               // bytes of all that is new
	made   historyRecord       // of the checkpoint
	hash   digest              // of its manifest

	reading  bool               // the state is listed, and nothing may be written
	read     int64              // bytes, meanwhile
	prepared bool               // whatever is left has to be read
	listed   map[digest][]Entry // the keys of a chunk of the state, by its stamp
	claims   []string           // keys
	buf      []byte             // of chunk, to be used again
}

// newCapture returns a capture of the files x.
func (p *Project) newCapture(ctx context.Context, x *index, parts Parts) (*capture, error) {
	h, err := p.loadHistory(ctx, x.head.Life)
	if err != nil {
		return nil, err
	}
	if h.record.Count >= p.ws.limits.Checkpoints {
		return nil, &LimitError{Limit: "Checkpoints", Max: int64(p.ws.limits.Checkpoints)}
	}
	c := &capture{
		p: p, x: x, h: h, parts: Parts{KV: parts.KV, DB: parts.DB},
		shared: map[digest]bool{h.hash: true}, stamps: map[digest]chunkRef{}, placed: map[digest]bool{},
	}
	for _, refs := range h.last.all() {
		for _, r := range refs {
			c.shared[r.hash] = true
		}
	}
	for _, refs := range [][]chunkRef{h.last.kv, h.last.db} {
		for _, r := range refs {
			c.stamps[r.stamp] = r
		}
	}
	return c, nil
}

// run captures the moment. It holds the gate if that is necessary and not done.
func (c *capture) run(ctx context.Context, gated bool) error {
	c.m = manifest{parts: c.parts}
	if err := c.files(ctx); err != nil {
		return err
	}
	if !c.parts.KV && !c.parts.DB {
		return nil
	}
	return c.state(ctx, gated)
}

// keep notes an object to be stored.
func (c *capture) keep(ctx context.Context, hash digest, data []byte) error {
	if c.shared[hash] || c.placed[hash] {
		return nil
	}
	c.placed[hash] = true
	if err := c.grow(int64(len(data))); err != nil {
		return err
	}
	if len(data) > maxInline {
		c.late = append(c.late, data)
	} else {
		c.ops = append(c.ops, Op{Key: objectPrefix + hash.String(), Value: data, If: Any})
	}
	c.bytes += int64(len(data))
	return c.flush(ctx, captureBatch)
}

// grow counts what is added to the history.
func (c *capture) grow(n int64) error {
	c.added += n
	if most := c.p.ws.limits.HistoryBytes; c.h.record.Bytes+c.added > most {
		return &LimitError{Limit: "HistoryBytes", Max: most}
	}
	return nil
}

// flush stores what was collected if it is more than most bytes. It is not part
// of any checkpoint yet; if it never is, collect removes it.
func (c *capture) flush(ctx context.Context, most int64) error {
	if c.reading || c.bytes <= most {
		return nil
	}
	if err := c.putLate(ctx); err != nil {
		return err
	}
	if len(c.ops) > 0 {
		if _, err := c.p.space.Commit(ctx, c.ops...); err != nil {
			return err
		}
	}
	c.ops, c.bytes = nil, 0
	return nil
}

// putLate stores large objects.
func (c *capture) putLate(ctx context.Context) error {
	for _, data := range c.late {
		hash, size, err := c.p.ws.store.Blobs().Put(ctx, bytes.NewReader(data))
		if err != nil {
			return err
		}
		c.ops = append(c.ops, Op{Key: claimKey(largePrefix, hash, size), If: Any})
	}
	c.late = nil
	return nil
}

// keepBlob notes that the history needs a blob that is there.
func (c *capture) keepBlob(ctx context.Context, hash string, size int64) error {
	d, ok := parseDigest(hash)
	if !ok || c.placed[d] {
		return nil
	}
	if err := c.grow(size); err != nil {
		return err
	}
	if err := renew(ctx, c.p.ws.store.Blobs(), hash); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the store has lost blob %s: %v", hash, err)
		}
		return err
	}
	c.placed[d] = true
	c.ops = append(c.ops, Op{Key: claimKey(largePrefix, hash, size), If: Any})
	return nil
}

// A newChunk is a chunk that no checkpoint has yet.
type newChunk struct {
	hash digest
	data []byte
}

// files captures the files of the index.
func (c *capture) files(ctx context.Context) error {
	var fresh []newChunk
	var changed []*fileRecord // in those
	var buf []byte
	var group []*fileRecord
	end := func() {
		hash := digest(sha256.Sum256(buf))
		c.m.files = append(c.m.files, chunkRef{hash: hash, size: int64(len(buf))})
		if !c.shared[hash] && !c.placed[hash] {
			fresh = append(fresh, newChunk{hash, buf})
			changed = append(changed, group...)
		}
		buf, group = nil, nil
	}
	for _, name := range c.x.names {
		r := c.x.files[name]
		if len(buf) > 0 && cut(len(buf), name, itemSize(name, fileItemSize)) {
			end()
		}
		buf = appendItem(buf, name, fileItem(r.File))
		group = append(group, r)
	}
	if len(buf) > 0 {
		end()
	}
	c.m.fileCount, c.m.fileBytes = len(c.x.names), c.x.bytes
	known := map[string]bool{}
	for f, err := range c.p.filesOf(ctx, without(c.h.last.files, c.m.files)) {
		if err != nil {
			return err
		}
		known[f.Hash] = true
	}
	for _, r := range changed {
		if err := ctx.Err(); err != nil {
			return err
		}
		if known[r.Hash] {
			continue
		}
		if err := c.file(ctx, r); err != nil {
			return err
		}
	}
	// Now their files are there.
	for _, n := range fresh {
		if err := c.keep(ctx, n.hash, n.data); err != nil {
			return err
		}
	}
	return nil
}

// file keeps the contents of a file.
func (c *capture) file(ctx context.Context, r *fileRecord) error {
	if r.blob {
		return c.keepBlob(ctx, r.Hash, r.Size)
	}
	hash, ok := parseDigest(r.Hash)
	if !ok {
		return errRecord
	}
	if c.placed[hash] {
		return nil
	}
	data, err := projectFS{ctx, c.p, c.x}.small(r)
	if errors.Is(err, ErrConflict) {
		return errMoved
	}
	if err != nil {
		return err
	}
	return c.keep(ctx, hash, data)
}

// without returns the chunks of a that are not in b.
func without(a, b []chunkRef) (rest []chunkRef) {
	have := make(map[digest]bool, len(b))
	for _, r := range b {
		have[r.hash] = true
	}
	for _, r := range a {
		if !have[r.hash] {
			rest = append(rest, r)
		}
	}
	return rest
}

// errMuch reports a state of which too much would be read while others wait.
var errMuch = errors.New("sam: too much to read at once")

// state captures the state. What is large is read and stored before, while
// others write; what they change meanwhile is read again. If the gate is held
// already that is left to the caller, by errMuch.
func (c *capture) state(ctx context.Context, gated bool) error {
	const tries = 5
	for try := 1; ; try++ {
		most := int64(captureBatch)
		if try == tries || c.prepared {
			most = 1 << 62
		}
		c.reading, c.read = true, 0
		err := c.moment(ctx, gated, func(s Space) error { return c.list(ctx, s, most) })
		c.reading = false
		if err == nil {
			break
		}
		if !errors.Is(err, errMuch) || gated {
			return err
		}
		if err := c.prepare(ctx); err != nil {
			return err
		}
	}
	if err := c.flush(ctx, captureBatch); err != nil {
		return err
	}
	return c.claimed(ctx)
}

// prepare reads and stores as much of the state as can be without keeping
// others from writing.
func (c *capture) prepare(ctx context.Context) error {
	if err := c.flush(ctx, 0); err != nil {
		return err
	}
	if err := c.list(ctx, c.p.space, -1); err != nil {
		return err
	}
	return c.flush(ctx, 0)
}

// moment shows fn the space at one moment, with the files of c.
func (c *capture) moment(ctx context.Context, gated bool, fn func(Space) error) error {
	look := func(s Space) error {
		head, err := headVersion(ctx, s)
		if err == nil && head != c.x.version {
			err = errMoved
		}
		if err != nil {
			return err
		}
		return fn(s)
	}
	if v, ok := c.p.space.(Viewer); ok {
		return v.View(ctx, look)
	}
	if !gated {
		c.p.gate().Lock()
		defer c.p.gate().Unlock()
	}
	// Other processes may write. What was the same twice was so in between.
	if err := look(c.p.space); err != nil {
		return err
	}
	before := c.m
	if err := look(c.p.space); err != nil {
		return err
	}
	if !slices.Equal(before.kv, c.m.kv) || !slices.Equal(before.db, c.m.db) || !slices.Equal(before.claims, c.m.claims) {
		return errMoved
	}
	return nil
}

// list makes the runs of the state, reading most bytes at most. If most is
// negative it reads what it can, for another list to find read.
func (c *capture) list(ctx context.Context, s Space, most int64) error {
	c.m.state, c.listed = stateSize{}, map[digest][]Entry{}
	c.m.kv, c.m.db, c.m.claims = nil, nil, nil
	var err error
	if c.parts.KV {
		if c.m.kv, err = c.stateRun(ctx, s, kvPrefix, most); err != nil {
			return err
		}
		if c.m.claims, err = c.listClaims(ctx, s); err != nil {
			return err
		}
	}
	if c.parts.DB {
		c.m.db, err = c.stateRun(ctx, s, dbPrefix, most)
	}
	return err
}

// stateRun makes the run of the keys with a prefix.
func (c *capture) stateRun(ctx context.Context, s Space, prefix string, most int64) (refs []chunkRef, err error) {
	var group []Entry
	size := 0
	end := func() error {
		ref, err := c.chunk(ctx, s, group, size)
		if errors.Is(err, errMoved) && most < 0 {
			group, size = nil, 0
			return nil
		}
		if err == nil && most >= 0 && c.read > most {
			err = errMuch
		}
		if err != nil {
			return err
		}
		refs = append(refs, ref)
		c.listed[ref.stamp] = group
		group, size = nil, 0
		return nil
	}
	for e, err := range s.List(ctx, prefix, "") {
		if err != nil {
			return nil, err
		}
		n := itemSize(e.Key, e.Size)
		if len(group) > 0 && cut(size, e.Key, n) {
			if err := end(); err != nil {
				return nil, err
			}
		}
		c.m.state.add(e.Key, e.Size)
		group = append(group, e)
		size += n
	}
	if len(group) > 0 {
		err = end()
	}
	return refs, err
}

// chunk returns the chunk of keys of the state, of size bytes.
func (c *capture) chunk(ctx context.Context, s Space, group []Entry, size int) (chunkRef, error) {
	b := c.buf[:0]
	for _, e := range group {
		b = appendItem(b, e.Key, []byte(e.Version))
	}
	c.buf = b
	ref := chunkRef{stamp: sha256.Sum256(b)}
	if known, ok := c.stamps[ref.stamp]; ok {
		return known, nil
	}
	buf := make([]byte, 0, size)
	for _, e := range group {
		value, now, err := s.Get(ctx, e.Key)
		if errors.Is(err, fs.ErrNotExist) || err == nil && now.Version != e.Version {
			return ref, errMoved
		}
		if err != nil {
			return ref, err
		}
		buf = appendItem(buf, e.Key, value)
	}
	ref.hash, ref.size = digest(sha256.Sum256(buf)), int64(len(buf))
	if err := c.keep(ctx, ref.hash, buf); err != nil {
		return ref, err
	}
	c.stamps[ref.stamp] = ref
	c.read += ref.size
	return ref, nil
}

// listClaims makes the run of the blobs that the state has put.
func (c *capture) listClaims(ctx context.Context, s Space) (refs []chunkRef, err error) {
	var buf []byte
	end := func() error {
		ref := chunkRef{hash: digest(sha256.Sum256(buf)), size: int64(len(buf))}
		refs = append(refs, ref)
		err := c.keep(ctx, ref.hash, buf)
		buf = nil
		return err
	}
	c.claims = nil
	for e, err := range s.List(ctx, claimPrefix, "") {
		if err != nil {
			return nil, err
		}
		_, size, ok := parseClaim(e.Key, claimPrefix)
		if !ok {
			continue
		}
		if cut(len(buf), e.Key, itemSize(e.Key, 0)) {
			if err := end(); err != nil {
				return nil, err
			}
		}
		buf = appendItem(buf, e.Key, nil)
		c.claims = append(c.claims, e.Key)
		c.m.state = c.m.state.plus(blobSize(size))
	}
	if len(buf) > 0 {
		err = end()
	}
	return refs, err
}

// claimed keeps the blobs of the state that the newest checkpoint does not.
func (c *capture) claimed(ctx context.Context) error {
	if len(without(c.m.claims, c.h.last.claims)) == 0 {
		return nil
	}
	known := map[string]bool{}
	for it, err := range c.p.items(ctx, c.h.last.claims) {
		if err != nil {
			return err
		}
		known[it.key] = true
	}
	for _, key := range c.claims {
		hash, size, _ := parseClaim(key, claimPrefix)
		if known[key] {
			continue
		}
		if err := c.keepBlob(ctx, hash, size); err != nil {
			return err
		}
	}
	return nil
}

// record returns the ops that make the checkpoint, all that is not stored yet
// among them. The last one is that of the history.
func (c *capture) record(ctx context.Context, label string) (Checkpoint, []Op, error) {
	data := c.m.encode()
	hash := digest(sha256.Sum256(data))
	if err := c.keep(ctx, hash, data); err != nil {
		return Checkpoint{}, nil, err
	}
	if err := c.putLate(ctx); err != nil {
		return Checkpoint{}, nil, err
	}
	by, _ := ctx.Value(authorKey{}).(string)
	if err := checkLabel(by); err != nil {
		return Checkpoint{}, nil, err
	}
	r := &checkpointRecord{
		Life: c.h.record.Life, Label: label, By: by, Time: time.Now().UTC(), KV: c.parts.KV, DB: c.parts.DB,
		Files: c.m.fileCount, Bytes: c.m.fileBytes, Manifest: hash.String(), Size: int64(len(data)),
	}
	c.made, c.hash = c.h.record, hash
	c.made.Seq++
	id := newID(c.made.Seq)
	c.made.Last, c.made.Count, c.made.Bytes = id, c.made.Count+1, c.made.Bytes+c.added
	ops := append(slices.Clone(c.ops),
		Op{Key: historyPrefix + id, Value: encodeJSON(r), If: Absent},
		Op{Key: historyKey, Value: encodeJSON(c.made), If: c.h.version})
	return r.checkpoint(id), ops, nil
}

// next returns the history after the ops of record were committed.
func (c *capture) next(version Version) *history {
	m := c.m
	return &history{version: version, record: c.made, last: &m, hash: c.hash}
}
