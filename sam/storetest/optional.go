package storetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"samkit.dev/sam"
)

func (s suite) changes(t *testing.T) {
	st := s.store(t)
	p := st.Space("p")
	c, ok := p.(sam.Counter)
	if !ok {
		t.Log("the store has no sam.Counter")
		return
	}
	last := c.Changes()
	moved := func(what string) {
		t.Helper()
		if n := c.Changes(); n == last {
			t.Fatalf("Changes stayed at %d over %s", n, what)
		} else {
			last = n
		}
	}
	commit(t, p, put("k", "1", sam.Absent))
	moved("a commit")
	want(t, p, "k", "1")
	keys(t, p, "", "")
	if n := c.Changes(); n != last {
		t.Fatalf("Changes went from %d to %d by reading", last, n)
	}
	commit(t, st.Space("p"), put("k", "2", sam.Any))
	moved("a commit through another Space")
	commit(t, p, remove("k", sam.Any))
	moved("a delete")
	commit(t, p, put("k", "3", sam.Any))
	moved("a commit")
	if err := st.Drop(t.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	moved("Drop")
}

// watched describes an entry as a watch should report it.
func watched(e sam.Entry) string {
	switch {
	case e.Key == "" && e.Version == sam.Absent:
		return "drop"
	case e.Version == sam.Absent:
		return "-" + e.Key
	}
	return e.Key
}

func (s suite) watch(t *testing.T) {
	st := s.store(t)
	p := st.Space("p")
	w, ok := p.(sam.Watcher)
	if !ok {
		t.Log("the store has no sam.Watcher")
		return
	}
	commit(t, p, put("a/before", "", sam.Absent))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	events := w.Watch(ctx, "a/")
	// All of this happens before the loop: the watch started when it was made.
	wanted := []string{}
	for i := range 20 {
		k := fmt.Sprintf("a/%02d", i)
		commit(t, p, put(k, "", sam.Absent), put("b/"+k, "", sam.Absent))
		wanted = append(wanted, k)
	}
	commit(t, st.Space("other"), put("a/other", "", sam.Absent))
	commit(t, p, remove("a/before", sam.Any))
	wanted = append(wanted, "-a/before")
	last := commit(t, p, put("a/last", "1", sam.Any))[0]
	wanted = append(wanted, "a/last")
	var got []string
	for e, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, watched(e))
		if e.Key == "a/last" {
			if e.Version != last {
				t.Errorf("the watch reports version %q, Commit returned %q", e.Version, last)
			}
			break
		}
	}
	if !slices.Equal(got, wanted) {
		t.Fatalf("watched %q\nwant %q (after %v: %v)", got, wanted, 30*time.Second, ctx.Err())
	}

	// While the loop runs; a slow reader may miss versions of a key, never the newest.
	events = w.Watch(ctx, "")
	seen := make(chan sam.Version, 1000)
	go func() {
		defer close(seen)
		for e, err := range events {
			if err != nil {
				t.Error(err)
				return
			}
			seen <- e.Version
			if e.Key == "end" {
				return
			}
		}
	}()
	var final sam.Version
	for i := range 100 {
		final = commit(t, p, put("k", fmt.Sprint(i), sam.Any))[0]
	}
	end := commit(t, p, put("end", "", sam.Any))[0]
	var newest, ended sam.Version
	for v := range seen {
		newest, ended = ended, v
	}
	if newest != final || ended != end {
		t.Fatalf("the watch ends with versions %q and %q, want %q and %q", newest, ended, final, end)
	}

	events = w.Watch(ctx, "k")
	if err := st.Drop(t.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	for e, err := range events {
		if err != nil || watched(e) != "drop" {
			t.Fatalf("after Drop: %+v, %v; want the zero Entry", e, err)
		}
		break
	}
}

func (s suite) watchEnds(t *testing.T) {
	st := s.open(t)
	defer st.Close()
	w, ok := st.Space("p").(sam.Watcher)
	if !ok {
		t.Log("the store has no sam.Watcher")
		return
	}
	within(t, "Watch goes on after its context", func() {
		ctx, cancel := context.WithCancel(t.Context())
		events := w.Watch(ctx, "")
		time.AfterFunc(10*time.Millisecond, cancel)
		for e, err := range events {
			t.Errorf("watched %+v, %v", e, err)
		}
	})
	within(t, "Watch goes on after Close", func() {
		events := w.Watch(t.Context(), "")
		if err := st.Close(); err != nil {
			t.Error(err)
		}
		n := 0
		for e, err := range events {
			if n++; n > 1 || !errors.Is(err, fs.ErrClosed) {
				t.Errorf("watched %+v, %v; want one error matching fs.ErrClosed", e, err)
			}
		}
		if n != 1 {
			t.Error("Watch of a closed store gave no error")
		}
	})
}

