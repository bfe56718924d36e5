package console

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"
)

func texts(b *Buffer, seq uint64) []string {
	var out []string
	for e := range b.Since(seq) {
		out = append(out, e.Text)
	}
	return out
}

func TestZeroBuffer(t *testing.T) {
	var b Buffer
	if got := texts(&b, 0); got != nil {
		t.Errorf("empty buffer yields %q", got)
	}
	if first, last := b.Range(); first != 1 || last != 0 {
		t.Errorf("Range of an empty buffer = %d, %d", first, last)
	}
	for range DefaultEntries + 5 {
		b.Add(Entry{Text: "x"})
	}
	if first, last := b.Range(); first != 6 || last != DefaultEntries+5 {
		t.Errorf("Range = %d, %d", first, last)
	}
}

func TestRingWraps(t *testing.T) {
	for _, n := range []int{1, 2, 3, 16, 17, 40} {
		b := NewBuffer(n)
		for i := range 100 {
			b.Add(Entry{Text: strings.Repeat("x", i)})
			kept := min(i+1, n)
			got := texts(b, 0)
			if len(got) != kept || len(got[kept-1]) != i || len(got[0]) != i+1-kept {
				t.Fatalf("ring of %d after %d: %d entries", n, i+1, len(got))
			}
			if after := texts(b, uint64(i)); len(after) != 1 {
				t.Fatalf("ring of %d: Since(%d) yields %d entries", n, i, len(after))
			}
		}
	}
}

func TestBytesAreBounded(t *testing.T) {
	b := NewBuffer(100000)
	big := strings.Repeat("y", MaxText)
	for range 200 {
		b.Add(Entry{Text: big, Stack: big})
	}
	if b.bytes > MaxBytes || b.n < 20 {
		t.Errorf("%d bytes in %d entries", b.bytes, b.n)
	}
	b.Add(Entry{Text: "small"})
	sum := 0
	for e := range b.Since(0) {
		sum += e.size()
	}
	if sum != b.bytes {
		t.Errorf("counted %d bytes, hold %d", b.bytes, sum)
	}
}

func TestEntryIsCut(t *testing.T) {
	b := NewBuffer(1)
	long := strings.Repeat("é", MaxText) // two bytes each
	b.Add(Entry{Text: "a" + long, Source: long, Request: long, Stack: long, Origin: Origin(long)})
	for e := range b.Since(0) {
		for _, s := range []string{e.Text, e.Source, e.Request, e.Stack, string(e.Origin)} {
			if !utf8.ValidString(s) || strings.Contains(s, "\uFFFD") || !strings.HasSuffix(s, " bytes more)") || len(s) > MaxText+40 {
				t.Errorf("cut badly: %d bytes, ends %q", len(s), s[len(s)-30:])
			}
		}
	}
	b.Add(Entry{Text: "bad \xff byte"})
	if got := texts(b, 0); got[0] != "bad \uFFFD byte" {
		t.Errorf("invalid UTF-8 kept: %q", got)
	}
}

func TestSinceFromAnotherLife(t *testing.T) {
	b := NewBuffer(10)
	b.Add(Entry{Text: "a"})
	if got := texts(b, 500); !slices.Equal(got, []string{"a"}) {
		t.Errorf("Since beyond the newest yields %q", got)
	}
}

func TestAddDuringLoopDoesNotExtendIt(t *testing.T) {
	b := NewBuffer(1000)
	b.Add(Entry{})
	n := 0
	for range b.Since(0) {
		b.Add(Entry{}) // would deadlock if the loop held the lock
		n++
	}
	if n != 1 {
		t.Errorf("loop saw %d entries", n)
	}
}

func TestClearDuringLoop(t *testing.T) {
	b := NewBuffer(100)
	for range 100 {
		b.Add(Entry{})
	}
	n := 0
	for range b.Since(0) {
		b.Clear()
		n++
	}
	if n == 0 || n > 40 {
		t.Errorf("loop saw %d entries of a cleared buffer", n)
	}
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBuffer(10)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		go func() {
			for i := range 5 {
				time.Sleep(100 * time.Millisecond)
				b.Add(Entry{Text: strings.Repeat("x", i)})
			}
		}()
		e, err := b.Wait(ctx, 0, func(e Entry) bool { return len(e.Text) == 3 })
		if err != nil || e.Seq != 4 {
			t.Errorf("Wait = %+v, %v", e, err)
		}
		if _, err = b.Wait(ctx, 4, func(e Entry) bool { return e.Text == "never" }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait for nothing: %v", err)
		}
	})
}

func TestWaitSurvivesClear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBuffer(10)
		b.Add(Entry{})
		go func() { b.Clear(); b.Add(Entry{Text: "after"}) }()
		e, err := b.Wait(t.Context(), 1, nil)
		if err != nil || e.Text != "after" || e.Seq != 2 {
			t.Errorf("Wait = %+v, %v", e, err)
		}
	})
}

func TestFollowersMissNothing(t *testing.T) {
	const writers, each = 4, 500
	b := NewBuffer(writers * each)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			var seen uint64
			for seen < writers*each {
				changed := b.Changed()
				for e := range b.Since(seen) {
					if e.Seq != seen+1 {
						t.Errorf("entry %d follows %d", e.Seq, seen)
					}
					seen = e.Seq
				}
				if seen < writers*each {
					<-changed
				}
			}
		})
	}
	for range writers {
		wg.Go(func() {
			for range each {
				b.Add(Entry{Text: "line"})
			}
		})
	}
	wg.Wait()
}

func BenchmarkAdd(b *testing.B) {
	buf := NewBuffer(1000)
	b.ReportAllocs()
	for b.Loop() {
		buf.Add(Entry{Text: "hello, world", Source: "functions.js:1:2"})
	}
}
