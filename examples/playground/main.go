// Playground is the whole workbench as a program: a page on this machine to make, edit
// and try small web apps, everything kept in one folder.
//
//	go run ./examples/playground
//
// It prints "playground " and the URL when it is ready, and nothing else on standard output.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/canvas/playground"
	"samkit.dev/canvas/workbench"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/sam/boltstore"
	"samkit.dev/sam/github"
	"samkit.dev/tool/script"
	"samkit.dev/tool/script/jsexec"
	"samkit.dev/tool/task"
	"samkit.dev/wasi"
)

func main() {
	engine.Main() // runs functions.js if this process was started for that
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(1)
	}
}

// options are what the command line says.
type options struct {
	addr, data string
	fetch      []string // hosts that functions.js may reach
	github     string   // where repositories come from; "" offers none
	open       bool
	isolation  engine.Isolation
	asked      bool // for the isolation
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("playground", flag.ContinueOnError)
	flags.StringVar(&o.addr, "addr", "127.0.0.1:8080", "`address` to listen on; port 0 takes a free one")
	flags.StringVar(&o.data, "data", "", "`folder` that everything is kept in (default samkit-playground in the user's configuration folder)")
	flags.StringVar(&o.github, "github", "https://api.github.com", "`URL` of the API of GitHub, for importing public repositories; empty offers none")
	flags.BoolVar(&o.open, "open", true, "show the page in a browser")
	flags.TextVar(&o.isolation, "isolation", engine.Sandboxed, "how functions.js is kept apart: sandboxed, process or inprocess")
	flags.Func("fetch", "`HOST,…` that the functions.js of every project may fetch, such as api.example.com or 127.0.0.1:8081 (may be repeated)", func(s string) error {
		o.fetch = append(o.fetch, strings.Split(s, ",")...)
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	flags.Visit(func(f *flag.Flag) { o.asked = o.asked || f.Name == "isolation" })
	if o.data == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return o, fmt.Errorf("%w; name a folder with -data", err)
		}
		o.data = filepath.Join(dir, "samkit-playground")
	}
	return o, nil
}

// run serves the playground until ctx ends. What it opens it closes in reverse order.
func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	store, err := boltstore.Open(o.data)
	if err != nil {
		return err
	}
	defer store.Close()
	eng, err := startEngine(o)
	if err != nil {
		return err
	}
	defer eng.Close()

	commands, err := wasi.New(&wasi.Options{
		CacheDir: filepath.Join(o.data, "commands"), Timeout: 10 * time.Minute, Builtins: map[string]wasi.Builtin{"js-exec": jsexec.New(eng)},
	})
	if err != nil {
		return err
	}
	defer commands.Close()

	kept, err := task.OpenKept(filepath.Join(o.data, "tasks"), nil)
	if err != nil {
		return err
	}

	// One person, this machine's, has one bench.
	ws := sam.NewWorkspace(store, "me", &sam.Options{SecretKey: secretKey(o.data)})
	group := workbench.NewGroup(func(ctx context.Context, person string) (*workbench.Bench, error) {
		return workbench.New(ctx, ws, eng, &workbench.Options{Roles: store.Space("me/~bench"), Scripts: &script.Options{}, Commands: commands, Tasks: &workbench.TaskOptions{Kept: kept}})
	})
	defer group.Close()
	find := func(ctx context.Context, v canvas.Visitor, id sam.ProjectID) (*canvas.App, error) {
		app, err := group.App(ctx, v, id)
		if err == nil {
			app.Fetch = o.fetch
		}
		return app, err
	}
	apps, err := canvas.NewSite(find, &canvas.Options{Engine: eng, Dev: true, Requests: true})
	if err != nil {
		return err
	}
	defer apps.Close()

	page := playground.Options{}
	if o.github != "" {
		if page.Repos, err = github.New(&github.Options{API: o.github}); err != nil {
			return err
		}
	}
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", http.RedirectHandler("playgrounds/", http.StatusSeeOther))
	canvas.Mount(mux, "/playgrounds/canvas/", apps)
	canvas.Mount(mux, "/playgrounds/", playground.New(group, apps, "canvas/", &page))

	ln, err := net.Listen("tcp", o.addr)
	if err != nil {
		return err
	}
	srv := &http.Server{
		Handler:           knownHosts(ln.Addr(), mux),
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          slog.NewLogLogger(slog.Default().Handler(), slog.LevelWarn),
	}
	// Streams of events would keep Shutdown waiting.
	srv.RegisterOnShutdown(func() {
		apps.Close()
		group.Close()
	})
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()

	background, stop := context.WithCancel(ctx)
	ticked := make(chan struct{})
	go func() { defer close(ticked); clock(background, ws, apps) }()
	defer func() { stop(); <-ticked }()

	url := "http://" + ln.Addr().String() + "/playgrounds/"
	fmt.Println("playground", url)
	fmt.Fprintln(os.Stderr, "Everything is kept in", o.data)
	if o.open {
		showInBrowser(url)
	}
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := srv.Shutdown(grace); err != nil {
		srv.Close()
	}
	<-served
	return nil
}

// startEngine takes the isolation that was asked for. Where none was, and this
// machine has no system-call filter, it takes the next and says so.
func startEngine(o options) (*engine.Engine, error) {
	eng, err := engine.New(&engine.Options{Isolation: o.isolation})
	if err == nil || o.asked {
		return eng, err
	}
	fmt.Fprintf(os.Stderr, "%v\nfunctions.js runs in processes without a filter (-isolation=process).\n", err)
	return engine.New(&engine.Options{Isolation: engine.Process})
}
