// Single adds one app, kept on disk, to a program that has routes and a log-in already.
//
//	go run ./examples/single
//
// The app is at http://localhost:8080/notes/; whoever is not logged in is asked for a name
// first.
package main

import (
	"context"
	"embed"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/host"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/sam/boltstore"
)

//go:embed app
var embedded embed.FS

func main() {
	engine.Main() // runs functions.js if this process was started for that
	addr := flag.String("addr", "localhost:8080", "`address` to listen on; port 0 takes a free one")
	data := flag.String("data", "data", "`folder` that everything is kept in")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *addr, *data); err != nil {
		log.Fatal(err)
	}
}

// run serves until ctx ends. What it opens it closes in reverse order.
func run(ctx context.Context, addr, data string) error {
	store, err := boltstore.Open(data)
	if err != nil {
		return err
	}
	defer store.Close()
	dir, err := fs.Sub(embedded, "app")
	if err != nil {
		return err
	}
	app, err := sam.NewWorkspace(store, "program", nil).Deploy(ctx, "notes", dir)
	if err != nil {
		return err
	}
	users := newLogin()
	h, err := canvas.New(canvas.App{
		Project:  app,
		Services: map[string]host.Caller{"PROGRAM": functions()},
	}, &canvas.Options{Auth: users.require, Principal: users.user})
	if err != nil {
		return err
	}
	defer h.Close()

	mux := http.NewServeMux()
	users.routes(mux, h)
	mux.Handle("/{$}", users.require(http.RedirectHandler("notes/", http.StatusSeeOther)))
	canvas.Mount(mux, "/notes/", h) // not behind require: see package canvas, "Who is asking"

	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	srv.RegisterOnShutdown(func() { h.Close() }) // ends streams, which Shutdown waits for
	ended := make(chan error, 1)
	go func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		ended <- srv.Shutdown(grace)
	}()
	fmt.Println("single http://" + ln.Addr().String() + "/")
	if err := srv.Serve(ln); err != http.ErrServerClosed {
		return err
	}
	return <-ended
}

type nothing struct{}

// functions are what the app may call: env.PROGRAM.user().
func functions() host.Caller {
	program := host.New().Define("program", 1)
	host.Register(program, "user", "Tells who is logged in.", func(ctx context.Context, _ nothing) (string, error) {
		call, _ := host.CallFrom(ctx)
		return call.Principal, nil
	}, host.Reads)
	return program
}
