package playground

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"samkit.dev/host"
)

// caller is a functions.js that calls what a request names.
const caller = `export default { async fetch(request, env) {
	const { name, args } = await request.json()
	const of = env.TOOL ?? env.HOST
	try {
		const [group, fn] = name.split(".")
		return Response.json({ ok: await of[group][fn](args) ?? null })
	} catch (e) {
		return Response.json({ code: e.code ?? "none", message: e.message })
	}
} }`

// A called is what caller answered.
type called struct {
	OK      json.RawMessage
	Code    host.Code
	Message string
}

// role makes a project whose functions.js is caller.
func (s *site) role(id, manifest string) {
	s.t.Helper()
	s.create(id, "blank")
	s.ask("PUT", file(id, "functions.js"), writeRequest{caller, ""}, 200, nil)
	if manifest != "" {
		s.ask("PUT", file(id, "sam.json"), writeRequest{manifest, ""}, 200, nil)
	}
}

// call has the functions.js at a canvas call a function. The status is not 200 if there is no such canvas any more.
func (s *site) call(canvas, name, args string) (int, called) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), "POST", s.base+canvas+"api/x", strings.NewReader(`{"name":"`+name+`","args":`+args+`}`))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("X-User", s.user)
	resp, err := s.srv.Client().Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	var out called
	if resp.StatusCode == 200 {
		if err := json.Unmarshal(body, &out); err != nil {
			s.t.Fatalf("%v in %s", err, body)
		}
	}
	return resp.StatusCode, out
}

func (s *site) roles() rolesReply {
	s.t.Helper()
	var r rolesReply
	s.ask("GET", "api/roles", nil, 200, &r)
	return r
}

func TestToolSession(t *testing.T) {
	s := newSite(t)
	s.role("viewer", "")
	s.create("notes", "blank")
	for _, name := range []string{"docs/a.md", "secret.md"} {
		s.ask("PUT", file("notes", name), writeRequest{name, ""}, 200, nil)
	}
	for what, req := range map[string]openToolRequest{
		"no grant":   {"viewer", grantInfo{}},
		"a mode":     {"viewer", grantInfo{Project: "notes", Paths: []string{"**"}, Mode: "all"}},
		"a time":     {"viewer", grantInfo{Project: "notes", Paths: []string{"**"}, Mode: "read", Expires: "soon"}},
		"the past":   {"viewer", grantInfo{Project: "notes", Paths: []string{"**"}, Mode: "read", Expires: "2020-01-01T00:00:00Z"}},
		"no project": {"", grantInfo{Project: "notes", Paths: []string{"**"}, Mode: "read"}},
	} {
		var e struct{ Message string }
		s.ask("POST", "api/tools", req, 400, &e)
		if e.Message == "" || strings.HasPrefix(e.Message, "tool:") {
			t.Errorf("%s: %q", what, e.Message)
		}
	}
	s.ask("POST", "api/tools", openToolRequest{"none", grantInfo{Project: "notes", Paths: []string{"**"}, Mode: "read"}}, 404, nil)

	var open sessionInfo
	s.ask("POST", "api/tools", openToolRequest{"viewer", grantInfo{Project: "notes", Paths: []string{"docs/**"}, Mode: "read", MaxCalls: 50}}, 201, &open)
	if open.Project != "viewer" || open.Grant.MaxCalls != 50 || open.Grant.Expires == "" || !strings.HasPrefix(open.Words, `Read "docs/**" of the project notes; at most 50 calls`) || open.ByAgent {
		t.Errorf("opened %+v", open)
	}
	if status, out := s.call(open.Canvas, "files.read", `{"path":"docs/a.md"}`); status != 200 || out.Code != "" {
		t.Fatalf("%d %+v", status, out)
	}
	if _, out := s.call(open.Canvas, "files.read", `{"path":"secret.md"}`); out.Code != host.Denied {
		t.Errorf("read what was not granted: %+v", out)
	}
	r := s.roles()
	if len(r.Tools) != 1 || r.Tools[0].Last == nil || r.Tools[0].Last.Func != "files@1.read" || len(r.Denials) != 1 {
		t.Fatalf("roles %+v", r)
	}
	d := r.Denials[0]
	if !d.Can || d.Session != open.ID || !slices.Equal(d.Want.Paths, []string{"secret.md"}) || d.Want.Mode != "read" {
		t.Errorf("denial %+v", d)
	}
	var wide sessionInfo
	s.ask("POST", "api/tools/"+open.ID+"/grants", widenRequest{d.Want}, 200, &wide)
	if len(wide.Added) != 1 || len(s.roles().Denials) != 0 {
		t.Errorf("widened %+v", wide)
	}
	if _, out := s.call(open.Canvas, "files.read", `{"path":"secret.md"}`); out.Code != "" {
		t.Errorf("after the grant: %+v", out)
	}
	if _, out := s.call(open.Canvas, "files.write", `{"path":"secret.md","content":"x"}`); out.Code != host.Denied {
		t.Errorf("wrote: %+v", out)
	}
	s.ask("DELETE", "api/denials/"+s.roles().Denials[0].ID, nil, 204, nil)
	s.ask("DELETE", "api/denials/none", nil, 404, nil)

	events := s.listen("", "")
	events.next("ready", nil)
	s.ask("DELETE", "api/tools/"+open.ID, nil, 204, nil)
	events.next("projects", nil)
	if status, out := s.call(open.Canvas, "files.read", `{"path":"docs/a.md"}`); status == 200 {
		t.Errorf("a closed tool answers %+v", out)
	}
	s.ask("DELETE", "api/tools/"+open.ID, nil, 404, nil)
	s.ask("POST", "api/tools/"+open.ID+"/grants", widenRequest{d.Want}, 404, nil)
	if r := s.roles(); len(r.Tools) != 0 {
		t.Errorf("still there: %+v", r.Tools)
	}
}

