package workbench

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/sam"
)

func TestGroupOpensEachBenchOnce(t *testing.T) {
	f := open(t)
	var opened atomic.Int32
	g := NewGroup(func(ctx context.Context, principal string) (*Bench, error) {
		opened.Add(1)
		time.Sleep(10 * time.Millisecond)
		return New(ctx, sam.NewWorkspace(f.store, principal, nil), f.eng, nil)
	})
	defer g.Close()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := g.Bench(t.Context(), "ada"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	a, _ := g.Bench(t.Context(), "ada")
	b, err := g.Bench(t.Context(), "bob")
	if err != nil || a == b {
		t.Errorf("two people share a bench, or %v", err)
	}
	if n := opened.Load(); n != 2 {
		t.Errorf("open was called %d times", n)
	}
}

func TestGroupShowsEachPersonTheirOwn(t *testing.T) {
	f := open(t)
	g := NewGroup(func(ctx context.Context, principal string) (*Bench, error) {
		return New(ctx, sam.NewWorkspace(f.store, principal, nil), f.eng, nil)
	})
	defer g.Close()
	f.create(t, "notes") // ada's
	if _, err := g.App(t.Context(), canvas.Visitor{Principal: "ada"}, "notes"); err != nil {
		t.Error(err)
	}
	if _, err := g.App(t.Context(), canvas.Visitor{Principal: "bob"}, "notes"); err == nil {
		t.Error("bob sees ada's notes")
	}
}

func TestGroupTriesAgainAfterAFailure(t *testing.T) {
	f := open(t)
	broken := errors.New("broken")
	fail := true
	g := NewGroup(func(ctx context.Context, principal string) (*Bench, error) {
		if fail {
			return nil, broken
		}
		return New(ctx, f.Workspace(), f.eng, nil)
	})
	defer g.Close()
	if _, err := g.Bench(t.Context(), ""); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	fail = false
	if _, err := g.Bench(t.Context(), ""); err != nil {
		t.Error(err)
	}
}

func TestAVisitorWhoLeavesDoesNotEndTheOpening(t *testing.T) {
	f := open(t)
	release := make(chan struct{})
	g := NewGroup(func(ctx context.Context, principal string) (*Bench, error) {
		select {
		case <-release:
			return New(ctx, f.Workspace(), f.eng, nil)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	defer g.Close()
	ctx, leave := context.WithCancel(t.Context())
	leave()
	if _, err := g.Bench(ctx, ""); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	close(release)
	if _, err := g.Bench(t.Context(), ""); err != nil {
		t.Error(err)
	}
}

func TestGroupClosesIdleBenches(t *testing.T) {
	f := open(t)
	f.create(t, "notes")
	synctest.Test(t, func(t *testing.T) {
		g := NewGroup(func(ctx context.Context, principal string) (*Bench, error) {
			return New(ctx, sam.NewWorkspace(f.store, "ada", nil), f.eng, nil)
		})
		defer g.Close()
		used, err := g.Bench(t.Context(), "reader")
		if err != nil {
			t.Fatal(err)
		}
		idle, err := g.Bench(t.Context(), "idle")
		if err != nil {
			t.Fatal(err)
		}
		news := follow(t, used, "", "")
		news.next(Ready)
		time.Sleep(idleAfter + 2*idleLook)
		synctest.Wait()
		if idle.ctx.Err() == nil {
			t.Error("an idle bench is open")
		}
		if used.ctx.Err() != nil {
			t.Error("a bench that is read was closed")
		}
		again, err := g.Bench(t.Context(), "idle")
		if err != nil || again == idle {
			t.Errorf("the closed bench was given out, or %v", err)
		}
		news.stop()
	})
}

func TestGroupClose(t *testing.T) {
	f := open(t)
	g := NewGroup(func(ctx context.Context, principal string) (*Bench, error) {
		if principal == "slow" {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return New(ctx, f.Workspace(), f.eng, nil)
	})
	b, err := g.Bench(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	slow := make(chan error, 1)
	go func() {
		_, err := g.Bench(t.Context(), "slow")
		slow <- err
	}()
	time.Sleep(10 * time.Millisecond)
	if err := errors.Join(g.Close(), g.Close()); err != nil {
		t.Error(err)
	}
	if err := <-slow; err == nil {
		t.Error("a bench was opened in a group that closes")
	}
	if b.ctx.Err() == nil {
		t.Error("the group closed, its bench did not")
	}
	if _, err := g.Bench(t.Context(), ""); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed group: %v", err)
	}
}
