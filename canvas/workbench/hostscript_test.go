package workbench

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"slices"
	"strings"
	"sync"
	"testing"

	"samkit.dev/host"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/tool"
	"samkit.dev/tool/script"
)

// An agent runs scripts on the work project: HOST.script.
func ExampleBench_SetScriptMode() {
	ctx := context.Background()
	eng, err := engine.New(&engine.Options{Isolation: engine.InProcess})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	bench, err := New(ctx, sam.NewWorkspace(sam.NewMemStore(), "ada", nil), eng, &Options{Scripts: &script.Options{Mode: script.Bypass}})
	if err != nil {
		log.Fatal(err)
	}
	defer bench.Close()
	for _, id := range []sam.ProjectID{"notes", "bot"} {
		if _, err := bench.Create(ctx, id, sam.Files{"index.html": "one two"}); err != nil {
			log.Fatal(err)
		}
	}
	if err := bench.SetAgent(ctx, "bot"); err != nil {
		log.Fatal(err)
	}
	call := func(name, args string) {
		out, err := bench.Host().Call(ctx, name, json.RawMessage(args))
		var r struct{ Result json.RawMessage }
		if err == nil {
			err = json.Unmarshal(out, &r)
		}
		fmt.Printf("%s %v\n", r.Result, err)
	}
	call("script.save", `{"project":"notes","name":"words","code":"return (await rtcAgent.readFile('index.html')).split(' ').length"}`)
	call("script.run", `{"project":"notes","name":"words"}`)
	call("script.eval", `{"project":"notes","code":"return (await rtcAgent.files.list({ project: 'notes' })).files.length"}`)
	bench.SetScriptMode(script.Plan)
	call("script.save", `{"project":"notes","name":"more","code":"return 1"}`)
	// Output:
	//  <nil>
	// 2 <nil>
	// 2 <nil>
	//  denied: In plan mode nothing is written
}

func TestScripts(t *testing.T) {
	var mu sync.Mutex
	var asked, observed []string
	var audit []host.Record
	take := func(list *[]string) string {
		mu.Lock()
		defer mu.Unlock()
		s := strings.Join(*list, " ")
		*list = nil
		return s
	}
	s, call := withAgent(t, Options{
		Capabilities: withCRM(),
		Scripts: &script.Options{Mode: script.Manual, Observe: func(e script.Execution) {
			mu.Lock()
			defer mu.Unlock()
			observed = append(observed, e.Action+":"+e.Status)
		}},
		Confirm: func(_ context.Context, q tool.Question) (tool.Answer, error) {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, q.Func.Name)
			if q.Call.Session == "" || q.Call.Project != "bot" {
				t.Errorf("asked for %+v", q.Call)
			}
			return tool.Answer{Allow: true}, nil
		},
		Audit: func(_ context.Context, r host.Record) {
			mu.Lock()
			defer mu.Unlock()
			audit = append(audit, r)
		},
	})
	has(t, "save", call("script.save", m{"name": "sum", "description": "adds", "code": "return params.a + params.b"}), "{}")
	has(t, "run", call("script.run", m{"name": "sum", "params": m{"a": 1, "b": 2}}), `"result":3`)
	has(t, "list", call("script.list", m{}), `"name":"sum","description":"adds"`)
	has(t, "read", call("script.read", m{"name": "sum"}), `"code":"return params.a + params.b"`)
	if got := take(&asked); got != "writeFile run" {
		t.Errorf("asked %q", got)
	}
	has(t, "functions", call("script.eval", m{"code": "return [await rtcAgent.crm.lookup({}), (await rtcAgent.callFunction('files.read', { path: 'a.md' })).content, await rtcAgent.readFile('a.md')]"}), `["found","one\ntwo\nthree","one\ntwo\nthree"]`)
	has(t, "no scripts of scripts", call("script.eval", m{"code": "return [typeof rtcAgent.script, await rtcAgent.callFunction('script.eval', { code: 'return 1' }).catch((e) => e.code)]"}), `["undefined"`)
	has(t, "throws", call("script.eval", m{"code": "const a = 1;\nthrow new TypeError('no')"}), `"failed":true,"line":2,"column":7`)
	blocked := call("script.eval", m{"code": "localStorage.x = 1;\nwhile (true) fetch('x')"})
	has(t, "blocked", blocked, "2:1: while is blocked (loops): use for…of, a for with a bound")
	has(t, "blocked", blocked, `invalid`)
	has(t, "own files", call("script.eval", m{"project": "bot", "code": "return await rtcAgent.writeFile('prompt.md', 'x').catch((e) => e.code)"}), `"denied"`)
	has(t, "own files", call("script.save", m{"project": "bot", "name": "x", "code": "return 1"}), "denied")
	has(t, "no such", call("script.run", m{"name": "none"}), "not_found")
	has(t, "no such", call("script.delete", m{"name": "none"}), "not_found")
	has(t, "delete", call("script.delete", m{"name": "sum"}), "{}")
	has(t, "list", call("script.list", m{}), `{"scripts":[]}`)
	take(&asked)

	s.SetScriptMode(script.Auto)
	if s.ScriptMode() != script.Auto {
		t.Error("the mode is", s.ScriptMode())
	}
	for range 3 {
		has(t, "auto", call("script.eval", m{"code": "await rtcAgent.writeFile('made.txt', 'x'); return 1"}), `"result":1`)
	}
	if got := take(&asked); got != "run" {
		t.Errorf("auto asked %q", got)
	}
	s.SetScriptMode(script.Plan)
	has(t, "plan", call("script.eval", m{"code": "return await rtcAgent.writeFile('made.txt', 'x').catch((e) => e.code)"}), `"denied"`)
	s.SetScriptMode(script.Bypass)
	take(&asked)
	has(t, "bypass", call("script.eval", m{"code": "await rtcAgent.writeFile('late.txt', 'x'); return 1"}), `"result":1`)
	if got := take(&asked); got != "" {
		t.Errorf("bypass asked %q", got)
	}
	if got := take(&observed); !strings.HasPrefix(got, "save:ok run:ok eval:ok eval:ok eval:failed eval:blocked") || !strings.Contains(got, "save:denied") {
		t.Errorf("observed %q", got)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, name := range []string{"script@1.save", "script@1.run", "script@1.eval", "script@1.delete", "crm@1.lookup", "files@1.read", "files@1.write", "files@1.remove"} {
		if !slices.ContainsFunc(audit, func(r host.Record) bool {
			return r.Func == name && r.Call.Project == "bot" && r.Call.Role == host.Agent
		}) {
			t.Errorf("the audit knows nothing of %s", name)
		}
	}
}

