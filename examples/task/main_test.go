package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"samkit.dev/host/engine"
)

func TestDemo(t *testing.T) {
	var out bytes.Buffer
	report := filepath.Join(t.TempDir(), "report.html")
	if err := (command{report: report}).run(t.Context(), &out, nil); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, want := range []string{"stage verify: held", `+{"sum": 400}`, `output: {"sum": 400}`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not print %q:\n%s", want, &out)
		}
	}
	if page, err := os.ReadFile(report); err != nil || !bytes.Contains(page, []byte("add-up: <span class=\"good\">succeeded")) {
		t.Errorf("the report: %v", err)
	}
}

// The same in TypeScript, on a folder.
func TestModule(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"sales.csv": "month,eur\njan,3\nfeb,4\n", "tasks/sum.ts": `export default defineTask({
		name: "sum", policy: definePolicy({ writablePaths: ["sum.json"] }),
		stages: [defineStage("add", async (ctx: TaskContext) => {
			const sum = (await ctx.readFile("sales.csv")).trim().split("\n").slice(1).reduce((s, line) => s + Number(line.split(",")[1]), ctx.input?.from ?? 0);
			await ctx.writeFile("sum.json", JSON.stringify({ sum }));
			return { sum };
		}, { output: { type: "object", properties: { sum: { minimum: 1 } } } })],
	});`} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := command{dir: dir, isolation: engine.InProcess}
	var out bytes.Buffer
	if err := c.run(t.Context(), &out, []string{filepath.Join(dir, "tasks", "sum.ts"), `{"from": 10}`}); err != nil || !strings.Contains(out.String(), `output: {"sum":17}`) {
		t.Errorf("%v\n%s", err, &out)
	}
	if err := c.run(t.Context(), &out, []string{filepath.Join(dir, "tasks", "sum.ts"), `{"from": -10}`}); err == nil {
		t.Error("a sum below 1 holds")
	}
	if data, err := os.ReadFile(filepath.Join(dir, "sum.json")); err != nil || string(data) != `{"sum":17}` {
		t.Errorf("%q %v", data, err)
	}
}

// On a folder nothing is written if the sum is not good, and what it left is kept.
func TestFolder(t *testing.T) {
	dir, kept := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"sales.csv": "month,eur\njan,-3\n", "out/sum.json": "{}", "t.task.json": string(demo)} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	c := command{dir: dir, keep: kept}
	if err := c.run(context.Background(), &out, []string{filepath.Join(dir, "t.task.json")}); err == nil || !strings.Contains(err.Error(), "exit code 1") {
		t.Errorf("%v\n%s", err, &out)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "out", "sum.json")); err != nil || string(data) != "{}" {
		t.Errorf("the folder has %q, %v", data, err)
	}
	if left, err := filepath.Glob(filepath.Join(kept, "run-*", "files", "out", "sum.json")); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sales.csv"), []byte("month,eur\njan,3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := c.run(context.Background(), &out, []string{filepath.Join(dir, "t.task.json"), "1"}); err != nil {
		t.Errorf("%v\n%s", err, &out)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "out", "sum.json")); err != nil || string(data) != "{\"sum\": 3}\n" {
		t.Errorf("the folder has %q, %v", data, err)
	}
}
