package workbench

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"testing"

	"samkit.dev/canvas"
	"samkit.dev/sam"
)

// A scripted agent, without a model, works on the person's project by its own functions.js alone: it reads, edits,
// loses a race and edits again, sees an error with its place in the source, mends it and keeps the result.
func TestAgentAtWork(t *testing.T) {
	script, err := os.ReadFile("testdata/agent/functions.js")
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, Options{})
	ctx := t.Context()
	if _, err := s.Create(ctx, "bot", sam.Files{"index.html": "<p>", "functions.js": string(script)}); err != nil {
		t.Fatal(err)
	}
	notes, err := s.Create(ctx, "notes", sam.Files{"index.html": "<h1>Notes</h1>", "functions.js": `export default {
	fetch() {
		return Response.json({ title: "Notes" })
	},
}
`})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetWork(ctx, "notes"); err != nil {
		t.Fatal(err)
	}
	if err := s.SetAgent(ctx, "bot"); err != nil {
		t.Fatal(err)
	}
	page := s.site.Path(canvas.Visitor{Session: s.Agent().ID}, "bot")
	step := func(name string) map[string]any {
		t.Helper()
		res, err := http.Post(s.http.URL+"/"+page+"api/"+name, "application/json", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		data, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		var v map[string]any
		if err := json.Unmarshal(data, &v); err != nil || res.StatusCode != 200 {
			t.Fatalf("%s: %d %s", name, res.StatusCode, data)
		}
		return v
	}
	// What a person does on the canvas: open the app.
	visit := func() int {
		t.Helper()
		res, err := http.Get(s.http.URL + "/notes/api/title")
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode
	}
	want := func(v map[string]any, key string, value any) {
		t.Helper()
		if v[key] != value {
			t.Errorf("%s is %v, want %v: %v", key, v[key], value, v)
		}
	}

	want(step("look"), "files", "functions.js index.html")
	// The person types while the agent thinks.
	if err := notes.WriteFile(ctx, "index.html", []byte("<h1>My notes</h1>")); err != nil {
		t.Fatal(err)
	}
	v := step("edit")
	want(v, "first", "conflict")
	want(v, "current", "<h1>My notes</h1>")
	want(v, "now", "<h1>My notes</h1>\n<p id=list></p>")

	step("break") // an edit that was meant well
	if got := visit(); got != 500 {
		t.Errorf("the broken app answers %d", got)
	}
	v = step("error")
	want(v, "source", "functions.js:3:33")
	want(v, "known", true)
	step("mend")
	if got := visit(); got != 200 {
		t.Errorf("the mended app answers %d", got)
	}
	v = step("check")
	want(v, "errors", 0.0)
	if id, _ := v["checkpoint"].(string); id == "" {
		t.Errorf("no checkpoint: %v", v)
	}
	v = step("copy")
	want(v, "agentManaged", true)
	want(v, "copied", "<h1>My notes</h1>\n<p id=list></p>")
	want(v, "left", "bot notes")
	want(v, "refused", "denied")
	want(v, "itself", "denied")
}
