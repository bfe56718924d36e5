package workbench

import (
	"context"
	"log/slog"

	"samkit.dev/host"
	"samkit.dev/host/console"
	"samkit.dev/sam"
)

// defineConsole registers env.HOST.console.
func defineConsole(b *Bench, c *host.Capability) {
	host.Register(c, "read", "Reads what a project printed after an entry, the oldest first; next is the since of the next call.", readConsole, host.Reads)
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
	return consoleEntry{e.Seq, e.Time.UTC().Format("2006-01-02T15:04:05.000Z"), e.Level.String(), string(e.Origin), e.Source, e.Text, e.Stack, e.Request}
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
