package workbench

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/host"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// tireless is a functions.js that never gives up its rights by itself: each path uses them in another way.
const tireless = `
const kept = {}
const forever = async (h, by) => {
	for (;;) try { await h.clock.tick({ by }) } catch {}
}
export default { async fetch(request, env, ctx) {
	const h = env.TOOL ?? env.HOST ?? { clock: env.CLOCK }
	const by = new URL(request.url).pathname.split("/").pop()
	switch (by) {
	case "loop": return await forever(h, by)
	case "keep": kept.h = h; return new Response("kept")
	case "kept": return await forever(kept.h, by)
	case "later": ctx.waitUntil(forever(h, by)); return new Response("later")
	case "stream": return new Response(new ReadableStream({ async pull(c) {
		c.enqueue(new TextEncoder().encode(await h.clock.tick({ by }) + "\n"))
	} }))
	case "changes":
		await h.clock.tick({ by })
		const { after } = await h.files.changes({})
		return Response.json(await h.files.changes({ after, waitMs: 60000 }))
	}
} }
`

// A clock counts the calls that it gets, by session, person and activity.
type clock struct {
	mu    sync.Mutex
	ticks map[tick]int
}

type tick struct {
	canvas.Visitor
	by string // "" is all
}

type tickIn struct {
	By string `json:"by"`
}

func (c *clock) capabilities() *host.Capabilities {
	caps := host.New()
	host.Register(caps.Define("clock", 1), "tick", "Counts.", func(ctx context.Context, in tickIn) (int, error) {
		time.Sleep(time.Millisecond)
		call, _ := host.CallFrom(ctx)
		v := canvas.Visitor{Principal: call.Principal, Session: call.Session}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ticks[tick{v, in.By}]++
		c.ticks[tick{v, ""}]++
		return c.ticks[tick{v, ""}], nil
	}, host.Reads)
	return caps
}

func (c *clock) of(v canvas.Visitor, by string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ticks[tick{v, by}]
}

// goesOn waits until an activity of v has called some more times.
func (c *clock) goesOn(t *testing.T, v canvas.Visitor, by string) {
	t.Helper()
	from := c.of(v, by)
	eventually(t, by+" calls", func() bool { return c.of(v, by) > from+2 })
}

// stopped fails if v, whose rights have just ended, goes on calling. One call of each of its activities may
// have been on its way; one that goes on makes a hundred in that time.
func (c *clock) stopped(t *testing.T, what string, v canvas.Visitor) {
	t.Helper()
	n := c.of(v, "")
	time.Sleep(150 * time.Millisecond)
	if more := c.of(v, "") - n; more > 10 {
		t.Errorf("%s: %d calls after its rights had ended", what, more)
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not in 30 seconds", what)
		}
	}
}

// atEachLevel runs a test with an engine of each isolation, and with more calls than a request ever makes.
func atEachLevel(t *testing.T, test func(*testing.T, *server, *clock)) {
	for _, level := range []engine.Isolation{engine.Sandboxed, engine.Process, engine.InProcess} {
		t.Run(level.String(), func(t *testing.T) {
			eng, err := engine.New(&engine.Options{Isolation: level, Limits: engine.Limits{Calls: 1 << 30, Wall: 5 * time.Minute}})
			if err != nil && os.Getenv("CI") == "" {
				t.Skip(err) // this system has no such level
			} else if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { eng.Close() })
			f := &fixture{store: sam.NewMemStore(), eng: eng}
			t.Cleanup(func() { f.store.Close() })
			c := &clock{ticks: map[tick]int{}}
			s := f.serve(t, Options{Capabilities: c.capabilities()})
			for _, id := range []sam.ProjectID{"bot", "other", "viewer", "notes"} {
				s.project(t, id, sam.Files{"functions.js": tireless, "docs/a.md": "hello"})
			}
			if err := s.SetWork(t.Context(), "notes"); err != nil {
				t.Fatal(err)
			}
			test(t, s, c)
		})
	}
}

// An activity is a request that uses its rights until it is stopped.
type activity struct {
	name string
	res  *http.Response
	err  error
	tail []byte
	done chan struct{}
}

