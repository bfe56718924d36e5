package workbench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// Of a hundred calls that are refused, at least 95 say with which grant they succeed: a script that reads no words opens a
// session with it and calls again. SAMKIT_WANTED_SEEDS says how often.
func TestRefusalsSayWhatWouldDo(t *testing.T) {
	seeds := 5
	if s := os.Getenv("SAMKIT_WANTED_SEEDS"); s != "" {
		var err error
		if seeds, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { refuse100(t, rand.New(rand.NewPCG(1, 2+uint64(seed)))) })
	}
}

func refuse100(t *testing.T, rng *rand.Rand) {
	s, call := withAgent(t, Options{Capabilities: withCRM()})
	ctx := t.Context()
	files := []string{"a.md", "docs/a.md", "docs/b.md", "docs/old/c.md", "src/app.js", "src/*.js", "odd name (1).txt", "Ünïcode.md", "q\"uote.md"}
	all := sam.Files{}
	for _, f := range files {
		all[f] = "hello"
	}
	for _, id := range []sam.ProjectID{"viewer", "book", "site", "draft"} {
		s.project(t, id, all)
	}
	if err := s.SetWork(ctx, "draft"); err != nil {
		t.Fatal(err)
	}
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	carried, refused := 0, 0
	for i := 0; refused < 100; i++ {
		if i == 2000 {
			t.Fatalf("only %d calls were refused", refused)
		}
		project := pick("book", "site")
		grant := tool.Grant{Project: sam.ProjectID(project), Paths: []string{pick("docs/**", "src/app.js", "**/*.md", "none/*")}, Mode: tool.Read}
		if rng.IntN(2) == 0 {
			grant.Mode = tool.ReadWrite
		}
		if rng.IntN(8) == 0 {
			grant = tool.Grant{Uses: []string{"crm@1.lookup"}}
		}
		file, fresh := pick(files...), pick("new/", "docs/", "src/")+pick("x", "y", "z")+fmt.Sprint(rng.IntN(1e9))
		name := pick("files.read", "files.stat", "files.write", "files.edit", "files.remove", "files.rename", "files.apply", "console.read", "canvas.reload", "crm@1.lookup", "files.list", "files.search")
		args := map[string]m{
			"files.read": {"path": file}, "files.stat": {"path": file}, "files.write": {"path": fresh, "content": "x"},
			"files.edit":   {"path": file, "edits": []m{{"find": "l", "replace": "l", "all": true}}},
			"files.remove": {"path": fresh}, "files.rename": {"path": fresh, "to": fresh + "2"},
			"files.apply":  {"changes": []m{{"path": fresh, "content": "x"}, {"path": file, "content": "hello"}}},
			"files.search": {"query": "hello"},
		}[name]
		if args == nil {
			args = m{}
		}
		if rng.IntN(4) == 0 && name != "crm@1.lookup" {
			args["project"] = pick("book", "site", "viewer")
		}
		if name == "files.rename" || name == "files.remove" { // something has to be there
			of := cmp.Or(string(grant.Project), "draft")
			if p, ok := args["project"].(string); ok {
				of = p
			}
			call("files.write", m{"project": of, "path": fresh, "content": "hello"})
		}
		session, err := s.OpenTool(ctx, "viewer", grant)
		if err != nil {
			t.Fatal(err)
		}
		data, _ := json.Marshal(args)
		_, err = s.tools[session.ID].Call(ctx, name, data)
		if err := s.CloseTool(ctx, session.ID); err != nil {
			t.Fatal(err)
		}
		if code(err) != host.Denied {
			continue
		}
		refused++
		var denied struct{ Grant json.RawMessage } // all that a script looks at
		mustUnmarshal(t, asJSON(err), &denied)
		if denied.Grant == nil {
			t.Logf("%s %s by %s: no grant: %v", name, data, grant.Words(), err)
			continue
		}
		if strings.Contains(string(asJSON(err)), "draft") && grant.Project == "" && args["project"] == nil {
			t.Errorf("a tool is told of the work project: %v", err)
		}
		opened := call("tools.open", m{"project": "viewer", "grant": denied.Grant})
		if opened.Code != "" {
			t.Logf("%s %s by %s: %s: %s", name, data, grant.Words(), denied.Grant, opened)
			continue
		}
		id := opened.field(t, "session")
		if _, err := s.tools[id].Call(ctx, name, data); err != nil {
			t.Logf("%s %s by %s: with %s: %v", name, data, grant.Words(), denied.Grant, err)
		} else {
			carried++
		}
		call("tools.close", m{"session": id})
	}
	t.Logf("%d of %d", carried, refused)
	if carried < 95 {
		t.Errorf("%d of %d refusals carry a grant that would do", carried, refused)
	}
}
