package canvas

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"samkit.dev/sam"
)

// A tail reads an event stream.
type tail struct {
	t      *testing.T
	events chan string // "kind data"
	close  func()
}

func listen(t *testing.T, url string, header ...string) *tail {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("GET %s: %d %v", url, res.StatusCode, res.Header)
	}
	e := &tail{t: t, events: make(chan string, 100), close: cancel}
	go func() {
		defer res.Body.Close()
		defer close(e.events)
		kind := ""
		for sc := bufio.NewScanner(res.Body); sc.Scan(); {
			name, value, _ := strings.Cut(sc.Text(), ": ")
			switch name {
			case "event":
				kind = value
			case "data":
				e.events <- kind + " " + value
			}
		}
	}()
	t.Cleanup(cancel)
	return e
}

func (e *tail) want(want string) {
	e.t.Helper()
	select {
	case got, ok := <-e.events:
		if !ok {
			got = "the end"
		}
		if !strings.HasPrefix(got, want) {
			e.t.Errorf("event %q, want %q", got, want)
		}
	case <-time.After(5 * time.Second):
		e.t.Errorf("no event, want %q", want)
	}
}

func TestEvents(t *testing.T) {
	r := newRig(t, demo, nil, nil)
	srv := httptest.NewServer(r.mux)
	defer srv.Close()
	write := func(name, text string) {
		t.Helper()
		if err := r.project.WriteFile(t.Context(), name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	e := listen(t, srv.URL+"/p/~events")
	e.want("seen")
	took := time.Hour
	for try := range 5 { // a busy machine may be late once
		start := time.Now()
		write("index.html", fmt.Sprint("<p>", try))
		e.want("reload")
		took = min(took, time.Since(start))
	}
	if took > time.Second {
		t.Errorf("a change reached the page after %v", took)
	}
	write("style.css", "a{}")
	e.want(`css ["style.css"]`)
	write("scripts/note.md", "y") // nothing that a page shows
	e.want("seen")
	write("functions.js", "export default { fetch() { return 1 } }")
	e.want("reload")
	if err := r.project.Apply(t.Context(), sam.Edit{Name: "style.css", Data: []byte("b{}"), IfHash: "*"}, sam.Edit{Name: "app.js", Data: []byte("1"), IfHash: "*"}); err != nil {
		t.Fatal(err)
	}
	e.want("reload")
	r.Reload("app")
	e.want("reload")
	r.Reload("other")
	r.get("/p/bad.ts")
	e.want(`fail [{"file":"bad.ts","line":2`)

	// A page that loaded before the last change learns of it at once.
	body := r.get("/p/index.html").Body.String()
	_, v, _ := strings.Cut(body, `data-v="`)
	v, _, _ = strings.Cut(v, `"`)
	fresh := listen(t, srv.URL+"/p/~events?v="+v)
	fresh.want("seen")
	fresh.want("fail") // and of what did not build
	old := listen(t, srv.URL+"/p/~events", "Last-Event-ID", "0123456789abcdef")
	old.want("reload")

	done := make(chan error)
	go func() { done <- r.Close() }()
	e.want("the end")
	fresh.want("the end")
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("Close does not return")
	}
}

// Nobody watches a project without open pages.
func TestWatchEndsWithTheLastPage(t *testing.T) {
	r := newRig(t, demo, nil, nil)
	srv := httptest.NewServer(r.mux)
	defer srv.Close()
	hub := &r.site0().hub
	for range 3 {
		e := listen(t, srv.URL+"/p/~events")
		e.want("seen")
		e.close()
		for range 500 {
			if hub.empty() {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		hub.mu.Lock()
		if hub.stop != nil || len(hub.listeners) > 0 {
			t.Fatal("still watching")
		}
		hub.mu.Unlock()
	}
}

func TestRevokeEndsStreams(t *testing.T) {
	r := newRig(t, demo, nil, &Options{Auth: login, Principal: principal})
	srv := httptest.NewServer(r.mux)
	defer srv.Close()
	at := follow(t, "/p/", r.get("/p/", as("ann", page...)...))
	e := listen(t, srv.URL+at+"~events")
	e.want("seen")
	r.Revoke("bob")
	r.Revoke("ann")
	e.want("the end")
}

func TestSlowPageIsCutOff(t *testing.T) {
	var b hub
	l := b.join(func() func() { return func() {} })
	for range 100 {
		b.send(event{kind: "reload"})
	}
	select {
	case <-l.gone:
	default:
		t.Error("a page that reads nothing is kept")
	}
	b.leave(l)
}

func TestConsoleLog(t *testing.T) {
	r := newRig(t, demo, nil, nil)
	code := r.get("/p/main.tsx").Body.String()
	line := 1 + strings.Count(code[:strings.Index(code, "export const x")], "\n")
	report := func(entries ...map[string]any) string {
		b, err := json.Marshal(map[string]any{"page": "p", "path": "index.html", "entries": entries})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	w := r.do("POST", "/p/~log", report(
		map[string]any{"level": "error", "text": "Uncaught TypeError: x\x1b[31m at ~1.aaa.bbb", "source": fmt.Sprintf("main.tsx:%d:14", line),
			"stack": fmt.Sprintf("TypeError: x\n    at f (main.tsx:%d:14)\n    at app.js:1:1\nf@main.tsx?v=1:%d:14", line, line)},
		map[string]any{"level": "debug", "text": "fine"},
	), "Content-Type", "text/plain;charset=UTF-8", "Origin", "null")
	expect(t, w, 204)
	var got []string
	for e := range r.console.Since(0) {
		got = append(got, fmt.Sprintf("%s|%s|%s|%s|%s|%s", e.Level, e.Origin, e.Source, e.Text, e.Stack, e.Request))
	}
	want := []string{
		"ERROR|page|main.tsx:3:14|Uncaught TypeError: x\uFFFD[31m at ~|TypeError: x\n    at f (main.tsx:3:14)\n    at app.js:1:1\nf@main.tsx:3:14|/index.html",
		"DEBUG|page||fine||/index.html",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	for body, status := range map[string]int{"": 400, "[": 400, "null": 204, strings.Repeat("x", maxLogBody+1): 413} {
		if w := r.do("POST", "/p/~log", body); w.Code != status {
			t.Errorf("report of %d bytes: %d, want %d", len(body), w.Code, status)
		}
	}
	expect(t, r.get("/p/~log"), 405)
}

func TestConsoleLogIsBounded(t *testing.T) {
	r := newRig(t, demo, nil, nil)
	entries := strings.Repeat(`{"level":"log","text":"x"},`, 450) + `{}`
	for range 20 {
		r.do("POST", "/p/~log", `{"entries":[`+entries+`]}`)
	}
	if _, last := r.console.Range(); last > meterEntries+1 {
		t.Errorf("%d entries passed", last)
	}
}
