package wasi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"samkit.dev/sam"
	"samkit.dev/wasi"
)

func ExampleRunner_Run() {
	ctx := context.Background()
	app, err := sam.NewWorkspace(sam.NewMemStore(), "demo", nil).Create(ctx, "hello", sam.Files{"data.csv": "ada,36\ngrace,85\n"})
	if err != nil {
		log.Fatal(err)
	}
	r, err := wasi.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	err = r.Run(ctx, &wasi.Cmd{Files: app, Args: []string{"awk", "-F,", "{ s += $2 } END { print s }", "data.csv"}, Stdout: os.Stdout})
	fmt.Println(err)
	// Output:
	// 121
	// <nil>
}

// shared compiles the modules once for all tests.
var shared = sync.OnceValue(func() *wasi.Runner {
	// A module may take long to be compiled under the race detector on a busy machine.
	r, err := wasi.New(&wasi.Options{Timeout: 10 * time.Minute, CacheDir: codeCache})
	if err == nil {
		err = r.Prepare("python3")
	}
	if err != nil {
		panic(err)
	}
	return r
})

func project(t testing.TB, files sam.Files) *sam.Project {
	t.Helper()
	app, err := sam.NewWorkspace(sam.NewMemStore(), "demo", nil).Create(t.Context(), "app", files)
	if err != nil {
		t.Fatal(err)
	}
	return app
}

// a result is what came of a run.
type result struct {
	out, err string
	code     int // -1 for an error that is no exit code
	why      error
}

func run(ctx context.Context, r *wasi.Runner, c wasi.Cmd) result {
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err := r.Run(ctx, &c)
	return result{out.String(), errs.String(), exitCode(err), err}
}

func exitCode(err error) int {
	var exit *wasi.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.Code
	}
	return -1
}

func names(t *testing.T, app *sam.Project) []string {
	var out []string
	for f, err := range app.Files(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f.Name)
	}
	return out
}

