package workers

import (
	"io"
	"sync"
	"time"
)

// A download is a response body that is read piece by piece, when it is wanted. Reads run
// in goroutines of their own: a head does not wait for a body, but takes one along
// that is there.
type download struct {
	left int64 // bytes it may still have
	size int64 // of all of it; -1 if unknown

	mu    sync.Mutex // guards the rest
	body  io.ReadCloser
	ahead *reading // that runs, or has not been taken; nil if there is none
	once  sync.Once
}

// A reading is a read and, once done is closed, what it gave.
type reading struct {
	done chan struct{}
	data []byte
	err  error
}

// together is how long a head waits for its body.
const together = 2 * time.Millisecond

// begin returns what is there of the body within a moment, and whether that is all.
func (d *download) begin() (data []byte, last bool, err error) {
	timer := time.NewTimer(together)
	defer timer.Stop()
	for len(data) < maxWhole {
		p := d.read()
		select {
		case <-p.done:
			d.taken()
			data = append(data, p.data...)
			if p.err == io.EOF {
				return data, true, nil
			}
			if p.err != nil {
				if len(data) > 0 { // the code gets it after what came before
					d.put(p.err)
					return data, false, nil
				}
				return nil, false, p.err
			}
		case <-timer.C:
			return data, false, nil
		}
	}
	return data, false, nil
}

// next waits for a piece.
func (d *download) next() (data []byte, last bool, err error) {
	p := d.read()
	<-p.done
	d.taken()
	switch p.err {
	case nil, io.EOF:
		if p.err == io.EOF {
			d.close()
		}
		return p.data, p.err == io.EOF, nil
	}
	if len(p.data) > 0 {
		d.put(p.err)
		return p.data, false, nil
	}
	return nil, false, p.err
}

// read returns the read that runs, or a new one.
func (d *download) read() *reading {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ahead == nil {
		p := &reading{done: make(chan struct{})}
		d.ahead = p
		go func() { // ends with the body, which ends with the request
			defer close(p.done)
			p.data, p.err = d.fill()
		}()
	}
	return d.ahead
}

func (d *download) taken() {
	d.mu.Lock()
	d.ahead = nil
	d.mu.Unlock()
}

// put has an error be what comes next.
func (d *download) put(err error) {
	d.mu.Lock()
	d.ahead = &reading{done: make(chan struct{}), err: err}
	close(d.ahead.done)
	d.mu.Unlock()
}

// fill reads once.
func (d *download) fill() ([]byte, error) {
	size := int64(maxWhole)
	if d.size >= 0 && d.size < size {
		size = d.size + 1
	}
	buf := make([]byte, size)
	for range 100 {
		n, err := d.body.Read(buf)
		if d.left -= int64(n); d.left < 0 {
			return nil, &NetworkError{Code: "limit_fetch_response", Message: limitMessage("limit_fetch_response")}
		}
		if n > 0 || err != nil {
			return buf[:n], err
		}
	}
	return nil, io.ErrNoProgress
}

// close closes the body, after a read that still runs: whoever closes has ended its
// context, which ends the read. It may be called twice.
func (d *download) close() {
	d.once.Do(func() {
		d.mu.Lock()
		ahead := d.ahead
		d.mu.Unlock()
		if ahead != nil {
			<-ahead.done
		}
		d.body.Close()
	})
}