func TestApprovalsOverHTTP(t *testing.T) {
	s := newSite(t)
	s.role("editor", "")
	s.create("notes", "blank")
	events := s.listen("", "")
	events.next("ready", nil)
	var open sessionInfo
	s.ask("POST", "api/tools", openToolRequest{"editor", grantInfo{Project: "notes", Paths: []string{"docs/**"}, Mode: "readwrite", Confirm: true}}, 201, &open)
	events.next("projects", nil)
	done := make(chan called, 1)
	write := func() approvalInfo {
		t.Helper()
		go func() {
			_, out := s.call(open.Canvas, "files.write", `{"path":"docs/a.md","content":"x","expectedHash":"*"}`)
			done <- out
		}()
		events.next("trust", nil)
		r := s.roles()
		if len(r.Approvals) != 1 {
			t.Fatalf("approvals %+v", r.Approvals)
		}
		return r.Approvals[0]
	}
	a := write()
	if a.Session != open.ID || a.Project != "editor" || a.Func != "files@1.write" || !strings.Contains(a.Args, "docs/a.md") || a.Until == "" || !a.Grant.Confirm {
		t.Errorf("%+v", a)
	}
	s.ask("POST", "api/approvals/"+a.ID, decisionRequest{Allow: true, Scope: "always"}, 400, nil)
	s.ask("POST", "api/approvals/"+a.ID, decisionRequest{Allow: true, Scope: "session", Seconds: maxRemembered + 1}, 400, nil)
	s.ask("POST", "api/approvals/none", decisionRequest{Allow: true, Scope: "once"}, 404, nil)
	s.ask("POST", "api/approvals/"+a.ID, decisionRequest{Scope: "once"}, 204, nil)
	if out := <-done; out.Code != host.Denied {
		t.Errorf("denied: %+v", out)
	}
	events.next("trust", nil)
	a = write()
	s.ask("POST", "api/approvals/"+a.ID, decisionRequest{Allow: true, Scope: "session", Seconds: 600}, 204, nil)
	s.ask("POST", "api/approvals/"+a.ID, decisionRequest{Allow: false, Scope: "once"}, 404, nil) // another window was faster
	if out := <-done; out.Code == host.Denied {
		t.Errorf("allowed: %+v", out)
	}
	// Nobody else sees or answers it.
	s.login("bob")
	if r := s.roles(); len(r.Approvals) != 0 || len(r.Tools) != 0 {
		t.Errorf("bob sees %+v", r)
	}
	s.ask("DELETE", "api/tools/"+open.ID, nil, 404, nil)
}

func TestExactly(t *testing.T) {
	for args, want := range map[string]bool{`{"a":[1,"b"]}`: true, `{"a":["*"]}`: false, `{"a":"b*"}`: false, `"*"`: false, `{`: false, `{"*":1}`: true} {
		if got := exactly(json.RawMessage(args)) != nil; got != want {
			t.Errorf("%s: %v", args, got)
		}
	}
}