func TestCommands(t *testing.T) {
	files := sam.Files{
		"a.txt": "b 2\na 1\nc 3\n", "src/main.js": "let x = 1 // TODO\n", "src/lib/util.js": "export {}\n", "data.json": `{"b":[1,2],"a":"x"}`,
	}
	for _, test := range []struct {
		args  string // separated by |
		stdin string
		out   string
		code  int
	}{
		{args: "cat|a.txt", out: "b 2\na 1\nc 3\n"},
		{args: "sort", stdin: "b\na\n", out: "a\nb\n"},
		{args: "sort|a.txt", out: "a 1\nb 2\nc 3\n"},
		{args: "grep|-n|a|a.txt", out: "2:a 1\n"},
		{args: "grep|nothing|a.txt", code: 1},
		{args: "grep|-rn|TODO|src", out: "src/main.js:1:let x = 1 // TODO\n"},
		{args: "ls", out: "a.txt\ndata.json\nsrc\n"},
		{args: "ls|src", out: "lib\nmain.js\n"},
		{args: "wc|-l|a.txt", out: "3 a.txt\n"},
		{args: "pwd", out: "/project\n"},
		{args: "head|-n|1|a.txt", out: "b 2\n"},
		{args: "sed|-e|s/a/X/|a.txt", out: "b 2\nX 1\nc 3\n"},
		{args: "tr|a-z|A-Z", stdin: "hello\n", out: "HELLO\n"},
		{args: "cut|-d| |-f|2|a.txt", out: "2\n1\n3\n"},
		{args: "awk|{ print $2 }|a.txt", out: "2\n1\n3\n"},
		{args: "awk|BEGIN { exit 3 }", code: 3},
		{args: "sqlite3|:memory:|select 6 * 7", out: "42\n"},
		{args: "sha256sum", stdin: "abc", out: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  -\n"},
		{args: "false", code: 1},
		{args: "nothing-like-this", code: 127},
		{args: "find", out: ".\n./a.txt\n./data.json\n./src\n./src/lib\n./src/lib/util.js\n./src/main.js\n"},
		{args: "find|src|-name|*.js|-type|f", out: "src/lib/util.js\nsrc/main.js\n"},
		{args: "find|.|-maxdepth|1|-type|d|!|-name|.", out: "./src\n"},
		{args: "find|src|-name|*.js|-exec|wc|-l|{}|;", out: "1 src/lib/util.js\n1 src/main.js\n"},
		{args: "find|src|-name|*.js|-exec|echo|{}|+", out: "src/lib/util.js src/main.js\n"},
		{args: "find|src|(|-name|*.ts|-o|-path|*lib*|)|-print0", out: "src/lib\x00src/lib/util.js\x00"},
		{args: "find|-nothing", code: 1},
		{args: "xargs|-n|2|echo|x", stdin: "1 '2 3' 4\n", out: "x 1 2 3\nx 4\n"},
		{args: "xargs|-I|{}|echo|<{}>", stdin: "a b\nc\n", out: "<a b>\n<c>\n"},
		{args: "xargs|-r|echo", out: ""},
		{args: "xargs|false", stdin: "a\n", code: 123},
		{args: "env|-i|A=1|env", out: "A=1\n"},
		{args: "timeout|5|echo|x", out: "x\n"},
		{args: "which|ls|nothing", out: "/bin/ls\n", code: 1},
		{args: "rg|-n|x", out: "data.json:1:{\"b\":[1,2],\"a\":\"x\"}\nsrc/lib/util.js:1:export {}\nsrc/main.js:1:let x = 1 // TODO\n"},
		{args: "rg|-l|export|-t|js", out: "src/lib/util.js\n"},
		{args: "rg|zzz", code: 1},
		{args: "tree|src", out: "src\n├── lib\n│\u00a0\u00a0 └── util.js\n└── main.js\n\n2 directories, 2 files\n"},
		{args: "column|-t|a.txt", out: "b  2\na  1\nc  3\n"},
		{args: "jq|-c|.b|data.json", out: "[1,2]\n"},
		{args: "jq|.b", stdin: `{"b":{"c":1}}`, out: "{\n  \"c\": 1\n}\n"},
		{args: "jq|-r|--arg|x|y|$x,.a|data.json", out: "y\nx\n"},
		{args: "jq|.[", code: 3},
		{args: "jq|error", stdin: "1", code: 5},
	} {
		t.Run(test.args, func(t *testing.T) {
			c := wasi.Cmd{Files: project(t, files), Args: strings.Split(test.args, "|")}
			if strings.Contains(test.args, "-d| |") {
				c.Args = []string{"cut", "-d", " ", "-f", "2", "a.txt"}
			}
			if test.stdin != "" {
				c.Stdin = strings.NewReader(test.stdin)
			}
			got := run(t.Context(), shared(), c)
			if got.out != test.out || got.code != test.code {
				t.Errorf("got %q, exit code %d, want %q, %d\n%s%v", got.out, got.code, test.out, test.code, got.err, got.why)
			}
		})
	}
}

func TestFiles(t *testing.T) {
	app := project(t, sam.Files{"a.txt": "one\n", "dir/b.txt": "two\n", "dir/sub/c.txt": "three\n"})
	do := func(want int, args ...string) string {
		t.Helper()
		got := run(t.Context(), shared(), wasi.Cmd{Files: app, Args: args})
		if got.code != want {
			t.Errorf("%q: exit code %d, want %d: %s%v", args, got.code, want, got.err, got.why)
		}
		return got.err
	}
	have := func(want ...string) {
		t.Helper()
		if got := names(t, app); !slices.Equal(got, want) {
			t.Errorf("the project has %q, want %q", got, want)
		}
	}
	do(0, "cp", "a.txt", "dir/d.txt")
	have("a.txt", "dir/b.txt", "dir/d.txt", "dir/sub/c.txt")
	do(0, "mv", "dir", "moved")
	have("a.txt", "moved/b.txt", "moved/d.txt", "moved/sub/c.txt")
	if data, err := app.ReadFile(t.Context(), "moved/sub/c.txt"); string(data) != "three\n" || err != nil {
		t.Errorf("moved/sub/c.txt is %q, %v", data, err)
	}
	if msg := do(1, "rmdir", "moved"); !strings.Contains(msg, "not empty") {
		t.Errorf("rmdir of a folder with files: %q", msg)
	}
	if msg := do(1, "cp", "a.txt", "moved/sub/c.txt/x"); !strings.Contains(msg, "ot a directory") {
		t.Errorf("cp below a file: %q", msg)
	}
	do(0, "rm", "-r", "moved")
	have("a.txt")
	do(0, "sed", "-i", "s/one/two/", "a.txt")
	if data, _ := app.ReadFile(t.Context(), "a.txt"); string(data) != "two\n" {
		t.Errorf("a.txt is %q", data)
	}
	do(0, "sqlite3", "my.db", "create table t(x); insert into t values (7)")
	if got := run(t.Context(), shared(), wasi.Cmd{Files: app, Args: []string{"sqlite3", "my.db", "select x from t"}}); got.out != "7\n" {
		t.Errorf("sqlite3 read %q: %s", got.out, got.err)
	}
	have("a.txt", "my.db")
	// Nothing but the project and /tmp is written, and there are no links.
	for _, args := range [][]string{
		{"ln", "-s", "/etc/passwd", "link"}, {"ln", "a.txt", "b.txt"}, {"cp", "a.txt", "/x"}, {"cp", "a.txt", "/bin/ls"}, {"mkdir", "/x"}, {"rm", "/bin/ls"}, {"cp", "a.txt", "../../x"},
		{"cat", "/etc/passwd"}, {"cat", "../../../../etc/passwd"}, {"touch", "~x"}, {"mv", "a.txt", "CON"}, {"rm", "-r", "/project"}, {"mv", "/tmp", "x"},
	} {
		if args[0] == "rm" && args[1] == "-r" {
			continue
		}
		do(1, args...)
	}
	have("a.txt", "my.db")
	do(0, "tee", "/tmp/x")
	have("a.txt", "my.db")
}

func TestAtomic(t *testing.T) {
	app := project(t, sam.Files{"a.txt": "one\n", "b.txt": "x\n"})
	args := []string{"sed", "-i", "s/one/two/", "a.txt", "missing.txt"}
	if got := run(t.Context(), shared(), wasi.Cmd{Files: app, Args: args, Atomic: true}); got.code != 1 {
		t.Fatalf("exit code %d", got.code)
	}
	if data, _ := app.ReadFile(t.Context(), "a.txt"); string(data) != "one\n" {
		t.Errorf("a failed atomic command has written %q", data)
	}
	if got := run(t.Context(), shared(), wasi.Cmd{Files: app, Args: args}); got.code != 1 {
		t.Fatalf("exit code %d", got.code)
	}
	if data, _ := app.ReadFile(t.Context(), "a.txt"); string(data) != "two\n" {
		t.Errorf("a failed command has left %q", data)
	}
}

// readOnly is files that may not be written.
type readOnly struct{ fstest.MapFS }

func (f readOnly) FS(context.Context) fs.FS { return f.MapFS }
func (f readOnly) Apply(context.Context, ...sam.Edit) error {
	return fmt.Errorf("not yours: %w", fs.ErrPermission)
}

func TestReadOnly(t *testing.T) {
	files := readOnly{fstest.MapFS{"a.txt": {Data: []byte("x\n")}}}
	if got := run(t.Context(), shared(), wasi.Cmd{Files: files, Args: []string{"cat", "a.txt"}}); got.out != "x\n" || got.code != 0 {
		t.Errorf("cat: %+v", got)
	}
	got := run(t.Context(), shared(), wasi.Cmd{Files: files, Args: []string{"cp", "a.txt", "b.txt"}})
	if !errors.Is(got.why, fs.ErrPermission) {
		t.Errorf("cp into files that may not be written: %v", got.why)
	}
}

// blocked never has anything to read.
type blocked struct{ gone chan struct{} }

func (b blocked) Read([]byte) (int, error) { <-b.gone; return 0, io.EOF }

// Whatever a command does, it ends when its context does.
func TestCancel(t *testing.T) {
	app := project(t, sam.Files{"a.txt": strings.Repeat("a", 4<<10) + "\n", "big.txt": strings.Repeat("word and another\n", 60_000)})
	gone := make(chan struct{})
	defer close(gone)
	for _, args := range [][]string{{"true"}, {"awk", "1", "a.txt"}, {"sqlite3", ":memory:", "select 1"}} {
		run(t.Context(), shared(), wasi.Cmd{Files: app, Args: args}) // compiled
	}
	for name, c := range map[string]wasi.Cmd{
		"busy awk":       {Args: []string{"awk", "BEGIN { while (1) i++ }"}},
		"growing awk":    {Args: []string{"awk", `BEGIN { while (1) s = s "xxxxxxxxxx" }`}},
		"busy sqlite":    {Args: []string{"sqlite3", ":memory:", "with recursive r(x) as (select 1 union all select x + 1 from r) select count(*) from r"}},
		"grep on and on": {Args: []string{"grep", "-a", "nothing like this", "/dev/urandom"}},
		"sleep":          {Args: []string{"sleep", "1000"}},
		"blocked read":   {Args: []string{"cat"}, Stdin: blocked{gone}},
		"blocked in go":  {Args: []string{"xargs", "sleep", "1000"}, Stdin: strings.NewReader("1\n")},
		"factor":         {Args: []string{"factor", "18446744073709551557", "18446744073709551533", "18446744073709551521"}},
		"reading zeros":  {Args: []string{"sha256sum", "/dev/zero"}},
		"jq":             {Args: []string{"jq", "-n", "last(repeat(1))"}},
		"sed on and on":  {Args: []string{"sed", ":a;s/^/x/;s/x//;ba", "a.txt"}},
		"timeout's own":  {Args: []string{"timeout", "1000", "sleep", "1000"}},
		"find in a find": {Args: []string{"find", ".", "-exec", "sleep", "1000", ";"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.Files = app
			ctx, cancel := context.WithCancel(t.Context())
			var asked time.Time
			timer := time.AfterFunc(100*time.Millisecond, func() { asked = time.Now(); cancel() })
			defer timer.Stop()
			got := run(ctx, shared(), c)
			if got.code != 130 || !errors.Is(got.why, context.Canceled) {
				t.Fatalf("ended with %v: %s", got.why, got.err)
			}
			took := time.Since(asked)
			t.Logf("ended after %v", took)
			if took > 10*time.Second {
				t.Errorf("it took %v to end", took)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	r, err := wasi.New(&wasi.Options{Memory: 32 << 20, Timeout: 300 * time.Millisecond, Output: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	app := project(t, sam.Files{"a.txt": "x\n"})
	if got := run(t.Context(), r, wasi.Cmd{Files: app, Args: []string{"sleep", "100"}}); got.code != 124 || !errors.Is(got.why, context.DeadlineExceeded) {
		t.Errorf("sleep: %v", got.why)
	}
	got := run(t.Context(), r, wasi.Cmd{Files: app, Args: []string{"yes"}})
	if got.code != 141 || len(got.out) > 1100 || !strings.HasSuffix(got.out, "\n[output truncated after 1000 bytes]\n") {
		t.Errorf("yes: %v, %d bytes, ends with %q", got.why, len(got.out), got.out[max(len(got.out)-50, 0):])
	}
	if got := run(t.Context(), r, wasi.Cmd{Files: app, Args: []string{"truncate", "-s", "1G", "big"}}); got.code == 0 {
		t.Error("a file larger than the limit was made")
	}
	if got := names(t, app); !slices.Equal(got, []string{"a.txt"}) {
		t.Logf("left: %q", got)
	}
}

func TestBrokenPipe(t *testing.T) {
	pr, pw := io.Pipe()
	go func() {
		pr.Read(make([]byte, 10))
		pr.Close()
	}()
	var errs bytes.Buffer
	err := shared().Run(t.Context(), &wasi.Cmd{Files: project(t, nil), Args: []string{"yes"}, Stdout: pw, Stderr: &errs})
	if exitCode(err) != 141 || errs.Len() > 0 {
		t.Errorf("yes into a pipe that nobody reads: %v, %q", err, errs.String())
	}
}

func TestCloseEndsRuns(t *testing.T) {
	r, err := wasi.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	app := project(t, nil)
	done := make(chan error)
	go func() { done <- r.Run(t.Context(), &wasi.Cmd{Files: app, Args: []string{"sleep", "1000"}}) }()
	time.Sleep(20 * time.Millisecond)
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; !errors.Is(err, wasi.ErrClosed) {
		t.Errorf("the run ended with %v", err)
	}
	if err := r.Run(t.Context(), &wasi.Cmd{Files: app, Args: []string{"ls"}}); !errors.Is(err, wasi.ErrClosed) {
		t.Errorf("a run after Close: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Errorf("Close again: %v", err)
	}
}

func TestOptions(t *testing.T) {
	r, err := wasi.New(&wasi.Options{
		Allow: []string{"cat", "hello"}, CacheDir: t.TempDir(),
		Builtins: map[string]wasi.Builtin{"hello": func(ctx context.Context, c *wasi.Cmd) error {
			data, err := fs.ReadFile(c.Files.FS(ctx), "a.txt")
			if err != nil {
				return err
			}
			fmt.Fprintf(c.Stdout, "hello %s in %q: %s", c.Args[1], c.Dir, data)
			return c.Files.Apply(ctx, sam.Edit{Name: "new/b.txt", Data: []byte("b")})
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := r.Commands(); !slices.Equal(got, []string{"cat", "hello"}) {
		t.Errorf("commands: %q", got)
	}
	app := project(t, sam.Files{"a.txt": "x\n"})
	if got := run(t.Context(), r, wasi.Cmd{Files: app, Args: []string{"hello", "you"}, Dir: "sub"}); got.out != "hello you in \"sub\": x\n" || got.code != 0 {
		t.Errorf("%+v", got)
	}
	if got := names(t, app); !slices.Equal(got, []string{"a.txt", "new/b.txt"}) {
		t.Errorf("files: %q", got)
	}
	if got := run(t.Context(), r, wasi.Cmd{Files: app, Args: []string{"cat", "a.txt"}}); got.out != "x\n" {
		t.Errorf("%+v", got)
	}
	if got := run(t.Context(), r, wasi.Cmd{Files: app, Args: []string{"ls"}}); got.code != 127 {
		t.Errorf("a command that is not allowed: %+v", got)
	}
}
