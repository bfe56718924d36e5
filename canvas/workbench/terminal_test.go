package workbench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"strings"
	"sync"
	"testing"
	"time"

	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/wasi"
)

// commands compiles what tests run once.
var commands = sync.OnceValue(func() *wasi.Runner {
	r, err := wasi.New(&wasi.Options{Timeout: 5 * time.Minute})
	if err != nil {
		panic(err)
	}
	return r
})

func ExampleBench_Terminal() {
	ctx := context.Background()
	eng, err := engine.New(&engine.Options{Isolation: engine.InProcess})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	runner, err := wasi.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer runner.Close()
	bench, err := New(ctx, sam.NewWorkspace(sam.NewMemStore(), "ada", nil), eng, &Options{Commands: runner})
	if err != nil {
		log.Fatal(err)
	}
	defer bench.Close()
	if _, err := bench.Create(ctx, "notes", sam.Files{"index.html": "<h1>hi</h1>\n"}); err != nil {
		log.Fatal(err)
	}
	t, err := bench.Terminal(ctx, "notes", "shell")
	if err != nil {
		log.Fatal(err)
	}
	if err := t.Enter("tr a-z A-Z <index.html | tee loud.html"); err != nil {
		log.Fatal(err)
	}
	for s := (Screen{Busy: true}); s.Busy; {
		if s, err = t.Screen(ctx, s.At); err != nil {
			log.Fatal(err)
		}
		for _, p := range s.Prints {
			fmt.Print(p.Text)
		}
	}
	// Output:
	// notes $ tr a-z A-Z <index.html | tee loud.html
	// <H1>HI</H1>
}

// A viewer shows a terminal as a page does.
type viewer struct {
	t *testing.T
	*Terminal
	last Screen
	text strings.Builder
}

func view(t *testing.T, b *Bench, id sam.ProjectID) *viewer {
	t.Helper()
	return viewKind(t, b, id, "shell")
}

func viewKind(t *testing.T, b *Bench, id sam.ProjectID, kind string) *viewer {
	t.Helper()
	term, err := b.Terminal(t.Context(), id, kind)
	if err != nil {
		t.Fatal(err)
	}
	v := &viewer{t: t, Terminal: term}
	v.read()
	return v
}

func (v *viewer) read() {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.t.Context(), 5*time.Minute) // Python may have to be compiled
	defer cancel()
	s, err := v.Screen(ctx, v.last.At)
	if err != nil || ctx.Err() != nil {
		v.t.Fatalf("%v, %v after %q", err, ctx.Err(), v.text.String())
	}
	if s.Fresh {
		v.text.Reset()
	}
	for _, p := range s.Prints {
		if p.Code != 0 {
			fmt.Fprintf(&v.text, "[%d]", p.Code)
		}
		v.text.WriteString(p.Text)
	}
	v.last = s
}

// until waits until the screen is as ok wants it.
func (v *viewer) until(what string, ok func() bool) {
	v.t.Helper()
	for n := 0; !ok(); n++ {
		if n > 10000 {
			v.t.Fatalf("%s: %q", what, v.text.String())
		}
		v.read()
	}
}

// begin enters a line. It runs, if it is not over yet.
func (v *viewer) begin(line string) {
	v.t.Helper()
	if err := v.Enter(line); err != nil {
		v.t.Fatal(err)
	}
	v.read()
}

// enter runs a line and returns what the terminal shows afterwards.
func (v *viewer) enter(line string) string {
	v.t.Helper()
	before := v.text.Len()
	v.begin(line)
	v.until(line, func() bool { return !v.last.Busy })
	return v.text.String()[before:]
}

func withCommands(t *testing.T) *server {
	t.Helper()
	return serve(t, Options{Commands: commands()})
}

func TestTerminal(t *testing.T) {
	s := withCommands(t)
	p := s.project(t, "notes", sam.Files{"docs/a.md": "hello\n"})
	v := view(t, s.Bench, "notes")
	if v.last.Prompt != "notes $ " || !v.last.Fresh || v.last.Busy {
		t.Errorf("at first: %+v", v.last)
	}
	for _, c := range [][2]string{
		{"cd docs; x=5", "notes $ cd docs; x=5\n"},
		{"cat a.md; echo $x", "notes/docs $ cat a.md; echo $x\nhello\n5\n"},
		{"false", "notes/docs $ false\n"},
		{"echo $?; printf no newline", "[1]notes/docs $ echo $?; printf no newline\n1\nno\n"},
		{"for i in 1 2; do", "notes/docs $ for i in 1 2; do\n"},
		{"echo $i", "> echo $i\n"},
		{"done", "> done\n1\n2\n"},
		{"cat <<E\na 'b\nE", "notes/docs $ cat <<E\na 'b\nE\na 'b\n"},
		{"printf 'é\\303'", "notes/docs $ printf 'é\\303'\né\uFFFD\n"},
		{"", "notes/docs $ \n"},
		{"nothing-of-the-sort", "notes/docs $ nothing-of-the-sort\nnothing-of-the-sort: command not found\n"},
		{"cd /tmp", "[127]notes/docs $ cd /tmp\n"},
		{"exit 3", "/tmp $ exit 3\n"},
		{"echo ${x-anew}", "[3]notes $ echo ${x-anew}\nanew\n"},
		{"echo > new.md hi", "notes $ echo > new.md hi\n"},
		{"((", "notes $ ((\n"},
	} {
		if got := v.enter(c[0]); got != c[1] {
			t.Errorf("%q shows %q, want %q", c[0], got, c[1])
		}
	}
	if data, err := p.ReadFile(t.Context(), "new.md"); err != nil || string(data) != "hi\n" {
		t.Errorf("new.md is %q, %v", data, err)
	}
	if v.last.Prompt != "> " {
		t.Errorf("within something the prompt is %q", v.last.Prompt)
	}
	v.Interrupt("half")
	v.read()
	if !strings.HasSuffix(v.text.String(), "> half^C\n") || v.last.Prompt != "notes $ " || v.last.Code != 130 {
		t.Errorf("after Ctrl-C: %q, %+v", v.text.String(), v.last)
	}
	v.Resize(101, 7)
	v.Resize(101, 7)
	v.enter("false")
	if got := v.enter("echo $? $COLUMNS $LINES"); got != "[1]notes $ echo $? $COLUMNS $LINES\n1 101 7\n" {
		t.Errorf("resized: %q", got)
	}
	if from, words := v.Complete(t.Context(), "cat docs/"); from != 4 || strings.Join(words, " ") != "docs/a.md" {
		t.Errorf("completed: %d %q", from, words)
	}
	// Whoever comes later sees the same, and what was cleared is cleared for all.
	other := view(t, s.Bench, "notes")
	if other.text.String() != v.text.String() {
		t.Errorf("another page shows %q", other.text.String())
	}
	other.Clear()
	v.read()
	if !v.last.Fresh || v.text.Len() != 0 {
		t.Errorf("after clear: %+v", v.last)
	}
}

