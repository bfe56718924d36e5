package workbench

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/host"
	"samkit.dev/kv"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// openTool opens the project "tool" on "notes", which has docs/a.md and secret.md, and returns env.TOOL.
func openTool(t *testing.T, f *fixture, g tool.Grant) (Session, host.Caller) {
	t.Helper()
	ctx := t.Context()
	for id, files := range map[sam.ProjectID]sam.Files{"tool": {"index.html": ""}, "notes": {"docs/a.md": "a", "secret.md": "s"}} {
		if _, err := f.Create(ctx, id, files); err != nil {
			t.Fatal(err)
		}
	}
	s, err := f.OpenTool(ctx, "tool", g)
	if err != nil {
		t.Fatal(err)
	}
	return s, toolOf(t, f.Bench, s)
}

func toolOf(t *testing.T, b *Bench, s Session) host.Caller {
	t.Helper()
	app, err := b.App(t.Context(), canvas.Visitor{Session: s.ID}, s.Project)
	if err != nil {
		t.Fatal(err)
	}
	return app.Tool
}

var docs = tool.Grant{Project: "notes", Paths: []string{"docs/**"}, Mode: tool.ReadWrite}

func TestApprovals(t *testing.T) {
	f := open(t)
	g := docs
	g.Confirm = true
	s, caller := openTool(t, f, g)
	page := follow(t, f.Bench, "", "")
	page.next(Ready)
	done := make(chan error, 1)
	write := func() {
		go func() {
			_, err := caller.Call(context.Background(), "files.write", json.RawMessage(`{"path":"docs/b.md","content":"b"}`))
			done <- err
		}()
	}
	waits := func() Approval {
		t.Helper()
		page.next(Trust)
		all := f.Approvals()
		if len(all) != 1 {
			t.Fatalf("%d approvals", len(all))
		}
		return all[0]
	}
	answered := func(want bool) {
		t.Helper()
		select {
		case err := <-done:
			if (err == nil) != want {
				t.Errorf("the call ended with %v", err)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("the call goes on")
		}
		page.next(Trust)
		if all := f.Approvals(); len(all) != 0 {
			t.Errorf("still there: %+v", all)
		}
	}

	write()
	a := waits()
	if a.Session != s.ID || a.Project != "tool" || a.Role != host.Tool || a.Func != "files@1.write" || !strings.Contains(string(a.Args), `"docs/b.md"`) || a.Until.Before(a.Since) {
		t.Errorf("%+v", a)
	}
	if err := f.Decide(a.ID, tool.Answer{}); err != nil {
		t.Fatal(err)
	}
	answered(false)
	if err := f.Decide(a.ID, tool.Answer{Allow: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("decided twice: %v", err)
	}

	write()
	if err := f.Decide(waits().ID, tool.Answer{Allow: true, Scope: tool.Always, By: "ada"}); err != nil {
		t.Fatal(err)
	}
	answered(true)
	write() // remembered
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := f.Activity(s.ID); !slices.Equal(got.Wrote, []string{"docs/b.md"}) || got.Last.Func != "files@1.write" || got.Calls == 0 {
		t.Errorf("activity %+v", got)
	}
	for r, err := range f.Audit(t.Context()) {
		if err != nil || r.Answer != "allowed remembered by ada" {
			t.Errorf("the audit has %+v, %v", r, err)
		}
		break
	}
	if len(f.Denials()) != 0 {
		t.Errorf("what a person refused is a denial: %+v", f.Denials())
	}
}

func TestApprovalsEndWithTheSession(t *testing.T) {
	f := open(t)
	g := docs
	g.Confirm = true
	s, caller := openTool(t, f, g)
	page := follow(t, f.Bench, "", "")
	page.next(Ready)
	done := make(chan error, 1)
	go func() {
		_, err := caller.Call(context.Background(), "files.write", json.RawMessage(`{"path":"docs/b.md","content":"b"}`))
		done <- err
	}()
	page.next(Trust)
	if err := f.CloseTool(t.Context(), s.ID); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil {
		t.Error("a closed tool wrote")
	}
	if all := f.Approvals(); len(all) != 0 {
		t.Errorf("a closed tool asks: %+v", all)
	}
}

func TestUnattendedCallsAreDenied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &Bench{approvals: &approvals{topic: newTopic(), all: map[string]*approval{}}}
		b.ctx, b.stop = context.WithCancel(context.Background())
		defer b.stop()
		began := time.Now()
		a, err := b.consent(t.Context(), tool.Question{})
		if a.Allow || !errors.Is(err, errUnattended) {
			t.Errorf("%+v, %v", a, err)
		}
		if took := time.Since(began); took < unattended || took > unattended+2*time.Second {
			t.Errorf("after %v", took)
		}
		b.readers = 1 // a page is there, and its person is not
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if a, err := b.consent(ctx, tool.Question{}); a.Allow || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%+v, %v", a, err)
		}
	})
}

