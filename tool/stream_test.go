package tool

import (
	"context"
	"errors"
	"io"
	"iter"
	"testing"
	"time"

	"samkit.dev/host"
)

// A stream goes on after the call that began it, and ends with the set.
func TestRevokeEndsAStream(t *testing.T) {
	caps := host.New()
	ended := make(chan struct{})
	host.Register(caps.Define("crm", 1), "rows", "Rows.", func(ctx context.Context, _ empty) (iter.Seq[int], error) {
		return func(yield func(int) bool) {
			defer close(ended)
			for i := 0; ctx.Err() == nil && yield(i); i++ {
				if i == 2 {
					<-ctx.Done()
				}
			}
		}, nil
	}, host.Reads)
	outer, err := NewSet(caps, nil, Grant{Uses: []string{"crm@1.rows"}})
	if err != nil {
		t.Fatal(err)
	}
	inner, err := outer.Narrow(Grant{Uses: []string{"crm@1.rows"}, MaxCalls: 1})
	if err != nil {
		t.Fatal(err)
	}
	var s *host.Stream
	if _, err := inner.Call(host.WithStreams(t.Context(), func(x *host.Stream) { s = x }), "crm.rows", nil); err != nil || s == nil || s.Streaming != host.Values {
		t.Fatalf("%v %v", s, err)
	}
	buf := make([]byte, 100)
	for _, want := range []string{"0\n", "1\n", "2\n"} {
		if n, err := s.Body.Read(buf); err != nil || string(buf[:n]) != want {
			t.Fatalf("%q %v", buf[:n], err)
		}
	}
	time.AfterFunc(10*time.Millisecond, outer.Revoke)
	n, err := s.Body.Read(buf)
	var e *host.Error
	if n != 0 || !errors.As(err, &e) || e.Code != host.Denied {
		t.Errorf("after the end: %q %v", buf[:n], err)
	}
	if err := s.Body.Close(); err != nil {
		t.Error(err)
	}
	<-ended
}

// The context of a call that streams nothing ends with it, as ever; that of a stream with its Close.
func TestContextOfAStream(t *testing.T) {
	caps := host.New()
	var seen context.Context
	c := caps.Define("crm", 1)
	host.Register(c, "read", "Reads.", func(ctx context.Context, _ empty) (io.Reader, error) { seen = ctx; return nil, nil })
	host.Register(c, "call", "Calls.", func(ctx context.Context, _ empty) (int, error) { seen = ctx; return 1, nil })
	set := Everything(caps, nil)
	var s *host.Stream
	ctx := host.WithStreams(t.Context(), func(x *host.Stream) { s = x })
	if _, err := set.Call(ctx, "crm.call", nil); err != nil || seen.Err() == nil {
		t.Errorf("%v %v", err, seen.Err())
	}
	if _, err := set.Call(ctx, "crm.read", nil); err != nil || seen.Err() != nil {
		t.Errorf("%v %v", err, seen.Err())
	}
	s.Body.Close()
	if seen.Err() == nil {
		t.Error("the context goes on")
	}
	if out, err := set.Call(t.Context(), "crm.read", nil); err != nil || string(out) != `""` || seen.Err() == nil {
		t.Errorf("%s %v %v", out, err, seen.Err())
	}
}
