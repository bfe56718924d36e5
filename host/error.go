package host

import (
	"context"
	"encoding/json"
	"errors"
)

// A Code classifies an Error. Its text is stable.
type Code string

// The codes.
const (
	Internal    Code = "internal" // also the zero Code; details withheld
	Invalid     Code = "invalid"
	NotFound    Code = "not_found"
	Conflict    Code = "conflict"
	Denied      Code = "denied"
	Exhausted   Code = "exhausted"
	Unavailable Code = "unavailable"
	Timeout     Code = "timeout"
)

// An Error is what sandboxed code may see. Any other error that a function
// returns reaches it as Internal with a fixed message. As JSON it has the
// names given by the tags, and no cause.
type Error struct {
	Code    Code            `json:"code"`
	Message string          `json:"message"`
	Hint    string          `json:"hint,omitempty"`      // what to ask for instead, in words
	Grant   json.RawMessage `json:"grant,omitempty"`     // denied: the narrowest grant that would do
	Details json.RawMessage `json:"details,omitempty"`   // conflict: the current hash and contents; exhausted: the limit and its value
	Retry   bool            `json:"retryable,omitempty"` // the same call may succeed later
	Err     error           `json:"-"`                   // the cause; stays in the program
}

// Error returns the code and the message.
func (e *Error) Error() string {
	code := e.Code
	if code == "" {
		code = Internal
	}
	return string(code) + ": " + e.Message
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// internalMessage is all that sandboxed code learns of a fault of the program.
const internalMessage = "The function failed. The reason is in the log of the program."

// AsError returns the error that sandboxed code may see for err: err itself
// or the [*Error] it wraps, a [Timeout] if err is what ended ctx, and otherwise
// an Internal error with a fixed message and err as the cause. It returns nil
// for nil. Every [Caller] of this module returns errors that went through it;
// code that calls a foreign one applies it.
func AsError(ctx context.Context, err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) && e != nil {
		if e.Code != "" && e.Code != Internal {
			return e.encodable()
		}
		return &Error{Code: Internal, Message: internalMessage, Retry: e.Retry, Err: err}
	}
	if ctx.Err() != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return &Error{Code: Timeout, Message: "The call took too long.", Err: err}
		}
		if errors.Is(err, context.Canceled) {
			return &Error{Code: Timeout, Message: "The call was cancelled.", Err: err}
		}
	}
	return &Error{Code: Internal, Message: internalMessage, Err: err}
}

// encodable returns e without Grant or Details that are not JSON, which would
// make the whole error unreadable to its reader.
func (e *Error) encodable() *Error {
	ok := func(m json.RawMessage) bool { return len(m) == 0 || json.Valid(m) }
	if ok(e.Grant) && ok(e.Details) {
		return e
	}
	c := *e
	if !ok(c.Grant) {
		c.Grant = nil
	}
	if !ok(c.Details) {
		c.Details = nil
	}
	return &c
}
