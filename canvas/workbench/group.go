package workbench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/sam"
)

// idleAfter is how long a bench stays open after it was last asked for, and idleLook how often
// that is looked at.
const (
	idleAfter = 30 * time.Minute
	idleLook  = 5 * time.Minute
)

// A Group keeps the benches of many people. It opens them when needed and closes
// those that nobody asked for in half an hour; a page that follows events keeps
// its bench open. It is safe for concurrent use.
type Group struct {
	open func(ctx context.Context, principal string) (*Bench, error)
	ctx  context.Context // ends with Close
	stop context.CancelFunc
	wg   sync.WaitGroup // opening benches, and the sweeper

	mu      sync.Mutex // guards what follows
	closed  bool
	members map[string]*member
}

// A member is a bench that is open or being opened.
type member struct {
	ready chan struct{} // closed when bench or err is set
	bench *Bench
	err   error
	used  time.Time // guarded by Group.mu
}

// NewGroup returns an empty group. open makes the bench of a person, with a
// context that ends when the group closes; it is called once at a time for
// each person, and again after it failed.
func NewGroup(open func(ctx context.Context, principal string) (*Bench, error)) *Group {
	g := &Group{open: open, members: make(map[string]*member)}
	g.ctx, g.stop = context.WithCancel(context.Background())
	g.wg.Go(g.sweep)
	return g
}

// Bench returns the bench of a person, "" being nobody in particular. Don't close it.
func (g *Group) Bench(ctx context.Context, principal string) (*Bench, error) {
	m, err := g.member(ctx, principal)
	if err != nil {
		return nil, err
	}
	select {
	case <-m.ready:
		return m.bench, m.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (g *Group) member(ctx context.Context, principal string) (*member, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, ErrClosed
	}
	m := g.members[principal]
	if m == nil {
		m = &member{ready: make(chan struct{})}
		g.members[principal] = m
		// The visitor who came first may leave; others wait for the same bench.
		octx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		unlink := context.AfterFunc(g.ctx, cancel)
		g.wg.Go(func() {
			defer cancel()
			defer unlink()
			g.fill(octx, principal, m)
		})
	}
	m.used = time.Now()
	return m, nil
}

// fill opens the bench of m. Others see it when ready is closed.
func (g *Group) fill(ctx context.Context, principal string, m *member) {
	bench, err := g.open(ctx, principal)
	if err == nil && bench == nil {
		err = errors.New("no bench")
	}
	if err != nil {
		m.err = fmt.Errorf("open the workbench: %w", err)
		g.mu.Lock()
		delete(g.members, principal)
		g.mu.Unlock()
	} else {
		m.bench = bench
	}
	close(m.ready)
}

// App is a [canvas.Finder]: each visitor sees the projects of their own bench.
func (g *Group) App(ctx context.Context, v canvas.Visitor, id sam.ProjectID) (*canvas.App, error) {
	b, err := g.Bench(ctx, v.Principal)
	if err != nil {
		return nil, err
	}
	return b.App(ctx, v, id)
}

func (g *Group) sweep() {
	tick := time.NewTicker(idleLook)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			for _, b := range g.takeIdle(time.Now()) {
				b.Close()
			}
		case <-g.ctx.Done():
			return
		}
	}
}

// takeIdle removes the benches that are idle from the group.
func (g *Group) takeIdle(now time.Time) []*Bench {
	g.mu.Lock()
	defer g.mu.Unlock()
	var idle []*Bench
	for principal, m := range g.members {
		select {
		case <-m.ready:
		default:
			continue
		}
		if m.bench != nil && now.Sub(m.used) >= idleAfter && m.bench.idle() {
			delete(g.members, principal)
			idle = append(idle, m.bench)
		}
	}
	return idle
}

// Close closes all benches and waits for them. Give it to
// http.Server.RegisterOnShutdown. It may be called twice.
func (g *Group) Close() error {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.stop()
	g.wg.Wait()

	g.mu.Lock()
	members := g.members
	g.members = make(map[string]*member)
	g.mu.Unlock()
	var errs []error
	for _, m := range members {
		if m.bench != nil {
			errs = append(errs, m.bench.Close())
		}
	}
	return errors.Join(errs...)
}
