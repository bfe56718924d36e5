package workers

import (
	"context"
	"net/http"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"
	"time"

	"samkit.dev/kv"
	"samkit.dev/sam"
)

// peak runs fn and returns how much the heap of this process grew meanwhile, in bytes.
func peak(fn func()) int64 {
	read := func() int64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return int64(s[0].Value.Uint64())
	}
	before, most := read(), int64(0)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			most = max(most, read()-before)
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	fn()
	close(stop)
	<-done
	return most
}

// What many calls answer together is not held at once.
func TestManyLargeAnswers(t *testing.T) {
	ws := sam.NewWorkspace(sam.NewMemStore(), "o", nil)
	project, err := ws.Create(t.Context(), "p", sam.Files{"index.html": "x"})
	if err != nil {
		t.Fatal(err)
	}
	ns := kv.New(project.State(), "KV")
	const size, calls = 4 << 20, 300
	if err := ns.Put(t.Context(), kv.Entry{Key: "big", Value: []byte(strings.Repeat("x", size))}); err != nil {
		t.Fatal(err)
	}
	large := func(context.Context, *Request) (*Response, error) {
		return &Response{Status: http.StatusOK, Bytes: make([]byte, size)}, nil
	}
	for name, call := range map[string]string{"KV": `env.KV.get("big")`, "Fetch": `env.ASSETS.fetch("http://x/")`} {
		t.Run(name, func(t *testing.T) {
			p, err := NewPool(Options{Isolation: Process})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			a := app(t, `export default { async fetch(r, env) {
				await Promise.all(Array.from({ length: `+strconv.Itoa(calls)+` }, () => `+call+`))
				return new Response("ok")
			} }`, Binding{Name: "KV", KV: ns}, Binding{Name: "ASSETS", Fetch: large})
			grew := peak(func() { failure_(t, p, a, "/") }) // the worker has no memory for that
			// Unbounded it is 1 to 4 GB. The race detector makes garbage live longer.
			if grew > 512<<20 {
				t.Errorf("the heap grew by %d MB", grew>>20)
			}
			t.Logf("the heap grew by %d MB", grew>>20)
		})
	}
}
