package workbench

import (
	"context"
	"crypto/rand"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"samkit.dev/host"
	"samkit.dev/sam"
)

// An Act is what an agent wants of the page of the workbench. Its text is stable.
type Act string

// The acts.
const (
	OpenFile    Act = "open"    // show a file, at a line if there is one
	ShowMessage Act = "message" // show a text
	Ask         Act = "ask"     // show a question and give Bench.Answer what the person says
	FocusPanel  Act = "focus"   // bring a panel to the front
	SwitchWork  Act = "work"    // the agent has made Project the work project
	Connect     Act = "connect" // ask, in the workbench's own words, whether the agent's pages may talk to Origin
	Settled     Act = "settled" // take a question away: it was answered, or nobody did in time
)

// A Prompt is something that code in the role of the agent wants a person to see. Its texts are the
// agent's: a page shows them as text, and says whose they are.
type Prompt struct {
	ID    string        `json:"id"`
	Act   Act           `json:"act"`
	Agent sam.ProjectID `json:"agent"`

	Project sam.ProjectID `json:"project,omitempty"` // OpenFile, Connect, SwitchWork
	Path    string        `json:"path,omitempty"`
	Line    int           `json:"line,omitempty"` // from 1; 0 means none
	Column  int           `json:"column,omitempty"`

	Text    string    `json:"text,omitempty"`    // ShowMessage, Ask
	Level   string    `json:"level,omitempty"`   // ShowMessage: "info", "warn" or "error"
	Origin  string    `json:"origin,omitempty"`  // Connect
	Choices []string  `json:"choices,omitempty"` // Ask: the answers to choose from; none means any text. Connect: "allow" and "deny"
	Until   time.Time `json:"until,omitzero"`    // Ask, Connect: when it is too late to answer
	Panel   string    `json:"panel,omitempty"`   // FocusPanel: "files", "editor", "canvas", "console" or "agent"
}

// Bounds of prompts.
const (
	maxPrompts   = 100      // that readers who come back may still hear of
	maxQuestions = 10       // open at once
	maxChoices   = 10       // of a question
	maxPromptLen = 4 << 10  // bytes of a text
	maxAnswer    = 16 << 10 // bytes
)

// A board is the prompts of a bench.
type board struct {
	topic *topic

	mu        sync.Mutex // guards what follows
	seq       uint64
	recent    []posted // oldest first
	questions map[string]*question
}

type posted struct {
	seq uint64
	Prompt
}

// A question is an Ask or Connect that waits for its answer.
type question struct {
	Prompt
	answer chan string // takes one
}

func newBoard() *board { return &board{topic: newTopic(), questions: make(map[string]*question)} }

// post shows a prompt to whoever follows the events.
func (w *board) post(p Prompt) {
	w.mu.Lock()
	w.put(p)
	w.mu.Unlock()
	w.topic.publish()
}

// put is post without telling; mu is held.
func (w *board) put(p Prompt) {
	if len(w.recent) == maxPrompts {
		w.recent = append(w.recent[:0], w.recent[1:]...)
	}
	w.seq++
	w.recent = append(w.recent, posted{w.seq, p})
}

func (w *board) newest() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seq
}

// since returns the prompts after seq that are still known, and the number of the newest.
func (w *board) since(seq uint64) (all []Prompt, upto uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.recent {
		if p.seq > seq {
			all = append(all, p.Prompt)
		}
	}
	return all, w.seq
}

// ask posts a question and waits for its answer until ctx ends or the time is over.
func (w *board) ask(ctx context.Context, p Prompt, wait time.Duration) (answer string, answered bool, err error) {
	q := &question{p, make(chan string, 1)}
	q.Until = time.Now().Add(wait)
	w.mu.Lock()
	if len(w.questions) >= maxQuestions {
		w.mu.Unlock()
		return "", false, &host.Error{Code: host.Exhausted, Message: fmt.Sprintf("%d questions are open.", maxQuestions), Hint: "Wait for their answers.",
			Details: fmt.Appendf(nil, `{"limit":"ui_questions","value":%d}`, maxQuestions)}
	}
	w.questions[p.ID] = q
	w.put(q.Prompt)
	w.mu.Unlock()
	w.topic.publish()

	late := time.NewTimer(wait)
	defer late.Stop()
	select {
	case answer := <-q.answer:
		return answer, true, nil
	case <-late.C:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if !w.settle(q) { // the answer came at the same time
		return <-q.answer, true, nil
	}
	return "", false, err
}

// settle takes a question away. It reports false if somebody was faster.
func (w *board) settle(q *question) bool {
	w.mu.Lock()
	if w.questions[q.ID] != q {
		w.mu.Unlock()
		return false
	}
	delete(w.questions, q.ID)
	w.put(Prompt{ID: q.ID, Act: Settled, Agent: q.Agent})
	w.mu.Unlock()
	w.topic.publish()
	return true
}

// Questions returns the questions that wait for an answer, the oldest first. A page that
// begins to follow the events asks for them.
func (b *Bench) Questions() []Prompt {
	b.board.mu.Lock()
	defer b.board.mu.Unlock()
	var all []Prompt
	for _, q := range b.board.questions {
		all = append(all, q.Prompt)
	}
	slices.SortFunc(all, func(a, b Prompt) int { return a.Until.Compare(b.Until) })
	return all
}

// Answer answers a question of the agent. The first answer counts. The error matches fs.ErrNotExist if
// nobody waits for it, any more or at all, and is an invalid [*host.Error] if it is none of the choices or longer
// than 16 KiB.
func (b *Bench) Answer(id, text string) error {
	b.board.mu.Lock()
	q := b.board.questions[id]
	b.board.mu.Unlock()
	switch {
	case q == nil:
		return fmt.Errorf("workbench: question %q: %w", id, fs.ErrNotExist)
	case len(text) > maxAnswer:
		return &host.Error{Code: host.Invalid, Message: fmt.Sprintf("The answer has more than %d bytes.", maxAnswer)}
	case len(q.Choices) > 0 && !slices.Contains(q.Choices, text):
		return &host.Error{Code: host.Invalid, Message: "The answer is none of the choices."}
	case !b.board.settle(q):
		return fmt.Errorf("workbench: question %q: %w", id, fs.ErrNotExist)
	}
	q.answer <- text
	return nil
}

// newPrompt is a prompt of the session's project.
func (s *session) newPrompt(act Act) Prompt {
	return Prompt{ID: rand.Text(), Act: act, Agent: s.Project}
}
