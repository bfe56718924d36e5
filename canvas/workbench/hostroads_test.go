package workbench

import (
	"context"
	"crypto/rand"
	"io/fs"
	"log/slog"
	"strings"
	"testing"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/host"
	"samkit.dev/host/console"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// withAgent returns a bench with an agent "bot" and the work project "notes".
func withAgent(t *testing.T, opts Options) (s *server, call func(name string, args any) answer) {
	t.Helper()
	s = serve(t, opts)
	s.project(t, "bot", sam.Files{"prompt.md": "be kind"})
	s.project(t, "notes", sam.Files{"a.md": "one\ntwo\nthree"})
	if err := s.SetWork(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	if err := s.SetAgent(t.Context(), "bot"); err != nil {
		t.Fatal(err)
	}
	return s, func(name string, args any) answer {
		t.Helper()
		return s.call(t, "bot", s.Agent().ID, "HOST."+name, args)
	}
}

// field returns a member of an answer.
func (a answer) field(t *testing.T, name string) string {
	t.Helper()
	var v map[string]any
	mustUnmarshal(t, a.OK, &v)
	s, _ := v[name].(string)
	if s == "" {
		t.Fatalf("no %s in %s", name, a)
	}
	return s
}

// Every road of HOST by which an agent could change its own files, with the project named and
// as the work project.
func TestNoRoadLeadsAnAgentToItsOwnFiles(t *testing.T) {
	s, call := withAgent(t, Options{SetAgent: true, Commands: commands(), Tasks: &TaskOptions{Unasked: true}})
	p, err := s.Workspace().Open(t.Context(), "bot")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.SetAgentManaged(t.Context(), true); err != nil { // even then it doesn't delete itself
		t.Fatal(err)
	}
	before, err := p.Checkpoint(t.Context(), "by a person", sam.Parts{})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.WriteFile(t.Context(), "prompt.md", []byte("be kinder")); err != nil {
		t.Fatal(err)
	}
	revision, err := p.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	roads := map[string]m{
		"files.write":         {"path": "prompt.md", "content": "be cruel"},
		"files.edit":          {"path": "prompt.md", "edits": []m{{"find": "kind", "replace": "cruel"}}},
		"files.apply":         {"changes": []m{{"path": "prompt.md", "content": "be cruel"}}},
		"files.remove":        {"path": "prompt.md"},
		"files.rename":        {"path": "prompt.md", "to": "old.md"},
		"checkpoints.restore": {"id": before.ID},
		"cmd.run":             {"argv": []string{"sed", "-i", "s/kind/cruel/", "prompt.md"}},
		"tasks.run":           {"source": strings.Replace(cellTask, "docs/**", "prompt.md", 1), "lang": "json"},
		"runCmd":              {"argv": []string{"find", ".", "-name", "prompt.md", "-exec", "env", "xargs", "-a", "{}", "rm", "prompt.md", ";"}},
		"python.run":          {"code": "try:\n    open('prompt.md', 'w').write('be cruel')\nexcept PermissionError:\n    pass"},
		"runPython":           {"code": "import os; os.rename('prompt.md', 'old.md')"},
	}
	for name, args := range roads {
		args["project"] = "bot"
		has(t, name, call(name, args), "denied")
	}
	has(t, "delete", call("projects.delete", m{"project": "bot"}), "denied")
	has(t, "create", call("projects.create", m{"name": "bot"}), "conflict")
	has(t, "clone", call("projects.clone", m{"project": "notes", "name": "bot"}), "conflict")
	exported := call("projects.export", m{"project": "notes"}).field(t, "package")
	has(t, "import", call("projects.import", m{"name": "bot", "package": exported}), "conflict")
	write := m{"project": "bot", "paths": []string{"**"}, "mode": "readwrite"}
	has(t, "a tool on itself", call("tools.open", m{"project": "notes", "grant": write}), "denied")
	has(t, "itself as a tool on itself", call("tools.open", m{"project": "bot", "grant": write}), "denied")

	has(t, "open", call("projects.open", m{"project": "bot"}), "{}")
	if s.Work() != "bot" {
		t.Fatalf("the work project is %q", s.Work())
	}
	for name, args := range roads {
		delete(args, "project")
		has(t, name+" as the work project", call(name, args), "denied")
	}
	// A tool that it opened, on another project, does not get there either.
	opened := call("tools.open", m{"project": "notes", "grant": m{"project": "notes", "paths": []string{"**"}, "mode": "readwrite"}})
	has(t, "a tool", opened, `"words":"Read and change`)
	session := opened.field(t, "session")
	has(t, "through a tool", s.call(t, "notes", session, "TOOL.files.write", m{"project": "bot", "path": "prompt.md", "content": "x"}), "denied")
	if after, err := p.Revision(t.Context()); err != nil || after != revision {
		t.Errorf("the agent has changed itself: %v", err)
	}
	if data, err := p.ReadFile(t.Context(), "prompt.md"); err != nil || string(data) != "be kinder" {
		t.Errorf("%q %v", data, err)
	}
}

func TestSetActiveAgent(t *testing.T) {
	closed, _ := withAgent(t, Options{})
	has(t, "not allowed", closed.ask(t, "bot", closed.Agent().ID, m{"act": "get", "name": "HOST.roles"}), "null")
	if _, err := closed.Host().Call(t.Context(), "roles.setActiveAgent", []byte(`{"project":"notes"}`)); code(err) != host.NotFound {
		t.Error(err)
	}
	s, call := withAgent(t, Options{SetAgent: true})
	has(t, "no project", call("roles.setActiveAgent", m{"project": ""}), "invalid")
	has(t, "a missing project", call("roles.setActiveAgent", m{"project": "none"}), "not_found")
	former := s.agent
	path := s.site.Path(canvas.Visitor{Session: former.ID}, "bot")
	if _, err := former.Call(t.Context(), "roles.setActiveAgent", []byte(`{"project":"notes"}`)); err != nil {
		t.Fatal(err)
	}
	if s.Agent().Project != "notes" {
		t.Errorf("agent %+v", s.Agent())
	}
	if a := s.askAt(t, path, m{"act": "env"}); a.Status != 403 {
		t.Errorf("the former agent is served: %s", a)
	}
	if _, err := former.Call(t.Context(), "roles@1.setActiveAgent", []byte(`{"project":"bot"}`)); code(err) != host.Denied {
		t.Errorf("the former agent names another: %v", err)
	}
	for r, err := range s.Audit(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Func == "roles@1.setActiveAgent" && r.Code == "" {
			return
		}
	}
	t.Error("no record of the succession")
}

func TestFilesOfHost(t *testing.T) {
	s, call := withAgent(t, Options{})
	has(t, "glob", call("files.list", m{"glob": "*.md"}), `{"files":[{"path":"a.md"`)
	has(t, "no glob", call("files.list", m{"glob": "a**"}), "invalid")
	has(t, "search", call("files.search", m{"query": "two", "context": 1}), `{"matches":[{"path":"a.md","line":2,"column":1,"text":"two","before":["one"],"after":["three"]}]}`)
	has(t, "regex", call("files.search", m{"query": "^t.o$", "regex": true, "glob": "**/*.md"}), `"line":2`)
	has(t, "limit", call("files.search", m{"query": "e", "glob": "*.md", "limit": 1}), `"more":true`)
	has(t, "no regex", call("files.search", m{"query": "(", "regex": true}), "invalid")
	has(t, "a regex too large", call("files.search", m{"query": "(abcdefgh{20}){45}", "regex": true}), "invalid")
	has(t, "nothing", call("files.search", m{"query": ""}), "invalid")

	hash := call("files.stat", m{"path": "a.md"}).field(t, "hash")
	edit := func(find, replace string, more m) answer {
		args := m{"path": "a.md", "edits": []m{{"find": find, "replace": replace}}}
		for k, v := range more {
			args[k] = v
		}
		return call("files.edit", args)
	}
	has(t, "edit", edit("two", "2", m{"expectedHash": hash}), `"path":"a.md"`)
	has(t, "with an old hash", edit("2", "two", m{"expectedHash": hash}), "conflict")
	has(t, "not there", edit("four", "4", nil), "invalid")
	has(t, "several", edit("e", "E", nil), "invalid")
	has(t, "all", call("files.edit", m{"path": "a.md", "edits": []m{{"find": "e", "replace": "E", "all": true}}}), "a.md")
	has(t, "read", call("files.read", m{"path": "a.md"}), `onE\n2\nthrEE`)
	has(t, "a missing file", call("files.edit", m{"path": "none", "edits": []m{{"find": "a", "replace": "b"}}}), "not_found")
	big := strings.Repeat("x", 4<<10)
	has(t, "big", call("files.write", m{"path": "big", "content": big}), "big")
	has(t, "too big", call("files.edit", m{"path": "big", "edits": []m{{"find": "x", "replace": big, "all": true}}}), "exhausted")

	hash = call("files.stat", m{"path": "a.md"}).field(t, "hash")
	has(t, "apply", call("files.apply", m{"changes": []m{
		{"path": "b.md", "content": "bee"}, {"path": "a.md", "edits": []m{{"find": "2", "replace": "two"}}, "expectedHash": hash}, {"path": "a.md", "to": "c.md"}, {"path": "big", "remove": true},
	}}), `{"path":"a.md","size":0,"removed":true},{"path":"c.md"`)
	has(t, "c.md", call("files.read", m{"path": "c.md"}), `onE\ntwo\nthrEE`)
	has(t, "none of it", call("files.apply", m{"changes": []m{{"path": "d.md", "content": "x"}, {"path": "c.md", "content": "y", "expectedHash": hash}}}), "conflict")
	has(t, "all or nothing", call("files.stat", m{"path": "d.md"}), "not_found")
	has(t, "two ways", call("files.apply", m{"changes": []m{{"path": "d.md", "content": "x", "remove": true}}}), "invalid")
	has(t, "no way", call("files.apply", m{"changes": []m{{"path": "d.md"}}}), "invalid")

	// What a grant does not cover is neither searched nor half applied.
	session, err := s.OpenTool(t.Context(), "notes", tool.Grant{Project: "notes", Paths: []string{"b.md"}, Mode: tool.ReadWrite})
	if err != nil {
		t.Fatal(err)
	}
	has(t, "a tool's search", s.call(t, "notes", session.ID, "TOOL.files.search", m{"query": "e"}), `{"matches":[{"path":"b.md","line":1,"column":2,"text":"bee"}]}`)
	has(t, "a tool's apply", s.call(t, "notes", session.ID, "TOOL.files.apply", m{"changes": []m{{"path": "b.md", "content": "x"}, {"path": "b.md", "to": "e.md"}}}), "denied")
	has(t, "nothing of it", s.call(t, "notes", session.ID, "TOOL.files.read", m{"path": "b.md"}), "bee")
}

func TestProjectsOfHost(t *testing.T) {
	s, call := withAgent(t, Options{Templates: map[string]fs.FS{"page": sam.Files{"index.html": "<h1>new"}}})
	has(t, "list", call("projects.list", nil), `"work":"notes","agent":"bot","templates":["page"]`)
	has(t, "create", call("projects.create", m{"name": "empty"}), `"agentManaged":true`)
	has(t, "from a template", call("projects.create", m{"name": "site", "template": "page"}), `"id":"site"`)
	has(t, "its files", call("files.read", m{"project": "site", "path": "index.html"}), "<h1>new")
	has(t, "no template", call("projects.create", m{"name": "x", "template": "none"}), "not_found")
	has(t, "no name", call("projects.create", m{"name": "No Name"}), "invalid")

	has(t, "clone", call("projects.clone", m{"name": "notes-2"}), `"agentManaged":true`)
	has(t, "its files", call("files.read", m{"project": "notes-2", "path": "a.md"}), "three")
	pkg := call("projects.export", m{"project": "notes", "state": true})
	has(t, "import", call("projects.import", m{"name": "notes-3", "package": pkg.field(t, "package"), "state": true}), `"agentManaged":true`)
	has(t, "its files", call("files.read", m{"project": "notes-3", "path": "a.md"}), "three")
	has(t, "what is no package", call("projects.import", m{"name": "notes-4", "package": "aGVsbG8="}), "invalid")
	has(t, "what is not base64", call("projects.import", m{"name": "notes-4", "package": "?"}), "invalid")
	has(t, "delete what was imported", call("projects.delete", m{"project": "notes-3"}), "{}")
	has(t, "open", call("projects.open", m{"project": "notes-2"}), "{}")
	if s.Work() != "notes-2" {
		t.Errorf("work %q", s.Work())
	}
	has(t, "the person's", call("projects.delete", m{"project": "notes"}), "denied")
	has(t, "delete", call("projects.delete", m{"project": "notes-2"}), "{}")
	if s.Work() != "" {
		t.Errorf("work %q", s.Work())
	}
	has(t, "deleted", call("projects.delete", m{"project": "notes-2"}), "not_found")
	has(t, "no work project", call("files.list", nil), "not_found")
	// A project of the name that a person makes is the person's.
	s.project(t, "notes-2", nil)
	has(t, "another of the name", call("projects.delete", m{"project": "notes-2"}), "denied")
	for range maxAgentProjects { // two are there
		if a := call("projects.create", m{"name": strings.ToLower("p" + rand.Text())}); a.Code != "" {
			has(t, "too many", a, "exhausted")
			return
		}
	}
	t.Error("an agent makes projects without end")
}

func TestSecretsNeverTravel(t *testing.T) {
	store := sam.NewMemStore()
	t.Cleanup(func() { store.Close() })
	ws := sam.NewWorkspace(store, "ada", &sam.Options{SecretKey: func(context.Context) ([]byte, error) { return make([]byte, 32), nil }})
	b, err := New(t.Context(), ws, newEngine(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	for _, id := range []sam.ProjectID{"bot", "notes"} {
		if _, err := b.Create(t.Context(), id, nil); err != nil {
			t.Fatal(err)
		}
	}
	notes, err := ws.Open(t.Context(), "notes")
	if err != nil {
		t.Fatal(err)
	}
	if err := notes.Secrets().Set(t.Context(), "API_KEY", "sesame"); err != nil {
		t.Fatal(err)
	}
	if err := b.SetAgent(t.Context(), "bot"); err != nil {
		t.Fatal(err)
	}
	call := func(name, args string) string {
		out, err := b.Host().Call(t.Context(), name, []byte(args))
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if got := call("secrets.names", `{"project":"notes"}`); got != `{"names":["API_KEY"]}` {
		t.Error(got)
	}
	call("projects.clone", `{"project":"notes","name":"copy","state":true}`)
	exported := call("projects.export", `{"project":"notes","state":true}`)
	call("projects.import", `{"name":"taken-in","state":true,`+exported[1:strings.Index(exported, `,"size"`)]+"}")
	for _, id := range []string{"copy", "taken-in"} {
		if got := call("secrets.names", `{"project":"`+id+`"}`); got != `{"names":[]}` {
			t.Error(id, got)
		}
	}
}

func TestCheckpointsOfHost(t *testing.T) {
	_, call := withAgent(t, Options{})
	first := call("checkpoints.create", m{"label": "before", "state": true})
	has(t, "create", first, `"label":"before","by":"agent bot"`)
	id := first.field(t, "id")
	call("files.write", m{"path": "a.md", "content": "other"})
	call("files.rename", m{"path": "index.html", "to": "home.html"})
	call("files.write", m{"path": "b.md", "content": "new"})
	diff := call("checkpoints.diff", m{"before": id})
	has(t, "diff", diff, `{"changes":[{"kind":"changed","path":"a.md"`)
	has(t, "diff", diff, `{"kind":"added","path":"b.md","size":3`)
	has(t, "diff", diff, `{"kind":"renamed","path":"home.html","from":"index.html"`)
	second := call("checkpoints.restore", m{"id": id, "state": true})
	has(t, "restore", second, `"by":"agent bot"`)
	has(t, "restored", call("files.read", m{"path": "a.md"}), `one\ntwo`)
	has(t, "gone", call("files.stat", m{"path": "b.md"}), "not_found")
	has(t, "undone", call("checkpoints.restore", m{"id": second.field(t, "id")}), `"id"`)
	has(t, "back", call("files.read", m{"path": "b.md"}), "new")
	has(t, "list", call("checkpoints.list", m{"limit": 1}), `"more":true`)
	has(t, "a missing one", call("checkpoints.restore", m{"id": "none"}), "not_found")
	has(t, "a missing one", call("checkpoints.diff", m{"before": "none"}), "not_found")
	has(t, "no state", call("checkpoints.restore", m{"id": call("checkpoints.create", m{}).field(t, "id"), "state": true}), "not_found")
	has(t, "a label too long", call("checkpoints.create", m{"label": strings.Repeat("x", 10_000)}), "invalid")
}

func TestConsoleAndCanvasOfHost(t *testing.T) {
	s, call := withAgent(t, Options{URL: func(id sam.ProjectID) string { return "/apps/" + string(id) + "/" }})
	has(t, "url", call("canvas.url", nil), `{"url":"/apps/notes/"}`)
	buf, err := s.Console(t.Context(), "notes")
	if err != nil {
		t.Fatal(err)
	}
	fail := func(text string) { buf.Add(console.Entry{Text: text, Level: slog.LevelError, Source: "app.js:1:2"}) }
	fail("one")
	fail("one")
	fail("two")
	has(t, "errors", call("canvas.errors", nil), `"text":"one","times":2}`)
	has(t, "errors since", call("canvas.errors", m{"since": 2}), `{"errors":[{"seq":3`)
	has(t, "wait, since", call("console.wait", m{"since": 1, "match": "two"}), `"seq":3`)
	has(t, "wait in vain", call("console.wait", m{"level": "error", "timeoutMs": 1}), `{"entry":null,"next":3}`)
	has(t, "clear", call("console.clear", nil), "{}")
	has(t, "cleared", call("console.read", nil), `"entries":[]`)
	waited := make(chan answer, 1)
	go func() { waited <- call("console.wait", m{"since": 3, "timeoutMs": 60_000, "level": "error"}) }()
	fail("three")
	select {
	case a := <-waited:
		has(t, "wait", a, `"text":"three"`)
	case <-time.After(30 * time.Second):
		t.Fatal("waits for ever")
	}
}

func TestToolsOfHost(t *testing.T) {
	s, call := withAgent(t, Options{Capabilities: withCRM()})
	mine, err := s.OpenTool(t.Context(), "notes", tool.Grant{Project: "notes", Paths: []string{"**"}, Mode: tool.Read})
	if err != nil {
		t.Fatal(err)
	}
	opened := call("tools.open", m{"project": "notes", "grant": m{"uses": []string{"crm@1.lookup"}, "maxCalls": 3}})
	has(t, "open", opened, `"words":"Call crm@1.lookup; at most 3 calls; until`)
	id := opened.field(t, "session")
	has(t, "it works", s.call(t, "notes", id, "TOOL.crm.lookup", nil), "found")
	if list := call("tools.list", nil); !strings.Contains(list.String(), id) || strings.Contains(list.String(), mine.ID) {
		t.Errorf("list %s", list)
	}
	has(t, "the person's session", call("tools.close", m{"session": mine.ID}), "not_found")
	has(t, "close", call("tools.close", m{"session": id}), "{}")
	has(t, "closed", call("tools.close", m{"session": id}), "not_found")
	has(t, "no grant", call("tools.open", m{"project": "notes", "grant": m{}}), "invalid")
	has(t, "what nobody offers", call("tools.open", m{"project": "notes", "grant": m{"uses": []string{"crm@1.drop"}}}), "invalid")
	has(t, "what is not for tools", call("tools.open", m{"project": "notes", "grant": m{"uses": []string{"projects@1.delete"}}}), "invalid")
	has(t, "a missing project", call("tools.open", m{"project": "none", "grant": m{"uses": []string{"crm@1.lookup"}}}), "not_found")
}
