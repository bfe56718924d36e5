package sam

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// PackageExt is how the name of a package ends. Programs accept no other.
const PackageExt = ".sam"

// Where a package keeps what is no file of the project. No file of a package
// has such a name, in whatever case.
const (
	packageFolder   = ".sam"
	packageManifest = packageFolder + "/manifest.json"
	packageState    = ".playgrounds-state"
	packageKV       = packageState + "/kv"
	packageDB       = packageState + "/db"
	packageSecrets  = packageState + "/secrets"
	packageBlobs    = packageState + "/blobs/" // and the hash
)

const packageFormat = 1

// Bounds of what is read of a package, whatever is done with it.
const (
	maxPackageEntries  = 10_000   // files and folders, those that are skipped included
	maxPackageBlobs    = 10_000   // large values of KV
	maxPackageRatio    = 200      // of what an entry holds to the bytes that it takes,
	freePackageRatio   = 1 << 20  // if it holds more than this
	maxPackageManifest = 64 << 10 // bytes
)

// A PackageError says why a package is refused. It matches fs.ErrInvalid.
type PackageError struct {
	Entry  string // "" if the package as a whole is meant
	Reason string // follows the name in a sentence: "is a symbolic link"
	Err    error  // the cause, such as a *NameError, or nil
}

func (e *PackageError) Error() string {
	if e.Entry == "" {
		return "sam: the package " + e.Reason
	}
	name := e.Entry
	if len(name) > 200 {
		name = name[:200] + "…"
	}
	return fmt.Sprintf("sam: entry %q of the package %s", name, e.Reason)
}

// Is reports whether target is fs.ErrInvalid.
func (e *PackageError) Is(target error) bool { return target == fs.ErrInvalid }

// Unwrap returns the cause.
func (e *PackageError) Unwrap() error { return e.Err }

func refuse(entry, format string, args ...any) error {
	return &PackageError{Entry: entry, Reason: fmt.Sprintf(format, args...)}
}

// misnamed is the PackageError of an entry's NameError.
func misnamed(err error) error {
	var name *NameError
	if !errors.As(err, &name) {
		return err
	}
	return &PackageError{Entry: name.Name, Reason: name.Reason, Err: err}
}

// A Package is a .sam package whose directory has been read and found in order:
// names, sizes, and that every byte belongs to one entry. What the entries hold
// is checked as it is read. It is safe for concurrent use.
type Package struct {
	Name  string   // of the project that was exported; "" if the package does not say
	Wants []string // that [Project.Export] was given: a request, which a person may grant
	Parts Parts    // what is there beside the files
	Files []File   // in the order of their names, without Hash and ModTime
	Bytes int64    // of all files

	r       io.ReaderAt
	entries map[string]*zipEntry
	blobs   []*zipEntry
}

// A manifestJSON is the file packageManifest.
type manifestJSON struct {
	Format int      `json:"format"`
	Name   string   `json:"name"`
	Wants  []string `json:"wants,omitempty"`
}

