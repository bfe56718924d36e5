// Multiuser gives everybody who logs in a bench of their own: a dashboard to edit, an agent that
// may edit it and look up customers, a tool that sees its folder docs and nothing else, and a record of all calls.
//
//	go run ./examples/multiuser
//
// Log in at http://localhost:8080/, in two browsers as two people.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/canvas/playground"
	"samkit.dev/canvas/workbench"
	"samkit.dev/host/engine"
	"samkit.dev/sam/boltstore"
)

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
	eng, err := engine.New(nil) // one for everybody: each project of each person has its own workers
	if err != nil {
		return err
	}
	defer eng.Close()

	b := benches{store, eng, crm()}
	group := workbench.NewGroup(b.open)
	defer group.Close()
	users := newLogin()
	apps, err := canvas.NewSite(group.App, &canvas.Options{Engine: eng, Auth: users.require, Principal: users.user})
	if err != nil {
		return err
	}
	defer apps.Close()

	mux := http.NewServeMux()
	users.routes(mux, apps)
	desk{group, apps, users}.routes(mux)
	canvas.Mount(mux, "/apps/", apps) // not behind require: see package canvas, "Who is asking"
	canvas.Mount(mux, "/playground/", users.require(playground.New(group, apps, "../apps/", &playground.Options{Principal: users.user})))

	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	srv.RegisterOnShutdown(func() { // ends streams, which Shutdown waits for
		apps.Close()
		group.Close()
	})
	ended := make(chan error, 1)
	go func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		ended <- srv.Shutdown(grace)
	}()
	fmt.Println("multiuser http://" + ln.Addr().String() + "/")
	if err := srv.Serve(ln); err != http.ErrServerClosed {
		return err
	}
	return <-ended
}
