package main

import (
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"

	"samkit.dev/canvas"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/sam/boltstore"
)

// A farm is many projects in a bbolt store behind one handler and one engine.
type farm struct {
	dir   string
	store *boltstore.Store
	ws    *sam.Workspace
	eng   *engine.Engine
	h     *canvas.Handler

	mu   sync.Mutex
	apps map[sam.ProjectID]*canvas.App
}

// newFarm makes a farm in a directory that it removes at its end. With dev, answers say what went wrong.
func newFarm(opts engine.Options, dev bool) (f *farm, err error) {
	f = &farm{apps: map[sam.ProjectID]*canvas.App{}}
	defer func() {
		if err != nil {
			f.close()
		}
	}()
	opts.Logger = slog.New(slog.NewTextHandler(io.Discard, nil)) // every request that fails is logged, at the cost that has
	if f.dir, err = os.MkdirTemp("", "load-"); err != nil {
		return nil, err
	}
	if f.store, err = boltstore.Open(f.dir); err != nil {
		return nil, err
	}
	f.ws = sam.NewWorkspace(f.store, "o", nil)
	if f.eng, err = engine.New(&opts); err != nil {
		return nil, err
	}
	f.h, err = canvas.NewSite(f.find, &canvas.Options{Engine: f.eng, Logger: opts.Logger, Dev: dev})
	return f, err
}

// find opens a project when it is first asked for, as a program with many does.
func (f *farm) find(ctx context.Context, _ canvas.Visitor, id sam.ProjectID) (*canvas.App, error) {
	f.mu.Lock()
	app := f.apps[id]
	f.mu.Unlock()
	if app == nil {
		return nil, fs.ErrNotExist
	}
	return app, nil
}

// add makes a project.
func (f *farm) add(ctx context.Context, id string, files fs.FS, limits engine.Limits) error {
	p, err := f.ws.Create(ctx, sam.ProjectID(id), files)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.apps[p.ID()] = &canvas.App{Project: p, Limits: limits}
	return nil
}

// addAll makes n projects, many at once: writers that come together share a commit.
func (f *farm) addAll(ctx context.Context, n int, make func(i int) (id string, files fs.FS, limits engine.Limits)) error {
	var wg sync.WaitGroup
	errs := &first{}
	next := newCounter(n)
	for range 32 {
		wg.Go(func() {
			for i, ok := next(); ok && errs.get() == nil; i, ok = next() {
				id, files, limits := make(i)
				errs.set(f.add(ctx, id, files, limits))
			}
		})
	}
	wg.Wait()
	return errs.get()
}

func (f *farm) close() {
	if f.h != nil {
		f.h.Close()
	}
	if f.eng != nil {
		f.eng.Close()
	}
	if f.store != nil {
		f.store.Close()
	}
	os.RemoveAll(f.dir)
}

// serve answers on a port of the loopback interface until the process is to end. Beside the projects there is
// /-/stats, which no project can be.
func (f *farm) serve(ctx context.Context) error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/", f.h)
	mux.HandleFunc("GET /-/stats", func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(f.stats())
	})
	srv := &http.Server{Handler: mux, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	go srv.Serve(ln)
	untilEnd(ctx, "http://"+ln.Addr().String())
	return srv.Close()
}

// stats are what a server says of itself.
type stats struct {
	Goroutines, Files, Children int
	Live, Heap                  int64 // bytes that the last collection found in use, and that are in use now
	Engine                      engine.Stats
}

func (f *farm) stats() stats {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return stats{
		Goroutines: runtime.NumGoroutine(), Files: openFiles(), Children: children(),
		Live: int64(s[0].Value.Uint64()), Heap: int64(s[1].Value.Uint64()), Engine: f.eng.Stats(),
	}
}

// text makes a file system of one project: names and contents in turn.
func text(pairs ...string) sam.Files {
	files := sam.Files{}
	for i := 0; i+1 < len(pairs); i += 2 {
		files[pairs[i]] = strings.TrimPrefix(pairs[i+1], "\n")
	}
	return files
}

func newCounter(n int) func() (int, bool) {
	var mu sync.Mutex
	i := 0
	return func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		i++
		return i - 1, i <= n
	}
}

// A first keeps the first error of many goroutines.
type first struct {
	mu  sync.Mutex
	err error
}

func (f *first) set(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
}

func (f *first) get() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}
