package workbench

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"samkit.dev/host/console"
	"samkit.dev/sam"
)

// A Kind says what an [Event] is about. Its text is stable.
type Kind string

// The kinds.
const (
	Ready    Kind = "ready"    // the first event: what happens from now on is reported
	Files    Kind = "files"    // files were written or removed
	Console  Kind = "console"  // the app printed something, or its console was cleared
	Projects Kind = "projects" // the list of projects or their roles changed
	Prompts  Kind = "prompts"  // the agent wants a person to see something
	Trust    Kind = "trust"    // Bench.Approvals, Bench.Denials or Bench.Turn changed

	Checkpoints Kind = "checkpoints" // checkpoints of some project were made or removed
	Stored      Kind = "data"        // KV or a database of the project may have changed; at most a few times a second
	Tasks       Kind = "tasks"       // Bench.TaskRuns changed, or something happened in one of them
	Audited     Kind = "audit"       // calls have ended that Bench.Audit has; at most a few times a second
)

// An Event is news of a bench.
type Event struct {
	ID      string // give it to Events to go on from here
	Kind    Kind
	Missed  bool            // Ready: what came before is not known; read everything again
	Files   []sam.File      // Files: as they are now, a removed one with an empty Hash
	First   uint64          // Console: entries with a lower Seq are gone
	Entries []console.Entry // Console: what is new
	Prompts []Prompt        // Prompts: what is new, the oldest first; of those that nobody followed the last 100
}

// maxEntries is how many entries of a console go into one event.
const maxEntries = 200

// Events yields the news of a project, and of the bench as a whole, until ctx, the
// bench or the project ends; the project "" yields the latter alone. The first event is Ready. With the
// ID of the last event that a reader saw, what happened since follows; if
// that is not known any more, or after is "", Ready says Missed.
func (b *Bench) Events(ctx context.Context, id sam.ProjectID, after string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		r, err := b.follow(ctx, id, after)
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer b.leave(r)
		if !yield(r.ready(), nil) {
			return
		}
		for {
			wake := r.wake()
			for e := range r.news() {
				if !yield(e, nil) {
					return
				}
			}
			if !wake.wait(ctx, b.ctx) {
				return
			}
		}
	}
}

// position is how far a reader has come.
type position struct {
	files   uint64 // in the journal
	console uint64 // Seq of an entry
	first   uint64 // oldest entry that the reader may still show
	roles   uint64
	prompts uint64
	trust   uint64
	history uint64
	audit   uint64
	data    uint64
	tasks   uint64
}

// A reader is one who follows events.
type reader struct {
	bench   *Bench
	id      sam.ProjectID
	journal *journal        // nil without a project
	console *console.Buffer // nil without a project
	pos     position
	missed  bool
}

// follow makes a reader. It is counted until it is given to leave.
func (b *Bench) follow(ctx context.Context, id sam.ProjectID, after string) (*reader, error) {
	r := &reader{bench: b, id: id}
	if id != "" {
		p, err := b.ws.Open(ctx, id)
		if err != nil {
			return nil, err
		}
		r.console = b.console(id)
		if r.journal, err = b.join(p); err != nil {
			return nil, err
		}
	}
	b.mu.Lock()
	b.readers++
	b.mu.Unlock()
	if r.journal != nil {
		select {
		case <-r.journal.live:
		case <-ctx.Done():
			b.leave(r)
			return nil, context.Cause(ctx)
		}
	}
	r.resume(after)
	return r, nil
}

func (b *Bench) leave(r *reader) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.readers--
	if r.journal != nil {
		b.part(r.journal)
	}
}

// resume sets the position that after names, or the present one.
func (r *reader) resume(after string) {
	var now position
	now.roles, _ = r.bench.roles.look()
	now.prompts = r.bench.board.newest()
	now.trust, _ = r.bench.approvals.topic.look()
	now.history, _ = r.bench.history.look()
	now.audit, _ = r.bench.audit.news()
	now.tasks, _ = r.bench.tasks.topic.look()
	if r.journal != nil {
		now.files = r.journal.newest()
		now.data, _ = r.journal.data.look()
		now.first, now.console = r.console.Range()
	}
	pos, ok := parsePosition(r.bench.run, after)
	if !ok || pos.files > now.files || pos.roles > now.roles || pos.prompts > now.prompts || pos.trust > now.trust || pos.history > now.history || pos.audit > now.audit || pos.data > now.data || pos.tasks > now.tasks || r.journal != nil && !r.journal.holds(pos.files) {
		r.pos, r.missed = now, true
		return
	}
	r.pos = pos
}

func (r *reader) ready() Event {
	return Event{ID: r.mark(), Kind: Ready, Missed: r.missed}
}

