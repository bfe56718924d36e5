package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"samkit.dev/host"
	"samkit.dev/sam"
)

type empty struct{}

type fileIn struct {
	Project string `json:"project"`
	Name    string `json:"name"`
}

// offer returns capabilities with functions of files, and a log of what was done.
func offer() (*host.Capabilities, *log) {
	l := &log{}
	caps := host.New()
	crm := caps.Define("crm", 1)
	host.Register(crm, "lookup", "Finds.", func(context.Context, empty) (string, error) { l.add("lookup"); return "found", nil }, host.Reads)
	host.Register(crm, "remove", "Removes.", func(context.Context, empty) (string, error) { l.add("remove"); return "removed", nil })
	host.Register(crm, "wait", "Waits.", func(ctx context.Context, _ empty) (string, error) {
		l.add("wait")
		<-ctx.Done()
		return "", ctx.Err()
	}, host.Reads)
	host.Register(caps.Define("crm", 2), "lookup", "Finds.", func(context.Context, empty) (string, error) { l.add("lookup2"); return "found", nil }, host.Reads)
	files := caps.Define("files", 1)
	for _, mode := range []Mode{Read, ReadWrite} {
		opts := []host.FuncOption{host.OnFiles}
		name := "write"
		if mode == Read {
			name, opts = "read", append(opts, host.Reads)
		}
		host.Register(files, name, "On a file.", func(ctx context.Context, in fileIn) (string, error) {
			if err := Check(ctx, sam.ProjectID(in.Project), in.Name, mode); err != nil {
				return "", err
			}
			l.add(mode.String() + " " + in.Project + "/" + in.Name)
			return "done", nil
		}, opts...)
	}
	return caps, l
}

type log struct {
	mu    sync.Mutex
	lines []string
}

func (l *log) add(s string) { l.mu.Lock(); defer l.mu.Unlock(); l.lines = append(l.lines, s) }
func (l *log) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, ";")
}

func newTestSet(t *testing.T, opts *Options, grants ...Grant) (*Set, *log) {
	t.Helper()
	caps, l := offer()
	s, err := NewSet(caps, opts, grants...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Revoke)
	return s, l
}

func file(project, name string) json.RawMessage {
	b, _ := json.Marshal(fileIn{project, name})
	return b
}

// code makes a call and returns its error's code, "" if it was made.
func code(t *testing.T, s *Set, name string, args json.RawMessage) host.Code {
	t.Helper()
	_, err := s.Call(t.Context(), name, args)
	if err == nil {
		return ""
	}
	var e *host.Error
	if !errors.As(err, &e) {
		t.Fatalf("%s: %v is no *host.Error", name, err)
	}
	return e.Code
}

func TestGrantsThatAreErrors(t *testing.T) {
	caps, _ := offer()
	past := time.Now().Add(-time.Minute)
	for _, g := range []Grant{
		{},
		{Project: "notes"},
		{Project: "notes", Mode: Read},
		{Project: "notes", Paths: []string{"docs/**"}},
		{Paths: []string{"docs/**"}, Mode: Read},
		{Project: "Notes", Paths: []string{"**"}, Mode: Read},
		{Project: "nоtes", Paths: []string{"**"}, Mode: Read}, // a Cyrillic o
		{Project: "../notes", Paths: []string{"**"}, Mode: Read},
		{Project: "notes", Paths: []string{"../**"}, Mode: Read},
		{Project: "notes", Paths: []string{"a"}, Mode: 3},
		{Project: "notes", Paths: slices.Repeat([]string{"a"}, MaxPaths+1), Mode: Read},
		{Uses: []string{"crm"}}, {Uses: []string{"crm.lookup"}}, {Uses: []string{"crm@3.lookup"}}, {Uses: []string{"crm@1.nothing"}}, {Uses: []string{"*"}},
		{Uses: []string{"crm@*.lookup"}}, {Uses: []string{"other@1.*"}}, {Uses: []string{"crm@1.look*"}}, {Uses: []string{""}}, {Uses: []string{"files@1.read"}},
		{Uses: []string{"crm@1.lookup"}, MaxCalls: -1},
		{Uses: []string{"crm@1.lookup"}, Expires: past},
	} {
		if _, err := NewSet(caps, nil, g); err == nil {
			t.Errorf("%+v was taken", g)
		}
	}
	if _, err := NewSet(caps, nil); err == nil {
		t.Error("a set was made of no grant")
	}
}

