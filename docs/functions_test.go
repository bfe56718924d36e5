package docs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"samkit.dev/canvas"
	"samkit.dev/host"
	"samkit.dev/host/console"
	"samkit.dev/host/engine"
	"samkit.dev/internal/appconfig"
	"samkit.dev/sam"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

// An example is files of a project, and what is asked of it.
type example struct {
	heading string
	line    int // of what is asked
	files   sam.Files
	asked   []string
}

var fileLine = regexp.MustCompile("^`([^`]+)`:$")

// examples reads those of a page: blocks of code, which are functions.js or what the line before
// them names, up to a block of text that begins with ">".
func examples(t *testing.T, name string) (all []example) {
	t.Helper()
	e := example{files: sam.Files{}}
	var before string
	lines := strings.Split(page(t, name), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		kind, fence := strings.CutPrefix(line, "```")
		if !fence {
			if title, ok := strings.CutPrefix(line, "## "); ok {
				if len(e.files) > 0 {
					t.Errorf("%s:%d: nothing is asked of the files above", name, i+1)
				}
				e = example{heading: title, files: sam.Files{}}
			}
			if line != "" {
				before = line
			}
			continue
		}
		start := i + 1
		for i++; i < len(lines) && lines[i] != "```"; i++ {
		}
		block := lines[start:min(i, len(lines))]
		if kind == "text" {
			e.line, e.asked = start+1, block
			if len(e.files) == 0 {
				t.Errorf("%s:%d: there is no code for this", name, start)
			}
			all = append(all, e)
			e = example{heading: e.heading, files: sam.Files{}}
			continue
		}
		file := "functions.js"
		if m := fileLine.FindStringSubmatch(before); m != nil {
			file = m[1]
		} else if kind != "js" {
			t.Errorf("%s:%d: a block of %s without the name of its file", name, start, kind)
		}
		before = ""
		e.files[file] = strings.Join(block, "\n")
	}
	if len(e.files) > 0 {
		t.Errorf("%s: nothing is asked of the last files", name)
	}
	return all
}

// Every example of functions.md answers as the page says.
func TestFunctionsExamples(t *testing.T) {
	all := examples(t, "functions.md")
	if len(all) < 10 {
		t.Fatalf("%d examples", len(all))
	}
	e, err := engine.New(&engine.Options{Limits: engine.Limits{CPU: 2 * time.Second, Memory: 256 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	for _, ex := range all {
		t.Run(ex.heading, func(t *testing.T) {
			r := newRun(t, e, ex.files)
			got := r.all(ex.asked)
			for i := range max(len(got), len(ex.asked)) {
				var a, b string
				if i < len(ex.asked) {
					a = ex.asked[i]
				}
				if i < len(got) {
					b = got[i]
				}
				if a != b {
					t.Fatalf("functions.md:%d: the page says\n\t%s\nbut it is\n\t%s\nin all:\n%s", ex.line+i, a, b, strings.Join(got, "\n"))
				}
			}
		})
	}
}

// A run is an example that is served.
type run struct {
	t    *testing.T
	h    *canvas.Handler
	srv  *httptest.Server
	out  *console.Buffer
	id   sam.ProjectID
	seen uint64 // of out
	conn *websocket.Conn
}

type greeting struct {
	Name string `json:"name"`
}

// addWasm is (module (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add)).
const addWasm = "\x00asm\x01\x00\x00\x00\x01\x07\x01\x60\x02\x7f\x7f\x01\x7f\x03\x02\x01\x00\x07\x07\x01\x03add\x00\x00\x0a\x09\x01\x07\x00\x20\x00\x20\x01\x6a\x0b"

// newRun serves a project with what the page says that the program gives.
func newRun(t *testing.T, e *engine.Engine, files sam.Files) *run {
	t.Helper()
	ctx := t.Context()
	rates := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, `{"EUR":0.92}`) }))
	t.Cleanup(rates.Close)
	caps := host.New()
	host.Register(caps.Define("greeter", 1), "hello", "Greets someone by name.", func(_ context.Context, in greeting) (string, error) {
		return "hello, " + in.Name, nil
	})
	ws := sam.NewWorkspace(sam.NewMemStore(), "docs", &sam.Options{SecretKey: func(context.Context) ([]byte, error) { return make([]byte, 32), nil }})
	files["add.wasm"] = addWasm
	app, err := ws.Create(ctx, "example", files)
	if err != nil {
		t.Fatal(err)
	}
	if err := app.Secrets().Set(ctx, "API_KEY", "k-123"); err != nil {
		t.Fatal(err)
	}
	r := &run{t: t, out: console.NewBuffer(0), id: app.ID()}
	r.h, err = canvas.New(canvas.App{
		Project: app, Host: caps, Console: r.out, Vars: map[string]string{"RATES": rates.URL}, Fetch: []string{rates.Listener.Addr().String()},
	}, &canvas.Options{Engine: e, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.h.Close() })
	mux := http.NewServeMux()
	canvas.Mount(mux, "/app/", r.h)
	r.srv = httptest.NewServer(mux)
	t.Cleanup(r.srv.Close)
	return r
}

