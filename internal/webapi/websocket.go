package webapi

import (
	"bytes"
	"strconv"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// websocketGlobals are the classes of WebSockets as Workers have them: a pair of
// ends, of which one leaves with a response of status 101.
var websocketGlobals = []global{
	class("WebSocketPair", (*Realm).webSocketPairClass),
	class("WebSocket", (*Realm).webSocketClass),
	class("CloseEvent", (*Realm).closeEventClass),
}

// MaxSocketMessage is the most data of a message, in bytes.
const MaxSocketMessage = 1 << 20

// A SocketMessage is what one end of a WebSocket sends the other.
type SocketMessage struct {
	Kind   SocketKind
	Data   []byte // of a text, UTF-8, or of bytes; the receiver keeps it
	Code   int    // of a close; 1005 if it names none
	Reason string // of a close
	Unsaid bool   // of a close: the connection broke, nobody closed it
}

// A SocketKind is what a SocketMessage is.
type SocketKind byte

// The kinds of messages.
const (
	SocketText SocketKind = iota
	SocketBytes
	SocketClose
)

// States of a WebSocket.
const (
	socketConnecting = iota
	socketOpen
	socketClosing
	socketClosed
)

// A Socket is one end of a WebSocketPair. It belongs to its realm's goroutine.
type Socket struct {
	eventTarget
	r    *Realm
	self *goja.Object
	peer *Socket             // the other end, unless that has left
	out  func(SocketMessage) // to the other end that has left
	in   []SocketMessage     // has arrived and waits for accept, or for its turn
	data goja.Value          // of serializeAttachment
	done func()              // is told when both sides have closed
	kind string              // binaryType

	held                int // bytes that arrived in vain
	accepted, draining  bool
	sentClose, gotClose bool
	left                bool // it went with a response
}

// state is the readyState.
func (s *Socket) state() int {
	switch {
	case s.sentClose && s.gotClose:
		return socketClosed
	case s.sentClose || s.gotClose:
		return socketClosing
	}
	return socketOpen
}

// Connect has the end that stayed behind talk to out, which takes what it has
// sent already, and done called when both sides have closed. It runs in a turn.
func (s *Socket) Connect(out func(SocketMessage), done func()) {
	stayed := s.peer
	s.left = true
	stayed.peer, stayed.out, stayed.done = nil, out, done
	for _, m := range s.in {
		stayed.send(m)
	}
	s.in = nil
	stayed.finish()
}

// Stayed returns the end that code keeps when s leaves.
func (s *Socket) Stayed() *Socket { return s.peer }

// Arrive takes a message from the other end, which has left. It runs in a turn
// of its own.
func (s *Socket) Arrive(m SocketMessage) {
	s.in = append(s.in, m)
	if s.accepted {
		s.drain()
		return
	}
	s.held += len(m.Data) + 64
}

// Held is how many bytes have arrived that the code did not accept.
func (s *Socket) Held() int {
	if s.accepted {
		return 0
	}
	return s.held
}

// send passes a message to the other end.
func (s *Socket) send(m SocketMessage) {
	if s.out != nil {
		s.out(m)
		return
	}
	if p := s.peer; p != nil {
		p.in = append(p.in, m)
		if p.accepted {
			p.wake()
		}
	}
}

// wake has what has arrived dispatched in a turn of its own.
func (s *Socket) wake() {
	if s.draining {
		return
	}
	s.draining = true
	s.r.after(0, func() {
		s.draining = false
		s.drain()
	})
}

// drain dispatches what has arrived.
func (s *Socket) drain() {
	for len(s.in) > 0 && !s.gotClose {
		m := s.in[0]
		s.in[0] = SocketMessage{}
		s.in = s.in[1:]
		s.dispatch(m)
	}
}

func (s *Socket) dispatch(m SocketMessage) {
	r := s.r
	vm := r.VM
	switch m.Kind {
	case SocketClose:
		s.gotClose = true
		if m.Unsaid {
			s.sentClose = true
		}
		s.fire("close", r.closeEventClass(), map[string]goja.Value{
			"code": vm.ToValue(m.Code), "reason": vm.ToValue(m.Reason), "wasClean": vm.ToValue(!m.Unsaid),
		})
		s.finish()
	default:
		var data goja.Value
		switch {
		case m.Kind == SocketText:
			data = vm.ToValue(string(m.Data))
		case s.kind == "blob":
			data = r.newBlob(m.Data, "")
		default:
			data = r.Buffer(m.Data)
		}
		s.fire("message", r.messageEventClass(), map[string]goja.Value{
			"data": data, "origin": vm.ToValue(""), "lastEventId": vm.ToValue(""), "source": goja.Null(), "ports": vm.NewArray(),
		})
	}
}

// fire dispatches an event, if anybody listens.
func (s *Socket) fire(typ string, class *jsrt.Class, detail map[string]goja.Value) {
	if !s.has(typ) {
		return
	}
	r := s.r
	e := r.trustedEvent(typ)
	e.detail = detail
	r.dispatch(&s.eventTarget, s.object(), e, class.New(e))
}

// finish tells whoever waits that both sides have closed.
func (s *Socket) finish() {
	if s.done != nil && s.state() == socketClosed {
		done := s.done
		s.done = nil
		done()
	}
}

func (s *Socket) object() *goja.Object {
	if s.self == nil {
		s.self = s.r.webSocketClass().New(s)
	}
	return s.self
}

func (r *Realm) webSocketPairClass() *jsrt.Class {
	construct := func(goja.ConstructorCall) any {
		a, b := &Socket{r: r}, &Socket{r: r}
		a.peer, b.peer = b, a
		return &socketPair{a, b}
	}
	return r.Class("WebSocketPair", 0, construct, func(c *jsrt.Class) {
		iterate := r.Func("[Symbol.iterator]", 0, func(f goja.FunctionCall) goja.Value {
			p := jsrt.This[*socketPair](r.Runtime, f.This)
			left := []*Socket{p.a, p.b}
			return r.Iterator("WebSocketPair Iterator", func() (goja.Value, bool) {
				if len(left) == 0 {
					return nil, false
				}
				s := left[0]
				left = left[1:]
				return s.object(), true
			})
		})
		c.Proto.DefineDataPropertySymbol(goja.SymIterator, iterate, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	})
}

// A socketPair is what a WebSocketPair carries. Its ends are the properties 0 and 1.
type socketPair struct{ a, b *Socket }

// Own implements jsrt.Owner.
func (p *socketPair) Own(o *goja.Object) {
	for i, s := range []*Socket{p.a, p.b} {
		o.DefineDataProperty(strconv.Itoa(i), s.object(), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
}

func (r *Realm) webSocketClass() *jsrt.Class {
	return r.Class("WebSocket", 0, r.constructWebSocket, r.defineWebSocket)
}

// constructWebSocket would open a connection from here, which apps cannot.
func (r *Realm) constructWebSocket(c goja.ConstructorCall) any {
	if len(c.Arguments) == 0 {
		r.TypeError("Failed to construct 'WebSocket': constructor parameter 1 is not of type 'string'.")
	}
	u, err := parseURL(r.str(c.Argument(0)), nil)
	switch {
	case err != nil:
		r.throw("SyntaxError", "WebSocket Constructor: The url is invalid.")
	case u.scheme() != "ws" && u.scheme() != "wss":
		r.throw("SyntaxError", "WebSocket Constructor: The url scheme must be ws or wss.")
	case u.fragment < len(u.text):
		r.throw("SyntaxError", "WebSocket Constructor: The url fragment must be empty.")
	}
	r.TypeError("This app cannot open WebSockets to other hosts, so it cannot reach %s", u.href())
	return nil
}

const notAccepted = "You must call one of accept() or state.acceptWebSocket() on this WebSocket before sending messages."

func (r *Realm) defineWebSocket(c *jsrt.Class) {
	c.Extends(r.eventTargetClass())
	this := func(v goja.Value) *Socket { return jsrt.This[*Socket](r.Runtime, v) }
	c.Method("accept", 0, func(f goja.FunctionCall) goja.Value {
		s := this(f.This)
		if s.left {
			r.TypeError("Can't accept() WebSocket that was already used in a response.")
		}
		s.accepted = true
		if len(s.in) > 0 {
			s.wake()
		}
		return goja.Undefined()
	})
	c.Method("send", 1, func(f goja.FunctionCall) goja.Value {
		s := this(f.This)
		if len(f.Arguments) == 0 {
			r.TypeError("Failed to execute 'send' on 'WebSocket': parameter 1 is not of type 'ArrayBuffer or ArrayBufferView or string'.")
		}
		m := SocketMessage{Kind: SocketBytes}
		if b, ok := r.Bytes(f.Argument(0)); ok {
			m.Data = bytes.Clone(b)
		} else {
			m.Kind, m.Data = SocketText, []byte(r.str(f.Argument(0)))
		}
		switch {
		case !s.accepted:
			r.TypeError(notAccepted)
		case s.sentClose:
			r.TypeError("Can't call WebSocket send() after close().")
		case len(m.Data) > MaxSocketMessage:
			r.TypeError("The message has %d bytes, and one of a WebSocket has at most %d.", len(m.Data), MaxSocketMessage)
		}
		s.send(m)
		return goja.Undefined()
	})
	c.Method("close", 0, func(f goja.FunctionCall) goja.Value {
		s := this(f.This)
		m := r.closeMessage(f.Argument(0), f.Argument(1))
		if !s.accepted {
			r.TypeError(notAccepted)
		}
		if !s.sentClose {
			s.sentClose = true
			s.send(m)
			s.finish()
		}
		return goja.Undefined()
	})
	c.Method("serializeAttachment", 1, func(f goja.FunctionCall) goja.Value {
		s := this(f.This)
		r.argc(f, 1, "serializeAttachment on WebSocket")
		s.data = r.clone(f.Argument(0))
		return goja.Undefined()
	})
	c.Method("deserializeAttachment", 0, func(f goja.FunctionCall) goja.Value {
		if s := this(f.This); s.data != nil {
			return r.clone(s.data)
		}
		return goja.Null()
	})
	c.Getter("readyState", func(v goja.Value) goja.Value { return r.VM.ToValue(this(v).state()) })
	c.Getter("url", func(v goja.Value) goja.Value { this(v); return goja.Null() })
	c.Getter("protocol", func(v goja.Value) goja.Value { this(v); return r.VM.ToValue("") })
	c.Getter("extensions", func(v goja.Value) goja.Value { this(v); return r.VM.ToValue("") })
	c.Accessor("binaryType", func(v goja.Value) goja.Value {
		if s := this(v); s.kind != "" {
			return r.VM.ToValue(s.kind)
		}
		return r.VM.ToValue("arraybuffer")
	}, func(v, to goja.Value) {
		s := this(v)
		if kind := r.str(to); kind == "arraybuffer" || kind == "blob" {
			s.kind = kind // any other value is ignored, as of every enumeration
		}
	})
	for _, typ := range []string{"open", "message", "close", "error"} {
		r.handler(c, typ)
	}
	for i, name := range []string{"CONNECTING", "OPEN", "CLOSING", "CLOSED"} {
		c.Const(name, i)
		c.Const("READY_STATE_"+name, i)
	}
}

// closeMessage makes a message of the arguments of close.
func (r *Realm) closeMessage(code, reason goja.Value) SocketMessage {
	m := SocketMessage{Kind: SocketClose, Code: 1005}
	if !goja.IsUndefined(code) {
		m.Code = int(r.int32(code))
		if m.Code < 1000 || m.Code >= 5000 || m.Code >= 1004 && m.Code <= 1006 || m.Code == 1015 {
			r.throw("InvalidAccessError", "Invalid WebSocket close code: "+strconv.Itoa(m.Code)+".")
		}
	}
	if !goja.IsUndefined(reason) {
		if m.Code == 1005 {
			r.throw("InvalidAccessError", "If you specify a WebSocket close reason, you must also specify a code.")
		}
		m.Reason = r.str(reason)
	}
	return m
}

func (r *Realm) closeEventClass() *jsrt.Class {
	return r.eventSubclass("CloseEvent", []attribute{
		{"code", zeroInitial, toUint16}, {"reason", emptyInitial, toStr},
		{"wasClean", falseInitial, toBool},
	})
}

func falseInitial(r *Realm) goja.Value           { return r.VM.ToValue(false) }
func toBool(r *Realm, v goja.Value) goja.Value   { return r.VM.ToValue(v.ToBoolean()) }
func toUint16(r *Realm, v goja.Value) goja.Value { return r.VM.ToValue(uint16(r.int32(v))) }
