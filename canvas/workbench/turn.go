package workbench

import (
	"context"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"samkit.dev/sam"
)

// A Turn is what the current agent does between two checkpoints that it makes: an agent makes one before it
// begins with what a person asks for. What it did to that project can be undone as a whole.
type Turn struct {
	Agent      sam.ProjectID
	Project    sam.ProjectID
	Checkpoint string // made at its beginning; "" if there is no turn
	Label      string // of the checkpoint; the agent's words
	State      bool   // the checkpoint holds KV and databases, so they are restored as well
	Began      time.Time
	Calls      int       // of env.HOST, that have ended
	Last       time.Time // when the last of them ended
	Running    bool      // a call is being made
	Undone     string    // the checkpoint of what undoing it replaced; "" if it is not undone
}

// turns has the turn of a bench.
type turns struct {
	mu      sync.Mutex // guards what follows
	session string     // of the agent
	turn    Turn
	running int
	undoing bool
}

// begin notes that an agent made a checkpoint.
func (t *turns) begin(s *session, p *sam.Project, c sam.Checkpoint) {
	t.mu.Lock()
	t.session = s.ID
	t.turn = Turn{Agent: s.Project, Project: p.ID(), Checkpoint: c.ID, Label: c.Label, State: c.Parts.KV && c.Parts.DB, Began: c.Time, Last: c.Time}
	t.mu.Unlock()
	s.b.approvals.topic.publish()
}

// call notes that a call of the agent begins. The function it returns is for its end.
func (t *turns) call(s *session) (ended func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.session != s.ID {
		return func() {}
	}
	t.running++
	of := t.turn.Checkpoint
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.running--
		if t.turn.Checkpoint == of {
			t.turn.Calls++
			t.turn.Last = time.Now()
		}
	}
}

// restored notes that somebody went back to a checkpoint, before being one of what was there until then.
func (t *turns) restored(b *Bench, p sam.ProjectID, checkpoint, before string) {
	t.mu.Lock()
	undone := t.turn.Project == p && t.turn.Checkpoint == checkpoint
	redone := t.turn.Project == p && t.turn.Undone != "" && t.turn.Undone == checkpoint
	switch {
	case redone:
		t.turn.Undone = ""
	case undone && t.turn.Undone == "":
		t.turn.Undone = before
	}
	hit := undone || redone
	t.mu.Unlock()
	if hit {
		b.approvals.topic.publish()
	}
}

// Turn returns the last turn of the current agent, since the bench was opened.
func (b *Bench) Turn() Turn {
	agent := b.Agent().ID
	b.turns.mu.Lock()
	defer b.turns.mu.Unlock()
	if agent == "" || b.turns.session != agent {
		return Turn{}
	}
	turn := b.turns.turn
	turn.Running = b.turns.running > 0
	return turn
}

// UndoTurn makes the project of the turn that began with a checkpoint what it was then, exactly: its files, and KV and databases if the
// agent's checkpoint holds them. What others did since is undone, too, and [Bench.RedoTurn] brings all back. The error matches fs.ErrNotExist if
// that is not the present turn, it is undone already or its project is gone.
func (b *Bench) UndoTurn(ctx context.Context, checkpoint string) error {
	return b.swapTurn(ctx, checkpoint, func(t Turn) (from, undone string) { return t.Checkpoint, "" })
}

// RedoTurn takes [Bench.UndoTurn] back. What was done since is lost but for the checkpoint that is made of it. The error
// matches fs.ErrNotExist if the turn is not undone.
func (b *Bench) RedoTurn(ctx context.Context, checkpoint string) error {
	return b.swapTurn(ctx, checkpoint, func(t Turn) (from, undone string) { return t.Undone, t.Undone })
}

// swapTurn restores what from names, if the turn is as undone as it says.
func (b *Bench) swapTurn(ctx context.Context, checkpoint string, from func(Turn) (from, undone string)) error {
	agent := b.Agent().ID
	w := b.turns
	w.mu.Lock()
	t := w.turn
	source, undone := from(t)
	ok := w.session == agent && agent != "" && t.Checkpoint == checkpoint && source != "" && t.Undone == undone && !w.undoing
	w.undoing = w.undoing || ok
	w.mu.Unlock()
	if !ok {
		return fmt.Errorf("workbench: turn %q: %w", checkpoint, fs.ErrNotExist)
	}
	before, err := b.restoreTurn(ctx, t, source)
	w.mu.Lock()
	w.undoing = false
	if err == nil && w.turn.Checkpoint == checkpoint {
		if w.turn.Undone = before.ID; undone != "" {
			w.turn.Undone = ""
		}
	}
	w.mu.Unlock()
	b.approvals.topic.publish()
	return err
}

func (b *Bench) restoreTurn(ctx context.Context, t Turn, id string) (sam.Checkpoint, error) {
	p, err := b.ws.Open(ctx, t.Project)
	if err != nil {
		return sam.Checkpoint{}, err
	}
	before, err := p.Restore(ctx, id, stateParts(t.State))
	if err == nil {
		b.history.publish()
	}
	return before, err
}