func TestCall(t *testing.T) {
	s, l := newTestSet(t, nil, Grant{Project: "notes", Paths: []string{"docs/**"}, Mode: Read, Uses: []string{"crm@1.lookup"}})
	for _, tt := range []struct {
		name string
		args json.RawMessage
		want host.Code
	}{
		{"crm.lookup", nil, ""}, {"crm@1.lookup", nil, ""},
		{"crm@2.lookup", nil, host.Denied}, {"crm.remove", nil, host.Denied}, {"crm@1.remove", nil, host.Denied},
		{"crm.none", nil, host.NotFound}, {"none.lookup", nil, host.NotFound}, {"lookup", nil, host.NotFound}, {"crm@0.lookup", nil, host.NotFound}, {"", nil, host.NotFound}, {"crm@x.lookup", nil, host.NotFound},
		{"files.read", file("notes", "docs/a"), ""},
		{"files.read", file("notes", "docs2/a"), host.Denied}, {"files.read", file("other", "docs/a"), host.Denied}, {"files.read", file("Notes", "docs/a"), host.Denied}, {"files.read", file("nоtes", "docs/a"), host.Denied},
		{"files.read", file("notes", "docs/../a"), host.Invalid}, {"files.write", file("notes", "docs/a"), host.Denied},
	} {
		if got := code(t, s, tt.name, tt.args); got != tt.want {
			t.Errorf("%s %s: %q, want %q", tt.name, tt.args, got, tt.want)
		}
	}
	if got, want := l.text(), "lookup;lookup;read notes/docs/a"; got != want {
		t.Errorf("made: %s, want %s", got, want)
	}
	var names []string
	for f := range s.Funcs() {
		names = append(names, nameOf(f))
	}
	if got := strings.Join(names, " "); got != "crm@1.lookup files@1.read files@1.write" {
		t.Errorf("functions: %s", got)
	}
}

func TestOldestVersionIsTheOldestGranted(t *testing.T) {
	s, l := newTestSet(t, nil, Grant{Uses: []string{"crm@2.*"}})
	if c := code(t, s, "crm.lookup", nil); c != "" || l.text() != "lookup2" {
		t.Errorf("%s, made %s", c, l.text())
	}
}

func TestNilSetGrantsNothing(t *testing.T) {
	var s *Set
	s.Revoke()
	for range s.Funcs() {
		t.Error("a nil set has a function")
	}
	if c := code(t, s, "crm.lookup", nil); c != host.Denied {
		t.Error(c)
	}
	if _, err := s.Narrow(Grant{Uses: []string{"crm@1.lookup"}}); err == nil {
		t.Error("a nil set was narrowed")
	}
	<-s.Done()
}

func TestCheckOutsideOfACall(t *testing.T) {
	if Check(t.Context(), "notes", "docs/a", Read) == nil || Covers(t.Context(), "notes", "docs/a", Read) {
		t.Error("a context without a call may read")
	}
}

