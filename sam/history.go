package sam

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A Checkpoint is a moment of a project that can be restored.
type Checkpoint struct {
	ID    string // never used again; no other project has it
	Label string
	By    string // as [WithAuthor] said; "" if nobody did
	Time  time.Time
	Parts Parts // what it holds beside the files: KV and DB, never secrets
	Files int
	Bytes int64 // of the files
}

type authorKey struct{}

// WithAuthor returns a context in which checkpoints are made by a person, an
// agent or a task of this name.
func WithAuthor(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, authorKey{}, name)
}

// maxLabel is the most bytes of a checkpoint's label, and of its author.
const maxLabel = 1024

func checkLabel(s string) error {
	switch {
	case len(s) > maxLabel:
		return &NameError{Name: s[:64] + "…", Reason: fmt.Sprintf("is longer than %d bytes", maxLabel)}
	case !utf8.ValidString(s):
		return &NameError{Name: s, Reason: "is not UTF-8"}
	}
	return nil
}

// A historyRecord is what a project knows of its checkpoints together. Each
// change of them is a commit whose condition is the version of this record, so
// that they happen one after another.
type historyRecord struct {
	Format int    `json:"format"`
	Life   string `json:"life"` // of the project
	Seq    uint64 `json:"seq"`  // of the newest checkpoint ever
	Last   string `json:"last,omitempty"`
	Count  int    `json:"count"`
	Bytes  int64  `json:"bytes"` // that checkpoints keep, or more
}

// A checkpointRecord describes a checkpoint.
type checkpointRecord struct {
	Life     string    `json:"life"`
	Label    string    `json:"label,omitempty"`
	By       string    `json:"by,omitempty"`
	Time     time.Time `json:"time"`
	KV       bool      `json:"kv,omitempty"`
	DB       bool      `json:"db,omitempty"`
	Files    int       `json:"files"`
	Bytes    int64     `json:"bytes"`
	Manifest string    `json:"manifest"` // its hash
	Size     int64     `json:"size"`     // of the manifest
}

func (r *checkpointRecord) checkpoint(id string) Checkpoint {
	return Checkpoint{ID: id, Label: r.Label, By: r.By, Time: r.Time, Parts: Parts{KV: r.KV, DB: r.DB}, Files: r.Files, Bytes: r.Bytes}
}

func encodeJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a struct of plain fields always encodes
	}
	return b
}

// newID returns the id of checkpoint number seq. Their order is that of the numbers.
func newID(seq uint64) string {
	return fmt.Sprintf("%08x-%s", seq, strings.ToLower(rand.Text()[:10]))
}

// A history is the checkpoints of a project at one moment.
type history struct {
	version Version
	record  historyRecord
	last    *manifest // of the newest checkpoint
	hash    digest    // of that
}

// loadHistory reads what is there for the project of this life.
func (p *Project) loadHistory(ctx context.Context, life string) (*history, error) {
	h := &history{record: historyRecord{Format: 1, Life: life}, last: &manifest{}}
	value, e, err := p.space.Get(ctx, historyKey)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return nil, err
	}
	if cached := p.history.Load(); cached != nil && cached.version == e.Version {
		return cached, nil
	}
	h.version = e.Version
	var r historyRecord
	if err := json.Unmarshal(value, &r); err != nil {
		return nil, fmt.Errorf("sam: damaged history: %w", err)
	}
	if r.Format != 1 {
		return nil, fmt.Errorf("sam: history of format %d: this program knows only 1", r.Format)
	}
	if r.Life != life {
		return h, nil // what a project that was deleted has left
	}
	h.record = r
	if r.Last != "" {
		newest, last, err := p.loadCheckpoint(ctx, r.Last, life)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, errMoved
		}
		if err != nil {
			return nil, err
		}
		h.last = last
		h.hash, _ = parseDigest(newest.Manifest)
	}
	p.history.Store(h)
	return h, nil
}

