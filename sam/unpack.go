package sam

import (
	"context"
	"fmt"
	"io"
	"time"
)

// Import makes a project of a .sam package of size bytes, all or nothing, with
// what parts names of the state that the package has. r must not change meanwhile.
// What the package wants to be granted is in [Package.Wants]; importing grants nothing.
//
// It takes no more than the limits of the workspace allow, and holds small files
// and the state in memory meanwhile. If the package is refused the error is a
// [*PackageError] that names the entry, or a [*LimitError]; if id exists it matches
// fs.ErrExist, and if parts names what the package lacks fs.ErrNotExist.
func (w *Workspace) Import(ctx context.Context, id ProjectID, r io.ReaderAt, size int64, parts Parts) (*Project, error) {
	if err := id.Check(); err != nil {
		return nil, err
	}
	dst := newProject(w, id)
	if err := dst.mustBeFree(ctx); err != nil {
		return nil, err
	}
	pkg, err := OpenPackage(r, size)
	if err == nil {
		err = dst.unpack(ctx, pkg, parts)
	}
	if err != nil {
		return nil, fmt.Errorf("import project %q: %w", id, err)
	}
	return dst, nil
}

func (p *Project) unpack(ctx context.Context, pkg *Package, parts Parts) error {
	if err := pkg.holds(parts); err != nil {
		return err
	}
	files, err := p.unpackFiles(ctx, pkg)
	if err != nil {
		return err
	}
	ops, err := p.unpackState(ctx, pkg, parts)
	if err != nil {
		return err
	}
	secrets, err := p.unpackSecrets(ctx, pkg, parts.Secrets)
	if err != nil {
		return err
	}
	return p.create(ctx, files, append(ops, secrets...))
}

func (p *Project) unpackFiles(ctx context.Context, pkg *Package) (map[string]*fileRecord, error) {
	// By what the entries say, before any is read; they hold no more than that.
	l := &p.ws.limits
	if len(pkg.Files) > l.Files {
		return nil, &LimitError{Limit: "Files", Max: int64(l.Files)}
	}
	if pkg.Bytes > l.ProjectBytes {
		return nil, &LimitError{Limit: "ProjectBytes", Max: l.ProjectBytes}
	}
	files := make(map[string]*fileRecord, len(pkg.Files))
	for _, f := range pkg.Files {
		if f.Size > l.FileBytes {
			return nil, &LimitError{Limit: "FileBytes", Max: l.FileBytes, Name: f.Name}
		}
	}
	for _, f := range pkg.Files {
		e := pkg.entries[f.Name]
		if e.size <= maxInline {
			data, err := readEntry(ctx, pkg.r, e)
			if err != nil {
				return nil, err
			}
			files[f.Name] = newRecord(f.Name, data)
			continue
		}
		hash, size, err := p.ws.store.Blobs().Put(ctx, openEntry(ctx, pkg.r, e))
		if err != nil {
			return nil, err
		}
		files[f.Name] = &fileRecord{File: File{Name: f.Name, Size: size, Hash: hash, ModTime: time.Now()}, blob: true}
	}
	return files, nil
}

// unpackState returns ops that make the state.
func (p *Project) unpackState(ctx context.Context, pkg *Package, parts Parts) ([]Op, error) {
	var ops []Op
	var size stateSize
	add := func(entry, prefix string) error {
		e := pkg.entries[entry]
		if l := p.ws.limits.StateBytes; e.size/2 > l {
			return &LimitError{Limit: "StateBytes", Max: l}
		}
		data, err := readEntry(ctx, pkg.r, e)
		if err != nil {
			return err
		}
		items, err := parseItems(entry, data)
		if err != nil {
			return err
		}
		for _, it := range items {
			key := prefix + it.key
			if len(key) > MaxKey {
				return refuse(entry, "holds a key of %d bytes", len(it.key))
			}
			size.add(key, int64(len(it.value)))
			ops = append(ops, Op{Key: key, Value: it.value, If: Any})
		}
		return size.over(&p.ws.limits)
	}
	if parts.DB {
		if err := add(packageDB, dbPrefix); err != nil {
			return nil, err
		}
	}
	if !parts.KV {
		return ops, nil
	}
	if err := add(packageKV, kvPrefix); err != nil {
		return nil, err
	}
	for _, e := range pkg.blobs {
		hash := e.name[len(packageBlobs):]
		key := claimKey(claimPrefix, hash, e.size)
		size.add(key, 0)
		size = size.plus(blobSize(e.size))
		ops = append(ops, Op{Key: key, If: Any})
	}
	if err := size.over(&p.ws.limits); err != nil {
		return nil, err
	}
	for _, e := range pkg.blobs {
		hash, _, err := p.ws.store.Blobs().Put(ctx, openEntry(ctx, pkg.r, e))
		if err != nil {
			return nil, err
		}
		if hash != e.name[len(packageBlobs):] {
			return nil, refuse(e.name, "is not what its name says")
		}
	}
	return ops, nil
}

// unpackSecrets returns ops that make the secrets of these names.
func (p *Project) unpackSecrets(ctx context.Context, pkg *Package, names []string) ([]Op, error) {
	if len(names) == 0 {
		return nil, nil
	}
	aead, err := p.ws.sealer(ctx)
	if err != nil {
		return nil, err
	}
	secrets, err := pkg.secrets()
	if err != nil {
		return nil, err
	}
	asked := map[string]bool{}
	for _, name := range names {
		asked[name] = true
	}
	var ops []Op
	for _, it := range secrets {
		if asked[it.key] {
			ops = append(ops, Op{Key: secretPrefix + it.key, Value: p.seal(aead, it.key, string(it.value)), If: Any})
		}
	}
	return ops, nil
}
