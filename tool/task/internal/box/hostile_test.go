//go:build linux && (amd64 || arm64)

package box_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"samkit.dev/tool/task/internal/box"
)

// attacker puts a program into a workspace that does what a shell can't: this one, see attack.
func attacker(t testing.TB, root string) {
	t.Helper()
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	f, err := os.OpenFile(root+"/attacker", os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(f, self); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// held says whether a box was found to hold a thing, so that the test of it must agree.
func held(t *testing.T, b *box.Box, name string) bool {
	t.Helper()
	thing, ok := b.Level().Get(name)
	if !ok {
		t.Fatalf("there is no thing %q", name)
	}
	return thing.Held == box.Held
}

func TestFilesOutside(t *testing.T) {
	each(t, func(t *testing.T, b *box.Box) {
		root := workspace(t)
		canary := filepath.Join(filepath.Dir(root), "canary")
		write(t, canary, "canary")
		c := box.Command{Root: root, Writable: all}
		for _, script := range []string{
			"cat ../canary", "ln -s ../canary l; cat l", "ln ../canary h && cat h", "cp -r .. copy; cat copy/canary", "cat /proc/1/root" + canary, "cat /proc/self/root" + canary,
			"cat /proc/$PPID/root" + canary, "find / -name canary -exec cat {} + 2>/dev/null",
		} {
			if got := sh(t, b, c, script); strings.Contains(got.out, "canary\n") || strings.HasSuffix(strings.TrimSpace(got.out), ":canary") || got.out == "canary" {
				t.Errorf("%s: %q", script, got.out)
			}
		}
		for _, script := range []string{
			"echo x > ../canary", "ln -sf ../canary l; echo x > l", "echo x > ../new", "mv attacker ..; echo 1 > m; mv m ../moved", "truncate -s 0 ../canary", "rm -f ../canary", "mkdir ../d", "ln -sfn .. up; echo x > up/new; rm -rf up/canary",
		} {
			sh(t, b, c, script)
		}
		if got := read(t, canary); got != "canary" {
			t.Errorf("the canary is %q", got)
		}
		entries, err := os.ReadDir(filepath.Dir(root))
		if err != nil || len(entries) != 2 {
			t.Errorf("beside the workspace is %v, %v", entries, err)
		}
		sh(t, b, c, "chmod 777 ../canary; touch -t 200001010000 ../canary")
		info, err := os.Stat(canary)
		if err != nil {
			t.Fatal(err)
		}
		if untouched := info.Mode().Perm() == 0o644 && info.ModTime().Year() > 2000; untouched != held(t, b, "mode") {
			t.Errorf("the canary's mode is %v, its time %v, and the level says %v", info.Mode(), info.ModTime(), b.Level())
		}
	})
}

func TestWritableIsRoundedUp(t *testing.T) {
	each(t, func(t *testing.T, b *box.Box) {
		root := workspace(t)
		write(t, root+"/src/a", "a")
		write(t, root+"/doc/a", "a")
		sh(t, b, box.Command{Root: root, Writable: []string{"src/**"}}, "echo b > src/a; echo b > doc/a; echo b > new")
		if read(t, root+"/src/a") != "b\n" || read(t, root+"/doc/a") != "a" {
			t.Error("not src alone was writable")
		}
		if _, err := os.Stat(root + "/new"); err == nil {
			t.Error("a file was made at the root")
		}
		got := sh(t, b, box.Command{Root: root}, "echo c > src/a; touch new; cat src/a")
		if got.out == "" || read(t, root+"/src/a") != "b\n" {
			t.Errorf("without Writable: %q, %q", got.out, read(t, root+"/src/a"))
		}
	})
}

// A directory that the caller grants and an earlier command made a link leads nowhere else.
func TestWritableLink(t *testing.T) {
	each(t, func(t *testing.T, b *box.Box) {
		root := workspace(t)
		outside := filepath.Join(filepath.Dir(root), "outside")
		write(t, outside+"/a", "a")
		write(t, root+"/src/a", "a")
		sh(t, b, box.Command{Root: root, Writable: all}, "rm -r src; ln -s ../outside src")
		sh(t, b, box.Command{Root: root, Writable: []string{"src/**"}}, "echo b > src/a; echo b > src/new")
		if read(t, outside+"/a") != "a" {
			t.Error("a link led out")
		}
	})
}

func TestDenied(t *testing.T) {
	each(t, func(t *testing.T, b *box.Box) {
		if !held(t, b, "deny") {
			t.Skip("the level says that denied files are not held; who uses it leaves them out")
		}
		root := workspace(t)
		for _, name := range []string{".env", "a/b/x.key", "secrets/one", "secrets/deep/two", "open"} {
			write(t, root+"/"+name, "secret of "+name)
		}
		c := box.Command{Root: root, Writable: all, Deny: []string{".env", "**/*.key", "secrets"}}
		got := sh(t, b, c, "cat .env a/b/x.key secrets/one secrets/deep/two; chmod 777 .env secrets; cat .env; ls secrets; mv .env e; cat e; rm -rf .env secrets; echo x > .env; cat open")
		if strings.Count(got.out, "secret of") != 1 {
			t.Errorf("%q", got.out)
		}
		for _, name := range []string{".env", "a/b/x.key", "secrets/one"} {
			if got := read(t, root+"/"+name); got != "secret of "+name {
				t.Errorf("%s is %q", name, got)
			}
		}
	})
}

// What makes git run programs stays as it was, whichever way it is changed.
func TestRepository(t *testing.T) {
	each(t, func(t *testing.T, b *box.Box) {
		for _, script := range []string{
			"echo evil > .git/hooks/pre-commit",
			"printf '[core]\\nhooksPath=/tmp\\n' > .git/config",
			"rm -rf .git/hooks; mkdir .git/hooks; echo evil > .git/hooks/post-checkout",
			"mv .git old; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit",
			"mv .git old; cp -r old .git; echo evil > .git/hooks/pre-commit; echo evil > .git/config",
			"mv .git old; ln -s old .git; echo evil > old/hooks/pre-commit",
			"mv .git old; ln -s / .git",
			"mv .git/hooks old; ln -s ../old .git/hooks; echo evil > old/pre-commit",
			"chmod 777 .git/hooks; touch .git/hooks/pre-push",
			"echo evil > deploy.task.json", "rm deploy.task.json", "echo x > new; mv new deploy.task.json",
			"git config core.pager sh; git -c core.pager=sh log; git config core.sshCommand sh",
		} {
			root := workspace(t)
			write(t, root+"/.git/hooks/sample", "kept")
			write(t, root+"/.git/config", "[core]\n")
			write(t, root+"/.git/HEAD", "ref: refs/heads/main\n")
			write(t, root+"/deploy.task.json", "{}")
			sh(t, b, box.Command{Root: root, Writable: all, ReadOnly: []string{"deploy.task.json"}}, script)
			if got := read(t, root+"/.git/config"); got != "[core]\n" {
				t.Errorf("%s: the configuration is %q", script, got)
			}
			if got := read(t, root+"/deploy.task.json"); got != "{}" {
				t.Errorf("%s: the policy is %q", script, got)
			}
			entries, err := os.ReadDir(root + "/.git/hooks")
			if err != nil || len(entries) != 1 || read(t, root+"/.git/hooks/sample") != "kept" {
				t.Errorf("%s: the hooks are %v, %v", script, entries, err)
			}
		}
	})
}

func TestUndoneIsTold(t *testing.T) {
	b := open(t, box.Light, nil)
	root := workspace(t)
	write(t, root+"/.git/hooks/sample", "kept")
	got := sh(t, b, box.Command{Root: root, Writable: all}, "mv .git old; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit")
	if !slices.ContainsFunc(got.Refusals, func(r box.Refusal) bool { return r.Kind == "write" && r.What == ".git/hooks/pre-commit" }) {
		t.Errorf("%+v", got.Refusals)
	}
}

func TestEnvironment(t *testing.T) {
	root := workspace(t)
	shims := filepath.Join(root, "shims")
	for _, name := range []string{"cat", "sh", "env"} {
		write(t, shims+"/"+name, "#!/bin/sh\necho shim\n")
		if err := os.Chmod(shims+"/"+name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, root+"/.npmrc", "registry=http://evil.example\n")
	for name, value := range map[string]string{
		"LD_PRELOAD": root + "/evil.so", "GIT_SSH_COMMAND": "sh", "SECRET_OF_SERVICE": "s3cret", "PATH": shims + ":" + os.Getenv("PATH"), "NODE_OPTIONS": "--require=/evil", "BASH_ENV": root + "/evil",
	} {
		t.Setenv(name, value)
	}
	each(t, func(t *testing.T, b *box.Box) {
		got := run(t, b, box.Command{Root: root, Writable: all, Argv: []string{"env"}, Env: []string{"CI=1"}})
		for line := range strings.Lines(got.out) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			switch name {
			case "PATH", "HOME", "TMPDIR", "LANG", "USER", "LOGNAME", "CI", "GIT_CONFIG_NOSYSTEM", "GIT_TERMINAL_PROMPT":
			default:
				t.Errorf("the command sees %s=%s", name, value)
			}
			if strings.Contains(value, root) {
				t.Errorf("%s leads to the workspace: %s", name, value)
			}
		}
		if got := sh(t, b, box.Command{Root: root, Writable: all}, "ls -A $HOME; echo x > $HOME/.npmrc && echo x > $TMPDIR/f && cat $HOME/.npmrc"); got.out != "x\n" {
			t.Errorf("at home: %q", got.out)
		}
		if got := sh(t, b, box.Command{Root: root, Writable: all}, "ls -A $HOME"); got.out != "" {
			t.Errorf("at home there is still %q", got.out)
		}
		for _, path := range []string{"PATH=shims:/usr/bin", "PATH=:/usr/bin", "PATH=."} {
			if _, err := b.Run(t.Context(), &box.Command{Root: root, Argv: []string{"cat"}, Env: []string{path}}); err == nil {
				t.Errorf("%s was accepted", path)
			}
		}
		if got := run(t, b, box.Command{Root: root, Argv: []string{"cat", ".npmrc"}, Env: []string{"PATH=" + shims + ":/usr/bin:/bin"}}); strings.Contains(got.out, "shim") {
			t.Error("a bare name meant a file of the workspace")
		}
	})
}

// No argument is a shell's.
func TestArgumentsAreNoScript(t *testing.T) {
	each(t, func(t *testing.T, b *box.Box) {
		root := workspace(t)
		for _, arg := range []string{"$(touch made)", "`touch made`", "a; touch made", "a | touch made", "a\ntouch made", "$HOME", "*", "~", "a > made"} {
			if got := run(t, b, box.Command{Root: root, Writable: all, Argv: []string{"printf", "%s", arg}}); got.out != arg {
				t.Errorf("%q became %q", arg, got.out)
			}
		}
		if _, err := os.Stat(root + "/made"); err == nil {
			t.Error("an argument was executed")
		}
	})
}

func TestSockets(t *testing.T) {
	each(t, func(t *testing.T, b *box.Box) {
		root := workspace(t)
		attacker(t, root)
		// Below 108 bytes, as sockets want it, whatever the workspace is called.
		dir, err := os.MkdirTemp("", "s")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		abstract := "@samkit-test-" + rand.Text()
		inside := root + "/docker.sock"
		var unixes []string
		for _, name := range []string{dir + "/docker.sock", abstract, inside} {
			if len(name) > 100 {
				continue
			}
			l, err := net.Listen("unix", name)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			unixes = append(unixes, name)
		}
		tcp, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer tcp.Close()
		c := box.Command{Root: root, Writable: all}
		for _, network := range [][]string{nil, {"allowed.example"}} {
			c.Network = network
			for _, name := range unixes {
				c.Argv = []string{"./attacker", "attack", "dial", "unix", name}
				if got := run(t, b, c); strings.Contains(got.out, "connected") {
					t.Errorf("%s, network %v: %q", name, network, got.out)
				}
			}
			for _, target := range [][2]string{{"tcp", tcp.Addr().String()}, {"tcp", "169.254.169.254:80"}, {"tcp", "[::1]:80"}, {"tcp", "192.0.2.1:443"}, {"raw", ""}, {"packet", ""}, {"netlink", ""}, {"dgrampair", dir + "/docker.sock"}} {
				c.Argv = []string{"./attacker", "attack", "dial", target[0], target[1]}
				if got := run(t, b, c); strings.Contains(got.out, "connected") || got.Killed != "" || !strings.Contains(got.out, "refused:") {
					t.Errorf("%v, network %v: %q", target, network, got.out)
				}
			}
		}
	})
}

func TestCalls(t *testing.T) {
	each(t, func(t *testing.T, b *box.Box) {
		root := workspace(t)
		attacker(t, root)
		for _, what := range []string{"io_uring", "ptrace", "unshare", "userns", "mount", "bpf", "keyctl", "setns"} {
			got := run(t, b, box.Command{Root: root, Argv: []string{"./attacker", "attack", "call", what}})
			if !strings.Contains(got.out, "refused:") {
				t.Errorf("%s: %+v %q", what, got.Result, got.out)
			}
		}
		if got := sh(t, b, box.Command{Root: root}, "grep -E 'NoNewPrivs|CapEff|CapPrm|CapBnd|Seccomp:' /proc/self/status | tr -d '\\t' | sort | tr '\\n' ' '"); !strings.Contains(got.out, "CapEff:0000000000000000") ||
			!strings.Contains(got.out, "NoNewPrivs:1") || !strings.Contains(got.out, "Seccomp:2") || !strings.Contains(got.out, "CapPrm:0000000000000000") {
			t.Errorf("%q", got.out)
		}
	})
}

// gone waits until no process has a word in its command line, and fails if one stays.
func gone(t *testing.T, word string) {
	t.Helper()
	left := func() string {
		dirs, _ := filepath.Glob("/proc/[0-9]*")
		for _, dir := range dirs {
			if line, err := os.ReadFile(dir + "/cmdline"); err == nil && strings.Contains(string(line), word) {
				stat, _ := os.ReadFile(dir + "/stat")
				return string(line) + " " + string(stat)
			}
		}
		return ""
	}
	if l := left(); l != "" {
		t.Errorf("still there: %q", l)
	}
}

func TestTreeEnds(t *testing.T) {
	for name, script := range map[string]string{
		"background":  "sh -c 'sleep 1000; : WORD' & echo started",
		"setsid":      "setsid sh -c 'sleep 1000; : WORD' >/dev/null 2>&1 </dev/null & echo started",
		"double fork": "(setsid sh -c '(trap \"\" TERM HUP INT; sleep 1000; : WORD) & (sleep 1000; : WORD) &' &) ; echo started",
		"nohup":       "nohup setsid nohup sh -c 'sleep 1000; : WORD' >/dev/null 2>&1 & echo started",
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, b *box.Box) {
				word := "word" + rand.Text()
				got := sh(t, b, box.Command{Root: workspace(t)}, strings.ReplaceAll(script, "WORD", word))
				if got.Code != 0 || !strings.Contains(got.out, "started") {
					t.Errorf("%+v %q", got.Result, got.out)
				}
				gone(t, word)
			})
		})
	}
}

