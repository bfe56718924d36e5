package workbench

import (
	"bufio"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"samkit.dev/canvas"
	"samkit.dev/host/console"
	"samkit.dev/tool"
)

func TestToolReloadsAndReadsTheConsole(t *testing.T) {
	s := serve(t, Options{})
	s.project(t, "viewer", nil)
	s.project(t, "notes", nil)
	s.project(t, "other", nil)
	session, err := s.OpenTool(t.Context(), "viewer", tool.Grant{Project: "notes", Uses: []string{"canvas@1.reload", "console@1.read"}})
	if err != nil {
		t.Fatal(err)
	}
	buf, err := s.Console(t.Context(), "notes")
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range []slog.Level{slog.LevelInfo, slog.LevelError, slog.LevelDebug} {
		buf.Add(console.Entry{Text: "said " + level.String(), Level: level})
	}
	read := func(args m) answer { return s.call(t, "viewer", session.ID, "TOOL.console.read", args) }
	has(t, "all", read(m{}), `"next":3`)
	has(t, "a level", read(m{"level": "warn"}), `"text":"said ERROR"}],"next":3`)
	has(t, "one", read(m{"limit": 1}), `"text":"said INFO"}],"next":1,"more":true`)
	has(t, "since", read(m{"since": 3}), `{"entries":[],"next":3}`)
	has(t, "a level that is none", read(m{"level": "loud"}), "invalid")
	has(t, "another project", read(m{"project": "other"}), "denied")
	has(t, "no files", s.ask(t, "viewer", session.ID, m{"act": "get", "name": "TOOL.files"}), "null")

	res, err := http.Get(s.http.URL + "/" + s.site.Path(canvas.Visitor{}, "notes") + "~events")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	event := func(kind string) {
		t.Helper()
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "event: ") {
				if lines.Text() != "event: "+kind {
					t.Errorf("%s, want %s", lines.Text(), kind)
				}
				return
			}
		}
		t.Fatalf("no event %s: %v", kind, lines.Err())
	}
	event("seen")
	has(t, "reload", s.call(t, "viewer", session.ID, "TOOL.canvas.reload", nil), "{}")
	event("reload")
}

func TestServiceAndConsoleWithoutAProjectInTheGrant(t *testing.T) {
	s := serve(t, Options{})
	s.project(t, "viewer", nil)
	session, err := s.OpenTool(t.Context(), "viewer", tool.Grant{Uses: []string{"console@1.read"}})
	if err != nil {
		t.Fatal(err)
	}
	has(t, "no project", s.call(t, "viewer", session.ID, "TOOL.console.read", m{}), "denied")
}
