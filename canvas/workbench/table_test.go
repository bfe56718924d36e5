package workbench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"samkit.dev/canvas"
	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/tool"
	"samkit.dev/tool/script"
)

// fullName is a function as a grant names it.
func fullName(f host.Func) string {
	if f.Capability == "" {
		return f.Name
	}
	return fmt.Sprintf("%s@%d.%s", f.Capability, f.Version, f.Name)
}

func withCRM() *host.Capabilities {
	caps := host.New()
	host.Register(caps.Define("crm", 1), "lookup", "Finds.", func(context.Context, waiting) (string, error) { return "found", nil }, host.Reads)
	return caps
}

// allOf is options with which every function is there.
func allOf() Options {
	return Options{Capabilities: withCRM(), SetAgent: true, Scripts: &script.Options{Mode: script.Bypass}, Commands: commands(), Tasks: &TaskOptions{Unasked: true}, URL: func(id sam.ProjectID) string { return string(id) },
		Screenshot: func(context.Context, Shot) ([]byte, error) { return []byte("\x89PNG"), nil }}
}

// The same table, as a functions.js sees it: which functions its env has, in each role and state, and
// that each of them answers.
func TestTableOfFunctionsInJavaScript(t *testing.T) {
	s := serve(t, allOf())
	ctx := t.Context()
	for _, id := range []sam.ProjectID{"bot", "viewer", "notes"} {
		s.project(t, id, nil)
	}
	if err := s.SetWork(ctx, "notes"); err != nil {
		t.Fatal(err)
	}
	if err := s.SetAgent(ctx, "bot"); err != nil {
		t.Fatal(err)
	}
	agent := s.Agent().ID
	files, err := s.OpenTool(ctx, "viewer", tool.Grant{Project: "notes", Paths: []string{"**"}, Mode: tool.ReadWrite})
	if err != nil {
		t.Fatal(err)
	}
	var uses, all, ofFiles, named []string
	for f := range s.agentOffer.Funcs() {
		name := strings.TrimPrefix(f.Capability+"."+f.Name, ".")
		all = append(all, name)
		switch {
		case f.Files && toolMay[name]:
			ofFiles = append(ofFiles, name)
		case toolMay[name] || f.Capability == "crm":
			named = append(named, name)
			uses = append(uses, fullName(f))
		}
	}
	byName, err := s.OpenTool(ctx, "viewer", tool.Grant{Project: "notes", Uses: uses})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		role    string
		id      sam.ProjectID
		session string
		binding string
		want    []string
	}{
		{"the agent", "bot", agent, "HOST", all},
		{"the agent", "bot", agent, "TOOL", nil},
		{"the agent without its session", "bot", "", "HOST", nil},
		{"the work project", "notes", "", "HOST", nil},
		{"the work project", "notes", "", "TOOL", nil},
		{"a tool with files", "viewer", files.ID, "TOOL", append([]string{"close"}, ofFiles...)},
		{"a tool with files", "viewer", files.ID, "HOST", nil},
		{"a tool with functions", "viewer", byName.ID, "TOOL", append([]string{"close"}, named...)},
		{"a tool with functions", "viewer", byName.ID, "HOST", nil},
		{"a tool's project without the session", "viewer", "", "TOOL", nil},
		{"a project in another's session", "notes", agent, "HOST", nil},
	} {
		a := s.ask(t, c.id, c.session, m{"act": "functions", "name": c.binding})
		var got []string
		mustUnmarshal(t, a.OK, &got)
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s, %s: %v, want %v", c.role, c.binding, got, c.want)
		}
	}
	// Each answers, if only that its arguments are wrong.
	for _, name := range all {
		if a := s.call(t, "bot", agent, "HOST."+name, m{"no such": "argument"}); a.Code != "invalid" {
			t.Errorf("%s: %s", name, a)
		}
	}
	paths := map[string]string{}
	for role, v := range map[string]struct {
		id      sam.ProjectID
		session string
	}{"agent": {"bot", agent}, "tool": {"viewer", files.ID}} {
		paths[role] = s.site.Path(canvas.Visitor{Session: v.session}, v.id)
	}
	if err := s.SetAgent(ctx, ""); err != nil {
		t.Fatal(err)
	}
	if err := s.CloseTool(ctx, files.ID); err != nil {
		t.Fatal(err)
	}
	for role, path := range paths {
		if a := s.askAt(t, path, m{"act": "functions", "name": "HOST"}); a.Status != 403 {
			t.Errorf("the former %s is served: %d %s", role, a.Status, a)
		}
	}
}

