package workers

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"samkit.dev/host"
	"samkit.dev/internal/isolate"
	"samkit.dev/internal/webapi"
)

// A Socket is the WebSocket that functions.js answered a request with. Whoever
// has it reads it until it fails, which serves the code's binding calls as
// well, and closes it.
type Socket struct {
	p   *pending
	ctx context.Context // of the request
	err error           // of Read
}

// A SocketMessage is what one side sends the other.
type SocketMessage struct {
	Close  bool
	Text   bool // the data is text
	Data   []byte
	Code   int    // of a close; 1005 if it names none
	Reason string // of a close
}

// maxSockets is how many WebSockets a worker has at once.
const maxSockets = 256

// never is the deadline of a request that has none.
var never = time.Unix(1<<40, 0)

// upgrades reports whether a request with these headers asks for a WebSocket.
func upgrades(header []string) bool {
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "upgrade" && strings.EqualFold(header[i+1], "websocket") {
			return true
		}
	}
	return false
}

// openSocket turns a request into a WebSocket. Its messages have limits of their own.
func (p *pending) openSocket(ctx context.Context) (*Socket, error) {
	w := p.w
	w.mu.Lock()
	if w.sockets >= maxSockets {
		w.mu.Unlock()
		p.abandon("There are too many WebSockets.", true)
		w.pool.task(p.drain)
		return nil, &Error{Code: "unavailable", Message: fmt.Sprintf("the app has %d WebSockets already", maxSockets), Status: 503, Retry: time.Second}
	}
	w.sockets++
	p.socket = true
	p.deadline = never
	p.quiet = time.Now()
	w.mu.Unlock()
	early := p.cancel // of a context that has the request's deadline
	life, end := context.WithCancel(host.WithCall(context.WithoutCancel(w.pool.ctx), p.identity()))
	p.life, p.ctx = life, p.budget(life)
	p.setCancel(func() {
		if early != nil {
			early()
		}
		end()
	})
	return &Socket{p: p, ctx: ctx}, nil
}

// Read returns the next message from functions.js. It fails with io.EOF when
// the code has nothing more to say, with the error of the request's context,
// or with an [*Error].
func (s *Socket) Read() (SocketMessage, error) {
	p := s.p
	for s.err == nil {
		m, ok := message{}, false
		if s.ctx.Err() == nil {
			m, ok = p.next(s.ctx.Done())
		}
		if !ok {
			s.stop(gone(s.ctx))
			break
		}
		switch m.typ {
		case frameEmit:
			out, err := p.emitted(m.payload)
			if err != nil {
				p.w.misbehaved(err)
				continue
			}
			return out, nil
		case frameFail:
			s.err = p.failed(m.payload)
			p.w.pool.task(p.drain)
		case frameDone:
			s.err = io.EOF
			p.finish()
		case messageEnd:
			s.err = m.err
			p.finish()
		default:
			if err := p.serve(m); err != nil {
				p.w.misbehaved(err)
			}
		}
	}
	return SocketMessage{}, s.err
}

// emitted reads a message, and gives the runner room for more.
func (p *pending) emitted(payload string) (SocketMessage, error) {
	rd := isolate.NewReader(payload)
	m, err := readSocketMessage(&rd)
	out := SocketMessage{Close: m.Kind == webapi.SocketClose, Text: m.Kind == webapi.SocketText, Data: m.Data, Code: m.Code, Reason: m.Reason}
	switch {
	case err != nil:
		return out, err
	case m.Kind > webapi.SocketClose, len(m.Data) > webapi.MaxSocketMessage, out.Text && !utf8.Valid(m.Data), out.Close && (m.Code < 1000 || m.Code > 4999):
		return out, fmt.Errorf("it sent a malformed message into a WebSocket")
	}
	out.Reason = strings.ToValidUTF8(clip(out.Reason, 123), "") // a control frame has 125 bytes
	if p.owed += len(m.Data) + socketOverhead; p.owed >= streamWindow/4 {
		p.credit()
	}
	p.touch()
	return out, nil
}

// touch notes that the socket is in use.
func (p *pending) touch() {
	p.w.mu.Lock()
	p.quiet = time.Now()
	p.w.mu.Unlock()
}

// Write has functions.js hear a message. It may wait until the code takes it.
// It is safe beside Read.
func (s *Socket) Write(m SocketMessage) error {
	in := webapi.SocketMessage{Kind: webapi.SocketBytes, Data: m.Data, Code: m.Code, Reason: m.Reason}
	switch {
	case m.Close:
		in.Kind = webapi.SocketClose
	case m.Text:
		in.Kind = webapi.SocketText
	}
	p := s.p
	p.w.mu.Lock()
	p.quiet = time.Now()
	p.startCPU = p.w.cpu
	p.w.mu.Unlock()
	p.mu.Lock()
	p.calls, p.console, p.renew = 0, 0, true
	p.network.count.Store(0)
	p.mu.Unlock()
	return p.w.link.Send(s.ctx, func(b []byte) []byte {
		b, at := isolate.Begin(b, frameHear, p.id)
		return isolate.End(appendSocketMessage(b, in), at)
	})
}

func (s *Socket) stop(err error) {
	s.err = err
	s.p.leave(s.ctx, "The WebSocket's connection is gone.")
	s.p.w.pool.task(s.p.drain)
}

// Close ends the socket for functions.js, unless Read has failed: then it has
// ended. It is not safe beside Read.
func (s *Socket) Close() error {
	if s.err == nil {
		s.stop(io.ErrClosedPipe)
	}
	return nil
}
