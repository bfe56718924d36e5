package playground

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"slices"
	"time"

	"samkit.dev/canvas/workbench"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// An approvalInfo is a call that waits for a decision.
type approvalInfo struct {
	ID      string    `json:"id"`
	Session string    `json:"session"` // of a tool, "" of a service
	Project string    `json:"project"` // whose code asks
	Role    string    `json:"role"`
	Func    string    `json:"func"`
	Doc     string    `json:"doc"`
	Args    string    `json:"args"` // JSON
	Why     string    `json:"why"`
	Grant   grantInfo `json:"grant"`
	Until   string    `json:"until"`
}

func approvalOf(a workbench.Approval) approvalInfo {
	return approvalInfo{a.ID, a.Session, string(a.Project), a.Role.String(), a.Func, a.Doc, string(a.Args), a.Why, grantOf(a.Grant), stamp(a.Until)}
}

// A promptInfo is a workbench.Prompt.
type promptInfo struct {
	ID      string   `json:"id"`
	Act     string   `json:"act"`
	Agent   string   `json:"agent"`
	Project string   `json:"project,omitempty"`
	Path    string   `json:"path,omitempty"`
	Line    int      `json:"line,omitempty"`
	Column  int      `json:"column,omitempty"`
	Text    string   `json:"text,omitempty"`
	Level   string   `json:"level,omitempty"`
	Origin  string   `json:"origin,omitempty"`
	Choices []string `json:"choices,omitempty"`
	Until   string   `json:"until,omitempty"`
	Panel   string   `json:"panel,omitempty"`
}

func promptOf(q workbench.Prompt) promptInfo {
	info := promptInfo{
		ID: q.ID, Act: string(q.Act), Agent: string(q.Agent), Project: string(q.Project), Path: q.Path, Line: q.Line, Column: q.Column,
		Text: q.Text, Level: q.Level, Origin: q.Origin, Choices: q.Choices, Panel: q.Panel,
	}
	if !q.Until.IsZero() {
		info.Until = stamp(q.Until)
	}
	return info
}

type promptsEvent struct {
	Prompts []promptInfo `json:"prompts"`
}

func promptsOf(all []workbench.Prompt) promptsEvent {
	e := promptsEvent{Prompts: make([]promptInfo, len(all))}
	for i, q := range all {
		e.Prompts[i] = promptOf(q)
	}
	return e
}

// A denialInfo is a call that was refused.
type denialInfo struct {
	ID      string    `json:"id"`
	Session string    `json:"session"`
	Project string    `json:"project"`
	Role    string    `json:"role"`
	Func    string    `json:"func"`
	Message string    `json:"message"`
	Want    grantInfo `json:"want"` // the narrowest grant that would do
	Can     bool      `json:"can"`  // it can be given to the session
	Count   int       `json:"count"`
	Time    string    `json:"time"`
}

func (c *call) denialInfo(d workbench.Denial) denialInfo {
	s, open := c.openSession(d.Session)
	return denialInfo{d.ID, d.Session, string(d.Project), d.Role.String(), d.Func, d.Message, grantOf(d.Want), open && covers(s, d.Want), d.Count, stamp(d.Time)}
}

// A turnInfo is what the agent did since its last checkpoint.
type turnInfo struct {
	Agent      string   `json:"agent"`
	Project    string   `json:"project"`
	Checkpoint string   `json:"checkpoint"`
	Label      string   `json:"label"`
	State      bool     `json:"state"` // KV and databases are restored as well
	Began      string   `json:"began"`
	Last       string   `json:"last"` // when its last call ended
	Running    bool     `json:"running"`
	Undone     bool     `json:"undone"`
	Redo       string   `json:"redo"`  // the checkpoint that brings back what was undone
	Files      []string `json:"files"` // that differ from the checkpoint, at most maxChanged
	Changed    int      `json:"changed"`
}

// maxChanged bounds the names of files in a turnInfo.
const maxChanged = 200

