package host

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strings"
	"testing"
)

type countIn struct {
	N int `json:"n"`
}

type number1 struct {
	N    int   `json:"n"`
	Wide int64 `json:"wide"`
}

// counting has functions that stream. far is how far the iterator was asked to go, closed is told of its end.
func counting(far *int, closed *bool) *Capabilities {
	caps := New()
	c := caps.Define("count", 1)
	Register(c, "up", "Counts.", func(ctx context.Context, in countIn) (iter.Seq[number1], error) {
		if in.N < 0 {
			return nil, &Error{Code: Invalid, Message: "Negative."}
		}
		return func(yield func(number1) bool) {
			defer func() { *closed = true }()
			for i := range in.N {
				if *far = i; !yield(number1{i, 1<<60 + int64(i)}) || ctx.Err() != nil {
					return
				}
			}
		}, nil
	}, Reads)
	Register(c, "fails", "Fails.", func(context.Context, countIn) (iter.Seq2[string, error], error) {
		return func(yield func(string, error) bool) {
			_ = yield("a\nb", nil) && yield("", &Error{Code: Unavailable, Message: "Not now.", Retry: true})
		}, nil
	})
	Register(c, "hides", "Fails.", func(context.Context, countIn) (iter.Seq2[string, error], error) {
		return func(yield func(string, error) bool) { yield("", errors.New("password")) }, nil
	})
	Register(c, "panics", "Panics.", func(context.Context, countIn) (iter.Seq[string], error) {
		return func(yield func(string) bool) { yield("a"); panic("password") }, nil
	})
	Register(c, "bytes", "Gives bytes.", func(_ context.Context, in countIn) (io.Reader, error) {
		if in.N == 0 {
			return nil, nil
		}
		return strings.NewReader(strings.Repeat("x", in.N)), nil
	})
	Register(c, "nothing", "Gives none.", func(context.Context, countIn) (iter.Seq[string], error) { return nil, nil })
	return caps
}

func TestStreamSchemas(t *testing.T) {
	caps := counting(new(int), new(bool))
	ts := TypeScript("HOST", caps)
	for _, want := range []string{"up(args: { n: number; }): Promise<AsyncIterable<{ n: number;", "bytes(args: { n: number; }): Promise<ReadableStream<Uint8Array>>", "fails(args: { n: number; }): Promise<AsyncIterable<string>>"} {
		if !strings.Contains(strings.Join(strings.Fields(ts), " "), want) {
			t.Errorf("no %q in\n%s", want, ts)
		}
	}
	if md := Markdown(caps); !strings.Contains(md, "Promise<AsyncIterable<string>>") {
		t.Error(md)
	}
	for f := range caps.Funcs() {
		if f.Name == "up" && (f.Streaming != Values || !strings.Contains(string(f.Output), `"wide"`) || strings.Contains(string(f.Output), `"array"`)) {
			t.Errorf("%v %s", f.Streaming, f.Output)
		}
	}
}

// Without anybody who takes a stream it is collected.
func TestStreamsAreCollected(t *testing.T) {
	far, closed := 0, false
	caps := counting(&far, &closed)
	for _, c := range []struct{ name, args, want string }{
		{"count.up", `{"n":2}`, `[{"n":0,"wide":"1152921504606846976"},{"n":1,"wide":"1152921504606846977"}]`},
		{"count.up", `{"n":0}`, `[]`},
		{"count.nothing", `{"n":0}`, `[]`},
		{"count.bytes", `{"n":3}`, `"eHh4"`},
		{"count.bytes", `{"n":0}`, `""`},
		{"count.up", `{"n":-1}`, `invalid`}, {"count.fails", `{"n":0}`, `unavailable`}, {"count.hides", `{"n":0}`, `internal`}, {"count.panics", `{"n":0}`, `internal`},
		{"count.bytes", `{"n":33554433}`, `exhausted`},
	} {
		out, err := caps.Call(t.Context(), c.name, json.RawMessage(c.args))
		got := string(out)
		var e *Error
		if errors.As(err, &e) {
			if got = string(e.Code); strings.Contains(e.Message, "password") {
				t.Errorf("%s: %v", c.name, e)
			}
		}
		if got != c.want {
			t.Errorf("%s(%s) = %.200s, want %s", c.name, c.args, got, c.want)
		}
	}
	if !closed {
		t.Error("the iterator did not end")
	}
}

// Whoever takes a stream reads as far as it likes, and no value is made before.
func TestStreamIsReadAsFarAsWanted(t *testing.T) {
	far, closed := 0, false
	caps := counting(&far, &closed)
	var got *Stream
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, err := caps.Call(WithStreams(ctx, func(s *Stream) { got = s }), "count.up", json.RawMessage(`{"n":1000}`))
	if err != nil || string(out) != "null" || got == nil || got.Streaming != Values {
		t.Fatalf("%s %v %v", out, err, got)
	}
	buf := make([]byte, 1000)
	for range 3 {
		if n, err := got.Body.Read(buf); err != nil || !json.Valid(buf[:n]) {
			t.Fatalf("%q %v", buf[:n], err)
		}
	}
	if far != 2 || closed {
		t.Errorf("after 3 values the function is at %d, ended: %v", far, closed)
	}
	if err := got.Body.Close(); err != nil || !closed {
		t.Errorf("%v, ended: %v", err, closed)
	}
	// One whose context ends is an error, not an end.
	if _, err := caps.Call(WithStreams(ctx, func(s *Stream) { got = s }), "count.up", json.RawMessage(`{"n":1000}`)); err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	got.Body.Read(buf)
	cancel()
	if _, err := io.ReadAll(got.Body); err == nil || errors.As(err, new(*Error)) != true {
		t.Errorf("%v", err)
	}
}

// endless is a reader without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// What never ends is ended, and stays so.
func TestStreamLimit(t *testing.T) {
	caps := New()
	Register(caps.Define("c", 1), "bytes", "Gives bytes.", func(context.Context, struct{}) (io.Reader, error) { return endless{}, nil })
	var got *Stream
	if _, err := caps.Call(WithStreams(t.Context(), func(s *Stream) { got = s }), "c.bytes", nil); err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{got.Body}, make([]byte, 1<<20))
	for range 2 {
		var e *Error
		if !errors.As(err, &e) || e.Code != Exhausted || !strings.Contains(string(e.Details), "stream_bytes") {
			t.Fatalf("after %d bytes: %v", n, err)
		}
		_, err = got.Body.Read(make([]byte, 10))
	}
	if n != MaxStream {
		t.Errorf("%d bytes, want %d", n, MaxStream)
	}
}
