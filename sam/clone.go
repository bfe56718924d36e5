package sam

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// Clone makes a project with the files of another, and what parts names, all
// or nothing. The copy is of one moment of the files and of one moment of the
// state. It holds the state in memory meanwhile.
//
// If to exists the error matches fs.ErrExist; if from or a secret that parts
// names is missing, fs.ErrNotExist.
func (w *Workspace) Clone(ctx context.Context, from, to ProjectID, parts Parts) (*Project, error) {
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
	if err := w.clone(ctx, src, dst, parts); err != nil {
		return nil, fmt.Errorf("clone project %q as %q: %w", from, to, err)
	}
	return dst, nil
}

func (w *Workspace) clone(ctx context.Context, src, dst *Project, parts Parts) error {
	x, err := src.index(ctx)
	if err != nil {
		return err
	}
	files := make(map[string]*fileRecord, len(x.files))
	for name, r := range x.files {
		c := *r
		c.version = ""
		if c.blob {
			err = renew(ctx, w.store.Blobs(), c.Hash)
		} else {
			c.data, err = projectFS{ctx, src, x}.small(r)
		}
		if err != nil {
			return fmt.Errorf("file %q: %w", name, err)
		}
		files[name] = &c
	}
	ops, err := src.copyState(ctx, parts)
	if err != nil {
		return err
	}
	secrets, err := copySecrets(ctx, src, dst, parts.Secrets)
	if err != nil {
		return err
	}
	return dst.create(ctx, files, append(ops, secrets...))
}

// copyState returns ops that make the state that parts names anew.
func (p *Project) copyState(ctx context.Context, parts Parts) (ops []Op, err error) {
	var prefixes []string
	if parts.KV {
		prefixes = append(prefixes, kvPrefix)
	}
	if parts.DB {
		prefixes = append(prefixes, dbPrefix)
	}
	if len(prefixes) == 0 {
		return nil, nil
	}
	prefixes = append(prefixes, claimPrefix)
	if v, ok := p.space.(Viewer); ok {
		err = view(ctx, v, func(s Space) error {
			ops, err = copyKeys(ctx, s, prefixes)
			return err
		})
	} else {
		// No commit of this process comes in between; one of another does, and
		// then a key that was listed may be gone.
		p.gate().Lock()
		ops, err = copyKeys(ctx, p.space, prefixes)
		p.gate().Unlock()
	}
	if err != nil {
		return nil, err
	}
	for _, op := range ops {
		if hash, _, ok := parseClaim(op.Key, claimPrefix); ok {
			if err := renew(ctx, p.ws.store.Blobs(), hash); err != nil {
				return nil, err
			}
		}
	}
	return ops, nil
}

func copyKeys(ctx context.Context, s Space, prefixes []string) ([]Op, error) {
	var ops []Op
	for _, prefix := range prefixes {
		for e, err := range s.List(ctx, prefix, "") {
			if err != nil {
				return nil, err
			}
			value, _, err := s.Get(ctx, e.Key)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			ops = append(ops, Op{Key: e.Key, Value: value, If: Any})
		}
	}
	return ops, nil
}

// copySecrets seals secrets anew, since they are bound to their project.
func copySecrets(ctx context.Context, src, dst *Project, names []string) ([]Op, error) {
	var ops []Op
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			continue
		}
		seen[name] = true
		value, err := src.Secrets().Value(ctx, name)
		if err != nil {
			return nil, err
		}
		aead, err := dst.ws.sealer(ctx)
		if err != nil {
			return nil, err
		}
		ops = append(ops, Op{Key: secretPrefix + name, Value: dst.seal(aead, name, value), If: Any})
	}
	return ops, nil
}

// renew makes a blob as young as a new one, so that no sweep takes it before
// the commit that names it.
func renew(ctx context.Context, b Blobs, hash string) error {
	if r, ok := b.(Renewer); ok {
		return r.Renew(ctx, hash)
	}
	f, err := b.Open(ctx, hash)
	if err != nil {
		return err
	}
	defer f.Close()
	_, _, err = b.Put(ctx, f)
	return err
}
