package docs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"samkit.dev/host/engine"
	"samkit.dev/internal/appconfig"
	"samkit.dev/sam"
)

// section returns the part of a page below a heading.
func section(t *testing.T, name, heading string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page(t, name), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("%s has no heading %q", name, heading)
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	return rest
}

var code = regexp.MustCompile("`([^`\n]+)`")

// names returns what stands as code in a text.
func names(text string) (all []string) {
	for _, m := range code.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

// language are the globals of ECMAScript, which the page does not list.
var language = strings.Fields(`AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError Float32Array
	Float64Array Function Infinity Int16Array Int32Array Int8Array Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect
	RegExp Set String Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakSet
	decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt undefined unescape`)

// The Web APIs that the page lists are there, and those that are there are listed.
func TestFunctionsWebAPIs(t *testing.T) {
	listed, text := []string{}, section(t, "functions.md", "Web APIs")
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "|") {
			listed = append(listed, names(line)...)
		}
	}
	words := []string{"error", "unhandledrejection", "rejectionhandled"} // events
	var source strings.Builder
	for _, name := range listed {
		if !slices.Contains(words, name) {
			fmt.Fprintf(&source, "if (typeof %s === 'undefined') missing.push(%q)\n", name, name)
		}
	}
	e, err := engine.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	r := newRun(t, e, sam.Files{"functions.js": "export default { fetch() { const missing = []\n" + source.String() +
		"return Response.json({ missing, all: Object.getOwnPropertyNames(globalThis) }) } }"})
	var got struct{ Missing, All []string }
	answer := r.request("GET", "/api/")
	if err := json.Unmarshal([]byte(strings.TrimPrefix(answer, "200 ")), &got); err != nil {
		t.Fatalf("%v: %s", err, answer)
	}
	for _, name := range got.Missing {
		t.Errorf("functions.md lists %s, which is not there", name)
	}
	heads := map[string]bool{}
	for _, name := range listed {
		head, _, _ := strings.Cut(name, ".")
		heads[head] = true
	}
	for _, name := range got.All {
		if !heads[name] && !slices.Contains(language, name) && !strings.HasPrefix(name, "__") {
			t.Errorf("functions.md does not list the global %s", name)
		}
	}
}

// The modules of Node that the page lists are those that can be imported.
func TestFunctionsNodeModules(t *testing.T) {
	listed := map[string]bool{}
	for _, name := range names(section(t, "functions.md", "Node modules, npm packages, TypeScript, JSX")) {
		if strings.HasPrefix(name, "node:") {
			listed[name] = true
		}
	}
	files, err := os.ReadDir("../internal/bundle/node")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := "node:" + strings.ReplaceAll(strings.TrimSuffix(f.Name(), path.Ext(f.Name())), "timers_", "timers/")
		if !listed[name] {
			t.Errorf("functions.md does not list %s", name)
		}
	}
	var source strings.Builder
	for name := range listed {
		fmt.Fprintf(&source, "import %q\n", name)
	}
	e, err := engine.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	r := newRun(t, e, sam.Files{"functions.js": source.String() + "export default { fetch: () => new Response('ok') }"})
	if got := r.request("GET", "/api/"); got != "200 ok" {
		t.Error(got)
	}
}

// The keys of wrangler files are honoured and ignored as the page says.
func TestFunctionsWranglerKeys(t *testing.T) {
	known := map[string]bool{}
	reader := page(t, "../internal/appconfig/reader.go")
	_, body, _ := strings.Cut(reader, "func known() map[string]handler {")
	body, _, _ = strings.Cut(body, "\n}\n")
	for _, m := range regexp.MustCompile(`(?m)^\t\t"([^"]+)":`).FindAllStringSubmatch(body, -1) {
		known[m[1]] = true
	}
	if len(known) < 10 {
		t.Fatalf("known has %d keys", len(known))
	}
	config, told := map[string]any{}, map[string]bool{} // told: the console says so
	for line := range strings.SplitSeq(section(t, "functions.md", "wrangler files"), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || !strings.HasPrefix(line, "|") {
			continue
		}
		says, silent := strings.Contains(cells[2], "the console says so"), strings.Contains(cells[2], "silently")
		for _, key := range names(cells[1]) {
			switch {
			case says || silent:
				config[key], told[key] = map[string]any{"x": 1}, says
			case !known[key]:
				t.Errorf("functions.md says that %s is understood", key)
			default:
				known[key] = false
			}
		}
	}
	for key, missing := range known {
		if missing {
			t.Errorf("functions.md does not list the key %s", key)
		}
	}
	data, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	ws := sam.NewWorkspace(sam.NewMemStore(), "docs", nil)
	p, err := ws.Create(t.Context(), "keys", sam.Files{"wrangler.json": string(data)})
	if err != nil {
		t.Fatal(err)
	}
	c, err := appconfig.Load(p.FS(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range told {
		if got := slices.ContainsFunc(c.Ignored, func(s string) bool {
			rest, ok := strings.CutPrefix(s, "wrangler.json: "+key)
			return ok && (rest == "" || strings.ContainsAny(rest[:1], ".:"))
		}); got != want {
			t.Errorf("that %s is ignored is told: %v; the page says %v: %q", key, got, want, c.Ignored)
		}
	}
}

// What the pages link to exists.
func TestLinks(t *testing.T) {
	for _, name := range []string{"functions.md", "limits.md"} {
		for _, m := range regexp.MustCompile(`\]\(([^)#]+)`).FindAllStringSubmatch(page(t, name), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(m[1]); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
