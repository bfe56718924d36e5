package hostile

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"samkit.dev/host"
	"samkit.dev/internal/workers"
	"samkit.dev/kv"
	"samkit.dev/sam"
	"samkit.dev/sqlshim"
)

// surroundings are the bindings that a case has: one of each kind, over a project of its own
// that is kept in memory.
func surroundings(t *testing.T, name string) []workers.Binding {
	t.Helper()
	p, err := sam.NewWorkspace(sam.NewMemStore(), "hostile", &sam.Options{Limits: sam.Limits{KVKeys: 150, KVBytes: 2 << 20}}).Create(t.Context(), "p", sam.Files{"index.html": "x"})
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlshim.Open(t.Context(), p.State(), "DB", &sqlshim.Options{
		MaxBytes: 8 << 20, MaxMemory: 8 << 20, MaxResult: 1 << 20, Timeout: time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return []workers.Binding{
		{Name: "V", JSON: []byte(`"v"`)},
		{Name: "KV", KV: kv.New(p.State(), "KV")},
		{Name: "DB", DB: db},
		{Name: "HOST", Caller: capabilities()},
		{Name: "ASSETS", Fetch: func(context.Context, *workers.Request) (*workers.Response, error) {
			return &workers.Response{Status: 200, Bytes: []byte("asset")}, nil
		}},
	}
}

type anything struct {
	Data string `json:"data"`
}

// capabilities are functions of the host that fail in every way.
func capabilities() *host.Capabilities {
	caps := host.New()
	tools := caps.Define("tools", 1)
	host.Register(tools, "echo", "Returns what it is given.", func(ctx context.Context, in map[string]any) (map[string]any, error) {
		return in, nil
	})
	host.Register(tools, "boom", "Panics.", func(ctx context.Context, in struct{}) (anything, error) {
		panic("hunter2")
	})
	host.Register(tools, "secret", "Fails with a secret in its error.", func(ctx context.Context, in struct{}) (anything, error) {
		return anything{}, errors.New("open /etc/secret: password hunter2")
	})
	host.Register(tools, "sleep", "Answers when it is told to stop.", func(ctx context.Context, in struct{}) (anything, error) {
		select {
		case <-ctx.Done():
		case <-time.After(time.Minute):
		}
		return anything{}, ctx.Err()
	})
	host.Register(tools, "big", "Answers with much.", func(ctx context.Context, in struct{}) (anything, error) {
		return anything{strings.Repeat("x", 4<<20)}, nil
	})
	return caps
}
