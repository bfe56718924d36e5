package workers

import (
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestPrograms(t *testing.T) {
	s := newPrograms()
	code := "exports.default = { fetch() { return new Response(`${/a+/.test('a')}`) } }"
	first, err := s.compile(chunkName, code, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := s.compile(chunkName, strings.Clone(code), time.Second); again != first {
		t.Error("the same code has two programs")
	}
	if other, _ := s.compile(chunkName, code, time.Minute); other == first {
		t.Error("programs share regular expressions with unlike limits")
	}
	if other, _ := s.compile(chunkName, code+" ", time.Second); other == first {
		t.Error("unlike code has one program")
	}
	if p, err := s.compile(chunkName, "(", time.Second); err == nil || p != nil {
		t.Errorf("wrong code: %v, %v", p, err)
	}
	size := func() int { s.mu.Lock(); defer s.mu.Unlock(); return len(s.known) }
	runtime.KeepAlive(first)
	first = nil
	for end := time.Now().Add(time.Minute); size() > 0; time.Sleep(time.Millisecond) {
		if runtime.GC(); time.Now().After(end) {
			t.Fatalf("%d programs are kept that nobody has", size())
		}
	}
}

// TestSharedProgram runs one program in many domains at once.
func TestSharedProgram(t *testing.T) {
	p, err := NewPool(Options{Isolation: InProcess})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	code := `let n = 0
		const tag = s => s
		const twice = tag` + "`x`" + `
		class A { #n = 0; static made = 0; f = () => ++this.#n; constructor() { A.made++ } }
		exports.default = { async fetch(request) {
			const a = new A
			await null
			a.f()
			const seen = globalThis.seen ??= { re: /(\d+)$/g }
			seen.re.lastIndex = 0
			return new Response([++n, A.made, a.f(), seen.re.exec(request.url)[1], tag` + "`y`" + ` === tag` + "`y`" + `, "é".normalize()].join())
		} }`
	var wg sync.WaitGroup
	for _, domain := range strings.Fields("a b c d e f") {
		wg.Go(func() {
			a := &App{Domain: domain, Version: "1", Script: &Script{Code: []byte(code)}}
			for i := 1; i <= 50; i++ {
				n := string(rune('0' + i%10))
				res, err := p.Fetch(t.Context(), a, &Request{Method: "GET", URL: "http://test/" + n})
				if err != nil {
					t.Error(err)
					return
				}
				if got, want := strings.Split(string(res.Bytes), ","), i; got[0] != got[1] || got[2] != "2" || got[3] != n || got[0] != strconv.Itoa(want) || got[4] != "false" {
					t.Errorf("domain %s, request %d: %s", domain, i, res.Bytes)
				}
			}
		})
	}
	wg.Wait()
	if n := len(p.programs.known); n != 1 {
		t.Errorf("%d programs for six domains of the same code", n)
	}
}
