package boltstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"

	"samkit.dev/internal/durable"
	"samkit.dev/sam"
)

// settle brings the disk to what the database shows, after a transaction that
// failed. It may have failed when its last page, which makes it valid, was
// written but could not be made durable. bbolt shows such a transaction, and
// the system takes the page for written; if the next one went on from there it
// would reuse pages that what is on the disk still needs. So the pages that say
// which transaction is the last are written again first. The caller holds the
// writer token.
func (s *Store) settle() error {
	if !s.doubt {
		return nil
	}
	path := filepath.Join(s.dir, fileName)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("boltstore: %w", err)
	}
	pages := make([]byte, 2*s.db.Info().PageSize)
	_, err = f.ReadAt(pages, 0)
	if err == nil {
		_, err = f.WriteAt(pages, 0)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = durable.SyncDir(s.dir)
	}
	if err != nil {
		return fmt.Errorf("boltstore: %w", err)
	}
	s.doubt = false
	return nil
}

// publish tells what a request that failed left, since it may have been made.
func (s *Store) publish(r *request) {
	var entries []sam.Entry
	gone := false
	err := s.db.View(func(tx *bbolt.Tx) error {
		b := tx.Bucket(spacesBucket).Bucket(bucketKey(r.space))
		gone = b == nil
		for _, op := range r.ops {
			e := sam.Entry{Key: op.Key}
			if b != nil {
				if v := b.Get([]byte(op.Key)); v != nil {
					var err error
					if e, err = decode([]byte(op.Key), v); err != nil {
						return err
					}
				}
			}
			entries = append(entries, e)
		}
		return nil
	})
	switch {
	case errors.Is(known(err), fs.ErrClosed):
	case r.drop && gone:
		s.feed.Drop(r.space)
	default:
		s.feed.Publish(r.space, entries...)
	}
}
