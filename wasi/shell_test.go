package wasi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"samkit.dev/sam"
	"samkit.dev/wasi"
)

func ExampleRunner_Shell() {
	ctx := context.Background()
	app, err := sam.NewWorkspace(sam.NewMemStore(), "demo", nil).Create(ctx, "hello", sam.Files{"names.txt": "grace\nada\n"})
	if err != nil {
		log.Fatal(err)
	}
	r, err := wasi.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	err = r.Shell(ctx, `for n in $(sort names.txt); do echo "hello $n" | tr a-z A-Z >>out.txt; done`, &wasi.Cmd{Files: app, Stderr: os.Stderr})
	if err != nil {
		log.Fatal(err)
	}
	data, err := app.ReadFile(ctx, "out.txt")
	fmt.Printf("%s%v\n", data, err)
	// Output:
	// HELLO ADA
	// HELLO GRACE
	// <nil>
}

func ExampleRunner_NewShell() {
	ctx := context.Background()
	app, err := sam.NewWorkspace(sam.NewMemStore(), "demo", nil).Create(ctx, "hello", sam.Files{"src/a.js": "a"})
	if err != nil {
		log.Fatal(err)
	}
	r, err := wasi.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	sh, err := r.NewShell(&wasi.Cmd{Files: app, Stdout: os.Stdout, Stderr: os.Stdout})
	if err != nil {
		log.Fatal(err)
	}
	for _, line := range []string{"cd src; x=5", "pwd", "echo $((x + 1)) *"} {
		if err := sh.Run(ctx, line); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(sh.Dir())
	// Output:
	// /project/src
	// 6 a.js
	// /project/src
}

func script(ctx context.Context, r *wasi.Runner, text string, c wasi.Cmd) result {
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err := r.Shell(ctx, text, &c)
	return result{out.String(), errs.String(), exitCode(err), err}
}

// What the interpreter would ask the machine, it does not: nothing of the machine is
// seen, made or opened.
func TestHostIsOutOfReach(t *testing.T) {
	host := t.TempDir()
	canary := filepath.Join(host, "canary.sh")
	if err := os.WriteFile(canary, []byte("echo LEAKED-CONTENTS\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("LEAKED", "LEAKED-VARIABLE")
	t.Setenv("TMPDIR", host)
	t.Setenv("HOME", host)
	home, _ := os.UserHomeDir()
	before := openFiles(t)
	pid, ppid, uid := fmt.Sprint(os.Getpid()), fmt.Sprint(os.Getppid()), fmt.Sprint(os.Getuid())
	for name, test := range map[string]struct {
		script string
		out    string // "" is not compared
	}{
		"pid":                 {`echo $$ "$$" ${$} $PPID "$PPID"`, "2 2 2 1 1\n"},
		"pid in eval":         {`eval 'echo $$'; eval "eval 'echo \$PPID'"`, "2\n1\n"},
		"pid in command eval": {`command eval 'echo $$'; builtin eval 'echo $$'; command builtin eval 'echo $$'`, "2\n2\n2\n"},
		"pid in trap":         {`trap 'echo $$' EXIT; exit 0`, "2\n"},
		"pid in alias":        {"alias x='echo $$'\nx\n", ""},
		"pid in source":       {`echo 'echo $$' >f.sh; . ./f.sh; source f.sh; command . ./f.sh`, "2\n2\n2\n"},
		"ids":                 {`echo $UID $EUID $GID`, "1000 1000 1000\n"},
		"home":                {`echo $HOME ~; cd; pwd`, "/project /project\n/project\n"},
		"home of others":      {`echo ~root ~nobody/x "$(echo ~root)"`, "~root ~nobody/x ~root\n"},
		"environment":         {`echo "[$LEAKED]"; env; printenv`, ""},
		"type":                {`type -t ls bash; type ls; type ` + canary, "file\nfile\nls is /bin/ls\n"},
		"command -v":          {`command -v ls; command -v ` + canary + `; command command -v ls; PATH=` + host + ` command -v canary.sh`, "/bin/ls\n/bin/ls\n"},
		"source of the host":  {`source ` + canary + `; . ` + canary + `; PATH=` + host + `; . canary.sh`, ""},
		"run of the host":     {canary + `; PATH=` + host + ` canary.sh; exec ` + canary, ""},
		"read of the host":    {`cat ` + canary + `; cat <` + canary + `; echo $(<` + canary + `); echo ` + host + `/*; ls ` + host, ""},
		"write to the host":   {`echo x >` + host + `/new; echo x >>` + canary + `; cp /dev/null ` + canary, ""},
		"test of the host":    {`[ -e ` + canary + ` ] && echo LEAKED; [[ -f ` + canary + ` ]] && echo LEAKED; test -O / && test -G . && ! [ -t 0 ] && ! [[ -t 1 ]] && echo fine`, "fine\n"},
		"cd to the host":      {`cd ` + host + ` && echo LEAKED; cd -P ` + host + `; pwd -P`, "/project\n"},
		"own names of pipes":  {`echo x >/tmp/sh-interp-1; echo x >` + host + `/sh-interp-2; cat /tmp/sh-interp-1; cat </tmp/sh-interp-1`, "x\nx\n"},
		"process substitution": {`cat <(echo a) <(echo b | tr b c); diff <(echo 1) <(echo 1) && echo same; f() { cat "$1"; }; f <(echo in a function); eval 'cat <(echo in eval)'`,
			"a\nc\nsame\nin a function\nin eval\n"},
		"substitution in a trap":  {`trap 'cat <(echo bye)' EXIT`, "bye\n"},
		"process substitution in": {`echo x >out.txt; sort <(cat out.txt; echo a) && wc -l < <(echo 1; echo 2)`, "a\nx\n2\n"},
		"temporary folder":        {`echo $TMPDIR; f=$(mktemp); echo x >$f; cat $f; TMPDIR=` + host + `; cat <(echo y)`, "/tmp\nx\ny\n"},
	} {
		t.Run(name, func(t *testing.T) {
			app := project(t, nil)
			got := script(t.Context(), shared(), test.script, wasi.Cmd{Files: app})
			all := got.out + got.err
			for _, leak := range []string{"LEAKED", "sh-interp-3", home + "\n"} {
				if strings.Contains(strings.ReplaceAll(all, canary, ""), leak) && leak != "\n" {
					t.Errorf("%q got out: %s", leak, all)
				}
			}
			for line := range strings.Lines(got.out) {
				if line = strings.TrimSpace(line); line == pid || line == ppid || uid != "0" && line == uid {
					t.Errorf("the script saw a number of the process: %s", all)
				}
			}
			if test.out != "" && got.out != test.out {
				t.Errorf("got %q, want %q\n%s%v", got.out, test.out, got.err, got.why)
			}
			// Neither files nor pipes were made, and what was there is as it was.
			entries, err := os.ReadDir(host)
			if err != nil || len(entries) != 1 || entries[0].Type()&fs.ModeNamedPipe != 0 {
				t.Errorf("the folder of the machine has %v, %v", entries, err)
			}
			if data, _ := os.ReadFile(canary); string(data) != "echo LEAKED-CONTENTS\n" {
				t.Errorf("the canary was changed: %q", data)
			}
		})
	}
	for range 100 {
		if now := openFiles(t); len(now) <= len(before) {
			return
		}
		runtime.GC()
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("files are open that were not: %v; before: %v", openFiles(t), before)
}

// openFiles is what the process has open.
func openFiles(t *testing.T) []string {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && !strings.Contains(to, "/proc/") {
			out = append(out, to)
		}
	}
	return out
}

func TestScripts(t *testing.T) {
	files := sam.Files{"a.txt": "b 2\na 1\nc 3\n", "run.sh": "#!/bin/sh\necho \"$0 $1\"\nexit 5\n", "prog.awk": "#!/usr/bin/env -S awk -f\nBEGIN { print \"from awk\" }\n", "plain.txt": "x", "src/x.js": "x", "src/y.js": "y"}
	for _, test := range []struct {
		script, out string
		code        int
	}{
		{"echo a | cat | tr a b", "b\n", 0},
		{"cat a.txt | sort | head -n 1 | cut -c 1 | tr a-z A-Z", "A\n", 0},
		{"yes | head -n 3", "y\ny\ny\n", 0},
		{"yes | head -n 1; echo ${PIPESTATUS[0]:-none}", "", -2},
		{"set -o pipefail; yes | head -n 1 >/dev/null; echo $?", "141\n", 0},
		{"nothing-like-this; echo $?", "127\n", 0},
		{"./plain.txt; echo $?; ./missing; echo $?; ./src; echo $?", "126\n127\n126\n", 0},
		{"./run.sh x; echo $?", "./run.sh x\n5\n", 0},
		{"./prog.awk", "from awk\n", 0},
		{"sh run.sh y", "run.sh y\n", 5},
		{"bash -c 'echo $0 $1' a b", "a b\n", 0},
		{"echo 'echo $((1 + 1))' | sh", "2\n", 0},
		{"exit 7", "", 7},
		{"false || echo or; true && echo and; ! false; echo $?", "or\nand\n0\n", 0},
		{"echo x >f; echo y >>f; cat f; wc -l <f", "x\ny\n2\n", 0},
		{"cat <<EOF\na $((2 * 3))\nEOF\ncat <<'E'\n$x\nE\ncat <<<word", "a 6\n$x\nword\n", 0},
		{"for f in src/*.js; do echo ${f##*/}; done", "x.js\ny.js\n", 0},
		{"i=0; while [ $i -lt 3 ]; do i=$((i + 1)); echo $i; done", "1\n2\n3\n", 0},
		{"f() { local x=$1; echo \"f $x\"; return 3; }; f a; echo $?", "f a\n3\n", 0},
		{"case abc in a*) echo yes;; *) echo no;; esac", "yes\n", 0},
		{"a=(1 2 3); echo ${#a[@]} ${a[1]}; declare -A m; m[k]=v; echo ${m[k]}", "3 2\nv\n", 0},
		{"x=hello; echo ${x^^} ${x:1:3} ${x/l/L} ${#x}", "HELLO ell heLlo 5\n", 0},
		{"(cd src; pwd); pwd", "/project/src\n/project\n", 0},
		{"mkdir -p a/b; echo x >a/b/c; find a", "a\na/b\na/b/c\n", 0},
		{"ls nothing 2>/dev/null || echo none; ls nothing 2>&1 | wc -l", "none\n1\n", 0},
		{"echo err >&2 2>/dev/null; { echo a; echo b >&2; } 2>&1 | cat", "a\nb\n", 0},
		{"read a b <<<'1 2 3'; echo \"$b\"; while read -r l; do echo \"<$l>\"; done <a.txt", "2 3\n<b 2>\n<a 1>\n<c 3>\n", 0},
		{"head -n 1 a.txt >b.txt && grep -c b b.txt", "1\n", 0},
		{"seq 1 100000 | tail -n 1", "100000\n", 0},
		{"seq 1 200000 >big; head -n 1 <big; head -n 1 <big", "1\n1\n", 0},
		{"find src -name '*.js' | xargs -n 1 basename", "x.js\ny.js\n", 0},
		{"X=1 env | grep ^X=; echo [$X]", "X=1\n[]\n", 0},
		{"export Y=2; sh -c 'echo $Y'", "2\n", 0},
		{"echo {a,b}{1..3}", "a1 a2 a3 b1 b2 b3\n", 0},
		{"printf '%s-%02d\\n' a 1 b 2", "a-01\nb-02\n", 0},
		{"awk 'BEGIN { exit 3 } END { print \"end\" }'; echo $?", "end\n3\n", 0},
		{"awk '{ s += $2 } END { print s }' a.txt; awk 'function f() { exit 4 } { x = f() + 1 }' a.txt; echo $?", "6\n4\n", 0},
		{"echo '{\"a\":[1,2]}' | jq -c '.a | map(. + 1)'", "[2,3]\n", 0},
		{"sqlite3 x.db 'create table t(a); insert into t values(1),(2)'; sqlite3 x.db 'select sum(a) from t'", "3\n", 0},
		{"sleep 0.01 & wait", "", 2},
		{"echo >(cat)", "", 2},
		{"if", "", 2},
		{"eval 'if'; echo $?", "1\n", 0},
		{"timeout 0.05 sleep 100; echo $?", "124\n", 0},
		{"time true; which awk", "/bin/awk\n", 0},
		{"set -e; false; echo not reached", "", 1},
		{"tar cf x.tar src && rm -r src && tar xf x.tar && cat src/x.js", "x", 0},
		{"gzip -c a.txt | gunzip | cmp - a.txt && echo same", "same\n", 0},
		{"diff a.txt plain.txt >/dev/null; echo $?", "1\n", 0},
	} {
		t.Run(test.script, func(t *testing.T) {
			got := script(t.Context(), shared(), test.script, wasi.Cmd{Files: project(t, files)})
			if test.code == -2 {
				if got.code < 0 {
					t.Errorf("%v", got.why)
				}
				return
			}
			if got.out != test.out || got.code != test.code {
				t.Errorf("got %q, exit code %d, want %q, %d\n%s%v", got.out, got.code, test.out, test.code, got.err, got.why)
			}
		})
	}
}

// Faults of the interpreter that are known do not end the program, where the interpreter has
// a goroutine of its own for a command either.
func TestFaults(t *testing.T) {
	for _, text := range []string{`unset ""`, `test -v ""`, `[[ -v "" ]]`, `shift -1`, `[ -v "" ]`, `command unset ""`, `x=; unset $x "$x"`} {
		got := script(t.Context(), shared(), "{ "+text+"; } | cat; echo after", wasi.Cmd{Files: project(t, nil)})
		if got.out != "after\n" {
			t.Errorf("%s: %q, %s%v", text, got.out, got.err, got.why)
		}
	}
	got := script(t.Context(), shared(), `x=1; [[ -v x ]] && echo set; y=x; [[ -v $y ]] && echo set; [[ -v z ]] || echo not; f() { return 3; }; f; echo $?; for i in 1 2 3; do [ $i = 2 ] && break; done; echo $i; (exit 4); echo $?; set -- a b c; shift; echo $1; cd /tmp; pwd; test() { echo mine; }; test`,
		wasi.Cmd{Files: project(t, nil)})
	if got.out != "set\nset\nnot\n3\n2\n4\nb\n/tmp\nmine\n" {
		t.Errorf("%q %s%v", got.out, got.err, got.why)
	}
}

// A script that does not want to end does.
func TestScriptLimits(t *testing.T) {
	r, err := wasi.New(&wasi.Options{Memory: 16 << 20, Timeout: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for name, text := range map[string]string{
		"endless loop":       `while :; do :; done`,
		"loop of arithmetic": `for ((;;)); do ((i++)); done`,
		"recursion":          `f() { f; }; f`,
		"script of scripts":  `echo 'sh ./x.sh' >x.sh; sh ./x.sh; exit $?`,
		"doubling":           `x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done`,
		"wide printf":        `printf '%1000000000d' 1; exit 1`,
		"braces":             `echo {1..1000000000}; exit 1`,
		"endless output":     `x=$(yes); exit 1`,
	} {
		t.Run(name, func(t *testing.T) {
			got := script(t.Context(), r, text, wasi.Cmd{Files: project(t, nil)})
			if got.code == 0 {
				t.Errorf("it ended well: %q", got.out[:min(len(got.out), 100)])
			}
			t.Logf("%v: %.200s", got.why, got.err)
		})
	}
}

func TestScriptCancel(t *testing.T) {
	app := project(t, sam.Files{"a.txt": "x\n"})
	script(t.Context(), shared(), "awk 1 a.txt | cat", wasi.Cmd{Files: app}) // compiled
	for _, text := range []string{
		"sleep 1000", "while true; do true; done", "yes | sleep 1000", "sleep 1000 | cat", "awk 'BEGIN { while (1) i++ }' | cat", "read x < <(sleep 1000)",
		"cat <(sleep 1000)", "for i in 1 2 3; do sleep 1000 | cat; done", "x=$(sleep 1000)", "find . -exec sleep 1000 \\;", "yes >/dev/null", "sh -c 'sleep 1000'",
	} {
		t.Run(text, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			var asked time.Time
			timer := time.AfterFunc(50*time.Millisecond, func() { asked = time.Now(); cancel() })
			defer timer.Stop()
			got := script(ctx, shared(), text, wasi.Cmd{Files: app})
			if got.code != 130 || !errors.Is(got.why, context.Canceled) {
				t.Fatalf("ended with %v: %s", got.why, got.err)
			}
			if took := time.Since(asked); took > 10*time.Second {
				t.Errorf("it took %v to end", took)
			} else {
				t.Logf("ended after %v", took)
			}
		})
	}
}

// A write is there for others before a long script ends.
func TestScriptCommits(t *testing.T) {
	app := project(t, nil)
	done := make(chan result)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { done <- script(ctx, shared(), "echo one >a.txt; sleep 1000", wasi.Cmd{Files: app}) }()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if data, err := app.ReadFile(t.Context(), "a.txt"); err == nil && string(data) == "one\n" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the file is not there")
		}
	}
	cancel()
	<-done
	if got := names(t, app); !slices.Equal(got, []string{"a.txt"}) {
		t.Errorf("files: %q", got)
	}
}
