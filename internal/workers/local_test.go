package workers

import (
	"strings"
	"testing"
	"time"
)

// A limit that is met while nothing can be interrupted, as by the compiler, ends what runs after it.
func TestLateInterrupt(t *testing.T) {
	p, err := NewPool(Options{Isolation: InProcess, Limits: Limits{CPU: 20 * time.Millisecond, Wall: 10 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	long := strings.Repeat("x = x * 2 + 1;\n", 100_000)
	a := app(t, "let x = 0; function f() { "+long+" }\nexport default { fetch() { for (;;) {} } }")
	done := make(chan string, 1)
	go func() {
		_, err := p.Fetch(t.Context(), a, &Request{Method: "GET", URL: "http://test/"})
		done <- errText(err)
	}()
	select {
	case got := <-done:
		if !strings.Contains(got, "limit_cpu") {
			t.Error(got)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("the loop goes on")
	}
}

func errText(err error) string {
	if err == nil {
		return "no error"
	}
	return err.Error()
}
