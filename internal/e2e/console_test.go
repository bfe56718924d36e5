package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/canvas/workbench"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
)

// An entry is one of HOST.console.read.
type entry struct {
	Seq                                         uint64
	Level, Origin, Source, Text, Stack, Request string
}

// A consoleRig is a page "notes" with functions.ts, and an agent that reads its console.
type consoleRig struct {
	t     *testing.T
	url   string // of the page
	agent string // of the agent's functions.js
	p     *sam.Project
}

func newConsoleRig(t *testing.T, entries int, files sam.Files) *consoleRig {
	t.Helper()
	ctx := context.Background()
	fatal := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	store := sam.NewMemStore()
	t.Cleanup(func() { store.Close() })
	eng, err := engine.New(&engine.Options{Isolation: engine.InProcess})
	fatal(err)
	t.Cleanup(func() { eng.Close() })
	ws := sam.NewWorkspace(store, "me", &sam.Options{SecretKey: func(context.Context) ([]byte, error) { return make([]byte, 32), nil }})
	bench, err := workbench.New(ctx, ws, eng, &workbench.Options{ConsoleEntries: entries})
	fatal(err)
	t.Cleanup(func() { bench.Close() })
	site, err := canvas.NewSite(bench.App, &canvas.Options{Engine: eng})
	fatal(err)
	srv := httptest.NewServer(site)
	t.Cleanup(srv.Close)
	t.Cleanup(func() { site.Close() }) // first: it ends the streams
	p, err := bench.Create(ctx, "notes", files)
	fatal(err)
	_, err = bench.Create(ctx, "bot", sam.Files{"functions.js": `export default { async fetch(request, env) {
		const { name, args } = await request.json()
		return Response.json(await env.HOST.console[name](args))
	} }`})
	fatal(err)
	fatal(bench.SetWork(ctx, "notes"))
	fatal(bench.SetAgent(ctx, "bot"))
	return &consoleRig{t, srv.URL + "/notes/", srv.URL + "/" + site.Path(canvas.Visitor{Session: bench.Agent().ID}, "bot") + "api/x", p}
}

// call calls a function of HOST.console as the agent.
func (r *consoleRig) call(name string, args map[string]any, out any) {
	r.t.Helper()
	body, err := json.Marshal(map[string]any{"name": name, "args": args})
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "POST", r.agent, bytes.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 || json.Unmarshal(text, out) != nil {
		r.t.Fatalf("console.%s: %d %s %v", name, res.StatusCode, text, err)
	}
}

func (r *consoleRig) read(args map[string]any) []entry {
	r.t.Helper()
	if args == nil {
		args = map[string]any{}
	}
	var out struct{ Entries []entry }
	r.call("read", args, &out)
	return out.Entries
}

// find waits for an entry with a text, however long ago.
func (r *consoleRig) find(text string) entry {
	r.t.Helper()
	var out struct{ Entry *entry }
	r.call("wait", map[string]any{"since": 0, "match": text, "timeoutMs": 15_000}, &out)
	if out.Entry == nil {
		r.t.Fatalf("no entry has %q: %+v", text, r.read(nil))
	}
	return *out.Entry
}

