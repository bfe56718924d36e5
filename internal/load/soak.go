package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"strconv"
	"time"

	"samkit.dev/host/engine"
	"samkit.dev/internal/hostile"
)

// soakLimits are short, so that hostile code is ended often.
var soakLimits = engine.Limits{
	Wall: 1500 * time.Millisecond, CPU: 150 * time.Millisecond, Memory: 64 << 20, RequestBody: 4 << 20,
	ResponseBody: 8 << 20, Console: 256 << 10, Calls: 200, Fetches: 10, RowsRead: 2_000_000, RowsWritten: 40_000,
}

// soakIdle is when workers end.
const soakIdle = 5 * time.Second

// serveSoak serves good projects g0, g1 … and hostile ones h0, h1 …: serve-soak GOOD HOSTILE. The latter take
// the cases of internal/hostile in turn.
func serveSoak(ctx context.Context, args []string) error {
	good, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	bad, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	cases, err := hostile.Cases()
	if err != nil {
		return err
	}
	f, err := newFarm(engine.Options{Idle: soakIdle}, true)
	if err != nil {
		return err
	}
	defer f.close()
	err = f.addAll(ctx, good+bad, func(i int) (string, fs.FS, engine.Limits) {
		if i < good {
			return "g" + strconv.Itoa(i), goodFiles, engine.Limits{}
		}
		i -= good
		return "h" + strconv.Itoa(i), text("functions.js", hostileCode(&cases[i%len(cases)]), "wrangler.json", attackConfig), soakLimits
	})
	if err != nil {
		return err
	}
	return f.serve(ctx)
}

// hostileCode makes a project's functions.js of a case, which is CommonJS.
func hostileCode(c *hostile.Case) string {
	return `Object.defineProperty(exports, "__esModule", { value: true });` + c.Code
}

// A sample is a server at one moment.
type sample struct {
	at        time.Duration
	own, all  int64 // resident memory of the server itself
	processes int64 // what its workers have for themselves
	stats     stats
}

func take(server *child, began time.Time) (s sample, err error) {
	s.at = time.Since(began)
	if s.own, s.all, err = resident(server.pid()); err != nil {
		return s, fmt.Errorf("the server is gone: %w", err)
	}
	for _, pid := range tree(server.pid())[1:] {
		n, _ := procField(pid, "smaps_rollup", "Private_Clean:", "Private_Dirty:") // it may have ended
		s.processes += n
	}
	s.stats, err = readStats(server.ready)
	return s, err
}

func readStats(url string) (s stats, err error) {
	resp, err := http.Get(url + "/-/stats")
	if err != nil {
		return s, err
	}
	defer resp.Body.Close()
	return s, json.NewDecoder(resp.Body).Decode(&s)
}

// soakSlope is the promise, in bytes a minute.
const soakSlope = 1 * mb

// soak has visitors come to many projects, of which a third are hostile, and looks at what the server takes.
func soak(ctx context.Context, s settings) (misses []string, err error) {
	d, n := cmp.Or(s.time, 30*time.Minute), cmp.Or(s.projects, 1000)
	bad := n / 3
	server, err := start(ctx, 0, "serve-soak", strconv.Itoa(n-bad), strconv.Itoa(bad))
	if err != nil {
		return nil, err
	}
	begin, err := take(server, time.Now())
	if err != nil {
		return nil, err
	}
	samples, crowd, err := watch(ctx, server, n-bad, bad, d)
	if err != nil {
		server.end(nil)
		return nil, err
	}
	end, err := rest(ctx, server, begin.stats)
	if err != nil {
		return nil, err
	}
	if err := server.end(nil); err != nil {
		misses = append(misses, "the server did not end well: "+err.Error())
	}
	return append(misses, printSoak(n, d, begin, end, samples, crowd)...), ctx.Err()
}

// watch takes samples while visitors come.
func watch(ctx context.Context, server *child, good, bad int, d time.Duration) (samples []sample, w *crowd, err error) {
	w = &crowd{}
	visiting, stop := context.WithTimeout(ctx, d)
	defer stop()
	gone := make(chan struct{})
	go func() { defer close(gone); w.run(visiting, server.ready, good, bad) }()
	began := time.Now()
	for visiting.Err() == nil {
		pause(visiting, min(5*time.Second, d/12))
		one, err := take(server, began)
		if err != nil {
			stop()
			<-gone
			return nil, nil, err
		}
		samples = append(samples, one)
	}
	<-gone
	return samples, w, ctx.Err()
}

