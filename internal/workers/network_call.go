package workers

import (
	"slices"

	"github.com/dop251/goja"

	"samkit.dev/internal/isolate"
	"samkit.dev/internal/jsrt"
	"samkit.dev/internal/webapi"
)

// A fetching is a fetch, as the runner has it: the promise until the head of the response is
// there, the body of the request while that is sent, and that of the response
// until it is read.
type fetching struct {
	in      *instance
	c       *call
	id      uint32 // of the call that began it
	head    *op    // until it is answered
	promise *jsrt.Deferred
	unhook  func() // from the signal

	// Of the request body.
	source webapi.Source // nil if bytes is all of it
	bytes  []byte
	piece  []byte // of source, not yet taken
	offset uint64 // of what is sent next
	push   *op    // until it is answered
	sent   bool   // nothing more is sent

	// Of the response body.
	url     string
	first   []byte
	pull    *op // until it is answered
	deliver func([]byte, bool, goja.Value)
	closed  bool
	failed  goja.Value
}

// network is fetch.
func (in *instance) network(d *webapi.Departure) goja.Value {
	f := &fetching{in: in, c: in.charge(), promise: in.realm.Defer(), source: d.Source, sent: true}
	if headSize(d) > maxAsked { // the pool would say the same of each, and they would all be in memory until then
		e := in.realm.NewError("Error", limitMessage("limit_fetch_headers"))
		jsrt.Data(e, "code", in.realm.VM.ToValue("limit_fetch_headers"))
		f.sent = d.Source == nil
		f.finishUpload(e)
		f.promise.Reject(e)
		return f.promise.Promise
	}
	p := append(make([]byte, 0, 256), actSend)
	p = isolate.AppendString(p, d.Method)
	p = isolate.AppendString(p, d.URL)
	p = appendHeader(p, d.Header)
	p = isolate.AppendString(p, d.Redirect)
	length, body := uint64(len(d.Body)), []byte(nil)
	switch {
	case d.NoBody:
		p = append(p, sendNone)
	case d.Source != nil:
		p, f.sent, length = append(p, sendStream), false, pushedAll
	case len(d.Body) > maxWhole:
		p, f.sent, f.bytes = append(p, sendAgain), false, d.Body
	default:
		p, body = append(p, sendWhole), d.Body
	}
	p = isolate.AppendUint64(p, length)
	p = isolate.AppendBytes(p, body)
	f.head = &op{binding: networkBinding, payload: p, call: f.c, done: f.arrived}
	in.send(f.head)
	f.id = f.head.id
	f.unhook = d.OnAbort(f.abort)
	if len(f.c.fetches) >= 64 { // of a WebSocket, perhaps
		f.c.fetches = slices.DeleteFunc(f.c.fetches, func(f *fetching) bool { return f.closed && f.sent })
	}
	f.c.fetches = append(f.c.fetches, f)
	f.upload()
	return f.promise.Promise
}

// headSize is what a request takes without its body, in bytes.
func headSize(d *webapi.Departure) int {
	n := len(d.URL)
	for _, s := range d.Header {
		n += len(s)
	}
	return n
}

// ask sends a call about the exchange.
func (f *fetching) ask(action byte, rest []byte, done func(*isolate.Reader, goja.Value)) *op {
	p := append(make([]byte, 0, 8+len(rest)), action)
	p = isolate.AppendUint32(p, f.id)
	o := &op{binding: networkBinding, payload: append(p, rest...), call: f.c, done: done}
	f.in.send(o)
	return o
}

// stop says that the rest is not wanted.
func (f *fetching) stop(reason goja.Value) {
	f.unhook()
	for _, o := range []*op{f.head, f.push, f.pull} {
		if o != nil {
			o.drop(f.in)
		}
	}
	f.head, f.push, f.pull = nil, nil, nil
	f.finishUpload(reason)
	if !f.c.ended {
		o := f.ask(actStop, nil, nil)
		o.drop(f.in)
	}
}

// abort is called when the request's signal is.
func (f *fetching) abort(reason goja.Value) {
	waiting, deliver := f.head != nil, f.deliver
	f.deliver = nil
	f.closed, f.failed = true, reason
	f.stop(reason)
	if waiting {
		f.promise.Reject(reason)
	}
	if deliver != nil {
		deliver(nil, false, reason)
	}
}

// arrived takes the head of the response.
func (f *fetching) arrived(rd *isolate.Reader, thrown goja.Value) {
	f.head = nil
	if thrown == nil {
		thrown = f.in.realm.Try(func() { f.promise.Resolve(f.response(rd)) })
	}
	if thrown != nil {
		f.closed = true
		f.unhook()
		f.finishUpload(thrown)
		f.promise.Reject(thrown)
	}
}

func (f *fetching) response(rd *isolate.Reader) goja.Value {
	out := &webapi.Outgoing{Status: int(rd.Uint32()), StatusText: rd.String()}
	f.url, out.Redirected = rd.String(), rd.Bool()
	out.Header = readHeader(rd)
	kind, body := rd.Byte(), rd.String()
	if rd.Err() != nil {
		f.in.realm.TypeError("malformed answer")
	}
	switch kind {
	case recvNone:
		out.NoBody = true
	case recvStream:
		f.first = []byte(body)
		out.Source = f
	default:
		out.Body = []byte(body)
	}
	if kind != recvStream {
		f.closed = true
		f.unhook()
	}
	return f.in.realm.NewResponse(out, f.url)
}

// Pull implements [webapi.Source].
func (f *fetching) Pull(deliver func([]byte, bool, goja.Value)) {
	switch {
	case len(f.first) > 0:
		first := f.first
		f.first = nil
		deliver(first, false, nil)
		return
	case f.closed:
		deliver(nil, f.failed == nil, f.failed)
		return
	case f.c.ended:
		f.closed = true
		deliver(nil, false, f.in.realm.NewError("TypeError", "The request that fetched this response has ended, so its body cannot be read any more."))
		return
	}
	f.deliver = deliver
	f.pull = f.ask(actPull, nil, func(rd *isolate.Reader, thrown goja.Value) {
		f.pull, f.deliver = nil, nil
		last, piece := false, ""
		if thrown == nil {
			last, piece = rd.Bool(), rd.Rest()
		}
		if last || thrown != nil {
			f.closed, f.failed = true, thrown
			f.unhook()
		}
		if piece == "" {
			deliver(nil, thrown == nil, thrown)
			return
		}
		deliver([]byte(piece), false, nil)
	})
}

// Cancel implements [webapi.Source].
func (f *fetching) Cancel(reason goja.Value) {
	if f.closed {
		return
	}
	f.closed, f.first, f.deliver = true, nil, nil
	f.stop(reason)
}
