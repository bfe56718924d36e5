package workers

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestCacheTable runs the table in testdata/cache.txt: a body of a function, and beneath it
// what it returns in workerd with miniflare 4.20260426. Where we differ, that follows.
func TestCacheTable(t *testing.T) {
	helper, err := os.ReadFile("testdata/cache.js")
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("testdata/cache.txt")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	code.WriteString(string(helper) + "\nconst cases = [")
	var names, wants []string
	lines := strings.Split(strings.TrimRight(string(table), "\n"), "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		if strings.HasPrefix(lines[i], "    workerd: ") {
			i++
		}
		names, wants = append(names, lines[i]), append(wants, strings.TrimPrefix(lines[i+1], "    "))
		code.WriteString("async () => { " + lines[i] + "\n},\n")
	}
	code.WriteString(`]
	export default { async fetch() { const out = []; for (const f of cases) { seq = Math.random(); try { out.push(String(await f())) } catch (e) { out.push("thrown " + e) } } return Response.json(out) } }`)
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		_, body := get(t, p, app(t, code.String()), "/")
		var got []string
		if err := json.Unmarshal([]byte(body), &got); err != nil || len(got) != len(wants) {
			t.Fatal(err, body)
		}
		for i, want := range wants {
			if got[i] != want {
				t.Errorf("%s\n got %s\nwant %s", names[i], got[i], want)
			}
		}
	})
}

// TestCacheDomains proves that a cache outlives isolates and versions, and that no other
// domain sees it.
func TestCacheDomains(t *testing.T) {
	const code = `// VERSION
	export default { async fetch(request) {
		const url = "http://cache.example/a", c = caches.default
		if (request.url.endsWith("/put")) { await c.put(url, new Response("kept", { headers: { "cache-control": "max-age=60" } })); return new Response("ok") }
		const hit = await c.match(url)
		return hit ?? new Response("miss")
	} }`
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		one := app(t, code)
		get(t, p, one, "/put")
		two := app(t, strings.Replace(code, "VERSION", "another", 1))
		two.Fresh = true
		if _, body := get(t, p, two, "/"); body != "kept" {
			t.Errorf("another version gets %q", body)
		}
		other := app(t, code)
		other.Domain += "/other"
		if _, body := get(t, p, other, "/"); body != "miss" {
			t.Errorf("another domain gets %q", body)
		}
	})
}

// TestCacheSizes proves that a response that is too large is read and forgotten.
func TestCacheSizes(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := app(t, `export default { async fetch() {
			const c = caches.default, out = [], headers = { "cache-control": "max-age=60" }
			for (const n of [1 << 20, 9 << 20]) {
				const u = "http://c.example/" + n
				await c.put(u, new Response(new Uint8Array(n), { headers }))
				out.push(!!await c.match(u))
				let left = n / 65536, canceled = false
				await c.put(u + "s", new Response(new ReadableStream({ pull(x) { if (left-- > 0) x.enqueue(new Uint8Array(65536)); else x.close() }, cancel() { canceled = true } }), { headers }))
				out.push(!!await c.match(u + "s"), canceled)
			}
			return new Response(out.join())
		} }`)
		if _, body := get(t, p, a, "/"); body != "true,true,false,false,false,true" {
			t.Error(body)
		}
	})
}

func TestCacheGlobalScope(t *testing.T) {
	eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
		a := app(t, `let why; caches.default.match("http://a/").catch(e => why = e.message); export default { fetch: () => new Response(why) }`)
		if _, body := get(t, p, a, "/"); !strings.Contains(body, "global scope") {
			t.Error(body)
		}
	})
}
