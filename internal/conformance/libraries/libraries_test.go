package libraries

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"samkit.dev/host/engine"
	"samkit.dev/internal/conformance/peer"
)

var (
	update = flag.Bool("update", false, "write docs/libraries.md")
	only   = flag.String("only", "", "run these uses, separated by commas, and have failures explained")
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

// sandboxed are the uses that run in sandboxed processes as well: of each kind of
// work one.
var sandboxed = []string{"hono", "jose", "drizzle-orm", "react-dom", "anthropic-sdk", "fflate"}

// TestLibraries proves that libraries do in samkit what they do in workerd.
func TestLibraries(t *testing.T) {
	peer.Require(t)
	all, err := uses()
	if err != nil {
		t.Fatal(err)
	}
	if *only != "" {
		all = slices.DeleteFunc(all, func(u use) bool { return !slices.Contains(strings.Split(*only, ","), u.name) })
		for i := range all {
			all[i].worker.Production = false
		}
	}
	both, err := peer.Open(t.Context(), engine.InProcess)
	if err != nil {
		t.Fatal(err)
	}
	defer both.Close()
	confined, err := peer.OpenSamkit(engine.Sandboxed)
	if err != nil {
		t.Fatal(err)
	}
	defer confined.Close()

	startServers(t, both.Workerd, all)
	reference := startAll(t, both.Workerd, all)
	rows := make([]row, len(all))
	t.Run("uses", func(t *testing.T) {
		for i, u := range all {
			t.Run(u.name, func(t *testing.T) {
				t.Parallel()
				rows[i] = row{u, reference[i].Bundle}
				want := u.ask(t, reference[i])
				compare(t, u, both.Samkit, want)
				if slices.Contains(sandboxed, u.name) {
					compare(t, u, confined, want)
				}
			})
		}
	})
	if !t.Failed() && *only == "" {
		checkTable(t, rows)
	}
}

// startServers runs the servers of the uses, and grants them.
func startServers(t *testing.T, r peer.Runtime, all []use) {
	var workers []peer.Worker
	var of []int
	for i, u := range all {
		if u.server != nil {
			workers, of = append(workers, *u.server), append(of, i)
		}
	}
	if len(workers) == 0 {
		return
	}
	servers, err := r.Start(t.Context(), workers...)
	if err != nil {
		t.Fatal(err)
	}
	for k, s := range servers {
		w := &all[of[k]].worker
		w.Vars = map[string]string{"SERVER": s.URL}
		w.Fetch = []string{strings.TrimPrefix(s.URL, "http://")}
	}
}

// startAll runs all uses in one workerd.
func startAll(t *testing.T, r peer.Runtime, all []use) []*peer.Server {
	var workers []peer.Worker
	for _, u := range all {
		workers = append(workers, u.worker)
	}
	began := time.Now()
	servers, err := r.Start(t.Context(), workers...)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("workerd runs %d uses after %v", len(all), time.Since(began).Round(time.Millisecond))
	return servers
}

// compare runs a use and asks it what was asked elsewhere.
func compare(t *testing.T, u use, r peer.Runtime, want []peer.Answer) {
	t.Helper()
	servers, err := r.Start(t.Context(), u.worker)
	if err != nil {
		t.Fatal(err)
	}
	defer servers[0].Close()
	for i, got := range u.ask(t, servers[0]) {
		if d := difference(got, want[i]); d != "" {
			t.Errorf("%v: %s", u.requests[i], d)
		}
	}
}

// ask sends a use its requests.
func (u use) ask(t *testing.T, s *peer.Server) []peer.Answer {
	t.Helper()
	var answers []peer.Answer
	for _, r := range u.requests {
		req, err := http.NewRequestWithContext(t.Context(), r.method, s.URL+r.path, strings.NewReader(r.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Sec-Fetch-Dest", "empty") // asked by a script: samkit adds nothing to HTML
		if r.body != "" {
			req.Header.Set("Content-Type", "application/json")
		}
		a, err := peer.Do(req)
		if err != nil {
			t.Fatalf("%v: %v", r, err)
		}
		answers = append(answers, a)
	}
	return answers
}

// compared are headers that apps have a say in; others are the server's, or are those
// that canvas keeps back from apps.
var compared = []string{"Allow", "Content-Type", "Content-Disposition", "Etag", "Location", "X-Trail"}

// difference says where an answer is not what workerd answered.
func difference(got, want peer.Answer) string {
	if got.Status != want.Status {
		return fmt.Sprintf("status %d, want %d; %s", got.Status, want.Status, firstDifference(string(got.Body), string(want.Body)))
	}
	for _, name := range compared {
		if g, w := got.Header[name], want.Header[name]; !slices.Equal(g, w) {
			return fmt.Sprintf("header %s %q, want %q", name, g, w)
		}
	}
	if string(got.Body) != string(want.Body) {
		return firstDifference(string(got.Body), string(want.Body))
	}
	return ""
}

// firstDifference shows two texts from a little before they part.
func firstDifference(got, want string) string {
	at := 0
	for at < len(got) && at < len(want) && got[at] == want[at] {
		at++
	}
	from := max(0, at-80)
	return fmt.Sprintf("from byte %d\n got %q\nwant %q", from, clip(got, from), clip(want, from))
}

func clip(s string, from int) string { return s[min(from, len(s)):min(from+400, len(s))] }
