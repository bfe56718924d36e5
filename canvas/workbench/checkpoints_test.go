package workbench

import (
	"errors"
	"io/fs"
	"testing"
	"time"

	"samkit.dev/host"
	"samkit.dev/sam"
)

func TestReadersHearOfCheckpoints(t *testing.T) {
	f := open(t)
	p := f.create(t, "notes")
	news := follow(t, f.Bench, "notes", "")
	news.next(Ready)
	c, err := f.Checkpoint(sam.WithAuthor(t.Context(), "person ada"), "notes", "first", sam.Parts{})
	if err != nil {
		t.Fatal(err)
	}
	if news.next(Checkpoints); c.By != "person ada" {
		t.Errorf("made %+v", c)
	}
	if err := p.WriteFile(t.Context(), "a.js", []byte("1")); err != nil {
		t.Fatal(err)
	}
	news.next(Files)
	if _, err := f.Restore(t.Context(), "notes", c.ID, sam.Parts{}); err != nil {
		t.Fatal(err)
	}
	news.until(Checkpoints) // of files as well, before or after
	if err := f.DeleteCheckpoints(t.Context(), "notes", c.ID); err != nil {
		t.Fatal(err)
	}
	news.until(Checkpoints)
	for _, err := range []error{
		f.DeleteCheckpoints(t.Context(), "notes", c.ID),
		func() error { _, err := f.Restore(t.Context(), "notes", c.ID, sam.Parts{}); return err }(),
		func() error { _, err := f.Fork(t.Context(), "notes", c.ID, "copy", sam.Parts{}); return err }(),
		func() error { _, err := f.Checkpoint(t.Context(), "none", "", sam.Parts{}); return err }(),
	} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("of what is not there: %v", err)
		}
	}
}

func TestForkIsNews(t *testing.T) {
	f := open(t)
	p := f.create(t, "notes")
	if err := p.WriteFile(t.Context(), "a.js", []byte("1")); err != nil {
		t.Fatal(err)
	}
	c, err := f.Checkpoint(t.Context(), "notes", "", sam.Parts{})
	if err != nil {
		t.Fatal(err)
	}
	news := follow(t, f.Bench, "", "")
	news.next(Ready)
	fork, err := f.Fork(t.Context(), "notes", c.ID, "copy", sam.Parts{})
	if err != nil {
		t.Fatal(err)
	}
	news.next(Projects)
	if data, err := fork.ReadFile(t.Context(), "a.js"); err != nil || string(data) != "1" {
		t.Errorf("the fork has %q, %v", data, err)
	}
}

func TestReadersHearOfCalls(t *testing.T) {
	f := open(t)
	news := follow(t, f.Bench, "", "")
	first := news.next(Ready)
	for range 100 {
		f.audit.add(t.Context(), host.Record{Func: "files@1.read", Time: time.Now()})
	}
	news.next(Audited) // once for all of them, as far as it goes
	n, _ := f.audit.news()
	if n > 10 {
		t.Errorf("100 calls were told %d times", n)
	}
	// Who comes back hears of it.
	again := follow(t, f.Bench, "", first.ID)
	if e := again.next(Ready); e.Missed {
		t.Errorf("came back to %+v", e)
	}
	again.next(Audited)
}
