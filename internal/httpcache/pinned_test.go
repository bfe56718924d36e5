package httpcache

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestPinned proves that what is kept keeps nothing else in memory: its strings may be cut from
// a frame of megabytes, of which most is not counted.
func TestPinned(t *testing.T) {
	s := New()
	for i := range 100 {
		frame := fmt.Sprintf("cache%03dhttp://c.test/%03dmax-age=60%s", i, i, strings.Repeat("x", 4<<20))
		key := Key{Cache: frame[:8], URL: frame[8:25]}
		if !s.Put("d", key, nil, &Response{Status: 200, Header: []string{"cache-control", frame[26:36], "date", frame[36:100]}}) {
			t.Fatal("not kept")
		}
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 100<<20 {
		t.Errorf("%d MB are in use for %d bytes", m.HeapAlloc>>20, s.Size())
	}
	runtime.KeepAlive(s)
}

// TestManyHeaders proves that a response of very many headers is no work without end.
func TestManyHeaders(t *testing.T) {
	var header []string
	for range 500_000 {
		header = append(header, "cache-control", "max-age=60", "etag", `"a"`)
	}
	s, start := New(), time.Now()
	s.Put("d", Key{URL: "u"}, header, &Response{Status: 200, Header: header})
	s.Match("d", Key{URL: "u"}, []string{"if-none-match", `"b"`})
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("took %v", d)
	}
}
