package workers

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"samkit.dev/host/console"
	"samkit.dev/internal/isolate"
)

// TestAfter proves that what follows a script sees what it made, in each isolate anew, and is in no stack.
func TestAfter(t *testing.T) {
	const after = `
const made = module.exports, was = globalThis.seen
globalThis.seen = true
module.exports = { default: { async fetch(request) {
	try { return new Response([was, await made(request)].join()) } catch (e) { console.error(e.stack); throw e }
} } }`
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		var printed []console.Entry
		run := func(code, after string) string {
			a := &App{Domain: "a", Version: code, Fresh: true, Script: &Script{Code: []byte(code), After: after}, Console: func(e console.Entry) { printed = append(printed, e) }}
			res, err := p.Fetch(t.Context(), a, &Request{Method: "GET", URL: "http://test/b"})
			if err != nil {
				return err.(*Error).Message + "|" + err.(*Error).Stack
			}
			return string(res.Bytes)
		}
		for i := range 6 {
			if got, want := run(fmt.Sprintf("module.exports = async (r) => r.url + %d", i), after), fmt.Sprintf(",http://test/b%d", i); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
		if got := run("module.exports = 1; globalThis.was = 2", "module.exports = { default: { fetch: () => new Response(String(was)) } }"); got != "2" {
			t.Error(got)
		}
		if got := run("module.exports = 1", "}"); !strings.Contains(got, "SyntaxError") {
			t.Error(got)
		}
		got := run("module.exports = function f() {\n  throw new Error('no') }", after)
		if want := "Error: no|    at f (functions.js:2:9)"; !strings.HasPrefix(got, want) || strings.Contains(got, "samkit:") || strings.Count(got, "at ") != 1 {
			t.Errorf("%s, want %s", got, want)
		}
		if n := len(printed); n != 1 || !strings.Contains(printed[0].Text, "functions.js:2:9") || strings.Contains(printed[0].Text, "samkit:") {
			t.Errorf("%+v", printed)
		}
	})
}

// TestAfterOnce proves that a runner compiles what follows scripts once, and again when it differs.
func TestAfterOnce(t *testing.T) {
	for _, memory := range []int64{0, 64 << 20} {
		r := newRunner(func(func([]byte) []byte) {})
		r.memory, r.programs = memory, newPrograms()
		load := func(id uint32, after string, cpu time.Duration) *loaded {
			app := &App{Script: &Script{Code: []byte(fmt.Sprint("exports.n = ", id)), After: after}}
			frame := bytes.Clone(appendLoad(nil, id, app, Limits{CPU: cpu}))
			rd := isolate.NewReader(string(frame[9:]))
			if r.load(id, &rd); rd.Err() != nil || r.apps[id].failed != nil {
				t.Fatal(rd.Err(), r.apps[id].failed)
			}
			return r.apps[id]
		}
		first := load(1, "exports.a = 1", time.Second)
		if again := load(2, "exports.a = 1", time.Second); again.after != first.after || again.program == first.program {
			t.Error("the same code is compiled twice")
		}
		if other := load(3, "exports.a = 2", time.Second); other.after == first.after {
			t.Error("unlike code has one program")
		}
		if none := load(4, "", time.Second); none.after != nil {
			t.Error("no code has a program")
		}
		if memory > 0 {
			if a, b := load(5, "/a/", time.Second), load(6, "/a/", time.Minute); a.after == b.after {
				t.Error("programs share regular expressions with unlike limits")
			}
		}
	}
}

// TestPackedMap proves that a map reaches the runner as it is, packed if it is worth it.
func TestPackedMap(t *testing.T) {
	for _, n := range []int{1, 10, 2000, 20_000} {
		m := []byte(`{"version":3,"sources":["a.ts"],"names":[],"mappings":"` + strings.Repeat("AAAA;", n) + `"}`)
		s := &Script{Code: []byte("e.stack"), Map: m}
		packed := s.packedMap()
		if len(packed) > smallMap || len(packed) == 0 {
			t.Errorf("%d bytes are %d", len(m), len(packed))
		}
		got := unpackMap(string(packed))
		if got == nil {
			t.Fatalf("a map of %d lines is lost", n)
		}
		if file, line, _, ok := got.Original(n, 1); file != "a.ts" || line != 1 || !ok {
			t.Error(n, file, line, ok)
		}
	}
	for _, m := range []string{"", "x", "{"} {
		if got := unpackMap(string((&Script{Code: []byte("e.stack"), Map: []byte(m)}).packedMap())); got != nil {
			t.Errorf("%q is a map", m)
		}
	}
	if got := (&Script{Code: []byte("1"), Map: []byte("{}")}).packedMap(); got != nil {
		t.Error("code that reads no stack gets a map")
	}
}
