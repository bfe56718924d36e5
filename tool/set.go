package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"samkit.dev/host"
)

// Options configures a [Set]. Nil means the zero Options.
type Options struct {
	Confirm Confirm                            // answers for grants that ask; nil denies
	Audit   func(context.Context, host.Record) // is told of every call when it has ended; it must not block. Nil means nobody
	Charge  func(context.Context) error        // is asked before each call that is permitted; an error refuses it. Nil permits
	Within  *Set                               // this set, too, must permit every call; nil means no other
}

// A Set is the functions granted to one piece of sandboxed code. It is safe
// for concurrent use. A nil *Set grants nothing.
type Set struct {
	offered host.Caller
	opts    Options
	all     bool // everything offered; grants is empty

	ctx    context.Context // ends with the set; its cause is a *host.Error
	end    context.CancelCauseFunc
	timer  *time.Timer   // ends it when its last grant expires
	asking chan struct{} // held while a question is open

	mu      sync.Mutex // guards what follows
	grants  []*issued  // a slice is not changed
	last    time.Time  // when the last of them expires
	funcs   map[string]host.Func
	answers []remembered
}

// An issued is a grant at work.
type issued struct {
	Grant
	patterns []pattern

	made int // calls; guarded by Set.mu
}

var _ host.Valuer = (*Set)(nil)

// NewSet checks grants against what is offered and returns their union. It fails
// without a grant, and for one that permits nothing or that names a function
// which nobody offers.
func NewSet(offered host.Caller, opts *Options, grants ...Grant) (*Set, error) {
	if offered == nil {
		return nil, errors.New("tool: NewSet needs functions to grant from")
	}
	if len(grants) == 0 {
		return nil, errors.New("tool: a set without a grant would permit nothing")
	}
	s := newSet(offered, opts)
	now := time.Now()
	s.last = now
	for _, g := range grants {
		is, err := s.issue(g, now)
		if err != nil {
			s.end(errRevoked)
			return nil, err
		}
		s.grants = append(s.grants, is)
		s.last = later(s.last, is.Expires)
	}
	s.mu.Lock() // the timer may be faster
	s.timer = time.AfterFunc(time.Until(s.last), s.expire)
	s.mu.Unlock()
	context.AfterFunc(s.ctx, func() { s.timer.Stop() })
	return s, nil
}

// issue checks a grant and makes it ready for work.
func (s *Set) issue(g Grant, now time.Time) (*issued, error) {
	if err := g.Check(now); err != nil {
		return nil, err
	}
	g = g.WithDefaults(now)
	g.Paths, g.Uses = slices.Clone(g.Paths), slices.Clone(g.Uses)
	if err := s.checkUses(g.Uses); err != nil {
		return nil, err
	}
	is := &issued{Grant: g}
	for _, p := range g.Paths {
		pat, _ := parsePattern(p) // Check has
		is.patterns = append(is.patterns, pat)
	}
	return is, nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// expire ends the set if its last grant has expired, which one that was added meanwhile may not have.
func (s *Set) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if left := time.Until(s.last); left > 0 && s.ctx.Err() == nil {
		s.timer.Reset(left)
		return
	}
	s.end(errExpired)
}

// MaxGrants bounds the grants of a set that [Set.Add] adds to.
const MaxGrants = 100

// Add adds a grant that a person has agreed to, such as the one that a denied error asks for. Calls
// that were denied may be made again; sets narrowed from s get nothing by it. It fails as [NewSet] does, for a set
// that has ended, for one made by [Everything], and at [MaxGrants].
func (s *Set) Add(g Grant) error {
	if s == nil {
		return errRevoked
	}
	if s.all {
		return errors.New("tool: the set permits everything already")
	}
	is, err := s.issue(g, time.Now())
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ctx.Err() != nil:
		return ended(s.ctx)
	case len(s.grants) >= MaxGrants:
		return fmt.Errorf("tool: the set has %d grants", MaxGrants)
	}
	s.grants = append(slices.Clip(s.grants), is)
	s.last = later(s.last, is.Expires)
	return nil
}

// held returns the grants at work.
func (s *Set) held() []*issued {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.grants
}

