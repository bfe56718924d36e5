package wasi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"samkit.dev/sam"
	"samkit.dev/wasi"
)

// A run that may use a few commands finds no way to others.
func TestAllow(t *testing.T) {
	app := project(t, sam.Files{"a.txt": "x\n", "run.sh": "#!/bin/sh\necho ran\n", "my.awk": "#!/usr/bin/awk -f\n{ print $1 }\n"})
	allow := slices.DeleteFunc(shared().Commands(), func(name string) bool { return name == "sh" || name == "bash" || name == "rm" })
	for _, c := range []struct {
		args string
		code int
	}{
		{"cat a.txt", 0}, {"./my.awk a.txt", 0}, {"env cat a.txt", 0}, {"which cat", 0},
		{"sh -c true", 126}, {"bash -c true", 126}, {"/bin/sh -c true", 126}, {"./run.sh", 126}, {"rm a.txt", 126},
		{"env sh -c true", 126}, {"env X=1 /bin/rm a.txt", 126}, {"timeout 5 sh -c true", 126}, {"time rm a.txt", 126}, {"xargs -a a.txt rm", 126},
		{"env timeout 5 xargs -a a.txt env rm", 126}, {"find . -name a.txt -exec rm {} ;", 0}, {"find . -name a.txt -exec sh -c true {} +", 1},
		{"nice rm a.txt", 127}, {"which sh", 1}, {"help sh", 1}, {"cat /bin/sh", 1}, {"ls /bin/rm", 1},
	} {
		got := run(t.Context(), shared(), wasi.Cmd{Files: app, Args: strings.Fields(c.args), Allow: allow})
		if got.code != c.code {
			t.Errorf("%s: %d, want %d: %s%s", c.args, got.code, c.code, got.out, got.err)
		}
		if strings.Contains(got.out, "ran") {
			t.Errorf("%s: a script ran", c.args)
		}
	}
	if data, err := app.ReadFile(t.Context(), "a.txt"); err != nil || string(data) != "x\n" {
		t.Errorf("the file is %q, %v", data, err)
	}
}

func terminal(t *testing.T, files sam.Files, env ...string) (*wasi.Shell, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	sh, err := shared().NewShell(&wasi.Cmd{Files: project(t, files), Env: env, Stdout: &out, Stderr: &out})
	if err != nil {
		t.Fatal(err)
	}
	return sh, &out
}

