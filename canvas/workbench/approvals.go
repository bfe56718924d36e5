package workbench

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// An Approval is a call that waits until a person has decided whether it may be made, since its
// grant says so. All but Func, Doc and Grant is the code's own: a page shows it as text.
type Approval struct {
	ID      string
	Session string        // of a tool; "" if a service of Bench.Allow is called
	Project sam.ProjectID // whose code asks
	Role    host.Role
	Func    string // "crm@1.remove"
	Doc     string // of the function
	Args    json.RawMessage
	Why     string     // the code's own reason; don't believe it
	Grant   tool.Grant // by which the call would be permitted
	Since   time.Time
	Until   time.Time // then it is denied
}

// unattended is how long a call waits for a decision while nobody follows the events: long enough for a
// page to load again.
const unattended = 15 * time.Second

// approvals are the calls of a bench that wait.
type approvals struct {
	topic *topic // of denials as well

	mu  sync.Mutex
	all map[string]*approval
}

type approval struct {
	Approval
	answer chan tool.Answer // takes one
}

var errUnattended = errors.New("workbench: nobody follows the events")

// consent is the tool.Confirm of a bench without another.
func (b *Bench) consent(ctx context.Context, q tool.Question) (tool.Answer, error) {
	now := time.Now()
	a := &approval{answer: make(chan tool.Answer, 1), Approval: Approval{
		ID: rand.Text(), Session: q.Call.Session, Project: sam.ProjectID(q.Call.Project), Role: q.Call.Role,
		Func: fmt.Sprintf("%s@%d.%s", q.Func.Capability, q.Func.Version, q.Func.Name), Doc: q.Func.Doc,
		Args: q.Args, Why: q.Why, Grant: q.Grant, Since: now, Until: now.Add(tool.AnswerWithin),
	}}
	if d, ok := ctx.Deadline(); ok && d.Before(a.Until) {
		a.Until = d
	}
	w := b.approvals
	w.mu.Lock()
	w.all[a.ID] = a
	w.mu.Unlock()
	w.topic.publish()
	defer w.take(a.ID)

	look := time.NewTicker(time.Second)
	defer look.Stop()
	seen := now
	for {
		select {
		case answer := <-a.answer:
			return answer, nil
		case <-ctx.Done():
			return tool.Answer{}, ctx.Err()
		case <-b.ctx.Done():
			return tool.Answer{}, ErrClosed
		case at := <-look.C:
			if !b.idle() {
				seen = at
			} else if at.Sub(seen) >= unattended {
				return tool.Answer{}, errUnattended
			}
		}
	}
}

// take takes an approval away, and returns it if nobody has before.
func (w *approvals) take(id string) *approval {
	w.mu.Lock()
	a := w.all[id]
	delete(w.all, id)
	w.mu.Unlock()
	if a != nil {
		w.topic.publish()
	}
	return a
}

// Approvals returns the calls that wait for a decision, the oldest first, if [Options.Confirm] is nil. An
// event of the kind [Trust] says that they have changed.
func (b *Bench) Approvals() []Approval {
	b.approvals.mu.Lock()
	defer b.approvals.mu.Unlock()
	all := make([]Approval, 0, len(b.approvals.all))
	for _, a := range b.approvals.all {
		all = append(all, a.Approval)
	}
	slices.SortFunc(all, func(a, b Approval) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID)) })
	return all
}

// Decide says whether a call that waits may be made, and what of that is remembered. The first decision
// counts. The error matches fs.ErrNotExist if the call does not wait, any more or at all.
func (b *Bench) Decide(id string, answer tool.Answer) error {
	a := b.approvals.take(id)
	if a == nil {
		return fmt.Errorf("workbench: approval %q: %w", id, fs.ErrNotExist)
	}
	a.answer <- answer
	return nil
}