func TestAgentOverHTTP(t *testing.T) {
	s := newSite(t)
	s.role("coder", `{"role":"agent"}`)
	s.role("md", `{"role":"tool","wants":{"paths":["docs/**","../x"],"mode":"readwrite","uses":["canvas@1.reload","nonsense"]}}`)
	s.create("notes", "blank")
	s.ask("PUT", "api/work", workRequest{"notes"}, 204, nil)
	var all []candidate
	s.ask("GET", "api/roles/candidates", nil, 200, &all)
	kinds := map[string]candidate{}
	for _, c := range all {
		kinds[c.ID] = c
	}
	if w := kinds["md"].Wants; kinds["coder"].Kind != "agent" || kinds["md"].Kind != "tool" || kinds["notes"].Kind != "project" || kinds["md"].Size == 0 ||
		!slices.Equal(w.Paths, []string{"docs/**"}) || w.Mode != "readwrite" || !slices.Equal(w.Uses, []string{"canvas@1.reload"}) {
		t.Errorf("candidates %+v", all)
	}
	if r := s.roles(); r.Agent != nil || r.Work != "notes" || r.Turn != nil {
		t.Errorf("roles %+v", r)
	}
	s.ask("PUT", "api/agent", agentRequest{"none"}, 404, nil)
	s.ask("PUT", "api/agent", agentRequest{"No"}, 400, nil)
	s.ask("PUT", "api/agent", agentRequest{"coder"}, 204, nil)
	agent := s.roles().Agent
	if agent == nil || agent.Project != "coder" {
		t.Fatalf("agent %+v", agent)
	}
	call := func(name, args string) {
		t.Helper()
		if status, out := s.call(agent.Canvas, name, args); status != 200 || out.Code != "" {
			t.Fatalf("%s: %d %+v", name, status, out)
		}
	}
	events := s.listen("notes", "")
	events.next("ready", nil)
	call("ui.message", `{"text":"hello","level":"warn"}`)
	var shown promptsEvent
	events.next("prompts", &shown)
	if len(shown.Prompts) != 1 || shown.Prompts[0].Act != "message" || shown.Prompts[0].Agent != "coder" || shown.Prompts[0].Level != "warn" {
		t.Errorf("%+v", shown)
	}
	call("checkpoints.create", `{"label":"Before: a page","state":true}`)
	call("files.write", `{"path":"index.html","content":"<h1>new</h1>"}`)
	call("files.write", `{"path":"added.js","content":"1"}`)
	turn := s.roles().Turn
	if turn == nil || turn.Changed != 2 || !slices.Equal(turn.Files, []string{"added.js", "index.html"}) || turn.Undone || !turn.State || turn.Label != "Before: a page" {
		t.Fatalf("turn %+v", turn)
	}
	s.ask("POST", "api/turn/undo", turnRequest{turn.Checkpoint}, 204, nil)
	s.ask("POST", "api/turn/undo", turnRequest{turn.Checkpoint}, 404, nil)
	if turn := s.roles().Turn; !turn.Undone || turn.Changed != 0 {
		t.Errorf("undone %+v", turn)
	}
	s.ask("POST", "api/turn/redo", turnRequest{turn.Checkpoint}, 204, nil)
	if turn := s.roles().Turn; turn.Undone || turn.Changed != 2 {
		t.Errorf("done again %+v", turn)
	}

	answers := make(chan called, 1)
	go func() {
		_, out := s.call(agent.Canvas, "ui.ask", `{"question":"Which?","choices":["this","that"]}`)
		answers <- out
	}()
	deadline := time.Now().Add(20 * time.Second)
	var r rolesReply
	for r = s.roles(); len(r.Questions) == 0 && time.Now().Before(deadline); r = s.roles() {
		time.Sleep(5 * time.Millisecond)
	}
	if len(r.Questions) != 1 || r.Questions[0].Text != "Which?" || r.Questions[0].Until == "" {
		t.Fatalf("questions %+v", r.Questions)
	}
	s.ask("POST", "api/questions/"+r.Questions[0].ID, answerRequest{"neither"}, 400, nil)
	s.ask("POST", "api/questions/"+r.Questions[0].ID, answerRequest{"that"}, 204, nil)
	s.ask("POST", "api/questions/"+r.Questions[0].ID, answerRequest{"this"}, 404, nil)
	if out := <-answers; string(out.OK) != `{"answered":true,"answer":"that"}` {
		t.Errorf("%+v", out)
	}

	call("tools.open", `{"project":"md","grant":{"project":"notes","paths":["docs/**"],"mode":"read"}}`)
	if r := s.roles(); len(r.Tools) != 1 || !r.Tools[0].ByAgent {
		t.Errorf("tools %+v", r.Tools)
	}
	s.ask("PUT", "api/agent", agentRequest{""}, 204, nil)
	if r := s.roles(); r.Agent != nil || len(r.Tools) != 0 || r.Turn != nil {
		t.Errorf("without an agent: %+v", r)
	}
	if status, out := s.call(agent.Canvas, "files.list", `{}`); status == 200 {
		t.Errorf("a former agent: %d %+v", status, out)
	}
}