func ExampleIncomplete() {
	fmt.Println(wasi.Incomplete("for i in 1 2; do"), wasi.Incomplete("cat <<E\nhello"), wasi.Incomplete(`ls \`), wasi.Incomplete("ls )"), wasi.Incomplete("ls"))
	// Output: true true true false false
}

func TestComplete(t *testing.T) {
	sh, _ := terminal(t, sam.Files{"index.html": "", "src/app.js": "", "src/a b.js": "", "src/sub/x": "", ".hidden": "", "it's": ""})
	if err := sh.Run(t.Context(), "greeting=1; mine() { :; }; echo >/tmp/made; cd src"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line string
		from int
		want string
	}{
		{"sha", 0, "sha1sum sha256sum sha512sum"}, {"ls | tai", 5, "tail"}, {"X=1 min", 4, "mine"}, {"if tru", 3, "true truncate"}, {"unal", 0, "unalias"},
		{"ls ", 3, `a\ b.js app.js sub/`}, {"ls a", 3, `a\ b.js app.js`}, {`ls "a b`, 3, `a\ b.js`}, {"ls ../i", 3, `../index.html ../it\'s`}, {"ls ../.h", 3, "../.hidden"},
		{"cat </project/src/su", 5, "/project/src/sub/"}, {"cat ~/ind", 4, `~/index.html`}, {"ls /tmp/m", 3, "/tmp/made"}, {"echo $gree", 5, "$greeting"}, {"ls nothing", 3, ""}, {"", 0, "many"},
		{"cat /../../etc/pass", 4, ""}, {"/bin/sha1", 0, "/bin/sha1sum"},
	} {
		from, words := sh.Complete(t.Context(), c.line)
		if got := strings.Join(words, " "); from != c.from || got != c.want && (c.want != "many" || len(words) < 100) {
			t.Errorf("%q: %d %s, want %d %s", c.line, from, got, c.from, c.want)
		}
	}
}

// Before a person commands use colours, into a pipe or a file they don't.
func TestTerminal(t *testing.T) {
	files := sam.Files{"a.txt": "hello\n", "src/b.txt": "x"}
	sh, out := terminal(t, files, "TERM=xterm", "COLUMNS=60")
	use := func(sh *wasi.Shell, out *bytes.Buffer, script string) string {
		out.Reset()
		sh.Run(t.Context(), script)
		return out.String()
	}
	if got := use(sh, out, "ls"); !strings.Contains(got, "\x1b[") || strings.Count(got, "\n") != 1 {
		t.Errorf("ls prints %q", got)
	}
	if got := use(sh, out, "grep hell a.txt"); !strings.Contains(got, "\x1b[") {
		t.Errorf("grep prints %q", got)
	}
	if got := use(sh, out, "ls | cat; echo $(ls); ls >/tmp/x; cat /tmp/x"); got != "a.txt\nsrc\na.txt src\na.txt\nsrc\n" {
		t.Errorf("into a pipe ls prints %q", got)
	}
	if got := use(sh, out, `printf '%s\n' "$TERM $COLUMNS"`); got != "xterm 60\n" {
		t.Errorf("the environment has %q", got)
	}
	plain, out := terminal(t, files)
	if got := use(plain, out, "ls; grep hell a.txt"); got != "a.txt\nsrc\nhello\n" {
		t.Errorf("without a terminal: %q", got)
	}
	// rg searches files, though what is typed has no end.
	r, w := io.Pipe()
	defer w.Close()
	var found bytes.Buffer
	typed, err := shared().NewShell(&wasi.Cmd{Files: project(t, files), Env: []string{"TERM=xterm"}, Stdin: r, Stdout: &found})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- typed.Run(t.Context(), "rg -l hello; echo piped | rg -c piped") }()
	select {
	case err := <-done:
		if err != nil || found.String() != "a.txt\n1\n" {
			t.Errorf("rg: %q, %v", &found, err)
		}
	case <-time.After(30 * time.Second):
		t.Error("rg waits for what is typed")
	}
}

// The text of a format is bytes, whatever letters they are.
func TestPrintfBytes(t *testing.T) {
	sh, out := terminal(t, nil)
	if err := sh.Run(t.Context(), `printf 'é %s €\303\n' ö`); err != nil || out.String() != "é ö €\xc3\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// A typist gives what is sent, and tells when somebody waits for it.
type typist struct {
	waits chan struct{}
	types chan string
}

func (t typist) Read(buf []byte) (int, error) {
	t.waits <- struct{}{}
	return copy(buf, <-t.types), nil
}

func TestShellInputIsTheNextScripts(t *testing.T) {
	var out strings.Builder
	person := typist{make(chan struct{}, 10), make(chan string)}
	sh, err := shared().NewShell(&wasi.Cmd{Files: project(t, nil), Stdin: person, Stdout: &out, Stderr: &out})
	if err != nil {
		t.Fatal(err)
	}
	waiting := func(r typist) {
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-r.waits; cancel() }()
		if err := sh.Run(ctx, "sleep 100"); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	waiting(person)
	go func() { person.types <- "ada\n" }()
	if err := sh.Run(t.Context(), "read name; echo hello $name"); err != nil || out.String() != "hello ada\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	out.Reset()
	other := typist{make(chan struct{}, 10), make(chan string)} // of whom nothing comes
	sh.SetStdin(other)
	waiting(other)
	sh.SetStdin(strings.NewReader("bob\neve\n"))
	if err := sh.Run(t.Context(), "read name; echo hello $name; cat"); err != nil || out.String() != "hello bob\neve\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	sh.SetStdin(nil)
	out.Reset()
	if err := sh.Run(t.Context(), "cat; echo nothing"); err != nil || out.String() != "nothing\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}
