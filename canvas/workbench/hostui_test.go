package workbench

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"samkit.dev/host"
)

func TestAgentGoesToAnotherProject(t *testing.T) {
	s, call := withAgent(t, Options{})
	has(t, "another project", call("projects.create", m{"name": "other"}), "other")
	for _, id := range []string{"other", "other", "notes"} { // the second is no news
		has(t, "open", call("projects.open", m{"project": id}), "{}")
	}
	if err := s.Bench.SetWork(t.Context(), "other"); err != nil { // a person goes where they know
		t.Fatal(err)
	}
	said, _ := s.Bench.board.since(0)
	if len(said) != 2 || said[0].Act != SwitchWork || said[0].Agent != "bot" || said[0].Project != "other" || said[1].Project != "notes" {
		t.Errorf("prompts %+v", said)
	}
}

func TestUIOfHost(t *testing.T) {
	s, call := withAgent(t, Options{})
	has(t, "nobody looks", call("ui.message", m{"text": "hello"}), `{"shown":false}`)
	page := follow(t, s.Bench, "notes", "")
	page.next(Ready)
	prompt := func(act Act) Prompt {
		t.Helper()
		p := page.prompt()
		if p.Act != act || p.Agent != "bot" {
			t.Fatalf("prompt %+v, want one to %s", p, act)
		}
		return p
	}
	has(t, "message", call("ui.message", m{"text": "hello", "level": "warn"}), `{"shown":true}`)
	if p := prompt(ShowMessage); p.Text != "hello" || p.Level != "warn" {
		t.Errorf("%+v", p)
	}
	has(t, "open", call("ui.open", m{"path": "a.md", "line": 2}), `{"shown":true}`)
	if p := prompt(OpenFile); p.Project != "notes" || p.Path != "a.md" || p.Line != 2 {
		t.Errorf("%+v", p)
	}
	has(t, "focus", call("ui.focus", m{"panel": "console"}), `{"shown":true}`)
	if p := prompt(FocusPanel); p.Panel != "console" {
		t.Errorf("%+v", p)
	}
	for what, a := range map[string]answer{
		"no such file":  call("ui.open", m{"path": "none"}),
		"no such panel": call("ui.focus", m{"panel": "shell"}),
		"no text":       call("ui.message", m{"text": " "}),
		"a long text":   call("ui.ask", m{"question": strings.Repeat("x", maxPromptLen+1)}),
		"many choices":  call("ui.ask", m{"question": "?", "choices": make([]string, maxChoices+1)}),
		"a level":       call("ui.message", m{"text": "x", "level": "fatal"}),
	} {
		if a.Code != "invalid" && a.Code != "not_found" {
			t.Errorf("%s: %s", what, a)
		}
	}

	answers := make(chan answer, 1)
	ask := func(args m) Prompt {
		t.Helper()
		go func() { answers <- call("ui.ask", args) }()
		return prompt(Ask)
	}
	told := func(want string) {
		t.Helper()
		select {
		case a := <-answers:
			has(t, "ask", a, want)
		case <-time.After(30 * time.Second):
			t.Fatal("ask goes on")
		}
		prompt(Settled)
	}
	q := ask(m{"question": "Delete it?", "choices": []string{"yes", "no"}})
	if open := s.Questions(); len(open) != 1 || open[0].ID != q.ID {
		t.Errorf("questions %+v", open)
	}
	if err := s.Answer(q.ID, "perhaps"); code(err) != host.Invalid {
		t.Errorf("an answer that is no choice: %v", err)
	}
	if err := s.Answer(q.ID, "yes"); err != nil {
		t.Fatal(err)
	}
	told(`{"answered":true,"answer":"yes"}`)
	if err := s.Answer(q.ID, "no"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("answered twice: %v", err)
	}
	ask(m{"question": "Anybody?", "timeoutMs": 1})
	told(`{"answered":false}`)
	if len(s.Questions()) != 0 {
		t.Errorf("questions %+v", s.Questions())
	}
	// Another agent's answer is not this one's.
	q = ask(m{"question": "Still there?"})
	if err := s.SetAgent(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	<-answers
	for end := time.Now().Add(20 * time.Second); len(s.Questions()) > 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if err := s.Answer(q.ID, "yes"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nobody waits: %v", err)
	}
}

func TestQuestionsAndPromptsAreBounded(t *testing.T) {
	b := newBoard()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	for i := range maxQuestions {
		go func() { _, _, err := b.ask(ctx, Prompt{ID: string(rune('a' + i))}, time.Hour); done <- err }()
	}
	for b.newest() < maxQuestions {
		time.Sleep(time.Millisecond)
	}
	if _, _, err := b.ask(ctx, Prompt{ID: "more"}, time.Hour); code(err) != host.Exhausted {
		t.Error(err)
	}
	cancel()
	for range maxQuestions {
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	for range 2 * maxPrompts {
		b.post(Prompt{Act: ShowMessage})
	}
	if all, upto := b.since(0); len(all) != maxPrompts || upto != b.newest() {
		t.Errorf("%d prompts, up to %d", len(all), upto)
	}
}