func TestDenialsAndWiden(t *testing.T) {
	f := open(t)
	g := docs
	g.Mode, g.MaxCalls = tool.Read, 30
	s, caller := openTool(t, f, g)
	call := func(name, args string) error {
		_, err := caller.Call(t.Context(), name, json.RawMessage(args))
		return err
	}
	page := follow(t, f.Bench, "", "")
	page.next(Ready)
	for range 3 {
		if call("files.read", `{"path":"secret.md"}`) == nil {
			t.Fatal("read what was not granted")
		}
	}
	page.next(Trust)
	all := f.Denials()
	if len(all) != 1 || all[0].Count != 3 || all[0].Session != s.ID || all[0].Want.Words() != `Read "secret.md" of the project notes.` {
		t.Fatalf("denials %+v", all)
	}
	if call("files.write", `{"path":"docs/a.md","content":"x"}`) == nil {
		t.Fatal("wrote")
	}
	all = f.Denials()
	if len(all) != 2 || all[0].Want.Words() != `Read and change "docs/a.md" of the project notes.` {
		t.Fatalf("denials %+v", all)
	}
	if err := f.Dismiss(all[0].ID); err != nil || len(f.Denials()) != 1 {
		t.Errorf("dismissed: %v, %+v", err, f.Denials())
	}
	if err := f.Dismiss(all[0].ID); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("dismissed twice: %v", err)
	}

	now, err := f.Widen(t.Context(), s.ID, all[1].Want)
	if err != nil {
		t.Fatal(err)
	}
	if len(now.Added) != 1 || !now.Added[0].Expires.Equal(s.Grant.Expires) || now.Added[0].MaxCalls != 30 || len(f.Denials()) != 0 {
		t.Errorf("%+v, denials %+v", now, f.Denials())
	}
	if err := call("files.read", `{"path":"secret.md"}`); err != nil {
		t.Error(err)
	}
	if call("files.write", `{"path":"secret.md","content":"x"}`) == nil {
		t.Error("more was granted than agreed to")
	}
	for what, g := range map[string]tool.Grant{
		"another project": {Project: "tool", Paths: []string{"**"}, Mode: tool.Read}, "nothing": {}, "an unknown function": {Uses: []string{"crm@1.x"}},
	} {
		if _, err := f.Widen(t.Context(), s.ID, g); err == nil {
			t.Errorf("%s was added", what)
		}
	}
	if _, err := f.Widen(t.Context(), "none", all[1].Want); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such session: %v", err)
	}

	// What was added is there after a restart, and gives no more calls than were agreed to.
	f.Close()
	f.Bench = f.again(t)
	caller = toolOf(t, f.Bench, s)
	made := 0
	for err = nil; err == nil; made++ {
		err = call("files.read", `{"path":"secret.md"}`)
	}
	if host.AsError(t.Context(), err).Code != host.Exhausted || made < 20 || made > 30 {
		t.Errorf("%d calls, then %v", made, err)
	}
}

