package main

import (
	"encoding/json"
	"testing"
)

func TestWorkerProject(t *testing.T) {
	p := start(t, "-secret", "ADMIN_TOKEN=t0p", "testdata/worker")
	p.want("", 200, "<h1 id=\"title\">")
	p.want("style.css", 200, "font:")
	p.want("api/about", 200, `{"title":"Short links","max":200}`)
	made := p.do("POST", "api/links", `{"to": "https://example.com/a?b=c"}`)
	p.check("a link", made, 201, `"to":"https://example.com/a?b=c"`)
	var link struct{ Slug string }
	if err := json.Unmarshal([]byte(made.body), &link); err != nil || len(link.Slug) != 7 {
		t.Fatalf("%q: %v", made.body, err)
	}
	p.check("no link", p.do("POST", "api/links", `{"to": "nowhere"}`), 400, "at most 200")
	for range 2 {
		if r := p.want("l/"+link.Slug, 302, ""); r.header.Get("Location") != "https://example.com/a?b=c" {
			t.Errorf("it leads to %q", r.header.Get("Location"))
		}
	}
	p.want("l/none", 404, "no such link")
	p.want("api/stats", 403, "token")
	p.becomes("api/stats?token=t0p", 200, `[{"slug":"`+link.Slug+`","n":2}]`) // counted after the answer
	for _, name := range []string{"wrangler.toml", "src/index.ts", "src/links.ts", "public/index.html", "nothing"} {
		p.want(name, 404, "")
	}

	p = start(t, "-var", "TITLE=Mine", "testdata/worker")
	p.want("api/about", 200, `"title":"Mine"`)
}
