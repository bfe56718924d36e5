package isolate

import (
	"fmt"
	"io"
	"time"
)

// A Handler receives the frames of a worker, one after the other, on one
// goroutine. payload is valid until it returns. While it runs the worker's
// other frames wait, so it must not wait for the worker itself: it uses
// [Proc.Post] to answer, not Send. An error kills the worker and becomes the
// reason.
type Handler func(typ byte, call uint32, payload []byte) error

// Run starts to receive frames. It is called once, and returns at once; the
// last call of h returns before Done is closed.
func (p *Proc) Run(h Handler) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reading {
		panic("isolate: Run called twice")
	}
	if p.ended {
		return
	}
	p.reading = true
	go p.receive(h)
}

func (p *Proc) receive(h Handler) {
	err := p.handleAll(h)
	p.out.fail(ErrEnded)
	if err != nil {
		p.Kill(err)
	} else {
		time.AfterFunc(grace, func() { p.Kill(ErrLinkClosed) }) // no harm to one that has ended
	}
	p.mu.Lock()
	p.reading = false
	p.mu.Unlock()
	p.finish()
}

// handleAll returns nil at the end of the stream.
func (p *Proc) handleAll(h Handler) error {
	for {
		for {
			frame, err := p.in.next()
			if err != nil {
				return err
			}
			if frame == nil {
				break
			}
			typ, call := header(frame)
			if typ == 0 {
				return fmt.Errorf("%w: a second ready frame", ErrFrame)
			}
			if err := h(typ, call, frame[headerSize:]); err != nil {
				return err
			}
		}
		p.active.Store(true)
		if !p.fill() {
			return nil
		}
	}
}

// fill reads more bytes, and reports false at the end of the stream.
func (p *Proc) fill() bool {
	n, err := p.conn.Read(p.in.space())
	p.in.filled(max(n, 0))
	return n > 0 || err == nil
}

// awaitReady reads the ready frame.
func (p *Proc) awaitReady() error {
	for {
		frame, err := p.in.next()
		if err != nil {
			return err
		}
		if frame != nil {
			return parseReady(frame)
		}
		if !p.fill() {
			return errNoFrame
		}
	}
}

// drainStderr reads the worker's standard error to its end.
func (p *Proc) drainStderr() {
	buf := make([]byte, 4<<10)
	for {
		n, err := p.stderr.Read(buf)
		if p.noise.add(buf[:max(n, 0)]) {
			p.Kill(ErrNoise)
		}
		if err != nil {
			if err != io.EOF {
				p.Kill(err)
			}
			p.stderr.Close()
			return
		}
	}
}
