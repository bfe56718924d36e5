package workbench

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"samkit.dev/host"
	"samkit.dev/host/console"
	"samkit.dev/sam"
)

// defineConsole registers env.HOST.console.
func defineConsole(b *Bench, c *host.Capability) {
	host.Register(c, "read", "Reads what a project printed after an entry, the oldest first; next is the since of the next call.", readConsole, host.Reads)
	host.Register(c, "wait", "Waits for an entry of a level that has a text, among those after since, or, without since, those to come. It returns none if there is none in time.", waitConsole, host.Reads)
	host.Register(c, "clear", "Forgets what a project printed.", clearConsole)
}

type consoleIn struct {
	Project sam.ProjectID `json:"project,omitempty"`
	Since   uint64        `json:"since,omitempty" jsonschema:"the number of an entry; the first one's is 1"`
	Level   string        `json:"level,omitempty" jsonschema:"the least that is wanted: debug, info, warn or error"`
	Limit   int           `json:"limit,omitempty" jsonschema:"entries; 200 if left out"`
}

type consoleOut struct {
	Entries []consoleEntry `json:"entries"`
	Next    uint64         `json:"next"`
	More    bool           `json:"more,omitempty"`
}

// A consoleEntry is a console.Entry as code sees it.
type consoleEntry struct {
	Seq     uint64 `json:"seq"`
	Time    string `json:"time"`
	Level   string `json:"level"`
	Origin  string `json:"origin,omitempty"`
	Source  string `json:"source,omitempty"`
	Text    string `json:"text"`
	Stack   string `json:"stack,omitempty"`
	Request string `json:"request,omitempty"`
}

func newConsoleEntry(e console.Entry) consoleEntry {
	return consoleEntry{e.Seq, isoTime(e.Time), e.Level.String(), string(e.Origin), e.Source, e.Text, e.Stack, e.Request}
}

func readConsole(ctx context.Context, in consoleIn) (consoleOut, error) {
	out := consoleOut{Entries: []consoleEntry{}, Next: in.Since}
	s, p, err := onProject(ctx, in.Project)
	if err != nil {
		return out, err
	}
	least, err := parseLevel(in.Level)
	if err != nil {
		return out, err
	}
	limit := in.Limit
	if limit < 1 {
		limit = maxEntries
	}
	for e := range s.b.console(p.ID()).Since(in.Since) {
		if len(out.Entries) == limit {
			out.More = true
			break
		}
		if out.Next = e.Seq; e.Level >= least {
			out.Entries = append(out.Entries, newConsoleEntry(e))
		}
	}
	return out, nil
}

// How long console.wait waits.
const (
	defaultConsoleWait = 5 * time.Second
	maxConsoleWait     = 60 * time.Second
)

type waitIn struct {
	Project   sam.ProjectID `json:"project,omitempty"`
	Since     *uint64       `json:"since,omitempty" jsonschema:"the number of an entry"`
	Level     string        `json:"level,omitempty" jsonschema:"the least that is wanted: debug, info, warn or error"`
	Match     string        `json:"match,omitempty" jsonschema:"text that it contains"`
	TimeoutMS int           `json:"timeoutMs,omitempty" jsonschema:"milliseconds; 5000 if left out"`
}

type waitOut struct {
	Entry *consoleEntry `json:"entry"` // null if there was none in time
	Next  uint64        `json:"next"`
}

func waitConsole(ctx context.Context, in waitIn) (waitOut, error) {
	s, p, err := onProject(ctx, in.Project)
	if err != nil {
		return waitOut{}, err
	}
	least, err := parseLevel(in.Level)
	if err != nil {
		return waitOut{}, err
	}
	buf := s.b.console(p.ID())
	_, since := buf.Range()
	if in.Since != nil {
		since = *in.Since
	}
	waiting, cancel := context.WithTimeout(ctx, waitFor(in.TimeoutMS, defaultConsoleWait, maxConsoleWait))
	defer cancel()
	e, err := buf.Wait(waiting, since, func(e console.Entry) bool {
		return e.Level >= least && strings.Contains(e.Text, in.Match)
	})
	if err != nil {
		_, last := buf.Range()
		return waitOut{Next: last}, ctx.Err()
	}
	entry := newConsoleEntry(e)
	return waitOut{&entry, e.Seq}, nil
}

// waitFor is the time that an argument in milliseconds says.
func waitFor(ms int, otherwise, most time.Duration) time.Duration {
	if ms <= 0 {
		return otherwise
	}
	return min(time.Duration(min(ms, int(most/time.Millisecond)))*time.Millisecond, most)
}

func clearConsole(ctx context.Context, in canvasIn) (nothing, error) {
	s, p, err := onProject(ctx, in.Project)
	if err != nil {
		return nothing{}, err
	}
	s.b.console(p.ID()).Clear()
	return nothing{}, nil
}

// parseLevel reads the name of a level; "" is the lowest.
func parseLevel(name string) (slog.Level, error) {
	var l slog.Level
	if name == "" {
		return slog.LevelDebug, nil
	}
	if l.UnmarshalText([]byte(name)) != nil {
		return 0, &host.Error{Code: host.Invalid, Message: "The level is none of debug, info, warn and error."}
	}
	return l, nil
}
