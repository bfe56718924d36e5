package workers

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"samkit.dev/host"
	"samkit.dev/internal/isolate"
	"samkit.dev/kv"
	"samkit.dev/sqlshim"
)

// cut makes frames of fuzzed bytes: type, a bit of the call id, length, payload.
func cut(data []byte, call uint32) (list [][]byte) {
	for len(data) >= 3 && len(list) < 64 {
		typ, id, n := data[0], call+uint32(data[1]&1), int(data[2])
		data = data[3:]
		n = min(n, len(data))
		list = append(list, frame(typ, id, data[:n]))
		data = data[n:]
	}
	return list
}

// uncut is the reverse, for seeds.
func uncut(frames ...[]byte) (data []byte) {
	for _, f := range frames {
		payload := f[9:]
		data = append(data, f[4], 0, byte(len(payload)))
		data = append(data, payload...)
	}
	return data
}

// FuzzReceive says arbitrary things on behalf of a worker.
func FuzzReceive(f *testing.F) {
	f.Add(uncut(headOf(1, 200, true, 0, "x", "a", "b")))
	f.Add(uncut(headOf(1, 200, false, 1, ""), frame(frameChunk, 1, []byte("x")), frame(frameEnd, 1), frame(frameDone, 1)))
	f.Add(uncut(frame(frameFail, 1, "exception", "m", "functions.bundle.js:1:2"), frame(frameDone, 1)))
	f.Add(uncut(frame(framePull, 1), frame(frameConsole, 1, byte(0), "x", "at functions.bundle.js:1:1"), frame(frameDone, 1)))
	f.Add(uncut(headOf(1, 101, false, bodySocket, ""), frame(frameEmit, 1, byte(0), []byte("x")), frame(frameEmit, 1, byte(2), 1000, false), frame(frameDone, 1)))
	for binding := range 4 {
		for verb := range 6 {
			f.Add(uncut(asks(1, 1, binding, string([]byte{byte(verb), 1, 0, 0, 0, 'a', 0, 0, 0, 0})), headOf(1, 200, true, 0, "")))
		}
	}
	f.Add(uncut(asks(1, 1, 1, string(isolate.AppendUint32(isolate.AppendString([]byte{dbObjects}, "SELECT 1"), 0)))))
	f.Add(uncut(asks(1, 1, 2, string(isolate.AppendString(isolate.AppendString(nil, "tools@1.echo"), "{}")))))
	state := project(f).State()
	db, err := sqlshim.Open(f.Context(), state, "DB", &sqlshim.Options{Timeout: 50 * time.Millisecond, MaxBytes: 1 << 20})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { db.Close() })
	caps := host.New()
	host.Register(caps.Define("tools", 1), "echo", "Echoes.", func(_ context.Context, in map[string]any) (map[string]any, error) { return in, nil })
	bindings := []Binding{
		{Name: "KV", KV: kv.New(state, "KV")}, {Name: "DB", DB: db}, {Name: "HOST", Caller: caps},
		{Name: "F", Fetch: func(_ context.Context, q *Request) (*Response, error) {
			if q.Body != nil {
				io.Copy(io.Discard, q.Body)
			}
			return &Response{Status: 200, Bytes: []byte("x")}, nil
		}},
	}
	p, err := NewPool(Options{Isolation: InProcess, Limits: Limits{Wall: 100 * time.Millisecond, Calls: 10}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { p.Close() })
	f.Fuzz(func(t *testing.T, data []byte) {
		a := &App{Domain: "fuzz", Script: &Script{}, Bindings: bindings}
		l := forge(p, a.Domain, func(call uint32) [][]byte {
			return append(cut(data, call), frame(frameFail, call, "exception", "", ""), frame(frameDone, call))
		})
		res, err := p.Fetch(t.Context(), a, &Request{Method: "POST", URL: "http://test/", Header: []string{"upgrade", "websocket"}})
		if err == nil && res.Socket != nil {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond) // which a socket lacks
			defer cancel()
			stop := context.AfterFunc(ctx, func() { l.Kill(errClosed) })
			defer stop()
			for err == nil {
				_, err = res.Socket.Read()
			}
			res.Socket.Close()
		} else if err == nil {
			if res.Status < 200 || res.Status > 599 || len(res.Header)%2 != 0 {
				t.Errorf("%+v", res)
			}
			if res.Body != nil {
				io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
		}
		l.Kill(errClosed)
		l.readers.Wait()
	})
}

// FuzzHandle says arbitrary things to a runner, which must not panic.
func FuzzHandle(f *testing.F) {
	load := func(b *App) []byte {
		return appendLoad(nil, 1, b, Limits{Wall: time.Second, CPU: time.Second, ResponseBody: 1 << 20, Console: 1 << 20, Calls: 10})
	}
	caps := host.New()
	host.Register(caps.Define("tools", 1), "echo", "Echoes.", func(_ context.Context, in map[string]any) (map[string]any, error) { return in, nil })
	a := &App{Script: &Script{Code: []byte(`exports.default = { async fetch(request, env, ctx) {
		const [a, b] = await Promise.allSettled([env.KV.get("a", "json"), env.DB.prepare("SELECT 1").all(), env.HOST.tools.echo({}), env.F.fetch("http://a/")])
		ctx.waitUntil(request.text())
		return new Response(new ReadableStream({ pull(c) { c.enqueue(new Uint8Array(1000)) } })) } }`)},
		Bindings: []Binding{{Name: "KV", KV: &kv.Namespace{}}, {Name: "DB", DB: &sqlshim.DB{}}, {Name: "HOST", Caller: caps}, {Name: "F", Fetch: func(context.Context, *Request) (*Response, error) { return nil, nil }}, {Name: "V", JSON: []byte("{}")}},
	}
	request := frame(frameRequest, 1, 1, eventFetch, "POST", "http://a/", 0, bodyStream, "")
	f.Add([]byte{})
	f.Add(uncut(frame(frameReplies, 1, 1, 1, "\x00\x00")))
	f.Add(uncut(frame(frameReplies, 1, 2, 1, "\x01", 2, "\x00\x01\x00\x00\x00")))
	f.Add(uncut(frame(frameBody, 1, true, "", []byte("x")), frame(frameCredit, 1, -1), frame(frameCancel, 1, true, "gone"), frame(frameUnload, 1)))
	f.Add(uncut(frame(frameLoad, 1, "x", "", false)))
	f.Add(uncut(frame(frameHear, 1, byte(0), []byte("x")), frame(frameHear, 1, byte(2), 1000, false)))
	f.Add(uncut(frame(frameRequest, 1, 1, eventFetch, "GET", "::", 1, "a", "b", bodyWhole, "x")))
	f.Add(uncut(frame(frameRequest, 1, 1, eventScheduled, "* * * * *", "\x00\x00\x00\x00\x00\x00\x00\x00", "", "", 0, bodyWhole, "")))
	f.Fuzz(func(t *testing.T, data []byte) {
		defer time.AfterFunc(3*time.Second, func() { panic("the runner hangs") }).Stop()
		sent := 0
		r := newRunner(func(fn func([]byte) []byte) { sent += len(fn(nil)) })
		handle := func(b []byte) error {
			return eachFrame(b, func(typ byte, call uint32, payload []byte) error { return r.handle(typ, call, string(payload)) })
		}
		if err := handle(append(load(a), request...)); err != nil {
			t.Fatal(err)
		}
		for _, b := range cut(data, 1) {
			if handle(b) != nil {
				return
			}
			r.tick()
		}
	})
}
