package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"samkit.dev/host"
	"samkit.dev/sam"
)

// A calling is one call on its way through its set and those around it.
type calling struct {
	set  *Set
	f    host.Func
	args json.RawMessage

	mu      sync.Mutex // guards what follows: a function may check several files at once
	charged []charge   // what this call counts for
	asked   bool       // and permitted
	answer  string     // for the audit
	on      string     // likewise
}

// A charge is a call counted for a grant of a set. One that was taken before the files are known is
// loose: it goes over to the grant that turns out to cover the first of them.
type charge struct {
	set   *Set
	grant *issued
	loose bool
}

// name of the function for the audit.
func (c *calling) name(asked string) string {
	if c.f.Name == "" {
		return quote(asked)
	}
	return nameOf(c.f)
}

func (c *calling) noted() (on, answer string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.on, c.answer
}

func (c *calling) run(ctx context.Context, name string) (json.RawMessage, *host.Error) {
	s := c.set
	if s.ctx.Err() != nil {
		return nil, ended(s.ctx)
	}
	f, failed := s.resolve(name)
	if failed != nil {
		return nil, failed
	}
	c.f = f
	take := host.StreamsFrom(ctx)
	ctx, cancel := context.WithCancel(ctx)
	unhook := context.AfterFunc(s.ctx, cancel)
	var streamed *stream
	defer func() {
		if streamed == nil {
			unhook()
			cancel()
		}
	}()
	if failed := c.admit(ctx); failed != nil {
		if s.ctx.Err() != nil { // that is why
			return nil, ended(s.ctx)
		}
		return nil, failed
	}
	inner := context.WithValue(ctx, callingKey{}, c)
	if take != nil {
		inner = host.WithStreams(inner, func(h *host.Stream) {
			streamed = &stream{set: s, body: h.Body, end: func() { unhook(); cancel() }}
			take(&host.Stream{Streaming: h.Streaming, Body: streamed})
		})
	}
	out, err := s.offered.Call(inner, nameOf(f), c.args)
	if s.ctx.Err() != nil {
		return nil, ended(s.ctx)
	}
	if err != nil {
		return nil, host.AsError(ctx, err)
	}
	return out, nil
}

// A stream is a result that comes in pieces, as long as the set lasts.
type stream struct {
	set  *Set
	body io.ReadCloser
	end  func() // of the call's context
}

func (s *stream) Read(p []byte) (int, error) {
	if s.set.ctx.Err() != nil {
		return 0, ended(s.set.ctx)
	}
	n, err := s.body.Read(p)
	if s.set.ctx.Err() != nil { // what was read meanwhile is withheld
		return 0, ended(s.set.ctx)
	}
	return n, err
}

func (s *stream) Close() error {
	s.end()
	return s.body.Close()
}

// admit finds a grant for the call in each set, asks if one of them says so, and
// counts the call.
func (c *calling) admit(ctx context.Context) *host.Error {
	any := func(*issued) bool { return true }
	for l := c.set; l != nil; l = l.opts.Within {
		if err := c.settle(ctx, l, any, c.f.Files); err != nil {
			return err
		}
	}
	for l := c.set; l != nil; l = l.opts.Within {
		if l.opts.Charge != nil {
			if err := l.opts.Charge(ctx); err != nil {
				return host.AsError(ctx, err)
			}
		}
	}
	return nil
}

// settle has a grant of s that fits permit the call: one that it counts for already,
// else one that need not ask, else one that asks. Nothing is asked twice in one call. loose is for
// grants of files before it is known of which.
func (c *calling) settle(ctx context.Context, s *Set, fits func(*issued) bool, loose bool) *host.Error {
	if s.all {
		return nil
	}
	for {
		g, err := c.pick(s, fits)
		if err != nil {
			return err
		}
		if c.asks(g) {
			if err := c.ask(ctx, g); err != nil {
				return err
			}
		}
		if c.charge(charge{s, g, loose}) {
			return nil
		}
	}
}

