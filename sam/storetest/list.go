package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"samkit.dev/sam"
)

func (s suite) order(t *testing.T) {
	p := s.store(t).Space("p")
	in := []string{"a", "A", "a/", "a/b", "a\x00", "a\xff", "a\xff\xff", "é", "e\u0301", "b", "\x00", "\xff", "~", "a b", "aa", "a-b", "a.b", "日本"}
	var ops []sam.Op
	for _, k := range in {
		ops = append(ops, put(k, k, sam.Absent))
	}
	commit(t, p, ops...)
	sorted := slices.Sorted(slices.Values(in))
	wantKeys(t, p, "", "", sorted...)
	for _, prefix := range append(in, "x", "a\xff\xff\xff", "\xff\xff") {
		for _, after := range append(in, "", "zz", "\xff\xff\xff") {
			var wanted []string
			for _, k := range sorted {
				if strings.HasPrefix(k, prefix) && k > after {
					wanted = append(wanted, k)
				}
			}
			wantKeys(t, p, prefix, after, wanted...)
		}
	}
}

func (s suite) paging(t *testing.T) {
	p := s.store(t).Space("p")
	const n = 1500
	var ops []sam.Op
	for i := range n {
		ops = append(ops, put(fmt.Sprintf("d/%04d", i), "", sam.Absent))
	}
	commit(t, p, append(ops, put("d", "", sam.Absent), put("e", "", sam.Absent))...)
	all := keys(t, p, "d/", "")
	if len(all) != n || all[0] != "d/0000" || all[n-1] != "d/1499" {
		t.Fatalf("List found %d keys, want %d", len(all), n)
	}
	var paged []string
	after := ""
	for {
		page := 0
		for e, err := range p.List(t.Context(), "d/", after) {
			if err != nil {
				t.Fatal(err)
			}
			paged = append(paged, e.Key)
			after = e.Key
			if page++; page == 7 {
				break
			}
		}
		if page < 7 {
			break
		}
	}
	if !slices.Equal(paged, all) {
		t.Fatalf("pages of 7 hold %d keys, want %d", len(paged), len(all))
	}
	wantKeys(t, p, "d/", "d/1498", "d/1499")
	wantKeys(t, p, "d/", "d/1499")
	// Deleted keys do not come back, whatever the store remembers of its order.
	ops = nil
	for i := 0; i < n; i += 2 {
		ops = append(ops, remove(fmt.Sprintf("d/%04d", i), sam.Any))
	}
	commit(t, p, ops...)
	if got := keys(t, p, "d/", ""); len(got) != n/2 || got[0] != "d/0001" {
		t.Fatalf("after deleting every other key List found %d", len(got))
	}
	commit(t, p, put("d/0000", "", sam.Absent))
	if got := keys(t, p, "d/", ""); len(got) != n/2+1 || got[0] != "d/0000" || got[1] != "d/0001" {
		t.Fatalf("after making a key again List found %d", len(got))
	}
}

// within fails the test if fn takes longer than any store may.
func within(t *testing.T, what string, fn func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); fn() }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("deadlock: %s", what)
	}
}