func TestTerminalInput(t *testing.T) {
	s := withCommands(t)
	s.project(t, "notes", nil)
	v := view(t, s.Bench, "notes")
	v.Resize(99, 9)
	v.begin("read name; echo hello $name; cat")
	v.begin("ada")
	v.until("hello", func() bool { return strings.Contains(v.text.String(), "hello ada\n") })
	v.begin("and this")
	v.until("cat", func() bool { return strings.Count(v.text.String(), "and this\n") == 2 })
	v.EndInput()
	v.until("the end", func() bool { return !v.last.Busy })
	// A command that doesn't read ends all the same, and what was typed for it is nobody else's.
	v.begin("sleep 0.05")
	v.begin("lost")
	v.until("sleep", func() bool { return !v.last.Busy })
	if got := v.enter("echo next"); got != "notes $ echo next\nnext\n" {
		t.Errorf("%q", got)
	}
	for _, line := range []string{"sleep 100", "cat", "while :; do :; done", "cat | sort"} {
		v.begin(line)
		v.until(line, func() bool { return v.last.Busy && !v.last.Waits })
		v.Interrupt("")
		v.until(line, func() bool { return !v.last.Busy })
		if v.last.Code != 130 || !strings.Contains(v.text.String(), line+"\n^C\n") {
			t.Errorf("%s: %d, %q", line, v.last.Code, v.text.String())
		}
	}
	v.enter("yes 0123456789 | head -c 1000000")
	if v.size > maxScreen || v.size < maxScreen/2 {
		t.Errorf("the terminal holds %d bytes", v.size)
	}
	if err := v.Enter(strings.Repeat("x", maxEntered+1)); err == nil {
		t.Error("a line without end was taken")
	}
	v.begin("sleep 100")
	for n := 0; v.Enter(strings.Repeat("x", maxEntered)) == nil; n++ {
		if n > 10 {
			t.Fatal("what is typed has no bound")
		}
	}
	// A bench that closes does not wait for the person.
	done := make(chan error, 1)
	go func() {
		for {
			var err error
			if v.last, err = v.Screen(context.WithoutCancel(t.Context()), v.last.At); err != nil {
				done <- err
				return
			}
		}
	}()
	s.Close()
	if err := <-done; !errors.Is(err, ErrClosed) {
		t.Errorf("who reads hears %v", err)
	}
	if err := v.Enter("ls"); err != nil && !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestTerminalsComeAndGo(t *testing.T) {
	s := withCommands(t)
	s.project(t, "notes", nil)
	ctx := t.Context()
	if _, err := s.Terminal(ctx, "nothing", "shell"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of no project: %v", err)
	}
	if _, err := s.Terminal(ctx, "notes", "telnet"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of no kind: %v", err)
	}
	if _, err := open(t).Terminal(ctx, "notes", "shell"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without commands: %v", err)
	}
	v := view(t, s.Bench, "notes")
	if err := v.Enter("sleep 100"); err != nil {
		t.Fatal(err)
	}
	v.until("it runs", func() bool { return v.last.Busy && !v.last.Waits })
	for i := range maxTerminals + 3 {
		id := sam.ProjectID(fmt.Sprintf("p%d", i))
		s.project(t, id, nil)
		view(t, s.Bench, id)
	}
	if n := len(s.terminals.all); n > maxTerminals {
		t.Errorf("%d terminals", n)
	}
	if again, err := s.Terminal(ctx, "notes", "shell"); err != nil || again != v.Terminal {
		t.Errorf("one that runs something left: %v", err)
	}
	// A project that is deleted takes its terminal along; one of the same name begins anew.
	if err := s.Delete(ctx, "notes"); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Screen(ctx, ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of a deleted project: %v", err)
	}
	if err := v.Enter("ls"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of a deleted project: %v", err)
	}
	s.project(t, "notes", nil)
	if v := view(t, s.Bench, "notes"); v.text.Len() != 0 {
		t.Errorf("a new project's terminal shows %q", v.text.String())
	}
}
