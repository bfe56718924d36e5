package sam_test

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

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

// tenMegabytes are 1,000 files of 10 KB.
func tenMegabytes() sam.Files {
	files := sam.Files{}
	for i := range 1000 {
		files[fmt.Sprintf("dir%02d/file%d.js", i%20, i)] = fmt.Sprint(i) + strings.Repeat("0123456789abcdef", 640)
	}
	return files
}

// changeShare changes ten files of a thousand.
func changeShare(b *testing.B, p *sam.Project, n int) {
	b.Helper()
	var edits []sam.Edit
	for i := range 10 {
		i = (i*97 + n*13) % 1000
		data := fmt.Sprint(n, i) + strings.Repeat("fedcba9876543210", 640)
		edits = append(edits, sam.Edit{Name: fmt.Sprintf("dir%02d/file%d.js", i%20, i), Data: []byte(data), IfHash: "*"})
	}
	if err := p.Apply(b.Context(), edits...); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkCheckpoint makes one of 10 MB of which 1 % changed.
func BenchmarkCheckpoint(b *testing.B) {
	benchStores(b, func(b *testing.B, s sam.Store) {
		p := create(b, sam.NewWorkspace(s, "o", &sam.Options{Limits: sam.Limits{Checkpoints: 1e9, HistoryBytes: 1e12}}), "p", tenMegabytes())
		checkpoint(b, p, sam.Parts{})
		var times []time.Duration
		for n := 0; b.Loop(); n++ {
			b.StopTimer()
			changeShare(b, p, n)
			b.StartTimer()
			began := time.Now()
			checkpoint(b, p, sam.Parts{})
			times = append(times, time.Since(began))
		}
		reportMedian(b, times)
	})
}

// BenchmarkRestore goes back to before 1 % of 10 MB changed.
func BenchmarkRestore(b *testing.B) {
	benchStores(b, func(b *testing.B, s sam.Store) {
		p := create(b, sam.NewWorkspace(s, "o", &sam.Options{Limits: sam.Limits{Checkpoints: 1e9, HistoryBytes: 1e12}}), "p", tenMegabytes())
		c := checkpoint(b, p, sam.Parts{})
		var times []time.Duration
		for n := 0; b.Loop(); n++ {
			b.StopTimer()
			changeShare(b, p, n)
			b.StartTimer()
			began := time.Now()
			restore(b, p, c.ID, sam.Parts{})
			times = append(times, time.Since(began))
		}
		reportMedian(b, times)
	})
}

// BenchmarkCheckpointState makes one of 10 MB in 20,000 keys of which 1 % changed.
func BenchmarkCheckpointState(b *testing.B) {
	benchStores(b, func(b *testing.B, s sam.Store) {
		p := create(b, sam.NewWorkspace(s, "o", &sam.Options{Limits: sam.Limits{Checkpoints: 1e9, HistoryBytes: 1e12}}), "p", nil)
		put := func(n, step int) {
			var ops []sam.Op
			for i := n % step; i < 20_000; i += step {
				ops = append(ops, sam.Op{Key: fmt.Sprintf("kv/KV/%06d", i), Value: []byte(fmt.Sprint(n) + strings.Repeat("x", 500)), If: sam.Any})
			}
			if _, err := p.State().Space.Commit(b.Context(), ops...); err != nil {
				b.Fatal(err)
			}
		}
		put(0, 1)
		c := checkpoint(b, p, sam.Parts{KV: true})
		b.Run("checkpoint", func(b *testing.B) {
			var times []time.Duration
			for n := 0; b.Loop(); n++ {
				b.StopTimer()
				put(n, 100)
				b.StartTimer()
				began := time.Now()
				checkpoint(b, p, sam.Parts{KV: true})
				times = append(times, time.Since(began))
			}
			reportMedian(b, times)
		})
		b.Run("restore", func(b *testing.B) {
			var times []time.Duration
			for n := 0; b.Loop(); n++ {
				b.StopTimer()
				put(n, 100)
				b.StartTimer()
				began := time.Now()
				restore(b, p, c.ID, sam.Parts{KV: true})
				times = append(times, time.Since(began))
			}
			reportMedian(b, times)
		})
	})
}

func reportMedian(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "median-ms")
}

// BenchmarkExport writes 50 MB of packages: text, what does not shrink, and many small files.
func BenchmarkExport(b *testing.B) {
	source, err := os.ReadFile("checkpoint.go")
	if err != nil {
		b.Fatal(err)
	}
	many := sam.Files{}
	for i := range 5000 {
		many[fmt.Sprintf("d%d/f%d.go", i%50, i)] = fmt.Sprintln(i) + string(source[:10<<10])
	}
	for _, c := range []struct {
		name  string
		files sam.Files
	}{
		{"text", sam.Files{"a": strings.Repeat(string(source), 25<<20/len(source)), "b": strings.Repeat(string(source), 25<<20/len(source))}},
		{"noise", sam.Files{"a": noise(1, 25<<20), "b": noise(2, 25<<20)}},
		{"small", many},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := create(b, sam.NewWorkspace(sam.NewMemStore(), "o", nil), "p", c.files)
			size, packed := int64(0), &counter{}
			for _, data := range c.files {
				size += int64(len(data))
			}
			b.SetBytes(size)
			for b.Loop() {
				packed.n = 0
				if err := p.Export(b.Context(), packed, sam.Parts{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(size)/float64(packed.n), "ratio")
		})
	}
}

func BenchmarkImport(b *testing.B) {
	w := sam.NewWorkspace(sam.NewMemStore(), "o", nil)
	data := export(b, create(b, w, "p", packageFiles()), sam.Parts{})
	size := int64(0)
	for _, d := range packageFiles() {
		size += int64(len(d))
	}
	b.SetBytes(size)
	for b.Loop() {
		importPackage(b, w, "new", data, sam.Parts{})
		if err := w.Delete(b.Context(), "new"); err != nil {
			b.Fatal(err)
		}
	}
}

// A counter counts what is written.
type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}
