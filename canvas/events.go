package canvas

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"
	"time"

	"samkit.dev/sam"
)

const (
	heartbeat    = 15 * time.Second
	writeTimeout = 30 * time.Second // of one event
	quiet        = 12 * time.Millisecond
	maxQuiet     = 80 * time.Millisecond
)

// events streams to a page what it has to know: that files changed, and that
// some do not build.
func (v *visit) events() {
	if v.r.Method != http.MethodGet {
		v.methodNotAllowed("GET")
		return
	}
	if cause := hidesFlush(v.w); cause != "" {
		v.unflushable(cause)
		return
	}
	if !v.join() {
		return
	}
	l := v.site.hub.join(v.site.watch)
	if l == nil {
		v.w.Header().Set("Retry-After", "10")
		v.fail(http.StatusServiceUnavailable, failure{Code: "exhausted", Message: "Too many pages of this app are open."})
		return
	}
	defer v.site.hub.leave(l)
	s := &stream{w: v.w, rc: http.NewResponseController(v.w)}
	h := v.begin()
	h["Content-Type"] = []string{"text/event-stream"}
	h["Cache-Control"] = []string{"no-store, no-transform"}
	h["X-Accel-Buffering"] = []string{"no"}
	v.w.WriteHeader(http.StatusOK)
	if s.write("retry: 500\n\n") && v.greet(s) {
		v.follow(s, l)
	}
}

// greet tells a page what it missed while it loaded or was cut off.
func (v *visit) greet(s *stream) bool {
	gen, err := v.generation()
	if err != nil {
		return false
	}
	seen := v.r.Header.Get("Last-Event-ID")
	if seen == "" {
		seen = v.r.URL.Query().Get("v")
	}
	if seen != "" && seen != gen.id {
		return s.event(event{kind: "reload", id: gen.id})
	}
	if !s.event(event{kind: "seen", id: gen.id}) {
		return false
	}
	if failed := gen.failures(); len(failed) > 0 {
		return s.event(failEvent(failed))
	}
	return true
}

// follow passes events on until either side ends the stream. Rights are looked
// at again with every heartbeat.
func (v *visit) follow(s *stream, l *listener) {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	reload := v.app.Reload
	var revoked <-chan struct{}
	if v.life != nil {
		revoked = v.life.Done()
	}
	for {
		select {
		case <-reload:
			if !s.event(event{kind: "reload"}) {
				return
			}
			reload = nil // the page comes back with another stream
		case e := <-l.events:
			if e.of != v.app.Snapshot && !e.all() {
				continue
			}
			if !s.event(e) {
				return
			}
		case <-tick.C:
			if !v.stillAllowed() || !s.write(": still here\n\n") {
				return
			}
		case <-l.gone:
			return
		case <-revoked:
			return
		case <-v.app.Done:
			return
		case <-v.r.Context().Done():
			return
		case <-v.h.done.Done():
			return
		}
	}
}

func (v *visit) stillAllowed() bool {
	if v.loc.token != "" {
		if _, err := v.h.sealer.open(v.loc.token, time.Now()); err != nil {
			return false
		}
	}
	app, err := v.h.find(v.ctx(), v.who, sam.ProjectID(v.loc.project))
	return err == nil && app != nil && app.Session == v.app.Session && role(app) == role(v.app) && app.Snapshot == v.app.Snapshot
}

// A stream writes server-sent events.
type stream struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

func (s *stream) event(e event) bool {
	text := ""
	if e.id != "" {
		text = "id: " + e.id + "\n"
	}
	data := e.data
	if data == "" {
		data = "null"
	}
	return s.write(text + "event: " + e.kind + "\ndata: " + data + "\n\n")
}

// write sends text now. A server's WriteTimeout is for whole responses, so
// every write gets a time of its own, where the connection has one.
func (s *stream) write(text string) bool {
	s.rc.SetWriteDeadline(time.Now().Add(writeTimeout))
	if _, err := s.w.Write([]byte(text)); err != nil {
		return false
	}
	return s.rc.Flush() == nil
}

func failEvent(failed []Diagnostic) event {
	return event{kind: "fail", data: string(failJSON(failed))}
}

// failJSON is the form in which the page's script takes build errors.
func failJSON(failed []Diagnostic) []byte {
	type told struct {
		File     string `json:"file"`
		Line     int    `json:"line"`
		Column   int    `json:"column"`
		Text     string `json:"text"`
		LineText string `json:"lineText,omitempty"`
	}
	out := make([]told, len(failed))
	for i, d := range failed {
		out[i] = told(d)
	}
	b, _ := json.Marshal(out) // strings and numbers always encode
	return b
}

// watch follows the project until stopped and tells the pages of changes.
func (s *site) watch() (stop func()) {
	ctx, cancel := context.WithCancel(s.h.done)
	if !s.h.enter() {
		return cancel
	}
	changes := s.project.Watch(ctx) // from here on nothing is missed
	names := make(chan string)
	go func() {
		defer close(names)
		for f, err := range changes {
			if err != nil {
				return
			}
			select {
			case names <- f.Name:
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() {
		defer s.h.active.Done()
		s.announce(ctx, names)
		cancel()
		for range names { // the other goroutine ends before this one
		}
	}()
	return cancel
}

// announce gathers changes that follow each other closely, and tells of them.
func (s *site) announce(ctx context.Context, names <-chan string) {
	for first := range names {
		changed := []string{first}
		end := time.After(maxQuiet)
	gather:
		for {
			select {
			case name, ok := <-names:
				if !ok {
					break gather
				}
				changed = append(changed, name)
			case <-time.After(quiet):
				break gather
			case <-end:
				break gather
			}
		}
		gen, err := s.generation(ctx)
		if err != nil {
			if ctx.Err() == nil { // the project is gone: let pages find out
				s.hub.send(event{kind: "reload"})
			}
			return
		}
		s.hub.send(gen.news(changed))
	}
}

// news is the event that tells pages of changed files.
func (g *generation) news(changed []string) event {
	kind := "seen" // nothing that a page would show
	var sheets []string
	for _, name := range changed {
		served, ok := g.served(name)
		switch {
		case g.changesPages(name):
			kind = "reload"
		case !ok || hidden(served):
		case strings.EqualFold(path.Ext(name), ".css"):
			sheets = append(sheets, served)
		default:
			kind = "reload"
		}
	}
	e := event{kind: kind, id: g.id}
	if kind == "seen" && len(sheets) > 0 {
		data, _ := json.Marshal(sheets) // strings always encode
		e.kind, e.data = "css", string(data)
	}
	return e
}

// hidesFlush names the wrapper that keeps a response from being sent bit by
// bit, or returns "".
func hidesFlush(w http.ResponseWriter) string {
	for {
		switch t := w.(type) {
		case interface{ FlushError() error }, http.Flusher:
			return ""
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return fmt.Sprintf("%T", w)
		}
	}
}

// unflushable says why there can be no stream.
func (v *visit) unflushable(cause string) {
	v.h.log.Error("canvas: a middleware hides Flush, so that nothing can be streamed", "writer", cause)
	v.fail(http.StatusNotImplemented, failure{
		Code:    "not_implemented",
		Message: "Streaming is not possible here: a middleware's http.ResponseWriter (" + cause + ") has neither Flush nor Unwrap.",
		Hint:    "Leave middleware such as http.TimeoutHandler off this handler, or give its writer an Unwrap method.",
	})
}

func (v *visit) methodNotAllowed(allow string) {
	v.w.Header()["Allow"] = []string{allow}
	v.fail(http.StatusMethodNotAllowed, failure{Code: "invalid", Message: "This address answers to " + allow + " only."})
}