func (c *call) turnInfo() *turnInfo {
	t := c.bench.Turn()
	if t.Checkpoint == "" {
		return nil
	}
	info := &turnInfo{
		Agent: string(t.Agent), Project: string(t.Project), Checkpoint: t.Checkpoint, Label: t.Label, State: t.State,
		Began: stamp(t.Began), Last: stamp(t.Last), Running: t.Running, Undone: t.Undone != "", Redo: t.Undone, Files: []string{},
	}
	project, err := c.bench.Workspace().Open(c.r.Context(), t.Project)
	if err != nil {
		return nil // deleted
	}
	changes, err := project.Diff(c.r.Context(), t.Checkpoint, "")
	if err != nil {
		return nil // the checkpoint is
	}
	info.Changed = len(changes)
	for _, ch := range changes[:min(len(changes), maxChanged)] {
		for _, f := range []sam.File{ch.Before, ch.After} {
			if f.Name != "" && !slices.Contains(info.Files, f.Name) {
				info.Files = append(info.Files, f.Name)
			}
		}
	}
	return info
}

type turnRequest struct {
	Checkpoint string `json:"checkpoint"`
}

func (p *page) undoTurn(c *call) error { return c.swapTurn(c.bench.UndoTurn) }
func (p *page) redoTurn(c *call) error { return c.swapTurn(c.bench.RedoTurn) }

func (c *call) swapTurn(swap func(context.Context, string) error) error {
	var req turnRequest
	if err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	if err := swap(c.authored(), req.Checkpoint); err != nil {
		return over(err, "That turn is over, or undone already.")
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// over words the error of something that is there no more.
func over(err error, message string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return notFound(message)
	}
	return err
}

type decisionRequest struct {
	Allow   bool   `json:"allow"`
	Scope   string `json:"scope"`   // "once", "session" or "args": calls with the same arguments
	Seconds int    `json:"seconds"` // how long it is remembered; 0 means as long as the session lives
}

// maxRemembered is the longest time for which a decision can be remembered, in seconds.
const maxRemembered = 24 * 60 * 60

func (p *page) decide(c *call) error {
	var req decisionRequest
	if err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	if req.Seconds < 0 || req.Seconds > maxRemembered {
		return invalid("A decision is remembered for 0 to %d seconds.", maxRemembered)
	}
	id := c.r.PathValue("id")
	answer := tool.Answer{Allow: req.Allow, By: c.principal, For: time.Duration(req.Seconds) * time.Second}
	switch req.Scope {
	case "once":
	case "session":
		answer.Scope = tool.Always
	case "args":
		answer.Scope = tool.WithArgs
		for _, a := range c.bench.Approvals() {
			if a.ID == id {
				answer.Args = exactly(a.Args)
			}
		}
	default:
		return invalid("The scope %q is none of once, session and args.", req.Scope)
	}
	if err := c.bench.Decide(id, answer); err != nil {
		return over(err, "That call waits no more.")
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// exactly returns arguments as a pattern for themselves, or nil if a star in them would stand for more than was seen.
func exactly(args json.RawMessage) json.RawMessage {
	var v any
	if json.Unmarshal(args, &v) != nil || hasStar(v) {
		return nil
	}
	return args
}

func hasStar(v any) bool {
	switch v := v.(type) {
	case string:
		for _, r := range v {
			if r == '*' {
				return true
			}
		}
	case []any:
		for _, e := range v {
			if hasStar(e) {
				return true
			}
		}
	case map[string]any:
		for _, e := range v {
			if hasStar(e) {
				return true
			}
		}
	}
	return false
}

type answerRequest struct {
	Text string `json:"text"`
}

func (p *page) answer(c *call) error {
	var req answerRequest
	if err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	if err := c.bench.Answer(c.r.PathValue("id"), req.Text); err != nil {
		return over(err, "Nobody waits for that answer any more.")
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

func (p *page) dismissDenial(c *call) error {
	if err := c.bench.Dismiss(c.r.PathValue("id")); err != nil {
		return over(err, "That is dismissed already.")
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
