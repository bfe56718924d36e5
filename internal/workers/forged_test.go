package workers

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"samkit.dev/internal/isolate"
	"samkit.dev/kv"
)

// A forgedLink is a worker that says what a test wants as soon as it gets a
// request. Like a process it is read by one goroutine.
type forgedLink struct {
	say     func(call uint32) [][]byte
	receive func(typ byte, call uint32, payload []byte) error
	done    chan struct{}

	mu      sync.Mutex
	ended   bool
	reason  error
	readers sync.WaitGroup
}

func (l *forgedLink) Send(_ context.Context, f func([]byte) []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return errEnded
	}
	return eachFrame(f(nil), func(typ byte, call uint32, _ []byte) error {
		if typ == frameRequest {
			l.readers.Go(func() { l.speak(call) })
		}
		return nil
	})
}

func (l *forgedLink) speak(call uint32) {
	for _, b := range l.say(call) {
		if l.Err() != nil {
			return
		}
		if err := eachFrame(b, l.receive); err != nil {
			l.Kill(&Error{Code: "worker_died", Err: err})
			return
		}
	}
}

func (l *forgedLink) Kill(reason error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		l.ended, l.reason = true, reason
		close(l.done)
	}
}

func (l *forgedLink) Usage() (isolate.Usage, error) { return isolate.Usage{}, nil }
func (l *forgedLink) Done() <-chan struct{}         { return l.done }
func (l *forgedLink) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reason
}

// forge puts a worker of a domain into p.
func forge(p *Pool, domain string, say func(call uint32) [][]byte) *forgedLink {
	w := p.newWorker()
	w.domain = domain
	l := &forgedLink{say: say, receive: w.receive, done: make(chan struct{})}
	w.link = l
	s := &slot{ready: make(chan struct{}), w: w}
	close(s.ready)
	p.mu.Lock()
	p.workers[domain] = s
	p.mu.Unlock()
	p.tasks.Go(w.wait)
	return l
}

func frame(typ byte, call uint32, parts ...any) []byte {
	b, at := isolate.Begin(nil, typ, call)
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			b = isolate.AppendUint32(b, uint32(p))
		case string:
			b = isolate.AppendString(b, p)
		case bool:
			b = isolate.AppendBool(b, p)
		case byte:
			b = append(b, p)
		case []byte:
			b = append(b, p...)
		}
	}
	return isolate.End(b, at)
}

func headOf(call uint32, status int, last bool, kind byte, body string, header ...string) []byte {
	parts := []any{status, "", len(header) / 2}
	for _, h := range header {
		parts = append(parts, h)
	}
	return frame(frameHead, call, append(parts, last, kind, body)...)
}

func asks(call uint32, n int, binding int, payload string) []byte {
	parts := []any{n}
	for i := range n {
		parts = append(parts, i+1, binding, payload)
	}
	return frame(frameOps, call, parts...)
}

func repeat(n int, b ...[]byte) (list [][]byte) {
	for range n {
		list = append(list, b...)
	}
	return list
}

