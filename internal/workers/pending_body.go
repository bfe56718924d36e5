package workers

import (
	"context"
	"io"

	"samkit.dev/internal/isolate"
)

// feed sends one piece of the request body.
func (p *pending) feed() {
	buf := make([]byte, 64<<10)
	n, err := p.body.Read(buf)
	for n == 0 && err == nil {
		n, err = p.body.Read(buf)
	}
	p.mu.Lock()
	p.length += int64(n)
	over := p.length > p.limits.RequestBody
	p.feeding = false
	p.mu.Unlock()
	done, message := err == io.EOF, ""
	switch {
	case over:
		p.w.pool.count("limit_request_body")
		message = limitMessage("limit_request_body")
	case err != nil && err != io.EOF:
		message = "the request body could not be read"
	}
	p.w.link.Send(context.Background(), func(b []byte) []byte {
		b, at := isolate.Begin(b, frameBody, p.id)
		b = isolate.AppendBool(b, done)
		b = isolate.AppendString(b, message)
		return isolate.End(append(b, buf[:n]...), at)
	})
}

// A responseBody reads a streamed response body. Reading it serves the request.
type responseBody struct {
	p    *pending
	ctx  context.Context // of the request
	left string
	err  error
}

func (b *responseBody) Read(dst []byte) (int, error) {
	for b.left == "" && b.err == nil {
		m, ok := message{}, false
		if b.ctx.Err() == nil { // what has come already does not keep a stream going
			m, ok = b.p.next(b.ctx.Done())
		}
		if !ok {
			b.stop(gone(b.ctx))
			break
		}
		switch m.typ {
		case frameChunk:
			b.p.received += int64(len(m.payload))
			if b.p.received > b.p.limits.ResponseBody {
				b.stop(b.p.w.pool.limited("limit_response_body"))
				break
			}
			b.left = m.payload
		case frameEnd:
			b.err = io.EOF
			b.p.w.pool.task(b.p.drain)
		case frameFail:
			b.err = b.p.failed(m.payload)
			b.p.w.pool.task(b.p.drain)
		case frameDone:
			b.err = io.ErrUnexpectedEOF
			b.p.finish()
		case messageLimit:
			b.err = m.err
			b.p.w.pool.task(b.p.drain)
		case messageEnd:
			b.err = m.err
			b.p.finish()
		default:
			if err := b.p.serve(m); err != nil {
				b.p.w.misbehaved(err)
			}
		}
	}
	if b.left == "" {
		return 0, b.err
	}
	n := copy(dst, b.left)
	b.left = b.left[n:]
	b.p.owed += n
	if b.p.owed >= streamWindow/4 || b.left == "" && b.p.owed >= streamWindow/8 {
		b.p.credit()
	}
	return n, nil
}

// credit tells the runner that there is room again.
func (p *pending) credit() {
	n := uint32(p.owed)
	p.owed = 0
	p.w.link.Send(context.Background(), func(b []byte) []byte {
		b, at := isolate.Begin(b, frameCredit, p.id)
		return isolate.End(isolate.AppendUint32(b, n), at)
	})
}

func (b *responseBody) stop(err error) {
	b.err = err
	b.p.leave(b.ctx, "The response is not wanted any more.")
	b.p.w.pool.task(b.p.drain)
}

// Close cancels what is still being produced.
func (b *responseBody) Close() error {
	if b.err == nil {
		b.stop(io.ErrClosedPipe)
	}
	return nil
}
