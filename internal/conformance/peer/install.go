package peer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Require skips a test where Node or npm is missing, and fails it in CI.
func Require(t testing.TB) {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err == nil {
			continue
		}
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not installed, which the comparison with workerd needs", tool)
		}
		t.Skipf("%s is not installed: nothing to compare with", tool)
	}
}

// programs is the directory js of this module, looked for from the working directory up.
func programs() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "js", "serve.mjs")); err == nil {
			return filepath.Join(dir, "js"), nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("js/serve.mjs is not found: run this in internal/conformance")
		}
	}
}

// Install brings js/node_modules to what the lock file says, once, also when several
// processes want it, and returns js.
func Install(ctx context.Context) (dir string, err error) {
	if dir, err = programs(); err != nil {
		return "", err
	}
	lock, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return "", err
	}
	unlock, err := lockFile(filepath.Join(os.TempDir(), fmt.Sprintf("samkit-conformance-%d.lock", os.Getuid())))
	if err != nil {
		return "", err
	}
	defer unlock()
	stamp := filepath.Join(dir, "node_modules", ".installed-lock")
	if have, err := os.ReadFile(stamp); err == nil && string(have) == string(lock) {
		return dir, nil
	}
	cmd := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = dir
	if said, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm ci: %w\n%s", err, said)
	}
	return dir, os.WriteFile(stamp, lock, 0o644)
}
