package workbench

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// runner is a functions.js that does what it is told: the body of a function that gets env and the request.
const runner = `
const kept = {}
export default { async fetch(request, env) {
	const q = await request.json()
	try {
		return Response.json({ ok: await act[q.act](env, q, kept) ?? null })
	} catch (e) {
		return Response.json({ error: e.message, code: e.code, grant: e.grant, hint: e.hint })
	}
} }
const act = {
	env: env => Object.keys(env).sort(),
	call: (env, q) => q.name.split(".").reduce((o, k) => o[k], env)(q.args ?? undefined),
	get: (env, q) => q.name.split(".").reduce((o, k) => o?.[k], env),
	functions: (env, q) => Object.entries(env[q.name] ?? {}).filter(([k]) => !k.includes("@") && k !== "capabilities" && k !== "grant").flatMap(([k, v]) =>
		typeof v === "function" ? [k] : typeof v === "object" ? Object.keys(v).map(f => k + "." + f) : []),
	keep: (env, q, kept) => { kept.host = env.HOST; kept.tool = env.TOOL; return true },
	kept: (env, q, kept) => (kept.host ?? kept.tool).files.list(),
	leak: env => ({ tool: env.TOOL, host: env.HOST }),
}
`

// A server is a bench's projects over HTTP.
type server struct {
	*fixture
	http *httptest.Server
	site *canvas.Handler
}

func serve(t *testing.T, opts Options) *server {
	t.Helper()
	f := &fixture{store: sam.NewMemStore(), eng: newEngine(t)}
	t.Cleanup(func() { f.store.Close() })
	return f.serve(t, opts)
}

// serve opens a bench on the store of f and serves it.
func (f *fixture) serve(t *testing.T, opts Options) *server {
	t.Helper()
	opts.Roles = f.store.Space("ada/~bench")
	b, err := New(t.Context(), sam.NewWorkspace(f.store, "ada", nil), f.eng, &opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	s := &server{fixture: &fixture{Bench: b, store: f.store, eng: f.eng}}
	if s.site, err = canvas.NewSite(b.App, &canvas.Options{Engine: f.eng, Key: make([]byte, 32)}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.site.Close() })
	s.http = httptest.NewServer(s.site)
	t.Cleanup(s.http.Close)
	return s
}

