package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
)

// starts prints how long it takes from a project never seen to its first byte.
func (b *bench) starts(ctx context.Context) error {
	fmt.Printf("\n## From a project never seen to its first byte\n\n| server | app | median | slowest |\n|---|---|---|---|\n")
	for _, app := range []string{"json", "hono"} {
		for _, level := range []string{"inprocess", "sandboxed"} {
			var took []time.Duration
			if err := b.role(ctx, &took, "cold", level, app); err != nil {
				return err
			}
			printStart("samkit "+level+", in a live program", app, took)
		}
		w := work{name: app, app: app, path: map[string]string{"json": "/api/json", "hono": "/api/users/42"}[app]}
		for _, s := range servers {
			if s.name != "workerd" && s.name != "miniflare" {
				continue
			}
			var took []time.Duration
			for range 2*b.rounds + 1 {
				p, d, err := b.start(ctx, s, w)
				if err != nil {
					return err
				}
				p.stop()
				took = append(took, d)
			}
			printStart(s.name+", a new process", app, took)
		}
	}
	return nil
}

func printStart(name, app string, took []time.Duration) {
	slowest := took[0]
	for _, d := range took {
		slowest = max(slowest, d)
	}
	fmt.Printf("| %s | %s | %v | %v |\n", name, app, median(took).Round(10*time.Microsecond), slowest.Round(10*time.Microsecond))
}

// role runs this program as something else, on the server's core, and reads its answer.
func (b *bench) role(ctx context.Context, answer any, args ...string) error {
	cmd := exec.CommandContext(ctx, "taskset", append([]string{"-c", strconv.Itoa(b.server), b.self}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%v: %w", args, err)
	}
	return json.Unmarshal(out, answer)
}

const coldProjects = 40

// cold asks, once each, for projects whose source is like no other: cold ISOLATION APP.
func cold(ctx context.Context, args []string) error {
	f, err := newFarm(ctx, args[0], args[1], coldProjects, 0)
	if err != nil {
		return err
	}
	defer f.close()
	var took []time.Duration
	for i := range coldProjects {
		time.Sleep(30 * time.Millisecond) // a spare worker is there, as it usually is
		began := time.Now()
		if err := ask(f.url(i)); err != nil {
			return err
		}
		took = append(took, time.Since(began))
	}
	return json.NewEncoder(os.Stdout).Encode(took[1:]) // the first also opens a connection
}

// A farm is many projects of one app behind one handler.
type farm struct {
	eng    *engine.Engine
	h      *canvas.Handler
	server *httptest.Server
	path   string
}

func newFarm(ctx context.Context, isolation, app string, n, spares int) (*farm, error) {
	eng, err := newEngine(isolation, &engine.Options{Workers: n + 8, Spares: spares, Idle: time.Hour})
	if err != nil {
		return nil, err
	}
	ws := sam.NewWorkspace(sam.NewMemStore(), "o", nil)
	apps := map[sam.ProjectID]*canvas.App{}
	for i := range n {
		id := sam.ProjectID("p" + strconv.Itoa(i))
		files, err := project(app, string(id))
		if err != nil {
			return nil, err
		}
		p, err := ws.Create(ctx, id, files)
		if err != nil {
			return nil, err
		}
		apps[id] = &canvas.App{Project: p}
	}
	find := func(_ context.Context, _ canvas.Visitor, id sam.ProjectID) (*canvas.App, error) {
		if a := apps[id]; a != nil {
			return a, nil
		}
		return nil, fs.ErrNotExist
	}
	h, err := canvas.NewSite(find, &canvas.Options{Engine: eng})
	if err != nil {
		return nil, err
	}
	path := "/api/json"
	if app == "hono" {
		path = "/api/users/42"
	}
	return &farm{eng, h, httptest.NewServer(h), path}, nil
}

func (f *farm) url(i int) string { return f.server.URL + "/p" + strconv.Itoa(i) + f.path }

func (f *farm) close() {
	f.h.Close()
	f.server.Close()
	f.eng.Close()
}