func (s *server) start(t *testing.T, id sam.ProjectID, v canvas.Visitor, name string) *activity {
	t.Helper()
	a := &activity{name: name, done: make(chan struct{})}
	url := s.http.URL + "/" + s.site.Path(v, id) + "api/" + name
	go func() {
		defer close(a.done)
		if a.res, a.err = s.http.Client().Get(url); a.err != nil {
			return
		}
		defer a.res.Body.Close()
		a.tail, a.err = io.ReadAll(a.res.Body)
	}()
	t.Cleanup(func() { <-a.done })
	return a
}

// refused waits for the end of an activity, which must not be an answer.
func (a *activity) refused(t *testing.T, what string) {
	t.Helper()
	select {
	case <-a.done:
	case <-time.After(30 * time.Second):
		t.Fatalf("%s, %s: it goes on", what, a.name)
	}
	if a.name == "stream" && a.res != nil && a.res.StatusCode == 200 {
		if a.err == nil {
			t.Errorf("%s: the stream has an end as if it were whole", what)
		}
		return
	}
	if a.err != nil || a.res.StatusCode != http.StatusForbidden {
		t.Errorf("%s, %s: answered %.200s, %v", what, a.name, a.tail, a.err)
	}
}

// doings starts all activities of a visitor at once, and returns them when they are under way, or the
// visitor's grant has expired.
func (s *server) doings(t *testing.T, c *clock, id sam.ProjectID, v canvas.Visitor) []*activity {
	t.Helper()
	s.mu.Lock()
	over := s.tools[v.Session]
	s.mu.Unlock()
	expired := func() bool { return over != nil && !time.Now().Before(over.Grant.Expires) }
	for _, name := range []string{"keep", "later"} {
		a := s.start(t, id, v, name)
		if <-a.done; (a.err != nil || a.res.StatusCode != 200) && !expired() {
			t.Fatalf("%s: %v %s", name, a.err, a.tail)
		}
	}
	var all []*activity
	if v.Session != "" {
		all = append(all, s.start(t, id, v, "changes"))
		eventually(t, "one that waits", func() bool { return c.of(v, "changes") > 0 || expired() })
	}
	for _, name := range []string{"loop", "kept", "stream"} {
		all = append(all, s.start(t, id, v, name))
	}
	for _, name := range []string{"later", "loop", "kept", "stream"} {
		from := c.of(v, name)
		eventually(t, name+" calls", func() bool { return c.of(v, name) > from+2 || expired() })
	}
	return all
}

