package task_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"samkit.dev/sam"
	"samkit.dev/tool/task"
	"samkit.dev/wasi"
)

func matches(t *testing.T, schema, data []byte) error {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return r.Validate(v)
}

// hostileRuns are a run with everything in it, most of it hostile, and an empty one.
func hostileRuns(t *testing.T) []*task.Run {
	t.Helper()
	r, err := wasi.New(&wasi.Options{Allow: []string{"cat"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	evil := "</pre><script>alert(1)</script>\n\x1b[31mred\x1b[0m & \"quotes\"\n"
	p := project(t, sam.Files{"a": "1\n2\n3\n", "<b>": "x", "bin": "\x00\x01"})
	tk, err := task.Define("all", task.Policy{Writable: []string{"*"}, Deny: []string{".env"}, Commands: [][]string{{"cat", "*"}}}, task.Then(
		task.NewStage("first", func(ctx context.Context, w *task.Work, in string) (string, error) {
			w.ReadFile(".env")
			w.Exec(ctx, "rm", "<img src=x onerror=alert(1)>")
			_, err := w.ExecWith(ctx, &task.ExecOptions{Env: []string{"TOKEN=hunter2"}, Stdin: strings.NewReader(evil)}, "cat", "-")
			return in, errors.Join(err, w.WriteFile("a", []byte("1\n"+evil+"3\n")), w.WriteFile("bin", []byte{0, 2}), w.Remove("<b>"), w.WriteFile("new", []byte(evil)),
				w.Artifact("report", strings.NewReader(evil)), w.Artifact("blob", bytes.NewReader([]byte{0, 1, 2, 0xff})))
		}, nil),
		task.NewStage("second", func(ctx context.Context, w *task.Work, in string) (string, error) {
			return in, errors.New("<script>alert(2)</script>")
		}, nil)))
	if err != nil {
		t.Fatal(err)
	}
	_, run, err := tk.Run(t.Context(), task.Project(p), "in", &task.RunOptions{Backend: task.Virtual(r)})
	if err == nil || len(run.Changes) != 4 {
		t.Fatalf("%v, %d changes", err, len(run.Changes))
	}
	return []*task.Run{run, {Status: task.Canceled}}
}

func TestReport(t *testing.T) {
	for _, run := range hostileRuns(t) {
		data := run.JSON()
		if err := matches(t, task.ReportSchema(), data); err != nil {
			t.Errorf("%v\n%s", err, data)
		}
		if bytes.Contains(data, []byte("hunter2")) {
			t.Error("a value of the environment is in the report")
		}
		again, err := task.ParseRun(data)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := withoutSizes(t, again.JSON()), withoutSizes(t, data); !reflect.DeepEqual(got, want) {
			t.Errorf("read and written again:\n%v\nwas\n%v", got, want)
		}
	}
	for _, bad := range []string{``, `[]`, `{"version":2}`, `{"version":1,"policy":{"x":1}}`} {
		if _, err := task.ParseRun([]byte(bad)); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// withoutSizes is a report without the sizes of artifacts, which ParseRun does not know.
func withoutSizes(t *testing.T, data []byte) any {
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	for _, a := range v["artifacts"].(map[string]any) {
		delete(a.(map[string]any), "size")
	}
	return v
}

func ExampleSuggest() {
	var runs []*task.Run
	for i := range 20 {
		runs = append(runs, &task.Run{Stages: []task.StageReport{{Name: "test", Duration: time.Duration(i+1) * time.Second}}})
	}
	fmt.Println(task.Suggest(runs)["test"])
	// Output: 38s
}

const upgrade = `{
	"name": "shout", "policy": {"writable": ["out/**"], "commands": [["tee", "*"], ["false"]]},
	"stages": [
		{"name": "copy", "commands": [["tee", "out/x"], ["tee", "out/y"]], "input": {"type": "object", "required": ["word"]}, "artifacts": {"copy": "out/y"}},
		{"name": "read", "commands": [], "writes": [], "result": "out/x", "output": {"type": "object"}}
	]
}`

func TestParse(t *testing.T) {
	if err := matches(t, task.TaskSchema(), []byte(upgrade)); err != nil {
		t.Error(err)
	}
	tk, err := task.Parse([]byte(upgrade))
	if err != nil {
		t.Fatal(err)
	}
	r, err := wasi.New(&wasi.Options{Allow: []string{"tee", "false"}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p := project(t, sam.Files{"out/keep": ""})
	o := &task.RunOptions{Backend: task.Virtual(r)}
	out, run, err := tk.Run(t.Context(), task.Project(p), json.RawMessage(`{"word":"hi"}`), o)
	if err != nil || string(out) != `{"word":"hi"}` || string(run.Artifact("copy")) != `{"word":"hi"}` || !slices.Equal(run.Promoted, []string{"out/x", "out/y"}) {
		t.Errorf("%v, %s, %+v", err, out, run)
	}
	var ce *task.ContractError
	if _, _, err := tk.Run(t.Context(), task.Project(p), json.RawMessage(`{}`), o); !errors.As(err, &ce) || !ce.Input {
		t.Errorf("bad input: %v", err)
	}
	fails, err := task.Parse([]byte(strings.Replace(upgrade, `["tee", "out/y"]`, `["false"]`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	var xe *task.ExitError
	if _, run, err := fails.Run(t.Context(), task.Project(p), json.RawMessage(`{"word":"ho"}`), o); !errors.As(err, &xe) || xe.Code != 1 || run.Status != task.Failed {
		t.Errorf("a command failed: %v", err)
	}
	lazy, err := task.Parse([]byte(strings.Replace(upgrade, `"out/y"}`, `"out/z"}`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if _, run, err := lazy.Run(t.Context(), task.Project(p), json.RawMessage(`{"word":"ho"}`), o); !errors.Is(err, task.ErrIncomplete) || run.Status != task.Incomplete {
		t.Errorf("an artifact is missing: %v", err)
	}
	for what, bad := range map[string]string{
		"unknown field": strings.Replace(upgrade, `"writes"`, `"write"`, 1),
		"policy":        strings.Replace(upgrade, `"writable"`, `"writeable"`, 1),
		"command":       strings.Replace(upgrade, `"tee", "out/x"`, `"rm", "out/x"`, 1),
		"writes":        strings.Replace(upgrade, `"writes": []`, `"writes": ["src/**"]`, 1),
		"schema":        strings.Replace(upgrade, `{"type": "object"}`, `{"type": 1}`, 1),
		"more":          upgrade + "{}",
		"timeout":       strings.Replace(upgrade, `"writes": []`, `"timeoutMs": -1`, 1),
		"null":          `null`,
	} {
		if _, err := task.Parse([]byte(bad)); err == nil {
			t.Errorf("%s: it is taken", what)
		}
	}
}
