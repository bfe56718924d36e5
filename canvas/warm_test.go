package canvas

import (
	"context"
	"fmt"
	"testing"
	"time"

	"samkit.dev/host/console"
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