// project makes a project with the runner and some files.
func (s *server) project(t *testing.T, id sam.ProjectID, files sam.Files) *sam.Project {
	t.Helper()
	all := sam.Files{"index.html": "<p>", "functions.js": runner}
	for name, text := range files {
		all[name] = text
	}
	p, err := s.Create(t.Context(), id, all)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// An answer is what the runner says.
type answer struct {
	OK     json.RawMessage `json:"ok"`
	Error  json.RawMessage `json:"error"` // of the canvas: a string or an object
	Code   string          `json:"code"`
	Grant  json.RawMessage `json:"grant"`
	Status int             `json:"-"`
}

func (a answer) String() string {
	if a.Code != "" || a.Error != nil {
		return a.Code + " " + string(a.Error)
	}
	return string(a.OK)
}

// ask has a project's functions.js act in a session, "" being none.
func (s *server) ask(t *testing.T, id sam.ProjectID, session string, q map[string]any) answer {
	t.Helper()
	return s.askAt(t, s.site.Path(canvas.Visitor{Session: session}, id), q)
}

func (s *server) askAt(t *testing.T, path string, q map[string]any) answer {
	t.Helper()
	body, _ := json.Marshal(q)
	res, err := http.Post(s.http.URL+"/"+path+"api/x", "application/json", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{Status: res.StatusCode}
	if err := json.Unmarshal(data, &a); err != nil {
		t.Fatalf("%d %s", res.StatusCode, data)
	}
	return a
}

func (s *server) call(t *testing.T, id sam.ProjectID, session, name string, args any) answer {
	t.Helper()
	return s.ask(t, id, session, map[string]any{"act": "call", "name": name, "args": args})
}

func has(t *testing.T, what string, a answer, want string) {
	t.Helper()
	if !strings.Contains(a.String(), want) {
		t.Errorf("%s: %s, want %s", what, a, want)
	}
}

type m = map[string]any

func TestAgent(t *testing.T) {
	s := serve(t, Options{})
	s.project(t, "bot", nil)
	s.project(t, "notes", sam.Files{"a.md": "hello"})
	if err := s.SetWork(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	if err := s.SetAgent(t.Context(), "bot"); err != nil {
		t.Fatal(err)
	}
	agent := s.Agent()
	if agent.Project != "bot" || agent.ID == "" {
		t.Fatalf("agent %+v", agent)
	}
	has(t, "version", s.ask(t, "bot", agent.ID, m{"act": "get", "name": "HOST.apiVersion"}), `"1.0"`)
	has(t, "capabilities", s.ask(t, "bot", agent.ID, m{"act": "get", "name": "HOST.capabilities.files.version"}), `1`)
	has(t, "read", s.call(t, "bot", agent.ID, "HOST.files.read", m{"path": "a.md"}), `"content":"hello"`)
	has(t, "write", s.call(t, "bot", agent.ID, "HOST.files.write", m{"path": "b.md", "content": "new"}), `"path":"b.md"`)
	has(t, "a conflict", s.call(t, "bot", agent.ID, "HOST.files.write", m{"path": "b.md", "content": "x", "expectedHash": ""}), "conflict")
	has(t, "read itself", s.call(t, "bot", agent.ID, "HOST.files.read", m{"project": "bot", "path": "index.html"}), `<p>`)
	has(t, "write itself", s.call(t, "bot", agent.ID, "HOST.files.write", m{"project": "bot", "path": "index.html", "content": "x"}), "denied")
	has(t, "a missing project", s.call(t, "bot", agent.ID, "HOST.files.read", m{"project": "none", "path": "x"}), "not_found")
	has(t, "without the session", s.ask(t, "bot", "", m{"act": "env"}), `["ASSETS","DB","KV"]`)
	has(t, "the work project", s.ask(t, "notes", "", m{"act": "env"}), `["ASSETS","DB","KV"]`)

	path := s.site.Path(canvas.Visitor{Session: agent.ID}, "bot")
	if err := s.SetAgent(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if a := s.askAt(t, path, m{"act": "env"}); a.Status != http.StatusForbidden {
		t.Errorf("the former agent: %d %s", a.Status, a)
	}
	if _, err := s.Host().Call(t.Context(), "files.list", nil); code(err) != host.Denied {
		t.Error(err)
	}
	if err := s.SetAgent(t.Context(), "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func code(err error) host.Code {
	var e *host.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestTool(t *testing.T) {
	s := serve(t, Options{})
	s.project(t, "viewer", nil)
	s.project(t, "notes", sam.Files{"docs/a.md": "hello", "secret.md": "no"})
	session, err := s.OpenTool(t.Context(), "viewer", tool.Grant{Project: "notes", Paths: []string{"docs/**"}, Mode: tool.Read})
	if err != nil {
		t.Fatal(err)
	}
	id := session.ID
	has(t, "env", s.ask(t, "viewer", id, m{"act": "env"}), `["ASSETS","DB","KV","TOOL"]`)
	has(t, "grant", s.ask(t, "viewer", id, m{"act": "get", "name": "TOOL.grant"}), `"paths":["docs/**"],"mode":"read","maxCalls":1000`)
	has(t, "list", s.call(t, "viewer", id, "TOOL.files.list", nil), `{"files":[{"path":"docs/a.md"`)
	has(t, "read", s.call(t, "viewer", id, "TOOL.files.read", m{"path": "docs/a.md"}), `"content":"hello"`)
	a := s.call(t, "viewer", id, "TOOL.files.read", m{"path": "secret.md"})
	has(t, "read what is not granted", a, "denied")
	if string(a.Grant) != `{"project":"notes","paths":["secret.md"],"mode":"read"}` {
		t.Errorf("the grant that would do: %s", a.Grant)
	}
	has(t, "write", s.call(t, "viewer", id, "TOOL.files.write", m{"path": "docs/a.md", "content": "x"}), "denied")
	has(t, "rename", s.call(t, "viewer", id, "TOOL.files.rename", m{"path": "docs/a.md", "to": "docs/b.md"}), "denied")
	has(t, "another project", s.call(t, "viewer", id, "TOOL.files.read", m{"project": "viewer", "path": "index.html"}), "denied")
	has(t, "it does not get out", s.ask(t, "viewer", id, m{"act": "leak"}), `"files":{}`)
	has(t, "the session of another project", s.ask(t, "notes", id, m{"act": "env"}), `["ASSETS","DB","KV"]`)

	path := s.site.Path(canvas.Visitor{Session: id}, "viewer")
	if err := s.CloseTool(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if a := s.askAt(t, path, m{"act": "env"}); a.Status != http.StatusForbidden {
		t.Errorf("a closed session: %d %s", a.Status, a)
	}
	if err := s.CloseTool(t.Context(), id); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("closed twice: %v", err)
	}
}

func TestRolesSurviveARestart(t *testing.T) {
	s := serve(t, Options{})
	s.project(t, "bot", nil)
	s.project(t, "viewer", nil)
	s.project(t, "notes", sam.Files{"docs/a.md": "hello"})
	if err := s.SetAgent(t.Context(), "bot"); err != nil {
		t.Fatal(err)
	}
	g := tool.Grant{Project: "notes", Paths: []string{"docs/**"}, Mode: tool.Read, MaxCalls: 40}
	mine, err := s.OpenTool(t.Context(), "viewer", g)
	if err != nil {
		t.Fatal(err)
	}
	agents, err := s.openTool(t.Context(), s.agent, "viewer", g)
	if err != nil {
		t.Fatal(err)
	}
	closed, err := s.OpenTool(t.Context(), "viewer", g)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		has(t, "read", s.call(t, "viewer", mine.ID, "TOOL.files.read", m{"path": "docs/a.md"}), "hello")
	}
	if err := s.CloseTool(t.Context(), closed.ID); err != nil {
		t.Fatal(err)
	}
	s.Close()

	s = s.serve(t, Options{})
	if s.Agent().Project != "bot" {
		t.Errorf("agent %+v", s.Agent())
	}
	if got := s.Sessions(); len(got) != 2 || got[0].ID != mine.ID || got[1].ID != agents.ID || got[1].Agent != s.Agent().ID {
		t.Fatalf("sessions %+v", got)
	}
	made := 0
	for range 50 {
		if a := s.call(t, "viewer", mine.ID, "TOOL.files.read", m{"path": "docs/a.md"}); a.Code != "" || a.Error != nil {
			break
		}
		made++
	}
	if made < 30 || made > 35 {
		t.Errorf("%d calls were left of 40 after 5", made)
	}
	has(t, "the session that the agent opened", s.call(t, "viewer", agents.ID, "TOOL.files.read", m{"path": "docs/a.md"}), "hello")
	if err := s.SetAgent(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if got := s.Sessions(); len(got) != 1 || got[0].ID != mine.ID {
		t.Errorf("after the agent lost its role: %+v", got)
	}
	s.Close() // what is open then has no calls left
	if got := s.serve(t, Options{}).Sessions(); len(got) != 0 {
		t.Errorf("after another restart: %+v", got)
	}
}

func TestAnAgentOpensNoToolOnItself(t *testing.T) {
	s := serve(t, Options{})
	s.project(t, "bot", nil)
	if err := s.SetAgent(t.Context(), "bot"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.openTool(t.Context(), s.agent, "bot", tool.Grant{Project: "bot", Paths: []string{"**"}, Mode: tool.ReadWrite}); code(err) != host.Denied {
		t.Error(err)
	}
	former := s.agent
	if err := s.SetAgent(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.openTool(t.Context(), former, "bot", tool.Grant{Project: "bot", Paths: []string{"**"}, Mode: tool.Read}); code(err) != host.Denied {
		t.Error(err)
	}
}

type waiting struct{}

// waiters offers wait.forever, which says on started that it runs.
func waiters() (*host.Capabilities, chan bool) {
	caps := host.New()
	started := make(chan bool, 10)
	host.Register(caps.Define("wait", 1), "forever", "Waits.", func(ctx context.Context, _ waiting) (string, error) {
		started <- true
		<-ctx.Done()
		return "", ctx.Err()
	}, host.Reads)
	return caps, started
}

func TestRightsEndInTheMiddleOfARequest(t *testing.T) {
	caps, started := waiters()
	s := serve(t, Options{Capabilities: caps})
	s.project(t, "bot", nil)
	s.project(t, "viewer", nil)
	if err := s.SetAgent(t.Context(), "bot"); err != nil {
		t.Fatal(err)
	}
	g := tool.Grant{Uses: []string{"wait@1.forever"}}
	mine, err := s.OpenTool(t.Context(), "viewer", g)
	if err != nil {
		t.Fatal(err)
	}
	agents, err := s.openTool(t.Context(), s.agent, "viewer", g)
	if err != nil {
		t.Fatal(err)
	}
	answers := make(chan answer, 3)
	go func() { answers <- s.call(t, "bot", s.Agent().ID, "HOST.wait.forever", nil) }()
	go func() { answers <- s.call(t, "viewer", agents.ID, "TOOL.wait.forever", nil) }()
	go func() { answers <- s.call(t, "viewer", mine.ID, "TOOL.wait.forever", nil) }()
	for range 3 {
		select {
		case <-started:
		case a := <-answers:
			t.Fatalf("a call did not wait: %s", a)
		}
	}
	if err := s.SetAgent(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	ended := func() {
		t.Helper()
		select {
		case a := <-answers:
			if a.Status != http.StatusForbidden && a.Code != string(host.Denied) {
				t.Errorf("answered %d %s", a.Status, a)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("a call goes on")
		}
	}
	ended()
	ended()
	select {
	case a := <-answers:
		t.Fatalf("the person's session has ended, too: %s", a)
	default:
	}
	if err := s.CloseTool(t.Context(), mine.ID); err != nil {
		t.Fatal(err)
	}
	ended()
}

func TestWhoMayChangeAProjectAsAWhole(t *testing.T) {
	s := serve(t, Options{})
	s.project(t, "bot", nil)
	s.project(t, "notes", nil)
	if err := s.SetAgent(t.Context(), "bot"); err != nil {
		t.Fatal(err)
	}
	session, err := s.OpenTool(t.Context(), "notes", tool.Grant{Project: "notes", Paths: []string{"**"}, Mode: tool.ReadWrite})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.agent.mayChange("notes"); err != nil {
		t.Errorf("the agent, another project: %v", err)
	}
	if err := s.agent.mayChange("bot"); code(err) != host.Denied {
		t.Errorf("the agent, itself: %v", err)
	}
	if err := s.tools[session.ID].mayChange("notes"); code(err) != host.Denied {
		t.Errorf("a tool: %v", err)
	}
}

func mustUnmarshal(t *testing.T, data []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatal(err)
	}
}