// What a denial asks for is enough, and nothing less is.
func TestDenialSaysWhatWouldDo(t *testing.T) {
	caps, _ := offer()
	for _, tt := range []struct {
		name string
		args json.RawMessage
		want string
	}{
		{"crm.remove", nil, `{"uses":["crm@1.remove"]}`},
		{"files.read", file("notes", "secret/a"), `{"project":"notes","paths":["secret/a"],"mode":"read"}`},
		{"files.write", file("notes", "out/x"), `{"project":"notes","paths":["out/x"],"mode":"readwrite"}`},
		{"files.read", file("notes", "odd/*"), `{"project":"notes","paths":["odd/\\*"],"mode":"read"}`},
	} {
		few := []Grant{{Project: "notes", Paths: []string{"docs/**"}, Mode: Read, Uses: []string{"crm@1.lookup"}}, {Project: "notes", Paths: []string{"tmp/**"}, Mode: ReadWrite}}
		s, err := NewSet(caps, nil, few...)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Revoke()
		_, err = s.Call(t.Context(), tt.name, tt.args)
		var e *host.Error
		if !errors.As(err, &e) || e.Code != host.Denied || string(e.Grant) != tt.want {
			t.Errorf("%s: %v with the grant %s, want %s", tt.name, err, e.Grant, tt.want)
			continue
		}
		var g Grant
		if err := json.Unmarshal(e.Grant, &g); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(e.Hint, g.Words()) {
			t.Errorf("the hint %q does not say %q", e.Hint, g.Words())
		}
		more, err := NewSet(caps, nil, append(few, g)...)
		if err != nil {
			t.Fatal(err)
		}
		defer more.Revoke()
		if _, err := more.Call(t.Context(), tt.name, tt.args); err != nil {
			t.Errorf("%s with the grant that would do: %v", tt.name, err)
		}
	}
}

func TestReadIsNotWritten(t *testing.T) {
	s, _ := newTestSet(t, nil, Grant{Project: "notes", Paths: []string{"docs/**"}, Mode: Read})
	_, err := s.Call(t.Context(), "files.write", file("notes", "docs/a"))
	var e *host.Error
	if !errors.As(err, &e) || !strings.Contains(e.Message, "for reading") || string(e.Grant) != `{"project":"notes","paths":["docs/**"],"mode":"readwrite"}` {
		t.Errorf("%v, %s", err, e.Grant)
	}
}

func TestCallsAreCounted(t *testing.T) {
	s, l := newTestSet(t, nil, Grant{Uses: []string{"crm@1.lookup"}, MaxCalls: 2})
	for range 2 {
		if c := code(t, s, "crm.lookup", nil); c != "" {
			t.Fatal(c)
		}
	}
	if c := code(t, s, "crm.lookup", nil); c != host.Exhausted {
		t.Error(c)
	}
	if l.text() != "lookup;lookup" {
		t.Error(l.text())
	}
}

func TestCountHoldsUnderLoad(t *testing.T) {
	s, l := newTestSet(t, nil, Grant{Uses: []string{"crm@1.lookup"}, MaxCalls: 50})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				s.Call(context.Background(), "crm.lookup", nil)
			}
		})
	}
	wg.Wait()
	if n := strings.Count(l.text(), "lookup"); n != 50 {
		t.Errorf("%d calls of 50 were made", n)
	}
}

// Each file counts for the grant that it is in, not for another that has calls left.
func TestEachGrantCountsItsOwnFiles(t *testing.T) {
	s, l := newTestSet(t, nil,
		Grant{Project: "notes", Paths: []string{"a/**"}, Mode: ReadWrite},
		Grant{Project: "notes", Paths: []string{"b/**"}, Mode: ReadWrite, MaxCalls: 1})
	for i, want := range []host.Code{"", host.Exhausted, host.Exhausted} {
		if got := code(t, s, "files.write", file("notes", "b/x")); got != want {
			t.Errorf("write %d of b/x: %q, want %q", i, got, want)
		}
	}
	if got := code(t, s, "files.write", file("notes", "a/x")); got != "" {
		t.Error(got)
	}
	if l.text() != "readwrite notes/b/x;readwrite notes/a/x" {
		t.Error(l.text())
	}
}

// A call counts for the grants of its files, and for one that covers none only if there were none.
func TestACallCountsForTheGrantThatFits(t *testing.T) {
	outer, _ := newTestSet(t, nil,
		Grant{Project: "notes", Paths: []string{"a/**"}, Mode: ReadWrite, MaxCalls: 2},
		Grant{Project: "notes", Paths: []string{"b/**"}, Mode: ReadWrite, MaxCalls: 5})
	inner, err := outer.Narrow(
		Grant{Project: "notes", Paths: []string{"a/**"}, Mode: ReadWrite, MaxCalls: 2},
		Grant{Project: "notes", Paths: []string{"b/x"}, Mode: ReadWrite, MaxCalls: 4})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		if got := code(t, inner, "files.write", file("notes", "b/x")); got != "" {
			t.Errorf("write %d of b/x: %q", i, got)
		}
	}
	for i, want := range []host.Code{"", "", host.Exhausted} {
		if got := code(t, inner, "files.write", file("notes", "a/x")); got != want {
			t.Errorf("write %d of a/x: %q, want %q", i, got, want)
		}
	}
	var made []int
	for _, s := range []*Set{outer, inner} {
		for _, g := range s.grants {
			made = append(made, s.used(g))
		}
	}
	if want := []int{2, 4, 2, 4}; !slices.Equal(made, want) {
		t.Errorf("calls that are used: %v, want %v", made, want)
	}
}