// TestForged speaks for a worker that was taken over. Whatever it says, the request
// ends in time, and with what is not allowed the worker ends.
func TestForged(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	none := frame(200, 1)
	for name, c := range map[string]struct {
		say    func(id uint32) [][]byte
		want   string // "ok" or the code of an Error
		killed bool
	}{
		"unknown type":       {func(id uint32) [][]byte { return [][]byte{frame(200, id)} }, "worker_died", true},
		"type zero":          {func(id uint32) [][]byte { return [][]byte{frame(0, id)} }, "worker_died", true},
		"type for a runner":  {func(id uint32) [][]byte { return [][]byte{frame(frameLoad, id)} }, "worker_died", true},
		"empty head":         {func(id uint32) [][]byte { return [][]byte{frame(frameHead, id)} }, "worker_died", true},
		"status 99":          {func(id uint32) [][]byte { return [][]byte{headOf(id, 99, true, 0, "")} }, "worker_died", true},
		"status 101":         {func(id uint32) [][]byte { return [][]byte{headOf(id, 101, true, 0, "")} }, "worker_died", true},
		"status -1":          {func(id uint32) [][]byte { return [][]byte{headOf(id, -1, true, 0, "")} }, "worker_died", true},
		"line break":         {func(id uint32) [][]byte { return [][]byte{headOf(id, 200, true, 0, "", "a", "b\r\nc: d")} }, "worker_died", true},
		"line break in name": {func(id uint32) [][]byte { return [][]byte{headOf(id, 200, true, 0, "", "a\r\nb", "c")} }, "worker_died", true},
		"no name":            {func(id uint32) [][]byte { return [][]byte{headOf(id, 200, true, 0, "", "", "c")} }, "worker_died", true},
		"kind of body":       {func(id uint32) [][]byte { return [][]byte{headOf(id, 200, true, 7, "")} }, "worker_died", true},
		"more after a head": {func(id uint32) [][]byte {
			return [][]byte{frame(frameHead, id, 200, "", 0, true, byte(0), "x", 1)}
		}, "worker_died", true},
		"count of headers": {func(id uint32) [][]byte { return [][]byte{frame(frameHead, id, 200, "", -1, true, byte(0), "")} }, "worker_died", true},
		"many headers": {func(id uint32) [][]byte {
			return [][]byte{headOf(id, 200, true, 0, "", make([]string, 2*maxHeaders+2)...)}
		}, "worker_died", true},
		"body beyond the limit": {func(id uint32) [][]byte { return [][]byte{headOf(id, 200, true, 0, big+big)} }, "limit_response_body", false},
		"a head":                {func(id uint32) [][]byte { return [][]byte{headOf(id, 204, true, 0, "")} }, "ok", false},
		"two heads": {func(id uint32) [][]byte {
			return [][]byte{headOf(id, 200, true, 0, "a"), headOf(id, 200, true, 0, "b")}
		}, "ok", false},
		"two heads of streams": {func(id uint32) [][]byte {
			return [][]byte{headOf(id, 200, false, 1, "a"), headOf(id, 200, false, 1, "b"), frame(frameEnd, id)}
		}, "ok worker_died", true},
		"chunk without a head":   {func(id uint32) [][]byte { return [][]byte{frame(frameChunk, id, []byte("x"))} }, "worker_died", true},
		"end without a head":     {func(id uint32) [][]byte { return [][]byte{frame(frameEnd, id)} }, "worker_died", true},
		"done without a head":    {func(id uint32) [][]byte { return [][]byte{frame(frameDone, id), frame(frameDone, id)} }, "no_response", false},
		"fail twice":             {func(id uint32) [][]byte { return repeat(2, frame(frameFail, id, "exception", "m", "s")) }, "exception", false},
		"fail of no form":        {func(id uint32) [][]byte { return [][]byte{frame(frameFail, id, -1)} }, "worker_died", false},
		"fail with its own code": {func(id uint32) [][]byte { return [][]byte{frame(frameFail, id, "limit_"+big, big, big)} }, "exception", false},
		"stream that is a flood": {func(id uint32) [][]byte {
			return append([][]byte{headOf(id, 200, false, 1, "")}, repeat(100, frame(frameChunk, id, []byte(big)))...)
		}, "worker_died limit_response_body", true},
		"stream that never ends": {func(id uint32) [][]byte { return [][]byte{headOf(id, 200, false, 1, "")} }, "limit_wall", false},
		"stream that is done": {func(id uint32) [][]byte {
			return [][]byte{headOf(id, 200, false, 1, ""), frame(frameDone, id), frame(frameChunk, id, []byte("x"))}
		}, "unexpected EOF", false},
		"nothing":               {func(id uint32) [][]byte { return nil }, "limit_wall", false},
		"body that nobody sent": {func(id uint32) [][]byte { return [][]byte{frame(framePull, id)} }, "worker_died", true},
		"call of a binding": {func(id uint32) [][]byte {
			return [][]byte{asks(id, 1, 0, "\x01\x01\x00\x00\x00a"), headOf(id, 200, true, 0, "")}
		}, "ok", false},
		"call of no binding":        {func(id uint32) [][]byte { return [][]byte{asks(id, 1, 77, ""), headOf(id, 200, true, 0, "")} }, "ok", false},
		"call without payload":      {func(id uint32) [][]byte { return [][]byte{asks(id, 3, 0, ""), headOf(id, 200, true, 0, "")} }, "ok", false},
		"calls beyond the limit":    {func(id uint32) [][]byte { return [][]byte{asks(id, 11, 0, "")} }, "worker_died", true},
		"calls in many frames":      {func(id uint32) [][]byte { return repeat(11, asks(id, 1, 0, "")) }, "worker_died", true},
		"count of calls":            {func(id uint32) [][]byte { return [][]byte{frame(frameOps, id, -1)} }, "worker_died", true},
		"calls of no form":          {func(id uint32) [][]byte { return [][]byte{frame(frameOps, id, 1, 1, 0, -1)} }, "worker_died", true},
		"calls of another request":  {func(id uint32) [][]byte { return [][]byte{asks(id+1, 1, 0, ""), headOf(id, 200, true, 0, "")} }, "ok", false},
		"calls after the end":       {func(id uint32) [][]byte { return [][]byte{headOf(id, 200, true, 0, ""), asks(id, 100, 0, "")} }, "ok", false},
		"calls after a head":        {func(id uint32) [][]byte { return [][]byte{headOf(id, 200, false, 0, ""), asks(id, 100, 0, "")} }, "ok", true},
		"console of no form":        {func(id uint32) [][]byte { return [][]byte{frame(frameConsole, id, -1)} }, "worker_died", true},
		"console that is a flood":   {func(id uint32) [][]byte { return repeat(20, frame(frameConsole, id, byte(0), big, "")) }, "worker_died", true},
		"console outside a request": {func(id uint32) [][]byte { return repeat(20, frame(frameConsole, 0, byte(0), big, "")) }, "worker_died", true},
		"frames of no request": {func(id uint32) [][]byte {
			return append(repeat(1000, frame(frameChunk, 999)), headOf(id, 200, true, 0, ""))
		}, "ok", false},
		"head and then an odd frame": {func(id uint32) [][]byte { return [][]byte{headOf(id, 200, true, 0, ""), none} }, "ok", true},
		"frames while a call runs": {func(id uint32) [][]byte {
			return append([][]byte{asks(id, 1, 1, "\x00")}, repeat(300, frame(frameEnd, id, []byte(big)))...)
		}, "worker_died", true},
		"socket": {func(id uint32) [][]byte {
			return [][]byte{headOf(id, 101, false, bodySocket, ""), frame(frameEmit, id, byte(0), []byte("x")), frame(frameDone, id)}
		}, "EOF", false},
		"socket not asked for":     {func(id uint32) [][]byte { return [][]byte{headOf(id, 101, false, bodySocket, "")} }, "worker_died", true},
		"socket with a status":     {func(id uint32) [][]byte { return [][]byte{headOf(id, 200, false, bodySocket, "")} }, "worker_died", true},
		"message without a socket": {func(id uint32) [][]byte { return [][]byte{frame(frameEmit, id, byte(0))} }, "worker_died", true},
		"message that is empty": {func(id uint32) [][]byte {
			return [][]byte{headOf(id, 101, false, bodySocket, ""), frame(frameEmit, id)}
		}, "worker_died", true},
		"message of a kind": {func(id uint32) [][]byte {
			return [][]byte{headOf(id, 101, false, bodySocket, ""), frame(frameEmit, id, byte(7))}
		}, "worker_died", true},
		"message that is large": {func(id uint32) [][]byte {
			return [][]byte{headOf(id, 101, false, bodySocket, ""), frame(frameEmit, id, byte(1), []byte(big), byte(1))}
		}, "worker_died", true},
		"message after a close": {func(id uint32) [][]byte {
			return [][]byte{headOf(id, 101, false, bodySocket, ""), frame(frameEmit, id, byte(2), 1000, false), frame(frameEmit, id, byte(1), []byte("x")), frame(frameDone, id), frame(frameEmit, id, byte(1))}
		}, "EOF", false},
		"a second socket": {func(id uint32) [][]byte {
			return [][]byte{headOf(id, 101, false, bodySocket, ""), headOf(id, 101, false, bodySocket, "")}
		}, "worker_died", true},
		"a socket after a head": {func(id uint32) [][]byte {
			return [][]byte{headOf(id, 200, false, 0, ""), headOf(id, 101, false, bodySocket, ""), frame(frameEmit, id, byte(1)), frame(frameDone, id)}
		}, "ok", false},
		"a message for another request": {func(id uint32) [][]byte {
			return [][]byte{headOf(id, 101, false, bodySocket, ""), frame(frameEmit, id+1, byte(7)), frame(frameDone, id)}
		}, "EOF", false},
		"line break in a socket's header": {func(id uint32) [][]byte {
			return [][]byte{headOf(id, 101, false, bodySocket, "", "sec-websocket-protocol", "a\r\nb: c")}
		}, "worker_died", true},
		"reason of a close that is long": {func(id uint32) [][]byte {
			return [][]byte{headOf(id, 101, false, bodySocket, ""), frame(frameEmit, id, byte(2), 1000, false, []byte(big)), frame(frameDone, id)}
		}, "EOF", false},
		"message that is not UTF-8": {func(id uint32) [][]byte {
			return [][]byte{headOf(id, 101, false, bodySocket, ""), frame(frameEmit, id, byte(0), []byte("\xff"))}
		}, "worker_died", true},
		"close with code 5": {func(id uint32) [][]byte {
			return [][]byte{headOf(id, 101, false, bodySocket, ""), frame(frameEmit, id, byte(2), 5, false)}
		}, "worker_died", true},
		"close of no form": {func(id uint32) [][]byte {
			return [][]byte{headOf(id, 101, false, bodySocket, ""), frame(frameEmit, id, byte(2))}
		}, "worker_died", true},
		"messages that are a flood": {func(id uint32) [][]byte {
			return append([][]byte{headOf(id, 101, false, bodySocket, "")}, repeat(100, frame(frameEmit, id, byte(1), []byte(big)))...)
		}, "worker_died", true},
		"calls of a socket": {func(id uint32) [][]byte {
			return append([][]byte{headOf(id, 101, false, bodySocket, "")}, repeat(30, asks(id, 1, 0, ""))...)
		}, "worker_died", true},
		"chunks of a socket": {func(id uint32) [][]byte {
			return [][]byte{headOf(id, 101, false, bodySocket, ""), frame(frameChunk, id, []byte("x"))}
		}, "worker_died", true},
	} {
		t.Run(name, func(t *testing.T) { forged(t, c.say, c.want, c.killed) })
	}
}

