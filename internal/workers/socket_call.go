package workers

import (
	"time"

	"samkit.dev/internal/isolate"
	"samkit.dev/internal/webapi"
)

// maxSocketBacklog is how many bytes the code may have sent into a WebSocket
// whose client does not take them.
const maxSocketBacklog = 8 << 20

// maxSocketHeld is how many bytes a client may send before the code accepts its WebSocket.
const maxSocketHeld = 2 << 20

// A callSocket is the WebSocket of a request that was answered with one.
type callSocket struct {
	stayed  *webapi.Socket
	backlog []webapi.SocketMessage // beyond what the pool has room for
	size    int                    // of backlog
	over    bool                   // both sides have closed
}

// connect hands the socket's other end to the pool. It runs in a turn.
func (c *call) connect(left *webapi.Socket) {
	s := &callSocket{stayed: left.Stayed()}
	c.socket = s
	left.Connect(c.emit, func() { s.over = true })
}

// open reports whether the call has a WebSocket with something left to say.
func (c *call) open() bool {
	return c.socket != nil && (!c.socket.over || len(c.socket.backlog) > 0)
}

// emit sends a message to the pool, or keeps it until there is room.
func (c *call) emit(m webapi.SocketMessage) {
	s := c.socket
	if c.ended || c.canceled || s == nil {
		return
	}
	if len(s.backlog) == 0 && c.credit > 0 {
		c.emitNow(m)
		return
	}
	if s.size+len(m.Data) > maxSocketBacklog {
		c.exceed("limit_response_body")
		c.in.realm.TypeError("The WebSocket's client does not take what was sent: %d bytes wait for it.", s.size)
	}
	s.backlog = append(s.backlog, m)
	s.size += len(m.Data) + socketOverhead
}

func (c *call) emitNow(m webapi.SocketMessage) {
	c.credit -= len(m.Data) + socketOverhead
	c.r.send(func(b []byte) []byte {
		b, at := isolate.Begin(b, frameEmit, c.id)
		return isolate.End(appendSocketMessage(b, m), at)
	})
}

// relieve sends what there is room for.
func (s *callSocket) relieve(c *call) {
	for len(s.backlog) > 0 && c.credit > 0 {
		m := s.backlog[0]
		s.backlog[0] = webapi.SocketMessage{}
		s.backlog = s.backlog[1:]
		s.size -= len(m.Data) + socketOverhead
		c.emitNow(m)
	}
}

// hear takes a message of the client's. Each is given the time and the number
// of calls that a request has.
func (c *call) hear(rd *isolate.Reader) {
	m, err := readSocketMessage(rd)
	if err != nil || c.socket == nil || c.ended {
		return
	}
	c.cpu, c.made, c.console = time.Duration(0), 0, 0
	s := c.socket
	c.in.enter(c, func() {
		s.stayed.Arrive(m)
		if m.Kind == webapi.SocketClose { // which has been answered already
			s.over, s.backlog = true, nil
		}
	})
	if !c.ended && s.stayed.Held() > maxSocketHeld {
		c.fail(failure{code: "exception", message: "The client sent much into a WebSocket that the code has not accepted: call accept() on the end that stays."})
		c.end()
	}
}

// hangUp tells the code that the connection broke. It runs in a turn.
func (c *call) hangUp() {
	s := c.socket
	s.stayed.Arrive(webapi.SocketMessage{Kind: webapi.SocketClose, Code: 1006, Reason: "WebSocket disconnected without sending Close frame.", Unsaid: true})
	s.over = true
}

// socketOverhead is what a message counts beside its data.
const socketOverhead = 64

func appendSocketMessage(b []byte, m webapi.SocketMessage) []byte {
	b = append(b, byte(m.Kind))
	if m.Kind != webapi.SocketClose {
		return append(b, m.Data...)
	}
	b = isolate.AppendUint32(b, uint32(m.Code))
	b = isolate.AppendBool(b, m.Unsaid)
	return append(b, m.Reason...)
}

func readSocketMessage(rd *isolate.Reader) (webapi.SocketMessage, error) {
	m := webapi.SocketMessage{Kind: webapi.SocketKind(rd.Byte())}
	if m.Kind == webapi.SocketClose {
		m.Code, m.Unsaid, m.Reason = int(rd.Uint32()), rd.Bool(), rd.Rest()
	} else {
		m.Data = []byte(rd.Rest())
	}
	return m, rd.Err()
}
