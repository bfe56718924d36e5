package escape

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/coder/websocket"
)

// A wire speaks to a browser: JSON messages with an id, a method and parameters over a
// WebSocket, in which the Chrome DevTools Protocol and WebDriver BiDi are alike.
type wire struct {
	ws     *websocket.Conn
	events func(message) // called in the order of arrival; must not call

	mu      sync.Mutex // guards what follows
	last    int
	waiting map[int]chan message
	err     error
	done    chan struct{}
}

// A message is an answer, if it has an ID, or an event.
type message struct {
	ID      int             `json:"id"`
	Session string          `json:"sessionId"` // of CDP
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
	Message string          `json:"message"` // of an error of BiDi
}

func dial(ctx context.Context, url string, events func(message)) (*wire, error) {
	ws, _, err := websocket.Dial(ctx, url, nil)
	if err != nil {
		return nil, err
	}
	ws.SetReadLimit(64 << 20)
	w := &wire{ws: ws, events: events, waiting: map[int]chan message{}, done: make(chan struct{})}
	go w.read()
	return w, nil
}

// read ends with the connection, which close closes.
func (w *wire) read() {
	defer close(w.done)
	for {
		_, data, err := w.ws.Read(context.Background())
		var m message
		if err == nil {
			err = json.Unmarshal(data, &m)
		}
		if err != nil {
			w.mu.Lock()
			w.err = fmt.Errorf("the browser is gone: %w", err)
			for _, c := range w.waiting {
				close(c)
			}
			clear(w.waiting)
			w.mu.Unlock()
			return
		}
		if m.ID == 0 {
			w.events(m)
			continue
		}
		w.mu.Lock()
		c := w.waiting[m.ID]
		delete(w.waiting, m.ID)
		w.mu.Unlock()
		if c != nil {
			c <- m
		}
	}
}

// call sends a command and stores its result in out, unless that is nil. session is CDP's.
func (w *wire) call(ctx context.Context, session, method string, params map[string]any, out any) error {
	c := make(chan message, 1)
	w.mu.Lock()
	if w.err != nil {
		defer w.mu.Unlock()
		return w.err
	}
	w.last++
	id := w.last
	w.waiting[id] = c
	w.mu.Unlock()
	if params == nil {
		params = map[string]any{}
	}
	command := map[string]any{"id": id, "method": method, "params": params}
	if session != "" {
		command["sessionId"] = session
	}
	data, err := json.Marshal(command)
	if err != nil {
		return err
	}
	if err := w.ws.Write(ctx, websocket.MessageText, data); err != nil {
		return err
	}
	select {
	case m, ok := <-c:
		switch {
		case !ok:
			return errors.New(method + ": the browser is gone")
		case m.Error != nil:
			return fmt.Errorf("%s: %s %s", method, m.Error, m.Message)
		case out != nil:
			return json.Unmarshal(m.Result, out)
		}
		return nil
	case <-ctx.Done():
		w.mu.Lock()
		delete(w.waiting, id)
		w.mu.Unlock()
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
}

func (w *wire) close() {
	w.ws.CloseNow()
	<-w.done
}
