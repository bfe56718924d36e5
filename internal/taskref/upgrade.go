package taskref

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"samkit.dev/tool/task"
)

// A Wish is what to upgrade, and to which version.
type Wish struct{ Package, Version string }

// A Before is the project before the upgrade.
type Before struct {
	Wish
	Had      string // the version
	Snapshot string // its id
}

// An Upgraded is what npm made of it.
type Upgraded struct{ Package, From, To string }

// Validate implements the stage's contract: an upgrade that did not happen goes no further.
func (u Upgraded) Validate() error {
	if u.From == u.To {
		return fmt.Errorf("%s is still %s", u.Package, u.From)
	}
	return nil
}

// A Verdict is what the project's tests said.
type Verdict struct {
	Upgraded
	Passed int
}

// Policy is what the task may do: two files and what npm installs, three commands, one host.
func Policy(registry string) task.Policy {
	return task.Policy{
		Writable: []string{"package.json", "package-lock.json", "node_modules/**"},
		Deny:     []string{".env", "**/*.key"},
		Commands: [][]string{{"npm", "install", "--save-exact", "*"}, {"npm", "test"}},
		Network:  []string{registry},
		Timeout:  2 * time.Minute,
	}
}

// Upgrade is the task: snapshot, upgrade, verify.
func Upgrade(p task.Policy) (*task.Task[Wish, Verdict], error) {
	snapshot := task.NewStage("snapshot", func(ctx context.Context, w *task.Work, in Wish) (Before, error) {
		had, err := version(w, in.Package)
		if err != nil {
			return Before{}, err
		}
		id, err := w.Snapshot("package.json", "package-lock.json")
		return Before{in, had, id}, err
	}, nil)
	upgrade := task.NewStage("upgrade", func(ctx context.Context, w *task.Work, in Before) (Upgraded, error) {
		x, err := w.Exec(ctx, "npm", "install", "--save-exact", in.Package+"@"+in.Version)
		if err != nil {
			return Upgraded{}, err
		}
		if x.Code != 0 {
			return Upgraded{}, fmt.Errorf("npm install: exit code %d: %s", x.Code, x.Stderr.Head)
		}
		has, err := version(w, in.Package)
		return Upgraded{in.Package, in.Had, has}, err
	}, nil)
	verify := task.NewStage("verify", func(ctx context.Context, w *task.Work, in Upgraded) (Verdict, error) {
		x, err := w.Exec(ctx, "npm", "test")
		if err != nil {
			return Verdict{}, err
		}
		if err := w.Artifact("test-report", strings.NewReader(x.Stdout.Head+x.Stderr.Head)); err != nil {
			return Verdict{}, err
		}
		if x.Code != 0 {
			return Verdict{}, errors.New("the tests fail with " + in.Package + " " + in.To)
		}
		return Verdict{in, strings.Count(x.Stdout.Head, "passed: ")}, nil
	}, &task.StageOptions{Writes: []string{}, Artifacts: []string{"test-report"}})
	return task.Define("upgrade-dependency", p, task.Then(task.Then(snapshot, upgrade), verify))
}

// version is the version of a dependency that a project asks for.
func version(w *task.Work, name string) (string, error) {
	data, err := w.ReadFile("package.json")
	if err != nil {
		return "", err
	}
	var p struct{ Dependencies map[string]string }
	if err := json.Unmarshal(data, &p); err != nil {
		return "", fmt.Errorf("package.json: %w", err)
	}
	if p.Dependencies[name] == "" {
		return "", fmt.Errorf("package.json has no dependency %s", name)
	}
	return p.Dependencies[name], nil
}