// OpenPackage reads what a package of size bytes says of itself. r must stay as
// it is while the Package is used.
//
// A package is a ZIP archive; one of nothing but files, by whatever program, is a
// package as well. The error is a [*PackageError] if it is refused.
func OpenPackage(r io.ReaderAt, size int64) (*Package, error) {
	entries, err := readZip(r, size)
	if err != nil {
		return nil, err
	}
	p := &Package{r: r, entries: map[string]*zipEntry{}}
	for _, e := range entries {
		if err := p.add(e); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(p.Files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	if err := p.readManifest(); err != nil {
		return nil, err
	}
	return p, p.readSecretNames()
}

// add sorts an entry in.
func (p *Package) add(e *zipEntry) error {
	first, _, below := strings.Cut(e.name, "/")
	switch folded := FoldName(first); {
	case folded != packageFolder && folded != packageState:
		if !e.dir {
			p.Files = append(p.Files, File{Name: e.name, Size: e.size})
			p.Bytes += e.size
		}
	case e.dir && (!below || e.name+"/" == packageBlobs) && (first == packageFolder || first == packageState):
		return nil
	case strings.HasPrefix(e.name, packageBlobs) && validHash(e.name[len(packageBlobs):]):
		p.blobs = append(p.blobs, e)
	case !e.dir && slices.Contains([]string{packageManifest, packageKV, packageDB, packageSecrets}, e.name):
	default:
		return refuse(e.name, "has a name that packages keep for themselves, and is nothing that they hold")
	}
	p.entries[e.name] = e
	return nil
}

func (p *Package) readManifest() error {
	e := p.entries[packageManifest]
	p.Parts = Parts{KV: p.entries[packageKV] != nil, DB: p.entries[packageDB] != nil}
	if e == nil {
		if p.Parts.KV || p.Parts.DB || p.entries[packageSecrets] != nil || len(p.blobs) > 0 {
			return refuse("", "holds state and no %s that says in which format", packageManifest)
		}
		return nil
	}
	if len(p.blobs) > 0 && !p.Parts.KV {
		return refuse(p.blobs[0].name, "is of a KV that is not there")
	}
	data, err := p.small(e, maxPackageManifest)
	if err != nil {
		return err
	}
	var m manifestJSON
	if err := json.Unmarshal(data, &m); err != nil {
		return &PackageError{packageManifest, "is not what it should be: " + err.Error(), err}
	}
	if m.Format != packageFormat {
		return refuse(packageManifest, "is of format %d: this program knows only %d", m.Format, packageFormat)
	}
	p.Name, p.Wants = m.Name, m.Wants
	return nil
}

// readSecretNames finds which secrets there are, by name.
func (p *Package) readSecretNames() error {
	secrets, err := p.secrets()
	for _, s := range secrets {
		p.Parts.Secrets = append(p.Parts.Secrets, s.key)
	}
	return err
}

// secrets returns the secrets, in the order of their names.
func (p *Package) secrets() (items []item, err error) {
	e := p.entries[packageSecrets]
	if e == nil {
		return nil, nil
	}
	data, err := p.small(e, maxSecrets*(maxSecretBytes+300))
	if err == nil {
		items, err = parseItems(e.name, data)
	}
	if err != nil {
		return nil, err
	}
	if len(items) > maxSecrets {
		return nil, &LimitError{Limit: "Secrets", Max: maxSecrets}
	}
	for _, it := range items {
		if err := CheckSecretName(it.key); err != nil {
			return nil, &PackageError{e.name, "names a secret that none can be", err}
		}
		if len(it.value) == 0 || len(it.value) > maxSecretBytes {
			return nil, refuse(e.name, "holds a secret of %d bytes", len(it.value))
		}
	}
	return items, nil
}

// parseItems reads what appendItem wrote, in the order of the keys.
func parseItems(entry string, data []byte) ([]item, error) {
	items, err := parseChunk(data)
	if err != nil {
		return nil, refuse(entry, "is damaged")
	}
	return items, nil
}

// small reads an entry of at most so many bytes.
func (p *Package) small(e *zipEntry, most int64) ([]byte, error) {
	if e.size > most {
		return nil, refuse(e.name, "is larger than %d bytes", most)
	}
	return readEntry(context.Background(), p.r, e)
}

// holds reports that the package lacks what parts names.
func (p *Package) holds(parts Parts) error {
	switch {
	case parts.KV && !p.Parts.KV:
		return fmt.Errorf("sam: the package has no KV: %w", fs.ErrNotExist)
	case parts.DB && !p.Parts.DB:
		return fmt.Errorf("sam: the package has no databases: %w", fs.ErrNotExist)
	}
	for _, name := range parts.Secrets {
		if !slices.Contains(p.Parts.Secrets, name) {
			return fmt.Errorf("sam: the package has no secret %s: %w", name, fs.ErrNotExist)
		}
	}
	return nil
}