func TestTimeIsUp(t *testing.T) {
	each(t, func(t *testing.T, b *box.Box) {
		word := "word" + rand.Text()
		for name, script := range map[string]string{
			"ignores signals": "trap '' TERM INT HUP QUIT; while :; do sleep 1000; : " + word + "; done",
			"spins":           "while :; do :; done; : " + word,
			"leaves children": "(setsid sh -c 'while :; do sleep 1; done; : " + word + "' &); sleep 1000",
		} {
			ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
			res, err := b.Run(ctx, &box.Command{Root: workspace(t), Argv: []string{"sh", "-c", script}})
			cancel()
			// The time may be up before the command has begun.
			if err != nil && ctx.Err() == nil || err == nil && (res.Killed != box.TimedOut || res.Code != 137) {
				t.Errorf("%s: %+v, %v", name, res, err)
			}
			gone(t, word)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		res, err := b.Run(ctx, &box.Command{Root: workspace(t), Argv: []string{"sleep", "1000"}})
		if err == nil && res.Killed != box.Canceled {
			t.Errorf("canceled: %+v, %v", res, err)
		}
	})
}

func TestForkBomb(t *testing.T) {
	each(t, func(t *testing.T, b *box.Box) {
		if !held(t, b, "tree") {
			t.Skip("without a namespace of processes one could outrun its supervisor, and the machine would suffer: ", b.Level())
		}
		word := "word" + rand.Text()
		got := sh(t, b, box.Command{Root: workspace(t), Limits: box.Limits{Processes: 40}}, "f() { f | f & f; }; f; : "+word)
		if got.Killed != box.Processes {
			t.Errorf("%+v %.300q", got.Result, got.out)
		}
		gone(t, word)
	})
}

func TestMemoryIsBounded(t *testing.T) {
	each(t, func(t *testing.T, b *box.Box) {
		root := workspace(t)
		attacker(t, root)
		got := run(t, b, box.Command{Root: root, Argv: []string{"./attacker", "attack", "memory"}, Limits: box.Limits{Memory: 300 << 20}})
		if got.Killed != box.Memory && got.Code == 0 {
			t.Errorf("%+v %.300q", got.Result, got.out)
		}
	})
}

func TestDiskIsBounded(t *testing.T) {
	each(t, func(t *testing.T, b *box.Box) {
		root := workspace(t)
		got := sh(t, b, box.Command{Root: root, Writable: all, Limits: box.Limits{FileSize: 1 << 20}}, "head -c 5000000 /dev/zero > big; echo $?")
		if info, err := os.Stat(root + "/big"); err != nil || info.Size() > 1<<20 {
			t.Errorf("the file: %v, %v; %q", info, err, got.out)
		}
		got = sh(t, b, box.Command{Root: root, Writable: all, Limits: box.Limits{Disk: 32 << 20}}, "for i in $(seq 400); do head -c 4000000 /dev/zero > f$i; done")
		if got.Killed != box.Disk {
			t.Errorf("many files: %+v", got.Result)
		}
	})
	b := open(t, box.Strong, nil)
	got := sh(t, b, box.Command{Root: workspace(t), Limits: box.Limits{Temp: 4 << 20}}, "head -c 20000000 /dev/zero > /tmp/big || echo full; head -c 20000000 /dev/zero > /dev/shm/big || echo full; touch /new /usr/new /etc/new /proc/sys/kernel/new 2>&1")
	if strings.Count(got.out, "full\n") != 2 || strings.Count(got.out, "/new") != 4 {
		t.Errorf("%q", got.out)
	}
}

func TestOutputIsBounded(t *testing.T) {
	each(t, func(t *testing.T, b *box.Box) {
		for _, script := range []string{"yes", "yes >&2", "yes | tee /dev/stderr"} {
			got := sh(t, b, box.Command{Root: workspace(t), Limits: box.Limits{Output: 1 << 20}}, script)
			if got.Killed != box.Output || len(got.out) > 1<<20 {
				t.Errorf("%s: %+v, %d bytes", script, got.Result, len(got.out))
			}
		}
	})
}

func TestOtherProcesses(t *testing.T) {
	t.Setenv("SECRET_OF_SERVICE", "s3cret")
	each(t, func(t *testing.T, b *box.Box) {
		pid := os.Getpid()
		got := sh(t, b, box.Command{Root: workspace(t)}, fmt.Sprintf("cat /proc/%d/environ /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep SECRET; cat /proc/%[1]d/maps /proc/$PPID/environ /proc/$PPID/maps; ls /proc/$PPID/fd", pid))
		if strings.Contains(got.out, "s3cret") || strings.Contains(got.out, "r-xp") {
			t.Errorf("%.300q", got.out)
		}
		if got := sh(t, b, box.Command{Root: workspace(t)}, fmt.Sprintf("kill -0 %d && echo reached; kill -9 $PPID; kill -0 $PPID && echo 'the supervisor'; sleep 0.1; echo alive", pid)); held(t, b, "signal") && b.Level().Kind == box.Light && strings.Contains(got.out, "reached") || !strings.Contains(got.out, "alive") {
			t.Errorf("%+v %q", got.Result, got.out)
		}
	})
}

func TestInheritedDescriptors(t *testing.T) {
	each(t, func(t *testing.T, b *box.Box) {
		secret := filepath.Join(t.TempDir(), "secret")
		write(t, secret, "s3cret")
		f, err := os.Open(secret)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		const far = 99 // as C code does that knows nothing of close-on-exec
		if err := unix.Dup3(int(f.Fd()), far, 0); err != nil {
			t.Fatal(err)
		}
		defer unix.Close(far)
		got := sh(t, b, box.Command{Root: workspace(t)}, "cat /proc/self/fd/99; ls -l /proc/self/fd")
		if strings.Contains(got.out, "s3cret\n") || strings.Contains(got.out, "secret\n") && strings.Contains(got.out, "99 -> ") {
			t.Errorf("%q", got.out)
		}
		if n := strings.Count(got.out, "->"); n != 4 { // three, and the directory that ls reads
			t.Errorf("%d descriptors: %q", n, got.out)
		}
	})
}

func TestLevelSays(t *testing.T) {
	b := open(t, box.Light, nil)
	for _, thing := range b.Level().Things {
		if thing.About == "" || thing.Detail == "not tried" {
			t.Errorf("%+v", thing)
		}
	}
	s := open(t, box.Strong, nil)
	for _, thing := range s.Level().Things {
		if thing.Held != box.Held {
			t.Errorf("%+v", thing)
		}
	}
}

func TestNothingStays(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	each(t, func(t *testing.T, b *box.Box) {
		sh(t, b, box.Command{Root: workspace(t)}, "mkdir $HOME/d; chmod 0 $HOME/d; touch $TMPDIR/f")
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Run(t.Context(), &box.Command{Root: workspace(t), Argv: []string{"true"}}); err == nil {
			t.Error("a closed box runs commands")
		}
	})
	left, err := os.ReadDir(temp)
	if err != nil {
		t.Fatal(err)
	}
	left = slices.DeleteFunc(left, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), "Test") })
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestStrongSeesNoMachine(t *testing.T) {
	b := open(t, box.Strong, nil)
	root := workspace(t)
	got := sh(t, b, box.Command{Root: root}, "id -u; hostname; ls /; ls /root /home /var /etc/shadow /run 2>&1; cat /etc/passwd; ls /proc | grep -c '^[0-9]'; cat /proc/mounts | wc -l")
	for _, secret := range []string{"shadow:", "lost+found"} {
		if strings.Contains(got.out, secret) && !strings.Contains(got.out, "cannot access '/etc/shadow'") {
			t.Errorf("%q", got.out)
		}
	}
	if !strings.HasPrefix(got.out, "1000\n") || !strings.Contains(got.out, "cannot access '/etc/shadow'") || !strings.Contains(got.out, "cannot access '/var'") {
		t.Errorf("%q", got.out)
	}
	// A service of the command's own works: its loopback is nobody else's.
	attacker(t, root)
	if got := run(t, b, box.Command{Root: root, Argv: []string{"./attacker", "attack", "serve"}}); !strings.Contains(got.out, "served") {
		t.Errorf("%+v %q", got.Result, got.out)
	}
}