func TestRightsEndAtOnceInAllWorkers(t *testing.T) {
	grant := tool.Grant{Project: "notes", Paths: []string{"docs/**"}, Mode: tool.Read, MaxCalls: 1 << 30}
	clockGrant := grant
	clockGrant.Uses = []string{"clock@1.tick"}
	atEachLevel(t, func(t *testing.T, s *server, c *clock) {
		ctx := t.Context()
		open := func(opener *session, g tool.Grant) canvas.Visitor {
			t.Helper()
			session, err := s.openTool(ctx, opener, "viewer", g)
			if err != nil {
				t.Fatal(err)
			}
			return canvas.Visitor{Principal: "ada", Session: session.ID}
		}
		agent := func() canvas.Visitor {
			t.Helper()
			if err := s.SetAgent(ctx, "bot"); err != nil {
				t.Fatal(err)
			}
			return canvas.Visitor{Principal: "ada", Session: s.Agent().ID}
		}
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		ended := func(what string, v canvas.Visitor, all []*activity) {
			t.Helper()
			c.stopped(t, what, v)
			for _, a := range all {
				a.refused(t, what)
			}
		}

		// Another session of the same project goes on, whatever ends the first.
		bystander := open(nil, clockGrant)
		s.start(t, "viewer", bystander, "loop")
		c.goesOn(t, bystander, "loop")

		v := open(nil, clockGrant)
		all := s.doings(t, c, "viewer", v)
		check(s.CloseTool(ctx, v.Session))
		ended("closed", v, all)

		soon := clockGrant
		for life := 3 * time.Second; ; life *= 2 { // until it is enough for all to be under way
			soon.Expires = time.Now().Add(life)
			v = open(nil, soon)
			if all = s.doings(t, c, "viewer", v); time.Now().Before(soon.Expires) {
				break
			}
		}
		eventually(t, "the grant expires", func() bool { return time.Now().After(soon.Expires) })
		ended("expired", v, all)

		// What an agent opened ends with its role, in workers of two projects.
		v = agent()
		opened := open(s.agent, clockGrant)
		all = s.doings(t, c, "bot", v)
		theirs := s.doings(t, c, "viewer", opened)
		check(s.SetAgent(ctx, "other"))
		ended("another agent", v, all)
		ended("its tool", opened, theirs)

		v = agent()
		all = s.doings(t, c, "bot", v)
		check(s.Delete(ctx, "bot"))
		ended("deleted", v, all)
		c.goesOn(t, bystander, "loop")
		s.project(t, "bot", sam.Files{"functions.js": tireless})

		// A person who is logged out, in the sessions and without one; another stays.
		check(s.Allow(ctx, "notes", "CLOCK", tool.Grant{Uses: []string{"clock@1.tick"}}))
		v = agent()
		plain, bob := canvas.Visitor{Principal: "ada"}, canvas.Visitor{Principal: "bob"}
		all = s.doings(t, c, "bot", v)
		theirs = s.doings(t, c, "notes", plain)
		s.start(t, "notes", bob, "loop")
		c.goesOn(t, bob, "loop")
		s.site.Revoke("ada")
		ended("logged out, the agent", v, all)
		ended("logged out, an app", plain, theirs)
		c.stopped(t, "logged out, the bystander", bystander)
		c.goesOn(t, bob, "loop")

		// A service that is taken away, under code that goes on.
		check(s.Allow(ctx, "notes", "CLOCK", tool.Grant{}))
		c.stopped(t, "a service", bob)

		v = agent()
		all = s.doings(t, c, "bot", v)
		check(s.Bench.Close())
		ended("the bench closed", v, all)
		s.site.Revoke("bob")
	})
}

func TestAGrantsCallsAreCountedAcrossRequests(t *testing.T) {
	atEachLevel(t, func(t *testing.T, s *server, c *clock) {
		session, err := s.OpenTool(t.Context(), "viewer", tool.Grant{Uses: []string{"clock@1.tick"}, MaxCalls: 60})
		if err != nil {
			t.Fatal(err)
		}
		v := canvas.Visitor{Session: session.ID}
		for range 3 {
			s.start(t, "viewer", v, "loop")
		}
		stream := s.start(t, "viewer", v, "stream")
		eventually(t, "the calls are used", func() bool { return c.of(v, "") >= 60 })
		<-stream.done
		c.stopped(t, "used up", v)
		if n := c.of(v, ""); n != 60 {
			t.Errorf("%d calls of 60", n)
		}
		if err := s.CloseTool(t.Context(), session.ID); err != nil {
			t.Fatal(err)
		}
	})
}

// What a stream had said before its rights ended arrives, and nothing after.
func TestAStreamSaysNothingAfterItsRights(t *testing.T) {
	atEachLevel(t, func(t *testing.T, s *server, c *clock) {
		session, err := s.OpenTool(t.Context(), "viewer", tool.Grant{Uses: []string{"clock@1.tick"}, MaxCalls: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		v := canvas.Visitor{Session: session.ID}
		res, err := s.http.Client().Get(s.http.URL + "/" + s.site.Path(v, "viewer") + "api/stream")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		lines := bufio.NewScanner(res.Body)
		for range 5 {
			if !lines.Scan() {
				t.Fatal(lines.Err())
			}
		}
		if err := s.CloseTool(t.Context(), session.ID); err != nil {
			t.Fatal(err)
		}
		made, last := c.of(v, ""), 0
		for lines.Scan() {
			mustUnmarshal(t, lines.Bytes(), &last)
		}
		if lines.Err() == nil {
			t.Error("the stream has an end as if it were whole")
		}
		if last > made+1 { // one was on its way
			t.Errorf("it said %d; %d calls had been made", last, made)
		}
		buf, err := s.Console(t.Context(), "viewer")
		if err != nil {
			t.Fatal(err)
		}
		for e := range buf.Since(0) {
			t.Errorf("a session that was closed is an error of the app: %s", e.Text)
		}
	})
}
