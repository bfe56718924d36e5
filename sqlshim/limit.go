package sqlshim

import (
	"context"
	"errors"
	"fmt"

	"samkit.dev/sam"
)

// timeout says of an interrupted statement's cause whether it was the timeout.
// The error matches context.DeadlineExceeded and holds a *sam.LimitError.
func (c *conn) timeout(cause error) error {
	if !errors.Is(cause, context.DeadlineExceeded) || c.call.Context == nil || c.call.Context.Err() != nil {
		return cause
	}
	return fmt.Errorf("%w: %w", &sam.LimitError{Limit: "Timeout", Max: c.opts.Timeout.Milliseconds()}, cause)
}

// whyFull returns the limit that SQLITE_FULL is about.
func (c *conn) whyFull() error {
	if p := c.pages; p != nil {
		full := p.full
		p.full = nil
		switch {
		case full != nil:
			return full
		case p.budget.short:
			p.budget.short = false
			return &sam.LimitError{Limit: "MaxMemory", Max: c.opts.MaxMemory}
		}
	}
	return &sam.LimitError{Limit: "MaxBytes", Max: c.opts.MaxBytes}
}

func overRows(limit error) error {
	return &Error{Code: "SQLITE_INTERRUPT", Offset: -1, Text: fmt.Sprintf("too many rows for one request (%v)", limit), Err: limit}
}
