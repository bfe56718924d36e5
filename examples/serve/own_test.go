package main

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// The app has a host of its own below localhost, with cookies.
func TestOwnOrigin(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "index.html", "<h1>x</h1>", "functions.js", `export default { fetch: (r) => new Response(r.headers.get("cookie"), { headers: { "set-cookie": "a=1" } }) }`)
	p := start(t, "-origin", "own", "-prefix", "/p/", "-isolation=process", dir)
	home, err := url.Parse(p.url)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(host, path, cookie string) (*http.Response, string) {
		t.Helper()
		req, err := http.NewRequest("GET", "http://127.0.0.1:"+home.Port()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		req.Header.Set("Cookie", cookie)
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp, string(body)
	}
	resp, _ := ask(home.Host, "/p/", "")
	own, err := url.Parse(resp.Header.Get("Location"))
	if err != nil || resp.StatusCode != 302 || !strings.HasSuffix(own.Hostname(), ".localhost") || own.Port() != home.Port() || own.Path != "/" {
		t.Fatalf("%s leads to %s: %d %v", p.url, own, resp.StatusCode, err)
	}
	if _, body := ask(own.Host, "/", ""); !strings.Contains(body, "<h1>x</h1>") {
		t.Errorf("the page is %q", body)
	}
	if resp, body := ask(own.Host, "/api/x", "b=2"); body != "b=2" || resp.Header.Get("Set-Cookie") != "a=1" {
		t.Errorf("functions.js gets %q and sets %q", body, resp.Header["Set-Cookie"])
	}
	if resp, _ := ask("127.0.0.1:"+home.Port(), "/p/", ""); resp.StatusCode != 421 {
		t.Errorf("another name of the machine: %d", resp.StatusCode)
	}
}