func forged(t *testing.T, say func(uint32) [][]byte, want string, killed bool) {
	before := runtime.NumGoroutine()
	limits := Limits{Wall: 300 * time.Millisecond, Calls: 10, ResponseBody: 1 << 20, Console: 1 << 20}
	p, err := NewPool(Options{Isolation: InProcess, Limits: limits, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	a := app(t, "", Binding{Name: "KV", KV: kv.New(project(t).State(), "KV")}, Binding{Name: "F", Fetch: func(ctx context.Context, _ *Request) (*Response, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	l := forge(p, a.Domain, say)
	start := time.Now()
	q := &Request{Method: "POST", URL: "http://test/"}
	if !strings.Contains(t.Name(), "not_asked") {
		q.Header = []string{"upgrade", "websocket"}
	}
	res, err := p.Fetch(t.Context(), a, q)
	if err == nil && res.Socket != nil {
		for err == nil {
			_, err = res.Socket.Read()
		}
		res.Socket.Close()
	}
	if err == nil && res.Body != nil {
		_, err = io.ReadAll(res.Body)
		res.Body.Close()
	}
	got := "ok"
	var e *Error
	if errors.As(err, &e) {
		got = e.Code
	} else if err != nil {
		got = err.Error()
	}
	if !strings.Contains(want, got) {
		t.Errorf("%v, want %s", err, want)
	}
	if e != nil && len(e.Message)+len(e.Stack) > 2*maxMessage+100 {
		t.Errorf("a message of %d bytes", len(e.Message))
	}
	if d := time.Since(start); d > limits.Wall+2*time.Second {
		t.Errorf("ended after %v", d)
	}
	if killed {
		select {
		case <-l.Done():
		case <-time.After(2 * time.Second):
			t.Error("the worker was not ended")
		}
	}
	for code := range p.Stats().LimitHits {
		if !failureCodes[code] {
			t.Errorf("a limit called %.50q was counted", code)
		}
	}
	other := app(t, `export default { fetch() { return new Response("ok") } }`)
	other.Domain = "neighbour"
	if _, body := get(t, p, other, "/"); body != "ok" {
		t.Errorf("the neighbour got %q", body)
	}
	l.Kill(errClosed)
	l.readers.Wait()
	p.Close()
	for range 200 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	buf := make([]byte, 64<<10)
	t.Errorf("goroutines were left behind\n%s", buf[:runtime.Stack(buf, true)])
}
