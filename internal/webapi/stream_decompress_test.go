package webapi

import (
	"bytes"
	"compress/gzip"
	"runtime"
	"testing"
	"time"
)

// One that is given up half-way ends with its stream.
func TestAbandonedDecompressorsEnd(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(bytes.Repeat([]byte("hello "), 1000))
	w.Close()
	before := runtime.NumGoroutine()
	for range 100 {
		if err := newDecompressor("gzip").write(packed.Bytes()[:30]); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		runtime.GC()
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines more than before", runtime.NumGoroutine()-before)
}
