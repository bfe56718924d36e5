// Serve shows a folder as an app, as it is, and follows what is edited in it.
//
//	go run ./examples/serve FOLDER
//
// It prints "serving " and the URL when it is ready, and nothing else on standard
// output. What the app prints goes to standard error. The folder is only read:
// data that the app keeps stays in memory, or in the folder given by -data.
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
	"syscall"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/host/console"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/sam/boltstore"
)

func main() {
	engine.Main() // runs functions.js if this process was started for that
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

// run serves a folder until ctx ends. What it opens it closes in reverse order.
func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	dir, err := openFolder(o.folder, o.data)
	if err != nil {
		return err
	}
	defer dir.Close()
	store, err := openStore(o.data)
	if err != nil {
		return err
	}
	defer store.Close()
	ws := sam.NewWorkspace(store, "serve", &sam.Options{SecretKey: secretKey(o.data), Limits: limits})
	follow := &follower{dir: dir, ws: ws}
	app, err := follow.deploy(ctx)
	if err != nil {
		return err
	}
	if err := keepSecrets(ctx, app, dir, o.secrets); err != nil {
		return err
	}
	eng, err := startEngine(o)
	if err != nil {
		return err
	}
	defer eng.Close()
	ln, err := net.Listen("tcp", o.addr)
	if err != nil {
		return err
	}
	defer ln.Close()
	home := "http://" + ln.Addr().String() + o.prefix
	opts := &canvas.Options{Engine: eng, Origin: o.origin, Dev: o.dev}
	if o.origin == canvas.Own { // browsers find *.localhost by themselves
		_, port, err := net.SplitHostPort(ln.Addr().String())
		if err != nil {
			return err
		}
		home = "http://localhost:" + port + o.prefix
		opts.Domain, opts.Home = "localhost", home
	}
	out := console.NewBuffer(0)
	h, err := canvas.New(canvas.App{Project: app, Vars: o.vars, Fetch: o.fetch, Headers: o.headers(), Console: out}, opts)
	if err != nil {
		return err
	}
	defer h.Close()
	return serve(ctx, ln, home, o, h, follow, out)
}

// serve answers requests on ln, where browsers know it as home, and follows the folder, until ctx ends.
func serve(ctx context.Context, ln net.Listener, home string, o options, h *canvas.Handler, follow *follower, out *console.Buffer) error {
	mux := http.NewServeMux()
	canvas.Mount(mux, o.prefix, h)
	for _, path := range scheduledPaths {
		mux.Handle(path, runScheduled(h))
	}
	if o.prefix != "/" {
		mux.Handle("GET /{$}", http.RedirectHandler("."+o.prefix, http.StatusSeeOther))
	}
	srv := &http.Server{
		Handler:           knownHosts(ln.Addr(), h.Hosts(mux)),
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          slog.NewLogLogger(slog.Default().Handler(), slog.LevelWarn),
	}
	srv.RegisterOnShutdown(func() { h.Close() }) // streams of events would keep Shutdown waiting
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()

	background, stop := context.WithCancel(ctx)
	followed, printed, ticked := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() { defer close(followed); follow.run(background) }()
	go func() { defer close(printed); printConsole(background, out) }()
	go func() { defer close(ticked); clock(background, h) }()
	defer func() { stop(); <-followed; <-printed; <-ticked }()

	fmt.Println("serving " + home)
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

func openStore(data string) (sam.Store, error) {
	if data == "" {
		return sam.NewMemStore(), nil
	}
	return boltstore.Open(data)
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
