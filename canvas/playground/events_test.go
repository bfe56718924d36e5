package playground

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"samkit.dev/host/console"
)

// A source reads server-sent events as a browser does.
type source struct {
	t      *testing.T
	cancel context.CancelFunc
	lines  chan string
}

// listen opens the stream of a project and checks that it is one.
func (s *site) listen(project, after string) *source {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	req := s.request("GET", "api/events?project="+project, nil).WithContext(ctx)
	if after != "" {
		req.Header.Set("Last-Event-ID", after)
	}
	resp, err := s.srv.Client().Do(req)
	if err != nil {
		cancel()
		s.t.Fatal(err)
	}
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
		body, _ := io.ReadAll(resp.Body)
		cancel()
		s.t.Fatalf("status %d: %s", resp.StatusCode, body)
	}
	src := &source{s.t, cancel, make(chan string, 1000)}
	go func() {
		defer close(src.lines)
		defer resp.Body.Close()
		for in := bufio.NewScanner(resp.Body); in.Scan(); {
			src.lines <- in.Text()
		}
	}()
	s.t.Cleanup(cancel)
	return src
}

// next returns the next event, which must be of a kind, and decodes its data into v unless that is nil.
func (src *source) next(kind string, v any) (id string) {
	src.t.Helper()
	var got string
	for {
		line := src.line()
		field, value, _ := strings.Cut(line, ": ")
		switch field {
		case "id":
			id = value
		case "event":
			got = value
		case "data":
			if got == "audit" && kind != got { // told whenever the audit comes to it
				continue
			}
			if got != kind {
				src.t.Fatalf("event %s %s, want %s", got, value, kind)
			}
			if v == nil {
				return id
			}
			if err := json.Unmarshal([]byte(value), v); err != nil {
				src.t.Fatal(err)
			}
			return id
		}
	}
}

func (src *source) line() string {
	src.t.Helper()
	select {
	case line, ok := <-src.lines:
		if !ok {
			src.t.Fatal("the stream ended")
		}
		return line
	case <-time.After(5 * time.Second):
		src.t.Fatal("the stream is silent")
	}
	return ""
}

func TestEvents(t *testing.T) {
	s := newSite(t)
	s.create("p", "blank")
	src := s.listen("p", "")
	var ready readyEvent
	src.next("ready", &ready)
	if !ready.Missed {
		t.Error("a new page believes to have seen everything")
	}
	s.ask("PUT", file("p", "a.js"), writeRequest{"1", ""}, 200, nil)
	var files filesEvent
	last := src.next("files", &files)
	if len(files.Files) != 1 || files.Files[0].Name != "a.js" {
		t.Errorf("files %+v", files)
	}
	src.cancel()

	other := s.listen("p", last)
	other.next("ready", &ready)
	s.ask("PUT", file("p", "b.js"), writeRequest{"1", ""}, 200, nil)
	other.next("files", &files) // it is known before the console has something
	bench, err := s.group.Bench(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	buf, err := bench.Console(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	buf.Add(console.Entry{Text: "line\nbreak"})

	src = s.listen("p", last)
	src.next("ready", &ready)
	if ready.Missed {
		t.Error("a page that comes back is told to read everything")
	}
	src.next("files", &files)
	if len(files.Files) != 1 || files.Files[0].Name != "b.js" {
		t.Errorf("files %+v", files)
	}
	var lines consoleEvent
	src.next("console", &lines)
	if len(lines.Entries) != 1 || lines.Entries[0].Text != "line\nbreak" {
		t.Errorf("console %+v", lines)
	}
	s.create("q", "blank")
	src.next("projects", &struct{}{})
}

func TestEventsOfNoProject(t *testing.T) {
	s := newSite(t)
	s.listen("", "").next("ready", &readyEvent{})
	s.ask("GET", "api/events?project=nothere", nil, 404, nil)
	s.ask("GET", "api/events?project=..", nil, 400, nil)
}

func TestEventsEndWithTheGroup(t *testing.T) {
	s := newSite(t)
	src := s.listen("", "")
	src.next("ready", &readyEvent{})
	if err := s.group.Close(); err != nil {
		t.Fatal(err)
	}
	for {
		select {
		case _, ok := <-src.lines:
			if !ok {
				s.ask("GET", "api/projects", nil, 503, nil)
				return
			}
		case <-time.After(5 * time.Second):
			t.Fatal("the stream goes on")
		}
	}
}

// A silent stream says that it lives, so that proxies keep it and a page that
// went is noticed.
func TestHeartbeat(t *testing.T) {
	s := newSite(t)
	group := s.group
	p := &page{group: group, principal: func(*http.Request) string { return "ada" }, heartbeat: 20 * time.Millisecond}
	s.srv.Config.Handler = p.guard(p.events)
	src := s.listen("", "")
	src.next("ready", &readyEvent{})
	for {
		if strings.HasPrefix(src.line(), ":") {
			return
		}
	}
}

// What hides Flush is named in the answer instead of a stream that never begins.
func TestEventsBehindWhatCannotFlush(t *testing.T) {
	s := newSite(t)
	inner := s.srv.Config.Handler
	s.srv.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner.ServeHTTP(struct{ http.ResponseWriter }{w}, r)
	})
	status, data, _ := s.send(s.request("GET", "api/events", nil))
	if status != 503 || !strings.Contains(string(data), "holds back") {
		t.Errorf("status %d: %s", status, data)
	}
}

// A reader that goes as its stream begins is not answered with an error, after the head of the stream.
func TestReaderGoneAtOnce(t *testing.T) {
	s := newSite(t)
	inner := s.srv.Config.Handler
	w := &goneWriter{ResponseRecorder: httptest.NewRecorder()}
	inner.ServeHTTP(w, s.request("GET", "api/events", nil))
	if w.heads > 1 || w.Code != 200 || w.Body.Len() > 0 {
		t.Errorf("%d heads, status %d: %s", w.heads, w.Code, w.Body)
	}
}

// A goneWriter has sent the head when it finds out that nobody is there.
type goneWriter struct {
	*httptest.ResponseRecorder
	heads int
}

func (w *goneWriter) WriteHeader(status int) {
	w.heads++
	w.ResponseRecorder.WriteHeader(status)
}

func (w *goneWriter) Write([]byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return 0, io.ErrClosedPipe
}

func (w *goneWriter) FlushError() error { return io.ErrClosedPipe }
