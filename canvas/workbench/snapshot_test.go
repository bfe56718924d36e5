package workbench

import (
	"context"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"samkit.dev/canvas"
	"samkit.dev/sam"
)

// An agent edits; visitors see what was published, with the functions.js of that moment.
func TestPublishedWhileAnAgentEdits(t *testing.T) {
	s, call := withAgent(t, Options{})
	var published atomic.Value
	site, err := canvas.NewSite(func(ctx context.Context, v canvas.Visitor, id sam.ProjectID) (*canvas.App, error) {
		app, err := s.App(ctx, v, id)
		if err == nil {
			app.Snapshot, _ = published.Load().(string)
		}
		return app, err
	}, &canvas.Options{Engine: s.Engine()})
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	get := func(target string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		site.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", target, nil))
		return w
	}
	say := func(text string) {
		t.Helper()
		for name, data := range map[string]string{"a.md": text, "functions.js": `export default { fetch: () => new Response("` + text + `") }`} {
			call("files.write", m{"path": name, "content": data}).field(t, "hash")
		}
	}
	shown := func(text string) {
		t.Helper()
		for _, path := range []string{"/notes/a.md", "/notes/api/x"} {
			if w := get(path); w.Code != 200 || w.Body.String() != text {
				t.Errorf("%s: %d %q, want %q", path, w.Code, w.Body, text)
			}
		}
	}
	say("first")
	shown("first")
	made := call("checkpoints.create", m{"label": "1.0"})
	published.Store(made.field(t, "id"))
	say("half of the sec")
	shown("first")
	if w := get("/notes/~at." + made.field(t, "id") + "/a.md"); w.Body.String() != "first" || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
		t.Errorf("%d %v %q", w.Code, w.Header(), w.Body)
	}
	say("second")
	made = call("checkpoints.create", m{"label": "2.0"})
	shown("first")
	published.Store(made.field(t, "id"))
	shown("second")
}
