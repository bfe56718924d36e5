package workers

import (
	"io"
	"math"
	"strings"
)

// An Outbound is a request that functions.js sends to the network. It comes from a
// worker, so whoever carries it out checks all of it.
type Outbound struct {
	Method   string
	URL      string   // as the URL standard serializes it, or anything else
	Header   []string // name, value, name, value …
	Redirect string   // "follow", "manual" or "error"

	// Body returns the body from its start, or nil if there is none; again for a request that
	// is repeated after a redirect. It fails if the body is a stream that has been read.
	Body   func() (io.ReadCloser, error)
	Length int64 // of Body in bytes; -1 if unknown

	MaxBody int64        // of the response, in bytes
	Admit   func() error // is asked before every request, those after redirects included
}

// An Inbound is what came back. The caller closes Body.
type Inbound struct {
	Status     int // 200 to 599
	StatusText string
	Header     []string // lower-case name, value …
	Body       io.ReadCloser
	Length     int64 // of Body in bytes; -1 if unknown
	NoBody     bool  // there can be none
	URL        string
	Redirected bool
}

// A NetworkError is a fetch that failed, for the code that called it: a TypeError, as the
// Fetch standard has it, or an Error where a limit was passed.
type NetworkError struct {
	Code    string // "fetch_denied", "fetch_failed", "fetch_redirect" or that of a limit: "limit_fetches", "limit_fetch_time" …
	Message string
	Err     error // for the log; code never sees it
}

func (e *NetworkError) Error() string { return e.Message }

// Unwrap returns e.Err.
func (e *NetworkError) Unwrap() error { return e.Err }

func (e *NetworkError) js() *jsError {
	class := "TypeError"
	if strings.HasPrefix(e.Code, "limit_") {
		class = "Error"
	}
	return &jsError{class: class, message: e.Message, props: map[string]any{"code": e.Code}, err: e}
}

// networkBinding is what calls of fetch name in place of a binding. Their payloads start
// with an action.
const networkBinding = math.MaxUint32

// Actions. All but the first name the exchange, by the id of the call that began it.
const (
	actSend byte = iota // method, URL, headers, redirect, how the body comes, its length, the body
	actPush             // a piece of the request body: its offset, whether it is the last, the bytes; is answered with the offset wanted next
	actPull             // wants a piece of the response body; is answered with whether it is the last, and the bytes
	actStop             // the rest is not wanted any more; is not answered
)

// How a request body comes.
const (
	sendNone   byte = iota
	sendWhole       // in the call
	sendStream      // in pieces, once
	sendAgain       // in pieces, from the start as often as it is wanted
)

// How a response body comes.
const (
	recvNone byte = iota
	recvWhole
	recvStream // the answer holds its start, perhaps nothing
)

const (
	maxWhole  = 64 << 10       // bytes of a request body in the call
	maxPiece  = 256 << 10      // bytes of a piece
	pushedAll = math.MaxUint64 // as the offset wanted next: no more is
)