// Every role against every function, in every state: each cell of the table is tried.
func TestTableOfRolesAndFunctions(t *testing.T) {
	s := serve(t, allOf())
	ctx := t.Context()
	for _, id := range []sam.ProjectID{"bot", "viewer", "notes"} {
		s.project(t, id, nil)
	}
	if err := s.SetWork(ctx, "notes"); err != nil {
		t.Fatal(err)
	}
	program := map[string]bool{}
	for f := range s.opts.Capabilities.Funcs() {
		program[fullName(f)] = true
	}
	files := tool.Grant{Project: "notes", Paths: []string{"**"}, Mode: tool.ReadWrite}
	seen := 0
	for f := range s.agentOffer.Funcs() {
		seen++
		name := fullName(f)
		mayTool := program[name] || toolMay[f.Capability+"."+f.Name]

		if err := s.SetAgent(ctx, "bot"); err != nil {
			t.Fatal(err)
		}
		agent := s.agent
		app := func(session string, id sam.ProjectID) *canvas.App {
			a, err := s.App(ctx, canvas.Visitor{Session: session}, id)
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		if a := app("", "notes"); a.Host != nil || a.Tool != nil || a.Role != host.App {
			t.Errorf("the work project has HOST or TOOL: %+v", a)
		}
		if a := app("", "bot"); a.Host != nil || a.Tool != nil {
			t.Error("the agent's project has HOST without the session")
		}
		if a := app(agent.ID, "bot"); a.Host != host.Caller(agent) || a.Tool != nil || a.Role != host.Agent {
			t.Errorf("the agent: %+v", a)
		}
		offers := func(c host.Caller) (found bool) {
			for g := range c.Funcs() {
				found = found || fullName(g) == name
			}
			return found
		}
		if !offers(agent) {
			t.Errorf("%s: the agent does not have it", name)
		}

		// A grant of files, alone: functions of files and no others.
		session, err := s.OpenTool(ctx, "viewer", files)
		if err != nil {
			t.Fatal(err)
		}
		work := s.tools[session.ID]
		if a := app(session.ID, "viewer"); a.Tool != host.Caller(work) || a.Host != nil || a.Role != host.Tool {
			t.Errorf("the tool: %+v", a)
		}
		byFiles := mayTool && f.Files
		if offers(work) != byFiles {
			t.Errorf("%s: a tool with files has it: %v", name, !byFiles)
		}
		if !byFiles {
			if _, err := work.Call(ctx, name, nil); code(err) != host.Denied && code(err) != host.NotFound {
				t.Errorf("%s: a tool with files calls it: %v", name, err)
			}
		}

		// A grant that names it.
		named, err := s.OpenTool(ctx, "viewer", tool.Grant{Project: "notes", Uses: []string{name}})
		byName := mayTool && !f.Files
		if (err == nil) != byName {
			t.Errorf("%s: granted by name: %v", name, err)
		}
		if err == nil && !offers(s.tools[named.ID]) {
			t.Errorf("%s: the tool that was granted it does not have it", name)
		}
		if byName {
			if err := s.CloseTool(ctx, named.ID); err != nil {
				t.Fatal(err)
			}
		}

		// Past the set, what is not for tools is not to be had either.
		if !mayTool {
			if _, err := s.toolOffer.Call(ctx, name, nil); code(err) != host.Denied {
				t.Errorf("%s: the offer for tools: %v", name, err)
			}
		}

		// Rights that have ended.
		if err := s.CloseTool(ctx, session.ID); err != nil {
			t.Fatal(err)
		}
		if err := s.SetAgent(ctx, ""); err != nil {
			t.Fatal(err)
		}
		for role, c := range map[string]host.Caller{"agent": agent, "tool": work, "door": s.Host()} {
			if _, err := c.Call(ctx, name, nil); code(err) != host.Denied {
				t.Errorf("%s: the former %s: %v", name, role, err)
			}
		}
		for _, old := range []struct {
			session string
			id      sam.ProjectID
		}{{agent.ID, "bot"}, {session.ID, "viewer"}, {session.ID, "notes"}, {"made up", "notes"}} {
			if _, err := s.App(ctx, canvas.Visitor{Session: old.session}, old.id); code(err) != host.Denied {
				t.Errorf("%s is served in a session that has ended: %v", old.id, err)
			}
		}
	}
	if seen < 8 {
		t.Errorf("the table has %d functions", seen)
	}
}

func TestWildcardsGrantNoGroupThatIsNotForTools(t *testing.T) {
	f := open(t)
	f.create(t, "notes")
	for _, g := range groups {
		if g.name == "" {
			continue
		}
		use := g.name + "@1.*"
		session, err := f.OpenTool(t.Context(), "notes", tool.Grant{Project: "notes", Uses: []string{use}})
		if err != nil {
			continue
		}
		for fn := range f.tools[session.ID].Funcs() {
			if fn.Name != "close" && !toolMay[fn.Capability+"."+fn.Name] {
				t.Errorf("%s grants %s", use, fullName(fn))
			}
		}
	}
}

// What a sandbox could try with the session of another. The numbers are of the catalogue of attacks.
func TestSessionsAreNotPassedOn(t *testing.T) {
	s := serve(t, Options{Capabilities: withCRM()})
	ctx := t.Context()
	for _, id := range []sam.ProjectID{"bot", "viewer", "notes"} {
		s.project(t, id, sam.Files{"docs/a.md": "hello"})
	}
	if err := s.SetAgent(ctx, "bot"); err != nil {
		t.Fatal(err)
	}
	agent := s.Agent().ID
	session, err := s.OpenTool(ctx, "viewer", tool.Grant{Project: "notes", Paths: []string{"docs/**"}, Mode: tool.Read})
	if err != nil {
		t.Fatal(err)
	}

	// 156, 157: a handle kept in a global serves the same session, and no other.
	has(t, "keep", s.ask(t, "bot", agent, m{"act": "keep"}), "true")
	if err := s.SetWork(ctx, "notes"); err != nil {
		t.Fatal(err)
	}
	has(t, "kept", s.ask(t, "bot", agent, m{"act": "kept"}), "docs/a.md")
	has(t, "kept, without the session", s.ask(t, "bot", "", m{"act": "kept"}), "undefined")
	if err := s.SetAgent(ctx, ""); err != nil {
		t.Fatal(err)
	}
	if err := s.SetAgent(ctx, "bot"); err != nil {
		t.Fatal(err)
	}
	if s.Agent().ID == agent {
		t.Error("a new agent has the session of the former one")
	}
	has(t, "kept, as the agent again", s.ask(t, "bot", s.Agent().ID, m{"act": "kept"}), "undefined")
	agent = s.Agent().ID

	// 158, 160: who reaches the agent's API without its path is not the agent, whatever headers say.
	req := strings.NewReader(`{"act":"env"}`)
	res, err := s.http.Client().Post(s.http.URL+"/bot/api/x?session="+agent, "application/json", req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	buf := make([]byte, 1000)
	n, _ := res.Body.Read(buf)
	if strings.Contains(string(buf[:n]), "HOST") {
		t.Errorf("without the path: %s", buf[:n])
	}

	// 159: a project named by the caller.
	for _, id := range []string{"viewer", "bot", "../ada/notes", "notes/", "NOTES", "nоtes", "bob/notes"} {
		has(t, "tool on "+id, s.call(t, "viewer", session.ID, "TOOL.files.read", m{"project": id, "path": "docs/a.md"}), "denied")
	}
	for _, id := range []string{"../ada/notes", "bob/notes", "bob/~bench", "~bench", "NOTES", "nоtes"} {
		a := s.call(t, "bot", agent, "HOST.files.read", m{"project": id, "path": "docs/a.md"})
		if a.Code != "invalid" && a.Code != "not_found" {
			t.Errorf("the agent on %s: %s", id, a)
		}
	}

	// 162: a sealed path is for its project.
	path := s.site.Path(canvas.Visitor{Session: session.ID}, "viewer")
	token := strings.TrimPrefix(path, "viewer/")
	for _, id := range []string{"notes", "bot"} {
		if a := s.askAt(t, id+"/"+token, m{"act": "env"}); a.Status == 200 {
			t.Errorf("the tool's path on %s: %s", id, a)
		}
	}
	for _, id := range []sam.ProjectID{"notes", "viewer"} {
		if _, err := s.App(ctx, canvas.Visitor{Session: agent}, id); code(err) != host.Denied {
			t.Errorf("the agent's session on %s: %v", id, err)
		}
	}
	// 155: what crosses is data.
	has(t, "leak", s.ask(t, "viewer", session.ID, m{"act": "leak"}), `"files":{}`)
}

func TestAllow(t *testing.T) {
	s := serve(t, Options{Capabilities: withCRM()})
	ctx := t.Context()
	s.project(t, "notes", nil)
	s.project(t, "other", nil)
	g := tool.Grant{Uses: []string{"crm@1.lookup"}}
	if err := s.Allow(ctx, "notes", "CRM", g); err != nil {
		t.Fatal(err)
	}
	has(t, "service", s.call(t, "notes", "", "CRM.lookup", nil), "found")
	has(t, "another project", s.ask(t, "other", "", m{"act": "get", "name": "CRM"}), "null")
	before := s.servicesOf("notes")["CRM"]
	if err := s.Allow(ctx, "notes", "CRM", tool.Grant{}); err != nil {
		t.Fatal(err)
	}
	if _, err := before.Call(ctx, "lookup", nil); code(err) != host.Denied {
		t.Errorf("a service that was taken away: %v", err)
	}
	has(t, "taken away", s.ask(t, "notes", "", m{"act": "get", "name": "CRM"}), "null")
	for name, g := range map[string]tool.Grant{
		"crm": g, "": g, "HOST": g, "TOOL": g,
		"A": {Uses: []string{"crm@1.nothing"}}, "B": {Project: "notes", Paths: []string{"**"}, Mode: tool.Read}, "C": {Uses: []string{"files@1.read"}},
	} {
		if err := s.Allow(ctx, "notes", name, g); err == nil {
			t.Errorf("%q was allowed %+v", name, g)
		}
	}
	if err := s.Allow(ctx, "notes", "CRM", g); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(ctx, "notes"); err != nil {
		t.Fatal(err)
	}
	s.project(t, "notes", nil)
	has(t, "a project of the same name", s.ask(t, "notes", "", m{"act": "get", "name": "CRM"}), "null")
}

func TestADeletedProjectLosesItsRoles(t *testing.T) {
	s := serve(t, Options{})
	ctx := t.Context()
	for _, id := range []sam.ProjectID{"bot", "viewer", "notes"} {
		s.project(t, id, nil)
	}
	if err := s.SetAgent(ctx, "bot"); err != nil {
		t.Fatal(err)
	}
	g := tool.Grant{Project: "notes", Paths: []string{"**"}, Mode: tool.Read}
	for range 2 {
		if _, err := s.OpenTool(ctx, "viewer", g); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []sam.ProjectID{"notes", "bot"} {
		if err := s.Delete(ctx, id); err != nil {
			t.Fatal(err)
		}
		s.project(t, id, nil)
	}
	if len(s.Sessions()) != 0 || s.Agent().ID != "" {
		t.Errorf("sessions %+v, agent %+v", s.Sessions(), s.Agent())
	}
	s.Close()
	if b := s.serve(t, Options{}); len(b.Sessions()) != 0 || b.Agent().ID != "" {
		t.Errorf("after a restart: sessions %+v, agent %+v", b.Sessions(), b.Agent())
	}
}

func TestCapabilitiesWithTheNameOfAGroup(t *testing.T) {
	caps := host.New()
	host.Register(caps.Define("files", 1), "read", "", func(context.Context, waiting) (string, error) { return "", nil })
	f := open(t)
	if _, err := New(t.Context(), f.Workspace(), f.eng, &Options{Capabilities: caps}); err == nil {
		t.Error("New took a second files")
	}
}
