package standards_test

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"testing"

	"samkit.dev/canvas"
	"samkit.dev/host/engine"
	"samkit.dev/internal/standards"
	"samkit.dev/sam"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

const (
	latin1    = "workerd takes any text and sends it as UTF-8; names of files in headers rely on it"
	snapshot  = "workerd iterates over what there was at first, so that code can delete headers as it goes"
	symbols   = "workerd passes symbols over, so that objects which a library has marked with one can be headers"
	emptyBody = "workerd takes an empty body for none, as proxies that pass on an empty answer rely on"
)

// known are the tests that fail, with the reason.
var known = map[string]string{
	"fetch: values beyond Latin-1 are none":                             latin1,
	"fetch: a statusText beyond Latin-1":                                latin1,
	"fetch: headers' iteration sees changes":                            snapshot,
	"fetch: headers' iteration goes by place, also when one is deleted": snapshot,
	"fetch: headers of a record with a symbol":                          symbols,
	"fetch: the status 204 has no empty body":                           emptyBody,
	"fetch: the status 205 has no empty body":                           emptyBody,
	"fetch: the status 304 has no empty body":                           emptyBody,
}

func TestAreas(t *testing.T) {
	areas, err := standards.Areas()
	if err != nil {
		t.Fatal(err)
	}
	eng, err := engine.New(&engine.Options{Isolation: engine.InProcess})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { eng.Close() })
	names := map[string]bool{}
	for _, a := range areas {
		t.Run(a.Name, func(t *testing.T) {
			results := run(t, eng, a)
			if len(results) == 0 {
				t.Error("there are no tests")
			}
			for _, r := range results {
				name := a.Name + ": " + r.Name
				if names[name] {
					t.Errorf("two tests are called %q", r.Name)
				}
				names[name] = true
				switch reason, listed := known[name]; {
				case listed && r.OK:
					t.Errorf("%s passes; it is listed as failing: %s", r.Name, reason)
				case !listed && !r.OK:
					t.Errorf("%s: %s", r.Name, r.Error)
				}
			}
			t.Logf("%d tests", len(results))
		})
	}
	for name := range known {
		if !names[name] {
			t.Errorf("%s is listed as failing, but is no test", name)
		}
	}
}

// run runs an area's tests.
func run(t *testing.T, eng *engine.Engine, a standards.Area) (results []standards.Result) {
	t.Helper()
	files := sam.Files{"sam.json": `{"functions": {"main": "` + standards.Entry + `", "routes": "*", "assets": "last"}}`}
	for name, text := range a.Files {
		files[name] = text
	}
	project, err := sam.NewWorkspace(sam.NewMemStore(), "standards", nil).Create(t.Context(), sam.ProjectID(a.Name), files)
	if err != nil {
		t.Fatal(err)
	}
	h, err := canvas.New(canvas.App{Project: project}, &canvas.Options{Engine: eng, Dev: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if err := json.Unmarshal(w.Body.Bytes(), &results); w.Code != 200 || err != nil {
		t.Fatalf("%d %s (%v)", w.Code, w.Body, err)
	}
	return results
}