// Everything returns the set of all that is offered, on every project, for as
// long as it is not revoked. What it must not do its functions refuse themselves.
func Everything(offered host.Caller, opts *Options) *Set {
	s := newSet(offered, opts)
	s.all = true
	return s
}

func newSet(offered host.Caller, opts *Options) *Set {
	s := &Set{offered: offered, asking: make(chan struct{}, 1)}
	if opts != nil {
		s.opts = *opts
	}
	within := context.Background()
	if s.opts.Within != nil {
		within = s.opts.Within.ctx
	}
	s.ctx, s.end = context.WithCancelCause(within)
	return s
}

// Narrow returns what both s and grants permit. It asks and audits as s does; its
// calls count for both; it ends with s.
func (s *Set) Narrow(grants ...Grant) (*Set, error) {
	if s == nil {
		return nil, errRevoked
	}
	opts := s.opts
	opts.Within = s
	opts.Charge = nil // s is charged
	return NewSet(s.offered, &opts, grants...)
}

// Revoke ends the set and every set within it. Calls that run are cancelled, and what they
// would have returned is withheld.
func (s *Set) Revoke() {
	if s != nil {
		s.end(errRevoked)
	}
}

// Done returns a channel that is closed when the set has ended.
func (s *Set) Done() <-chan struct{} {
	if s == nil {
		return closed
	}
	return s.ctx.Done()
}

var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// checkUses refuses functions that nobody offers, and those of files.
func (s *Set) checkUses(uses []string) error {
	for _, u := range uses {
		found := false
		for _, f := range s.lookup(u) {
			found = true
			if f.Files && !strings.HasSuffix(u, ".*") {
				return fmt.Errorf("tool: %s acts on files: grant it by Project, Paths and Mode", u)
			}
		}
		if !found {
			return fmt.Errorf("tool: nobody offers %q", u)
		}
	}
	return nil
}

// lookup returns the functions that a use covers.
func (s *Set) lookup(u string) []host.Func {
	if group, ok := strings.CutSuffix(u, ".*"); ok {
		var all []host.Func
		for f := range s.offered.Funcs() {
			if strings.TrimSuffix(nameOf(f), "."+f.Name) == group {
				all = append(all, f)
			}
		}
		return all
	}
	if f, ok := s.find(u); ok {
		return []host.Func{f}
	}
	return nil
}

// find returns an offered function by its full name. What is offered may change, so a
// name that is not known is looked for again.
func (s *Set) find(full string) (host.Func, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.funcs[full]
	if ok {
		return f, true
	}
	s.funcs = map[string]host.Func{}
	for f := range s.offered.Funcs() {
		s.funcs[nameOf(f)] = f
	}
	f, ok = s.funcs[full]
	return f, ok
}

// Funcs yields the granted functions, as they are offered now. It tells nothing
// of whether the grants still hold.
func (s *Set) Funcs() iter.Seq[host.Func] {
	return func(yield func(host.Func) bool) {
		if s == nil {
			return
		}
		for f := range s.offered.Funcs() {
			if s.grantsFunc(f) && !yield(f) {
				return
			}
		}
	}
}

// Values implements [host.Valuer] with the constants of what is offered.
func (s *Set) Values() map[string]json.RawMessage {
	if s == nil {
		return nil
	}
	if v, ok := s.offered.(host.Valuer); ok {
		return v.Values()
	}
	return nil
}

// grantsFunc reports whether a function is granted in this set and those around it. Of files
// it is whether some grant is about files, so that code hears from a call what is missing.
func (s *Set) grantsFunc(f host.Func) bool {
	for l := s; l != nil; l = l.opts.Within {
		if !l.all && !slices.ContainsFunc(l.held(), func(g *issued) bool { return f.Files && g.Mode != 0 || g.uses(f) }) {
			return false
		}
	}
	return true
}

// uses reports whether a grant names a function.
func (g *issued) uses(f host.Func) bool {
	if f.Files {
		return false
	}
	name := nameOf(f)
	group := strings.TrimSuffix(name, f.Name) + "*"
	return slices.ContainsFunc(g.Uses, func(u string) bool { return u == name || u == group && f.Capability != "" })
}

// permits reports whether a grant allows to call a function: one of files, if it
// may do to any file what the function does.
func (g *issued) permits(f host.Func) bool {
	if f.Files {
		return g.Mode == ReadWrite || g.Mode == Read && f.Reads
	}
	return g.uses(f)
}

