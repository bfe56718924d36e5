package boltstore_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"go.etcd.io/bbolt"

	"samkit.dev/sam"
	"samkit.dev/sam/boltstore"
)

// parallel runs b.N calls of fn on n goroutines.
func parallel(b *testing.B, n int, fn func(i int64) error) {
	b.ResetTimer()
	var next atomic.Int64
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
				if err := fn(i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "writes/s")
}

func BenchmarkCommit(b *testing.B) {
	value := make([]byte, 10<<10)
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprint("writers=", writers), func(b *testing.B) {
			s := open(b, b.TempDir())
			parallel(b, writers, func(i int64) error {
				p := s.Space(fmt.Sprint("o/", i%64))
				_, err := p.Commit(b.Context(), sam.Op{Key: fmt.Sprint("k", i%1000), Value: value, If: sam.Any})
				return err
			})
		})
	}
}

// BenchmarkBatch is what bbolt's own way of joining commits does with the same.
func BenchmarkBatch(b *testing.B) {
	value := make([]byte, 10<<10)
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprint("writers=", writers), func(b *testing.B) {
			db := raw(b, filepath.Join(b.TempDir(), "db"), true)
			parallel(b, writers, func(i int64) error {
				return db.Batch(func(tx *bbolt.Tx) error {
					bk, err := tx.CreateBucketIfNotExists([]byte(fmt.Sprint("o/", i%64)))
					if err != nil {
						return err
					}
					return bk.Put([]byte(fmt.Sprint("k", i%1000)), value)
				})
			})
		})
	}
}

func raw(b *testing.B, path string, noFreelistSync bool) *bbolt.DB {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{FreelistType: bbolt.FreelistMapType, NoFreelistSync: noFreelistSync})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	return db
}

// BenchmarkFreelist compares a list of free pages that each commit writes with
// one that Open makes, in a file of a million keys with holes.
func BenchmarkFreelist(b *testing.B) {
	for _, off := range []bool{false, true} {
		path := filepath.Join(b.TempDir(), "db")
		db := raw(b, path, off)
		db.NoSync = true
		for i := range 100 {
			err := db.Update(func(tx *bbolt.Tx) error {
				bk, err := tx.CreateBucketIfNotExists([]byte("b"))
				for j := 0; err == nil && j < 10_000; j++ {
					err = bk.Put(fmt.Appendf(nil, "%07d", i*10_000+j), make([]byte, 100))
				}
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		}
		// Holes: every other run of keys goes.
		for i := range 500 {
			err := db.Update(func(tx *bbolt.Tx) error {
				for j := range 1000 {
					if err := tx.Bucket([]byte("b")).Delete(fmt.Appendf(nil, "%07d", i*2000+j)); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		}
		db.NoSync = false
		b.Run(fmt.Sprintf("commit/NoFreelistSync=%v", off), func(b *testing.B) {
			for b.Loop() {
				err := db.Update(func(tx *bbolt.Tx) error {
					return tx.Bucket([]byte("b")).Put(fmt.Appendf(nil, "%07d", rand.IntN(1_000_000)), make([]byte, 100))
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("open/NoFreelistSync=%v", off), func(b *testing.B) {
			for b.Loop() {
				db, err := bbolt.Open(path, 0o600, &bbolt.Options{FreelistType: bbolt.FreelistMapType, NoFreelistSync: off})
				if err != nil {
					b.Fatal(err)
				}
				// The first write needs the list.
				tx, err := db.Begin(true)
				if err != nil {
					b.Fatal(err)
				}
				tx.Rollback()
				db.Close()
			}
		})
	}
}

func BenchmarkGet(b *testing.B) {
	dir := b.TempDir()
	s := open(b, dir)
	p := s.Space("o/p")
	if _, err := p.Commit(b.Context(), sam.Op{Key: "k", Value: make([]byte, 10<<10)}); err != nil {
		b.Fatal(err)
	}
	b.Run("store", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := p.Get(b.Context(), "k"); err != nil {
				b.Fatal(err)
			}
		}
	})
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, make([]byte, 10<<10), 0o600); err != nil {
		b.Fatal(err)
	}
	b.Run("os.ReadFile", func(b *testing.B) {
		for b.Loop() {
			if _, err := os.ReadFile(file); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkProjects measures a store of many projects.
func BenchmarkProjects(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		dir := b.TempDir()
		s := open(b, dir)
		var next atomic.Int64
		var wg sync.WaitGroup
		for range 512 {
			wg.Go(func() {
				for i := next.Add(1); i <= int64(n); i = next.Add(1) {
					if _, err := s.Space(fmt.Sprintf("o/%06d", i)).Commit(b.Context(), sam.Op{Key: "p", Value: make([]byte, 100)}); err != nil {
						b.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		b.Run(fmt.Sprint("list/n=", n), func(b *testing.B) {
			for b.Loop() {
				found := 0
				for _, err := range s.Spaces(b.Context(), "", "") {
					if err != nil {
						b.Fatal(err)
					}
					found++
				}
				if found != n {
					b.Fatalf("found %d", found)
				}
			}
		})
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint("open/n=", n), func(b *testing.B) {
			for b.Loop() {
				s, err := boltstore.Open(dir)
				if err != nil {
					b.Fatal(err)
				}
				s.Close()
			}
		})
	}
}