// pick returns the grant of s that is best for the call.
func (c *calling) pick(s *Set, fits func(*issued) bool) (best *issued, why *host.Error) {
	now := time.Now()
	for _, g := range s.held() {
		if !g.permits(c.f) || !fits(g) {
			continue
		}
		switch {
		case !g.Expires.After(now):
			why = errExpired
		case c.counts(g):
			if !c.asks(g) {
				return g, nil
			}
			if best == nil {
				best = g
			}
		case s.used(g) >= g.MaxCalls:
			why = usedUp(g.MaxCalls)
		case best == nil || c.asks(best) && !c.asks(g):
			best = g
		}
	}
	if best != nil {
		return best, nil
	}
	if why == nil {
		why = s.missing(c.f)
	}
	return nil, why
}

// asks reports whether a person has to permit the call by this grant.
func (c *calling) asks(g *issued) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return g.Confirm && !c.f.Reads && !c.asked
}

func (c *calling) ask(ctx context.Context, g *issued) *host.Error {
	who, _ := host.CallFrom(ctx)
	note, err := c.set.ask(ctx, Question{Call: who, Func: c.f, Args: c.args, Grant: g.Grant})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer, c.asked = note, err == nil
	return err
}

// counts reports whether the call counts for a grant already.
func (c *calling) counts(g *issued) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.charged, func(x charge) bool { return x.grant == g })
}

// charge counts the call for a grant, once. It reports whether there was a call left.
func (c *calling) charge(want charge) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.IndexFunc(c.charged, func(x charge) bool { return x.grant == want.grant }); i >= 0 {
		c.charged[i].loose = c.charged[i].loose && want.loose
		return true
	}
	if !want.set.take(want.grant) {
		return false
	}
	if i := slices.IndexFunc(c.charged, func(x charge) bool { return x.loose && x.set == want.set }); i >= 0 {
		want.set.giveBack(c.charged[i].grant)
		c.charged = slices.Delete(c.charged, i, i+1)
	}
	c.charged = append(c.charged, want)
	return true
}

type callingKey struct{}

// Check returns nil if the call that ctx belongs to may do to a file what mode
// says, and otherwise a denied error with the grant that it would need; it may ask a person. A
// function marked [host.OnFiles] calls it for every file before it touches it. Outside of a call it denies.
func Check(ctx context.Context, project sam.ProjectID, name string, mode Mode) error {
	c, err := checked(ctx, name, mode)
	if err != nil {
		return err
	}
	c.mu.Lock()
	if c.on == "" {
		c.on = string(project) + "/" + name
	}
	c.mu.Unlock()
	for l := c.set; l != nil; l = l.opts.Within {
		fits := func(g *issued) bool { return g.covers(project, name, mode) }
		if !l.all && !slices.ContainsFunc(l.held(), fits) {
			return denyFile(project, name, mode)
		}
		if err := c.settle(ctx, l, fits, false); err != nil {
			return err
		}
	}
	return nil
}

// Covers reports whether [Check] would permit something without asking. It counts
// nothing, so it is for deciding which names to show.
func Covers(ctx context.Context, project sam.ProjectID, name string, mode Mode) bool {
	c, err := checked(ctx, name, mode)
	if err != nil {
		return false
	}
	for l := c.set; l != nil; l = l.opts.Within {
		if l.all {
			continue
		}
		g, err := c.pick(l, func(g *issued) bool { return g.covers(project, name, mode) })
		if err != nil || c.asks(g) {
			return false
		}
	}
	return true
}

func checked(ctx context.Context, name string, mode Mode) (*calling, error) {
	c, ok := ctx.Value(callingKey{}).(*calling)
	if !ok || mode != Read && mode != ReadWrite {
		return nil, errRevoked
	}
	if reason := checkName(name); reason != "" {
		return nil, &host.Error{Code: host.Invalid, Message: fmt.Sprintf("The name %s %s.", quote(name), reason)}
	}
	if c.set.ctx.Err() != nil {
		return nil, ended(c.set.ctx)
	}
	return c, nil
}

// covers reports whether a grant is for this file.
func (g *issued) covers(project sam.ProjectID, name string, mode Mode) bool {
	return g.Project == project && g.Mode >= mode && slices.ContainsFunc(g.patterns, func(p pattern) bool { return p.match(name) })
}