func TestTheAgentsDenials(t *testing.T) {
	f := open(t)
	f.create(t, "bot")
	if err := f.SetAgent(t.Context(), "bot"); err != nil {
		t.Fatal(err)
	}
	f.Host().Call(t.Context(), "files.write", json.RawMessage(`{"project":"bot","path":"a","content":""}`))
	all := f.Denials()
	if len(all) != 1 || all[0].Role != host.Agent || all[0].Want.Mode != 0 {
		t.Fatalf("%+v", all)
	}
	if err := f.SetAgent(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if len(f.Denials()) != 0 {
		t.Error("of a session that has ended")
	}
}

func TestTurn(t *testing.T) {
	f := open(t)
	ctx := t.Context()
	f.create(t, "bot")
	p := f.create(t, "notes")
	ns := kv.New(p.State(), "KV")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(f.SetWork(ctx, "notes"))
	must(f.SetAgent(ctx, "bot"))
	must(ns.Put(ctx, kv.Entry{Key: "n", Value: []byte("1")}))
	call := func(name, args string) {
		t.Helper()
		if _, err := f.Host().Call(ctx, name, json.RawMessage(args)); err != nil {
			t.Fatal(err)
		}
	}
	text := func() string {
		t.Helper()
		b, err := p.ReadFile(ctx, "index.html")
		must(err)
		e, err := ns.Get(ctx, "n")
		must(err)
		return string(b) + " " + string(e.Value)
	}
	if turn := f.Turn(); turn.Checkpoint != "" {
		t.Errorf("a turn before any: %+v", turn)
	}
	call("checkpoints.create", `{"label":"Before: a filter","state":true}`)
	call("files.write", `{"path":"index.html","content":"new"}`)
	call("files.write", `{"path":"more.js","content":"1"}`)
	must(ns.Put(ctx, kv.Entry{Key: "n", Value: []byte("2")}))
	turn := f.Turn()
	if turn.Agent != "bot" || turn.Project != "notes" || turn.Label != "Before: a filter" || !turn.State || turn.Calls != 2 || turn.Running || turn.Undone != "" {
		t.Fatalf("%+v", turn)
	}
	gone := func(err error) {
		t.Helper()
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v", err)
		}
	}
	gone(f.RedoTurn(ctx, turn.Checkpoint))
	gone(f.UndoTurn(ctx, "other"))
	must(f.UndoTurn(ctx, turn.Checkpoint))
	if got := text(); got != "<h1>hi</h1> 1" {
		t.Errorf("undone to %s", got)
	}
	if _, err := p.Stat(ctx, "more.js"); err == nil {
		t.Error("a file that the turn made is there")
	}
	gone(f.UndoTurn(ctx, turn.Checkpoint))
	must(f.RedoTurn(ctx, turn.Checkpoint))
	if got := text(); got != "new 2" || f.Turn().Undone != "" {
		t.Errorf("done again: %s, %+v", got, f.Turn())
	}

	// The agent may undo it itself.
	call("checkpoints.restore", `{"id":`+string(asJSON(turn.Checkpoint))+`,"state":true}`)
	if f.Turn().Undone == "" || text() != "<h1>hi</h1> 1" {
		t.Errorf("undone by the agent: %+v", f.Turn())
	}
	call("checkpoints.restore", `{"id":`+string(asJSON(f.Turn().Undone))+`,"state":true}`) // and do it again
	if f.Turn().Undone != "" || text() != "new 2" {
		t.Errorf("done again by the agent: %+v", f.Turn())
	}
	call("checkpoints.create", `{}`)
	if now := f.Turn(); now.Checkpoint == turn.Checkpoint || now.Undone != "" || now.State || now.Calls != 0 {
		t.Errorf("the next turn: %+v", now)
	}
	must(f.SetAgent(ctx, ""))
	if now := f.Turn(); now.Checkpoint != "" {
		t.Errorf("without an agent: %+v", now)
	}
	gone(f.UndoTurn(ctx, turn.Checkpoint))
}
