package httpcache

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

func fresh(n int) *Response {
	return &Response{Status: 200, Header: []string{"cache-control", "max-age=60"}, Body: make([]byte, n)}
}

func TestBounds(t *testing.T) {
	s := New()
	key := func(i int) Key { return Key{URL: fmt.Sprint(i)} }
	for i := range 100 {
		if !s.Put("a", key(i), nil, fresh(1<<20)) {
			t.Fatal("not kept")
		}
		s.Match("a", key(0), nil) // stays, since it is used
	}
	if n := s.Size(); n > maxDomain {
		t.Errorf("%d bytes in a domain", n)
	}
	if _, ok := s.Match("a", key(0), nil); !ok {
		t.Error("what was used last has left")
	}
	if _, ok := s.Match("a", key(1), nil); ok {
		t.Error("what was used longest ago is still there")
	}
	for d := range 20 {
		for i := range 20 {
			s.Put(fmt.Sprint(d), key(i), nil, fresh(1<<20))
		}
	}
	if n := s.Size(); n > maxTotal || n < maxTotal/2 {
		t.Errorf("%d bytes in all", n)
	}
	if s.Put("a", key(1), nil, fresh(MaxEntry)) {
		t.Error("a response that is too large was kept")
	}
	for d := range 20 {
		for i := range 20 {
			s.Delete(fmt.Sprint(d), key(i))
		}
	}
	for i := range 100 {
		s.Delete("a", key(i))
	}
	if s.Size() != 0 || len(s.domains) != 0 || s.used.Len() != 0 {
		t.Errorf("%d bytes, %d domains, %d entries are left", s.Size(), len(s.domains), s.used.Len())
	}
}

func TestExpiry(t *testing.T) {
	s := New()
	now := time.Unix(1_700_000_000, 0)
	s.now = func() time.Time { return now }
	k := Key{URL: "u"}
	s.Put("a", k, nil, fresh(1))
	now = now.Add(59 * time.Second)
	if _, ok := s.Match("a", k, nil); !ok {
		t.Error("left too early")
	}
	now = now.Add(time.Second)
	if _, ok := s.Match("a", k, nil); ok || s.Size() != 0 {
		t.Error("stayed too long")
	}
	s.Put("a", k, nil, fresh(1))
	s.Put("a", k, nil, &Response{Status: 200, Header: []string{"cache-control", "max-age=0"}})
	if _, ok := s.Match("a", k, nil); ok {
		t.Error("what is stale at once does not replace what was there")
	}
	s.Put("a", k, nil, fresh(1))
	now = now.Add(time.Hour)
	if s.Delete("a", k) || s.Size() != 0 {
		t.Error("deleted what was gone")
	}
}

func TestConcurrent(t *testing.T) {
	s := New()
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 500 {
				d, k := fmt.Sprint(i%3), Key{URL: fmt.Sprint(i % 7)}
				switch (i + g) % 3 {
				case 0:
					s.Put(d, k, nil, fresh(i*100))
				case 1:
					s.Match(d, k, []string{"range", "bytes=1-2"})
				default:
					s.Delete(d, k)
				}
			}
		})
	}
	wg.Wait()
}

func FuzzAnswer(f *testing.F) {
	f.Add("bytes=0-4", `"x"`, "Mon, 01 Jan 2024 00:00:00 GMT", "max-age=60, private=set-cookie")
	f.Add("bytes=-3", "*", "x", "public, s-maxage=999999999999999999999")
	f.Add("bytes=9-1,3-", `W/"x", "y"`, "", "immutable")
	f.Fuzz(func(t *testing.T, ranges, tag, date, control string) {
		s := New()
		r := &Response{Status: 200, Body: []byte("0123456789"), Header: []string{"cache-control", control, "etag", tag, "last-modified", date, "expires", date, "date", date, "age", ranges}}
		k := Key{URL: "u"}
		s.Put("d", k, nil, r)
		got, ok := s.Match("d", k, []string{"range", ranges, "if-none-match", tag, "if-modified-since", date})
		if ok && got.Status == 206 && (len(got.Body) == 0 || len(got.Body) > 10) {
			t.Fatalf("%d bytes of %q", len(got.Body), ranges)
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	s := New()
	k := Key{URL: "http://cache.example/some/path"}
	s.Put("domain", k, nil, fresh(1000))
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := s.Match("domain", k, []string{"accept", "*/*"}); !ok {
			b.Fatal("miss")
		}
	}
}

func TestLargeHeads(t *testing.T) {
	s := New()
	large := []string{"a", strings.Repeat("x", MaxHead)}
	fresh := []string{"cache-control", "max-age=60"}
	for i, test := range []struct{ request, response []string }{{large, fresh}, {nil, append(fresh, large...)}} {
		if s.Put("d", Key{URL: "http://c.test/"}, test.request, &Response{Status: 200, Header: test.response}) {
			t.Errorf("case %d was kept", i)
		}
	}
	if !Fits([]string{"a", strings.Repeat("x", MaxHead-1)}) {
		t.Error("headers of the size allowed do not fit")
	}
}
