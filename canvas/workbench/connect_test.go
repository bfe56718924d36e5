package workbench

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/host"
)

// policy is what a visitor's browser is told of the pages of a project.
func (s *server) policy(t *testing.T, path string) string {
	t.Helper()
	res, err := http.Get(s.http.URL + "/" + path)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	io.Copy(io.Discard, res.Body)
	return res.Header.Get("Content-Security-Policy")
}

func TestConnect(t *testing.T) {
	s, call := withAgent(t, Options{})
	path := s.site.Path(canvas.Visitor{Session: s.Agent().ID}, "bot")
	page := func() string { return s.policy(t, path) }
	page0 := page()
	if page0 == "" || strings.Contains(page0, "api.example.com") {
		t.Fatalf("at first: %s", page0)
	}
	follower := follow(t, s.Bench, "notes", "")
	follower.next(Ready)
	answers := make(chan answer, 1)
	ask := func(origin string) Prompt {
		t.Helper()
		go func() { answers <- call("ui.connect", m{"origin": origin}) }()
		for {
			if p := follower.prompt(); p.Act == Connect {
				return p
			}
		}
	}
	told := func(what, want string) {
		t.Helper()
		select {
		case a := <-answers:
			has(t, what, a, want)
		case <-time.After(30 * time.Second):
			t.Fatal(what + ": the question waits on")
		}
	}

	q := ask("HTTPS://Api.Example.com:443/")
	if q.Origin != "https://api.example.com" || q.Project != "bot" || q.Agent != "bot" || q.Text != "" {
		t.Errorf("%+v", q)
	}
	if err := s.Answer(q.ID, "yes"); code(err) != host.Invalid {
		t.Errorf("an answer that is no choice: %v", err)
	}
	if err := s.Answer(q.ID, denyAnswer); err != nil {
		t.Fatal(err)
	}
	told("denied", `{"allowed":false,"origin":"https://api.example.com"}`)
	if got := page(); got != page0 {
		t.Errorf("after a no: %s", got)
	}
	q = ask("https://api.example.com")
	if err := s.Answer(q.ID, allowAnswer); err != nil {
		t.Fatal(err)
	}
	told("allowed", `{"allowed":true,"origin":"https://api.example.com"}`)
	if got := page(); !strings.Contains(got, "connect-src ") || !strings.Contains(got, " https://api.example.com;") {
		t.Errorf("after a yes: %s", got)
	}
	if got := s.policy(t, "notes/"); strings.Contains(got, "api.example.com") {
		t.Errorf("another project: %s", got)
	}
	has(t, "nobody is asked twice", call("ui.connect", m{"origin": "https://api.example.com"}), `{"allowed":true,"origin":"https://api.example.com"}`)
	has(t, "nobody is there", call("ui.connect", m{"origin": "https://other.example", "timeoutMs": 1}), `{"allowed":false,"origin":"https://other.example"}`)

	// Kept, and replaced as a whole.
	if err := s.Connect(t.Context(), "bot", "https://api.example.com", "http://localhost:11434", "http://localhost:11434"); err != nil {
		t.Fatal(err)
	}
	again := s.again(t)
	if got := again.Connects("bot"); !slices.Equal(got, []string{"https://api.example.com", "http://localhost:11434"}) {
		t.Errorf("after a restart: %q", got)
	}
	reload := s.reloading("bot")
	if err := s.Connect(t.Context(), "bot", "http://localhost:11434"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-reload:
	case <-time.After(10 * time.Second):
		t.Error("pages with a right that was taken stay as they are")
	}
	if got := page(); strings.Contains(got, "api.example.com") || !strings.Contains(got, "http://localhost:11434") {
		t.Errorf("after one was taken: %s", got)
	}
	// A project of the same name begins with none.
	if err := s.Delete(t.Context(), "bot"); err != nil {
		t.Fatal(err)
	}
	s.project(t, "bot", nil)
	if got, kept := s.Connects("bot"), s.again(t).Connects("bot"); len(got)+len(kept) > 0 {
		t.Errorf("a new project has %q, after a restart %q", got, kept)
	}
}

func TestConnectRefuses(t *testing.T) {
	s, call := withAgent(t, Options{})
	ctx := t.Context()
	for _, bad := range []string{
		"", "*", "https://", "https://*.example.com", "api.example.com", "https://example.com/v1", "https://u:p@example.com", "https://example.com?x", "https://example.com?", "https://example.com#x",
		"ftp://example.com", "javascript:alert(1)", "https://example.com; script-src *", "https://example.com https://other.example", "https://exa'mple.com", "data:", "https://" + strings.Repeat("a", 300),
	} {
		if err := s.Connect(ctx, "bot", bad); code(err) != host.Invalid {
			t.Errorf("%q: %v", bad, err)
		}
		if a := call("ui.connect", m{"origin": bad}); a.Code != "invalid" {
			t.Errorf("ui.connect of %q: %s", bad, a)
		}
	}
	if len(s.Questions()) > 0 || len(s.Connects("bot")) > 0 {
		t.Errorf("questions %+v, origins %q", s.Questions(), s.Connects("bot"))
	}
	if err := s.Connect(ctx, "none", "https://example.com"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no project: %v", err)
	}
	var many []string
	for i := range maxConnect + 1 {
		many = append(many, fmt.Sprintf("https://h%d.example", i))
	}
	if err := s.Connect(ctx, "bot", many...); code(err) != host.Exhausted {
		t.Errorf("%d origins: %v", len(many), err)
	}
	if err := s.Connect(ctx, "bot", many[1:]...); err != nil {
		t.Error(err)
	}
	// Whoever agrees means the agent that asked.
	answers := make(chan answer, 1)
	follower := follow(t, s.Bench, "", "")
	follower.next(Ready)
	go func() { answers <- call("ui.connect", m{"origin": "https://example.com"}) }()
	q := follower.prompt()
	if err := s.SetAgent(ctx, ""); err != nil {
		t.Fatal(err)
	}
	s.Answer(q.ID, allowAnswer)
	<-answers
	if slices.Contains(s.Connects("bot"), "https://example.com") {
		t.Error("a former agent's pages may talk to what it asked for")
	}
}
