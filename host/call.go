package host

import (
	"context"
	"encoding/json"
	"strings"
	"time"
)

// A Call tells a function who is calling; see [CallFrom].
type Call struct {
	ID        string // of this call, unique within the process
	Principal string // the person; "" if unknown
	Project   string
	Role      Role
	Session   string // of a tool session; "" otherwise
}

type callKey struct{}

// WithCall returns a context that belongs to call. What runs sandboxed code
// uses it; a program does so to test its functions.
func WithCall(ctx context.Context, call Call) context.Context {
	return context.WithValue(ctx, callKey{}, call)
}

// CallFrom returns the call that ctx belongs to.
func CallFrom(ctx context.Context) (Call, bool) {
	call, ok := ctx.Value(callKey{}).(Call)
	return call, ok
}

// A Role is the part a project plays. The zero Role is none.
type Role uint8

// The roles.
const (
	App   Role = iota + 1 // an app on a canvas, the work project included
	Agent                 // the current agent
	Tool                  // a tool session
)

// String returns "app", "agent", "tool" or "none".
func (r Role) String() string {
	switch r {
	case App:
		return "app"
	case Agent:
		return "agent"
	case Tool:
		return "tool"
	}
	return "none"
}

// A Record is one finished call, for audit.
type Record struct {
	Call
	Func     string // "crm@1.lookup"
	Time     time.Time
	Duration time.Duration
	ArgsHash string // SHA-256 of the arguments as sent, in hex; see [HashArgs]
	On       string // the first file it acted on, "notes/docs/a.md"; "" if none
	Answer   string // what a person said to it: "allowed once by ada"; "" if nobody was asked
	Code     Code   // "" if it succeeded

	Refusal string          // of a denied call: what was refused, in words; at most 1,000 bytes
	Grant   json.RawMessage `json:",omitempty"` // of a denied call: the narrowest grant that would do, as [Error] has it; nil if none would
}

// Refused notes why a call was denied. Of other errors it keeps the code alone: their messages may show what
// was worked on.
func (r *Record) Refused(err *Error) {
	r.Code = err.Code
	if err.Code != Denied {
		return
	}
	r.Refusal, r.Grant = err.Message, err.Grant
	if len(r.Refusal) > maxRefusal {
		r.Refusal = strings.ToValidUTF8(r.Refusal[:maxRefusal], "")
	}
	if len(r.Grant) > maxRefusedGrant {
		r.Grant = nil
	}
}

// What a record keeps of a refusal, in bytes.
const (
	maxRefusal      = 1000
	maxRefusedGrant = 4 << 10
)
