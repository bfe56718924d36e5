package taskjs_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/tool/task"
	"samkit.dev/tool/task/taskjs"
	"samkit.dev/wasi"
)

type anyTask = *task.Task[json.RawMessage, json.RawMessage]

func files(pairs ...string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		fsys[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return fsys
}

// stages is a module with stages and nearly no policy.
func stages(text string) string {
	return `export default defineTask({ name: "t", policy: definePolicy({ writablePaths: ["out/**", "a.txt"], denyPaths: [".env"], allowedCommands: ["cat a.txt", ["echo", "**"]], timeoutMs: 120000 }), stages: [` + text + `] });`
}

func parse(t *testing.T, e *engine.Engine, code string) anyTask {
	t.Helper()
	made, err := taskjs.Parse(t.Context(), e, files("tasks/t.ts", code), "tasks/t.ts")
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func project(t *testing.T) *sam.Project {
	t.Helper()
	store := sam.NewMemStore()
	t.Cleanup(func() { store.Close() })
	p, err := sam.NewWorkspace(store, "ada", nil).Create(t.Context(), "app", sam.Files{"a.txt": "one\n", "lib/b.txt": "two\n", ".env": "KEY=1", "raw.bin": "\xff\x00"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDefinition(t *testing.T) {
	e := newEngine(t)
	made, err := taskjs.Parse(t.Context(), e, files(
		"tasks/shared/policy.ts", `export const narrow = definePolicy({ writablePaths: ["src/**"], allowedCommands: ["npm test", ["npm", "install", "*"]], network: { allow: ["registry.example.com"] }, timeoutMs: 90000 });`,
		"tasks/up.ts", `import { narrow } from "./shared/policy"; const defineHere: number = 1;
			export default defineTask({ name: "up", description: "Upgrades.", policy: narrow, stages: [
				defineStage("one", () => defineHere), defineStage("two", async () => {}, { writes: ["src/a/**"], artifacts: ["log"], timeoutMs: 1500 }),
			] });`), "tasks/up.ts")
	if err != nil {
		t.Fatal(err)
	}
	p := made.Policy()
	if made.Name() != "up" || made.Description() != "Upgrades." || !slices.Equal(p.Writable, []string{"src/**"}) || len(p.Commands) != 2 || !slices.Equal(p.Commands[0], []string{"npm", "test"}) ||
		!slices.Equal(p.Network, []string{"registry.example.com"}) || p.Timeout != 90*time.Second {
		t.Errorf("%s %+v", made.Name(), p)
	}
	two := made.Stages()[1]
	if two.Timeout != 1500*time.Millisecond || !slices.Equal(two.Writes, []string{"src/a/**"}) || !slices.Equal(two.Artifacts, []string{"log"}) || made.Stages()[0].Timeout != 90*time.Second {
		t.Errorf("%+v", made.Stages())
	}
}

// What is wrong with a definition is told with its place, and nothing has run.
func TestWrongDefinitions(t *testing.T) {
	e := newEngine(t)
	for _, c := range []struct{ code, want string }{
		{`export default defineTask({ name: "t" `, "tasks/t.ts:1:"},
		{`export const x = 1;`, "no default export"},
		{`export default { name: "t" };`, "not made by defineTask"},
		{"const a = 1;\nexport default defineTask({ name: 't', policy: definePolicy({ writeable: [] }), stages: [] });", `no member "writeable"; it has writablePaths, denyPaths, allowedCommands, network, timeoutMs (at tasks/t.ts:2:`},
		{`export default defineTask({ name: "t", policy: { writable: ["**"] }, stages: [] });`, "policy is not made by definePolicy"},
		{`export default defineTask({ name: "t", policy: definePolicy({ allowedCommands: ["npm test && rm -rf /"] }), stages: [] });`, `"&&", and there is no shell`},
		{`export default defineTask({ name: "t", policy: definePolicy({ allowedCommands: ["echo $HOME"] }), stages: [] });`, `"$HOME"`},
		{`export default defineTask({ name: "t", policy: definePolicy({ writablePaths: "src" }), stages: [] });`, "writablePaths is no list of strings"},
		{`export default defineTask({ name: "t", policy: definePolicy({}), stages: [] });`, "no stages"},
		{`export default defineTask({ name: "a b", policy: definePolicy({}), stages: [defineStage("s", () => 1)] });`, "the name is not letters"},
		{`export default defineTask({ name: "t", policy: definePolicy({}), stages: [defineStage("s", 1)] });`, "has no function"},
		{stages(`defineStage("s", () => 1, { writes: ["config/**"] })`), `stage s writes "config/**", which the policy does not permit`},
		{stages(`defineStage("s", () => 1), defineStage("s", () => 1)`), `two stages "s"`},
		{stages(`defineStage("s", () => 1, { output: { type: 5 } })`), "output"},
		{stages(`defineStage("s", () => 1, { timeoutMs: -1 })`), "timeoutMs is -1"},
		{"throw new Error('early');\nexport default 1", "early (at tasks/t.ts:1:"},
		{`await 1; export default 1`, "awaits outside of functions"},
		{`import "../src/x"; export default 1`, "imports src/x.ts"},
		{`import "left-pad"; export default 1`, "left-pad"},
		{`import fs from "node:fs"; fs.readFileSync("/etc/passwd"); export default 1`, "fs"},
		{`for (;;) {}`, "computed for longer than"},
	} {
		_, err := taskjs.Parse(t.Context(), e, files("tasks/t.ts", c.code, "src/x.ts", "export {}"), "tasks/t.ts")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n\t%v\n\twant %s", c.code, err, c.want)
		}
	}
	if _, err := taskjs.Parse(t.Context(), e, files(), "tasks/t.ts"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	var wrong *task.PolicyError
	if _, err := taskjs.Parse(t.Context(), e, files("tasks/t.ts", stages(`defineStage("s", () => 1, { writes: [".env"] })`)), "tasks/t.ts"); !errors.As(err, &wrong) {
		t.Errorf("%v", err)
	}
}

// Each function of a stage's context.
func TestContext(t *testing.T) {
	e := newEngine(t)
	runner, err := wasi.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	p := project(t)
	made := parse(t, e, `let module = 0;`+stages(`
		defineStage("work", async (ctx) => {
			module++;
			const eq = (a, b) => { if (JSON.stringify(a) !== JSON.stringify(b)) throw new Error(JSON.stringify(a) + " is not " + JSON.stringify(b)); };
			eq([ctx.input, ctx.prev, ctx.stage], [{ n: 1 }, null, "work"]);
			eq(await ctx.listDir(), [".env", "a.txt", "lib/", "raw.bin"].filter((n) => n !== ".env"));
			eq(await ctx.listDir("lib"), ["b.txt"]);
			eq(await ctx.readFile("a.txt"), "one\n");
			eq([...(await ctx.readBytes("raw.bin"))], [255, 0]);
			const id = await ctx.snapshot();
			await ctx.writeFile("out/x.txt", "x");
			await ctx.writeFile("out/y.bin", new Uint8Array([1, 2]));
			await ctx.renameFile("out/x.txt", "out/z.txt");
			await ctx.removeFile("a.txt");
			eq((await ctx.diff()).map((c) => c.name), ["a.txt", "out/y.bin", "out/z.txt"]);
			await ctx.restore(id);
			eq(await ctx.diff(), []);
			await ctx.writeFile("a.txt", "two\n");
			const x = await ctx.exec("cat a.txt");
			eq([x.code, x.stdout, x.stderr], [0, "two\n", ""]);
			eq((await ctx.exec(["echo", "a  b;c"])).stdout, "a  b;c\n");
			const refused = [];
			for (const f of [() => ctx.readFile(".env"), () => ctx.writeFile("lib/b.txt", ""), () => ctx.exec(["rm", "a.txt"]), () => ctx.readFile("none"), () => ctx.readFile("raw.bin"), () => ctx.restore("none"), () => ctx.artifact("changes.patch", "x")])
				try { await f(); refused.push("worked"); } catch (e) { refused.push(e.code); }
			eq(refused, ["denied", "denied", "denied", "not_found", "invalid", "not_found", "invalid"]);
			await ctx.artifact("data", { a: [1] });
			console.log("said", { a: 1 });
			return { list: [1, null], text: "ü" };
		}, { artifacts: ["data"] }),
		defineStage("next", (ctx) => [ctx.prev, ctx.input, module, typeof fetch, typeof process, typeof require])`))
	var logs []string
	out, run, err := made.Run(t.Context(), task.Project(p), json.RawMessage(`{"n": 1}`), &task.RunOptions{Backend: task.Virtual(runner), Events: func(ev task.Event) {
		if ev.Kind == "log" {
			logs = append(logs, ev.Stage+": "+ev.Text)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if want := `[{"list":[1,null],"text":"ü"},{"n":1},0,"function","undefined","undefined"]`; string(out) != want {
		t.Errorf("%s, want %s", out, want)
	}
	if len(logs) != 1 || !strings.HasPrefix(logs[0], "work: said") {
		t.Errorf("%q", logs)
	}
	if string(run.Artifact("data")) != `{"a":[1]}` || len(run.Stages[0].Refused) != 3 {
		t.Errorf("%s %+v", run.Artifact("data"), run.Stages[0].Refused)
	}
	if data, err := p.ReadFile(t.Context(), "a.txt"); err != nil || string(data) != "two\n" {
		t.Errorf("%q %v", data, err)
	}
}

// How a stage may fail: its project stays as it was, and the report says where in the module.
func TestStagesFail(t *testing.T) {
	e := newEngine(t)
	for _, c := range []struct{ stage, want string }{
		{`defineStage("s", async (ctx) => {` + "\n" + ` throw new Error("enough"); })`, "stage s: enough (at tasks/t.ts:2:8)"},
		{`defineStage("s", async (ctx) => { null.x })`, "TypeError"},
		{`defineStage("s", () => { throw "text" })`, "text"},
		{`defineStage("s", () => { throw null })`, "null"},
		{`defineStage("s", () => 1n)`, "BigInt"},
		{`defineStage("s", () => () => 1)`, "no JSON"},
		{`defineStage("s", () => new Promise(() => {}))`, "promise that nothing settles"},
		{`defineStage("s", () => { for (;;) {} }, { timeoutMs: 300 })`, "longer than 300ms"},
		{`defineStage("s", async () => { await new Promise((r) => setTimeout(r, 600000)) }, { timeoutMs: 300 })`, "longer than 300ms"},
		{`defineStage("s", () => "x".repeat(5 << 20))`, "returned more than"},
		{`defineStage("s", (ctx) => fetch("http://127.0.0.1:1/"))`, "fetch"},
		{`defineStage("s", () => ({ n: "x" }), { output: { type: "object", properties: { n: { type: "number" } } } })`, "the output of stage s"},
		{`defineStage("s", () => ({ n: 1 })), defineStage("r", () => 1, { input: { required: ["m"] } })`, "the input of stage r"},
	} {
		p := project(t)
		before, err := p.Revision(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, run, err := parse(t, e, stages(c.stage)).Run(t.Context(), task.Project(p), nil, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || run == nil || run.Status != task.Failed {
			t.Errorf("%s:\n\t%v\n\twant %s", c.stage, err, c.want)
		}
		if after, err := p.Revision(t.Context()); err != nil || after != before {
			t.Errorf("%s: the project has changed, %v", c.stage, err)
		}
	}
	var thrown *taskjs.ThrownError
	_, _, err := parse(t, e, stages(`defineStage("s", (ctx) => ctx.writeFile("lib/b.txt", "x"))`)).Run(t.Context(), task.Project(project(t)), nil, nil)
	if !errors.Is(err, task.ErrRefused) || !errors.As(err, &thrown) {
		t.Errorf("what the context refused: %v", err)
	}
	_, _, err = parse(t, e, stages(`defineStage("s", (ctx) => ctx.exec("cat a.txt"))`)).Run(t.Context(), task.Project(project(t)), nil, nil)
	if !errors.Is(err, task.ErrNoBackend) {
		t.Errorf("without a backend: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, run, err := parse(t, e, stages(`defineStage("s", (ctx) => { console.log("here"); for (;;) {} })`)).Run(ctx, task.Project(project(t)), nil, &task.RunOptions{Events: func(ev task.Event) {
		if ev.Kind == "stage" {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || run.Status != task.Canceled {
		t.Errorf("canceled: %v", err)
	}
}

// A stage that needs more memory than it may have ends alone, in a worker process.
func TestStagesAreWorkers(t *testing.T) {
	e, err := engine.New(&engine.Options{Isolation: engine.Process})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	greedy := parse(t, e, stages(`defineStage("s", () => { const all = []; for (;;) all.push("x".repeat(1 << 22) + all.length) })`))
	if _, run, err := greedy.Run(t.Context(), task.Project(project(t)), nil, nil); err == nil || run.Status != task.Failed {
		t.Errorf("%v", err)
	}
	p := project(t)
	if out, _, err := parse(t, e, stages(`defineStage("a", (ctx) => ctx.writeFile("a.txt", "new")), defineStage("b", (ctx) => ctx.readFile("a.txt"))`)).Run(t.Context(), task.Project(p), nil, nil); err != nil || string(out) != `"new"` {
		t.Errorf("%s %v", out, err)
	}
}

// No task writes what it or another is defined by, unless its policy names that.
func TestDefinitionsAreWrittenByName(t *testing.T) {
	e := newEngine(t)
	for policy, want := range map[string]string{
		`["**", "*/**", "t*/*.ts", "**/*.json", "x.*"]`: "", `["tasks/**"]`: "tasks/shared/p.js tasks/t.ts tasks/u.task.json", `["**", "*.task.ts"]`: "x.task.ts", `["**/*.task.json"]`: "tasks/u.task.json x.task.json",
	} {
		made := parse(t, e, `export default defineTask({ name: "t", policy: definePolicy({ writablePaths: `+policy+` }), stages: [defineStage("s", async (ctx) => {
			for (const f of ["tasks/t.ts", "tasks/shared/p.js", "tasks/u.task.json", "x.task.ts", "x.task.json"])
				try { await ctx.writeFile(f, ""); } catch (e) { if (e.code !== "denied") throw e; }
		})] });`)
		_, run, err := made.Run(t.Context(), task.Project(project(t)), nil, nil)
		if err != nil {
			t.Errorf("%s: %v", policy, err)
			continue
		}
		if wrote := strings.Join(run.Promoted, " "); wrote != want {
			t.Errorf("%s: wrote %s, want %s", policy, wrote, want)
		}
	}
}
