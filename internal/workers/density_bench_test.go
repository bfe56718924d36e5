package workers

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
	"testing"
)

// BenchmarkDensity is the live heap that an app takes in process that has answered a request, beside others of
// like code and of code of their own.
func BenchmarkDensity(b *testing.B) {
	tiny := []byte(`export default { fetch() { return Response.json({ hello: "world" }) } }`)
	tiny = bytes.Replace(tiny, []byte("export default"), []byte("exports.default ="), 1)
	for _, code := range []struct {
		name string
		code []byte
	}{{"tiny", tiny}, {"hono", honoCode(b, honoApp)}} {
		for _, own := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/own=%t", code.name, own), func(b *testing.B) {
				const n = 100
				for b.Loop() {
					p, err := NewPool(Options{Isolation: InProcess, Workers: n + 1})
					if err != nil {
						b.Fatal(err)
					}
					touch := func(i int) {
						a := &App{Domain: strconv.Itoa(i), Version: "1", Script: &Script{Code: code.code}}
						if own {
							a.Script = &Script{Code: fmt.Appendf(nil, "%s\n//%d", code.code, i)}
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
