package canvas

import (
	"net/http/httptest"
	"testing"

	"samkit.dev/sam"
)

// TestNodeGlobals proves that nodejs_compat gives Buffer and process, also to a
// project that gets the flag later.
func TestNodeGlobals(t *testing.T) {
	r := serveApp(t, sam.Files{
		"wrangler.toml": "main = \"src/index.js\"\n",
		"src/index.js":  `export default { fetch() { return new Response(typeof Buffer + typeof process) } }`,
	}, &Options{Origin: Trusted})
	body := func() string {
		w := httptest.NewRecorder()
		r.mux.ServeHTTP(w, httptest.NewRequest("GET", "/p/", nil))
		return w.Body.String()
	}
	if got := body(); got != "undefinedundefined" {
		t.Errorf("without the flag: %s", got)
	}
	flagged := []byte("main = \"src/index.js\"\ncompatibility_flags = [\"nodejs_compat\"]\n")
	if err := r.project.WriteFile(t.Context(), "wrangler.toml", flagged); err != nil {
		t.Fatal(err)
	}
	if got := body(); got != "functionobject" {
		t.Errorf("with the flag: %s", got)
	}
}
