package playground

import (
	"encoding/json"
	"fmt"
	"net/url"
	"testing"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/host"
	"samkit.dev/tool"
)

// tool opens a session of a tool and returns what its env.TOOL is.
func (s *site) tool(id string, g tool.Grant) host.Caller {
	s.t.Helper()
	bench, err := s.group.Bench(s.t.Context(), s.user)
	if err != nil {
		s.t.Fatal(err)
	}
	project := s.project("viewer")
	session, err := bench.OpenTool(s.t.Context(), project.ID(), g)
	if err != nil {
		s.t.Fatal(err)
	}
	app, err := bench.App(s.t.Context(), canvas.Visitor{Principal: s.user, Session: session.ID}, project.ID())
	if err != nil {
		s.t.Fatal(err)
	}
	return app.Tool
}

func TestAudit(t *testing.T) {
	s := newSite(t)
	s.create("notes", "blank")
	s.create("viewer", "blank")
	var audit auditReply
	s.ask("GET", "api/audit", nil, 200, &audit)
	if len(audit.Entries) != 0 || audit.Entries == nil {
		t.Errorf("a new bench has %+v", audit)
	}
	src := s.listen("notes", "")
	src.next("ready", &readyEvent{})
	viewer := s.tool("viewer", tool.Grant{Project: "notes", Paths: []string{"docs/**"}, Mode: tool.Read, Expires: time.Now().Add(time.Hour)})
	call := func(name, args string) {
		t.Helper()
		viewer.Call(t.Context(), name, json.RawMessage(args))
	}
	call("files.list", `{}`)
	call("files.read", `{"path":"index.html"}`)
	call("files.write", `{"path":"docs/a.md","content":"x"}`)
	for src.line() != "event: audit" { // the roles changed before
	}
	s.ask("GET", "api/audit", nil, 200, &audit)
	if len(audit.Entries) != 3 || audit.Denied != 2 || audit.More {
		t.Fatalf("audit %+v", audit)
	}
	write, read := audit.Entries[0], audit.Entries[1]
	if read.Actor != "tool" || read.Project != "viewer" || read.Func != "files.read" || read.Code != "denied" || read.Refusal == "" {
		t.Errorf("read %+v", read)
	}
	if got := fmt.Sprint(read.May); got != "{read [index.html] notes}" {
		t.Errorf("it would need %s", got)
	}
	if got := fmt.Sprint(write.May); got != "{read and change [docs/**] notes}" && got != "{read and change [docs/a.md] notes}" {
		t.Errorf("it would need %s", got)
	}
	if read.Session == "" || read.Holds || fmt.Sprint(read.Want) != "{notes [index.html] read [] 0  false}" {
		t.Errorf("it can be given %+v", read)
	}
	s.ask("POST", "api/tools/"+read.Session+"/grants", widenRequest{read.Want}, 200, nil)
	s.ask("GET", "api/audit", nil, 200, &audit)
	if now := audit.Entries[1]; !now.Holds || audit.Entries[0].Holds {
		t.Errorf("given, it is %+v", now)
	}
	s.ask("DELETE", "api/tools/"+read.Session, nil, 204, nil)
	s.ask("GET", "api/audit", nil, 200, &audit)
	if now := audit.Entries[1]; now.Holds || now.Session != "" || now.Want.Project != "notes" {
		t.Errorf("without a session it is %+v", now)
	}
	for query, want := range map[string]int{
		"actor=tool": 3, "actor=agent": 0, "project=viewer": 3, "project=other": 0, "outcome=denied": 2, "outcome=done": 1, "outcome=failed": 0,
		"words=" + url.QueryEscape(" READ"): 1, "words=files": 3, "limit=2": 2,
	} {
		s.ask("GET", "api/audit?"+query, nil, 200, &audit)
		if len(audit.Entries) != want || audit.More != (query == "limit=2") {
			t.Errorf("%s gives %d, more %v, want %d", query, len(audit.Entries), audit.More, want)
		}
	}
	s.ask("GET", "api/audit?limit=many", nil, 400, nil)
	s.login("bob")
	s.ask("GET", "api/audit", nil, 200, &audit)
	if len(audit.Entries) != 0 {
		t.Errorf("bob sees %+v", audit)
	}
}
