package main

import (
	"bufio"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const counter = `export default {
	async fetch(request, env) {
		const n = Number(await env.KV.get("n") ?? 0) + 1
		await env.KV.put("n", String(n))
		return new Response("count " + n + " " + (env.TOKEN ?? "no token"))
	},
}`

func TestFollowsTheFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "index.html", "<h1>one</h1>", "old.txt", "old", "functions.js", counter)
	p := start(t, "-dev", dir)
	p.want("", 200, "<h1>one</h1>")
	p.want("api/", 200, "count 1 no token")

	events := p.events(t)
	began := time.Now()
	write(t, dir, "index.html", "<h1>two</h1>")
	waitFor(t, events, "reload")
	t.Logf("a page was told to load again after %v", time.Since(began))
	p.want("", 200, "<h1>two</h1>")

	write(t, dir, "sub/new.txt", "new", "functions.js", "export default { fetch: () => new Response('changed') }")
	p.becomes("api/", 200, "changed")
	p.becomes("sub/new.txt", 200, "new")
	if err := os.Remove(filepath.Join(dir, "old.txt")); err != nil {
		t.Fatal(err)
	}
	p.becomes("old.txt", 404, "")
	// As editors do it: a new file takes the old one's place.
	write(t, dir, "index.tmp", "<h1>three</h1>")
	if err := os.Rename(filepath.Join(dir, "index.tmp"), filepath.Join(dir, "index.html")); err != nil {
		t.Fatal(err)
	}
	p.becomes("", 200, "<h1>three</h1>")
	// A file in the place of a folder.
	if err := os.RemoveAll(filepath.Join(dir, "sub")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "sub", "a file now")
	p.becomes("sub", 200, "a file now")
	// Source that is wrong is said so, and mended.
	write(t, dir, "functions.js", "export default {")
	p.becomes("api/", 500, "functions.js")
	p.says("functions.js:1:17")
	write(t, dir, "functions.js", counter)
	p.becomes("api/", 200, "count 2")
}

// Programs that build remove the folder first.
func TestFollowsAFolderThatIsMadeAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dist")
	write(t, dir, "index.html", "<h1>one</h1>")
	p := start(t, dir)
	p.want("", 200, "<h1>one</h1>")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	p.says("stays as it was")
	p.want("", 200, "<h1>one</h1>")
	write(t, dir, "index.html", "<h1>two</h1>")
	p.becomes("", 200, "<h1>two</h1>")
}

// events opens the stream that the page's script listens to.
func (p *program) events(t *testing.T) *bufio.Scanner {
	t.Helper()
	page := p.get("", "Sec-Fetch-Dest", "document", "Sec-Fetch-Mode", "navigate")
	src := regexp.MustCompile(`<script[^>]*src="([^"]*~[^"]*)"`).FindStringSubmatch(page.body)
	if src == nil {
		t.Fatalf("no script in %s", page.body)
	}
	resp, err := http.Get(p.url + "~events")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode != 200 {
		t.Fatal(resp.Status)
	}
	return bufio.NewScanner(resp.Body)
}

func waitFor(t *testing.T, events *bufio.Scanner, text string) {
	t.Helper()
	for events.Scan() {
		if strings.Contains(events.Text(), text) {
			return
		}
	}
	t.Fatalf("the stream ended: %v", events.Err())
}

func TestDataIsKept(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data") // in the folder itself, and yet no part of the app
	write(t, dir, "functions.js", counter)
	p := start(t, "-data", data, "-secret", "TOKEN=xyz", dir)
	p.want("api/", 200, "count 1 xyz")
	p.want("data/secret.key", 404, "")
	if err := os.WriteFile(filepath.Join(data, "x.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.want("data/x.txt", 404, "")
	p.stop()

	p = start(t, "-data", data, dir)
	p.want("api/", 200, "count 2 xyz")
	if said := fails(t, "-addr", "127.0.0.1:0", "-data", data, dir); !strings.Contains(said, "store.bolt") {
		t.Errorf("of two programs on the same data the second says %q", said)
	}
}

func TestAnInterruptEndsOpenStreams(t *testing.T) {
	p := start(t, "testdata/game")
	events := p.events(t)
	p.stop()
	for events.Scan() {
	}
}

func TestWhatTheAppPrintsGoesToStandardError(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "functions.js", `export default { fetch() { console.log("\x1b[31mred\x1b[0m \x07bell"); return new Response("ok") } }`)
	p := start(t, dir)
	p.want("api/", 200, "ok")
	p.says("red \uFFFDbell")
}

func TestArgumentsThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "app.sam", "PK", "file.txt", "x")
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "name the folder"},
		{[]string{dir, "-dev"}, "flags go before it"},
		{[]string{filepath.Join(dir, "missing")}, "missing"},
		{[]string{filepath.Join(dir, "file.txt")}, "is no folder"},
		{[]string{filepath.Join(dir, "app.sam")}, "is a package: serving one without unpacking it is not supported yet"},
		{[]string{"-isolation", "none", dir}, "sandboxed"},
		{[]string{"-origin", "none", dir}, "it is opaque, own or trusted"},
		{[]string{"-secret", "x", dir}, "NAME=VALUE"},
		{[]string{"-secret", "a-b=x", dir}, "a-b"},
		{[]string{"-var", "=x", dir}, "-var"},
		{[]string{"-addr", "localhost:0", "-isolation=process", "-fetch", "http://x.test/path", dir}, "App.Fetch"},
		{[]string{"-prefix", "p", dir}, "is no path such as /p/"},
		{[]string{"-prefix", "/a/../b/", dir}, "is no path such as /p/"},
		{[]string{"-prefix", "/{x}/", dir}, "is no path such as /p/"},
		{[]string{"-addr", "nowhere:x", dir}, "listen"},
		{[]string{"-data", dir, dir}, "-data as well"},
		{[]string{"-data", filepath.Join(dir, "file.txt"), dir}, "file.txt"},
	} {
		if said := fails(t, test.args...); !strings.Contains(said, test.want) {
			t.Errorf("%q: it says %q, not %q", test.args, said, test.want)
		}
	}
}

func TestEveryIsolation(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "functions.js", counter)
	for _, isolation := range []string{"process", "inprocess"} { // sandboxed is what the other tests have, where there is such
		p := start(t, "-isolation", isolation, dir)
		p.want("api/", 200, "count 1 no token")
		p.stop()
	}
}

func TestOrigins(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "index.html", "<h1>x</h1>")
	for origin, sandboxed := range map[string]bool{"opaque": true, "trusted": false} {
		p := start(t, "-origin", origin, dir)
		policy := p.want("", 200, "<h1>x</h1>").header.Get("Content-Security-Policy")
		if strings.Contains(policy, "sandbox") != sandboxed {
			t.Errorf("%s: the policy is %q", origin, policy)
		}
	}
}
