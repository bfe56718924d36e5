package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
)

// memory prints what a project takes that has answered a request and may again.
func (b *bench) memory(ctx context.Context) error {
	fmt.Printf("\n## Memory of a warm project\n\n| server | app | KB a project |\n|---|---|---|\n")
	for _, app := range []string{"json", "hono"} {
		for _, level := range []string{"inprocess", "sandboxed"} {
			var bytes int64
			if err := b.role(ctx, &bytes, "warm", level, app); err != nil {
				return err
			}
			what := "samkit in process (live heap)"
			if level == "sandboxed" {
				what = "samkit sandboxed (private pages of a worker)"
			}
			fmt.Printf("| %s | %s | %d |\n", what, app, bytes>>10)
		}
		one, err := b.workerdMemory(ctx, app, 1)
		if err != nil {
			return err
		}
		const n = 41
		many, err := b.workerdMemory(ctx, app, n)
		if err != nil {
			return err
		}
		fmt.Printf("| workerd, in one process (resident) | %s | %d |\n", app, (many-one)/(n-1)>>10)
	}
	return nil
}

// workerdMemory is what workerd has resident when n workers have answered.
func (b *bench) workerdMemory(ctx context.Context, app string, n int) (int64, error) {
	w := work{name: app, app: app, path: map[string]string{"json": "/api/json", "hono": "/api/users/42"}[app]}
	dir, err := os.MkdirTemp(b.dir, "run-")
	if err != nil {
		return 0, err
	}
	const first = 20100 // n ports in a row
	config := dir + "/config.capnp"
	if err := os.WriteFile(config, []byte(b.capnp(w, strconv.Itoa(first), dir, n)), 0o644); err != nil {
		return 0, err
	}
	p, _, err := b.launch(ctx, []string{"js/node_modules/@cloudflare/workerd-linux-64/bin/workerd", "serve", config}, dir, "http://127.0.0.1:"+strconv.Itoa(first), w)
	if err != nil {
		return 0, err
	}
	defer p.stop()
	for i := range n {
		for range 3 {
			if err := ask(fmt.Sprintf("http://127.0.0.1:%d%s", first+i, w.path)); err != nil {
				return 0, err
			}
		}
	}
	pids, err := tree(p.cmd.Process.Pid)
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, pid := range pids {
		n, err := resident(pid)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

const warmProjects = 40

// warm prints what one of many projects takes: warm ISOLATION APP. In process that is live
// heap; sandboxed, what its worker shares with nobody.
func warm(ctx context.Context, args []string) error {
	f, err := newFarm(ctx, args[0], args[1], warmProjects, -1)
	if err != nil {
		return err
	}
	defer f.close()
	if err := ask(f.url(0)); err != nil { // what is made once is not counted
		return err
	}
	before := liveHeap()
	for i := range warmProjects {
		for range 3 {
			if err := ask(f.url(i)); err != nil {
				return err
			}
		}
	}
	if args[0] == "inprocess" {
		return json.NewEncoder(os.Stdout).Encode((liveHeap() - before) / (warmProjects - 1))
	}
	pids, err := tree(os.Getpid())
	if err != nil {
		return err
	}
	var sum, n int64
	for _, pid := range pids[1:] {
		bytes, err := private(pid)
		if err != nil {
			continue
		}
		sum, n = sum+bytes, n+1
	}
	if n == 0 {
		return fmt.Errorf("there are no workers")
	}
	return json.NewEncoder(os.Stdout).Encode(sum / n)
}

func liveHeap() int64 {
	for range 3 {
		runtime.GC()
	}
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
