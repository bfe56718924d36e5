package canvas

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// leaveTime is how long the client of a request that is ended has to take the
// rest of its response.
const leaveTime = time.Second

// slowBody is how long a body that a handler reads itself may take.
const slowBody = 30 * time.Second

// unblock ends what a request waits for on its connection when ctx ends: a
// body that does not come, a response that is not read. The caller calls end
// before it returns.
func (v *visit) unblock(ctx context.Context) (end func()) {
	rc := http.NewResponseController(v.w)
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		rc.SetReadDeadline(past) // without one, the server's own times hold
		rc.SetWriteDeadline(time.Now().Add(leaveTime))
	})
	return func() {
		if !stop() {
			<-done // not into the next request of the connection
			v.lastOne()
		}
	}
}

// lastOne keeps a connection whose read was unblocked from being used again: net/http takes it for
// gone, and would begin its next request with a context that has ended.
func (v *visit) lastOne() { v.w.Header()["Connection"] = []string{"close"} }

// smallBody reads a body of at most n bytes, for a while.
func (v *visit) smallBody(n int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(v.h.done, slowBody)
	defer cancel()
	defer v.unblock(ctx)()
	return io.ReadAll(http.MaxBytesReader(v.w, v.r.Body, n))
}

var past = time.Unix(1, 0)

// largeBody is the size from which sending a response may wait for its reader.
const largeBody = 64 << 10

// A requestBody is read by functions.js, maybe until after the answer. Its end
// ends a Read that waits for the client, since the server waits for it.
type requestBody struct {
	r       io.Reader
	reading atomic.Int32
	ended   atomic.Bool
}

var errBodyEnded = errors.New("canvas: the request has ended")

func (b *requestBody) Read(p []byte) (int, error) {
	b.reading.Add(1)
	defer b.reading.Add(-1)
	if b.ended.Load() {
		return 0, errBodyEnded
	}
	return b.r.Read(p)
}

func (b *requestBody) end(w http.ResponseWriter) {
	b.ended.Store(true)
	if b.reading.Load() > 0 {
		http.NewResponseController(w).SetReadDeadline(past)
	}
}