// TestScriptsEnd has an agent that loses its role while its script runs.
func TestScriptsEnd(t *testing.T) {
	s, call := withAgent(t, Options{Scripts: &script.Options{Mode: script.Bypass}})
	done := make(chan answer, 1)
	go func() {
		done <- call("script.eval", m{"code": "await rtcAgent.writeFile('began.txt', 'x');\nfor (let i = 0; i < 600; i++) await rtcAgent.system.delay(100);\nawait rtcAgent.writeFile('late.txt', 'x')"})
	}()
	notes, err := s.Workspace().Open(t.Context(), "notes")
	if err != nil {
		t.Fatal(err)
	}
	waitFor := func(name string) {
		for _, err := notes.Stat(t.Context(), name); err != nil; _, err = notes.Stat(t.Context(), name) {
			select {
			case a := <-done:
				t.Fatal(a)
			case <-t.Context().Done():
				t.Fatal("the script did not begin")
			default:
			}
		}
	}
	waitFor("began.txt")
	if err := s.SetAgent(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	<-done
	if _, err := notes.Stat(t.Context(), "late.txt"); err == nil {
		t.Error("the script outlived its agent")
	}
}

// TestScriptsAudit proves that each call that an agent's script makes is in the audit, once and as the agent's.
func TestScriptsAudit(t *testing.T) {
	s, call := withAgent(t, Options{Capabilities: withCRM(), Scripts: &script.Options{Mode: script.Bypass}})
	audited := func(n int) (list []string) {
		for r, err := range s.Audit(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if r.Call.Project != "bot" || r.Call.Role != host.Agent || r.Session == "" {
				t.Errorf("%+v", r)
			}
			list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Func, r.On, r.Code)))
			if len(list) == n {
				break
			}
		}
		slices.Reverse(list)
		return list
	}
	for code, want := range map[string]string{
		"await rtcAgent.readFile('a.md')":                                                "script@1.readFile notes/a.md",
		"await rtcAgent.readFile('none.md')":                                             "script@1.readFile notes/none.md not_found",
		"await rtcAgent.listDir()":                                                       "script@1.listDir notes/",
		"await rtcAgent.writeFile('b.md', 'x')":                                          "files@1.write notes/b.md",
		"await rtcAgent.writeFile('../b.md', 'x')":                                       "script@1.writeFile  invalid",
		"await rtcAgent.writeFile('AGENT.md', 'x')":                                      "script@1.writeFile notes/AGENT.md denied",
		"await rtcAgent.files.read({ path: 'a.md' })":                                    "files@1.read notes/a.md",
		"await rtcAgent.callFunction('files.read', { path: 'a.md' })":                    "files@1.read notes/a.md",
		"await rtcAgent.callFunction('files.read', { path: 1 })":                         "files@1.read  invalid",
		"await rtcAgent.callFunction('script.eval', { code: 'return 1' })":               `"script.eval"  not_found`,
		"await rtcAgent.callFunction('files.none')":                                      `"files.none"  not_found`,
		"await rtcAgent.crm.lookup({})":                                                  "crm@1.lookup",
		"await rtcAgent.files.write({ project: 'bot', path: 'prompt.md', content: '' })": "files@1.write  denied",
	} {
		before := len(audited(-1))
		call("script.eval", m{"code": code})
		if got := audited(len(audited(-1)) - before); !slices.Equal(got, []string{want, "script@1.eval"}) {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
	s.SetScriptMode(script.Plan)
	has(t, "plan", call("script.eval", m{"code": "return 1"}), "denied")
	if got := audited(1); got[0] != "script@1.eval  denied" {
		t.Error(got)
	}
}
