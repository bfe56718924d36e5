package task_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"samkit.dev/tool/task"
)

// The history of git is neither read nor written unless the policy names it, and then it is rolled back as all else. What git would
// run stays as it is even so.
func TestGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	dir := filepath.Join(t.TempDir(), "repository")
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "safe.directory=*"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	git("init", "-q", "-b", "main")
	write("a", "1\n")
	git("add", "a")
	git("commit", "-q", "-m", "first")
	write("a", "1, and not committed\n")
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	env := []string{"GIT_AUTHOR_NAME=Agent", "GIT_AUTHOR_EMAIL=agent@example.com", "GIT_COMMITTER_NAME=Agent", "GIT_COMMITTER_EMAIL=agent@example.com"}
	commands := [][]string{{"git", "**"}, {"sh", "-c", "*"}}
	// commit has an agent change a file, commit it, and plant what git runs.
	commit := func(b task.Backend, p task.Policy, fail bool) *task.Run {
		t.Helper()
		tk := once(t, p, nil, func(ctx context.Context, w *task.Work) error {
			if err := w.WriteFile("a", []byte("2\n")); err != nil {
				return err
			}
			for _, argv := range [][]string{{"git", "commit", "-qam", "second"}, {"git", "config", "core.pager", "sh -c evil"}, {"sh", "-c", "echo evil > .git/hooks/pre-push; chmod 755 .git/hooks/pre-push"}} {
				if _, err := w.Exec(ctx, argv...); err != nil {
					return err
				}
			}
			if fail {
				return errors.New("it would rather not")
			}
			return nil
		})
		_, run, err := tk.Run(t.Context(), task.Dir(root), 0, &task.RunOptions{Backend: b, Env: env})
		if fail == (err == nil) {
			t.Fatal(err)
		}
		return run
	}
	for kind, b := range backends(t) {
		if kind == "virtual" {
			continue
		}
		head, config := git("rev-parse", "HEAD"), git("config", "--list", "--local")
		same := func(what string) {
			t.Helper()
			if git("config", "--list", "--local") != config {
				t.Errorf("%s: %s: the configuration is %s", kind, what, git("config", "--list", "--local"))
			}
			if _, err := root.Stat(".git/hooks/pre-push"); err == nil {
				t.Errorf("%s: %s: there is a hook", kind, what)
			}
			git("fsck", "--strict")
		}
		commit(b, task.Policy{Writable: []string{"**"}, Commands: commands}, false)
		if got, err := root.ReadFile("a"); err != nil || string(got) != "2\n" || git("rev-parse", "HEAD") != head {
			t.Errorf("%s: git is not named: %q, %v\n%s", kind, got, err, git("log", "--oneline"))
		}
		same("git is not named")
		write("a", "1, and not committed\n")
		named := task.Policy{Writable: []string{"**", ".git/**"}, Commands: commands}
		commit(b, named, true)
		if got, err := root.ReadFile("a"); err != nil || string(got) != "1, and not committed\n" || git("rev-parse", "HEAD") != head {
			t.Errorf("%s: rolled back: %q, %v\n%s", kind, got, err, git("log", "--oneline"))
		}
		same("rolled back")
		run := commit(b, named, false)
		if git("log", "-1", "--format=%an %s") != "Agent second\n" || git("rev-parse", "HEAD~1") != head || strings.TrimSpace(git("status", "--porcelain")) != "" {
			t.Errorf("%s: promoted: %s%s\n%+v", kind, git("log", "--oneline"), git("status"), run.Stages[0])
		}
		same("promoted")
		git("reset", "-q", "--hard", "HEAD~1")
		write("a", "1, and not committed\n")
	}
}
