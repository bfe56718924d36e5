package playground

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"samkit.dev/host"
	"samkit.dev/host/console"
	"samkit.dev/sam"
)

func TestProjects(t *testing.T) {
	s := newSite(t)
	var list projectsReply
	s.ask("GET", "api/projects", nil, 200, &list)
	if len(list.Projects) != 0 || list.Projects == nil || list.Work != "" {
		t.Errorf("a new workspace has %+v", list)
	}
	p := s.create("notes", "notes")
	if p.ID != "notes" || !strings.HasPrefix(p.Canvas, "canvas/") || len(p.Files) < 5 {
		t.Errorf("created %+v", p)
	}
	s.ask("PUT", "api/work", workRequest{"notes"}, 204, nil)
	s.ask("GET", "api/projects", nil, 200, &list)
	if !slices.Equal(list.Projects, []string{"notes"}) || list.Work != "notes" {
		t.Errorf("list %+v", list)
	}
	s.ask("POST", "api/projects", createRequest{"notes", "blank"}, 409, nil)
	s.ask("DELETE", "api/projects/notes", nil, 204, nil)
	s.ask("DELETE", "api/projects/notes", nil, 404, nil)
	s.ask("GET", "api/projects/notes", nil, 404, nil)
}

func TestEveryTemplateMakesAProject(t *testing.T) {
	s := newSite(t)
	var infos []templateInfo
	s.ask("GET", "api/templates", nil, 200, &infos)
	if len(infos) < 5 {
		t.Errorf("%d templates", len(infos))
	}
	for _, info := range infos {
		p := s.create(info.ID, info.ID)
		if !slices.ContainsFunc(p.Files, func(f fileInfo) bool { return f.Name == "index.html" }) {
			t.Errorf("%s has no index.html", info.ID)
		}
		if info.Title == "" || info.About == "" {
			t.Errorf("%s says nothing about itself", info.ID)
		}
		size := int64(0)
		for _, f := range p.Files {
			size += f.Size
		}
		if info.Kind == toolKind && size > 20_000 {
			t.Errorf("the tool %s has %d bytes", info.ID, size)
		}
		if !slices.Contains([]string{projectKind, agentKind, toolKind}, info.Kind) {
			t.Errorf("%s is a template for %q", info.ID, info.Kind)
		}
	}
}

func TestPeopleDoNotSeeEachOther(t *testing.T) {
	s := newSite(t)
	s.create("notes", "blank")
	s.login("bob")
	s.ask("GET", "api/projects/notes", nil, 404, nil)
	s.create("notes", "blank")
	s.ask("DELETE", "api/projects/notes", nil, 204, nil)
	s.login("ada")
	s.ask("GET", "api/projects/notes", nil, 200, nil)
}

func TestWriteAndRead(t *testing.T) {
	s := newSite(t)
	s.create("p", "blank")
	var info fileInfo
	s.ask("PUT", file("p", "src/ä b.js"), writeRequest{"one", ""}, 200, &info)
	if info.Hash != sam.Hash([]byte("one")) || info.Size != 3 {
		t.Errorf("wrote %+v", info)
	}
	var got fileReply
	s.ask("GET", file("p", "src/ä b.js"), nil, 200, &got)
	if !got.Text || got.Data != "one" || got.Hash != info.Hash {
		t.Errorf("read %+v", got)
	}
	s.ask("PUT", file("p", "src/ä b.js"), writeRequest{"two", info.Hash}, 200, &info)
	s.ask("PUT", file("p", "empty"), writeRequest{"", ""}, 200, &info)
	if info.Size != 0 || info.Hash != sam.Hash(nil) {
		t.Errorf("an empty file is %+v", info)
	}
	s.ask("GET", file("p", "nothere"), nil, 404, nil)
}

