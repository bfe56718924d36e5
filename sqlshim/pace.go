package sqlshim

import (
	"context"
	"time"

	"samkit.dev/internal/share"
	"samkit.dev/sam"
)

// A pace holds the statements of a project to its share of the processors: SQLite computes in the goroutines of
// the program, and a project may have many databases. Whoever has the DB's turn has its pace.
type pace struct {
	owner *share.Owner
	held  bool
	since time.Time // of held
}

// slice is how long a statement computes while others of its project wait.
const slice = time.Millisecond

func newPace(s sam.State, o *Options) *pace {
	if o.Dir != "" {
		return &pace{owner: share.Join(o.Dir)}
	}
	return &pace{owner: share.Join(s.Space)}
}

// enter waits for a place.
func (p *pace) enter(ctx context.Context) error {
	if err := p.owner.Enter(ctx); err != nil {
		return err
	}
	p.held, p.since = true, time.Now()
	return nil
}

func (p *pace) exit() {
	p.held = false
	p.owner.Exit()
}

// yield lets others in between the steps of a statement. A nil pace is that of a connection which no statement
// of the project runs on.
func (p *pace) yield() {
	if p != nil && p.held && p.owner.Waiting() && time.Since(p.since) > slice {
		p.exit()
		p.enter(context.Background()) // nobody stays for longer than a slice, or a step of SQLite
	}
}

// pause gives the place away while fn waits for the disk.
func (p *pace) pause(fn func()) {
	if p == nil || !p.held {
		fn()
		return
	}
	p.exit()
	defer p.enter(context.Background())
	fn()
}
