package console

import (
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"
)

// An Origin says which part of an app an entry comes from. Its text is stable.
type Origin string

// The origins.
const (
	Page      Origin = "page"      // JavaScript, markup or resources in the browser
	Functions Origin = "functions" // functions.js, at run time
	Request   Origin = "request"   // a request that functions.js answered: how, and how fast
	Build     Origin = "build"     // bundling or transforming source
	System    Origin = "system"    // what serves the app: ignored settings, limits, refusals
)

// An Entry is one message. As JSON it has the names given by the tags, the
// time in RFC 3339 and the level as log/slog writes it ("INFO", "ERROR").
//
// Equal entries that follow each other stay apart; a panel that folds them
// compares everything but Seq and Time.
type Entry struct {
	Seq     uint64     `json:"seq"`               // set by Add; counts from 1 without gaps
	Time    time.Time  `json:"time"`              // the zero time becomes the time of Add
	Level   slog.Level `json:"level"`             // console.debug, log and info, warn, error: Debug, Info, Warn, Error
	Origin  Origin     `json:"origin,omitempty"`  // which part of the app
	Source  string     `json:"source,omitempty"`  // "src/app.tsx:12:4", in the file as written
	Text    string     `json:"text"`              // may hold several lines
	Stack   string     `json:"stack,omitempty"`   // of an error, positions in the files as written
	Request string     `json:"request,omitempty"` // "GET /api/notes", what was being answered
}

// Limits of an entry's fields, in bytes. Add cuts what is longer and appends a
// note of how much is missing.
const (
	MaxText    = 32 << 10
	MaxStack   = 8 << 10
	MaxSource  = 512
	MaxRequest = 512
)

// overhead is what an entry is counted for beside its strings.
const overhead = 128

func (e *Entry) size() int {
	return overhead + len(e.Origin) + len(e.Source) + len(e.Text) + len(e.Stack) + len(e.Request)
}

// trim makes e's strings valid UTF-8 within their limits. A cut string is
// copied, so that an entry does not keep a large one alive.
func (e *Entry) trim() {
	e.Text = cut(e.Text, MaxText)
	e.Stack = cut(e.Stack, MaxStack)
	e.Source = cut(e.Source, MaxSource)
	e.Request = cut(e.Request, MaxRequest)
	e.Origin = Origin(cut(string(e.Origin), 32))
}

func cut(s string, limit int) string {
	if len(s) <= limit {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	head := s[:limit]
	for i := 0; i < utf8.UTFMax && len(head) > 0; i++ {
		if r, n := utf8.DecodeLastRuneInString(head); r != utf8.RuneError || n != 1 {
			break
		}
		head = head[:len(head)-1]
	}
	return strings.ToValidUTF8(head, "\uFFFD") + fmt.Sprintf("… (%d bytes more)", len(s)-len(head))
}
