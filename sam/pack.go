package sam

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// Export writes the project as a .sam package: a ZIP archive of its files, with
// what parts names of its state. wants is what the app asks to be granted, in the
// words of the program; it stands in the package as a request, and importing grants
// nothing.
//
// A value of KV that was removed is not in the package; databases are in it as their pages are, with
// what SQLite leaves of removed rows.
//
// Equal contents give equal bytes, whatever the store and whenever they were
// written. Files are of one moment, the state is of one; that is held in memory
// meanwhile. Secrets are in the package as they are, to be read by whoever
// has it: name those that may be.
//
// If Export fails, what it has written is no package, and nothing takes it for one.
// It writes while it reads; w need not be buffered.
//
// A file below .sam or .playgrounds-state, where packages keep what is no file, is a
// [*PackageError], and so are more than 10,000 files; a secret that is missing matches
// fs.ErrNotExist.
func (p *Project) Export(ctx context.Context, w io.Writer, parts Parts, wants ...string) error {
	entries, err := p.packed(ctx, parts, wants)
	if err == nil {
		err = writeZip(ctx, w, entries)
	}
	if err != nil {
		return fmt.Errorf("export project %q: %w", p.id, err)
	}
	return nil
}

// packed returns the entries of the project's package, in order.
func (p *Project) packed(ctx context.Context, parts Parts, wants []string) ([]packEntry, error) {
	if err := p.look(ctx); err != nil {
		return nil, err
	}
	x, err := p.index(ctx)
	if err != nil {
		return nil, err
	}
	if n := len(x.names); n > maxPackageEntries {
		return nil, refuse("", "would have %d files, more than %d", n, maxPackageEntries)
	}
	entries := []packEntry{{name: packageManifest, data: append(encodeJSON(manifestJSON{packageFormat, string(p.id), wants}), '\n')}}
	if int64(len(entries[0].data)) > maxPackageManifest {
		return nil, refuse(packageManifest, "would be larger than %d bytes", maxPackageManifest)
	}
	for _, name := range x.names {
		e, err := p.packFile(x, name)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	state, err := p.packState(ctx, parts)
	if err != nil {
		return nil, err
	}
	entries = append(entries, state...)
	for i := range entries {
		entries[i].size = max(entries[i].size, int64(len(entries[i].data)))
	}
	slices.SortFunc(entries, func(a, b packEntry) int { return strings.Compare(a.name, b.name) })
	return entries, nil
}

func (p *Project) packFile(x *index, name string) (packEntry, error) {
	first, _, _ := strings.Cut(name, "/")
	if f := FoldName(first); f == packageFolder || f == packageState {
		return packEntry{}, refuse(name, "has a name that packages keep for themselves")
	}
	if err := CheckFileName(name); err != nil {
		return packEntry{}, misnamed(err)
	}
	r := x.files[name]
	return packEntry{name: name, size: r.Size, data: r.data, open: p.opener(x, r)}, nil
}

// opener returns how to open a file that is not in memory.
func (p *Project) opener(x *index, r *fileRecord) func(context.Context) (io.ReadCloser, error) {
	if r.data != nil || r.Size == 0 {
		return nil
	}
	return func(ctx context.Context) (io.ReadCloser, error) {
		f, err := projectFS{ctx, p, x}.Open(r.Name)
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err // the caller names the file
		}
		return f, err
	}
}

// packState returns the entries of the state that parts names.
func (p *Project) packState(ctx context.Context, parts Parts) (entries []packEntry, err error) {
	ops, err := p.copyState(ctx, parts)
	if err != nil {
		return nil, err
	}
	images, needed := map[string][]byte{}, map[string]bool{}
	for _, op := range ops {
		if n := len(op.Value) - 2*sha256.Size; n >= 0 && strings.HasPrefix(op.Key, kvPrefix) {
			needed[string(op.Value[n:])] = true
		}
	}
	if parts.KV {
		images[kvPrefix] = []byte{}
	}
	if parts.DB {
		images[dbPrefix] = []byte{}
	}
	for _, op := range ops {
		hash, size, ok := parseClaim(op.Key, claimPrefix)
		switch {
		case ok && needed[hash]:
			entries = append(entries, packEntry{name: packageBlobs + hash, size: size, open: func(ctx context.Context) (io.ReadCloser, error) {
				return p.ws.store.Blobs().Open(ctx, hash)
			}})
		case ok: // of a value that is gone, and not to be passed on
		default:
			prefix := op.Key[:len(kvPrefix)]
			images[prefix] = appendItem(images[prefix], op.Key[len(kvPrefix):], op.Value)
		}
	}
	if len(entries) > maxPackageBlobs {
		return nil, refuse("", "would have %d large values, more than %d", len(entries), maxPackageBlobs)
	}
	if parts.KV {
		entries = append(entries, packEntry{name: packageKV, data: images[kvPrefix]})
	}
	if parts.DB {
		entries = append(entries, packEntry{name: packageDB, data: images[dbPrefix]})
	}
	names := slices.Sorted(slices.Values(parts.Secrets))
	var secrets []byte
	for _, name := range slices.Compact(names) {
		value, err := p.Secrets().Value(ctx, name)
		if err != nil {
			return nil, err
		}
		secrets = appendItem(secrets, name, []byte(value))
	}
	if len(secrets) > 0 {
		entries = append(entries, packEntry{name: packageSecrets, data: secrets})
	}
	return entries, nil
}