// all asks what an example asks, and returns that with the answers.
func (r *run) all(asked []string) (got []string) {
	for _, line := range asked {
		ask, ok := strings.CutPrefix(line, "> ")
		if !ok {
			continue // an answer
		}
		got = append(got, line)
		verb, rest, _ := strings.Cut(ask, " ")
		answer := ""
		switch verb {
		case "console":
			answer = r.console()
		case "cron":
			answer = r.cron(rest)
		case "open":
			answer = r.open(rest)
		case "send":
			answer = r.send(rest)
		default:
			answer = r.request(verb, rest)
		}
		if answer != "" {
			got = append(got, strings.Split(answer, "\n")...)
		}
	}
	if r.conn != nil {
		r.conn.CloseNow()
	}
	return got
}

var newIDs = regexp.MustCompile(`"id":"[^"]*"|exception \([^)]*\)`)

// settled replaces what differs from run to run.
func settled(s string) string {
	return newIDs.ReplaceAllStringFunc(s, func(m string) string {
		if strings.HasPrefix(m, "exception") {
			return "exception (…)"
		}
		return `"id":"…"`
	})
}

func (r *run) request(method, rest string) string {
	target, body, _ := strings.Cut(rest, " ")
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.srv.URL+"/app"+target, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Sec-Fetch-Dest", "empty") // asked for by a script, HTML is passed on as it is
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err.Error()
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err.Error()
	}
	if len(text) == 0 {
		return fmt.Sprint(res.StatusCode)
	}
	return settled(fmt.Sprintf("%d %s", res.StatusCode, strings.TrimSuffix(string(text), "\n")))
}

// console returns the new entries, with the line where each was made.
func (r *run) console() string {
	var lines []string
	for e := range r.out.Since(r.seen) {
		r.seen = e.Seq
		file, place, _ := strings.Cut(e.Source, ":")
		line, _, _ := strings.Cut(place, ":")
		lines = append(lines, settled(fmt.Sprintf("%s %s:%s: %s", e.Level, file, line, e.Text)))
	}
	return strings.Join(lines, "\n")
}

func (r *run) cron(minute string) string {
	at, err := time.Parse(time.RFC3339, minute)
	if err != nil {
		return err.Error()
	}
	if err := r.h.RunCrons(r.t.Context(), canvas.Visitor{}, r.id, at); err != nil {
		return err.Error()
	}
	return ""
}

func (r *run) open(target string) string {
	conn, _, err := websocket.Dial(r.t.Context(), "ws"+strings.TrimPrefix(r.srv.URL, "http")+"/app"+target, nil)
	if err != nil {
		return err.Error()
	}
	r.conn = conn
	return ""
}

func (r *run) send(text string) string {
	if r.conn == nil {
		return "no WebSocket is open"
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), 30*time.Second)
	defer cancel()
	if err := r.conn.Write(ctx, websocket.MessageText, []byte(text)); err != nil {
		return err.Error()
	}
	_, data, err := r.conn.Read(ctx)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

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
