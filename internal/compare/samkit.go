package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing/fstest"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/sam/boltstore"
)

var tenKB = []byte(strings.Repeat("0123456789abcdef", 640))

// servePlain is what a Go program does by hand: serve-plain PORT.
func servePlain(ctx context.Context, args []string) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/json", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"hello":"world","n":42}`))
	})
	mux.HandleFunc("GET /file.txt", func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "file.txt", time.Time{}, strings.NewReader(string(tenKB)))
	})
	return listen(ctx, args[0], mux)
}

func listen(ctx context.Context, port string, h http.Handler) error {
	ln, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: h}
	go func() { <-ctx.Done(); srv.Close() }()
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// serveSamkit serves an app: serve-samkit PORT ISOLATION APP DATA.
func serveSamkit(ctx context.Context, args []string) error {
	eng, err := newEngine(args[1], nil)
	if err != nil {
		return err
	}
	defer eng.Close()
	store, err := boltstore.Open(args[3])
	if err != nil {
		return err
	}
	defer store.Close()
	files, err := project(args[2], "")
	if err != nil {
		return err
	}
	app, err := sam.NewWorkspace(store, "o", nil).Deploy(ctx, "app", files)
	if err != nil {
		return err
	}
	limits := engine.Limits{Calls: 10_000} // setup writes 1,000 rows
	h, err := canvas.New(canvas.App{Project: app, Limits: limits}, &canvas.Options{Engine: eng})
	if err != nil {
		return err
	}
	defer h.Close()
	return listen(ctx, args[0], h)
}

func newEngine(isolation string, opts *engine.Options) (*engine.Engine, error) {
	if opts == nil {
		opts = &engine.Options{}
	}
	if err := opts.Isolation.UnmarshalText([]byte(isolation)); err != nil {
		return nil, err
	}
	opts.Logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return engine.New(opts)
}

// project is an app's files with the packages that it imports. A remark makes
// its source unlike that of any other.
func project(app, remark string) (fs.FS, error) {
	source, err := os.ReadFile("apps/" + app + ".js")
	if err != nil {
		return nil, err
	}
	files := fstest.MapFS{
		"functions.js": {Data: []byte(string(source) + "// " + remark + "\n")},
		"file.txt":     {Data: tenKB},
	}
	if app == "wasm" {
		data, err := os.ReadFile("apps/fib.wasm")
		files["fib.wasm"] = &fstest.MapFile{Data: data}
		return files, err
	}
	if app != "hono" {
		return files, nil
	}
	err = fs.WalkDir(os.DirFS("js"), "node_modules/hono", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".js") && d.Name() != "package.json" || strings.Contains(name, "/dist/cjs/") {
			return err
		}
		data, err := os.ReadFile("js/" + name)
		files[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err == nil && len(files) < 10 {
		err = fmt.Errorf("hono is not installed in js")
	}
	return files, err
}
