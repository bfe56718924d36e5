package canvastest

import (
	"context"
	"hash/fnv"
	"io"
	"log/slog"
	"net/http"
	"os"
	"testing"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/host/engine"
	"samkit.dev/kv"
	"samkit.dev/sam"
)

// sample is every tenth case: package internal/hostile has all of them, closer to what they attack.
// SAMKIT_HOSTILE=all has them all come over HTTP too.
func sample() func(number string) bool {
	if os.Getenv("SAMKIT_HOSTILE") == "all" {
		return func(string) bool { return true }
	}
	return func(number string) bool {
		h := fnv.New32a()
		io.WriteString(h, number)
		return h.Sum32()%10 == 0
	}
}

// TestHostile has the corpus attack a program that serves apps below a prefix, behind a log-in.
func TestHostile(t *testing.T) {
	const wall = 2 * time.Second
	eng, err := engine.New(&engine.Options{
		Limits: engine.Limits{CPU: 200 * time.Millisecond, Wall: wall, Memory: 64 << 20, ResponseBody: 8 << 20, Console: 256 << 10, Calls: 200},
		Logger: slog.New(slog.DiscardHandler), Idle: time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer eng.Close()
	store := sam.NewMemStore()
	defer store.Close()
	ws := sam.NewWorkspace(store, "test", nil)
	apps, err := canvas.NewSite(func(ctx context.Context, v canvas.Visitor, id sam.ProjectID) (*canvas.App, error) {
		p, err := ws.Open(ctx, id)
		if err != nil {
			return nil, err
		}
		return &canvas.App{Project: p, KV: map[string]*kv.Namespace{"KV": kv.New(p.State(), "KV")}, Vars: map[string]string{"V": "v"}}, nil
	}, &canvas.Options{Engine: eng, Auth: requireLogin, Principal: user, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer apps.Close()
	mux := http.NewServeMux()
	canvas.Mount(mux, "/team/apps/", apps)

	deploy := func(name string, files sam.Files) (string, error) {
		_, err := ws.Create(t.Context(), sam.ProjectID(name), files)
		return "/team/apps/" + name + "/", err
	}
	Hostile(t, header("X-Request-Id", "7")(mux), deploy, &HostileOptions{Login: login, Wall: wall, Only: sample()})
	if n := eng.Stats().LimitHits["limit_cpu"] + eng.Stats().LimitHits["limit_memory"] + eng.Stats().LimitHits["limit_wall"]; n == 0 {
		t.Error("no case met a limit")
	}
}