func TestAGrantThatAsksIsNotReachedByAnother(t *testing.T) {
	asked := 0
	s, _ := newTestSet(t, &Options{Confirm: func(context.Context, Question) (Answer, error) { asked++; return Answer{}, nil }},
		Grant{Project: "notes", Paths: []string{"a/**"}, Mode: ReadWrite},
		Grant{Project: "notes", Paths: []string{"b/**"}, Mode: ReadWrite, Confirm: true})
	if got := code(t, s, "files.write", file("notes", "a/x")); got != "" || asked != 0 {
		t.Errorf("a/x: %q, asked %d times", got, asked)
	}
	if got := code(t, s, "files.write", file("notes", "b/x")); got != host.Denied || asked != 1 {
		t.Errorf("b/x: %q, asked %d times", got, asked)
	}
	if got := code(t, s, "files.read", file("notes", "b/x")); got != "" || asked != 1 {
		t.Errorf("reading b/x: %q, asked %d times", got, asked)
	}
}

func TestExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		caps, _ := offer()
		s, err := NewSet(caps, nil, Grant{Uses: []string{"crm@1.*"}, Expires: time.Now().Add(time.Minute)}, Grant{Uses: []string{"crm@2.*"}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Revoke()
		time.Sleep(time.Minute)
		if c := code(t, s, "crm@1.lookup", nil); c != host.Denied {
			t.Errorf("an expired grant: %q", c)
		}
		if c := code(t, s, "crm@2.lookup", nil); c != "" {
			t.Errorf("one that holds: %q", c)
		}
		time.Sleep(time.Hour)
		<-s.Done()
		if _, err := s.Call(t.Context(), "crm@2.lookup", nil); !errors.Is(err, errExpired) {
			t.Error(err)
		}
	})
}

func TestExpiryEndsAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		caps, _ := offer()
		s, err := NewSet(caps, nil, Grant{Uses: []string{"crm@1.wait"}, Expires: time.Now().Add(time.Minute)})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := s.Call(t.Context(), "crm.wait", nil); !errors.Is(err, errExpired) || time.Since(began) != time.Minute {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

func TestRevokeEndsCallsAndNarrowerSets(t *testing.T) {
	s, l := newTestSet(t, nil, Grant{Uses: []string{"crm@1.*"}})
	child, err := s.Narrow(Grant{Uses: []string{"crm@1.wait"}})
	if err != nil {
		t.Fatal(err)
	}
	grandchild, err := child.Narrow(Grant{Uses: []string{"crm@1.*"}})
	if err != nil {
		t.Fatal(err)
	}
	errs := make(chan error, 3)
	for _, x := range []*Set{s, child, grandchild} {
		go func() { _, err := x.Call(context.Background(), "crm.wait", nil); errs <- err }()
	}
	for strings.Count(l.text(), "wait") < 3 {
		time.Sleep(time.Millisecond)
	}
	s.Revoke()
	for range 3 {
		var e *host.Error
		if err := <-errs; !errors.As(err, &e) || e.Code != host.Denied {
			t.Errorf("a call that ran: %v", err)
		}
	}
	for _, x := range []*Set{s, child, grandchild} {
		<-x.Done()
		if c := code(t, x, "crm.lookup", nil); c != host.Denied {
			t.Errorf("after Revoke: %q", c)
		}
	}
	if _, err := s.Narrow(Grant{Uses: []string{"crm@1.wait"}}); err != nil {
		t.Error(err) // it is ended from the start
	}
}

// A function that takes no notice of its context gives nothing away after the end.
func TestResultAfterRevokeIsWithheld(t *testing.T) {
	caps := host.New()
	in, out := make(chan bool), make(chan bool)
	host.Register(caps.Define("slow", 1), "secret", "", func(context.Context, empty) (string, error) { in <- true; <-out; return "secret", nil })
	s, err := NewSet(caps, nil, Grant{Uses: []string{"slow@1.secret"}})
	if err != nil {
		t.Fatal(err)
	}
	go func() { <-in; s.Revoke(); out <- true }()
	if got, err := s.Call(t.Context(), "slow.secret", nil); err == nil {
		t.Errorf("got %s", got)
	}
}

// Whatever a chain of sets permits, each of them permits alone.
func checkNarrow(t *testing.T, r *rand.Rand) {
	projects := []string{"notes", "other"}
	paths := []string{"**", "docs/**", "docs/*", "docs/a", "*", "**/a", "secret/*", "docs/*/x"}
	uses := []string{"crm@1.*", "crm@1.lookup", "crm@1.remove", "crm@2.lookup", "crm@2.*"}
	some := func(from []string) []string {
		out := make([]string, 1+r.IntN(2))
		for i := range out {
			out[i] = from[r.IntN(len(from))]
		}
		return out
	}
	grants := func() []Grant {
		gs := make([]Grant, 1+r.IntN(3))
		for i := range gs {
			g := &gs[i]
			if r.IntN(3) > 0 {
				g.Project, g.Paths, g.Mode = sam.ProjectID(projects[r.IntN(2)]), some(paths), Mode(1+r.IntN(2))
			}
			if r.IntN(3) > 0 || g.Project == "" {
				g.Uses = some(uses)
			}
			g.Confirm = r.IntN(4) == 0
			if r.IntN(3) == 0 {
				g.MaxCalls = 1 + r.IntN(5)
			}
		}
		return gs
	}
	caps, _ := offer()
	type level struct {
		grants []Grant
		set    *Set
	}
	var chain []level
	for range 1 + r.IntN(3) {
		gs := grants()
		var s *Set
		var err error
		if chain == nil {
			s, err = NewSet(caps, nil, gs...)
		} else {
			s, err = chain[len(chain)-1].set.Narrow(gs...)
		}
		if err != nil {
			t.Fatalf("%+v: %v", gs, err)
		}
		defer s.Revoke()
		chain = append(chain, level{gs, s})
	}
	last := chain[len(chain)-1].set
	made := map[string]int{}
	for range 30 {
		name := []string{"crm@1.lookup", "crm@1.remove", "crm@2.lookup", "crm.lookup", "files.read", "files.write"}[r.IntN(6)]
		var args json.RawMessage
		if strings.HasPrefix(name, "files") {
			args = file(projects[r.IntN(2)], []string{"docs/a", "docs/b/x", "a", "secret/a", "docs2/a", "x/a"}[r.IntN(6)])
		}
		if name == "crm.lookup" { // which one it is depends on the set
			continue
		}
		if code(t, last, name, args) != "" {
			continue
		}
		made[name]++
		for i, l := range chain {
			alone, err := NewSet(caps, nil, l.grants...)
			if err != nil {
				t.Fatal(err)
			}
			if c := code(t, alone, name, args); c != "" {
				t.Errorf("%s %s is permitted by the whole chain, but not by level %d, %+v: %s", name, args, i, l.grants, c)
			}
			alone.Revoke()
		}
	}
	for i, l := range chain {
		total, finite := 0, true
		for _, g := range l.grants {
			total += g.MaxCalls
			finite = finite && g.MaxCalls > 0
		}
		n := 0
		for _, k := range made {
			n += k
		}
		if finite && n > total {
			t.Errorf("level %d permits %d calls, %d were made", i, total, n)
		}
	}
	have := map[string]bool{}
	for f := range chain[0].set.Funcs() {
		have[nameOf(f)] = true
	}
	for f := range last.Funcs() {
		if !have[nameOf(f)] {
			t.Errorf("the narrower set has %s", nameOf(f))
		}
	}
}

func TestNarrowNeverWidens(t *testing.T) {
	for seed := range uint64(150) {
		checkNarrow(t, rand.New(rand.NewPCG(seed, 1)))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func FuzzNarrow(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) { checkNarrow(t, rand.New(rand.NewPCG(a, b))) })
}

func TestChargeRefuses(t *testing.T) {
	full := errors.New("disk full")
	s, l := newTestSet(t, &Options{Charge: func(context.Context) error { return full }}, Grant{Uses: []string{"crm@1.*"}})
	if c := code(t, s, "crm.lookup", nil); c != host.Internal || l.text() != "" {
		t.Errorf("%q, made %s", c, l.text())
	}
	child, err := s.Narrow(Grant{Uses: []string{"crm@1.*"}})
	if err != nil {
		t.Fatal(err)
	}
	if c := code(t, child, "crm.lookup", nil); c != host.Internal || l.text() != "" {
		t.Errorf("the narrower set: %q, made %s", c, l.text())
	}
}

func TestEverything(t *testing.T) {
	caps, l := offer()
	s := Everything(caps, nil)
	for _, c := range []host.Code{code(t, s, "crm.remove", nil), code(t, s, "files.write", file("any", "x"))} {
		if c != "" {
			t.Error(c)
		}
	}
	if c := code(t, s, "files.write", file("any", "../x")); c != host.Invalid {
		t.Errorf("a name that is none: %q", c)
	}
	child, err := s.Narrow(Grant{Project: "any", Paths: []string{"a"}, Mode: Read})
	if err != nil {
		t.Fatal(err)
	}
	if c := code(t, child, "files.read", file("any", "b")); c != host.Denied {
		t.Error(c)
	}
	s.Revoke()
	if c := code(t, child, "files.read", file("any", "a")); c != host.Denied {
		t.Error(c)
	}
	if l.text() != "remove;readwrite any/x" {
		t.Error(l.text())
	}
}

func TestAudit(t *testing.T) {
	var got []string
	audit := func(_ context.Context, r host.Record) {
		if r.ArgsHash == "" || r.Time.IsZero() || r.Duration < 0 || r.Principal != "ada" {
			t.Errorf("record %+v", r)
		}
		got = append(got, fmt.Sprintf("%s %s %s", r.Func, r.On, r.Code))
	}
	s, _ := newTestSet(t, &Options{Audit: audit}, Grant{Project: "notes", Paths: []string{"docs/**"}, Mode: Read, Uses: []string{"crm@1.lookup"}})
	ctx := host.WithCall(t.Context(), host.Call{Principal: "ada"})
	s.Call(ctx, "crm.lookup", nil)
	s.Call(ctx, "files.read", file("notes", "docs/a"))
	s.Call(ctx, "files.read", file("notes", "x"))
	s.Call(ctx, "no\nthing", nil)
	child, err := s.Narrow(Grant{Uses: []string{"crm@1.lookup"}})
	if err != nil {
		t.Fatal(err)
	}
	child.Call(ctx, "crm.lookup", nil)
	s.Revoke()
	s.Call(ctx, "crm.lookup", nil)
	want := []string{"crm@1.lookup  ", "files@1.read notes/docs/a ", "files@1.read notes/x denied", `"no\nthing"  not_found`, "crm@1.lookup  ", `"crm.lookup"  denied`}
	if !slices.Equal(got, want) {
		t.Errorf("audit %q, want %q", got, want)
	}
}

func TestFlat(t *testing.T) {
	s, l := newTestSet(t, nil, Grant{Uses: []string{"crm@1.lookup"}})
	f, err := s.Flat()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Call(t.Context(), "lookup", nil); err != nil || l.text() != "lookup" {
		t.Error(err, l.text())
	}
	if _, err := f.Call(t.Context(), "crm@1.remove", nil); err == nil {
		t.Error("called by a full name")
	}
	s, _ = newTestSet(t, nil, Grant{Uses: []string{"crm@1.lookup", "crm@2.lookup"}})
	if _, err := s.Flat(); err == nil {
		t.Error("two functions of one name")
	}
}