// rest waits until the server has no more of anything than before, or for a minute.
func rest(ctx context.Context, server *child, before stats) (end sample, err error) {
	http.DefaultClient.CloseIdleConnections()
	for until := time.Now().Add(time.Minute); time.Now().Before(until) && ctx.Err() == nil; {
		if end, err = take(server, time.Now()); err != nil || end.stats.leaked(before) == "" {
			return end, err
		}
		pause(ctx, 500*time.Millisecond)
	}
	return end, ctx.Err()
}

// What may be left: a spare worker with its goroutines and descriptors, open databases of the
// projects used last, connections of who asks.
const (
	leftGoroutines = 120
	leftFiles      = 40
	leftChildren   = 2
)

func (s stats) leaked(before stats) string {
	switch {
	case s.Children > before.Children+leftChildren:
		return fmt.Sprintf("%d processes are left", s.Children)
	case s.Files > before.Files+leftFiles:
		return fmt.Sprintf("%d open files are left, %d there were", s.Files, before.Files)
	case s.Goroutines > before.Goroutines+leftGoroutines:
		return fmt.Sprintf("%d goroutines are left, %d there were", s.Goroutines, before.Goroutines)
	}
	return ""
}

func printSoak(n int, d time.Duration, begin, end sample, samples []sample, w *crowd) (misses []string) {
	fmt.Printf("\n## %d projects for %v, a third of them hostile\n\n", n, d)
	fmt.Println("| minute | own memory of the host (MB) | with files (MB) | live heap (MB) | of workers (MB) | goroutines | files | children | requests |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	row := func(at string, s sample) {
		fmt.Printf("| %s | %s | %s | %s | %s | %d | %d | %d | %d |\n", at, inMB(s.own), inMB(s.all), inMB(s.stats.Live), inMB(s.processes), s.stats.Goroutines, s.stats.Files, s.stats.Children, s.stats.Engine.Requests)
	}
	row("before", begin)
	for i := 0; i < len(samples); i += max(len(samples)/15, 1) {
		row(fmt.Sprintf("%.1f", samples[i].at.Minutes()), samples[i])
	}
	row("at rest", end)
	late := samples[len(samples)/3:]
	slope := slopeOf(late)
	fmt.Printf("\n| | | |\n|---|---|---|\n")
	fmt.Printf("| memory's slope over the last two thirds | %.2f MB a minute; less than %d was promised | %s |\n", slope/mb, soakSlope/mb, verdict(slope < soakSlope))
	leak := end.stats.leaked(begin.stats)
	fmt.Printf("| left at the end | %s | %s |\n", cmp.Or(leak, "nothing"), verdict(leak == ""))
	fmt.Printf("| good requests | %d answered rightly, %d asked to come again, %d wrong | %s |\n", w.good, w.busy, w.wrong, verdict(w.wrong == 0))
	s := end.stats.Engine
	fmt.Printf("| hostile requests | %d, %d answered; %d workers started, %d killed; %v | |\n", w.hostile, w.answers, s.Started, s.Killed, s.LimitHits)
	if slope >= soakSlope {
		misses = append(misses, fmt.Sprintf("the host's memory grew by %.2f MB a minute", slope/mb))
	}
	if leak != "" {
		misses = append(misses, leak)
	}
	if w.wrong > 0 {
		misses = append(misses, fmt.Sprintf("%d good requests went wrong, the first: %v", w.wrong, w.first))
	}
	return misses
}

// slopeOf fits a line to the host's own memory, and returns by how many bytes it rises in a minute.
func slopeOf(samples []sample) float64 {
	var sx, sy, sxx, sxy float64
	for _, s := range samples {
		x, y := s.at.Minutes(), float64(s.own)
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	n := float64(len(samples))
	if down := n*sxx - sx*sx; down > 0 {
		return (n*sxy - sx*sy) / down
	}
	return 0
}
