package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"samkit.dev/host/engine"
)

// A density is how many projects there are, and what may be resident at a time.
type density struct {
	isolation engine.Isolation
	projects  int
	workers   int
	most      int64 // bytes of the host's own memory that are promised; 0 if that is not what is asked
	each      int64 // likewise, of a worker
}

// densities are what is promised of n projects.
func densities(n int) []density {
	return []density{
		{isolation: engine.InProcess, projects: n, workers: n, most: 700 * mb},
		{isolation: engine.InProcess, projects: n, workers: 500, most: 100 * mb},
		{isolation: engine.Sandboxed, projects: n / 10, workers: 64, most: 100 * mb},
		{isolation: engine.Sandboxed, projects: min(200, n), workers: min(200, n), each: 2 * mb},
	}
}

// touched is what a program says of itself that has asked for each of its projects once.
type touched struct {
	Before, Own, All, Live int64
	Workers                int
	Private, Dirty, Shared int64 // of a worker: what it has for itself, what of that it has written, and with its part of what is shared
	Slowest, Took          time.Duration
}

// many has a program touch many projects, once each.
func many(ctx context.Context, s settings) (misses []string, err error) {
	n := cmp.Or(s.projects, 10_000)
	fmt.Printf("\n## Many projects, each asked for once\n\n")
	fmt.Println("| isolation | projects | resident | own memory of the host (MB) | before them | live heap | promised | workers | private of each (MB) | written | with its share | promised | time | |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, d := range densities(n) {
		c, err := start(ctx, 0, "touch", d.isolation.String(), strconv.Itoa(d.projects), strconv.Itoa(d.workers))
		if err != nil {
			return misses, err
		}
		var t touched
		if err := c.end(&t); err != nil {
			return misses, err
		}
		limit, each, ok := "–", "–", true
		if d.most > 0 {
			limit = inMB(d.most)
			if t.Own > d.most {
				ok = false
				misses = append(misses, fmt.Sprintf("%d projects %v with %d resident take %s MB, %s were promised", d.projects, d.isolation, d.workers, inMB(t.Own), limit))
			}
		}
		if d.each > 0 {
			each = inMB(d.each)
			if t.Private > d.each {
				ok = false
				misses = append(misses, fmt.Sprintf("a worker has %s MB for itself, %s were promised", inMB(t.Private), each))
			}
		}
		fmt.Printf("| %v | %d | %d | %s | %s | %s | %s | %d | %s | %s | %s | %s | %v | %s |\n", d.isolation, d.projects, d.workers, inMB(t.Own), inMB(t.Before), inMB(t.Live), limit,
			t.Workers, inMB(t.Private), inMB(t.Dirty), inMB(t.Shared), each, t.Took.Round(10*time.Millisecond), verdict(ok))
	}
	return misses, ctx.Err()
}

const tinyCode = `export default { fetch() { return Response.json({ hello: "world", n: %d }) } }`

// touch makes projects and asks for each: touch ISOLATION PROJECTS WORKERS.
func touch(ctx context.Context, args []string) error {
	opts := engine.Options{Idle: time.Hour}
	if err := opts.Isolation.UnmarshalText([]byte(args[0])); err != nil {
		return err
	}
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	if opts.Workers, err = strconv.Atoi(args[2]); err != nil {
		return err
	}
	f, err := newFarm(opts, false)
	if err != nil {
		return err
	}
	defer f.close()
	err = f.addAll(ctx, n, func(i int) (string, fs.FS, engine.Limits) {
		return "p" + strconv.Itoa(i), text("functions.js", fmt.Sprintf(tinyCode, i), "index.html", "<p>hello"), engine.Limits{}
	})
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: f.h}
	go srv.Serve(ln)
	defer srv.Close()
	url := "http://" + ln.Addr().String()
	var t touched
	if t.Before, _, err = clean(); err != nil {
		return err
	}
	began := time.Now()
	for i := range n {
		one := time.Now()
		if err := fetch(http.DefaultClient, url+"/p"+strconv.Itoa(i)+"/api/x"); err != nil {
			return err
		}
		t.Slowest = max(t.Slowest, time.Since(one))
	}
	t.Took = time.Since(began)
	if opts.Isolation == engine.Sandboxed {
		time.Sleep(3 * time.Second) // idle workers give memory back
	}
	if t.Own, t.All, err = clean(); err != nil {
		return err
	}
	t.Live = f.stats().Live
	if err := t.weigh(); err != nil {
		return err
	}
	fmt.Println("touched")
	io.Copy(io.Discard, os.Stdin)
	return json.NewEncoder(os.Stdout).Encode(t)
}

// clean is the memory that is in use when garbage is gone.
func clean() (own, all int64, err error) {
	for range 3 {
		runtime.GC()
	}
	debug.FreeOSMemory()
	return resident(os.Getpid())
}

// weigh looks at the workers.
func (t *touched) weigh() error {
	for _, pid := range tree(os.Getpid())[1:] {
		private, err := procField(pid, "smaps_rollup", "Private_Clean:", "Private_Dirty:")
		if err != nil {
			continue // it ended
		}
		dirty, _ := procField(pid, "smaps_rollup", "Private_Dirty:")
		shared, _ := procField(pid, "smaps_rollup", "Pss:")
		t.Private, t.Dirty, t.Shared = t.Private+private, t.Dirty+dirty, t.Shared+shared
		t.Workers++
	}
	if n := int64(t.Workers); n > 0 {
		t.Private, t.Dirty, t.Shared = t.Private/n, t.Dirty/n, t.Shared/n
	}
	return nil
}
