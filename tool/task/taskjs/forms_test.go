package taskjs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"samkit.dev/sam"
	"samkit.dev/tool/task"
	"samkit.dev/tool/task/taskjs"
	"samkit.dev/wasi"
)

// One task in three languages: adds up a column, tries what it may not, and holds if the sum is what the input says.
const (
	inJSON = `{
	"name": "sums", "policy": {"writable": ["sum*.txt"], "deny": [".env"], "commands": [["awk", "*", "in.txt"], ["grep", "-qx", "*", "sum.txt"], ["cp", "in.txt", "*"], ["cat"]], "timeoutMs": 60000},
	"stages": [
		{"name": "add", "input": {"type": "object", "required": ["sum"]}, "commands": [["awk", "{ s += $1 } END { print s > \"sum.txt\" }", "in.txt"], ["cat"]], "writes": ["sum.txt"]},
		{"name": "verify", "writes": [], "commands": [["grep", "-qx", "%s", "sum.txt"]], "artifacts": {"total": "sum.txt"}, "output": {"type": "object", "properties": {"sum": {"type": "integer"}}}}
	]}`
	inTypeScript = `
	const policy: unknown = definePolicy({ writablePaths: ["sum*.txt"], denyPaths: [".env"], timeoutMs: 60_000, allowedCommands: [["awk", "*", "in.txt"], "grep -qx * sum.txt", "cp in.txt *", "cat"] });
	type Sum = { sum: number };
	async function run(ctx: any, command: string | string[]): Promise<void> {
		const x = await ctx.exec(command, { stdin: JSON.stringify(ctx.prev ?? ctx.input) });
		if (x.code !== 0) throw new Error("failed");
	}
	export default defineTask({
		name: "sums", policy, input: { type: "object", required: ["sum"] },
		stages: [
			defineStage("add", async (ctx): Promise<Sum> => {
				await run(ctx, ["awk", "{ s += $1 } END { print s > \"sum.txt\" }", "in.txt"]);
				await run(ctx, "cat");
				return ctx.input;
			}, { writes: ["sum.txt"] }),
			defineStage("verify", async (ctx) => {
				await run(ctx, "grep -qx %s sum.txt");
				await ctx.artifact("total", await ctx.readFile("sum.txt"));
				return ctx.prev;
			}, { writes: [], artifacts: ["total"], output: { type: "object", properties: { sum: { type: "integer" } } } }),
		],
	});`
)

// inGo is the task as a program.
func inGo(t *testing.T, sum string) *task.Task[json.RawMessage, json.RawMessage] {
	t.Helper()
	run := func(ctx context.Context, w *task.Work, in json.RawMessage, argv ...string) error {
		x, err := w.ExecWith(ctx, &task.ExecOptions{Stdin: bytes.NewReader(in)}, argv...)
		if err == nil && x.Code != 0 {
			err = fmt.Errorf("failed")
		}
		return err
	}
	add := task.NewStage("add", func(ctx context.Context, w *task.Work, in json.RawMessage) (json.RawMessage, error) {
		if err := run(ctx, w, in, "awk", `{ s += $1 } END { print s > "sum.txt" }`, "in.txt"); err != nil {
			return nil, err
		}
		return in, run(ctx, w, in, "cat")
	}, &task.StageOptions{Writes: []string{"sum.txt"}, Input: json.RawMessage(`{"type": "object", "required": ["sum"]}`)})
	verify := task.NewStage("verify", func(ctx context.Context, w *task.Work, in json.RawMessage) (json.RawMessage, error) {
		if err := run(ctx, w, in, "grep", "-qx", sum, "sum.txt"); err != nil {
			return nil, err
		}
		data, err := w.ReadFile("sum.txt")
		if err != nil {
			return nil, err
		}
		return in, w.Artifact("total", bytes.NewReader(data))
	}, &task.StageOptions{Writes: []string{}, Artifacts: []string{"total"}, Output: json.RawMessage(`{"type": "object", "properties": {"sum": {"type": "integer"}}}`)})
	made, err := task.Define("sums", task.Policy{
		Writable: []string{"sum*.txt"}, Deny: []string{".env"}, Timeout: time.Minute,
		Commands: [][]string{{"awk", "*", "in.txt"}, {"grep", "-qx", "*", "sum.txt"}, {"cp", "in.txt", "*"}, {"cat"}},
	}, task.Then(add, verify))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// own is what differs from run to run, and why a stage failed, which each language says in its own words.
var own = regexp.MustCompile(`"(id|started|durationMs|error)":("(?:[^"\\]|\\.)*"|[0-9.]+)`)

// The same task in Go, in JSON and in TypeScript has the same report but for IDs, times and the words of its error.
func TestFormsHaveTheSameReport(t *testing.T) {
	e := newEngine(t)
	runner, err := wasi.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	for _, sum := range []string{"7", "8"} { // it is 7
		parsed, err := task.Parse([]byte(fmt.Sprintf(inJSON, sum)))
		if err != nil {
			t.Fatal(err)
		}
		module, err := taskjs.Parse(t.Context(), e, fstest.MapFS{"tasks/sums.ts": {Data: []byte(fmt.Sprintf(inTypeScript, sum))}}, "tasks/sums.ts")
		if err != nil {
			t.Fatal(err)
		}
		reports := map[string]string{}
		for form, made := range map[string]*task.Task[json.RawMessage, json.RawMessage]{"Go": inGo(t, sum), "JSON": parsed, "TypeScript": module} {
			store := sam.NewMemStore()
			p, err := sam.NewWorkspace(store, "ada", nil).Create(t.Context(), "app", sam.Files{"in.txt": "3\n4\n", ".env": "KEY=1"})
			if err != nil {
				t.Fatal(err)
			}
			_, run, err := made.Run(t.Context(), task.Project(p), json.RawMessage(`{"sum": 7}`), &task.RunOptions{Backend: task.Virtual(runner)})
			if run == nil || (err == nil) != (sum == "7") {
				t.Fatalf("%s, %s: %v", form, sum, err)
			}
			reports[form] = own.ReplaceAllString(string(run.JSON()), `"$1":0`)
			data, err := p.ReadFile(t.Context(), "sum.txt")
			if (err == nil) != (sum == "7") {
				t.Errorf("%s, %s: sum.txt is %q, %v", form, sum, data, err)
			}
			store.Close()
		}
		if !strings.Contains(reports["Go"], `"add"`) || reports["Go"] != reports["JSON"] || reports["Go"] != reports["TypeScript"] {
			t.Errorf("the reports differ:\n%s\n%s\n%s", reports["Go"], reports["JSON"], reports["TypeScript"])
		}
	}
}
