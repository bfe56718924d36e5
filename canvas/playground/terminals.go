package playground

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"time"

	"github.com/coder/websocket"
	"samkit.dev/canvas/workbench"
	"samkit.dev/sam"
)

// A terminal prints over a WebSocket, which takes none of the few connections that a browser has for a program, or, where
// something in between lets none through, into answers that wait. What is typed comes in requests of its own, with the page's token, either way.

const (
	terminalWait = 25 * time.Second      // of an answer; proxies cut what is silent for longer
	terminalRest = 15 * time.Millisecond // between two messages, so that a torrent comes in large pieces
	maxTypedBody = 1 << 20               // of a request: what a terminal takes at once, as JSON
)

type terminalPrint struct {
	Kind string `json:"kind"` // "prompt", "in", "out", "err"
	Text string `json:"text"`
	Code int    `json:"code"` // of a prompt: how what ran before ended
}

type jobInfo struct {
	ID      string `json:"id"`
	Agent   bool   `json:"agent"` // else the person
	Project string `json:"project"`
	Command string `json:"command"`
}

type screenReply struct {
	At     string          `json:"at"`    // where to go on from
	Fresh  bool            `json:"fresh"` // what was shown before is to be removed
	Prints []terminalPrint `json:"prints"`
	Prompt string          `json:"prompt"` // "" while something runs
	Code   int             `json:"code"`
	Busy   bool            `json:"busy"`
	Waits  bool            `json:"waits"` // for its turn
	Jobs   []jobInfo       `json:"jobs"`  // of the bench; the first runs
}

type typedRequest struct {
	Do      string `json:"do"` // "enter", "interrupt", "end", "clear", "resize"
	Line    string `json:"line"`
	Columns int    `json:"columns"`
	Rows    int    `json:"rows"`
}

type completeRequest struct {
	Line string `json:"line"` // up to the cursor
}

type completeReply struct {
	From  int      `json:"from"` // in UTF-16 code units, as the page counts
	Words []string `json:"words"`
}

func (p *page) terminalRoutes(api func(string, func(*call) error)) {
	const at = "/api/projects/{id}/terminals/{kind}"
	api("GET "+at, p.readTerminal)
	api("GET "+at+"/socket", p.followTerminal)
	api("POST "+at, p.typeTerminal)
	api("POST "+at+"/completions", p.completeTerminal)
	api("DELETE /api/jobs/{job}", p.interruptJob)
}

func (c *call) terminal() (*workbench.Terminal, error) {
	id := c.r.PathValue("id")
	if err := checkID(id); err != nil {
		return nil, err
	}
	return c.bench.Terminal(c.r.Context(), sam.ProjectID(id), c.r.PathValue("kind"))
}

// readTerminal answers with what is new, or with nothing after a while.
func (p *page) readTerminal(c *call) error {
	t, err := c.terminal()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), terminalWait)
	defer cancel()
	s, err := t.Screen(ctx, c.r.URL.Query().Get("after"))
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, screenOf(s))
}

func screenOf(s workbench.Screen) screenReply {
	reply := screenReply{At: s.At, Fresh: s.Fresh, Prompt: s.Prompt, Code: s.Code, Busy: s.Busy, Waits: s.Waits, Prints: make([]terminalPrint, len(s.Prints)), Jobs: make([]jobInfo, len(s.Jobs))}
	for i, p := range s.Prints {
		reply.Prints[i] = terminalPrint{string(p.Kind), p.Text, p.Code}
	}
	for i, j := range s.Jobs {
		reply.Jobs[i] = jobInfo{j.ID, j.Agent, string(j.Project), j.Command}
	}
	return reply
}

// followTerminal is readTerminal for a WebSocket. Whoever asks has been found to be the page; Accept looks at the origin once more.
func (p *page) followTerminal(c *call) error {
	t, err := c.terminal()
	if err != nil {
		return err
	}
	after := c.r.URL.Query().Get("after")
	conn, err := websocket.Accept(c.w, c.r, nil)
	if err != nil {
		return nil // it has been answered
	}
	defer conn.CloseNow()
	// The page says nothing; reading sees to pongs and to its end.
	ctx := conn.CloseRead(context.WithoutCancel(c.r.Context()))
	for {
		wait, cancel := context.WithTimeout(ctx, p.heartbeat)
		s, err := t.Screen(wait, after)
		silent := wait.Err() != nil
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, fs.ErrNotExist):
			conn.Close(websocket.StatusPolicyViolation, "The terminal is gone.")
			return nil
		case err != nil:
			conn.Close(websocket.StatusGoingAway, "")
			return nil
		case silent && s.At == after:
			if p.pingTerminal(ctx, conn) != nil {
				return nil
			}
			continue
		}
		if p.tellTerminal(ctx, conn, s) != nil {
			return nil
		}
		after = s.At
		select {
		case <-ctx.Done():
		case <-time.After(terminalRest):
		}
	}
}

func (p *page) pingTerminal(ctx context.Context, conn *websocket.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return conn.Ping(ctx)
}

func (p *page) tellTerminal(ctx context.Context, conn *websocket.Conn, s workbench.Screen) error {
	data, err := json.Marshal(screenOf(s))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return conn.Write(ctx, websocket.MessageText, data)
}

// typeTerminal is what a person does at the keyboard.
func (p *page) typeTerminal(c *call) error {
	t, err := c.terminal()
	if err != nil {
		return err
	}
	var req typedRequest
	if err := c.decode(&req, maxTypedBody); err != nil {
		return err
	}
	switch req.Do {
	case "enter":
		err = t.Enter(req.Line)
	case "interrupt":
		t.Interrupt(req.Line)
	case "end":
		t.EndInput()
	case "clear":
		t.Clear()
	case "resize":
		t.Resize(req.Columns, req.Rows)
	default:
		err = invalid("A terminal knows no %q.", req.Do)
	}
	if err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

func (p *page) completeTerminal(c *call) error {
	t, err := c.terminal()
	if err != nil {
		return err
	}
	var req completeRequest
	if err := c.decode(&req, maxTypedBody); err != nil {
		return err
	}
	from, words := t.Complete(c.r.Context(), req.Line)
	if words == nil {
		words = []string{}
	}
	units := 0
	for _, r := range req.Line[:min(from, len(req.Line))] {
		if units++; r > 0xFFFF {
			units++
		}
	}
	return c.reply(http.StatusOK, completeReply{units, words})
}

// interruptJob ends a command, the agent's included.
func (p *page) interruptJob(c *call) error {
	c.bench.Interrupt(c.r.PathValue("job"))
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
