package tool

import (
	"context"
	"encoding/json"
	"testing"

	"samkit.dev/host"
)

// What the gate adds to a call. The function itself costs about as much as BenchmarkUngated.
func BenchmarkCall(b *testing.B) {
	caps, _ := offer()
	audit := func(context.Context, host.Record) {}
	s, err := NewSet(caps, &Options{Audit: audit}, Grant{Project: "notes", Paths: []string{"docs/**"}, Mode: Read, MaxCalls: 1 << 40})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Revoke()
	bench(b, s, file("notes", "docs/a"))
}

func BenchmarkUngated(b *testing.B) {
	caps := host.New()
	host.Register(caps.Define("files", 1), "read", "", func(context.Context, fileIn) (string, error) { return "done", nil })
	bench(b, caps, file("notes", "docs/a"))
}

func bench(b *testing.B, c host.Caller, args json.RawMessage) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Call(b.Context(), "files@1.read", args); err != nil {
			b.Fatal(err)
		}
	}
}
