package peer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing/fstest"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
)

// Samkit is this module as a Runtime, by canvas and host/engine, with projects in memory.
type Samkit struct {
	eng *engine.Engine
	ws  *sam.Workspace

	mu      sync.Mutex
	n       int
	running map[*Server]bool
}

// OpenSamkit starts an engine. The caller closes it.
func OpenSamkit(level engine.Isolation) (*Samkit, error) {
	eng, err := engine.New(&engine.Options{
		Isolation: level, Idle: time.Hour, Logger: slog.New(slog.DiscardHandler),
		Limits: engine.Limits{CPU: time.Minute, Wall: 2 * time.Minute, Memory: 1 << 30}, // the machine may be busy, and the test itself takes memory
	})
	if err != nil {
		return nil, err
	}
	return &Samkit{eng: eng, ws: sam.NewWorkspace(sam.NewMemStore(), "o", nil), running: map[*Server]bool{}}, nil
}

// Start deploys each worker as a project with a wrangler.json, so that the worker answers all paths.
func (s *Samkit) Start(ctx context.Context, workers ...Worker) ([]*Server, error) {
	var servers []*Server
	for _, w := range workers {
		one, err := s.start(ctx, w.withDefaults())
		if err != nil {
			for _, s := range servers {
				s.Close()
			}
			return nil, fmt.Errorf("%s: %w", w.withDefaults().Name, err)
		}
		servers = append(servers, one)
	}
	return servers, nil
}

func (s *Samkit) start(ctx context.Context, w Worker) (*Server, error) {
	files, err := w.project()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.n++
	id := sam.ProjectID("p" + strconv.Itoa(s.n))
	s.mu.Unlock()
	project, err := s.ws.Create(ctx, id, files)
	if err != nil {
		return nil, err
	}
	h, err := canvas.New(canvas.App{Project: project, Vars: w.Vars, Fetch: w.Fetch}, &canvas.Options{Engine: s.eng, Origin: canvas.Trusted, Dev: !w.Production, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		h.Close()
		return nil, err
	}
	srv := &http.Server{Handler: h, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	done := make(chan struct{})
	go func() { defer close(done); srv.Serve(ln) }()
	one := &Server{URL: "http://" + ln.Addr().String()}
	one.close = sync.OnceFunc(func() {
		h.Close()
		srv.Close()
		<-done
		s.mu.Lock()
		delete(s.running, one)
		s.mu.Unlock()
	})
	s.mu.Lock()
	s.running[one] = true
	s.mu.Unlock()
	return one, nil
}

// project is the worker's files with those of its packages.
func (w Worker) project() (fstest.MapFS, error) {
	config, err := json.Marshal(map[string]any{
		"name": w.Name, "main": w.Entry, "compatibility_date": Date, "compatibility_flags": append([]string{}, w.Flags...),
	})
	if err != nil {
		return nil, err
	}
	files := fstest.MapFS{"wrangler.json": {Data: config}}
	for name, source := range w.Files {
		files[name] = &fstest.MapFile{Data: []byte(source)}
	}
	if files[w.Entry] == nil {
		return nil, errors.New("no file " + w.Entry)
	}
	if len(w.Packages) == 0 {
		return files, nil
	}
	dir, err := programs()
	if err != nil {
		return nil, err
	}
	return files, addPackages(files, dir, w.Packages)
}

// Close ends all workers and the engine.
func (s *Samkit) Close() error {
	s.mu.Lock()
	var all []*Server
	for one := range s.running {
		all = append(all, one)
	}
	s.mu.Unlock()
	for _, one := range all {
		one.Close()
	}
	return s.eng.Close()
}
