package sam

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"runtime"
	"sync"
	"time"
)

var (
	_ Blobs   = (*BlobDir)(nil)
	_ Renewer = (*BlobDir)(nil)
)

// A BlobDir is [Blobs] in a directory, for stores that keep the rest elsewhere.
// A blob lies under ab/abcdef…, its hash, and is never seen half written, not
// even after a crash. One BlobDir at a time may use a directory; the store that
// opens it sees to that.
type BlobDir struct {
	root *os.Root

	// age is held to change how old a blob is, or to remove one for its age.
	age sync.Mutex

	folders sync.Mutex // held while folders of blobs are made
	unnamed bool       // guarded by folders: one was, and may not be durable
}

const blobTemp = "tmp"

// OpenBlobDir opens or makes a directory, and removes what a crash left there.
func OpenBlobDir(dir string) (*BlobDir, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	if err = root.RemoveAll(blobTemp); err == nil {
		err = root.Mkdir(blobTemp, 0o700)
	}
	if err == nil {
		err = syncDir(root, ".") // also what an earlier process may not have come to
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return &BlobDir{root: root}, nil
}

// Close releases the directory. Blobs that are open stay open.
func (d *BlobDir) Close() error { return d.root.Close() }

func blobPath(hash string) string { return hash[:2] + "/" + hash }

// validHash keeps everything that is no hash away from paths.
func validHash(hash string) bool {
	if len(hash) != 2*sha256.Size {
		return false
	}
	for i := range len(hash) {
		if c := hash[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Put implements [Blobs].
func (d *BlobDir) Put(ctx context.Context, r io.Reader) (hash string, size int64, err error) {
	if err := ctx.Err(); err != nil {
		return "", 0, err
	}
	temp := blobTemp + "/" + rand.Text()
	f, err := d.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", 0, err
	}
	defer func() {
		if err != nil {
			f.Close()
			d.root.Remove(temp)
		}
	}()
	sum := sha256.New()
	if size, err = io.Copy(io.MultiWriter(f, sum), contextReader{ctx, r}); err != nil {
		return "", 0, err
	}
	hash = hex.EncodeToString(sum.Sum(nil))
	err = d.Renew(ctx, hash)
	if err == nil {
		f.Close()
		d.root.Remove(temp)
		return hash, size, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", 0, err
	}
	if err = f.Sync(); err != nil {
		return "", 0, err
	}
	if err = f.Close(); err != nil {
		return "", 0, err
	}
	if err = d.folder(hash[:2]); err != nil {
		return "", 0, err
	}
	d.age.Lock()
	err = d.root.Rename(temp, blobPath(hash))
	d.age.Unlock()
	if err != nil {
		return "", 0, err
	}
	return hash, size, syncDir(d.root, hash[:2])
}

// folder makes a folder of blobs durably. It may be there.
func (d *BlobDir) folder(name string) error {
	d.folders.Lock()
	defer d.folders.Unlock()
	err := d.root.Mkdir(name, 0o700)
	switch {
	case err == nil:
		d.unnamed = true
	case !errors.Is(err, fs.ErrExist):
		return err
	}
	if !d.unnamed {
		return nil
	}
	if err := syncDir(d.root, "."); err != nil {
		return err
	}
	d.unnamed = false
	return nil
}

// Renew implements [Renewer].
func (d *BlobDir) Renew(ctx context.Context, hash string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !validHash(hash) {
		return fmt.Errorf("renew blob %q: %w", short(hash), fs.ErrNotExist)
	}
	now := time.Now()
	d.age.Lock()
	err := d.root.Chtimes(blobPath(hash), now, now)
	d.age.Unlock()
	if err != nil {
		return err
	}
	// Another Put may have renamed it and not come to this yet.
	if err := d.folder(hash[:2]); err != nil {
		return err
	}
	return syncDir(d.root, hash[:2])
}

// Open implements [Blobs].
func (d *BlobDir) Open(ctx context.Context, hash string) (io.ReadSeekCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !validHash(hash) {
		return nil, fmt.Errorf("open blob %q: %w", short(hash), fs.ErrNotExist)
	}
	f, err := d.root.Open(blobPath(hash))
	if err != nil {
		return nil, fmt.Errorf("open blob: %w", err)
	}
	return f, nil
}

// Has implements [Blobs].
func (d *BlobDir) Has(ctx context.Context, hash string) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	name := "."
	if validHash(hash) {
		name = blobPath(hash)
	}
	_, err := d.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && name != ".", err
}

// All yields the hashes of the blobs, sorted, and their sizes in bytes.
func (d *BlobDir) All(ctx context.Context) iter.Seq2[BlobInfo, error] {
	return func(yield func(BlobInfo, error) bool) {
		dirs, err := fs.ReadDir(d.root.FS(), ".")
		if err != nil {
			yield(BlobInfo{}, err)
			return
		}
		for _, dir := range dirs {
			if len(dir.Name()) != 2 {
				continue
			}
			blobs, err := fs.ReadDir(d.root.FS(), dir.Name())
			if err != nil {
				yield(BlobInfo{}, err)
				return
			}
			for _, b := range blobs {
				if err := ctx.Err(); err != nil {
					yield(BlobInfo{}, err)
					return
				}
				if !validHash(b.Name()) {
					continue
				}
				info, err := b.Info()
				if errors.Is(err, fs.ErrNotExist) {
					continue // swept meanwhile
				}
				if err != nil {
					yield(BlobInfo{}, err)
					return
				}
				if !yield(BlobInfo{b.Name(), info.Size(), info.ModTime()}, nil) {
					return
				}
			}
		}
	}
}

// A BlobInfo describes a blob.
type BlobInfo struct {
	Hash string
	Size int64     // in bytes
	Time time.Time // of the last Put
}

// Sweep implements [Blobs].
func (d *BlobDir) Sweep(ctx context.Context, live func(string) bool, olderThan time.Time) (int, error) {
	n := 0
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	for b, err := range d.All(ctx) {
		if err != nil {
			return n, err
		}
		if !b.Time.Before(olderThan) || live(b.Hash) {
			continue
		}
		removed, err := d.removeOld(b.Hash, olderThan)
		if err != nil {
			return n, err
		}
		if removed {
			n++
		}
	}
	return n, nil
}

// removeOld removes a blob unless it was put again.
func (d *BlobDir) removeOld(hash string, olderThan time.Time) (bool, error) {
	d.age.Lock()
	defer d.age.Unlock()
	info, err := d.root.Lstat(blobPath(hash))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || !info.ModTime().Before(olderThan) {
		return false, err
	}
	return true, d.root.Remove(blobPath(hash))
}

// syncDir makes the entries of a directory durable.
func syncDir(root *os.Root, name string) error {
	if runtime.GOOS == "windows" {
		return nil // NTFS journals them, and a directory can't be flushed
	}
	f, err := root.Open(path.Clean(name))
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
