package workbench

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// writing is a task that writes a file and ends.
const writing = `export default defineTask({ name: "writes", policy: definePolicy({ writablePaths: ["*.md"], allowedCommands: ["sh **", "xargs **", "cat a.md"], timeoutMs: 600000 }), stages: [
	defineStage("write", async (ctx) => { console.log("writes", ctx.input.text); await ctx.writeFile("a.md", ctx.input.text); await ctx.writeFile("x.txt", "").catch(() => {}); return (await ctx.exec("cat a.md")).stdout; }, { artifacts: ["log"] })].map((s) => s) });`

func TestTasksOfHost(t *testing.T) {
	s, call := withAgent(t, Options{Commands: commands(), Tasks: &TaskOptions{Kept: withTasks(t).Kept, Unasked: true}})
	ctx := t.Context()
	good := strings.Replace(writing, `, { artifacts: ["log"] }`, "", 1)
	has(t, "write", call("files.write", m{"path": "tasks/w.ts", "content": good}), "tasks/w.ts")
	has(t, "list", call("tasks.list", nil), `{"tasks":[{"path":"tasks/w.ts","lang":"ts"}]}`)
	got := call("tasks.get", m{"path": "tasks/w.ts"})
	has(t, "get", got, `"name":"writes","policy":{"writable":["*.md"],"deny":[],"commands":[["sh","**"],`)
	has(t, "get", got, `"warnings":["commands: \"sh **\" runs whatever its arguments say."`)
	has(t, "get", got, `"stages":[{"name":"write","writes":["*.md"],"artifacts":[],"timeoutMs":600000}]`)
	run := call("tasks.run", m{"path": "tasks/w.ts", "input": m{"text": "by a task"}})
	has(t, "run", run, `"by":"agent","status":"succeeded","stages":["write"]`)
	has(t, "written", call("files.read", m{"path": "a.md"}), "by a task")
	status := call("tasks.status", m{"run": run.field(t, "id")})
	has(t, "status", status, `{"kind":"log","stage":"write","text":"writes by a task"`)
	has(t, "status", status, `{"kind":"refused","stage":"write"`)
	has(t, "status, later", call("tasks.status", m{"run": run.field(t, "id"), "after": 1000}), `"events":[]`)
	has(t, "report", call("tasks.report", m{"run": run.field(t, "id")}), `"promoted":["a.md"]`)
	has(t, "no shell", call("tasks.run", m{"source": `export default defineTask({ name: "s", policy: definePolicy({ allowedCommands: ["sh **", "xargs **"] }), stages: [defineStage("s", async (ctx) =>
		[(await ctx.exec(["sh", "-c", "echo hi"])).code, (await ctx.exec(["xargs", "sh", "-c", "echo hi"], { stdin: "x" })).code])] })`}), "succeeded")
	shell := call("tasks.runs", nil)
	var list struct{ Runs []struct{ ID string } }
	mustUnmarshal(t, shell.OK, &list)
	has(t, "no shell", call("tasks.report", m{"run": list.Runs[0].ID}), `"output":[126,126]`)

	failed := call("tasks.run", m{"source": writing, "input": m{"text": "in vain"}})
	has(t, "incomplete", failed, `"status":"incomplete"`)
	has(t, "nothing written", call("files.read", m{"path": "a.md"}), "by a task")
	has(t, "write", call("files.write", m{"path": "tasks/w.ts", "content": good}), "tasks/w.ts")
	id := failed.field(t, "id")
	has(t, "kept", call("tasks.kept", nil), id)
	has(t, "open", call("tasks.open", m{"run": id, "name": "mended"}), `"agentManaged":true`)
	has(t, "opened", call("files.read", m{"project": "mended", "path": "a.md"}), "in vain")
	has(t, "incomplete again", call("tasks.resume", m{"run": id}), `"resumed":"`+id+`","status":"incomplete"`)
	has(t, "no such stage", call("tasks.resume", m{"run": id, "stage": "none"}), "invalid")
	two := strings.NewReplacer(`ctx.exec("cat a.md")`, `ctx.exec("cat a.md")`, `{ artifacts: ["log"] })]`, `{}), defineStage("check", async (ctx) => { if (await ctx.readFile("a.md") !== "mended") throw new Error("not mended"); return ctx.input.text; })]`).Replace(writing)
	stopped := call("tasks.run", m{"source": two, "input": m{"text": "broken"}})
	has(t, "stopped", stopped, `"status":"failed","error":"task: writes: stage check: not mended`)
	has(t, "open", call("tasks.open", m{"run": stopped.field(t, "id"), "name": "bench"}), `"id":"bench"`)
	has(t, "mend", call("files.write", m{"project": "bench", "path": "a.md", "content": "mended"}), "a.md")
	has(t, "mend what it may not", call("files.write", m{"project": "bench", "path": "x.js", "content": "x"}), "x.js")
	has(t, "resume", call("tasks.resume", m{"run": stopped.field(t, "id"), "from": "bench"}), `"status":"succeeded"`)
	has(t, "mended", call("files.read", m{"path": "a.md"}), "mended")
	has(t, "not beyond the policy", call("files.read", m{"path": "x.js"}), "not_found")
	has(t, "used", call("tasks.resume", m{"run": stopped.field(t, "id")}), "not_found")
	has(t, "discard", call("tasks.discard", m{"run": id}), "{}")
	has(t, "discarded", call("tasks.discard", m{"run": id}), "not_found")
	has(t, "discarded", call("tasks.open", m{"run": id, "name": "again"}), "not_found")
	has(t, "wrong", call("tasks.run", m{"source": "export default 1"}), "invalid")
	has(t, "wrong", call("tasks.run", m{"path": "none.task.json"}), "not_found")
	has(t, "unknown", call("tasks.report", m{"run": "run-none"}), "not_found")

	slow := call("tasks.run", m{"source": sleeping, "lang": "json", "waitMs": 1})
	has(t, "at work", slow, `"status":"running"`)
	has(t, "cancel", call("tasks.cancel", m{"run": slow.field(t, "id")}), `"status":"canceled"`)
	theirs, err := s.RunTask(ctx, TaskStart{Project: "notes", Source: sleeping, Lang: "json"})
	if err != nil {
		t.Fatal(err)
	}
	has(t, "a person's", call("tasks.cancel", m{"run": theirs.ID}), "denied")

	// Of its own files it may look at tasks; whatever a task writes there is denied.
	has(t, "itself", call("tasks.run", m{"project": "bot", "source": good, "input": m{"text": "x"}}), "denied")
	has(t, "itself as the work project", call("projects.open", m{"project": "bot"}), "{}")
	has(t, "itself as the work project", call("tasks.run", m{"source": good, "input": m{"text": "x"}}), "denied")

	// A run ends with the rights of the agent that started it.
	last := call("tasks.run", m{"project": "notes", "source": sleeping, "lang": "json", "waitMs": 1}).field(t, "id")
	if err := s.SetAgent(ctx, ""); err != nil {
		t.Fatal(err)
	}
	if run := ended(t, s.Bench, last); run.Status != "canceled" || !strings.Contains(run.Err, "session has ended") {
		t.Errorf("%+v", run)
	}
	if run, _, _, err := s.TaskRun(theirs.ID); err != nil || run.Status != TaskRunning {
		t.Errorf("a person's run: %+v %v", run, err)
	}
	var calls []string
	for r, err := range s.Audit(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Role == host.Agent && strings.HasPrefix(r.Func, "tasks@1.run") {
			calls = append(calls, r.Func+string(r.Code))
		}
	}
	if len(calls) < 8 {
		t.Errorf("the audit has %q", calls)
	}
}

