package canvas

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"samkit.dev/sam"
)

var (
	//go:embed testdata/browser.js
	fakeBrowser string
	//go:embed testdata/drive.js
	drive string
)

func TestClientIsSmall(t *testing.T) {
	c, err := newClient(true)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(encode(gzipCoding, c.ready.body)); n > 6<<10 {
		t.Errorf("the page's script has %d bytes gzipped, more than 6 KB", n)
	}
}

// The page's script runs against a stand-in for a browser, in the engine.
func TestClient(t *testing.T) {
	c, err := newClient(true)
	if err != nil {
		t.Fatal(err)
	}
	r := serveApp(t, sam.Files{
		"browser.js": fakeBrowser, "client.js": string(c.ready.body),
		"functions.js": `import "./browser.js"` + "\n" + `import "./client.js"` + "\n" + drive,
	}, nil)
	w := r.get("/p/api/run")
	var got struct {
		Net  []string
		Logs []struct{ Level, Text, Source string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 {
		t.Fatalf("%v: %s\n%s", err, w.Body, r.texts())
	}
	for _, want := range []string{
		"events http://h.test/p/~events?v=rev1",
		"fetch http://h.test/p/api/x same-origin", "fetch http://h.test/p/api/y", "fetch /p/api/z", "fetch rel", "fetch //other/x",
		"fetch http://h.test/p/api/r", "fetch https://else.test/x",
		"ws ws://h.test/p/api/ws", "events http://h.test/p/api/s", "xhr GET http://h.test/p/api/q", "beacon http://h.test/p/api/b",
		"open http://h.test/p/page", "push http://h.test/p/route",
		`worker blob:importScripts("http://h.test/p/docs/w.js")`, `worker blob:import "http://h.test/p/m.js"`,
		"img http://h.test/p/a.png http://h.test/p/a.png 1x, http://h.test/p/b.png 2x", `script http://h.test/p/s.js ""`,
		"submit http://h.test/p/api/f", "a http://h.test/p/late",
		`["1","2",["a","b"],2,true,null,"x=1"]`, "reload",
	} {
		if !slices.Contains(got.Net, want) {
			t.Errorf("the page did not do %q", want)
		}
	}
	var logs strings.Builder
	for _, l := range got.Logs {
		fmt.Fprintf(&logs, "%s %s %s\n", l.Level, l.Source, l.Text)
	}
	for _, want := range []string{
		"n 5 x { a: [ 1, { b: Map(1) { 1 => 2 } } ], d: [Getter] }", "{ c: [Circular] } text", "Assertion failed: wrong",
		`error app.js:3:4 Uncaught TypeError: Failed to resolve module specifier "react"`, `The project has no module "react"`,
		"Unhandled rejection: Error: rejected", `App.Connect would have to list "https://cdn.test"`, "Failed to load <image> /none.png",
		"GET api/missing was answered 404", "GET api/down failed: Failed to fetch",
	} {
		if !strings.Contains(logs.String(), want) {
			t.Errorf("the console lacks %q", want)
		}
	}
	if t.Failed() {
		t.Logf("did:\n%s\nconsole:\n%s", strings.Join(got.Net, "\n"), logs.String())
	}
}
