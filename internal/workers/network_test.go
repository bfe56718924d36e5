package workers

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"samkit.dev/internal/httpcache"
	"samkit.dev/internal/isolate"
)

// sends is a call of fetch.
func sends(call, id uint32, kind byte, length uint64, body string) []byte {
	p := []byte{actSend}
	p = isolate.AppendString(p, "POST")
	p = isolate.AppendString(p, "https://api.test/")
	p = appendHeader(p, nil)
	p = isolate.AppendString(p, "follow")
	p = append(p, kind)
	p = isolate.AppendUint64(p, length)
	return netOp(call, id, isolate.AppendString(p, body))
}

func netOp(call, id uint32, payload []byte) []byte {
	return frame(frameOps, call, 1, int(id), int(int64(networkBinding)), string(payload))
}

// TestForgedCache proves that a worker that was taken over leaves nothing behind that is no response.
func TestForgedCache(t *testing.T) {
	p, err := NewPool(Options{Isolation: InProcess, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	put := func(url string, status int, header ...string) []byte {
		b := isolate.AppendString(isolate.AppendString([]byte{cachePut}, ""), "http://c.test/"+url)
		b = isolate.AppendUint32(appendHeader(b, nil), uint32(status))
		return isolate.AppendString(appendHeader(b, append(header, "cache-control", "max-age=60")), "x")
	}
	a := app(t, "")
	l := forge(p, a.Domain, func(id uint32) [][]byte {
		return [][]byte{
			cacheOp(id, 1, put("good", 200)), cacheOp(id, 2, put("status", 1<<31)), cacheOp(id, 3, put("101", 101)),
			cacheOp(id, 4, put("line", 200, "a", "b\r\nc: d")), cacheOp(id, 5, put("name", 200, "A B", "x")), cacheOp(id, 6, put("many", 200, make([]string, 2*maxHeaders)...)),
			headOf(id, 200, true, 0, ""),
		}
	})
	if _, err := p.Fetch(t.Context(), a, &Request{Method: "POST", URL: "http://test/"}); err != nil {
		t.Fatal(err)
	}
	l.Kill(errClosed)
	l.readers.Wait()
	for url, want := range map[string]bool{"good": true, "status": false, "101": false, "line": false, "name": false, "many": false} {
		if _, ok := p.caches.Match(a.Domain, httpcache.Key{URL: "http://c.test/" + url}, nil); ok != want {
			t.Errorf("%s is kept: %v", url, ok)
		}
	}
}

func cacheOp(call, id uint32, payload []byte) []byte {
	return frame(frameOps, call, 1, int(id), int(int64(cacheBinding)), string(payload))
}

func about(call, op uint32, action byte, id uint32, rest ...byte) []byte {
	return netOp(call, op, append(isolate.AppendUint32([]byte{action}, id), rest...))
}

func pushes(call, op, id uint32, offset uint64, last byte, data string) []byte {
	rest := append(isolate.AppendUint64(nil, offset), last)
	return about(call, op, actPush, id, append(rest, data...)...)
}

// TestForgedNetwork speaks for a worker that was taken over: what breaks the rules of fetch ends it, and
// nothing of an exchange outlives the request.
func TestForgedNetwork(t *testing.T) {
	for name, c := range map[string]struct {
		say    func(id uint32) [][]byte
		want   string
		killed bool
	}{
		"nothing more":           {func(id uint32) [][]byte { return [][]byte{sends(id, 1, sendNone, 0, "")} }, "limit_wall", false},
		"done at once":           {func(id uint32) [][]byte { return [][]byte{sends(id, 1, sendNone, 0, ""), headOf(id, 200, true, 0, "")} }, "ok", false},
		"stop":                   {func(id uint32) [][]byte { return [][]byte{sends(id, 1, sendNone, 0, ""), about(id, 2, actStop, 1)} }, "limit_wall", false},
		"stop what is not there": {func(id uint32) [][]byte { return [][]byte{about(id, 2, actStop, 9), about(id, 3, actStop, 9)} }, "limit_wall", false},
		"many stops":             {func(id uint32) [][]byte { return repeat(30, about(id, 2, actStop, 9)) }, "worker_died", true},
		"pull before the head":   {func(id uint32) [][]byte { return [][]byte{sends(id, 1, sendNone, 0, ""), about(id, 2, actPull, 1)} }, "worker_died", true},
		"pull of nothing":        {func(id uint32) [][]byte { return [][]byte{about(id, 2, actPull, 7)} }, "worker_died", true},
		"push without a body":    {func(id uint32) [][]byte { return [][]byte{sends(id, 1, sendNone, 0, ""), pushes(id, 2, 1, 0, 0, "x")} }, "worker_died", true},
		"push of nothing":        {func(id uint32) [][]byte { return [][]byte{pushes(id, 2, 7, 0, 0, "x")} }, "worker_died", true},
		"push an empty piece":    {func(id uint32) [][]byte { return [][]byte{sends(id, 1, sendStream, 0, ""), pushes(id, 2, 1, 0, 0, "")} }, "worker_died", true},
		"push a large piece": {func(id uint32) [][]byte {
			return [][]byte{sends(id, 1, sendStream, 0, ""), pushes(id, 2, 1, 0, 0, strings.Repeat("x", maxPiece+1))}
		}, "worker_died", true},
		"push twice": {func(id uint32) [][]byte {
			return [][]byte{sends(id, 1, sendStream, 0, ""), pushes(id, 2, 1, 0, 0, "x"), pushes(id, 3, 1, 1, 0, "x")}
		}, "worker_died", true},
		"push at another place": {func(id uint32) [][]byte {
			return [][]byte{sends(id, 1, sendStream, 0, ""), pushes(id, 2, 1, 1<<63, 0, "x")}
		}, "limit_wall", false},
		"push with a bad flag": {func(id uint32) [][]byte {
			return [][]byte{sends(id, 1, sendStream, 0, ""), pushes(id, 2, 1, 0, 7, "x")}
		}, "worker_died", true},
		"push that is short": {func(id uint32) [][]byte {
			return [][]byte{sends(id, 1, sendStream, 0, ""), about(id, 2, actPush, 1, 1, 2)}
		}, "worker_died", true},
		"an odd kind of body":      {func(id uint32) [][]byte { return [][]byte{sends(id, 1, 9, 0, "")} }, "worker_died", true},
		"a large body in the call": {func(id uint32) [][]byte { return [][]byte{sends(id, 1, sendWhole, 0, strings.Repeat("x", maxWhole+1))} }, "worker_died", true},
		"the same id twice": {func(id uint32) [][]byte {
			return [][]byte{sends(id, 1, sendNone, 0, ""), sends(id, 1, sendNone, 0, "")}
		}, "worker_died", true},
		"a length that lies":      {func(id uint32) [][]byte { return [][]byte{sends(id, 1, sendAgain, 1<<63, "")} }, "limit_wall", false},
		"an action of no meaning": {func(id uint32) [][]byte { return [][]byte{sends(id, 1, sendNone, 0, ""), about(id, 2, 9, 1)} }, "worker_died", true},
		"no action":               {func(id uint32) [][]byte { return [][]byte{netOp(id, 1, nil)} }, "worker_died", true},
		"headers that are too many": {func(id uint32) [][]byte {
			p := isolate.AppendString(isolate.AppendString([]byte{actSend}, "GET"), "https://api.test/")
			return [][]byte{netOp(id, 1, isolate.AppendUint32(p, 1<<31))}
		}, "worker_died", true},
		"push after stop": {func(id uint32) [][]byte {
			return [][]byte{sends(id, 1, sendStream, 0, ""), about(id, 2, actStop, 1), pushes(id, 3, 1, 0, 0, "x")}
		}, "worker_died", true},
		"pull after stop": {func(id uint32) [][]byte {
			return [][]byte{sends(id, 1, sendNone, 0, ""), about(id, 2, actStop, 1), about(id, 3, actPull, 1)}
		}, "worker_died", true},
		"stop with more": {func(id uint32) [][]byte {
			return [][]byte{sends(id, 1, sendNone, 0, ""), about(id, 2, actStop, 1, 1, 2, 3)}
		}, "worker_died", true},
		"exchange of another request": {func(id uint32) [][]byte {
			return [][]byte{sends(id, 1, sendStream, 0, ""), pushes(id+1, 2, 1, 0, 0, "x"), about(id+1, 3, actStop, 1)}
		}, "limit_wall", false},
		"send, stop, send by the same id": {func(id uint32) [][]byte {
			return [][]byte{sends(id, 1, sendStream, 0, ""), about(id, 2, actStop, 1), sends(id, 1, sendNone, 0, "")}
		}, "limit_wall", false},
		"fetches beyond their limit": {func(id uint32) (list [][]byte) {
			for i := range uint32(9) {
				list = append(list, sends(id, i+1, sendNone, 0, ""))
			}
			return list
		}, "limit_wall", false},
		"headers of megabytes": {func(id uint32) (list [][]byte) {
			p := isolate.AppendString(isolate.AppendString([]byte{actSend}, "GET"), "https://api.test/"+strings.Repeat("x", 60<<20))
			p = append(isolate.AppendString(appendHeader(p, nil), "follow"), sendNone)
			for i := range uint32(9) {
				list = append(list, netOp(id, i+1, isolate.AppendString(isolate.AppendUint64(p, 0), "")))
			}
			return list
		}, "limit_wall", false},
		"cache calls of no form": {func(id uint32) [][]byte {
			return [][]byte{cacheOp(id, 1, nil), cacheOp(id, 2, []byte{9}), cacheOp(id, 3, []byte{cachePut, 255, 255, 255, 255}), headOf(id, 200, true, 0, "")}
		}, "ok", false},
		"cache of a status and headers that cannot be": {func(id uint32) [][]byte {
			p := isolate.AppendString(isolate.AppendString([]byte{cachePut}, ""), "http://c.test/")
			p = isolate.AppendUint32(appendHeader(p, nil), 1<<31)
			p = isolate.AppendString(appendHeader(p, []string{"a\r\nb", "c\x00"}), "x")
			return [][]byte{cacheOp(id, 1, p), cacheOp(id, 2, append(isolate.AppendString(isolate.AppendString([]byte{cacheMatch}, ""), "http://c.test/"), 0, 0, 0, 0)), headOf(id, 200, true, 0, "")}
		}, "ok", false},
		"cache calls beyond the limit": {func(id uint32) [][]byte { return repeat(30, cacheOp(id, 1, nil)) }, "worker_died", true},
		"more fetches than calls": {func(id uint32) (list [][]byte) {
			for i := range uint32(30) {
				list = append(list, sends(id, i+1, sendNone, 0, ""))
			}
			return list
		}, "worker_died", true},
	} {
		t.Run(name, func(t *testing.T) { forgedNetwork(t, c.say, c.want, c.killed) })
	}
}

func forgedNetwork(t *testing.T, say func(uint32) [][]byte, want string, killed bool) {
	before := runtime.NumGoroutine()
	limits := Limits{Wall: 300 * time.Millisecond, Calls: 10, Fetches: 5}
	p, err := NewPool(Options{Isolation: InProcess, Limits: limits, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	a := app(t, "")
	a.Network = func(ctx context.Context, q *Outbound) (*Inbound, error) { // reads the body and never answers
		if err := q.Admit(); err != nil {
			return nil, err
		}
		if q.Body != nil {
			body, err := q.Body()
			if err != nil {
				return nil, err
			}
			defer body.Close()
			stop := context.AfterFunc(ctx, func() { body.Close() })
			defer stop()
			time.Sleep(20 * time.Millisecond)
			io.Copy(io.Discard, body)
		}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	l := forge(p, a.Domain, say)
	_, err = p.Fetch(t.Context(), a, &Request{Method: "POST", URL: "http://test/"})
	got := "ok"
	var e *Error
	if errors.As(err, &e) {
		got = e.Code
	}
	if got != want {
		t.Errorf("%v, want %s", err, want)
	}
	if killed {
		select {
		case <-l.done:
		case <-time.After(5 * time.Second):
			t.Error("the worker lives")
		}
	}
	p.Close()
	l.readers.Wait()
	for i := 0; runtime.NumGoroutine() > before+1; i++ {
		if i == 300 {
			buf := make([]byte, 1<<16)
			t.Fatalf("goroutines are left:\n%s", buf[:runtime.Stack(buf, true)])
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// What a network answers reaches code as it is, and an error of Go's does not.
func TestNetworkErrors(t *testing.T) {
	eachLevel(t, Options{Logger: slog.New(slog.DiscardHandler)}, func(t *testing.T, p *Pool) {
		a := app(t, `export default { async fetch(request) {
			const { pathname } = new URL(request.url), headers = { a: "x".repeat(pathname === "/large" ? 4 << 20 : 1) }
			try { await fetch("https://api.test" + pathname, { headers }); return new Response("ok") }
			catch (e) { return new Response([e.name, e.message, e.code, e instanceof TypeError].join()) } } }`)
		a.Network = func(ctx context.Context, q *Outbound) (*Inbound, error) {
			switch q.URL {
			case "https://api.test/large":
				t.Error("headers of 4 MB came through")
			case "https://api.test/denied":
				return nil, &NetworkError{Code: "fetch_denied", Message: "no", Err: errors.New("secret")}
			case "https://api.test/limit":
				return nil, &NetworkError{Code: "limit_fetch_time", Message: "late"}
			case "https://api.test/go":
				return nil, errors.New("dial 10.0.0.1: secret")
			case "https://api.test/panic":
				panic("secret")
			}
			return &Inbound{Status: 200, Length: -1, Body: io.NopCloser(strings.NewReader("x"))}, nil
		}
		for path, want := range map[string]string{
			"/denied": "TypeError,no,fetch_denied,true", "/limit": "Error,late,limit_fetch_time,false",
			"/large": "Error," + limitMessage("limit_fetch_headers") + ",limit_fetch_headers,false",
			"/go":    "Error,internal error,,false", "/panic": "Error,internal error,,false", "/": "ok",
		} {
			if _, body := get(t, p, a, path); body != want {
				t.Errorf("%s: %s", path, body)
			}
		}
	})
}

// A WebSocket that fetches for every message keeps none of it.
func TestNetworkOfSocket(t *testing.T) {
	eachLevel(t, Options{Limits: Limits{Fetches: 3}}, func(t *testing.T, p *Pool) {
		a := app(t, `export default { fetch(request) {
			const [client, server] = Object.values(new WebSocketPair())
			server.accept()
			server.addEventListener("message", async (e) => {
				try { server.send(await (await fetch("https://api.test/" + e.data)).text()) } catch (e) { server.send(String(e)) } })
			return new Response(null, { status: 101, webSocket: client }) } }`)
		a.Network = func(ctx context.Context, q *Outbound) (*Inbound, error) {
			return &Inbound{Status: 200, Length: -1, Body: io.NopCloser(strings.NewReader(q.URL))}, q.Admit()
		}
		res, err := p.Fetch(t.Context(), a, &Request{Method: "GET", URL: "http://test/", Header: []string{"upgrade", "websocket"}})
		if err != nil {
			t.Fatal(err)
		}
		defer res.Socket.Close()
		for range 200 {
			if err := res.Socket.Write(SocketMessage{Text: true, Data: []byte("x")}); err != nil {
				t.Fatal(err)
			}
			m, err := res.Socket.Read()
			if err != nil || string(m.Data) != "https://api.test/x" {
				t.Fatalf("%s, %v", m.Data, err)
			}
		}
		if n := len(res.Socket.p.network.byID); n > 64 {
			t.Errorf("%d exchanges are kept", n)
		}
	})
}
