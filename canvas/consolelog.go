package canvas

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"samkit.dev/host/console"
)

// Limits of what a page reports.
const (
	maxLogBody    = 256 << 10
	maxLogEntries = 500
	meterWindow   = 5 * time.Second
	meterEntries  = 3000    // in a window, of all pages of a project
	meterBytes    = 2 << 20 // likewise
)

// A meter bounds what pages of a project may put on its console.
type meter struct {
	mu      sync.Mutex
	start   time.Time
	entries int
	bytes   int
	dropped int
}

// take reports whether an entry of n bytes may pass, and how many could not
// in the window before.
func (m *meter) take(n int, now time.Time) (ok bool, dropped int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now.Sub(m.start) > meterWindow {
		dropped = m.dropped
		m.start, m.entries, m.bytes, m.dropped = now, 0, 0, 0
	}
	if m.entries++; m.entries > meterEntries || m.bytes+n > meterBytes {
		m.dropped++
		return false, dropped
	}
	m.bytes += n
	return true, dropped
}

// A report is what a page sends of its console.
type report struct {
	Page    string `json:"page"`
	Path    string `json:"path"`
	Entries []struct {
		Level  string `json:"level"`
		Text   string `json:"text"`
		Source string `json:"source"`
		Stack  string `json:"stack"`
	} `json:"entries"`
}

// consoleLog takes a page's report. The page is not told what becomes of it. A secret that
// functions.js gave to the page is kept from the console, as what functions.js prints itself.
func (v *visit) consoleLog() {
	if v.r.Method != http.MethodPost {
		v.methodNotAllowed("POST")
		return
	}
	body, err := v.smallBody(maxLogBody)
	var long *http.MaxBytesError
	switch {
	case err != nil && !errors.As(err, &long):
		v.fail(http.StatusBadRequest, failure{Code: "invalid", Message: "The report did not arrive whole."})
		return
	case err != nil:
		v.fail(http.StatusRequestEntityTooLarge, failure{Code: "exhausted", Message: fmt.Sprintf("A report has at most %d bytes.", maxLogBody)})
		return
	}
	var rep report
	if err := json.Unmarshal(body, &rep); err != nil {
		v.fail(http.StatusBadRequest, failure{Code: "invalid", Message: "This is no console report."})
		return
	}
	gen, err := v.generation()
	if err != nil {
		v.notFound()
		return
	}
	out := v.app.consoleOf(v.site)
	page := "/" + redact(v.safe(rep.Path[:min(len(rep.Path), console.MaxRequest)]))
	for i, e := range rep.Entries {
		if i == maxLogEntries {
			break
		}
		ok, dropped := v.site.meter.take(len(e.Text)+len(e.Stack)+len(e.Source), time.Now())
		if dropped > 0 {
			out.Add(console.Entry{Level: slog.LevelWarn, Origin: console.System, Text: fmt.Sprintf("%d console messages of pages were dropped: too many at once", dropped)})
		}
		if !ok {
			continue
		}
		out.Add(console.Entry{
			Level: level(e.Level), Origin: console.Page,
			Text:    gen.trace(redact(v.safe(e.Text))),
			Source:  gen.trace(inPage(redact(v.safe(e.Source)))),
			Stack:   gen.trace(redact(v.safe(e.Stack))),
			Request: page,
		})
	}
	h := v.begin()
	h["Cache-Control"] = valNoStore
	v.w.WriteHeader(http.StatusNoContent)
}

// inPage names the file of a script within a page that is found by its folder: browsers have ":3:9" or "docs/:3:9".
func inPage(source string) string {
	i := strings.IndexByte(source, ':')
	if i == 0 || i > 0 && source[i-1] == '/' && !strings.HasPrefix(source[i:], "://") {
		return source[:i] + "index.html" + source[i:]
	}
	return source
}

func level(name string) slog.Level {
	switch name {
	case "debug":
		return slog.LevelDebug
	case "warn":
		return slog.LevelWarn
	case "error":
		return slog.LevelError
	}
	return slog.LevelInfo
}

// clean takes control characters out of a text that may end up in a terminal
// or a log: escape sequences and forged lines have no place there.
func clean(s string) string {
	bad := func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 }
	out := []rune(nil)
	for i, r := range s {
		if bad(r) && out == nil {
			out = []rune(s[:i])
		}
		if out != nil {
			if bad(r) {
				r = '\uFFFD'
			}
			out = append(out, r)
		}
	}
	if out == nil {
		return s
	}
	return string(out)
}

// consoleOf returns the console of an app.
func (a *App) consoleOf(s *site) *console.Buffer {
	if a.Console != nil {
		return a.Console
	}
	return s.console
}

// remark puts a message of the system on the console, once.
func (s *site) remark(text string) { s.remarkTo(s.out.Load(), text) }

// Limits of what is remembered of remarks: how many, and the bytes of one.
const (
	maxRemarks = 1000
	maxRemark  = 1000
)

func (s *site) remarkTo(out *console.Buffer, text string) {
	if text = clean(text); len(text) > maxRemark {
		text = strings.ToValidUTF8(text[:maxRemark], "") + "…"
	}
	s.mu.Lock()
	seen := s.told[text] || len(s.told) >= maxRemarks // whatever the names in them, they end
	if !seen {
		if s.told == nil {
			s.told = map[string]bool{}
		}
		s.told[text] = true
	}
	s.mu.Unlock()
	if !seen {
		out.Add(console.Entry{Level: slog.LevelWarn, Origin: console.System, Text: text})
	}
}