// mark is the present position as the ID of an event.
func (r *reader) mark() string {
	p := r.pos
	return fmt.Sprintf("%s-%d-%d-%d-%d-%d-%d-%d-%d-%d-%d", r.bench.run, p.files, p.console, p.first, p.roles, p.prompts, p.trust, p.history, p.audit, p.data, p.tasks)
}

func parsePosition(run, id string) (position, bool) {
	var p position
	rest, ok := strings.CutPrefix(id, run+"-")
	if !ok {
		return p, false
	}
	fields := strings.Split(rest, "-")
	into := []*uint64{&p.files, &p.console, &p.first, &p.roles, &p.prompts, &p.trust, &p.history, &p.audit, &p.data, &p.tasks}
	if len(fields) != len(into) {
		return p, false
	}
	for i, f := range fields {
		n, err := strconv.ParseUint(f, 10, 64)
		if err != nil {
			return p, false
		}
		*into[i] = n
	}
	return p, true
}

// news yields what happened since the reader's position, and moves it.
func (r *reader) news() iter.Seq[Event] {
	return func(yield func(Event) bool) {
		if n, _ := r.bench.roles.look(); n != r.pos.roles {
			r.pos.roles = n
			if !yield(Event{ID: r.mark(), Kind: Projects}) {
				return
			}
		}
		if prompts, upto := r.bench.board.since(r.pos.prompts); len(prompts) > 0 {
			r.pos.prompts = upto
			if !yield(Event{ID: r.mark(), Kind: Prompts, Prompts: prompts}) {
				return
			}
		}
		if n, _ := r.bench.approvals.topic.look(); n != r.pos.trust {
			r.pos.trust = n
			if !yield(Event{ID: r.mark(), Kind: Trust}) {
				return
			}
		}
		if n, _ := r.bench.audit.news(); n != r.pos.audit {
			r.pos.audit = n
			if !yield(Event{ID: r.mark(), Kind: Audited}) {
				return
			}
		}
		if n, _ := r.bench.tasks.topic.look(); n != r.pos.tasks {
			r.pos.tasks = n
			if !yield(Event{ID: r.mark(), Kind: Tasks}) {
				return
			}
		}
		if r.journal == nil {
			return
		}
		if n, _ := r.bench.history.look(); n != r.pos.history {
			r.pos.history = n
			if !yield(Event{ID: r.mark(), Kind: Checkpoints}) {
				return
			}
		}
		if n, _ := r.journal.data.look(); n != r.pos.data {
			r.pos.data = n
			if !yield(Event{ID: r.mark(), Kind: Stored}) {
				return
			}
		}
		files, upto, lost := r.journal.since(r.pos.files)
		r.pos.files = upto
		switch {
		case lost:
			if !yield(Event{ID: r.mark(), Kind: Ready, Missed: true}) {
				return
			}
		case len(files) > 0:
			if !yield(Event{ID: r.mark(), Kind: Files, Files: files}) {
				return
			}
		}
		r.printed(yield)
	}
}

// printed yields news of the console, in events of at most maxEntries.
func (r *reader) printed(yield func(Event) bool) {
	for {
		first, last := r.console.Range()
		if first == r.pos.first && last == r.pos.console {
			return
		}
		var entries []console.Entry
		for e := range r.console.Since(r.pos.console) {
			entries = append(entries, e)
			if len(entries) == maxEntries {
				break
			}
		}
		r.pos.first = first
		if len(entries) > 0 {
			r.pos.console = entries[len(entries)-1].Seq
		} else {
			r.pos.console = last
		}
		if !yield(Event{ID: r.mark(), Kind: Console, First: first, Entries: entries}) {
			return
		}
		if len(entries) < maxEntries {
			return
		}
	}
}

// A waker waits for the next change of any kind. It is made before looking for news,
// so that none is missed.
type waker struct{ roles, prompts, trust, history, audit, tasks, data, files, console, gone <-chan struct{} }

func (r *reader) wake() waker {
	var w waker
	_, w.roles = r.bench.roles.look()
	_, w.prompts = r.bench.board.topic.look()
	_, w.trust = r.bench.approvals.topic.look()
	_, w.audit = r.bench.audit.news()
	_, w.tasks = r.bench.tasks.topic.look()
	if r.journal != nil {
		_, w.history = r.bench.history.look()
		_, w.files = r.journal.topic.look()
		_, w.data = r.journal.data.look()
		w.console = r.console.Changed()
		w.gone = r.journal.done
	}
	return w
}

// wait reports whether there is news before one of the contexts ends.
func (w waker) wait(ctx, bench context.Context) bool {
	select {
	case <-w.roles:
	case <-w.prompts:
	case <-w.trust:
	case <-w.history:
	case <-w.audit:
	case <-w.tasks:
	case <-w.data:
	case <-w.files:
	case <-w.console:
	case <-w.gone:
		return false
	case <-ctx.Done():
		return false
	case <-bench.Done():
		return false
	}
	return ctx.Err() == nil && bench.Err() == nil
}