// loadRecord returns the description of a checkpoint, or an error matching fs.ErrNotExist.
func (p *Project) loadRecord(ctx context.Context, id, life string) (*checkpointRecord, error) {
	missing := fmt.Errorf("sam: project %q has no checkpoint %q: %w", p.id, short(id), fs.ErrNotExist)
	if id == "" || len(id) > 64 {
		return nil, missing
	}
	value, _, err := p.space.Get(ctx, historyPrefix+id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	r := &checkpointRecord{}
	if err := json.Unmarshal(value, r); err != nil {
		return nil, fmt.Errorf("sam: checkpoint %q: %w: %w", id, errManifest, err)
	}
	if r.Life != life {
		return nil, missing
	}
	return r, nil
}

// loadCheckpoint returns a checkpoint, or an error matching fs.ErrNotExist.
func (p *Project) loadCheckpoint(ctx context.Context, id, life string) (*checkpointRecord, *manifest, error) {
	r, err := p.loadRecord(ctx, id, life)
	if err != nil {
		return nil, nil, err
	}
	m, err := p.loadManifest(ctx, r)
	if err != nil {
		return nil, nil, fmt.Errorf("sam: checkpoint %q: %w", id, err)
	}
	return r, m, nil
}

func (p *Project) loadManifest(ctx context.Context, r *checkpointRecord) (*manifest, error) {
	hash, ok := parseDigest(r.Manifest)
	if !ok {
		return nil, errManifest
	}
	data, err := p.object(ctx, hash, r.Size)
	if err != nil {
		return nil, err
	}
	return parseManifest(data)
}

// object returns what a checkpoint keeps under a hash.
func (p *Project) object(ctx context.Context, hash digest, size int64) (data []byte, err error) {
	if size <= maxInline {
		data, _, err = p.space.Get(ctx, objectPrefix+hash.String())
	} else {
		data, err = p.largeObject(ctx, hash, size)
	}
	if errors.Is(err, fs.ErrNotExist) {
		// Not %w: the checkpoint exists, so this must not look like a missing one.
		return nil, fmt.Errorf("%w: %s is missing: %v", errManifest, hash, err)
	}
	if err != nil {
		return nil, err
	}
	if int64(len(data)) != size || sha256.Sum256(data) != hash {
		return nil, fmt.Errorf("%w: %s has other contents", errManifest, hash)
	}
	return data, nil
}

func (p *Project) largeObject(ctx context.Context, hash digest, size int64) ([]byte, error) {
	b, err := p.ws.store.Blobs().Open(ctx, hash.String())
	if err != nil {
		return nil, err
	}
	defer b.Close()
	var buf bytes.Buffer
	_, err = buf.ReadFrom(io.LimitReader(contextReader{ctx, b}, size+1))
	return buf.Bytes(), err
}

// items yields what the chunks of a run hold.
func (p *Project) items(ctx context.Context, refs []chunkRef) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		last := ""
		for _, r := range refs {
			data, err := p.object(ctx, r.hash, r.size)
			var items []item
			if err == nil {
				items, err = parseChunk(data)
			}
			if err == nil && len(items) > 0 {
				if items[0].key <= last {
					err = fmt.Errorf("%w: its parts are not in order", errManifest)
				}
				last = items[len(items)-1].key
			}
			if err != nil {
				yield(item{}, err)
				return
			}
			for _, it := range items {
				if !yield(it, nil) {
					return
				}
			}
		}
	}
}

// filesOf yields the files in chunks.
func (p *Project) filesOf(ctx context.Context, refs []chunkRef) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		for it, err := range p.items(ctx, refs) {
			var f File
			if err == nil {
				f, err = parseFileItem(it)
			}
			if !yield(f, err) || err != nil {
				return
			}
		}
	}
}

// fileData returns the contents of a file that a checkpoint keeps in the space.
func (p *Project) fileData(ctx context.Context, f File) ([]byte, error) {
	hash, ok := parseDigest(f.Hash)
	if !ok {
		return nil, errManifest
	}
	return p.object(ctx, hash, f.Size)
}

// Checkpoints yields the checkpoints, newest first.
func (p *Project) Checkpoints(ctx context.Context) iter.Seq2[Checkpoint, error] {
	return func(yield func(Checkpoint, error) bool) {
		x, err := p.index(ctx)
		var ids []string
		if err == nil {
			ids, err = p.checkpointIDs(ctx)
		}
		if err != nil {
			yield(Checkpoint{}, err)
			return
		}
		for _, id := range slices.Backward(ids) {
			r, err := p.loadRecord(ctx, id, x.head.Life)
			if errors.Is(err, fs.ErrNotExist) {
				continue // deleted meanwhile
			}
			if err != nil {
				yield(Checkpoint{}, err)
				return
			}
			if !yield(r.checkpoint(id), nil) {
				return
			}
		}
	}
}

// checkpointIDs returns the ids of all checkpoints, oldest first.
func (p *Project) checkpointIDs(ctx context.Context) (ids []string, err error) {
	for e, err := range p.space.List(ctx, historyPrefix, "") {
		if err != nil {
			return nil, err
		}
		ids = append(ids, strings.TrimPrefix(e.Key, historyPrefix))
	}
	return ids, nil
}

