package tokens

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tiktoken-go/tokenizer"
	"samkit.dev/canvas"
	"samkit.dev/canvas/workbench"
	"samkit.dev/host"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

// most is what finding a function and its manual may cost.
const most = 1000

// The functions have arguments and results like those of real ones: a few things have many fields.
type (
	byID struct {
		ID string `json:"id" jsonschema:"as the list shows it"`
	}
	listing struct {
		Query string    `json:"query,omitempty" jsonschema:"words that have to occur; none means everything"`
		From  time.Time `json:"from,omitzero" jsonschema:"the earliest, inclusive"`
		To    time.Time `json:"to,omitzero" jsonschema:"the latest, exclusive"`
		Limit int       `json:"limit,omitempty" jsonschema:"at most so many; 50 by default and 500 at most"`
		After string    `json:"after,omitempty" jsonschema:"where the last page ended"`
	}
	money struct {
		Amount   string `json:"amount" jsonschema:"a decimal number, such as 12.50"`
		Currency string `json:"currency" jsonschema:"three letters, ISO 4217"`
	}
	position struct {
		Article  string  `json:"article"`
		Quantity float64 `json:"quantity" jsonschema:"in the unit of the article"`
		Price    money   `json:"price"`
		Note     string  `json:"note,omitempty"`
	}
	thing struct {
		Customer  string            `json:"customer" jsonschema:"the customer's id"`
		Title     string            `json:"title"`
		Positions []position        `json:"positions" jsonschema:"at least one"`
		Due       time.Time         `json:"due,omitzero" jsonschema:"14 days from now by default"`
		Tags      []string          `json:"tags,omitempty"`
		Fields    map[string]string `json:"fields,omitempty" jsonschema:"the program's own, by name"`
		Notify    bool              `json:"notify,omitempty" jsonschema:"send a message to the customer"`
	}
	stored struct {
		ID      string    `json:"id"`
		State   string    `json:"state" jsonschema:"draft, open, done or void"`
		Created time.Time `json:"created"`
		Changed time.Time `json:"changed"`
		By      string    `json:"by"`
		Thing   thing     `json:"thing"`
	}
	page struct {
		Items []stored `json:"items"`
		After string   `json:"after,omitempty" jsonschema:"for the next page; empty if this is the last"`
		Total int      `json:"total"`
	}
	change struct {
		ID     string  `json:"id"`
		Thing  thing   `json:"thing" jsonschema:"the fields that are left out stay as they are"`
		IfHash *string `json:"ifHash,omitempty" jsonschema:"fails with conflict if somebody else was faster"`
	}
	done struct {
		ID string `json:"id"`
	}
)

func answer[In, Out any](context.Context, In) (out Out, err error) { return out, nil }

// shop is 500 functions, with types by what their names begin with.
func shop(t *testing.T) *host.Capabilities {
	t.Helper()
	data, err := os.ReadFile("../../host/testdata/functions.txt")
	if err != nil {
		t.Fatal(err)
	}
	caps := host.New()
	var c *host.Capability
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		name, doc, ok := strings.Cut(line, "\t")
		begins := func(with ...string) bool {
			return slices.ContainsFunc(with, func(w string) bool { return strings.HasPrefix(name, w) })
		}
		switch {
		case strings.HasPrefix(line, "#"):
		case !ok:
			c = caps.Define(name, 1)
		case begins("list", "search", "find"):
			host.Register(c, name, doc, answer[listing, page], host.Reads)
		case begins("get", "status", "details"):
			host.Register(c, name, doc, answer[byID, stored], host.Reads)
		case begins("create", "add", "send", "book", "draft"):
			host.Register(c, name, doc, answer[thing, stored])
		case begins("update", "set", "change", "edit", "adjust"):
			host.Register(c, name, doc, answer[change, stored])
		default:
			host.Register(c, name, doc, answer[byID, done])
		}
	}
	return caps
}

// agent calls the functions that stand directly under HOST as an agent's code does, and returns the text of what it gets.
func agent(t *testing.T) func(name, arg string) string {
	t.Helper()
	store := sam.NewMemStore()
	t.Cleanup(func() { store.Close() })
	eng, err := engine.New(&engine.Options{Isolation: engine.InProcess})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { eng.Close() })
	bench, err := workbench.New(t.Context(), sam.NewWorkspace(store, "ada", nil), eng, &workbench.Options{Capabilities: shop(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bench.Close() })
	if _, err := bench.Create(t.Context(), "bot", sam.Files{"functions.js": `export default { async fetch(request, env) {
		const { name, arg } = await request.json()
		const got = await env.HOST[name](arg)
		return new Response(typeof got === "string" ? got : JSON.stringify(got))
	} }`}); err != nil {
		t.Fatal(err)
	}
	if err := bench.SetAgent(t.Context(), "bot"); err != nil {
		t.Fatal(err)
	}
	site, err := canvas.NewSite(bench.App, &canvas.Options{Engine: eng})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { site.Close() })
	at := "/" + site.Path(canvas.Visitor{Session: bench.Agent().ID}, "bot") + "api/call"
	return func(name, arg string) string {
		t.Helper()
		body, err := json.Marshal(map[string]string{"name": name, "arg": arg})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		site.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, at, strings.NewReader(string(body))))
		text, err := io.ReadAll(w.Body)
		if err != nil || w.Code != http.StatusOK {
			t.Fatalf("HOST.%s(%q): %d %s %v", name, arg, w.Code, text, err)
		}
		return string(text)
	}
}

// Each of fifty written queries finds and describes what it is about for less than 1,000 tokens: what the agent's
// code writes, and what it gets.
func TestFindingAFunctionIsCheap(t *testing.T) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	count := func(text string) int {
		n, err := codec.Count(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	call := agent(t)
	data, err := os.ReadFile("../../host/testdata/queries_heldout.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all, searches, pages []int
	worst := ""
	for line := range strings.Lines(string(data)) {
		query, want, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			continue
		}
		found, page := call("search", query), call("describe", want)
		if !strings.Contains(page, want[strings.Index(want, ".")+1:]) || !strings.Contains(found, `"doc"`) {
			t.Fatalf("%q: %s\n%s", query, found, page)
		}
		asked := count(`await env.HOST.search(`+query+`)`) + count(`await env.HOST.describe("`+want+`")`)
		n := asked + count(found) + count(page)
		if n > slices.Max(append(all, 0)) {
			worst = found + "\n" + page
		}
		all, searches, pages = append(all, n), append(searches, count(found)), append(pages, count(page))
	}
	for _, c := range []struct {
		what string
		n    []int
	}{{"both, and the calls", all}, {"search", searches}, {"describe", pages}} {
		slices.Sort(c.n)
		t.Logf("%s: median %d, maximum %d of %d", c.what, c.n[len(c.n)/2], c.n[len(c.n)-1], len(c.n))
	}
	if len(all) < 50 || all[len(all)-1] >= most {
		t.Errorf("%d queries cost up to %d tokens; fewer than %d are promised:\n%s", len(all), all[len(all)-1], most, worst)
	}
	// What is built in has longer manuals.
	for _, name := range []string{"files.apply", "files.edit", "files.search", "checkpoints.diff", "console.read", "tools.open", "projects.import"} {
		found, page := call("search", name), call("describe", name)
		n := count(found) + count(page)
		t.Logf("%s: %d + %d", name, count(found), count(page))
		if n >= most {
			t.Errorf("%s costs %d tokens:\n%s\n%s", name, n, found, page)
		}
	}
}