// What a page and its functions.ts print reaches the agent: all levels, in order, with positions in the
// files as written, and without secrets.
func TestConsoleOfAPage(t *testing.T) {
	r := newConsoleRig(t, 0, sam.Files{
		"index.html": `<!doctype html><title>Notes</title><script type="importmap">{"imports":{"react/jsx-runtime":"/jsx.js"}}</script>
<script>console.log("inline")</script><script type="module" src="/src/app.tsx"></script>`,
		"jsx.js": `export const jsx = (tag) => document.createElement(tag)`,
		"src/app.tsx": `interface Note { text: string }
type Level = "debug" | "info" | "warn" | "error"

const none: Note | null = null

const levels: Level[] = ["debug", "info", "warn", "error"]
for (const l of levels) console[l]("page " + l)
await fetch("/api/first")
console.log("after the first call")
const told: Note = await (await fetch("/api/secret")).json()
console.log("told " + told.text)
document.body.append(<p></p> as any)
function breaks(n: Note | null): string {
	return n!.text
}
setTimeout(() => breaks(null))
`,
		"functions.ts": `type Env = { TOKEN: string }

function thrown(): never {
	throw new TypeError("thrown in functions.ts")
}
export default {
	async fetch(request: Request, env: Env): Promise<Response> {
		const path: string = new URL(request.url).pathname
		console.warn("functions " + path)
		if (path === "/api/secret") {
			console.error("with " + env.TOKEN)
			return Response.json({ text: env.TOKEN })
		}
		try { thrown() } catch (e) { console.error(e) }
		return new Response("ok")
	},
}
`,
	})
	const secret = "s3cr3t-0123456789abcdef"
	if err := r.p.Secrets().Set(context.Background(), "TOKEN", secret); err != nil {
		t.Fatal(err)
	}
	b := newTab(t, strings.TrimSuffix(strings.TrimPrefix(r.url, "http://"), "/notes/"))
	b.open(r.url)

	uncaught := r.find("null")
	for _, want := range []string{"src/app.tsx:14:"} {
		if !strings.Contains(uncaught.Source+uncaught.Stack, want) || strings.Contains(uncaught.Stack, r.url) {
			t.Errorf("the page's exception is at %q, %q; want %s", uncaught.Source, uncaught.Stack, want)
		}
	}
	if uncaught.Level != "ERROR" || uncaught.Origin != "page" {
		t.Errorf("%+v", uncaught)
	}
	if e := r.find("inline"); !strings.HasPrefix(e.Source, "index.html:2:") {
		t.Errorf("the page's own script is at %q", e.Source)
	}
	if e := r.find("page warn"); !strings.Contains(e.Source, "src/app.tsx:7:") {
		t.Errorf("the page's warning is at %q", e.Source)
	}
	if e := r.find("thrown in functions.ts"); !strings.Contains(e.Text+e.Stack+e.Source, "functions.ts:4:") || e.Origin != "functions" {
		t.Errorf("%+v", e)
	}
	r.find("told ")

	var order []string
	all := r.read(nil)
	for i, e := range all {
		if i > 0 && e.Seq <= all[i-1].Seq {
			t.Errorf("entry %d comes after %d", e.Seq, all[i-1].Seq)
		}
		if text := fmt.Sprint(e); strings.Contains(text, secret) {
			t.Errorf("an entry has the secret: %s", text)
		}
		order = append(order, e.Level+" "+e.Text)
	}
	text := strings.Join(order, "\n")
	for _, seq := range [][]string{ // the page prints in batches, so only what waited for the other is in order
		{"DEBUG page debug", "INFO page info", "WARN page warn", "ERROR page error", "INFO after the first call", "INFO told "},
		{"WARN functions /api/first", "thrown in functions.ts", "WARN functions /api/secret", "ERROR with "},
		{"WARN functions /api/first", "INFO after the first call"}, {"ERROR with ", "INFO told "},
	} {
		at := 0
		for _, s := range seq {
			i := strings.Index(text[at:], s)
			if i < 0 {
				t.Errorf("%q is not in its place in\n%s", s, text)
				break
			}
			at += i
		}
	}

	// By level and number.
	for _, e := range r.read(map[string]any{"level": "error"}) {
		if e.Level != "ERROR" {
			t.Errorf("level error gives %+v", e)
		}
	}
	last := all[len(all)-1].Seq
	if rest := r.read(map[string]any{"since": last}); len(rest) > 0 && rest[0].Seq <= last {
		t.Errorf("since %d gives %+v", last, rest)
	}
	if two := r.read(map[string]any{"since": all[0].Seq, "limit": 2}); len(two) != 2 || two[0].Seq != all[1].Seq {
		t.Errorf("two after the first: %+v", two)
	}

	// Waiting: for what is printed later, and in vain.
	time.AfterFunc(200*time.Millisecond, func() { eval[bool](b, `(console.log("not this"), console.info("this one"), true)`) })
	var out struct{ Entry *entry }
	r.call("wait", map[string]any{"match": "this one", "timeoutMs": 20_000}, &out)
	if out.Entry == nil || out.Entry.Text != "this one" {
		t.Errorf("waited for %+v", out.Entry)
	}
	out.Entry = nil
	began := time.Now()
	r.call("wait", map[string]any{"match": "never", "timeoutMs": 300}, &out)
	if took := time.Since(began); out.Entry != nil || took < 300*time.Millisecond {
		t.Errorf("waited %v for %+v", took, out.Entry)
	}
}

// A page that prints fills the ring, which keeps the newest. (Of one that prints more than 500 lines in 5 seconds the rest is counted.)
func TestConsoleRing(t *testing.T) {
	r := newConsoleRig(t, 100, sam.Files{"index.html": `<!doctype html><title>Loud</title><script>
		let n = 0
		const more = () => { for (let end = n + 100; n < end; n++) console.log("line " + n); if (n < 400) setTimeout(more, 50) }
		more()
	</script>`})
	b := newTab(t, strings.TrimSuffix(strings.TrimPrefix(r.url, "http://"), "/notes/"))
	b.open(r.url)
	b.until("document.title === 'Loud'")
	r.find("line 399")
	all := r.read(map[string]any{"limit": 1000})
	if len(all) > 100 || all[len(all)-1].Text != "line 399" {
		t.Errorf("%d entries, the last %+v", len(all), all[len(all)-1])
	}
	eval[bool](b, `(console.log("x".repeat(1 << 20)), true)`)
	big := r.find("xxxxxxxxxx")
	if len(big.Text) > 40<<10 || !strings.Contains(big.Text, "more") {
		t.Errorf("a text of %d bytes ends with %q", len(big.Text), big.Text[len(big.Text)-40:])
	}
}
