package canvas

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"samkit.dev/host"
	"samkit.dev/internal/workers"
	"samkit.dev/sam"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestRunCrons(t *testing.T) {
	var ran []string
	run := func(_ context.Context, app *workers.App, req *workers.Request) (*workers.Response, error) {
		ran = append(ran, req.Scheduled.Cron+" for "+req.Principal+" at "+req.Scheduled.Time.Format(time.RFC3339))
		if req.Scheduled.Cron == "30 * * * *" {
			return nil, &workers.Error{Code: "exception", Message: "Error: no luck", Stack: "    at functions.js:3:7"}
		}
		return &workers.Response{Status: 204}, nil
	}
	r := newRig(t, sam.Files{"functions.js": "export default { scheduled() {} }", "sam.json": `{"crons": ["0 * * * *", "*/30 * * * *", "30 * * * *"]}`}, run, nil)
	cron := func(at time.Time) error { return r.RunCrons(t.Context(), Visitor{Principal: "eve"}, "p", at) }
	if err := cron(noon.Add(59 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if err := cron(noon.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	want := "0 * * * * for eve at 2026-11-30T12:00:59Z\n*/30 * * * * for eve at 2026-11-30T12:00:59Z"
	if got := strings.Join(ran, "\n"); got != want {
		t.Errorf("ran\n%s", got)
	}
	err := cron(noon.Add(30 * time.Minute))
	if err == nil || !strings.Contains(err.Error(), `the cron trigger "30 * * * *" of app`) {
		t.Errorf("the error is %v", err)
	}
	if text := r.texts(); !strings.Contains(text, "no luck") {
		t.Errorf("the console says:\n%s", text)
	}
	if len(ran) != 4 {
		t.Errorf("ran %q", ran)
	}
	if err := r.RunCron(t.Context(), Visitor{}, "p", "1 2 3 4 5", noon); err != nil || !strings.HasPrefix(ran[4], "1 2 3 4 5 ") {
		t.Errorf("ran %q: %v", ran, err)
	}
	r.Close()
	if err := cron(noon); err == nil {
		t.Error("a closed handler ran")
	}
}

// TestRunCronsNeverPileUp calls for runs while one goes on for ever.
func TestRunCronsNeverPileUp(t *testing.T) {
	started, free := make(chan string, 100), make(chan bool)
	run := func(ctx context.Context, app *workers.App, req *workers.Request) (*workers.Response, error) {
		started <- req.Scheduled.Cron
		select {
		case <-free:
		case <-ctx.Done():
		}
		return &workers.Response{Status: 204}, nil
	}
	r := newRig(t, sam.Files{"functions.js": "export default { scheduled() {} }", "sam.json": `{"crons": ["* * * * *", "*/1 * * * *", "* * * * *"]}`}, run, nil)
	first := make(chan error, 1)
	go func() { first <- r.RunCrons(t.Context(), Visitor{}, "p", noon) }()
	<-started
	for range 20 {
		err := r.RunCrons(t.Context(), Visitor{}, "p", noon.Add(time.Minute))
		var e *host.Error
		if !errors.As(err, &e) || e.Code != host.Unavailable || strings.Count(err.Error(), "left out") != 2 {
			t.Fatalf("beside a run: %v", err)
		}
	}
	close(free)
	if err := <-first; err != nil {
		t.Error(err)
	}
	if err := r.RunCrons(t.Context(), Visitor{}, "p", noon.Add(2*time.Minute)); err != nil || len(started) != 3 {
		t.Errorf("after it: %v, %d more runs", err, len(started))
	}
}

func TestRunCronsOfBrokenProject(t *testing.T) {
	r := newRig(t, sam.Files{"functions.js": "export default {", "sam.json": `{"crons": ["* * * * *"]}`}, nil, nil)
	var b *BuildError
	if err := r.RunCrons(t.Context(), Visitor{}, "p", noon); !errors.As(err, &b) {
		t.Errorf("source that does not parse: %v", err)
	}
	r = newRig(t, sam.Files{"functions.js": "export default {}", "sam.json": `{"crons": ["often"]}`}, nil, nil)
	if err := r.RunCrons(t.Context(), Visitor{}, "p", noon); !errors.As(err, &b) || b.Diagnostics[0].File != "sam.json" {
		t.Errorf("a trigger that does not parse: %v", err)
	}
}

func TestRunCronsOfNobody(t *testing.T) {
	h, err := NewSite(func(context.Context, Visitor, sam.ProjectID) (*App, error) { return nil, fs.ErrNotExist }, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if err := h.RunCrons(t.Context(), Visitor{}, "other", noon); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestRunCronsForReal(t *testing.T) {
	r := serveApp(t, sam.Files{
		"wrangler.toml": "main = 'src/index.ts'\n[triggers]\ncrons = ['*/5 * * * *']\n[[kv_namespaces]]\nbinding = 'SEEN'\nid = '1'\n",
		"src/index.ts": `export default {
	async scheduled(controller: ScheduledController, env, ctx) {
		console.log("tick", controller.cron)
		if (controller.cron === "bad") throw new Error("not this one")
		await env.SEEN.put("at", new Date(controller.scheduledTime).toISOString())
	},
	async fetch(request, env) { return new Response(await env.SEEN.get("at")) },
}`,
	}, nil)
	if err := r.RunCrons(t.Context(), Visitor{}, "", noon); err != nil {
		t.Fatal(err)
	}
	if err := r.RunCron(t.Context(), Visitor{}, "", "bad", noon); err == nil {
		t.Error("a handler that throws gives no error")
	}
	expect(t, r.get("/p/"), 200, "2026-11-30T12:00:00.000Z")
	if text := r.texts(); !strings.Contains(text, "INFO src/index.ts:3:11 tick */5 * * * *") || !strings.Contains(text, "ERROR src/index.ts:4:") || !strings.Contains(text, "not this one") {
		t.Errorf("the console says:\n%s", text)
	}
}
