//go:build linux && (amd64 || arm64)

package box_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// nobody is a user without rights, files or processes.
const nobody = 65534

// self copies this program to where every user may run it, and returns its path and a directory of nobody's, or of the user who runs the tests.
func self(t *testing.T) (program, home string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "box-user-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	attacker(t, dir)
	home = filepath.Join(dir, "home")
	err = errors.Join(os.Chmod(dir, 0o755), os.Mkdir(home, 0o700))
	if os.Geteuid() == 0 {
		err = errors.Join(err, os.Chown(home, nobody, nobody))
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "attacker"), home
}

// Where the program is root, what holds for root is not what holds for others: the tests that a user's rights
// decide run once more, as a user who has none.
func TestOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("the tests run as an ordinary user anyway")
	}
	program, home := self(t)
	cmd := exec.CommandContext(t.Context(), program, "-test.v", "-test.run",
		"^(TestRun|TestNetwork|TestFilesOutside|TestWritableIsRoundedUp|TestSockets|TestOtherProcesses|TestLevelSays|TestNothingStays|TestStrongSeesNoMachine|TestBare)$")
	cmd.Dir = home
	cmd.Env = []string{"HOME=" + home, "TMPDIR=" + home, "PATH=/usr/bin:/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestNetwork/light") {
		t.Fatalf("as user %d: %v\n%s", nobody, err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "--- SKIP") || strings.Contains(line, "no strong box") || strings.Contains(line, "namespaces") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

// Where the machine gives no namespaces, a strong box is refused and says why; a light one holds what is left.
func TestWithoutNamespaces(t *testing.T) {
	program, home := self(t)
	cmd := exec.CommandContext(t.Context(), program, "attack", "nonamespaces")
	cmd.Dir, cmd.Env = home, []string{"TMPDIR=" + home, "PATH=/usr/bin:/bin"}
	// In a namespace of users that forbids others below it, as a machine's administrator may for all.
	uid, gid := os.Geteuid(), os.Getegid()
	if uid == 0 {
		uid, gid = nobody, nobody
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 1000, HostID: uid, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 1000, HostID: gid, Size: 1}},
		Credential:  &syscall.Credential{Uid: 1000, Gid: 1000, NoSetGroups: true},
		AmbientCaps: []uintptr{unix.CAP_SYS_RESOURCE},
	}
	out, err := cmd.CombinedOutput()
	if err != nil && len(out) == 0 {
		t.Skipf("no namespace of users to test in: %v", err)
	}
	text := string(out)
	if err != nil || !strings.Contains(text, "strong: box: a strong box can't be had here: the system refuses namespaces to this program") || !strings.Contains(text, "\nlight: ") {
		t.Errorf("%v\n%s", err, text)
	}
	if _, light, _ := strings.Cut(text, "\nlight: "); strings.Contains(light, "namespaces") || !strings.Contains(light, "open: ") {
		t.Errorf("the level is %q", light)
	}
}
