package workbench

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"samkit.dev/host/console"
	"samkit.dev/sam"
)

func TestEventsOfFiles(t *testing.T) {
	f := open(t)
	p := f.create(t, "notes")
	news := follow(t, f.Bench, "notes", "")
	if e := news.next(Ready); !e.Missed || e.ID == "" {
		t.Errorf("a first reader got %+v", e)
	}
	if err := p.WriteFile(t.Context(), "a.js", []byte("1")); err != nil {
		t.Fatal(err)
	}
	e := news.next(Files)
	if len(e.Files) != 1 || e.Files[0].Name != "a.js" || e.Files[0].Hash != sam.Hash([]byte("1")) {
		t.Errorf("files %+v", e.Files)
	}
	if err := p.Apply(t.Context(), sam.Edit{Name: "a.js", Remove: true, IfHash: "*"}); err != nil {
		t.Fatal(err)
	}
	if e := news.next(Files); len(e.Files) != 1 || e.Files[0].Hash != "" {
		t.Errorf("a removed file is %+v", e.Files)
	}
}

func TestEventsOfConsole(t *testing.T) {
	f := open(t)
	f.create(t, "notes")
	buf, err := f.Console(t.Context(), "notes")
	if err != nil {
		t.Fatal(err)
	}
	buf.Add(console.Entry{Text: "before"})
	news := follow(t, f.Bench, "notes", "")
	news.next(Ready)
	buf.Add(console.Entry{Text: "after"})
	if e := news.next(Console); len(e.Entries) != 1 || e.Entries[0].Text != "after" || e.First != 1 {
		t.Errorf("console %+v", e)
	}
	buf.Clear()
	if e := news.next(Console); len(e.Entries) != 0 || e.First != 3 {
		t.Errorf("a cleared console is %+v", e)
	}
}

func TestManyEntriesComeInPortions(t *testing.T) {
	f := open(t)
	f.create(t, "notes")
	buf, err := f.Console(t.Context(), "notes")
	if err != nil {
		t.Fatal(err)
	}
	news := follow(t, f.Bench, "notes", "")
	after := news.next(Ready).ID
	news.stop()
	for i := range 450 {
		buf.Add(console.Entry{Text: fmt.Sprint(i)})
	}
	news = follow(t, f.Bench, "notes", after)
	news.next(Ready)
	next := 0
	for _, n := range []int{200, 200, 50} {
		e := news.next(Console)
		if len(e.Entries) != n {
			t.Fatalf("%d entries in one event, want %d", len(e.Entries), n)
		}
		for _, entry := range e.Entries {
			if entry.Text != fmt.Sprint(next) {
				t.Fatalf("entry %q, want %d", entry.Text, next)
			}
			next++
		}
	}
}

func TestEventsOfTheBench(t *testing.T) {
	f := open(t)
	f.create(t, "notes")
	gallery := follow(t, f.Bench, "", "")
	gallery.next(Ready)
	page := follow(t, f.Bench, "notes", "")
	page.next(Ready)
	f.create(t, "other")
	gallery.next(Projects)
	page.next(Projects)
	if err := f.SetWork(t.Context(), "other"); err != nil {
		t.Fatal(err)
	}
	gallery.next(Projects)
}

func TestAReaderGoesOnWhereItWas(t *testing.T) {
	f := open(t)
	p := f.create(t, "notes")
	news := follow(t, f.Bench, "notes", "")
	after := news.next(Ready).ID
	news.stop()

	for i, name := range []string{"a.js", "b.js", "a.js"} {
		if err := p.WriteFile(t.Context(), name, []byte(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	news = follow(t, f.Bench, "notes", after)
	if e := news.next(Ready); e.Missed {
		t.Error("the reader was told to read everything again")
	}
	got := map[string]string{}
	for len(got) < 2 || got["a.js"] != sam.Hash([]byte("2")) {
		for _, file := range news.next(Files).Files {
			got[file.Name] = file.Hash
		}
	}
}

func TestAPositionThatIsNotKnown(t *testing.T) {
	f := open(t)
	p := f.create(t, "notes")
	first := follow(t, f.Bench, "notes", "")
	after := first.next(Ready).ID
	for i := range journalLen + 2 {
		if err := p.WriteFile(t.Context(), "a.js", []byte(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
		first.next(Files) // one event for each change, so that the journal is full
	}
	for name, id := range map[string]string{
		"overwritten": after, "other bench": "ABC-1-2-3-4", "nonsense": "x", "too short": after + "-", "of the future": f.run + "-9999999-0-0-0",
	} {
		if e := follow(t, f.Bench, "notes", id).next(Ready); !e.Missed {
			t.Errorf("%s: the reader believes to have seen everything", name)
		}
	}
}

func TestAStreamEndsWithItsProject(t *testing.T) {
	f := open(t)
	f.create(t, "notes")
	news := follow(t, f.Bench, "notes", "")
	news.next(Ready)
	if err := f.Delete(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	news.ended()

	// Deleted by another handle of the workspace.
	f.create(t, "notes")
	news = follow(t, f.Bench, "notes", "")
	news.next(Ready)
	if err := sam.NewWorkspace(f.store, "ada", nil).Delete(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	news.ended()
}

func TestAStreamEndsWithTheBench(t *testing.T) {
	f := open(t)
	f.create(t, "notes")
	news := follow(t, f.Bench, "notes", "")
	news.next(Ready)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	news.ended()
	for _, err := range f.Events(t.Context(), "notes", "") {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("events of a closed bench: %v", err)
		}
	}
}

func TestEventsOfAMissingProject(t *testing.T) {
	f := open(t)
	n := 0
	for _, err := range f.Events(t.Context(), "nothere", "") {
		n++
		if !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
	if n != 1 || !f.idle() {
		t.Errorf("%d results, idle %v", n, f.idle())
	}
}
