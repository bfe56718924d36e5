package canvas

import (
	"sync"
	"sync/atomic"
)

// An event is one message to open pages.
type event struct {
	kind string // "reload", "css", "fail", "seen"
	data string // one line of JSON
	id   string // revision that the page is up to date with afterwards, or ""
	of   string // snapshot whose pages it concerns; "" are those that follow the project
}

// all reports whether an event concerns every page: that to load again, whatever changed.
func (e event) all() bool { return e.kind == "reload" && e.id == "" }

// A listener is one event stream.
type listener struct {
	events chan event
	gone   chan struct{} // closed when the stream has to end
}

// A hub passes events to the pages of one project.
type hub struct {
	count atomic.Int64 // len(listeners), for who must not wait for mu

	mu        sync.Mutex
	listeners map[*listener]bool
	stop      func() // ends the watch of the project; nil while nobody listens
}

// maxListeners bounds the open pages of one project.
const maxListeners = 2000

// join adds a listener, and starts watching with the first one. It returns nil
// if there are too many.
func (b *hub) join(watch func() (stop func())) *listener {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.listeners) >= maxListeners {
		return nil
	}
	l := &listener{events: make(chan event, 16), gone: make(chan struct{})}
	if b.listeners == nil {
		b.listeners = map[*listener]bool{}
	}
	b.listeners[l] = true
	b.count.Store(int64(len(b.listeners)))
	if b.stop == nil {
		b.stop = watch()
	}
	return l
}

// leave removes a listener, and ends the watch with the last one.
func (b *hub) leave(l *listener) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.listeners, l)
	b.count.Store(int64(len(b.listeners)))
	if len(b.listeners) == 0 && b.stop != nil {
		b.stop()
		b.stop = nil
	}
}

// send passes an event to everybody. A page that does not keep up is cut off;
// when it comes back it learns that it is out of date.
func (b *hub) send(e event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for l := range b.listeners {
		select {
		case l.events <- e:
		default:
			b.end(l)
		}
	}
}

// end tells a listener to leave. The caller holds mu.
func (b *hub) end(l *listener) {
	select {
	case <-l.gone:
	default:
		close(l.gone)
	}
}

// empty does not take mu: its caller holds the handler's lock, which join
// takes while it holds mu.
func (b *hub) empty() bool { return b.count.Load() == 0 }
