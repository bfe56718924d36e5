package boltstore

import (
	"archive/tar"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"go.etcd.io/bbolt"

	"samkit.dev/sam"
)

// unfinished is what Compact and Backup are writing; a crash leaves it behind.
const unfinished = ".part"

func removeUnfinished(path string) error {
	names := []string{path + ".compact" + unfinished, path + ".backup" + unfinished}
	made, err := filepath.Glob(path + ".new-*" + unfinished)
	if err != nil {
		return err
	}
	for _, name := range append(names, made...) {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// makeFile makes an empty database if there is none. It gets its name when it
// is whole and durable, so that no loss of power leaves one that can't be opened.
func makeFile(path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	part := path + ".new-" + rand.Text() + unfinished
	defer os.Remove(part)
	db, err := openFile(part)
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		return err
	}
	// A rename would replace what another process made meanwhile. Where there
	// are no links bbolt makes the file in its place.
	err = os.Link(part, path)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

// Backup writes a consistent copy, while the store is in use, as a tar of its
// directory: unpacked into an empty one it is a store. It copies store.bolt
// within the directory first, so that a slow w does not make the store grow.
func (s *Store) Backup(ctx context.Context, w io.Writer) error {
	s.sweeping.RLock()
	defer s.sweeping.RUnlock()
	if err := s.backup(ctx, w); err != nil {
		return fmt.Errorf("boltstore: backup of %s: %w", s.dir, err)
	}
	return nil
}

func (s *Store) backup(ctx context.Context, w io.Writer) error {
	path := filepath.Join(s.dir, fileName) + ".backup" + unfinished
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return errors.New("another backup is running")
	}
	if err != nil {
		return err
	}
	defer os.Remove(path)
	defer f.Close()
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		_, err := tx.WriteTo(contextWriter{ctx, f})
		return err
	})
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	t := tar.NewWriter(contextWriter{ctx, w})
	if err := add(t, fileName, info.Size(), f); err != nil {
		return err
	}
	// A blob that is put from now on is not named by the copy; one that it names is here.
	for b, err := range s.blobs.All(ctx) {
		if err != nil {
			return err
		}
		r, err := s.blobs.Open(ctx, b.Hash)
		if err != nil {
			return err
		}
		err = add(t, "blobs/"+b.Hash[:2]+"/"+b.Hash, b.Size, r)
		r.Close()
		if err != nil {
			return err
		}
	}
	return t.Close()
}

func add(t *tar.Writer, name string, size int64, r io.Reader) error {
	if err := t.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o600, Typeflag: tar.TypeReg}); err != nil {
		return err
	}
	_, err := io.Copy(t, r)
	return err
}

// A contextWriter fails once its context has ended.
type contextWriter struct {
	ctx context.Context // of one call
	w   io.Writer
}

func (c contextWriter) Write(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.w.Write(p)
}

// Compact rewrites store.bolt without its free pages. Reading goes on
// meanwhile, writing waits. If it fails the store holds what it did.
func (s *Store) Compact(ctx context.Context) error {
	if err := s.compact(ctx); err != nil {
		return fmt.Errorf("boltstore: compact %s: %w", s.dir, err)
	}
	return nil
}

func (s *Store) compact(ctx context.Context) error {
	select {
	case s.writer <- struct{}{}:
		defer func() { <-s.writer }()
	case <-s.closed:
		return fs.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	path := filepath.Join(s.dir, fileName)
	part := path + ".compact" + unfinished
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	defer os.Remove(part)
	if err := s.copyTo(ctx, part); err != nil {
		return err
	}
	if err := s.lockDB(ctx); err != nil {
		return err
	}
	defer s.using.Unlock()
	// The new file is locked before it takes the old one's place.
	fresh, err := openFile(part)
	if err != nil {
		return err
	}
	if err := replace(part, path); err != nil {
		fresh.Close()
		return err
	}
	old := s.db
	s.db = fresh
	s.doubt = true // the name
	return errors.Join(old.Close(), s.settle())
}

// copyTo writes all live pages to a new file.
func (s *Store) copyTo(ctx context.Context, path string) error {
	dst, err := openFile(path)
	if err != nil {
		return err
	}
	s.using.RLock()
	err = known(bbolt.Compact(dst, s.db, 16<<20))
	s.using.RUnlock()
	if err == nil {
		err = ctx.Err()
	}
	return errors.Join(err, dst.Close())
}

// replace gives a file another's name. Windows refuses that while the other is open.
func replace(from, to string) error {
	if runtime.GOOS == "windows" {
		return fmt.Errorf("an open file can't be replaced on Windows: %w", errors.ErrUnsupported)
	}
	return os.Rename(from, to)
}

// Check reads everything and reports what is damaged, joined into one error:
// pages of the file, values, blobs whose contents are not those of their hash.
func (s *Store) Check(ctx context.Context) error {
	var errs []error
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		for err := range tx.Check() {
			errs = append(errs, err)
		}
		if len(errs) > 0 {
			return nil // damaged pages are not to be walked through
		}
		all := tx.Bucket(spacesBucket)
		return all.ForEachBucket(func(k []byte) error {
			return all.Bucket(k).ForEach(func(key, v []byte) error {
				if _, err := decode(key, v); err != nil {
					errs = append(errs, err)
				}
				return ctx.Err()
			})
		})
	})
	errs = append(errs, err)
	for b, err := range s.blobs.All(ctx) {
		if err == nil {
			err = s.checkBlob(ctx, b)
		}
		errs = append(errs, err)
		if ctx.Err() != nil {
			break
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("boltstore: check of %s: %w", s.dir, err)
	}
	return nil
}

func (s *Store) checkBlob(ctx context.Context, b sam.BlobInfo) error {
	r, err := s.blobs.Open(ctx, b.Hash)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // swept meanwhile
	}
	if err != nil {
		return err
	}
	defer r.Close()
	sum := sha256.New()
	if _, err := io.Copy(contextWriter{ctx, sum}, r); err != nil {
		return fmt.Errorf("blob %s: %w", b.Hash, err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != b.Hash {
		return fmt.Errorf("blob %s holds what has hash %s", b.Hash, got)
	}
	return nil
}
