package workers

import (
	"bytes"
	"io"
	"testing"
	"time"
)

// TestLargeChunk has streams give pieces that are larger than what may be under way, to a reader
// that is slow: the response is complete, and the worker lives.
func TestLargeChunk(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := app(t, `export default { fetch(request) {
			const n = Number(new URL(request.url).pathname.slice(1))
			let left = 3
			return new Response(new ReadableStream({ pull(c) {
				if (!left--) return c.close()
				c.enqueue(new Uint8Array(n).fill(7))
				if (!left && n > 5e6) c.error(new Error("broken"))
			} })) } }`)
		for path, want := range map[string]int{"/5000000": 15_000_000, "/1": 3, "/6000000": 0} {
			res, err := p.Fetch(t.Context(), a, &Request{Method: "GET", URL: "http://test" + path})
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond) // all that may come is here
			data, err := io.ReadAll(res.Body)
			n := len(data)
			res.Body.Close()
			if bytes.Count(data, []byte{7}) != n {
				t.Errorf("%s: other bytes than those sent", path)
			}
			if want > 0 && (err != nil || n != want) || want == 0 && (err == nil || n > 18_000_000) {
				t.Errorf("%s: %d bytes, %v", path, n, err)
			}
		}
		// A client that leaves in the middle of a piece.
		res, err := p.Fetch(t.Context(), a, &Request{Method: "GET", URL: "http://test/5000000"})
		if err != nil {
			t.Fatal(err)
		}
		io.CopyN(io.Discard, res.Body, 100_000)
		res.Body.Close()
		if status, _ := get(t, p, a, "/1"); status != 200 {
			t.Error(status)
		}
		if k := p.Stats().Killed; k > 0 {
			t.Errorf("%d workers were killed", k)
		}
	})
}