// resolve returns the function that a caller names. A name without a version means
// the oldest that is granted.
func (s *Set) resolve(name string) (host.Func, *host.Error) {
	group, fn, dotted := strings.Cut(name, ".")
	if !dotted || strings.Contains(group, "@") {
		if dotted {
			group, v, _ := strings.Cut(group, "@")
			if n, err := strconv.Atoi(v); err == nil {
				name = fmt.Sprintf("%s@%d.%s", group, n, fn)
			}
		}
		if f, ok := s.find(name); ok {
			return f, nil
		}
		return host.Func{}, &host.Error{Code: host.NotFound, Message: fmt.Sprintf("There is no function %s.", quote(name))}
	}
	var best host.Func
	found, granted := false, false
	for f := range s.offered.Funcs() {
		if f.Capability != group || f.Name != fn {
			continue
		}
		if ok := s.grantsFunc(f); !found || ok && !granted || ok == granted && f.Version < best.Version {
			best, found, granted = f, true, ok
		}
	}
	if !found {
		return best, &host.Error{Code: host.NotFound, Message: fmt.Sprintf("There is no function %s.", quote(name))}
	}
	return best, nil
}

// Call makes one call, "crm.lookup" or "crm@1.lookup", if the grants permit it
// now. The error is always a [*host.Error]. The function's context belongs to the call
// (see [Check]) and ends with the set.
func (s *Set) Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	if s == nil {
		return nil, errRevoked
	}
	c := &calling{set: s, args: args}
	began := time.Now()
	out, err := c.run(ctx, name)
	if s.opts.Audit != nil {
		who, _ := host.CallFrom(ctx)
		r := host.Record{Call: who, Func: c.name(name), Time: began, Duration: time.Since(began), ArgsHash: host.HashArgs(args)}
		r.On, r.Answer = c.noted()
		if err != nil {
			r.Refused(err)
		}
		s.opts.Audit(ctx, r)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// missing says which grant there would have to be for f.
func (s *Set) missing(f host.Func) *host.Error {
	if !f.Files {
		return denyFunc(nameOf(f))
	}
	for _, g := range s.held() {
		if g.Mode == Read {
			return deny(fmt.Sprintf("The grant is for reading; %s changes files.", nameOf(f)), Grant{Project: g.Project, Paths: g.Paths, Mode: ReadWrite})
		}
	}
	return &host.Error{Code: host.Denied, Message: fmt.Sprintf("No file is granted, so %s can't be called.", nameOf(f))}
}

// used returns how many calls of a grant are used.
func (s *Set) used(g *issued) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return g.made
}

// take uses a call of a grant, if there is one.
func (s *Set) take(g *issued) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.made >= g.MaxCalls {
		return false
	}
	g.made++
	return true
}

// giveBack undoes take.
func (s *Set) giveBack(g *issued) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g.made--
}

// Grants returns what the set was made of and what was added, with defaults filled in.
func (s *Set) Grants() []Grant {
	if s == nil {
		return nil
	}
	var all []Grant
	for _, g := range s.held() {
		c := g.Grant
		c.Paths, c.Uses = slices.Clone(c.Paths), slices.Clone(c.Uses)
		all = append(all, c)
	}
	return all
}

// Flat returns the functions of a set under their own names, as a service has
// them: env.CRM.lookup. It fails if two have the same name.
func (s *Set) Flat() (host.Caller, error) {
	byName := map[string]string{}
	for f := range s.Funcs() {
		if other, taken := byName[f.Name]; taken {
			return nil, fmt.Errorf("tool: %s and %s would have the same name", other, nameOf(f))
		}
		byName[f.Name] = nameOf(f)
	}
	return &flat{s, byName}, nil
}

// A flat is a set whose functions are called by their own names.
type flat struct {
	*Set
	byName map[string]string
}

// Call implements host.Caller.
func (f *flat) Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	full, ok := f.byName[name]
	if !ok {
		return nil, &host.Error{Code: host.NotFound, Message: fmt.Sprintf("There is no function %s.", quote(name))}
	}
	return f.Set.Call(ctx, full, args)
}
