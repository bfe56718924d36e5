package playground

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"samkit.dev/kv"
	"samkit.dev/sam"
)

// project returns a project of the person who asks.
func (s *site) project(id sam.ProjectID) *sam.Project {
	s.t.Helper()
	bench, err := s.group.Bench(s.t.Context(), s.user)
	if err != nil {
		s.t.Fatal(err)
	}
	p, err := bench.Workspace().Open(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

func (s *site) checkpoint(id, label string, state bool) checkpointInfo {
	s.t.Helper()
	var made checkpointInfo
	s.ask("POST", "api/projects/"+id+"/checkpoints", checkpointRequest{label, state}, 201, &made)
	return made
}

func TestCheckpoints(t *testing.T) {
	s := newSite(t)
	s.create("p", "blank")
	p := s.project("p")
	ctx := t.Context()
	ns := kv.New(p.State(), "KV")
	if err := ns.Put(ctx, kv.Entry{Key: "k", Value: []byte("then")}); err != nil {
		t.Fatal(err)
	}
	first := s.checkpoint("p", "first", true)
	if first.By != "person ada" || !first.State || first.Label != "first" || first.Files != 1 {
		t.Errorf("made %+v", first)
	}
	write := func(name, text string) {
		t.Helper()
		if err := p.WriteFile(ctx, name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	write("a.js", "one\ntwo\n")
	write("b.png", "\x89PNG\x00\x01")
	second := s.checkpoint("p", "", false)
	write("a.js", "one\n2\nthree\n")
	if err := p.Apply(ctx, sam.Edit{Name: "b.png", Rename: "c.png", IfHash: "*"}); err != nil {
		t.Fatal(err)
	}
	if err := ns.Put(ctx, kv.Entry{Key: "k", Value: []byte("now")}); err != nil {
		t.Fatal(err)
	}

	var list checkpointsReply
	s.ask("GET", "api/projects/p/checkpoints", nil, 200, &list)
	if len(list.Checkpoints) != 2 || list.Checkpoints[0].ID != second.ID || list.Checkpoints[0].Changed != 2 || list.Checkpoints[1].Changed != 1 || list.Changed != 2 || list.More {
		t.Errorf("list %+v", list)
	}

	var diff diffReply
	s.ask("GET", "api/projects/p/diff?before="+second.ID, nil, 200, &diff)
	want := "[{changed  a.js  12 8 true 2 1} {renamed  c.png b.png 6 6 false 0 0}]"
	if got := fmt.Sprint(diff.Changes); got != want {
		t.Errorf("changes %s\nwant %s", got, want)
	}
	s.ask("GET", "api/projects/p/diff?before="+first.ID+"&after="+second.ID, nil, 200, &diff)
	want = "[{added  a.js  8 0 true 2 0} {added  b.png  6 0 false 0 0}]"
	if got := fmt.Sprint(diff.Changes); got != want {
		t.Errorf("changes %s\nwant %s", got, want)
	}
	var lines fileDiffReply
	s.ask("GET", "api/projects/p/diff/file?name=a.js&before="+second.ID, nil, 200, &lines)
	if got := fmt.Sprint(lines); got != "{true false false [{1 1 [ one -two +2 +three]}]}" {
		t.Errorf("lines %s", got)
	}
	s.ask("GET", "api/projects/p/diff/file?name=c.png&from=b.png&before="+second.ID, nil, 200, &lines)
	if lines.Text || lines.Long {
		t.Errorf("a picture is compared as %+v", lines)
	}

	// A restore is undone by restoring what it returned.
	var undo checkpointInfo
	s.ask("POST", "api/projects/p/restore", restoreRequest{first.ID, true}, 200, &undo)
	if e, err := ns.Get(ctx, "k"); err != nil || string(e.Value) != "then" {
		t.Errorf("restored %q, %v", e.Value, err)
	}
	if _, err := p.Stat(ctx, "a.js"); err == nil || undo.By != "person ada" {
		t.Errorf("restored: %v, %+v", err, undo)
	}
	s.ask("POST", "api/projects/p/restore", restoreRequest{undo.ID, true}, 200, nil)
	if e, err := ns.Get(ctx, "k"); err != nil || string(e.Value) != "now" {
		t.Errorf("undone %q, %v", e.Value, err)
	}
	if data, err := p.ReadFile(ctx, "a.js"); err != nil || string(data) != "one\n2\nthree\n" {
		t.Errorf("undone %q, %v", data, err)
	}
	s.ask("POST", "api/projects/p/restore", restoreRequest{second.ID, true}, 404, nil) // it holds no state

	var fork projectReply
	s.ask("POST", "api/projects/p/fork", forkRequest{second.ID, "q", false}, 201, &fork)
	if fork.ID != "q" || len(fork.Files) != 3 {
		t.Errorf("forked %+v", fork)
	}
	s.ask("POST", "api/projects/p/fork", forkRequest{second.ID, "q", false}, 409, nil)
	s.ask("POST", "api/projects/p/fork", forkRequest{second.ID, "Q!", false}, 400, nil)

	s.ask("DELETE", "api/projects/p/checkpoints/"+second.ID, nil, 204, nil)
	s.ask("DELETE", "api/projects/p/checkpoints/"+second.ID, nil, 404, nil)
	s.ask("GET", "api/projects/p/diff?before="+second.ID, nil, 404, nil)
	s.ask("GET", "api/projects/p/diff/file?name=a.js&before="+second.ID, nil, 404, nil)
	s.ask("GET", "api/projects/p/diff/file?name=../x", nil, 400, nil)
	s.ask("POST", "api/projects/p/checkpoints", checkpointRequest{strings.Repeat("x", 2000), false}, 400, nil)
	s.login("bob")
	s.ask("GET", "api/projects/p/checkpoints", nil, 404, nil)
	s.ask("POST", "api/projects/p/restore", restoreRequest{first.ID, false}, 404, nil)
}

func TestManyCheckpointsComeInPages(t *testing.T) {
	s := newSite(t)
	s.create("p", "blank")
	p := s.project("p")
	var ids []string
	for i := range checkpointPage + 5 {
		if err := p.WriteFile(t.Context(), "n", fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
		c, err := p.Checkpoint(t.Context(), "", sam.Parts{})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, c.ID)
	}
	var page checkpointsReply
	s.ask("GET", "api/projects/p/checkpoints", nil, 200, &page)
	if len(page.Checkpoints) != checkpointPage || !page.More || page.Changed != 0 {
		t.Fatalf("%d checkpoints, more %v", len(page.Checkpoints), page.More)
	}
	last := page.Checkpoints[checkpointPage-1]
	if last.ID != ids[5] || last.Changed != 1 {
		t.Errorf("the page ends with %+v", last)
	}
	var rest checkpointsReply
	s.ask("GET", "api/projects/p/checkpoints?before="+url.QueryEscape(last.ID), nil, 200, &rest)
	if len(rest.Checkpoints) != 5 || rest.More || rest.Checkpoints[4].ID != ids[0] || rest.Checkpoints[4].Changed != 2 {
		t.Errorf("the rest is %+v", rest)
	}
}

func TestLongFilesAreNotCompared(t *testing.T) {
	s := newSite(t)
	s.create("p", "blank")
	p := s.project("p")
	made := s.checkpoint("p", "", false)
	if err := p.WriteFile(t.Context(), "long.txt", bytes.Repeat([]byte("line\n"), compareMax/4)); err != nil {
		t.Fatal(err)
	}
	var diff diffReply
	s.ask("GET", "api/projects/p/diff?before="+made.ID, nil, 200, &diff)
	if len(diff.Changes) != 1 || diff.Changes[0].Counted {
		t.Errorf("changes %+v", diff.Changes)
	}
	var lines fileDiffReply
	s.ask("GET", "api/projects/p/diff/file?name=long.txt&before="+made.ID, nil, 200, &lines)
	if lines.Text || !lines.Long {
		t.Errorf("compared %+v", lines)
	}
}
