package canvas

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestTurns has pages wait for what they read, for who reads them, and break off: no other page of the project waits for
// them.
func TestTurns(t *testing.T) {
	var shared turn
	page := strings.Repeat("<p>", 10_000)
	rewrite := func(w io.Writer, src io.Reader) error {
		h := htmlRewriter{rel: "./", inject: testInject, w: w, turn: &shared}
		return h.copy(src)
	}
	other := func() {
		t.Helper()
		var out bytes.Buffer
		if err := rewrite(&out, strings.NewReader(page)); err != nil || !strings.HasPrefix(out.String(), testInject+"<p><p>") {
			t.Errorf("%v: %.50s", err, out.String())
		}
	}
	ended := make(chan error)
	never, src := io.Pipe()
	go func() { ended <- rewrite(io.Discard, never) }()
	io.WriteString(src, page) // it waits for more
	other()
	src.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	reader, slow := io.Pipe()
	go func() { ended <- rewrite(slow, strings.NewReader(page)) }()
	reader.Read(make([]byte, 1)) // it waits until the rest is read
	other()
	reader.Close()
	if err := <-ended; err != io.ErrClosedPipe {
		t.Error(err)
	}
	func() {
		defer func() {
			if recover() != http.ErrAbortHandler {
				t.Error("the writer did not break off")
			}
		}()
		rewrite(abortWriter{}, strings.NewReader(page))
	}()
	other()
	many := make(chan error)
	for range 50 {
		go func() { many <- rewrite(io.Discard, strings.NewReader(page)) }()
	}
	for range 50 {
		if err := <-many; err != nil {
			t.Error(err)
		}
	}
}

type abortWriter struct{}

func (abortWriter) Write([]byte) (int, error) { panic(http.ErrAbortHandler) }
