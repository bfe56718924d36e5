package workbench

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// cellArgs are arguments with which a function that tools may have, or that runs commands, succeeds, on files that seedCells makes.
var cellArgs = map[string]m{
	"files.list": {}, "files.stat": {"path": "docs/a.md"}, "files.read": {"path": "docs/a.md"}, "files.search": {"query": "hello"}, "files.changes": {"waitMs": 1},
	"files.write": {"path": "docs/new.md", "content": "x"}, "files.remove": {"path": "docs/gone.md"}, "files.rename": {"path": "docs/old.md", "to": "docs/other.md"},
	"files.edit": {"path": "docs/edit.md", "edits": []m{{"find": "hello", "replace": "x"}}}, "files.apply": {"changes": []m{{"path": "docs/more.md", "content": "x"}}},
	"script.eval": {"code": "return 1"}, "script.save": {"name": "sum", "code": "return 2"}, "script.run": {"name": "kept"}, "script.list": {}, "script.read": {"name": "kept"}, "script.delete": {"name": "gone"},
	"tasks.list": {}, "tasks.get": {"source": cellTask, "lang": "json"}, "tasks.run": {"source": cellTask, "lang": "json"},
	"canvas.reload": {}, "console.read": {}, "crm.lookup": {},
	"cmd.run": {"argv": []string{"tee", "docs/new.md"}, "stdin": "x"}, "runCmd": {"argv": []string{"rm", "docs/gone.md"}}, "cmd.queue": {},
	"python.run": {"code": "open('docs/new.md', 'w').write('x')"}, "runPython": {"code": "import os; os.remove('docs/gone.md')"},
}

const cellTask = `{"name": "t", "policy": {"writable": ["docs/**"], "commands": [["tee", "*"]]}, "stages": [{"name": "s", "commands": [["tee", "docs/new.md"]]}]}`

// seedCells makes the files of cellArgs what they were.
func seedCells(t *testing.T, p *sam.Project) {
	t.Helper()
	for _, name := range []string{"a", "gone", "old", "edit"} {
		if err := p.WriteFile(t.Context(), "docs/"+name+".md", []byte("hello")); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"kept", "gone"} {
		if err := p.WriteFile(t.Context(), "scripts/"+name+".md", []byte("return 1")); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"new", "other", "more"} {
		p.Apply(t.Context(), sam.Edit{Name: "docs/" + name + ".md", Remove: true, IfHash: "*"}) // may not be there
	}
}

// What a cell may say.
const (
	works    = "works"     // and does what it is asked
	known    = "known"     // it is there, and finds its arguments wrong
	denied   = "denied"    // it is there, and the right is missing
	absent   = "absent"    // code finds no such function
	shut     = "shut out"  // the page itself is not served
	finished = "exhausted" // all calls are used
)

func verdictOf(a answer) string {
	switch {
	case a.Status == 403 || a.Status == 404:
		return shut
	case a.Code == "invalid":
		return known
	case a.Code == "denied":
		return denied
	case a.Code == "exhausted":
		return finished
	case a.Code == "" && a.Error == nil:
		return works
	case a.Code == "" && (strings.Contains(a.String(), "undefined") || strings.Contains(a.String(), "not a function") || strings.Contains(a.String(), "is not an object")):
		return absent
	}
	return a.String()
}

