package host

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// shop returns the functions of testdata, 510 of them.
func shop(t testing.TB) *Capabilities {
	t.Helper()
	data, err := os.ReadFile("testdata/functions.txt")
	if err != nil {
		t.Fatal(err)
	}
	caps := New()
	var c *Capability
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		name, doc, ok := strings.Cut(line, "\t")
		switch {
		case strings.HasPrefix(line, "#"):
		case !ok:
			c = caps.Define(name, 1)
		default:
			c.Add(Func{Name: name, Doc: doc}, func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil })
		}
	}
	return caps
}

// Of what people ask for, 45 in 50 are among the first five. The first two lists were looked at while the search was
// made. The third was written afterwards, and is what to expect: it had 46 when it was first tried.
func TestSearchFindsWhatPeopleAskFor(t *testing.T) {
	x := NewIndex(shop(t))
	if len(x.funcs) < 500 {
		t.Fatalf("%d functions", len(x.funcs))
	}
	for _, name := range []string{"queries.txt", "queries_more.txt", "queries_heldout.txt"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		asked, found := 0, 0
		for line := range strings.Lines(string(data)) {
			query, want, ok := strings.Cut(strings.TrimSpace(line), "\t")
			if !ok {
				continue
			}
			asked++
			var got []string
			for _, f := range x.Search(query, 5) {
				got = append(got, f.Name)
			}
			if strings.Contains(" "+strings.Join(got, " ")+" ", " "+want+" ") {
				found++
			} else if name == "queries.txt" || os.Getenv("SHOW") != "" {
				t.Logf("%q: %v, want %s", query, got, want)
			}
		}
		t.Logf("%s: %d of %d", name, found, asked)
		if asked < 50 || found*50 < 45*asked {
			t.Errorf("%s: %d of %d queries find the function", name, found, asked)
		}
	}
}

func TestSearchOfOddWords(t *testing.T) {
	x := NewIndex(shop(t))
	for _, words := range []string{"", " ", "the of a", "zzzz", "日本語", "\xff\xfe", strings.Repeat("invoice ", 100_000), strings.Repeat("x", 1<<20)} {
		x.Search(words, 5)
	}
	if got := x.Search("invoices.markPaid", 1); len(got) != 1 || got[0].Name != "invoices.markPaid" {
		t.Errorf("by name: %v", got)
	}
	if got := x.Search("customer", -1); len(got) != 0 {
		t.Errorf("less than none: %v", got)
	}
	empty := NewIndex(New())
	if got := empty.Search("anything", 5); len(got) != 0 || empty.Describe("x") != "" {
		t.Errorf("of nothing: %v", got)
	}
}

func TestDescribe(t *testing.T) {
	caps := New()
	for _, version := range []int{1, 2} {
		Register(caps.Define("crm", version), "lookup", "Finds a customer by id.", func(context.Context, struct {
			ID string `json:"id"`
		}) (string, error) {
			return "", nil
		}, Reads)
	}
	x := NewIndex(caps)
	for name, want := range map[string]string{
		"crm.lookup": "## crm.lookup\n", "crm@1.lookup": "## crm.lookup\n", "crm@2.lookup": "## [\"crm@2\"].lookup\n",
	} {
		if got := x.Describe(name); !strings.HasPrefix(got, want) || !strings.Contains(got, "}): Promise<string>") {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := x.Search("customer", 5); len(got) != 2 || got[1].Name != "crm@2.lookup" {
		t.Errorf("%v", got)
	}
	if x.Describe("crm.drop") != "" {
		t.Error("described what is not there")
	}
}

func BenchmarkSearch(b *testing.B) {
	x := NewIndex(shop(b))
	for b.Loop() {
		x.Search("give the money back to the buyer", 5)
	}
}

func BenchmarkNewIndex(b *testing.B) {
	c := shop(b)
	for b.Loop() {
		NewIndex(c)
	}
}