func TestAConflictTellsBothSides(t *testing.T) {
	s := newSite(t)
	s.create("p", "blank")
	s.ask("PUT", file("p", "a.js"), writeRequest{"one", ""}, 200, nil)
	conflict := func(status int, path string, body any) conflictDetails {
		t.Helper()
		var e host.Error
		s.ask("PUT", path, body, status, &e)
		var d conflictDetails
		if err := json.Unmarshal(e.Details, &d); err != nil || e.Code != host.Conflict || e.Message == "" {
			t.Fatalf("%+v: %v", e, err)
		}
		return d
	}
	// There is a file where none was expected, or another one.
	for _, expected := range []string{"", sam.Hash([]byte("other"))} {
		d := conflict(409, file("p", "a.js"), writeRequest{"two", expected})
		if d.Name != "a.js" || d.Hash != sam.Hash([]byte("one")) || !d.Text || d.Data != "one" {
			t.Errorf("expecting %q: %+v", expected, d)
		}
	}
	// There is none any more.
	if d := conflict(409, file("p", "b.js"), writeRequest{"two", sam.Hash([]byte("one"))}); d.Hash != "" || d.Name != "b.js" {
		t.Errorf("a removed file: %+v", d)
	}
	if d := conflict(409, raw("p", "a.js", ""), []byte{0, 1}); d.Hash != sam.Hash([]byte("one")) {
		t.Errorf("an upload: %+v", d)
	}
	s.ask("PUT", file("p", "a.js"), writeRequest{"three", "*"}, 200, nil)
}

func TestBinaryFiles(t *testing.T) {
	s := newSite(t)
	s.create("p", "blank")
	data := append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 10_000)...)
	s.ask("PUT", raw("p", "a.png", ""), data, 200, nil)
	var got fileReply
	s.ask("GET", file("p", "a.png"), nil, 200, &got)
	if got.Text || got.Size != int64(len(data)) || len(got.Data) > 6000 {
		t.Errorf("text %v, size %d, head of %d", got.Text, got.Size, len(got.Data))
	}
	status, body, head := s.send(s.request("GET", raw("p", "a.png", ""), nil))
	if status != 200 || string(body) != string(data) {
		t.Errorf("status %d, %d bytes", status, len(body))
	}
	// Nothing of a project may run in the program's origin.
	if ct := head.Get("Content-Type"); ct != "application/octet-stream" {
		t.Errorf("raw bytes are served as %s", ct)
	}
	if head.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(head.Get("Content-Disposition"), "attachment") || !strings.Contains(head.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("headers %v", head)
	}
	// Bytes that are not UTF-8 don't become text that a save would spoil.
	s.ask("PUT", raw("p", "latin.txt", ""), []byte("caf\xe9"), 200, nil)
	s.ask("GET", file("p", "latin.txt"), nil, 200, &got)
	if got.Text {
		t.Error("a Latin-1 file is opened as text")
	}
}

func TestEdits(t *testing.T) {
	s := newSite(t)
	s.create("p", "blank")
	text := func(v string) *string { return &v }
	s.ask("POST", "api/projects/p/edits", editsRequest{[]editRequest{
		{Name: "a.js", Text: text("a")}, {Name: "b.bin", Base64: text("AAE=")}, {Name: "c.txt", Base64: text("")},
	}}, 204, nil)
	// All or nothing.
	s.ask("POST", "api/projects/p/edits", editsRequest{[]editRequest{
		{Name: "a.js", Remove: true, Expected: sam.Hash([]byte("a"))}, {Name: "b.bin", Rename: "d.bin", Expected: "wrong"},
	}}, 409, nil)
	s.ask("GET", file("p", "a.js"), nil, 200, nil)
	s.ask("POST", "api/projects/p/edits", editsRequest{[]editRequest{
		{Name: "a.js", Remove: true, Expected: sam.Hash([]byte("a"))}, {Name: "b.bin", Rename: "d.bin", Expected: "*"},
	}}, 204, nil)
	s.ask("GET", file("p", "a.js"), nil, 404, nil)
	s.ask("GET", file("p", "d.bin"), nil, 200, nil)
	for name, body := range map[string]string{
		"nothing":    `{"edits":[]}`,
		"two things": `{"edits":[{"name":"x","text":"","remove":true,"expected":""}]}`,
		"no thing":   `{"edits":[{"name":"x","expected":""}]}`,
		"base64":     `{"edits":[{"name":"x","base64":"%","expected":""}]}`,
		"not JSON":   `{`,
		"unknown":    `{"edits":[],"more":1}`,
		"two values": `{"edits":[]}{}`,
	} {
		status, data, _ := s.send(s.request("POST", "api/projects/p/edits", body))
		if status != 400 {
			t.Errorf("%s: status %d: %s", name, status, data)
		}
	}
}

