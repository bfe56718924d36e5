package canvas

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"samkit.dev/host/console"
	"samkit.dev/internal/workers"
	"samkit.dev/sam"
)

// TestWarm has a handler keep few projects prepared: the others answer as before, and lose neither console nor data.
func TestWarm(t *testing.T) {
	store := sam.NewMemStore()
	defer store.Close()
	ws := sam.NewWorkspace(store, "test", nil)
	h, err := NewSite(func(ctx context.Context, _ Visitor, id sam.ProjectID) (*App, error) {
		p, err := ws.Open(ctx, id)
		return &App{Project: p}, err
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if h.maxWarm != minWarm {
		t.Errorf("%d are kept warm", h.maxWarm)
	}
	h.maxWarm = 4
	const n = 10
	for i := range n {
		files := sam.Files{"index.html": "<p>", "functions.js": fmt.Sprintf(`export default { async fetch(r, env) {
	await env.DB.exec("CREATE TABLE IF NOT EXISTS t (x)")
	await env.DB.prepare("INSERT INTO t VALUES (1)").run()
	console.log("asked")
	return Response.json([%d, await env.DB.prepare("SELECT count(*) AS n FROM t").first("n")])
}, scheduled() {} }`, i), "sam.json": `{"crons": ["0 0 1 1 *"]}`}
		if _, err := ws.Create(t.Context(), sam.ProjectID(fmt.Sprintf("p%d", i)), files); err != nil {
			t.Fatal(err)
		}
	}
	warm := func() (prepared, bundled int) {
		for _, s := range h.allSites() {
			if s.gen.Load() != nil {
				prepared++
			}
			s.scripts.mu.Lock()
			if s.scripts.built != nil {
				bundled++
			}
			s.scripts.mu.Unlock()
		}
		return prepared, bundled
	}
	for round := 1; round <= 2; round++ {
		for i := range n {
			expect(t, do(h, "GET", fmt.Sprintf("/p%d/api/x", i), ""), 200, fmt.Sprintf("[%d,%d]", i, round))
		}
		h.active.Wait()
		if prepared, bundled := warm(); prepared > h.maxWarm || bundled > h.maxWarm || prepared == 0 {
			t.Errorf("%d projects are prepared, %d bundled", prepared, bundled)
		}
	}
	for _, s := range h.allSites() {
		asked := 0
		for e := range s.console.Since(0) {
			if e.Origin == console.Functions {
				asked++
			}
		}
		if asked != 2 {
			t.Errorf("%s has %d entries on its console", s.project.ID(), asked)
		}
	}
	before, _ := warm()
	for i := range n { // nothing is due
		if err := h.RunCrons(t.Context(), Visitor{}, sam.ProjectID(fmt.Sprintf("p%d", i)), time.Date(2026, 5, 5, 5, 5, 0, 0, time.UTC)); err != nil {
			t.Error(err)
		}
	}
	h.active.Wait()
	if prepared, _ := warm(); prepared != before {
		t.Errorf("%d projects are prepared, %d were before a look at the clock", prepared, before)
	}
}

// TestForgotten asks for many projects once each: of those that were asked for long ago next to nothing stays, and when
// they are asked for again they have the workers that they had.
func TestForgotten(t *testing.T) {
	store := sam.NewMemStore()
	defer store.Close()
	ws := sam.NewWorkspace(store, "test", nil)
	const n, warm, most = 5000, 40, 300 // bytes of each; 480 were taken when their sites stayed, without what functions.js adds
	apps := map[sam.ProjectID]*App{}
	for i := range n {
		id := sam.ProjectID(fmt.Sprintf("p%d", i))
		p, err := ws.Create(t.Context(), id, sam.Files{"index.html": "<p>", "functions.js": "export default { fetch() {} }"})
		if err != nil {
			t.Fatal(err)
		}
		apps[id] = &App{Project: p}
	}
	domains := map[string]string{}
	h, err := newHandler(func(_ context.Context, _ Visitor, id sam.ProjectID) (*App, error) { return apps[id], nil }, nil,
		fakeRun(func(_ context.Context, app *workers.App, _ *workers.Request) (*workers.Response, error) {
			if d := domains[app.Project]; d != "" && d != app.Domain {
				t.Errorf("%s was %q, and is %q", app.Project, d, app.Domain)
			}
			domains[app.Project] = app.Domain
			return &workers.Response{Status: 200}, nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	h.site, h.maxWarm = true, warm
	ask := func(i int) {
		expect(t, do(h, "GET", fmt.Sprintf("/p%d/", i), ""), 200, "<p>")
		if i%warm == 0 {
			h.active.Wait() // the sites are given up beside the requests
		}
	}
	two := func() {
		for _, id := range []string{"p0", "p17"} {
			expect(t, do(h, "GET", "/"+id+"/api/x", ""), 200, "")
		}
	}
	two()
	for i := range 2 * warm {
		ask(i)
	}
	before := inUse()
	for i := 2 * warm; i < n; i++ {
		ask(i)
	}
	h.active.Wait()
	if n := len(h.allSites()); n > warm {
		t.Errorf("%d sites are left", n)
	}
	each := (inUse() - before) / n
	t.Logf("a project takes %d bytes when it was asked for once", each)
	if each > most {
		t.Errorf("a project takes %d bytes when it was asked for once", each)
	}
	two()
	if len(domains) != 2 || domains["p0"] == domains["p17"] {
		t.Errorf("the domains are %v", domains)
	}
}

// inUse is how many bytes of the heap are in use.
func inUse() int64 {
	runtime.GC()
	runtime.GC() // what a finalizer had is garbage by now
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