// A person is asked about an agent's task, and sees what it may do; by default nobody can be asked, and it is denied.
func TestAgentsAskForTasks(t *testing.T) {
	var asked []tool.Question
	allow := false
	s, call := withAgent(t, Options{Tasks: &TaskOptions{}, Confirm: func(_ context.Context, q tool.Question) (tool.Answer, error) {
		q.Args = append(json.RawMessage(nil), q.Args...)
		asked = append(asked, q)
		return tool.Answer{Allow: allow}, nil
	}})
	nothing := m{"source": `{"name": "n", "policy": {"writable": ["*.md"]}, "stages": [{"name": "s", "commands": []}]}`, "lang": "json", "input": 5}
	has(t, "refused", call("tasks.run", nothing), "denied")
	if n := len(s.TaskRuns()); n != 0 {
		t.Errorf("%d runs", n)
	}
	allow = true
	has(t, "permitted", call("tasks.run", nothing), "succeeded")
	if len(asked) != 2 || asked[0].Func.Capability != "tasks" || asked[0].Call.Project != "bot" || !strings.Contains(string(asked[0].Args), `"policy":{"writable":["*.md"]}`) {
		t.Errorf("%+v", asked)
	}
	if _, err := s.RunTask(t.Context(), TaskStart{Project: "notes", Source: nothing["source"].(string), Lang: "json"}); err != nil || len(asked) != 2 {
		t.Errorf("a person was asked: %v", err)
	}
	none, _ := withAgent(t, Options{})
	has(t, "without Options.Tasks", none.ask(t, "bot", none.Agent().ID, m{"act": "get", "name": "HOST.tasks"}), "null")
	caps := host.New()
	host.Register(caps.Define("tasks", 1), "run", "", func(context.Context, waiting) (string, error) { return "", nil })
	if _, err := New(t.Context(), sam.NewWorkspace(s.store, "eve", nil), s.eng, &Options{Capabilities: caps}); err == nil {
		t.Error("a program's capability is called tasks")
	}
}
