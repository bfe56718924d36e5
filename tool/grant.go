package tool

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"samkit.dev/sam"
)

// A Mode says what may be done with granted files. The zero Mode grants nothing.
type Mode uint8

// The modes.
const (
	Read      Mode = iota + 1
	ReadWrite      // reading as well
)

// String returns "read", "readwrite" or "none".
func (m Mode) String() string {
	switch m {
	case Read:
		return "read"
	case ReadWrite:
		return "readwrite"
	}
	return "none"
}

// MarshalText returns "read" or "readwrite".
func (m Mode) MarshalText() ([]byte, error) {
	if m != Read && m != ReadWrite {
		return nil, fmt.Errorf("tool: there is no Mode(%d)", uint8(m))
	}
	return []byte(m.String()), nil
}

// UnmarshalText reads what MarshalText wrote.
func (m *Mode) UnmarshalText(text []byte) error {
	switch string(text) {
	case "read":
		*m = Read
	case "readwrite":
		*m = ReadWrite
	default:
		return fmt.Errorf("tool: mode %q is neither read nor readwrite", text)
	}
	return nil
}

// A Grant permits some uses. The zero Grant is an error. A field that is left out
// grants nothing or has a finite default.
type Grant struct {
	Project  sam.ProjectID `json:"project,omitempty"`
	Paths    []string      `json:"paths,omitempty"` // of its files: "docs/**"; see the package's documentation
	Mode     Mode          `json:"mode,omitempty"`
	Uses     []string      `json:"uses,omitempty"`     // functions: "crm@1.lookup", "crm@1.*"
	MaxCalls int           `json:"maxCalls,omitempty"` // zero means DefaultCalls
	Expires  time.Time     `json:"expires,omitzero"`   // zero means DefaultLife after NewSet
	Confirm  bool          `json:"confirm,omitempty"`  // ask before each call that changes something
}

// What a grant that says nothing else has.
const (
	DefaultCalls = 1000
	DefaultLife  = time.Hour
)

// Bounds of a grant.
const (
	MaxPaths = 100
	MaxUses  = 500
)

// WithDefaults returns the grant with MaxCalls and Expires as they are if it is issued at now.
func (g Grant) WithDefaults(now time.Time) Grant {
	if g.MaxCalls == 0 {
		g.MaxCalls = DefaultCalls
	}
	if g.Expires.IsZero() {
		g.Expires = now.Add(DefaultLife)
	}
	return g
}

var use = regexp.MustCompile(`^(?:([a-z][a-z0-9_]{0,63})@([1-9][0-9]{0,8})\.)?([A-Za-z][A-Za-z0-9_]{0,63}|\*)$`)

// Check says why a grant can't be issued at now, apart from functions that
// nobody offers.
func (g Grant) Check(now time.Time) error {
	switch {
	case len(g.Paths) == 0 && len(g.Uses) == 0:
		return errors.New("tool: the grant permits nothing: it has neither Paths nor Uses")
	case len(g.Paths) > MaxPaths:
		return fmt.Errorf("tool: the grant has %d paths, more than %d", len(g.Paths), MaxPaths)
	case len(g.Uses) > MaxUses:
		return fmt.Errorf("tool: the grant uses %d functions, more than %d; %q covers a capability", len(g.Uses), MaxUses, "crm@1.*")
	case g.MaxCalls < 0:
		return fmt.Errorf("tool: the grant permits %d calls", g.MaxCalls)
	case !g.Expires.IsZero() && !g.Expires.After(now):
		return fmt.Errorf("tool: the grant expired at %s", clock(g.Expires))
	case g.Mode > ReadWrite:
		return fmt.Errorf("tool: there is no Mode(%d)", uint8(g.Mode))
	case len(g.Paths) > 0 && g.Project == "":
		return errors.New("tool: the grant has Paths but no Project")
	case len(g.Paths) > 0 && g.Mode == 0:
		return errors.New("tool: the grant has Paths but no Mode")
	case len(g.Paths) == 0 && g.Mode != 0:
		return fmt.Errorf("tool: the grant has a Mode but no Paths; %q means every file", "**")
	}
	if g.Project != "" {
		if err := g.Project.Check(); err != nil {
			return fmt.Errorf("tool: the grant's project: %w", err)
		}
	}
	for _, p := range g.Paths {
		if _, err := parsePattern(p); err != nil {
			return err
		}
	}
	for _, u := range g.Uses {
		if m := use.FindStringSubmatch(u); m == nil || m[1] == "" && m[3] == "*" {
			return fmt.Errorf("tool: the use %q is not of the form %q or %q", u, "crm@1.lookup", "crm@1.*")
		}
	}
	return nil
}
