package canvas

import "testing"

func TestSourceInAPage(t *testing.T) {
	for source, want := range map[string]string{
		":3:9": "index.html:3:9", "docs/:3:9": "docs/index.html:3:9", "a.js:3:9": "a.js:3:9", "docs/a.html:1:2": "docs/a.html:1:2",
		"": "", "x": "x", "https://cdn.example/:1:2": "https://cdn.example/:1:2", "/": "/",
	} {
		if got := inPage(source); got != want {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
}
