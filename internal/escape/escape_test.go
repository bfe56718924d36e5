package escape

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"samkit.dev/host/engine"
)

var (
	update    = flag.Bool("update", false, "write docs/isolation.md")
	word      = flag.String("probes", "", "run the probes whose names hold this word")
	only      = flag.String("browser", "", "run in this browser only")
	onlyModes = flag.String("modes", "", "run in these modes only")
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

// tabs is how many runs there are at once: they mostly wait.
const tabs = 4

const pagePath = "../../docs/isolation.md"

// attackAll does all runs in a browser and returns what each probe did. It waits for what the page says.
func attackAll(t *testing.T, k kind, probes []*probe, page results) (results, string) {
	t.Helper()
	w, b := start(t, k, probes)
	var runs []*run
	for _, m := range modes {
		if *onlyModes != "" && !strings.Contains(*onlyModes, m.name) {
			continue
		}
		more, err := plan(m, probes)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, more...)
	}
	out := results{}
	var mu sync.Mutex // guards out
	var wg sync.WaitGroup
	free := make(chan struct{}, tabs)
	for _, r := range runs {
		r.want = map[string]effect{}
		for _, p := range r.probes {
			if e, must := p.bites(k.name); r.mode.proof && must {
				r.want[p.name] = e
			} else if !*update {
				r.want[p.name] = page[r.column()][p.name]
			}
		}
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			got, err := retry(t.Context(), w, b, r)
			if err != nil {
				t.Errorf("%s, %s, %q: %v", r.mode.name, r.place, names(r.probes), err)
			}
			mu.Lock()
			defer mu.Unlock()
			for name, e := range got[r.column()] {
				out.set(r.column(), name, e)
			}
		})
	}
	wg.Wait()
	return out, b.version()
}

// start makes a world and a browser in it, which end with the test.
func start(t *testing.T, k kind, probes []*probe) (*world, browser) {
	t.Helper()
	program := k.find()
	if program == "" {
		why := fmt.Sprintf("no %s found: install Debian's package, or name one in $%s", k.name, k.variable)
		if os.Getenv("CI") != "" || *update {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	w, err := newWorld(probes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.close)
	w.grace = 600 * time.Millisecond
	if *update {
		w.grace = 1500 * time.Millisecond
	}
	b, err := k.launch(t.Context(), program, w.net)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.close)
	return w, b
}

// retry does a run, and once more, with another log-in, if the browser failed to do it or
// was too slow for what is expected. It returns what was found.
func retry(ctx context.Context, w *world, b browser, r *run) (results, error) {
	out := results{}
	for try := 0; ; try++ {
		began := time.Now()
		err := w.attack(ctx, b, r)
		r.close()
		out.add(r)
		if testing.Verbose() {
			fmt.Printf("%5dms %s %s %v\n", time.Since(began).Milliseconds(), r.mode.name, r.place, names(r.probes))
			r.print()
		}
		r.mu.Lock()
		done := err == nil && r.satisfied()
		r.mu.Unlock()
		if done || try == 1 || ctx.Err() != nil {
			return out, err
		}
		again, err := newRun(r.mode, r.place, r.probes)
		if err != nil {
			return out, err
		}
		again.want, again.shipped = r.want, r.shipped
		r = again
	}
}

func (r *run) print() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.evidence {
		fmt.Println("    !", e)
	}
	if *word != "" {
		for _, n := range r.notes {
			fmt.Println("     ", n)
		}
	}
}

func names(probes []*probe) (all []string) {
	for _, p := range probes {
		all = append(all, p.name)
	}
	return all
}

func TestEscape(t *testing.T) {
	probes, err := readProbes()
	if err != nil {
		t.Fatal(err)
	}
	every := probes
	probes = matching(probes, *word)
	committed, err := os.ReadFile(pagePath)
	if err != nil && !*update {
		t.Fatal(err)
	}
	found, versions := map[string]results{}, map[string]string{}
	for _, k := range kinds {
		if *only != "" && !strings.EqualFold(*only, k.name) {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			page := readPage(string(committed), k.name)
			got, version := attackAll(t, k, probes, page)
			t.Log(version)
			judge(t, k, probes, got)
			if !*update {
				compare(t, got, page)
			}
			found[k.name], versions[k.name] = got, version
		})
	}
	if *update && !t.Failed() {
		write(t, every, found, versions)
	}
}

// write puts what was found into the page, beside what is there of other runs.
func write(t *testing.T, probes []*probe, found map[string]results, versions map[string]string) {
	t.Helper()
	there, err := os.ReadFile(pagePath)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	all := map[string]results{}
	for _, k := range kinds {
		all[k.name] = readPage(string(there), k.name)
		for c, effects := range found[k.name] {
			for name, e := range effects {
				all[k.name].set(c, name, e)
			}
		}
		if versions[k.name] == "" {
			versions[k.name] = k.versionIn(string(there))
		}
	}
	if err := os.WriteFile(pagePath, []byte(writePage(probes, all, versions)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What leaves a frame by navigation does not leave the framing page that canvas serves.
func TestFramingPage(t *testing.T) {
	probes, err := readProbes()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		if *only != "" && !strings.EqualFold(*only, k.name) {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			w, b := start(t, k, probes)
			for _, p := range probes {
				switch p.name {
				case "leave by navigation", "leave by link", "leave by GET form", "leave by redirect", "leave by refresh":
				default:
					continue
				}
				for _, m := range modes[:2] {
					r, err := newRun(m, confined, []*probe{p})
					if err != nil {
						t.Fatal(err)
					}
					r.shipped = true
					if got, err := retry(t.Context(), w, b, r); err != nil {
						t.Errorf("%s, %q: %v", m.name, p.name, err)
					} else if e := got[r.column()][p.name]; e != blocked {
						t.Errorf("%s, %q: %v", m.name, p.name, e)
					}
				}
			}
		})
	}
}

// judge compares what the probes did with what canvas promises, and with what shows that they can bite.
func judge(t *testing.T, k kind, probes []*probe, got results) {
	t.Helper()
	for _, p := range probes {
		for _, c := range columns {
			e, ran := got[c][p.name]
			switch want, must := p.bites(k.name); {
			case !ran:
			case c.mode != "Trusted" && e == escapes:
				t.Errorf("%s, %s: %q escapes: it %s", c.mode, c.place, p.name, p.what)
			case c.mode == "Trusted" && must && want > visits && e < want:
				t.Errorf("%q %v in the program's own origin, where it should %v: it proves nothing", p.name, e, want)
			}
		}
	}
}

// compare looks for what is not as the page says. What a probe does in Trusted beyond biting, as judge
// has it, changes from run to run.
func compare(t *testing.T, got, page results) {
	t.Helper()
	for c, effects := range got {
		for name, e := range effects {
			if want, ok := page[c][name]; !ok || e != want && c.mode != "Trusted" {
				t.Errorf("%s, %s: %q %v; docs/isolation.md says %v (`go test -update` writes it)", c.mode, c.place, name, e, want)
			}
		}
	}
}

// The page has a row for each probe, and nothing of it is lost when it is read.
func TestPage(t *testing.T) {
	probes, err := readProbes()
	if err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile(pagePath)
	if err != nil {
		t.Fatal(err)
	}
	all, versions := map[string]results{}, map[string]string{}
	for _, k := range kinds {
		all[k.name], versions[k.name] = readPage(string(committed), k.name), k.versionIn(string(committed))
	}
	if got := writePage(probes, all, versions); got != string(committed) {
		t.Error("docs/isolation.md is not what `go test -update` writes")
	}
}
