package canvas

import (
	"strings"
	"testing"

	"samkit.dev/sam"
)

// Whoever reads the console, an agent perhaps, must not read secrets there, whichever way they came.
func TestSecretsThatAPagePrints(t *testing.T) {
	r := serveApp(t, sam.Files{"functions.js": `export default { fetch: (request, env) => { console.log("mine is " + env.TOKEN); return new Response(env.TOKEN) } }`}, nil)
	if err := r.project.Secrets().Set(t.Context(), "TOKEN", "s3cr3t-value"); err != nil {
		t.Fatal(err)
	}
	token := r.get("/p/api/token").Body.String()
	if token != "s3cr3t-value" {
		t.Fatalf("the page gets %q", token)
	}
	body := `{"path":"` + token + `","entries":[{"level":"error","text":"got ` + token + `","stack":"Error: ` + token + `\n    at app.js:1:1"}]}`
	if w := r.do("POST", "/p/~log", body); w.Code != 204 {
		t.Fatal(w.Code, w.Body)
	}
	said := 0
	for e := range r.console.Since(0) {
		if all := e.Text + e.Stack + e.Source + e.Request; strings.Contains(all, token) {
			t.Errorf("the console has the secret: %+v", e)
		} else if strings.Contains(all, "[secret TOKEN]") {
			said++
		}
	}
	if said != 2 {
		t.Errorf("%d entries, of the page and of functions.js", said)
	}
}
