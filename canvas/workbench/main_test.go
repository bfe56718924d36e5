package workbench

import (
	"context"
	"os"
	"testing"
	"time"

	"samkit.dev/host/engine"
	"samkit.dev/sam"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

// A fixture is a bench on a store in memory.
type fixture struct {
	*Bench
	store sam.Store
	eng   *engine.Engine
}

func open(t *testing.T) *fixture {
	t.Helper()
	store := sam.NewMemStore()
	t.Cleanup(func() { store.Close() })
	f := &fixture{store: store, eng: newEngine(t)}
	f.Bench = f.again(t)
	return f
}

func newEngine(t *testing.T) *engine.Engine {
	t.Helper()
	eng, err := engine.New(&engine.Options{Isolation: engine.InProcess})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { eng.Close() })
	return eng
}

// again opens another bench on the same store.
func (f *fixture) again(t *testing.T) *Bench {
	t.Helper()
	b, err := New(t.Context(), sam.NewWorkspace(f.store, "ada", nil), f.eng, &Options{Roles: f.store.Space("ada/~bench")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func (f *fixture) create(t *testing.T, id sam.ProjectID) *sam.Project {
	t.Helper()
	p, err := f.Create(t.Context(), id, sam.Files{"index.html": "<h1>hi</h1>"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A follower reads events in a goroutine that the test ends.
type follower struct {
	t      *testing.T
	events chan Event
	errs   chan error
	done   chan struct{}
	cancel context.CancelFunc

	prompts []Prompt // told of, and not yet returned
}

func follow(t *testing.T, b *Bench, id sam.ProjectID, after string) *follower {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	f := &follower{t: t, events: make(chan Event, 100), errs: make(chan error, 1), done: make(chan struct{}), cancel: cancel}
	go func() {
		defer close(f.done)
		for e, err := range b.Events(ctx, id, after) {
			if err != nil {
				f.errs <- err
				return
			}
			f.events <- e
		}
	}()
	t.Cleanup(f.stop)
	return f
}

func (f *follower) stop() {
	f.cancel()
	<-f.done
}

// next returns the next event, which must be of a kind. That calls have ended is told later, whenever the audit
// comes to it: it counts only for who asks for it.
func (f *follower) next(kind Kind) Event {
	f.t.Helper()
	late := time.After(20 * time.Second)
	for {
		select {
		case e := <-f.events:
			if e.Kind == Audited && kind != Audited {
				continue
			}
			if e.Kind != kind {
				f.t.Fatalf("got event %+v, want one of kind %s", e, kind)
			}
			return e
		case err := <-f.errs:
			f.t.Fatal(err)
		case <-late:
			f.t.Fatalf("no event of kind %s", kind)
		}
	}
}

// prompt returns the next prompt. One event tells of all that came since the last.
func (f *follower) prompt() Prompt {
	f.t.Helper()
	if len(f.prompts) == 0 {
		f.prompts = f.next(Prompts).Prompts
	}
	p := f.prompts[0]
	f.prompts = f.prompts[1:]
	return p
}

// until passes over events until there is one of a kind.
func (f *follower) until(kind Kind) Event {
	f.t.Helper()
	late := time.After(20 * time.Second)
	for {
		select {
		case e := <-f.events:
			if e.Kind == kind {
				return e
			}
		case err := <-f.errs:
			f.t.Fatal(err)
		case <-late:
			f.t.Fatalf("no event of kind %s", kind)
		}
	}
}

// ended waits for the end of the stream.
func (f *follower) ended() {
	f.t.Helper()
	select {
	case <-f.done:
	case <-time.After(20 * time.Second):
		f.t.Fatal("the stream goes on")
	}
}
