package workbench

import (
	"context"
	"log/slog"

	"samkit.dev/host"
	"samkit.dev/sam"
)

// defineCanvas registers env.HOST.canvas.
func defineCanvas(b *Bench, c *host.Capability) {
	host.Register(c, "reload", "Makes the open pages of a project load again.", reloadCanvas)
	host.Register(c, "errors", "Lists the errors that a project printed after an entry, equal ones once, with their places in the source.", canvasErrors, host.Reads)
	if b.opts.URL != nil {
		host.Register(c, "url", "Says where a project's app is opened.", canvasURL, host.Reads)
	}
	if b.opts.Screenshot != nil {
		host.Register(c, "screenshot", "Takes a picture of a project's app, a PNG.", screenshot, host.Reads)
	}
}

type canvasIn struct {
	Project sam.ProjectID `json:"project,omitempty"`
}

func reloadCanvas(ctx context.Context, in canvasIn) (nothing, error) {
	s, p, err := onProject(ctx, in.Project)
	if err != nil {
		return nothing{}, err
	}
	s.b.Reload(p.ID())
	return nothing{}, nil
}

type errorsIn struct {
	Project sam.ProjectID `json:"project,omitempty"`
	Since   uint64        `json:"since,omitempty" jsonschema:"the number of an entry of the console"`
}

// A canvasError is equal errors of an app, the first of which it describes.
type canvasError struct {
	consoleEntry
	Times int `json:"times"`
}

type errorsOut struct {
	Errors []canvasError `json:"errors"`
	Next   uint64        `json:"next"`
}

func canvasErrors(ctx context.Context, in errorsIn) (errorsOut, error) {
	out := errorsOut{Errors: []canvasError{}, Next: in.Since}
	s, p, err := onProject(ctx, in.Project)
	if err != nil {
		return out, err
	}
	type what struct{ source, text string }
	at := map[what]int{}
	for e := range s.b.console(p.ID()).Since(in.Since) {
		out.Next = e.Seq
		if e.Level < slog.LevelError {
			continue
		}
		key := what{e.Source, e.Text}
		i, known := at[key]
		if !known {
			i = len(out.Errors)
			at[key] = i
			out.Errors = append(out.Errors, canvasError{consoleEntry: newConsoleEntry(e)})
		}
		out.Errors[i].Times++
	}
	return out, nil
}

type urlOut struct {
	URL string `json:"url"`
}

func canvasURL(ctx context.Context, in canvasIn) (urlOut, error) {
	s, p, err := onProject(ctx, in.Project)
	if err != nil {
		return urlOut{}, err
	}
	return urlOut{s.b.opts.URL(p.ID())}, nil
}

// Reload makes the open pages of a project load again.
func (b *Bench) Reload(id sam.ProjectID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c := b.reloads[id]; c != nil {
		close(c)
		delete(b.reloads, id)
	}
}

// reloading returns a channel that the next Reload closes.
func (b *Bench) reloading(id sam.ProjectID) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.reloads[id] == nil {
		b.reloads[id] = make(chan struct{})
	}
	return b.reloads[id]
}
