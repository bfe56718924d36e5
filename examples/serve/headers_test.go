package main

import "testing"

// TestCookies proves that a trusted app has cookies, and that another one's developer
// is told how to get them.
func TestCookies(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "wrangler.toml", "main = 'w.js'",
		"w.js", `export default { fetch: r => fetch("https://gone.example").catch(() => new Response(r.headers.get("Cookie") + " " + r.headers.get("Authorization"), { headers: { "Set-Cookie": "a=1" } })) }`)
	p := start(t, dir)
	if r := p.get("", "Cookie", "a=1", "Authorization", "Bearer x"); r.body != "null Bearer x" || r.header.Get("Set-Cookie") != "" {
		t.Errorf("%q %v", r.body, r.header)
	}
	p.says("serve: -origin trusted gives the app cookies")
	p.says("serve: -fetch HOST lets functions.js fetch")
	p = start(t, "-origin", "trusted", dir)
	if r := p.get("", "Cookie", "a=1", "Authorization", "Bearer x"); r.body != "a=1 Bearer x" || r.header.Get("Set-Cookie") != "a=1" {
		t.Errorf("%q %v", r.body, r.header)
	}
}
