package sam

import (
	"context"
	"fmt"
)

// Fork makes a project with the files that another had at a checkpoint, and what
// parts names: KV and DB of that moment, secrets as they are now. It is all or
// nothing, and starts without checkpoints. It holds the state in memory meanwhile.
//
// If to exists the error matches fs.ErrExist; if from, the checkpoint, or what
// parts names in it is missing, fs.ErrNotExist.
func (w *Workspace) Fork(ctx context.Context, from ProjectID, checkpoint string, to ProjectID, parts Parts) (*Project, error) {
	src, err := w.Open(ctx, from)
	if err != nil {
		return nil, err
	}
	if err := to.Check(); err != nil {
		return nil, err
	}
	dst := newProject(w, to)
	if err := dst.mustBeFree(ctx); err != nil {
		return nil, err
	}
	if err := w.fork(ctx, src, checkpoint, dst, parts); err != nil {
		return nil, fmt.Errorf("fork project %q as %q: %w", from, to, err)
	}
	return dst, nil
}

func (w *Workspace) fork(ctx context.Context, src *Project, id string, dst *Project, parts Parts) error {
	x, err := src.index(ctx)
	if err != nil {
		return err
	}
	_, m, err := src.loadCheckpoint(ctx, id, x.head.Life)
	if err != nil {
		return err
	}
	if err := holds(id, m, parts); err != nil {
		return err
	}
	files := make(map[string]*fileRecord, m.fileCount)
	for f, err := range src.filesOf(ctx, m.files) {
		if err != nil {
			return err
		}
		r, err := src.pastRecord(ctx, f)
		if err == nil && r.blob {
			err = renew(ctx, w.store.Blobs(), r.Hash)
		}
		if err != nil {
			return fmt.Errorf("file %q: %w", f.Name, err)
		}
		files[f.Name] = r
	}
	var ops []Op
	add := func(refs []chunkRef) error {
		for it, err := range src.items(ctx, refs) {
			if err != nil {
				return err
			}
			ops = append(ops, Op{Key: it.key, Value: it.value, If: Any})
		}
		return nil
	}
	if parts.KV {
		if err := add(m.claims); err != nil {
			return err
		}
		for _, op := range ops {
			hash, _, _ := parseClaim(op.Key, claimPrefix)
			if err := renew(ctx, w.store.Blobs(), hash); err != nil {
				return err
			}
		}
		if err := add(m.kv); err != nil {
			return err
		}
	}
	if parts.DB {
		if err := add(m.db); err != nil {
			return err
		}
	}
	secrets, err := copySecrets(ctx, src, dst, parts.Secrets)
	if err != nil {
		return err
	}
	return dst.create(ctx, files, append(ops, secrets...))
}
