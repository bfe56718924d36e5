package workers

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// BenchmarkDensity is the live heap that an app takes in process that has answered a request, beside others of
// like code and of code of their own.
func BenchmarkDensity(b *testing.B) {
	tiny := func() []byte {
		return []byte(`exports.default = { fetch() { return Response.json({ hello: "world" }) } }`)
	}
	hono := func() []byte { return honoCode(b, honoApp) } // after tiny: what the bundler leaves is more than a tiny app
	for _, code := range []struct {
		name string
		make func() []byte
	}{{"tiny", tiny}, {"hono", hono}} {
		source := code.make()
		for _, own := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/own=%t", code.name, own), func(b *testing.B) {
				const n = 100
				for b.Loop() {
					p, err := NewPool(Options{Isolation: InProcess, Workers: n + 1, Idle: time.Hour})
					if err != nil {
						b.Fatal(err)
					}
					touch := func(i int) {
						a := &App{Domain: strconv.Itoa(i), Version: "1", Script: &Script{Code: source}}
						if own {
							a.Script = &Script{Code: fmt.Appendf(nil, "%s\n//%d", source, i)}
						}
						res, err := p.Fetch(b.Context(), a, &Request{Method: "GET", URL: "http://test/api/users/7", Header: []string{"Host", "test"}})
						if err != nil || res.Status != 200 {
							b.Fatal(res, err)
						}
					}
					touch(n) // what all share
					before := liveHeap()
					for i := range n {
						touch(i)
					}
					b.ReportMetric(float64(liveHeap()-before)/n, "live-B/app")
					p.Close()
				}
			})
		}
	}
}

// liveHeap is the size of the heap without garbage.
func liveHeap() int64 {
	var m runtime.MemStats
	for range 3 { // finalizers and cleanups let go of more
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
