package script_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/tool"
	"samkit.dev/tool/script"
)

// A trail collects records, from the goroutines of calls.
type trail struct {
	mu   sync.Mutex
	list []host.Record
}

func (l *trail) add(_ context.Context, r host.Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, r)
}

func (l *trail) take() (lines []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.list {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Func, r.On, r.Code)))
	}
	l.list = nil
	return lines
}

// TestAudit proves that each call of a script that reaches anything is in the audit once, refused ones too.
func TestAudit(t *testing.T) {
	e, p := newEngine(t), newProject(t)
	for _, f := range []string{"docs/a.md", "secret.md"} {
		if err := p.WriteFile(t.Context(), f, []byte(f)); err != nil {
			t.Fatal(err)
		}
	}
	var calls trail
	set, err := tool.NewSet(crm(), &tool.Options{Audit: calls.add}, tool.Grant{Project: p.ID(), Paths: []string{"docs/**"}, Mode: tool.ReadWrite, Uses: []string{"crm@1.lookup"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, code string
		opts       script.Options
		want       string
	}{
		{"read", "await rtcAgent.readFile('/docs/a.md')", script.Options{}, "script@1.readFile app/docs/a.md"},
		{"read a page of the manual", "await rtcAgent.readFile('AGENT.md')", script.Options{}, "script@1.readFile app/AGENT.md"},
		{"read none", "await rtcAgent.readFile('docs/none')", script.Options{}, "script@1.readFile app/docs/none not_found"},
		{"read what is not granted", "await rtcAgent.readFile('secret.md')", script.Options{}, "script@1.readFile app/secret.md denied"},
		{"read outside", "await rtcAgent.readFile('../x')", script.Options{}, "script@1.readFile  invalid"},
		{"a long path", "await rtcAgent.readFile('x'.repeat(5000))", script.Options{}, "script@1.readFile  denied"},
		{"list", "await rtcAgent.listDir('docs')", script.Options{}, "script@1.listDir app/docs"},
		{"list all", "await rtcAgent.listDir()", script.Options{}, "script@1.listDir app/"},
		{"list outside", "await rtcAgent.listDir('..')", script.Options{}, "script@1.listDir  invalid"},
		{"write", "await rtcAgent.writeFile('docs/b.md', 'x')", script.Options{}, "script@1.writeFile app/docs/b.md"},
		{"write what is not granted", "await rtcAgent.writeFile('b.md', 'x')", script.Options{}, "script@1.writeFile app/b.md denied"},
		{"write a plan", "await rtcAgent.writeFile('docs/b.md', 'x')", script.Options{Mode: script.Plan, Confirm: allow}, "script@1.writeFile app/docs/b.md denied"},
		{"write, and nobody agrees", "await rtcAgent.writeFile('docs/b.md', 'x')", script.Options{Mode: script.Manual, Confirm: allowRuns}, "script@1.writeFile app/docs/b.md denied"},
		{"write by Apply", "await rtcAgent.writeFile('docs/b.md', 'x')", script.Options{Apply: func(context.Context, sam.Edit) error { return nil }}, ""},
		{"granted", "await rtcAgent.crm.lookup({ id: 1 })", script.Options{}, "crm@1.lookup"},
		{"granted, by name", "await rtcAgent.callFunction('crm.lookup', { id: 1 })", script.Options{}, "crm@1.lookup"},
		{"wrong arguments", "await rtcAgent.crm.lookup({ id: 'x' })", script.Options{}, "crm@1.lookup  invalid"},
		{"no such function", "await rtcAgent.callFunction('crm.none')", script.Options{}, `"crm.none"  not_found`},
		{"all at once", "await Promise.all([1, 2, 3].map(() => rtcAgent.readFile('docs/a.md')))", script.Options{}, strings.Repeat("script@1.readFile app/docs/a.md\n", 3)},
		{"nothing", "await rtcAgent.system.delay(0)", script.Options{}, ""},
	} {
		if c.opts.Confirm == nil {
			c.opts.Mode = script.Bypass
		}
		c.opts.Tools, c.opts.Audit = set, calls.add
		ctx := host.WithCall(t.Context(), host.Call{Principal: "ada", Project: "bot", Role: host.Agent, Session: "s"})
		if _, err := script.New(e, p, &c.opts).Eval(ctx, script.Source{Code: "try { " + c.code + " } catch {}"}, nil); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		calls.mu.Lock()
		for _, r := range calls.list {
			if r.Principal != "ada" || r.Project != "bot" || r.Role != host.Agent || r.Session != "s" || r.Call.ID == "" || r.Time.IsZero() || r.ArgsHash == "" || (r.Code == host.Denied) != (r.Refusal != "") {
				t.Errorf("%s: %+v", c.name, r)
			}
		}
		calls.mu.Unlock()
		if got := strings.Join(calls.take(), "\n"); got != strings.TrimSpace(c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if _, err := script.New(e, p, &script.Options{Mode: script.Bypass, Audit: calls.add}).Eval(t.Context(), script.Source{Code: "await rtcAgent.callFunction('a.b').catch(() => {})"}, nil); err != nil {
		t.Error(err)
	}
	if got := strings.Join(calls.take(), "\n"); got != "script@1.callFunction  denied" {
		t.Errorf("without Tools: %q", got)
	}
}

func allow(context.Context, tool.Question) (tool.Answer, error) {
	return tool.Answer{Allow: true}, nil
}

func allowRuns(_ context.Context, q tool.Question) (tool.Answer, error) {
	return tool.Answer{Allow: q.Func.Name == "run"}, nil
}
