package workbench

import (
	"context"
	"strings"
	"testing"

	"samkit.dev/host"
)

func TestSearchAndDescribe(t *testing.T) {
	s, call := withAgent(t, allOf())
	has(t, "search", call("search", "look for text in all files"), `{"name":"files.search","doc":"Searches the text of files, line by line."}`)
	has(t, "the program's", call("search", "crm lookup"), `{"functions":[{"name":"crm.lookup"`)
	has(t, "describe", call("describe", "crm.lookup"), "## crm.lookup")
	has(t, "describe", call("describe", "files@1.read"), "## files.read")
	has(t, "describe what is not there", call("describe", "files.burn"), "not_found")
	has(t, "not words", call("search", m{"words": "x"}), "invalid")
	has(t, "too many words", call("search", strings.Repeat("x", 2000)), "invalid")
	has(t, "an alias", call("openTool", m{"project": "notes", "grant": m{"uses": []string{"crm@1.lookup"}}}), `"session"`)
	has(t, "an alias", call("closeTool", m{"session": "none"}), "not_found")

	// To find a function and to read about it costs fewer than 1,000 tokens, of which none has fewer than 3 bytes
	// on average in such text.
	for f := range s.agentOffer.Funcs() {
		found, manual := call("search", f.Doc), call("describe", strings.TrimPrefix(f.Capability+"."+f.Name, "."))
		if n := len(found.OK) + len(manual.OK); n > 3000 || found.Code != "" || manual.Code != "" {
			t.Errorf("%s: %d bytes", f.Name, n)
		}
		if !strings.Contains(found.String(), f.Name) {
			t.Errorf("%s is not found by its own sentence: %s", f.Name, found)
		}
	}
}

func TestNamesKeptForGroups(t *testing.T) {
	for _, name := range []string{"files", "cmd", "python", "script", "tasks", "top"} {
		caps := host.New()
		host.Register(caps.Define(name, 2), "run", "", func(context.Context, waiting) (string, error) { return "", nil })
		f := open(t)
		if _, err := New(t.Context(), f.Workspace(), f.eng, &Options{Capabilities: caps}); err == nil {
			t.Errorf("New took %s", name)
		}
	}
}
