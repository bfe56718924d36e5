package workers

import (
	"testing"
)

// TestThrownGetters proves that what is thrown cannot hurt by its getters.
func TestThrownGetters(t *testing.T) {
	eachLevel(t, Options{Limits: Limits{CPU: 150e6, Wall: 2e9}}, func(t *testing.T, p *Pool) {
		for code, want := range map[string]string{
			`throw { get message() { for (;;); } }`:                                                       "limit_cpu",
			`throw { get message() { return this.message } }`:                                             "exception",
			`throw { get message() { return "" + { toString() { return this + "" } } } }`:                 "exception",
			`const e = new Error("x"); Object.defineProperty(e, "stack", {get() { for(;;); } }); throw e`: "limit_cpu",
		} {
			a := app(t, `export default { fetch(request) { if (request.method === "HEAD") return new Response("ok"); `+code+` } }`)
			a.Domain += code
			if e := failure_(t, p, a, "/"); e.Code != want {
				t.Errorf("%s: %v, want %s", code, e, want)
			}
			if _, body := do(t, p, a, &Request{Method: "HEAD", URL: "http://test/"}); body != "ok" {
				t.Errorf("after %s: %s", code, body)
			}
		}
	})
}