// DeleteCheckpoints removes checkpoints, all or none, and what only they kept.
// If one is missing the error matches fs.ErrNotExist. Blobs are removed from the
// store by [Sweep].
func (p *Project) DeleteCheckpoints(ctx context.Context, ids ...string) error {
	if err := p.checkpointing.acquire(ctx); err != nil {
		return err
	}
	defer p.checkpointing.release()
	if len(ids) == 0 {
		return nil
	}
	return p.again(ctx, func() error {
		x, err := p.index(ctx)
		if err != nil {
			return err
		}
		h, err := p.loadHistory(ctx, x.head.Life)
		if err != nil {
			return err
		}
		var ops []Op
		gone := map[string]bool{}
		for _, id := range ids {
			if gone[id] {
				continue
			}
			if _, err := p.loadRecord(ctx, id, x.head.Life); err != nil {
				return err
			}
			gone[id] = true
			ops = append(ops, Op{Key: historyPrefix + id, Delete: true, If: Any})
		}
		return p.collect(ctx, h, gone, ops)
	})
}

// again runs fn until no other write comes in between.
func (p *Project) again(ctx context.Context, fn func() error) error {
	for try := range commitTries {
		err := fn()
		if !errors.Is(err, errLost) && !errors.Is(err, errMoved) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(try) * 100 * time.Microsecond):
		}
	}
	return fmt.Errorf("sam: project %q: others kept writing: %w", p.id, ErrConflict)
}

// collectOps is how many keys a commit of collect removes.
const collectOps = 1000

// collect removes what no checkpoint needs but those that are gone, whose
// removal is ops. That it begins with; if it is interrupted later, what is left
// is removed another time. A checkpoint that is made meanwhile is not committed.
func (p *Project) collect(ctx context.Context, h *history, gone map[string]bool, ops []Op) error {
	ids, err := p.checkpointIDs(ctx)
	if err != nil {
		return err
	}
	needed := map[digest]bool{}
	record := h.record
	record.Last, record.Count = "", 0
	for _, id := range ids {
		if gone[id] {
			continue
		}
		r, err := p.loadRecord(ctx, id, record.Life)
		if errors.Is(err, fs.ErrNotExist) {
			ops = append(ops, Op{Key: historyPrefix + id, Delete: true, If: Any}) // of an earlier project
			continue
		}
		if err == nil {
			err = p.addKept(ctx, r, needed)
		}
		if err != nil {
			return fmt.Errorf("sam: checkpoint %q: %w", id, err)
		}
		record.Last = id
		record.Count++
	}
	var dead []Op
	var kept int64
	for _, prefix := range []string{objectPrefix, largePrefix} {
		for e, err := range p.space.List(ctx, prefix, "") {
			if err != nil {
				return err
			}
			hash, size, large := parseClaim(e.Key, largePrefix)
			if !large {
				hash, size = strings.TrimPrefix(e.Key, objectPrefix), e.Size
			}
			if d, ok := parseDigest(hash); ok && needed[d] {
				kept += size
			} else {
				dead = append(dead, Op{Key: e.Key, Delete: true, If: Any})
			}
		}
	}
	record.Bytes = kept
	for version := h.version; ; {
		n := min(len(dead), collectOps)
		batch := append(append(ops, Op{Key: historyKey, Value: encodeJSON(record), If: version}), dead[:n]...)
		versions, err := p.space.Commit(ctx, batch...)
		if errors.Is(err, ErrConflict) {
			return errLost
		}
		if err != nil {
			return err
		}
		version, ops, dead = versions[len(ops)], nil, dead[n:]
		if len(dead) == 0 {
			return nil
		}
	}
}

// addKept adds what a checkpoint needs.
func (p *Project) addKept(ctx context.Context, r *checkpointRecord, needed map[digest]bool) error {
	m, err := p.loadManifest(ctx, r)
	if err != nil {
		return err
	}
	hash, _ := parseDigest(r.Manifest)
	needed[hash] = true
	unseen := func(refs []chunkRef) (fresh []chunkRef) {
		for _, c := range refs {
			if !needed[c.hash] {
				needed[c.hash] = true
				fresh = append(fresh, c)
			}
		}
		return fresh
	}
	unseen(m.kv)
	unseen(m.db)
	for f, err := range p.filesOf(ctx, unseen(m.files)) {
		if err != nil {
			return err
		}
		d, _ := parseDigest(f.Hash)
		needed[d] = true
	}
	for it, err := range p.items(ctx, unseen(m.claims)) {
		if err != nil {
			return err
		}
		hash, _, _ := parseClaim(it.key, claimPrefix)
		d, _ := parseDigest(hash)
		needed[d] = true
	}
	return nil
}
