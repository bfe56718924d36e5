package workbench

import (
	"context"
	"sync"
	"time"

	"samkit.dev/sam"
	"samkit.dev/wasi"
)

// maxPythons is how many interpreters a bench has at a time. Each may take the memory of a command.
const maxPythons = 4

// pythons are the interpreters of a bench, one of a project: what a line defines there, code for another project does
// not meet. Who uses one has the turn of the queue.
type pythons struct {
	mu     sync.Mutex // guards what follows
	all    map[pythonOf]*interpreter
	closed bool
}

// A pythonOf says whose an interpreter is.
type pythonOf struct {
	project sam.ProjectID
	session string // of an agent that may not change the project; "" is that of the person
}

// An interpreter keeps what code in a project has defined. The person's is the agent's too, so that each goes on with what the
// other has made. That means that the agent may have replaced whatever the person calls there, which then acts on the
// project with the person's rights. It gains nothing, as it may change that project itself; and where it may not, it
// has an interpreter of its own. When its session ends so do both, in the middle of a line if need be.
type interpreter struct {
	*wasi.Python
	of  pythonOf
	end chan struct{} // closed when it has ended, or is about to
	why string        // it has ended; read it after end

	began bool // there may be variables; of who has the turn

	used  time.Time // guarded by pythons.mu
	agent *session  // that has run code in it; guarded by pythons.mu
}

func (at *interpreter) over() bool {
	select {
	case <-at.end:
		return true
	default:
		return false
	}
}

const lostVariables = "The interpreter ended; its variables are gone."

// Why an interpreter has ended.
const (
	endedForRoom  = "other projects needed its place. Its variables are gone."
	endedForAgent = "the agent that had used it, too, is the agent no more. Its variables are gone."
	endedByDelete = "the project was deleted."
	endedByClose  = "the workbench was closed."
)

// python returns the interpreter for code that an agent, or the person if that is nil, runs in a project.
func (b *Bench) python(ctx context.Context, p *sam.Project, agent *session) (*interpreter, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	of := pythonOf{project: p.ID()}
	if agent != nil && agent.mayChange(p.ID()) != nil {
		of.session = agent.ID
	}
	x := &b.pythons
	if at := x.of(of); at != nil && at.left() {
		x.remove(at, endedForAgent) // as its watch is about to
	}
	at, full, err := x.get(b.opts.Commands, of, p)
	if full != nil {
		x.remove(full, endedForRoom)
	}
	if err == nil && agent != nil && x.share(at, agent) {
		err = b.watch(at, agent)
	}
	return at, err
}

func (x *pythons) of(of pythonOf) *interpreter {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.all[of]
}

// left reports whether the agent that has used it has ended. Who asks has the turn.
func (at *interpreter) left() bool {
	if at.agent == nil {
		return false
	}
	select {
	case <-at.agent.set.Done():
		return true
	default:
		return false
	}
}

// get returns an interpreter, and one that has to leave for it.
func (x *pythons) get(r *wasi.Runner, of pythonOf, p *sam.Project) (at, full *interpreter, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil, nil, ErrClosed
	}
	if at = x.all[of]; at == nil {
		for _, other := range x.all {
			if len(x.all) >= maxPythons && (full == nil || other.used.Before(full.used)) {
				full = other
			}
		}
		at = &interpreter{of: of, end: make(chan struct{})}
		if at.Python, err = r.NewPython(&wasi.Cmd{Files: p}); err != nil {
			return nil, nil, err
		}
		if x.all == nil {
			x.all = make(map[pythonOf]*interpreter)
		}
		x.all[of] = at
	}
	at.used = time.Now()
	return at, full, nil
}

// share notes that an agent runs code in an interpreter, and reports whether that is news.
func (x *pythons) share(at *interpreter, agent *session) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	news := at.agent == nil
	at.agent = agent
	return news
}

// watch ends an interpreter with the session of the agent that uses it.
func (b *Bench) watch(at *interpreter, agent *session) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return ErrClosed
	}
	b.wg.Go(func() {
		select {
		case <-agent.set.Done():
			b.pythons.remove(at, endedForAgent)
		case <-at.end:
		case <-b.ctx.Done():
		}
	})
	return nil
}

// remove ends an interpreter and what runs in it, for which it waits.
func (x *pythons) remove(at *interpreter, why string) {
	x.mu.Lock()
	if x.all[at.of] == at {
		delete(x.all, at.of)
		at.why = why
		close(at.end)
	}
	x.mu.Unlock()
	at.Close()
}

// drop ends the interpreters of a project that is deleted.
func (x *pythons) drop(id sam.ProjectID) {
	for _, at := range x.list() {
		if at.of.project == id {
			x.remove(at, endedByDelete)
		}
	}
}

func (x *pythons) close() {
	x.mu.Lock()
	x.closed = true
	x.mu.Unlock()
	for _, at := range x.list() {
		x.remove(at, endedByClose)
	}
}

func (x *pythons) list() []*interpreter {
	x.mu.Lock()
	defer x.mu.Unlock()
	var all []*interpreter
	for _, at := range x.all {
		all = append(all, at)
	}
	return all
}
