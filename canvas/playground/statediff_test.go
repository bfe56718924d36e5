package playground

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestDiffOfState(t *testing.T) {
	s := newSite(t)
	s.create("notes", "blank")
	put := func(key, value string) {
		t.Helper()
		s.ask("PUT", "api/projects/notes/kv/value?ns=KV&key="+key, kvPut{Text: true, Data: value}, 204, nil)
	}
	run := func(sql string) {
		t.Helper()
		s.ask("POST", "api/projects/notes/db", queryRequest{DB: "DB", SQL: sql, Write: true}, 200, nil)
	}
	made := func(state bool) string {
		t.Helper()
		var c checkpointInfo
		s.ask("POST", "api/projects/notes/checkpoints", checkpointRequest{State: state}, 201, &c)
		return c.ID
	}
	diff := func(before, after string) (all []string) {
		t.Helper()
		var d diffReply
		s.ask("GET", "api/projects/notes/diff?state=1&before="+before+"&after="+after, nil, 200, &d)
		for _, c := range d.Changes {
			all = append(all, strings.Join([]string{c.Kind, c.Part, c.Name}, " "))
		}
		return all
	}
	lines := func(before, after, part, name string) (all []string) {
		t.Helper()
		var d fileDiffReply
		s.ask("GET", "api/projects/notes/diff/file?"+url.Values{"before": {before}, "after": {after}, "part": {part}, "name": {name}}.Encode(), nil, 200, &d)
		for _, h := range d.Hunks {
			for _, l := range h.Lines {
				if l[0] != ' ' {
					all = append(all, l)
				}
			}
		}
		return all
	}
	same := func(what string, got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}

	put("a", "1")
	put("long", strings.Repeat("x", 5000))
	run("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT, more)")
	run("INSERT INTO notes VALUES (1, 'one', NULL), (2, 'two\nlines', x'00ff')")
	files, first := made(false), made(true)
	same("at once", diff(first, ""))
	put("a", "2")
	put("b", "3")
	put("long", strings.Repeat("x", 4999)+"y")
	run("UPDATE notes SET text = 'ONE' WHERE id = 1")
	run("CREATE TABLE more (x)")
	same("since", diff(first, ""), "added db DB.more", "changed db DB.notes", "changed kv KV")
	got := lines(first, "", "kv", "KV") // the long one by its checksum
	for _, want := range []string{"-a │ 1", "+a │ 2", "+b │ 3"} {
		if !slices.Contains(got, want) || len(got) != 5 {
			t.Errorf("keys: %q, want %q", got, want)
		}
	}
	same("rows", lines(first, "", "db", "DB.notes"), "-1 │ one │ null", "+1 │ ONE │ null")
	second := made(true)
	same("two checkpoints", diff(first, second), "added db DB.more", "changed db DB.notes", "changed kv KV")
	same("and back", lines(second, first, "db", "DB.notes"), "-1 │ ONE │ null", "+1 │ one │ null")
	same("files alone", diff(files, ""))
	s.ask("GET", "api/projects/notes/diff?state=1&before=none", nil, 404, nil)
	same("of nothing", lines(first, "", "db", "DB.none"))
}

// TestDataIsNews is the event of what an app, or another window, writes.
func TestDataIsNews(t *testing.T) {
	s := newSite(t)
	s.create("notes", "blank")
	src := s.listen("notes", "")
	src.next("ready", &readyEvent{})
	for range 3 {
		s.ask("PUT", "api/projects/notes/kv/value?ns=KV&key=a", kvPut{Text: true, Data: time.Now().String()}, 204, nil)
		for src.line() != "event: data" {
		}
	}
}
