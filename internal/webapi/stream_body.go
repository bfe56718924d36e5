package webapi

import "github.com/dop251/goja"

// asBytes makes a stream over a Go source a byte stream, as all bodies are by the
// standard: when a BYOB reader is first asked for. Until then the simpler controller
// does, which is quicker. It returns false for a stream of another kind.
func (s *readableStream) asBytes() bool {
	if _, ok := s.ctrl.(*byteController); ok {
		return true
	}
	old, ok := s.ctrl.(*defaultController)
	if !ok || old.src == nil || s.locked() {
		return false
	}
	r, src := s.r, old.src
	c := &byteController{r: r, s: s, started: true}
	for _, q := range old.queue {
		if b, ok := r.Bytes(q.v); ok {
			c.push(append([]byte(nil), b...))
		}
	}
	c.pullAlg = func() goja.Value {
		d := r.Defer()
		src.Pull(func(chunk []byte, done bool, err goja.Value) {
			defer d.Resolve(goja.Undefined())
			if err != nil {
				c.error(err)
				return
			}
			if len(chunk) > 0 && c.open() {
				c.enqueue(append([]byte(nil), chunk...))
			}
			if done && c.open() {
				c.finish()
			}
		})
		return d.Promise
	}
	c.cancelAlg = func(reason goja.Value) goja.Value {
		src.Cancel(reason)
		return r.Resolved(goja.Undefined())
	}
	s.ctrl = c
	if old.closing {
		c.finish()
	}
	return true
}

// busy reports whether a Go source is being pulled.
func (s *readableStream) busy() bool {
	c, ok := s.ctrl.(*defaultController)
	return ok && c.src != nil && c.pulling
}

// finish closes the stream and answers the reads that wait: there is no source of
// JavaScript's that would respond.
func (c *byteController) finish() {
	if r := c.r; len(c.pulls) > 0 && c.total == 0 && c.pulls[0].filled%c.pulls[0].elem != 0 {
		c.error(r.VM.NewTypeError("The stream was closed with an element half filled."))
		return
	}
	c.close()
	if c.s.state == streamClosed && len(c.pulls) > 0 {
		c.respond(0)
	}
}
