package tool

import (
	"context"
	"testing"

	"samkit.dev/host"
	"samkit.dev/sam"
)

// What the gate adds to a call: an audited set with a grant of files, against the same function ungated.
func BenchmarkCall(b *testing.B) {
	s, err := NewSet(reader(), &Options{Audit: func(context.Context, host.Record) {}}, Grant{Project: "notes", Paths: []string{"docs/**"}, Mode: Read, MaxCalls: 1 << 40})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Revoke()
	bench(b, s)
}

func BenchmarkUngated(b *testing.B) { bench(b, reader()) }

func reader() *host.Capabilities {
	caps := host.New()
	host.Register(caps.Define("files", 1), "read", "", func(ctx context.Context, in fileIn) (string, error) {
		Check(ctx, sam.ProjectID(in.Project), in.Name, Read)
		return "done", nil
	}, host.OnFiles, host.Reads)
	return caps
}

func bench(b *testing.B, c host.Caller) {
	args := file("notes", "docs/a")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Call(b.Context(), "files@1.read", args); err != nil {
			b.Fatal(err)
		}
	}
}