func (s suite) view(t *testing.T) {
	p := s.store(t).Space("p")
	v, ok := p.(sam.Viewer)
	if !ok {
		t.Log("the store has no sam.Viewer")
		return
	}
	commit(t, p, put("a", "1", sam.Absent), put("b", "1", sam.Absent))
	err := v.View(t.Context(), func(q sam.Space) error {
		want(t, q, "a", "1")
		wantKeys(t, q, "", "", "a", "b")
		wantKeys(t, q, "", "a", "b")
		done := make(chan error, 1)
		go func() {
			_, err := p.Commit(context.Background(), put("a", "2", sam.Any), put("b", "2", sam.Any), put("c", "2", sam.Any))
			done <- err
		}()
		select {
		case err := <-done:
			if err != nil {
				return err
			}
			want(t, p, "a", "2")
		case <-time.After(100 * time.Millisecond):
			// A view may hold writers up.
			defer func() { go func() { <-done }() }()
		}
		want(t, q, "b", "1")
		missing(t, q, "c")
		wantKeys(t, q, "", "", "a", "b")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.viewMany(t)
	broken := errors.New("broken")
	if err := v.View(t.Context(), func(sam.Space) error { return broken }); !errors.Is(err, broken) {
		t.Fatalf("View returned %v, want what fn returned", err)
	}
	if err := v.View(t.Context(), func(q sam.Space) error {
		_, err := q.Commit(t.Context(), put("x", "", sam.Any))
		return err
	}); err == nil {
		t.Fatal("a view was written to")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := v.View(ctx, func(sam.Space) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Fatalf("View with a canceled context: %v", err)
	}
}

// viewMany checks that a view of many keys, in different parts of the space, is of
// one moment while others write, and that views of several spaces do not wait
// for each other for ever.
func (s suite) viewMany(t *testing.T) {
	const n = 1200 // more than any page of a List
	st := s.store(t)
	write := func(p sam.Space, round int) error {
		ops := []sam.Op{put("p", fmt.Sprint(round), sam.Any), put(fmt.Sprint("round/", round), "", sam.Any)}
		for i := range n {
			ops = append(ops, put(fmt.Sprintf("k/%04d", i), fmt.Sprint(round), sam.Any))
		}
		_, err := p.Commit(context.Background(), ops...)
		return err
	}
	spaces := []sam.Space{st.Space("one"), st.Space("two")}
	for _, p := range spaces {
		if err := write(p, 0); err != nil {
			t.Fatal(err)
		}
	}
	within(t, "View and Commit wait for each other", func() {
		var wg sync.WaitGroup
		for _, p := range spaces {
			wg.Go(func() {
				for round := 1; round <= 5; round++ {
					if err := write(p, round); err != nil {
						t.Error(err)
					}
				}
			})
			wg.Go(func() {
				for range 5 {
					err := p.(sam.Viewer).View(context.Background(), func(q sam.Space) error { return oneMoment(q, n) })
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
	})
	empty := st.Space("none").(sam.Viewer)
	if err := empty.View(t.Context(), func(q sam.Space) error {
		missing(t, q, "k")
		wantKeys(t, q, "", "")
		return nil
	}); err != nil {
		t.Errorf("View of a space that does not exist: %v", err)
	}
}

// oneMoment checks that all of a space is of one of viewMany's commits.
func oneMoment(q sam.Space, n int) error {
	ctx := context.Background()
	head, _, err := q.Get(ctx, "p")
	if err != nil {
		return err
	}
	found := 0
	for e, err := range q.List(ctx, "k/", "") {
		if err != nil {
			return err
		}
		value, now, err := q.Get(ctx, e.Key)
		if err != nil {
			return err
		}
		if string(value) != string(head) || now.Version != e.Version {
			return fmt.Errorf("a view has %q of round %s beside round %s", e.Key, value, head)
		}
		found++
	}
	rounds := 0
	for _, err := range q.List(ctx, "round/", "") {
		if err != nil {
			return err
		}
		rounds++
	}
	if found != n || fmt.Sprint(rounds-1) != string(head) {
		return fmt.Errorf("a view of round %s has %d keys of %d, and %d rounds", head, found, n, rounds)
	}
	return nil
}

// reopen checks what a store in a directory keeps.
func reopen(t *testing.T, open func(t testing.TB, dir string) sam.Store) {
	dir := t.TempDir()
	st := open(t, dir)
	for i, name := range hostile {
		commit(t, st.Space(name), put("k", fmt.Sprint(i), sam.Absent))
	}
	p := st.Space("p")
	v := commit(t, p, put("gone", "1", sam.Absent), put("kept", "1", sam.Absent), put("f/index.html", "raw", sam.Absent))
	commit(t, p, remove("gone", sam.Any))
	commit(t, st.Space("dropped"), put("k", "1", sam.Absent))
	if err := st.Drop(t.Context(), "dropped"); err != nil {
		t.Fatal(err)
	}
	hash, _, err := st.Blobs().Put(t.Context(), strings.NewReader("blob"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for n := range st.Spaces(t.Context(), "", "") {
		names = append(names, n)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}

	st = open(t, dir)
	defer st.Close()
	p = st.Space("p")
	for i, name := range hostile {
		want(t, st.Space(name), "k", fmt.Sprint(i))
	}
	wantKeys(t, p, "", "", "f/index.html", "k", "kept")
	if e := want(t, p, "kept", "1"); e.Version != v[1] {
		t.Errorf("version %q became %q", v[1], e.Version)
	}
	want(t, p, "f/index.html", "raw")
	var again []string
	for n := range st.Spaces(t.Context(), "", "") {
		again = append(again, n)
	}
	if !slices.Equal(names, again) {
		t.Errorf("Spaces had %d names, now %d", len(names), len(again))
	}
	missing(t, st.Space("dropped"), "k")
	if ok, err := st.Blobs().Has(t.Context(), hash); !ok || err != nil {
		t.Errorf("Has = %v, %v", ok, err)
	}
	seen := map[sam.Version]bool{v[0]: true, v[1]: true}
	for _, nv := range commit(t, p, put("gone", "1", sam.Absent), put("kept", "1", sam.Any)) {
		if seen[nv] {
			t.Errorf("version %q was used again", nv)
		}
	}
}