// A light box without namespaces holds less, and says so.
func TestBare(t *testing.T) {
	b, err := box.OpenBare()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	t.Log(b.Level())
	for name, want := range map[string]box.Hold{"hooks": box.Undone, "deny": box.Reached, "mode": box.Reached, "tree": box.Undone, "socket": box.Held, "io_uring": box.Held} {
		if thing, _ := b.Level().Get(name); thing.Held != want {
			t.Errorf("%+v, want %v", thing, want)
		}
	}
	root := workspace(t)
	canary := filepath.Join(filepath.Dir(root), "canary")
	write(t, canary, "canary")
	write(t, root+"/.git/hooks/sample", "kept")
	word := "word" + rand.Text()
	got := sh(t, b, box.Command{Root: root, Writable: all, Limits: box.Limits{Processes: 40}},
		"(setsid sh -c '(trap \"\" TERM; sleep 1000; : "+word+") & sleep 1000' >/dev/null 2>&1 &); echo evil > .git/hooks/pre-commit; cat ../canary; echo x > ../canary; echo made > file; echo done")
	if !strings.Contains(got.out, "done\n") || strings.Contains(got.out, "canary\n") || read(t, root+"/file") != "made\n" {
		if held(t, b, "read") {
			t.Errorf("%+v %q", got.Result, got.out)
		}
	}
	gone(t, word)
	if _, err := os.Stat(root + "/.git/hooks/pre-commit"); err == nil || len(got.Refusals) != 1 {
		t.Errorf("%v, %+v", err, got.Refusals)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if res, err := b.Run(ctx, &box.Command{Root: root, Argv: []string{"sh", "-c", "trap '' TERM; (setsid sleep 1000 &); sleep 1000; : " + word}}); err == nil && res.Killed != box.TimedOut {
		t.Errorf("%+v, %v", res, err)
	}
	gone(t, word)
}

// A command with a network reaches what is granted, and nothing else, through the proxy alone.
func TestNetwork(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusFound)
			return
		}
		fmt.Fprint(w, "from the registry")
	}))
	defer server.Close()
	opts := &box.Options{
		Resolver: resolver{"registry.example": "93.184.216.34", "evil.example": "93.184.216.35", "rebound.example": "127.0.0.1"},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, network, server.Listener.Addr().String())
		},
	}
	for _, kind := range []box.Kind{box.Light, box.Strong} {
		t.Run(kind.String(), func(t *testing.T) {
			b := open(t, kind, opts)
			root := workspace(t)
			attacker(t, root)
			get := func(url string) said {
				return run(t, b, box.Command{Root: root, Network: []string{"http://registry.example", "http://rebound.example"}, Argv: []string{"./attacker", "attack", "get", url}})
			}
			if got := get("http://registry.example/"); got.out != "200 from the registry\n" || len(got.Refusals) != 0 {
				t.Errorf("%+v %q", got.Result, got.out)
			}
			for url, what := range map[string]string{
				"http://evil.example/":          "http://evil.example",
				"https://registry.example/":     "https://registry.example",
				"http://registry.example/away":  "http://169.254.169.254",
				"http://rebound.example/":       "http://rebound.example",
				"http://169.254.169.254/latest": "http://169.254.169.254",
			} {
				got := get(url)
				if strings.Contains(got.out, "registry\n") || len(got.Refusals) != 1 || got.Refusals[0].What != what || got.Refusals[0].Reason == "" {
					t.Errorf("%s: %+v %q", url, got.Refusals, got.out)
				}
			}
		})
	}
}

type resolver map[string]string

func (r resolver) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if a, ok := r[host]; ok {
		return []netip.Addr{netip.MustParseAddr(a)}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}
