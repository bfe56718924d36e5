//go:build linux && (amd64 || arm64)

package box_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"samkit.dev/tool/task/internal/box"
)

// A supervisor waits for the next command. It makes no difference but for the time: whatever happens to it, and to whatever it does not fit,
// a command runs as it would without, and nothing of one is there for the next.
func TestSpare(t *testing.T) {
	each(t, func(t *testing.T, b *box.Box) {
		root := workspace(t)
		other := workspace(t)
		if os.Geteuid() == 0 {
			beside := filepath.Dir(other) // and above it is the test's own, which is root's alone
			err := errors.Join(os.Chown(other, nobody, nobody), os.Chmod(beside, 0o755), os.Chmod(filepath.Dir(beside), 0o755))
			if err != nil {
				t.Fatal(err)
			}
		}
		// command runs one, and looks for the next spare.
		command := func(c box.Command) {
			t.Helper()
			pid := b.Spare()
			if c.Root == "" {
				c.Root = root
			}
			c.Writable = all
			got := sh(t, b, c, "ls -A $HOME $TMPDIR /dev/shm | grep mine; touch $HOME/mine $TMPDIR/mine /dev/shm/mine; cat; echo made > made; echo errors >&2; exit 4")
			if got.Code != 4 || strings.Contains(got.out, "mine\n") || !strings.Contains(got.out, "errors\n") || c.Stdin != nil && !strings.Contains(got.out, "input") {
				t.Fatalf("%+v %q", got.Result, got.out)
			}
			if read(t, c.Root+"/made") != "made\n" {
				t.Error("the workspace is another")
			}
			if now := b.Spare(); now == pid || now == 0 {
				t.Errorf("the spare is process %d, before %d", now, pid)
			}
		}
		sh(t, b, box.Command{Root: root}, "true") // there is none yet
		command(box.Command{})
		command(box.Command{Stdin: strings.NewReader("input")})
		command(box.Command{Network: []string{"registry.example.com"}})
		command(box.Command{Limits: box.Limits{Temp: 1 << 20}})
		command(box.Command{Root: other})
		command(box.Command{})
		if err := syscall.Kill(b.Spare(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		command(box.Command{})
		b.AgeSpare()
		command(box.Command{})
		pid := b.Spare()
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, 0); err == nil {
			t.Errorf("process %d is left", pid)
		}
	})
}
