package sam_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"samkit.dev/sam"
	"samkit.dev/sam/boltstore"
)

func benchStores(b *testing.B, fn func(b *testing.B, s sam.Store)) {
	for _, kind := range []string{"mem", "plain", "bolt", "dir"} {
		b.Run(kind, func(b *testing.B) {
			var s sam.Store
			var err error
			switch kind {
			case "mem":
				s = sam.NewMemStore()
			case "plain":
				s = plain{sam.NewMemStore()}
			case "bolt":
				s, err = boltstore.Open(b.TempDir())
			case "dir":
				s, err = sam.OpenDir(b.TempDir())
			}
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			fn(b, s)
		})
	}
}

func manyFiles(n int) sam.Files {
	files := sam.Files{"index.html": strings.Repeat("x", 10<<10)}
	for i := range n - 1 {
		files[fmt.Sprintf("dir%d/file%d", i%10, i)] = fmt.Sprint(i)
	}
	return files
}

// BenchmarkRevision is what every request of a canvas pays.
func BenchmarkRevision(b *testing.B) {
	benchStores(b, func(b *testing.B, s sam.Store) {
		p := create(b, sam.NewWorkspace(s, "o", nil), "p", manyFiles(100))
		for b.Loop() {
			if _, err := p.Revision(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkOpenProject(b *testing.B) {
	benchStores(b, func(b *testing.B, s sam.Store) {
		w := sam.NewWorkspace(s, "o", nil)
		create(b, w, "p", manyFiles(100))
		for b.Loop() {
			if _, err := w.Open(b.Context(), "p"); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkReadFile reads 10 KB of a project in use.
func BenchmarkReadFile(b *testing.B) {
	benchStores(b, func(b *testing.B, s sam.Store) {
		p := create(b, sam.NewWorkspace(s, "o", nil), "p", manyFiles(100))
		for b.Loop() {
			if _, err := p.ReadFile(b.Context(), "index.html"); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkFSOpen(b *testing.B) {
	benchStores(b, func(b *testing.B, s sam.Store) {
		p := create(b, sam.NewWorkspace(s, "o", nil), "p", manyFiles(100))
		for b.Loop() {
			f, err := p.FS(b.Context()).Open("index.html")
			if err != nil {
				b.Fatal(err)
			}
			f.Close()
		}
	})
}

// BenchmarkFirstUse opens a project that is not in memory and reads all of it.
func BenchmarkFirstUse(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10_000} {
		b.Run(fmt.Sprint("files=", n), func(b *testing.B) {
			s, err := boltstore.Open(b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			create(b, sam.NewWorkspace(s, "o", nil), "p", manyFiles(n))
			for b.Loop() {
				p, err := sam.NewWorkspace(s, "o", nil).Open(b.Context(), "p")
				if err != nil {
					b.Fatal(err)
				}
				if entries, err := fs.ReadDir(p.FS(b.Context()), "."); err != nil || len(entries) == 0 {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkWriteFile writes a file of a project of n files.
func BenchmarkWriteFile(b *testing.B) {
	for _, n := range []int{10, 1000, 10_000} {
		b.Run(fmt.Sprint("mem/files=", n), func(b *testing.B) {
			p := create(b, sam.NewWorkspace(sam.NewMemStore(), "o", nil), "p", manyFiles(n))
			i := 0
			for b.Loop() {
				i++
				if err := p.WriteFile(b.Context(), "index.html", fmt.Append(nil, i)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	benchStores(b, func(b *testing.B, s sam.Store) {
		p := create(b, sam.NewWorkspace(s, "o", nil), "p", manyFiles(10))
		i := 0
		for b.Loop() {
			i++
			if err := p.WriteFile(b.Context(), "index.html", fmt.Append(nil, i)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkDeploy(b *testing.B) {
	benchStores(b, func(b *testing.B, s sam.Store) {
		w := sam.NewWorkspace(s, "o", nil)
		files := manyFiles(1000)
		create(b, w, "p", files)
		for b.Loop() {
			if _, err := w.Deploy(b.Context(), "p", files); err != nil {
				b.Fatal(err)
			}
		}
	})
}
