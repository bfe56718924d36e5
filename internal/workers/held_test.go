package workers

import (
	"context"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"samkit.dev/internal/isolate"
)

// inUse is the heap in use.
func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestHeld proves that a call that takes long keeps no more in memory than itself, though it came
// in a frame of megabytes, and that what is kept for many is bounded.
func TestHeld(t *testing.T) {
	wait := func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}
	both := func(id uint32, n int, slow []byte, binding uint32, pad int) [][]byte {
		rest := strings.Repeat("x", pad)
		return repeat(n, frame(frameOps, id, 2, 1, int(int64(binding)), string(slow), 2, int(int64(cacheBinding)), rest))
	}
	request := isolate.AppendString(isolate.AppendString(nil, "GET"), "http://slow.test/")
	request = isolate.AppendString(appendHeader(request, nil), "")
	large := isolate.AppendString(isolate.AppendString(nil, "POST"), "http://slow.test/")
	large = isolate.AppendString(appendHeader(large, nil), strings.Repeat("x", 8<<20))
	for name, c := range map[string]struct {
		say  func(id uint32) [][]byte
		died bool
		most int64 // bytes kept
	}{
		// Together less than may wait in the queue, where nobody takes them out in time.
		"small calls in large frames": {func(id uint32) [][]byte { return both(id, 60, request, 0, 3<<19) }, false, 40 << 20},
		"large calls":                 {func(id uint32) [][]byte { return repeat(60, asks(id, 1, 0, string(large))) }, true, 250 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := NewPool(Options{Isolation: InProcess, Limits: Limits{Wall: 10 * time.Second, Calls: 1000}, Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			a := app(t, "", Binding{Name: "F", Fetch: func(ctx context.Context, q *Request) (*Response, error) { return nil, wait(ctx) }})
			before, said := inUse(), make(chan struct{})
			l := forge(p, a.Domain, func(id uint32) [][]byte { defer close(said); return c.say(id) })
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() {
				_, err := p.Fetch(ctx, a, &Request{Method: "POST", URL: "http://test/", Body: io.NopCloser(strings.NewReader(""))})
				done <- err
			}()
			<-said
			select {
			case <-l.Done():
				if !c.died {
					t.Errorf("the worker was ended: %v", l.Err())
				}
			case <-time.After(3 * time.Second):
				if c.died {
					t.Error("the worker lives")
				}
			}
			if n := inUse() - before; n > c.most {
				t.Errorf("%d MB are kept", n>>20)
			}
			cancel()
			<-done
			l.Kill(errClosed)
			l.readers.Wait()
		})
	}
}
