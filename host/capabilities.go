package host

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Capabilities is what a program offers. Define and register before first
// use, which freezes it; then it is safe for concurrent use.
type Capabilities struct {
	frozen atomic.Bool

	mu     sync.Mutex               // guards what follows until frozen
	all    []*Capability            // in order of Define
	byName map[string][]*Capability // by version, oldest first
}

// New returns an empty set.
func New() *Capabilities { return &Capabilities{byName: map[string][]*Capability{}} }

// A Capability is a named and versioned group of functions. Like its
// [Capabilities] it is safe for concurrent use once that is frozen.
type Capability struct {
	set     *Capabilities
	name    string
	version int
	funcs   []*function // guarded by set.mu until frozen
	byName  map[string]*function
}

var capabilityName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_]*$`) })

// maxName is how many bytes the name of a capability or a function may have.
const maxName = 64

// reserved are members that env.HOST has beside the capabilities, and the one
// that would make it a thenable.
var reserved = []string{"capabilities", "constructor", "describe", "search", "then"}

// Define adds a capability. It panics if the name is not a lower-case
// identifier of at most 64 bytes or is reserved (capabilities, constructor,
// describe, search, then), if the version is below 1, if the pair is taken or
// if the set was used.
func (c *Capabilities) Define(name string, version int) *Capability {
	if len(name) > maxName || !capabilityName().MatchString(name) {
		panic(fmt.Sprintf("host: capability name %q is not a lower-case identifier", name))
	}
	if slices.Contains(reserved, name) {
		panic(fmt.Sprintf("host: capability name %q is reserved", name))
	}
	if version < 1 {
		panic(fmt.Sprintf("host: capability %s has version %d, below 1", name, version))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mustBeOpen("Define", name)
	versions := c.byName[name]
	at, taken := slices.BinarySearchFunc(versions, version, func(x *Capability, v int) int { return x.version - v })
	if taken {
		panic(fmt.Sprintf("host: capability %s@%d is defined twice", name, version))
	}
	cp := &Capability{set: c, name: name, version: version, byName: map[string]*function{}}
	c.all = append(c.all, cp)
	c.byName[name] = slices.Insert(versions, at, cp)
	return cp
}

// Get returns the capability of that name and version, or the oldest offered
// if version is 0; nil if there is none. It freezes c.
func (c *Capabilities) Get(name string, version int) *Capability {
	c.freeze()
	for _, cp := range c.byName[name] {
		if version == 0 || cp.version == version {
			return cp
		}
	}
	return nil
}

// Funcs yields the functions of all capabilities, in order of definition and
// registration. It freezes c.
func (c *Capabilities) Funcs() iter.Seq[Func] {
	c.freeze()
	return func(yield func(Func) bool) {
		for _, cp := range c.all {
			for f := range cp.Funcs() {
				if !yield(f) {
					return
				}
			}
		}
	}
}

// Call calls "crm.lookup", which is of the oldest version offered, or
// "crm@2.lookup" of a chosen one. Errors are as for [Capability.Call]. It
// freezes c.
func (c *Capabilities) Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	group, fn, _ := strings.Cut(name, ".")
	group, v, chosen := strings.Cut(group, "@")
	version := 0
	if chosen {
		var err error
		if version, err = strconv.Atoi(v); err != nil || version < 1 {
			return nil, &Error{Code: NotFound, Message: fmt.Sprintf("There is no function %s.", quote(name))}
		}
	}
	cp := c.Get(group, version)
	if cp == nil {
		return nil, &Error{Code: NotFound, Message: fmt.Sprintf("There is no function %s.", quote(name)), Hint: c.hint(group)}
	}
	return cp.Call(ctx, fn, args)
}

func (c *Capabilities) hint(group string) string {
	var have []string
	for _, cp := range c.byName[group] {
		have = append(have, cp.String())
	}
	if have == nil {
		for _, cp := range c.all {
			have = append(have, cp.String())
		}
	}
	return offered(have)
}

// offered words a list of alternatives, cut short.
func offered(names []string) string {
	if len(names) == 0 {
		return ""
	}
	more := ""
	if len(names) > 20 {
		names, more = names[:20], " …"
	}
	return "Offered: " + strings.Join(names, ", ") + more
}

func (c *Capabilities) freeze() {
	if c.frozen.Load() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frozen.Store(true)
}

func (c *Capabilities) mustBeOpen(what, name string) {
	if c.frozen.Load() {
		panic(fmt.Sprintf("host: %s of %s after the capabilities were first used", what, name))
	}
}

// Name returns the name given to Define.
func (c *Capability) Name() string { return c.name }

// Version returns the version given to Define.
func (c *Capability) Version() int { return c.version }

// String returns "crm@1".
func (c *Capability) String() string { return c.name + "@" + strconv.Itoa(c.version) }

// Funcs yields the functions in order of registration. It freezes the set
// that c belongs to.
func (c *Capability) Funcs() iter.Seq[Func] {
	c.set.freeze()
	return func(yield func(Func) bool) {
		for _, f := range c.funcs {
			if !yield(f.Func) {
				return
			}
		}
	}
}

// Call validates args, calls the function and encodes its result. No args
// means {} to a function that takes an object, and null to another. The error
// is always an [*Error]. A panic of the function is logged with slog.Default
// and comes back as Internal. Call freezes the set that c belongs to.
func (c *Capability) Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	c.set.freeze()
	f := c.byName[name]
	if f == nil {
		var have []string
		for _, f := range c.funcs {
			have = append(have, f.Name)
		}
		return nil, &Error{Code: NotFound, Message: fmt.Sprintf("%s has no function %s.", c, quote(name)), Hint: offered(have)}
	}
	return f.invoke(ctx, args)
}

// quote quotes a name that a stranger chose, cut to a length fit for a message.
func quote(s string) string {
	if len(s) > 100 {
		s = s[:100]
	}
	return strconv.Quote(s)
}
