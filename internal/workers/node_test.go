package workers

import (
	"os"
	"strings"
	"testing"

	"samkit.dev/internal/bundle"
)

// TestLikeNode compares modules of Node, and Intl, with Node itself.
func TestLikeNode(t *testing.T) {
	for _, name := range []string{"node", "intl"} {
		out, err := bundle.Functions(t.Context(), os.DirFS("testdata"), name+".js", nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile("testdata/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
				a := &App{Domain: t.Name(), Version: "1", Project: "test", Script: &Script{Code: out.Code, Map: out.Map, Hash: out.Hash}}
				_, got := get(t, p, a, "/")
				if got := strings.TrimSpace(got); got != strings.TrimSpace(string(want)) {
					t.Errorf("got  %s\nwant %s", got, want)
				}
			})
		})
	}
}

// TestNodeGlobals uses Buffer and process without importing them.
func TestNodeGlobals(t *testing.T) {
	fsys := os.DirFS("testdata")
	out, err := bundle.Functions(t.Context(), fsys, "globals.js", &bundle.Options{NodeGlobals: true})
	if err != nil {
		t.Fatal(err)
	}
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := &App{Domain: t.Name(), Version: "1", Project: "test", Script: &Script{Code: out.Code, Map: out.Map, Hash: out.Hash},
			Bindings: []Binding{{Name: "GREETING", JSON: []byte(`"hi"`)}, {Name: "N", JSON: []byte(`1`)}}}
		if _, got := get(t, p, a, "/"); got != `["aGk=","hi",null,"production",true,"ticked"]` {
			t.Error(got)
		}
	})
	plain, err := bundle.Functions(t.Context(), fsys, "globals.js", nil)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(plain.Code), "class Buffer") {
		t.Error("Buffer is a global without NodeGlobals")
	}
}