func (s suite) writeWhileListing(t *testing.T) {
	st := s.store(t)
	p := st.Space("p")
	for i := range 10 {
		commit(t, p, put(fmt.Sprint(i), "0", sam.Absent))
		commit(t, st.Space(fmt.Sprint("q", i)), put("k", "0", sam.Absent))
	}
	within(t, "List holds a lock while yielding", func() {
		n := 0
		for e, err := range p.List(t.Context(), "", "") {
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := p.Commit(t.Context(), put(e.Key, "1", sam.Any), put("~"+e.Key, "", sam.Any)); err != nil {
				t.Error(err)
				return
			}
			if n++; n > 100 {
				t.Error("List does not end")
				return
			}
		}
	})
	within(t, "Spaces holds a lock while yielding", func() {
		for name, err := range st.Spaces(t.Context(), "q", "") {
			if err != nil {
				t.Error(err)
				return
			}
			if err := st.Drop(t.Context(), name); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for name := range st.Spaces(t.Context(), "q", "") {
		t.Errorf("space %q was not dropped", name)
	}
}

// hostile are names of spaces that a store on files or tables may get wrong.
var hostile = []string{
	"", "p", "p/", "p/q", "pp", "P", "../x", "..", ".", "/etc", "/", "p\x00q", "p\x00", "\x00", "%", "p%2Fq", "p+q",
	"é", "e\u0301", "\xff\xfe", "con", "CON", "aux.txt", "p.", "p ", " p", "~", "-", "p\\q", "p:q", "a'b\"c;--", "\n",
	strings.Repeat("x", 255), strings.Repeat("x", 64<<10), strings.Repeat("x", 64<<10) + "y", strings.Repeat("é/", 20000),
}

func (s suite) isolation(t *testing.T) {
	st := s.store(t)
	for i, name := range hostile {
		commit(t, st.Space(name), put("k", fmt.Sprint(i), sam.Absent), put("../k", "x", sam.Absent))
	}
	for i, name := range hostile {
		want(t, st.Space(name), "k", fmt.Sprint(i))
		wantKeys(t, st.Space(name), "", "", "../k", "k")
	}
	for i, name := range hostile {
		if i%2 == 0 {
			if err := st.Drop(t.Context(), name); err != nil {
				t.Fatalf("Drop %.40q: %v", name, err)
			}
		}
	}
	for i, name := range hostile {
		if i%2 == 0 {
			missing(t, st.Space(name), "k")
			wantKeys(t, st.Space(name), "", "")
		} else {
			want(t, st.Space(name), "k", fmt.Sprint(i))
		}
	}
}

func (s suite) spaces(t *testing.T) {
	st := s.store(t)
	list := func(prefix, after string) []string {
		var names []string
		for n, err := range st.Spaces(t.Context(), prefix, after) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, n)
		}
		return names
	}
	missing(t, st.Space("only read"), "k")
	wantKeys(t, st.Space("only read"), "", "")
	if got := list("", ""); len(got) != 0 {
		t.Fatalf("Spaces of an empty store = %q", got)
	}
	for _, name := range hostile {
		commit(t, st.Space(name), put("k", "", sam.Absent))
	}
	sorted := slices.Sorted(slices.Values(hostile))
	// The empty name is not greater than the empty after.
	sorted = slices.DeleteFunc(sorted, func(n string) bool { return n == "" })
	if got := list("", ""); !slices.Equal(got, sorted) {
		t.Fatalf("Spaces has %d names, want %d: %.60q", len(got), len(sorted), got)
	}
	for _, prefix := range []string{"p", "p/", "x", strings.Repeat("x", 300), "no such"} {
		for _, after := range []string{"", "p", "p/", strings.Repeat("x", 255), strings.Repeat("x", 64<<10)} {
			var wanted []string
			for _, n := range sorted {
				if strings.HasPrefix(n, prefix) && n > after {
					wanted = append(wanted, n)
				}
			}
			if got := list(prefix, after); !slices.Equal(got, wanted) {
				t.Fatalf("Spaces %.40q after %.40q has %d names, want %d", prefix, after, len(got), len(wanted))
			}
		}
	}
	commit(t, st.Space("p"), remove("k", sam.Any))
	if slices.Contains(list("", ""), "p") {
		t.Fatal("a space without keys still exists")
	}
}

func (s suite) drop(t *testing.T) {
	st := s.store(t)
	if err := st.Drop(t.Context(), "never there"); err != nil {
		t.Fatal(err)
	}
	p := st.Space("p")
	v := commit(t, p, put("a", "1", sam.Absent), put("f/b", "1", sam.Absent))
	if err := st.Drop(t.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	missing(t, p, "a")
	missing(t, p, "f/b")
	conflict(t, p, put("a", "2", v[0]))
	commit(t, p, put("a", "2", sam.Absent))
	wantKeys(t, p, "", "", "a")
}

func (s suite) noAliasing(t *testing.T) {
	p := s.store(t).Space("p")
	in := []byte("abc")
	commit(t, p, sam.Op{Key: "k", Value: in, If: sam.Absent})
	in[0] = 'X'
	want(t, p, "k", "abc")
	out, _, err := p.Get(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	out[1] = 'Y'
	_ = append(out, "more"...)
	want(t, p, "k", "abc")
}

func (s suite) counter(t *testing.T) {
	p := s.store(t).Space("p")
	const workers, each = 4, 25
	add := func() error {
		for {
			n, cond := 0, sam.Absent
			if b, e, err := p.Get(context.Background(), "n"); err == nil {
				fmt.Sscan(string(b), &n)
				cond = e.Version
			}
			_, err := p.Commit(context.Background(), put("n", fmt.Sprint(n+1), cond))
			if !errors.Is(err, sam.ErrConflict) {
				return err
			}
		}
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range each {
				if err := add(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	want(t, p, "n", fmt.Sprint(workers*each))
}

func (s suite) concurrentSpaces(t *testing.T) {
	st := s.store(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			p := st.Space(fmt.Sprint("p", i))
			for j := range 20 {
				if _, err := p.Commit(context.Background(), put("k", fmt.Sprint(j), sam.Any), put(fmt.Sprint(j), "", sam.Absent)); err != nil {
					t.Error(err)
					return
				}
				if got, _, err := p.Get(context.Background(), "k"); err != nil || string(got) != fmt.Sprint(j) {
					t.Errorf("after writing %d Get = %q, %v", j, got, err)
					return
				}
			}
			if i%2 == 0 {
				if err := st.Drop(context.Background(), fmt.Sprint("p", i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for i := range 8 {
		if got := len(keys(t, st.Space(fmt.Sprint("p", i)), "", "")); got != 21*(i%2) {
			t.Errorf("space %d holds %d keys", i, got)
		}
	}
}
