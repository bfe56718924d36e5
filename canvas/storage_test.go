package canvas

import (
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"
	"sync"
	"testing"

	"samkit.dev/sam"
)

var storing = sam.Files{
	"sam.json": `{"localStorage": "server"}`, "index.html": "<!doctype html><head><title>x</title><h1>stored</h1>", "app.js": "1",
	"functions.js": "export default {}",
}

var dataStorage = regexp.MustCompile(`<script data-storage="([^"]*)" src=`)

// inlined is what a page's script finds at hand.
func inlined(t *testing.T, page string) string {
	t.Helper()
	m := dataStorage.FindStringSubmatch(page)
	if m == nil {
		return ""
	}
	var s stored
	if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), &s); err != nil || s.Max != maxStorage {
		t.Fatalf("%v: %s", err, m[1])
	}
	return fmt.Sprint(s.Items)
}

func TestStorageOnServer(t *testing.T) {
	r := newRig(t, storing, answers(200, []string{"content-type", "text/html"}, "<p>made"), &Options{Auth: login, Principal: principal})
	root := func(who string) string { return "/p/" + r.Path(Visitor{Principal: who}, "") }
	page := append([]string{}, page...)
	ann, bob := root("ann"), root("bob")
	if got := inlined(t, r.get(ann, page...).Body.String()); got != "[]" {
		t.Errorf("at first it holds %s", got)
	}
	change := func(at, body string, status int) {
		t.Helper()
		if w := r.do("POST", at+"~storage", body, "Origin", "null", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty"); w.Code != status {
			t.Errorf("%.100s: %d %.200s", body, w.Code, w.Body)
		}
	}
	change(ann, `{"items":[["a","1"],["</script>","\"<b>&quot;"],["__proto__","x"]]}`, 204)
	change(ann, `{"items":[["a","2"],["gone","1"],["gone",null]]}`, 204)
	const want = `[[a 2] [</script> "<b>&quot;] [__proto__ x]]`
	for _, p := range []string{"", "api/page", "none/../"} {
		if strings.Contains(p, "..") {
			continue
		}
		w := r.get(ann+p, page...)
		if got := inlined(t, w.Body.String()); got != want {
			t.Errorf("%s holds %s", p, got)
		}
	}
	w := r.get(ann, page...)
	if w.Header().Get("Cache-Control") != "private, no-cache" {
		t.Errorf("Cache-Control %q", w.Header().Get("Cache-Control"))
	}
	if w := r.get(ann, append(page, "If-None-Match", w.Header().Get("Etag"))...); w.Code != 304 {
		t.Errorf("unchanged: %d", w.Code)
	}
	if got := inlined(t, r.get(bob, page...).Body.String()); got != "[]" {
		t.Errorf("bob's holds %s", got)
	}
	change(ann, `{"clear":true,"items":[["b","1"]]}`, 204)
	if got := inlined(t, r.get(ann, page...).Body.String()); got != "[[b 1]]" {
		t.Errorf("after clear it holds %s", got)
	}
	// Sizes count as in a browser, and what is too much changes nothing.
	change(ann, `{"items":[["c","`+strings.Repeat("😀", maxStorage/2-1)+`"]]}`, 413)
	change(ann, `{"items":[["c","`+strings.Repeat("x", maxStorageBody)+`"]]}`, 413)
	for _, bad := range []string{"", "x", "[]", `{"items":[["a"],["b",2]]}`} {
		change(ann, bad, 400)
	}
	if got := inlined(t, r.get(ann, page...).Body.String()); got != "[[b 1]]" {
		t.Errorf("after failures it holds %s", got)
	}
	change(ann, `{"items":[[null,"x"],["d",null]]}`, 204)
	// The program's own pages may not write it, and nobody reads it but in a page.
	if w := r.do("POST", ann+"~storage", `{"items":[["e","1"]]}`, "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Dest", "empty"); w.Code != 403 {
		t.Errorf("from the program's page: %d", w.Code)
	}
	if w := r.get(ann+"~storage", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Dest", "empty", "Sec-Fetch-Mode", "cors"); w.Code != 405 {
		t.Errorf("read: %d", w.Code)
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() { change(bob, fmt.Sprintf(`{"items":[["%d","1"]]}`, i), 204) })
	}
	wg.Wait()
	if got := inlined(t, r.get(bob, page...).Body.String()); strings.Count(got, " 1]") != 20 {
		t.Errorf("of 20 tabs' changes %s are left", got)
	}
}

// Without a person, and without asking for it, nothing is kept.
func TestStorageNeedsSomebody(t *testing.T) {
	r := newRig(t, storing, nil, &Options{Principal: principal})
	if got := inlined(t, r.get("/p/", page...).Body.String()); got != "" {
		t.Errorf("nobody's holds %s", got)
	}
	if w := r.do("POST", "/p/~storage", `{"items":[]}`); w.Code != 404 {
		t.Errorf("nobody's change: %d", w.Code)
	}
	at := "/p/" + r.Path(Visitor{Principal: "ann"}, "")
	if got := inlined(t, r.get(at, page...).Body.String()); got != "[]" { // not the page that nobody got
		t.Errorf("ann's holds %s", got)
	}
	r = newRig(t, storing, nil, nil)
	if got := inlined(t, r.get("/p/", page...).Body.String()); got != "[]" {
		t.Errorf("in a program without people it holds %s", got)
	}
	r = newRig(t, demo, nil, nil)
	if w := r.do("POST", "/p/~storage", `{"items":[]}`); w.Code != 404 {
		t.Errorf("not asked for: %d", w.Code)
	}
}
