package workbench

import (
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

// maxDenials is how many different refusals a bench shows.
const maxDenials = 50

// A Denial is a call of the agent or of a tool that was refused for want of a right. Of a call that is made again
// and again there is one.
type Denial struct {
	ID      string
	Session string
	Project sam.ProjectID // whose code called
	Role    host.Role
	Func    string     // as called, at most 100 bytes
	Message string     // what was refused
	Want    tool.Grant // the narrowest that would do, for Bench.Widen; the zero Grant if none would
	Count   int
	Time    time.Time // of the last
}

// denials are the refusals of a bench.
type denials struct {
	mu  sync.Mutex
	all []*Denial // the oldest first
}

// denied notes a refusal, if it is one that a person may want to hear of.
func (s *session) denied(name string, err error) {
	var e *host.Error
	if !errors.As(err, &e) || e.Code != host.Denied {
		return
	}
	select {
	case <-s.set.Done(): // the rights have ended, which the page shows
		return
	default:
	}
	d := Denial{ID: rand.Text(), Session: s.ID, Project: s.Project, Role: s.role, Func: shorten(name, 0, 100), Message: e.Message, Count: 1, Time: time.Now()}
	if len(e.Grant) > 0 && json.Unmarshal(e.Grant, &d.Want) != nil {
		d.Want = tool.Grant{}
	}
	d.Want = s.b.aimed(d.Want)
	if s.role == host.Tool && len(e.Grant) == 0 {
		return // a person has refused, or did not answer
	}
	if s.b.denials.note(d) {
		s.b.approvals.topic.publish()
	}
}

// note adds a refusal, and reports whether it is a new one.
func (w *denials) note(d Denial) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, old := range w.all {
		if old.Session == d.Session && old.Func == d.Func && old.Message == d.Message && slices.Equal(old.Want.Paths, d.Want.Paths) {
			old.Count++
			old.Time = d.Time
			return false
		}
	}
	if len(w.all) == maxDenials {
		w.all = slices.Delete(w.all, 0, 1)
	}
	w.all = append(w.all, &d)
	return true
}

// drop forgets the refusals that f names.
func (w *denials) drop(f func(*Denial) bool) (dropped bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(w.all)
	w.all = slices.DeleteFunc(w.all, f)
	return len(w.all) < n
}

// Denials returns the calls that sessions which are open were refused, the newest first. An event of the kind [Trust]
// says that there are new ones; it is not sent for a call that is refused again.
func (b *Bench) Denials() []Denial {
	b.denials.drop(func(d *Denial) bool { return b.session(d.Session) == nil })
	b.denials.mu.Lock()
	defer b.denials.mu.Unlock()
	all := make([]Denial, 0, len(b.denials.all))
	for _, d := range slices.Backward(b.denials.all) {
		all = append(all, *d)
	}
	return all
}

// Dismiss forgets a refusal, until it happens again. The error matches fs.ErrNotExist if it is not known.
func (b *Bench) Dismiss(denial string) error {
	if !b.denials.drop(func(d *Denial) bool { return d.ID == denial }) {
		return fmt.Errorf("workbench: denial %q: %w", denial, fs.ErrNotExist)
	}
	b.approvals.topic.publish()
	return nil
}