func TestConsole(t *testing.T) {
	s := newSite(t)
	s.create("p", "blank")
	bench, err := s.group.Bench(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	buf, err := bench.Console(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	buf.Add(console.Entry{Text: "one"})
	buf.Add(console.Entry{Text: "two", Source: "src/a.js:1:2"})
	var got consoleReply
	s.ask("GET", "api/projects/p/console?since=1", nil, 200, &got)
	if len(got.Entries) != 1 || got.Entries[0].Text != "two" || got.First != 1 || got.Last != 2 {
		t.Errorf("console %+v", got)
	}
	s.ask("GET", "api/projects/p/console?since=x", nil, 400, nil)
	s.ask("DELETE", "api/projects/p/console", nil, 204, nil)
	s.ask("GET", "api/projects/p/console", nil, 200, &got)
	if len(got.Entries) != 0 || got.First != 3 {
		t.Errorf("a cleared console is %+v", got)
	}
	s.ask("GET", "api/projects/nothere/console", nil, 404, nil)
}

func TestReload(t *testing.T) {
	s := newSite(t)
	s.create("p", "blank")
	s.ask("POST", "api/projects/p/reload", nil, 204, nil)
	s.ask("POST", "api/projects/nothere/reload", nil, 404, nil)
}

func TestHostileNames(t *testing.T) {
	s := newSite(t)
	s.create("p", "blank")
	for _, name := range []string{"", ".", "..", "../x", "a/../b", "/etc/passwd", "a//b", "a/", "a\\b", "a\x00b", "c:x", "con", "a\nb", "\xff", strings.Repeat("a", 5000)} {
		for _, method := range []string{"GET", "PUT"} {
			status, data, _ := s.send(s.request(method, file("p", name), writeRequest{"x", ""}))
			if status < 400 || status >= 500 {
				t.Errorf("%s of file %.20q: status %d: %s", method, name, status, data)
			}
		}
	}
	for _, id := range []string{"..", "%2e%2e", "A", "a%2Fb", "-a", "a%00", "%ff", "~x", strings.Repeat("a", 64)} {
		status, data, _ := s.send(s.request("GET", "api/projects/"+id, nil))
		if status < 400 || status >= 500 {
			t.Errorf("project %.20q: status %d: %s", id, status, data)
		}
	}
	for _, id := range []string{"", "..", "a/b", "A", "a b"} {
		s.ask("POST", "api/projects", createRequest{id, "blank"}, 400, nil)
		if id != "" {
			s.ask("PUT", "api/work", workRequest{id}, 400, nil)
		}
	}
	s.ask("POST", "api/projects", createRequest{"x", "../p"}, 404, nil)
	s.ask("PUT", "api/work", workRequest{"nothere"}, 404, nil)
	s.ask("GET", "api/nothere", nil, 404, nil)
	s.ask("PATCH", "api/projects", nil, 404, nil)
}

func TestBodiesAreBounded(t *testing.T) {
	s := newSite(t)
	var e host.Error
	s.ask("POST", "api/projects", `{"id":"`+strings.Repeat("a", maxSmall)+`"}`, 413, &e)
	if e.Code != host.Exhausted {
		t.Errorf("%+v", e)
	}
}