// TestTableOfStates generates the table of roles, functions and states, and tries each cell over HTTP, from a functions.js.
func TestTableOfStates(t *testing.T) {
	f := &fixture{store: sam.NewMemStore(), eng: newEngine(t)}
	t.Cleanup(func() { f.store.Close() })
	s := f.serve(t, allOf())
	ctx := t.Context()
	var notes *sam.Project
	for _, id := range []sam.ProjectID{"bot", "viewer", "other", "notes"} {
		notes = s.project(t, id, nil)
		seedCells(t, notes)
	}
	if err := s.SetWork(ctx, "notes"); err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	open := func(g tool.Grant) string {
		t.Helper()
		session, err := s.OpenTool(ctx, "viewer", g)
		must(err)
		return session.ID
	}
	path := func(session string, id sam.ProjectID) string {
		return s.site.Path(canvas.Visitor{Session: session}, id)
	}

	type function struct {
		name  string
		files bool
		reads bool
		tools bool
		tried bool // with arguments
	}
	var all []function
	var uses []string
	for fn := range s.agentOffer.Funcs() {
		name := strings.TrimPrefix(fn.Capability+"."+fn.Name, ".")
		one := function{name, fn.Files, fn.Reads, toolMay[name] || fn.Capability == "crm", cellArgs[name] != nil}
		if one.tools && cellArgs[name] == nil {
			t.Errorf("the table knows no arguments of %s", name)
		}
		if one.tools && !one.files {
			uses = append(uses, fullName(fn))
		}
		all = append(all, one)
	}
	ofFiles := func(f function) bool { return f.tools && f.files }
	only := func(has func(function) bool, want string) func(function) string {
		return func(f function) string {
			if has(f) {
				return want
			}
			return absent
		}
	}
	each := func(want string) func(function) string { return func(function) string { return want } }
	docs := func(mode tool.Mode) tool.Grant {
		return tool.Grant{Project: "notes", Paths: []string{"docs/**"}, Mode: mode}
	}

	must(s.SetAgent(ctx, "bot"))
	former := path(s.Agent().ID, "bot")
	must(s.SetAgent(ctx, ""))
	must(s.SetAgent(ctx, "bot"))
	agent := path(s.Agent().ID, "bot")
	closing := open(docs(tool.ReadWrite))
	closed := path(closing, "viewer") // a path is sealed while there are rights; it outlives them
	must(s.CloseTool(ctx, closing))
	brief := docs(tool.ReadWrite)
	brief.Expires = time.Now().Add(2 * time.Second) // time enough to seal the path
	expiring := open(brief)
	expired := path(expiring, "viewer")
	counted := docs(tool.ReadWrite)
	counted.MaxCalls = 1
	using := open(counted)
	used := path(using, "viewer")
	has(t, "the only call", s.call(t, "viewer", using, "TOOL.files.read", cellArgs["files.read"]), "hello")
	for end := time.Now().Add(30 * time.Second); s.session(expiring) != nil; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the session outlives its grant")
		}
	}
	elsewhere := open(docs(tool.ReadWrite))
	named := open(tool.Grant{Project: "notes", Uses: uses})

	// Another person's bench has projects of the same names.
	group := NewGroup(func(ctx context.Context, person string) (*Bench, error) {
		if person == "ada" {
			return s.Bench, nil
		}
		opts := allOf()
		opts.Roles = f.store.Space("bob/~bench")
		return New(ctx, sam.NewWorkspace(f.store, "bob", nil), f.eng, &opts)
	})
	t.Cleanup(func() { group.Close() })
	bob, err := group.Bench(ctx, "bob")
	must(err)
	for _, id := range []sam.ProjectID{"bot", "viewer", "notes"} {
		_, err := bob.Create(ctx, id, sam.Files{"index.html": "<p>", "functions.js": runner})
		must(err)
	}
	site, err := canvas.NewSite(group.App, &canvas.Options{Engine: f.eng, Key: make([]byte, 32)})
	must(err)
	t.Cleanup(func() { site.Close() })
	theirs := &server{fixture: s.fixture, site: site, http: httptest.NewServer(site)}
	t.Cleanup(theirs.http.Close)

	for _, session := range []string{s.Agent().ID, elsewhere} {
		if _, err := group.App(ctx, canvas.Visitor{Principal: "bob", Session: session}, "viewer"); code(err) != host.Denied {
			t.Errorf("another person in a session of ada's: %v", err)
		}
	}

	cells := 0
	for _, state := range []struct {
		name    string
		of      *server
		path    string
		binding string
		project string // in the arguments
		want    func(function) string
	}{
		{"the current agent", s, agent, "HOST", "", func(f function) string {
			if f.tried {
				return works
			}
			return known
		}},
		{"the current agent", s, agent, "TOOL", "", each(absent)},
		{"the current agent, on its own files", s, agent, "HOST", "bot", func(f function) string {
			switch {
			case f.files && !f.reads, f.name == "cmd.run", f.name == "runCmd", f.name == "python.run", f.name == "runPython", f.name == "tasks.run", f.name == "script.save", f.name == "script.delete":
				return denied
			case strings.HasPrefix(f.name, "script."), strings.HasPrefix(f.name, "tasks.") && f.tried:
				return works
			case f.tools && f.name != "crm.lookup":
				return works
			}
			return known
		}},
		{"the former agent", s, former, "HOST", "", each(shut)},
		{"the agent's project without its session", s, path("", "bot"), "HOST", "", each(absent)},
		{"the work project", s, path("", "notes"), "HOST", "", each(absent)},
		{"the work project", s, path("", "notes"), "TOOL", "", each(absent)},
		{"a tool with read", s, path(open(docs(tool.Read)), "viewer"), "TOOL", "", func(f function) string {
			if ofFiles(f) && !f.reads {
				return denied
			}
			return only(ofFiles, works)(f)
		}},
		{"a tool with readwrite", s, path(open(docs(tool.ReadWrite)), "viewer"), "TOOL", "", only(ofFiles, works)},
		{"a tool with readwrite", s, path(open(docs(tool.ReadWrite)), "viewer"), "HOST", "", each(absent)},
		{"a tool with functions", s, path(named, "viewer"), "TOOL", "", only(func(f function) bool { return f.tools && !f.files }, works)},
		{"closed", s, closed, "TOOL", "", each(shut)},
		{"expired", s, expired, "TOOL", "", each(shut)},
		{"count used", s, used, "TOOL", "", only(ofFiles, finished)},
		{"another project's files", s, path(elsewhere, "viewer"), "TOOL", "other", only(ofFiles, denied)},
		{"another project's functions", s, path(named, "viewer"), "TOOL", "other", func(f function) string {
			if f.name == "crm.lookup" {
				return known // it knows no projects
			}
			return only(func(f function) bool { return f.tools && !f.files }, denied)(f)
		}},
		// Of a session that is not theirs no path is sealed; what is left is a visit without one.
		{"another person, who names the agent's session", theirs, site.Path(canvas.Visitor{Principal: "bob", Session: s.Agent().ID}, "bot"), "HOST", "", each(absent)},
		{"another person, who names a tool's session", theirs, site.Path(canvas.Visitor{Principal: "bob", Session: elsewhere}, "viewer"), "TOOL", "", each(absent)},
		{"another person, with a path of ada's key on their own program", theirs, strings.Replace(agent, "bot/", "notes/", 1), "HOST", "", each(shut)},
		{"another person's work project", theirs, site.Path(canvas.Visitor{Principal: "bob"}, "notes"), "HOST", "", each(absent)},
	} {
		var wrong []string
		for _, fn := range all {
			seedCells(t, notes)
			args := m{"no such": "argument"}
			if fn.tried {
				args = m{}
				for k, v := range cellArgs[fn.name] {
					args[k] = v
				}
				if state.project != "" {
					args["project"] = state.project
				}
			}
			a := state.of.askAt(t, state.path, m{"act": "call", "name": state.binding + "." + fn.name, "args": args})
			if got, want := verdictOf(a), state.want(fn); got != want {
				wrong = append(wrong, fn.name+" is "+got+", not "+want)
			}
			cells++
		}
		if wrong != nil {
			slices.Sort(wrong)
			t.Errorf("%s, %s:\n\t%s", state.name, state.binding, strings.Join(wrong, "\n\t"))
		}
	}
	t.Logf("%d cells", cells)
	if cells < 600 {
		t.Errorf("the table has %d cells", cells)
	}
}
