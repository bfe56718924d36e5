package workbench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// history returns what the audit of a bench says, oldest first.
func history(t *testing.T, b *Bench) []string {
	t.Helper()
	var all []string
	for r, err := range b.Audit(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.TrimSpace(fmt.Sprint(r.Func, " ", r.Role, " ", r.Project, " ", r.On, " ", r.Code)))
	}
	slices.Reverse(all)
	return all
}

func TestAuditOfRoles(t *testing.T) {
	caps, _ := waiters()
	host.Register(caps.Define("crm", 1), "lookup", "Finds.", func(context.Context, waiting) (string, error) { return "found", nil }, host.Reads)
	s := serve(t, Options{Capabilities: caps})
	s.project(t, "bot", nil)
	s.project(t, "viewer", nil)
	s.project(t, "notes", sam.Files{"docs/a.md": "hello"})
	if err := s.SetAgent(t.Context(), "bot"); err != nil {
		t.Fatal(err)
	}
	if err := s.Allow(t.Context(), "notes", "CRM", tool.Grant{Uses: []string{"crm@1.lookup"}}); err != nil {
		t.Fatal(err)
	}
	session, err := s.OpenTool(t.Context(), "viewer", tool.Grant{Project: "notes", Paths: []string{"docs/**"}, Mode: tool.Read})
	if err != nil {
		t.Fatal(err)
	}
	has(t, "agent", s.call(t, "bot", s.Agent().ID, "HOST.files.write", m{"project": "bot", "path": "x", "content": ""}), "denied")
	has(t, "agent", s.call(t, "bot", s.Agent().ID, "HOST.files.read", m{"project": "notes", "path": "docs/a.md"}), "hello")
	has(t, "service", s.call(t, "notes", "", "CRM.lookup", nil), "found")
	has(t, "tool", s.call(t, "viewer", session.ID, "TOOL.files.read", m{"path": "x"}), "denied")
	s.call(t, "viewer", session.ID, "TOOL.close", nil)
	want := []string{
		"files@1.write agent bot  denied", "files@1.read agent bot notes/docs/a.md", "crm@1.lookup app notes",
		"files@1.read tool viewer notes/x denied", "close tool viewer",
	}
	got := history(t, s.Bench)
	for end := time.Now().Add(20 * time.Second); len(got) < len(want) && time.Now().Before(end); got = history(t, s.Bench) {
		time.Sleep(time.Millisecond) // the request ends with the session, before close has returned
	}
	if !slices.Equal(got, want) {
		t.Errorf("audit\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	s.Close()
	if got := history(t, s.again(t)); !slices.Equal(got, want) {
		t.Errorf("after a restart\n%s", strings.Join(got, "\n"))
	}
}

func TestRefusalsAreKeptAtOnce(t *testing.T) {
	f := open(t)
	ctx := t.Context()
	f.audit.add(ctx, host.Record{Func: "a"})
	f.audit.add(ctx, host.Record{Func: "b", Code: host.Denied})
	deadline := time.Now().Add(20 * time.Second)
	for {
		f.audit.mu.Lock()
		left := len(f.audit.pending)
		f.audit.mu.Unlock()
		if left == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("a refusal is not in the store")
		}
		time.Sleep(time.Millisecond)
	}
	// Another bench sees them, though this one was not closed.
	if got := history(t, f.again(t)); len(got) != 2 {
		t.Errorf("kept: %q", got)
	}
}

func TestAuditIsBounded(t *testing.T) {
	f := open(t)
	const n = maxAudit + 3*auditBatch + 7
	for i := range n {
		f.audit.add(t.Context(), host.Record{Func: fmt.Sprint(i)})
		if i%auditBatch == 0 {
			f.audit.close()
		}
	}
	f.audit.close()
	f.Close()
	b := f.again(t)
	all := history(t, b)
	if len(all) < maxAudit || len(all) > maxAudit+auditBatch || !strings.HasPrefix(all[len(all)-1], fmt.Sprint(n-1)) {
		t.Errorf("%d calls are kept, the last is %q", len(all), all[len(all)-1])
	}
	keys := 0
	for range f.store.Space("ada/~bench").List(t.Context(), auditPrefix, "") {
		keys++
	}
	if keys > maxAudit/auditBatch+10 {
		t.Errorf("%d keys", keys)
	}
}

func TestAuditWithoutAStore(t *testing.T) {
	f := open(t)
	b, err := New(t.Context(), f.Workspace(), f.eng, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxAudit + auditBatch + 5 {
		b.audit.add(t.Context(), host.Record{Func: fmt.Sprint(i)})
	}
	if got := history(t, b); len(got) < maxAudit || !strings.HasPrefix(got[0], fmt.Sprint(auditBatch, " ")) {
		t.Errorf("%d calls from %q on", len(got), got[0])
	}
	b.Close()
}

func TestChanges(t *testing.T) {
	s := serve(t, Options{})
	s.project(t, "viewer", nil)
	p := s.project(t, "notes", sam.Files{"docs/a.md": "hello"})
	session, err := s.OpenTool(t.Context(), "viewer", tool.Grant{Project: "notes", Paths: []string{"docs/**"}, Mode: tool.Read})
	if err != nil {
		t.Fatal(err)
	}
	caller := s.tools[session.ID]
	changes := func(after string, wait int) changesOut {
		t.Helper()
		out, err := caller.Call(t.Context(), "files.changes", asJSON(changesIn{After: after, WaitMS: wait}))
		if err != nil {
			t.Fatal(err)
		}
		var c changesOut
		mustUnmarshal(t, out, &c)
		return c
	}
	at := changes("", 0)
	if !at.Missed || len(at.Files) != 0 || at.After == "" {
		t.Fatalf("first: %+v", at)
	}
	got := make(chan changesOut)
	go func() { got <- changes(at.After, 60000) }()
	for name, text := range map[string]string{"secret.md": "x", "docs/b.md": "new"} {
		if err := p.WriteFile(t.Context(), name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	c := <-got
	if len(c.Files) != 1 || c.Files[0].Path != "docs/b.md" || c.Files[0].Removed {
		t.Errorf("changes: %+v", c)
	}
	if err := p.Apply(t.Context(), sam.Edit{Name: "docs/b.md", Remove: true, IfHash: "*"}); err != nil {
		t.Fatal(err)
	}
	if c = changes(c.After, 60000); len(c.Files) != 1 || !c.Files[0].Removed {
		t.Errorf("a removal: %+v", c)
	}
	if c = changes(c.After, 1); len(c.Files) != 0 || c.Missed {
		t.Errorf("nothing new: %+v", c)
	}
	errs := make(chan error)
	go func() {
		_, err := caller.Call(context.Background(), "files.changes", asJSON(changesIn{After: c.After, WaitMS: 60000}))
		errs <- err
	}()
	if err := s.CloseTool(t.Context(), session.ID); err != nil {
		t.Fatal(err)
	}
	if err := <-errs; code(err) != host.Denied {
		t.Errorf("a wait when the session is closed: %v", err)
	}
}
