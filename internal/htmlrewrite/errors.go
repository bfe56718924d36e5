// Package htmlrewrite rewrites HTML as it streams by, with the semantics of lol-html, which is
// what HTMLRewriter of Cloudflare Workers is made of.
//
// A [Rewriter] is written to and then asked, by [Rewriter.Next], whom to call: it stops at each
// pair of a handler and what that handler selects, so that the caller may take its time.
// What no handler changes comes out byte for byte as it went in.
package htmlrewrite

import (
	"errors"
	"fmt"
)

// ErrMemory reports a document that would take too much memory to follow: a tag or comment
// too long, or elements nested too deeply.
var ErrMemory = errors.New("The memory limit has been exceeded.")

// What a document keeps in memory is bounded.
const (
	maxToken = 8 << 20 // bytes of a tag or a comment

	maxContent = 64 << 20 // bytes that handlers insert at one place
	maxDepth   = 1 << 16  // open elements
)

// A NameError is a name that cannot be that of a tag or an attribute, or text that cannot
// be in a comment.
type NameError struct{ text string }

func (e *NameError) Error() string { return e.text }

func nameError(format string, args ...any) error { return &NameError{fmt.Sprintf(format, args...)} }
