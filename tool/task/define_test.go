package task_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"samkit.dev/tool/task"
)

func same(ctx context.Context, w *task.Work, in int) (int, error) { return in, nil }

func TestDefineRefuses(t *testing.T) {
	p := task.Policy{Writable: []string{"src/**", "**"}, Deny: []string{"src/secret/**"}, Commands: [][]string{{"true"}}}
	stage := func(o *task.StageOptions) task.Stage[int, int] { return task.NewStage("s", same, o) }
	writes := func(w ...string) task.Stage[int, int] { return stage(&task.StageOptions{Writes: w}) }
	for _, c := range []struct {
		name  string
		p     task.Policy
		stage task.Stage[int, int]
		want  string // "" if it is defined
	}{
		{"good", p, writes("src/a/*", "x"), ""},
		{"none", p, writes(), ""},
		{"within a denied folder", p, writes("src/secret/a"), `denies by "src/secret/**"`},
		{"case", p, writes("SRC/Secret/a"), `denies by "src/secret/**"`},
		{"outside", task.Policy{Writable: []string{"src/*"}}, writes("src/a/b"), "does not permit"},
		{"git", p, writes(".git/hooks/x"), "does not permit"},
		{"git in the policy", task.Policy{Writable: []string{"**/.git/**"}}, writes(".git/hooks/x"), ""},
		{"a pattern", p, writes("a**b"), "part of its own"},
		{"two", p, task.Then(stage(nil), stage(nil)), "two stages"},
		{"name", p, task.NewStage("a/b", same, nil), "the name is not"},
		{"timeout", p, stage(&task.StageOptions{Timeout: -1}), "timeout"},
		{"artifact", p, stage(&task.StageOptions{Artifacts: []string{"../x"}}), "artifact"},
		{"artifact twice", p, stage(&task.StageOptions{Artifacts: []string{"x", "x"}}), "elsewhere"},
		{"patch", p, stage(&task.StageOptions{Artifacts: []string{task.PatchArtifact}}), "elsewhere"},
		{"schema", p, stage(&task.StageOptions{Output: json.RawMessage(`{"type":3}`)}), "output: not a JSON Schema"},
		{"policy", task.Policy{Writable: []string{"../x"}, Deny: []string{"a**"}, Commands: [][]string{{}}, Network: []string{"http:"}, Timeout: -1}, stage(nil), "network"},
		{"no stage", p, task.Stage[int, int]{}, "no stages"},
	} {
		_, err := task.Define("t", c.p, c.stage)
		if got := ""; err != nil {
			got = err.Error()
			if c.want == "" || !strings.Contains(got, c.want) {
				t.Errorf("%s: %v, want %q", c.name, err, c.want)
			}
		} else if c.want != "" {
			t.Errorf("%s: it is defined", c.name)
		}
	}
	_, err := task.Define("t", p, writes(".git/x"))
	var pe *task.PolicyError
	if !errors.As(err, &pe) || pe.Stage != "s" || pe.Path != ".git/x" {
		t.Errorf("no PolicyError: %v", err)
	}
}

// A type that no JSON can stand for is told by Define.
func TestDefineType(t *testing.T) {
	s := task.NewStage("s", func(ctx context.Context, w *task.Work, in int) (chan int, error) { return nil, nil }, nil)
	if _, err := task.Define("t", task.Policy{}, s); err == nil || !strings.Contains(err.Error(), "output") {
		t.Error(err)
	}
}

// Stages whose types do not meet do not compile.
func TestWrongJoin(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for join, want := range map[string]string{
		"task.Then(a, b)": "", // the program is a good one otherwise
		"task.Then(b, a)": "does not match",
	} {
		dir := t.TempDir()
		program := strings.ReplaceAll(`package main

import (
	"context"

	"samkit.dev/tool/task"
)

func main() {
	a := task.NewStage("a", func(ctx context.Context, w *task.Work, in int) (string, error) { return "", nil }, nil)
	b := task.NewStage("b", func(ctx context.Context, w *task.Work, in string) (bool, error) { return true, nil }, nil)
	_ = JOIN
}
`, "JOIN", join)
		file := filepath.Join(dir, "main.go")
		if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("go", "vet", file)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(string(out), want)) {
			t.Errorf("%s: %v\n%s\nwant %q", join, err, out, want)
		}
	}
}
