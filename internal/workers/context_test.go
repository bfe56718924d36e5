package workers

import (
	"strings"
	"sync"
	"testing"
	"time"

	"samkit.dev/host/console"
	"samkit.dev/kv"
)

// TestThenable awaits objects with a method then, as query builders are: what it
// calls belongs to the request that awaits.
func TestThenable(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := app(t, `export default { async fetch(request, env) {
			const query = { then(ok, fail) { return env.KV.get("k").then(ok, fail) } }
			await env.KV.put("k", "v")
			return new Response(await query + await (async () => query)() + await Promise.resolve(1).then(() => query)) } }`,
			Binding{Name: "KV", KV: kv.New(project(t).State(), "KV")})
		if _, body := get(t, p, a, "/"); body != "vvv" {
			t.Fatal(body)
		}
	})
}

// TestUnhandledRejections reports what nothing handles, and nothing else.
func TestUnhandledRejections(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := app(t, `export default { async fetch(request, env) {
			const fails = async what => { await null; throw new Error(what) }
			const early = async what => { throw new Error(what) }
			for (const f of [fails, early]) {
				await f("caught").catch(() => {})
				try { await (async () => f("returned"))() } catch {}
				try { await Promise.resolve().then(() => f("chained")) } catch {}
				try { await new Promise(r => r(f("resolved"))) } catch {}
			}
			Promise.resolve().then(() => { throw new Error("lost 1") })
			early("lost 2")
			fails("lost 3")
			await new Promise(r => setTimeout(r, 5))
			return new Response("ok") } }`)
		var mu sync.Mutex
		var lines []string
		a.Console = func(e console.Entry) {
			mu.Lock()
			defer mu.Unlock()
			lines = append(lines, e.Text)
		}
		if _, body := get(t, p, a, "/"); body != "ok" {
			t.Fatal(body)
		}
		want := "Uncaught (in promise) Error: lost 2|Uncaught (in promise) Error: lost 1|Uncaught (in promise) Error: lost 3"
		var got string
		for range 100 {
			mu.Lock()
			got = strings.Join(lines, "|")
			mu.Unlock()
			if len(got) >= len(want) {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		for _, lost := range strings.Split(want, "|") {
			if !strings.Contains(got, lost) {
				t.Errorf("%q is not reported", lost)
			}
		}
		if len(got) != len(want) {
			t.Errorf("reported %q", got)
		}
	})
}
