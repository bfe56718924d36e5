package main

import (
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"
)

func TestHonoWithItsPackages(t *testing.T) {
	p := start(t, "testdata/hono")
	p.want("", 200, "<title>Guest book</title>")
	p.want("public/app.js", 200, "await show()")
	p.want("api/visits", 200, `{"visits":0}`)
	p.check("a visit", p.do("POST", "api/visits", ""), 200, `{"visits":1}`)
	p.want("api/visits", 200, `{"visits":1}`)

	p.want("api/entries", 200, `[]`)
	post := func(body string) reply {
		return p.do("POST", "api/entries", body, "Content-Type", "application/json")
	}
	p.check("an entry", post(`{"name": "Ada", "text": "hello"}`), 201, `{"id":1,"name":"Ada","text":"hello"}`)
	p.check("one with quotes", post(`{"name": "Bo'b", "text": "'); DROP TABLE entries; --"}`), 201, `DROP`)
	p.check("an empty one", post(`{"name": "", "text": "x"}`), 400, "must not be empty")
	p.check("one that is no JSON", post(`{`), 400, "Malformed JSON")
	p.want("api/entries?limit=1", 200, `[{"id":2,`)
	p.want("api/entries/1", 200, `"Ada"`)
	p.want("api/entries/99", 404, `{"error":"there is no such entry"}`)
	p.check("removal", p.do("DELETE", "api/entries/1", ""), 204, "")
	p.check("removal again", p.do("DELETE", "api/entries/1", ""), 404, "no such entry")
	p.want("api/nothing", 404, `{"error":"no route /api/nothing"}`)

	if r := p.want("api/count", 200, "event: tick\ndata: {\"i\":3}\nid: 3\n\n"); !strings.HasPrefix(r.header.Get("Content-Type"), "text/event-stream") {
		t.Errorf("a stream of events has the type %q", r.header.Get("Content-Type"))
	}
	if r := p.want("api/old", 302, ""); r.header.Get("Location") != "../api/entries" {
		t.Errorf("a redirect leads to %q", r.header.Get("Location"))
	}
	for _, name := range []string{"functions.js", "package.json", "node_modules/hono/package.json", "node_modules/hono/dist/index.js"} {
		p.want(name, 404, "")
	}
}

func TestViteBuildBelowAPrefix(t *testing.T) {
	p := start(t, "-prefix", "/p/", "testdata/vite/dist")
	if !strings.HasSuffix(p.url, "/p/") {
		t.Fatalf("it serves %s", p.url)
	}
	resp, err := client.Get(strings.TrimSuffix(p.url, "p/"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 303 || !strings.HasSuffix(resp.Header.Get("Location"), "/p/") {
		t.Errorf("the root answers %s and leads to %q", resp.Status, resp.Header.Get("Location"))
	}

	page := p.get("", "Sec-Fetch-Dest", "document", "Sec-Fetch-Mode", "navigate")
	p.check("the page", page, 200, `<div id="root"></div>`)
	linked := map[string]string{}
	for _, m := range regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(page.body, -1) {
		at := relativeTo(t, p.url, p.url, m[1])
		linked[path.Ext(at)] = at
		p.want(at, 200, "")
	}
	for _, ext := range []string{".js", ".css", ".svg"} {
		if linked[ext] == "" {
			t.Fatalf("no %s is linked from:\n%s", ext, page.body)
		}
	}
	// Images of style sheets, and chunks that the script loads later.
	css := p.get(linked[".css"])
	image := regexp.MustCompile(`url\(["']?([^)"']+)`).FindStringSubmatch(css.body)
	if image == nil {
		t.Fatalf("no image in %s", css.body)
	}
	p.want(relativeTo(t, p.url, p.url+linked[".css"], image[1]), 200, "<svg")
	chunk := regexp.MustCompile("import\\([\"'`](\\./Details[^\"'`]+)").FindStringSubmatch(p.get(linked[".js"]).body)
	if chunk == nil {
		t.Fatal("the script imports no chunk")
	}
	p.want(relativeTo(t, p.url, p.url+linked[".js"], chunk[1]), 200, "A moon of ")
	p.want("moons.json", 200, `"Titan"`)
}

// relativeTo resolves a link as a browser does. It must lead into the app, whose
// root is at root.
func relativeTo(t *testing.T, root, from, link string) string {
	t.Helper()
	base, err := url.Parse(from)
	if err != nil {
		t.Fatal(err)
	}
	u, err := base.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	at, ok := strings.CutPrefix(u.String(), root)
	if !ok {
		t.Fatalf("%q, found at %s, leads out of the app", link, from)
	}
	return at
}

func TestGameOfManyFiles(t *testing.T) {
	p := start(t, "testdata/game")
	for name, want := range map[string]string{
		"":                   "text/html",
		"style.css":          "text/css",
		"js/main.js":         "text/javascript",
		"js/assets.js":       "text/javascript",
		"js/input.js":        "text/javascript",
		"js/sounds.js":       "text/javascript",
		"js/world.js":        "text/javascript",
		"js/geometry.js":     "text/javascript",
		"levels/meadow.json": "application/json",
		"img/hero.png":       "image/png",
		"img/coin.png":       "image/png",
		"img/sky.svg":        "image/svg+xml",
		"fonts/score.otf":    "font/otf",
		"audio/coin.wav":     "audio/wav",
		"audio/step.wav":     "audio/wav",
	} {
		if r := p.want(name, 200, ""); !strings.HasPrefix(r.header.Get("Content-Type"), want) {
			t.Errorf("%s has the type %q, want %s", name, r.header.Get("Content-Type"), want)
		}
	}
	// Browsers ask for sounds in pieces, and for what they have by its tag.
	whole := p.get("audio/coin.wav")
	part := p.get("audio/coin.wav", "Range", "bytes=0-3")
	if part.status != 206 || part.body != "RIFF" {
		t.Errorf("a piece: %d %q", part.status, part.body)
	}
	if r := p.get("audio/coin.wav", "If-None-Match", whole.header.Get("Etag")); r.status != 304 {
		t.Errorf("asked for again: %d", r.status)
	}
	p.want("api/x", 503, "no_functions")
}
