package playground

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"samkit.dev/canvas/workbench"
	"samkit.dev/host"
	"samkit.dev/host/console"
	"samkit.dev/sam"
)

// events streams the news of the bench, and of the project that the query names.
func (p *page) events(c *call) error {
	id := c.r.URL.Query().Get("project")
	if id != "" {
		if err := checkID(id); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(c.r.Context())
	defer cancel()

	// One goroutine follows the bench; this one writes, so that heartbeats never
	// interrupt an event.
	news := make(chan eventOrError)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(news)
		for e, err := range c.bench.Events(ctx, sam.ProjectID(id), c.r.Header.Get("Last-Event-ID")) {
			select {
			case news <- eventOrError{e, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	defer func() { <-done }()
	defer cancel() // before waiting for the goroutine

	first, ok := <-news
	if !ok {
		return workbench.ErrClosed
	}
	if first.err != nil {
		return first.err
	}
	return stream(c.w, p.heartbeat, first.event, news)
}

type eventOrError struct {
	event workbench.Event
	err   error
}

// stream writes events until there are no more or the reader has gone.
func stream(w http.ResponseWriter, beat time.Duration, first workbench.Event, news <-chan eventOrError) error {
	head := w.Header()
	head.Set("Content-Type", "text/event-stream")
	head.Set("X-Accel-Buffering", "no")
	rc := http.NewResponseController(w)
	if err := rc.Flush(); errors.Is(err, http.ErrNotSupported) { // nothing has been sent, so there can be an error still
		return &host.Error{Code: host.Unavailable, Message: "Something in front of the playground holds back streams of events.", Err: err}
	}
	if send(w, rc, first) != nil {
		return nil
	}
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		select {
		case n, ok := <-news:
			if !ok || n.err != nil {
				return nil
			}
			if send(w, rc, n.event) != nil {
				return nil
			}
		case <-tick.C:
			if write(w, rc, []byte(": still here\n\n")) != nil {
				return nil
			}
		}
	}
}

// send writes one event. Its data is one line, since JSON has no raw line breaks.
func send(w http.ResponseWriter, rc *http.ResponseController, e workbench.Event) error {
	data, err := json.Marshal(payload(e))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "id: %s\nevent: %s\ndata: %s\n\n", e.ID, e.Kind, data)
	return write(w, rc, b.Bytes())
}

// writeTimeout is how long a reader may take for one event. Who does not read
// would keep a bench open.
const writeTimeout = 30 * time.Second

// write sends bytes now, with a time of their own where the connection has one.
func write(w http.ResponseWriter, rc *http.ResponseController, b []byte) error {
	rc.SetWriteDeadline(time.Now().Add(writeTimeout))
	if _, err := w.Write(b); err != nil {
		return err
	}
	return rc.Flush()
}

func payload(e workbench.Event) any {
	switch e.Kind {
	case workbench.Ready:
		return readyEvent{Missed: e.Missed}
	case workbench.Files:
		files := make([]fileInfo, len(e.Files))
		for i, f := range e.Files {
			files[i] = infoOf(f)
		}
		return filesEvent{Files: files}
	case workbench.Console:
		entries := e.Entries
		if entries == nil {
			entries = []console.Entry{}
		}
		return consoleEvent{First: e.First, Entries: entries}
	case workbench.Prompts:
		return promptsOf(e.Prompts)
	default:
		return struct{}{}
	}
}
