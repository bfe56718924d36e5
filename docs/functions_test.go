package docs_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"samkit.dev/canvas"
	"samkit.dev/host"
	"samkit.dev/host/console"
	"samkit.dev/host/engine"
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
