package workers

import (
	"errors"
	"strings"
	"testing"
	"time"

	"samkit.dev/kv"
)

func TestScheduled(t *testing.T) {
	at := time.Date(2026, 11, 30, 13, 5, 0, 0, time.UTC)
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		ns := kv.New(project(t).State(), "KV")
		run := func(code string) (string, error) {
			t.Helper()
			a := app(t, code, Binding{Name: "KV", KV: ns})
			a.Domain, a.Version = code, code
			_, err := p.Fetch(t.Context(), a, &Request{Scheduled: &Scheduled{Cron: "*/5 * * * *", Time: at}})
			v, kverr := ns.Get(t.Context(), "seen")
			if kverr != nil {
				return "", err
			}
			return string(v.Value), err
		}
		for name, code := range map[string]string{
			"object": `export default { async scheduled(controller, env, ctx) {
				const { cron, scheduledTime } = controller; controller.noRetry()
				await env.KV.put("seen", [cron, scheduledTime, typeof ctx.waitUntil, this === exports.default, controller.constructor.name].join()) } }`,
			"class": `class Entry { constructor(ctx, env) { this.ctx = ctx; this.env = env }
				async scheduled(c) { await this.env.KV.put("seen", [c.cron, c.scheduledTime, typeof this.ctx.waitUntil, this instanceof Entry, c.constructor.name].join()) } }
				export default Entry`,
			"waitUntil": `export default { fetch() {}, scheduled(c, env, ctx) {
				ctx.waitUntil((async () => { await scheduler.wait(5); await env.KV.put("seen", [c.cron, c.scheduledTime, "function", true, "ScheduledController"].join()) })()) } }`,
		} {
			ns.Delete(t.Context(), "seen")
			got, err := run(code)
			if want := "*/5 * * * *,1796043900000,function,true,ScheduledController"; err != nil || got != want {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
		for _, tt := range []struct{ code, want, message string }{
			{`export default { async scheduled() { throw new Error("no luck") } }`, "exception", "no luck"},
			{`export default { scheduled() { throw new Error("no luck") } }`, "exception", "no luck"},
			{`export default { fetch() { return new Response() } }`, "no_handler", "scheduled"},
			{`export default class { fetch() { return new Response() } }`, "no_handler", "scheduled"},
			{`export default { scheduled() { return new Promise(() => {}) } }`, "no_response", "cannot happen"},
			{`export default 5`, "no_handler", "fetch"},
		} {
			_, err := run(tt.code)
			var e *Error
			if !errors.As(err, &e) || e.Code != tt.want || !strings.Contains(e.Message, tt.message) {
				t.Errorf("%s: %v", tt.code, err)
			}
		}
		// What hangs in waitUntil ends with the handler.
		if _, err := run(`export default { scheduled(c, env, ctx) { ctx.waitUntil(new Promise(() => {})) } }`); err != nil {
			t.Error(err)
		}
		// A request to code that only has a scheduled handler.
		_, err := p.Fetch(t.Context(), app(t, `export default { scheduled() {} }`), &Request{Method: "GET", URL: "http://test/"})
		var e *Error
		if !errors.As(err, &e) || e.Code != "no_handler" {
			t.Error(err)
		}
	})
}
