package wasi_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"samkit.dev/sam"
	"samkit.dev/wasi"
)

func ExamplePython() {
	ctx := context.Background()
	app, err := sam.NewWorkspace(sam.NewMemStore(), "demo", nil).Create(ctx, "hello", sam.Files{"data.csv": "ada,36\ngrace,85\n"})
	if err != nil {
		log.Fatal(err)
	}
	r, err := wasi.New(&wasi.Options{CacheDir: codeCache})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	py, err := r.NewPython(&wasi.Cmd{Files: app})
	if err != nil {
		log.Fatal(err)
	}
	defer py.Close()
	call := &wasi.PythonCall{Stdout: os.Stdout, Stderr: os.Stdout}
	fmt.Println(py.Run(ctx, "import csv\nages = [int(n) for _, n in csv.reader(open('data.csv'))]", call))
	fmt.Println(py.Run(ctx, "sum(ages)", call))
	fmt.Println(py.Run(ctx, "exit(3)", call))
	// Output:
	// <nil>
	// 121
	// <nil>
	// wasi: exit status 3
}

func ExamplePython_Interact() {
	ctx := context.Background()
	app, err := sam.NewWorkspace(sam.NewMemStore(), "demo", nil).Create(ctx, "hello", nil)
	if err != nil {
		log.Fatal(err)
	}
	r, err := wasi.New(&wasi.Options{CacheDir: codeCache})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	py, err := r.NewPython(&wasi.Cmd{Files: app})
	if err != nil {
		log.Fatal(err)
	}
	defer py.Close()
	err = py.Interact(ctx, &wasi.PythonCall{Stdin: strings.NewReader("for i in range(2):\n    i\n\nexit()\n"), Stdout: os.Stdout})
	fmt.Println(err)
	// Output:
	// >>> ... ... 0
	// 1
	// >>> <nil>
}

// session is an interpreter for one test, and what it prints, both streams together.
type session struct {
	*wasi.Python
	t   *testing.T
	out bytes.Buffer
}

func python(t *testing.T, r *wasi.Runner, app wasi.Files) *session {
	t.Helper()
	p, err := r.NewPython(&wasi.Cmd{Files: app})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return &session{Python: p, t: t}
}

func (s *session) call(stdin string) *wasi.PythonCall {
	s.out.Reset()
	return &wasi.PythonCall{Stdin: strings.NewReader(stdin), Stdout: &s.out, Stderr: &s.out}
}

// want runs a cell that has to print what is given and to end with the code.
func (s *session) want(cell string, code int, printed string) {
	s.t.Helper()
	err := s.Run(s.t.Context(), cell, s.call(""))
	s.check(cell, err, code, printed)
}

func (s *session) check(what string, err error, code int, printed string) {
	s.t.Helper()
	if got := exitCode(err); got != code || s.out.String() != printed {
		s.t.Errorf("%s\n-- %v, and printed\n%s\n-- not code %d and\n%s", what, err, s.out.String(), code, printed)
	}
}

func TestPythonKeepsState(t *testing.T) {
	app := project(t, sam.Files{"lib/tool.py": "def twice(x):\n    return 2 * x\n", "run.py": "import sys\nfrom lib.tool import twice\nresult = twice(int(sys.argv[1]))\nprint(__name__, sys.argv, result)\nif result > 9:\n    sys.exit(4)\n"})
	s := python(t, shared(), app)
	s.want("x = 5", 0, "")
	s.want("x + 1", 0, "6\n")
	s.want("_ * 2\n", 0, "12\n")
	s.want("def f():\n    return 1 / 0\n\nf()", 1, "Traceback (most recent call last):\n  File \"<cell 4>\", line 4, in <module>\n    f()\n  File \"<cell 4>\", line 2, in f\n    return 1 / 0\n           ~~^~~\nZeroDivisionError: division by zero\n")
	s.want("x = = 1", 1, "  File \"<cell 5>\", line 1\n    x = = 1\n        ^\nSyntaxError: invalid syntax\n")
	s.want("print('a'); x, None", 0, "a\n(5, None)\n")
	s.want("'%s' % 7", 0, "'7'\n")
	s.want("import sys; sys.exit(300)", 44, "")
	s.want("exit('no')", 1, "no\n")
	s.want("%run run.py 4\nprint(result, twice(1))", 0, "__main__ ['run.py', '4'] 8\n8 2\n")
	s.want("%run run.py 5", 4, "__main__ ['run.py', '5'] 10\n")
	s.want("%run nothing.py", 1, "FileNotFoundError: [Errno 44] No such file or directory: 'nothing.py'\n")
	s.want("%what", 2, "there are the commands %run FILE [ARGUMENT...] and %pip install NAME...\n")
	s.want("import asyncio\nasync def later(x):\n    await asyncio.sleep(0.001)\n    return x\nawait later(3)", 0, "3\n")
	s.want("a\x00b", 1, "ValueError: source code string cannot contain null bytes\n")
	s.want("'é', 'ü'", 0, "('é', 'ü')\n")
	err := s.Run(t.Context(), "input('name? ') + input()", s.call("ada\nb\nc\n"))
	s.check("input", err, 0, "name? 'adab'\n")
	s.want("input()", 1, "Traceback (most recent call last):\n  File \"<cell 14>\", line 1, in <module>\n    input()\nEOFError: EOF when reading a line\n")
	s.Reset()
	s.want("x", 1, "Traceback (most recent call last):\n  File \"<cell 1>\", line 1, in <module>\n    x\nNameError: name 'x' is not defined\n")
}

// The prompt behaves as Python's own: tracebacks of it have no lines of source.
func TestPythonPrompt(t *testing.T) {
	s := python(t, shared(), project(t, nil))
	for _, step := range []struct {
		line    string
		more    bool
		code    int
		printed string
	}{
		{line: "x = 2"},
		{line: "x"}, // printed below
		{line: "def f(n):", more: true},
		{line: "    if n:", more: true},
		{line: "        return n * f(n - 1)", more: true},
		{line: "    return 1", more: true},
		{line: ""},
		{line: "f(5)", printed: "120\n"},
		{line: "_ + 1", printed: "121\n"},
		{line: "for i in range(2): i", more: true},
		{line: "", printed: "0\n1\n"},
		{line: "(1,", more: true},
		{line: "2)", printed: "(1, 2)\n"},
		{line: "f('a')", code: 1, printed: "Traceback (most recent call last):\n  File \"<stdin>\", line 1, in <module>\n  File \"<stdin>\", line 3, in f\nTypeError: unsupported operand type(s) for -: 'str' and 'int'\n"},
		{line: "1 +", code: 1, printed: "  File \"<stdin>\", line 1\n    1 +\n       ^\nSyntaxError: invalid syntax\n"},
		{line: "  1", code: 1, printed: "  File \"<stdin>\", line 1\n    1\nIndentationError: unexpected indent\n"},
		{line: "None"},
		{line: "# nothing"},
		{line: ""},
		{line: "from __future__ import annotations"},
		{line: "a: nothing = 1"},
		{line: "exit(7)", code: 7},
	} {
		if step.line == "x" {
			step.printed = "2\n"
		}
		more, err := s.Push(t.Context(), step.line, s.call(""))
		s.check(step.line, err, step.code, step.printed)
		if more != step.more {
			t.Errorf("%q: more is %v", step.line, more)
		}
	}
	if !s.Exited() {
		t.Error("exit was not noticed")
	}
}

func TestPythonInteract(t *testing.T) {
	s := python(t, shared(), project(t, nil))
	err := s.Interact(t.Context(), s.call("x = input('? ')\nhello\nx\nif x:\n  print(1)\n\nexit(3)\nx\n"))
	s.check("a prompt", err, 3, ">>> ? >>> 'hello'\n>>> ... ... 1\n>>> ")
	err = s.Interact(t.Context(), s.call("x\n1 / 0\n2"))
	s.check("another", err, 0, ">>> 'hello'\n>>> Traceback (most recent call last):\n  File \"<stdin>\", line 1, in <module>\nZeroDivisionError: division by zero\n>>> 2\n>>> \n")

	// Ctrl-C at the prompt forgets what was begun.
	in, keyboard := io.Pipe()
	out, screen := io.Pipe()
	done := make(chan error)
	go func() {
		done <- s.Interact(t.Context(), &wasi.PythonCall{Stdin: in, Stdout: screen, Stderr: screen})
		screen.Close()
	}()
	var seen strings.Builder
	expect := func(text string) {
		t.Helper()
		buf := make([]byte, 100)
		for !strings.HasSuffix(seen.String(), text) {
			n, err := out.Read(buf)
			seen.Write(buf[:n])
			if err != nil {
				t.Fatalf("%v after %q", err, seen.String())
			}
		}
		seen.Reset()
	}
	expect(">>> ")
	io.WriteString(keyboard, "def f():\n")
	expect("... ")
	s.Interrupt()
	expect("\nKeyboardInterrupt\n>>> ")
	io.WriteString(keyboard, "import time\n")
	expect(">>> ")
	io.WriteString(keyboard, "print('zzz'); time.sleep(1000)\n")
	expect("zzz\n")
	s.Interrupt()
	expect("KeyboardInterrupt\n>>> ")
	io.WriteString(keyboard, "input('> ')\n")
	expect("> ")
	s.Interrupt()
	expect("KeyboardInterrupt\n>>> ")
	io.WriteString(keyboard, "input('> ')\n")
	expect("> ")
	io.WriteString(keyboard, "again\n")
	expect("'again'\n>>> ")
	keyboard.Close()
	expect("\n")
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// What a call that has to end does to the interpreter.
func TestPythonStops(t *testing.T) {
	s := python(t, shared(), project(t, nil))
	s.want("import time; x = 1", 0, "")
	for _, code := range []string{
		"while True: pass", "time.sleep(1000)", "sum(x for x in iter(int, 1))", "import re; re.match('(a*)*b', 'a' * 40)", "import asyncio; await asyncio.sleep(1000)", "input()",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		out := &trigger{at: "begun\n", f: cancel}
		in, w := io.Pipe()
		err := s.Run(ctx, "print('begun')\n"+code, &wasi.PythonCall{Stdout: out, Stderr: out, Stdin: in})
		w.Close()
		if exitCode(err) != 130 || !errors.Is(err, context.Canceled) || errors.Is(err, wasi.ErrPythonLost) || !strings.HasSuffix(out.String(), "KeyboardInterrupt\n") {
			t.Errorf("%s: %v, printed %q", code, err, out.String())
		}
		cancel()

		out = &trigger{at: "begun\n", f: s.Interrupt}
		in, w = io.Pipe()
		err = s.Run(t.Context(), "print('begun')\n"+code, &wasi.PythonCall{Stdout: out, Stderr: out, Stdin: in})
		w.Close()
		if exitCode(err) != 130 || !errors.Is(err, wasi.ErrInterrupted) {
			t.Errorf("%s: %v, printed %q", code, err, out.String())
		}
	}
	s.want("x", 0, "1\n")

	// One that does not listen.
	ctx, cancel := context.WithCancel(t.Context())
	out := &trigger{at: "begun\n", f: cancel}
	err := s.Run(ctx, "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\nprint('begun')\nwhile True: pass", &wasi.PythonCall{Stdout: out, Stderr: out})
	if exitCode(err) != 130 || !errors.Is(err, wasi.ErrPythonLost) {
		t.Errorf("%v, printed %q", err, out.String())
	}
	s.want("x", 1, "Traceback (most recent call last):\n  File \"<cell 1>\", line 1, in <module>\n    x\nNameError: name 'x' is not defined\n")
	err = s.Run(t.Context(), "import os; os._exit(5)", s.call(""))
	if exitCode(err) != 5 || !errors.Is(err, wasi.ErrPythonLost) {
		t.Error(err)
	}
	err = s.Run(t.Context(), "import os; os.abort()", s.call(""))
	if exitCode(err) != 134 || !errors.Is(err, wasi.ErrPythonLost) {
		t.Error(err)
	}
	s.want("1", 0, "1\n")
	s.Close()
	if err := s.Run(t.Context(), "1", s.call("")); !errors.Is(err, wasi.ErrClosed) {
		t.Error(err)
	}
}

// A trigger calls f once when what is written ends with at.
type trigger struct {
	strings.Builder
	at string
	f  func()
}

func (w *trigger) Write(buf []byte) (int, error) {
	w.Builder.Write(buf)
	if w.f != nil && strings.HasSuffix(w.String(), w.at) {
		w.f()
		w.f = nil
	}
	return len(buf), nil
}

func TestPythonFiles(t *testing.T) {
	app := project(t, sam.Files{"in.txt": "one\n", "pkg/mod.py": "x = 1\n"})
	s := python(t, shared(), app)
	read := func(name string) string {
		t.Helper()
		data, err := fs.ReadFile(app.FS(t.Context()), name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	write := func(edits ...sam.Edit) {
		t.Helper()
		if err := app.Apply(t.Context(), edits...); err != nil {
			t.Fatal(err)
		}
	}
	s.want("open('in.txt').read()", 0, "'one\\n'\n")
	write(sam.Edit{Name: "in.txt", Data: []byte("two\n"), IfHash: "*"}, sam.Edit{Name: "new/deep.txt", Data: []byte("d")})
	s.want("import os; open('in.txt').read(), os.listdir('new'), sorted(os.listdir('.'))", 0, "('two\\n', ['deep.txt'], ['in.txt', 'new', 'pkg'])\n")
	write(sam.Edit{Name: "new/deep.txt", Remove: true, IfHash: "*"})
	s.want("os.path.exists('new/deep.txt'), os.path.exists('new')", 0, "(False, False)\n")

	// A file that stays open is written where it was; what somebody else has written to others stays.
	s.want("f = open('log.txt', 'w'); print('a', file=f, flush=True); os.makedirs('made/er')", 0, "")
	if got := read("log.txt"); got != "a\n" {
		t.Errorf("log.txt is %q", got)
	}
	write(sam.Edit{Name: "in.txt", Data: []byte("three\n"), IfHash: "*"})
	s.want("print('b', file=f); f.close(); open('made/er/x', 'w').write('y'); os.chdir('made')", 0, "")
	if got := read("log.txt") + read("in.txt") + read("made/er/x"); got != "a\nb\nthree\ny" {
		t.Errorf("%q", got)
	}
	s.want("open('er/x').read(), os.getcwd()", 0, "('y', '/project/made')\n")
	s.want("os.chdir('..'); os.rename('made/er/x', 'moved'); os.remove('log.txt'); open('/tmp/t', 'w').write('kept')", 0, "4\n")
	if got := fmt.Sprint(names(t, app)); got != "[in.txt moved pkg/mod.py]" {
		t.Error(got)
	}
	s.want("open('/tmp/t').read()", 0, "'kept'\n")

	// Modules come from the project as it is when they are first imported.
	s.want("import pkg.mod; pkg.mod.x", 0, "1\n")
	write(sam.Edit{Name: "pkg/mod.py", Data: []byte("x = 22\n"), IfHash: "*"}, sam.Edit{Name: "late.py", Data: []byte("y = 3\n")})
	s.want("import importlib, late; importlib.reload(pkg.mod); pkg.mod.x, late.y", 0, "(22, 3)\n")
	if got := fmt.Sprint(names(t, app)); got != "[in.txt late.py moved pkg/mod.py]" {
		t.Error(got) // no __pycache__
	}

	// A call may have the files of somebody else.
	other := project(t, sam.Files{"in.txt": "other\n"})
	c := s.call("")
	c.Files = other
	s.check("other files", s.Run(t.Context(), "open('in.txt').read(), open('out.txt', 'w').write('o')", c), 0, "('other\\n', 1)\n")
	if got := fmt.Sprint(names(t, other), names(t, app)); got != "[in.txt out.txt] [in.txt late.py moved pkg/mod.py]" {
		t.Error(got)
	}
}

// What may not be written is an error of the call, and forgotten.
func TestPythonMayNotWrite(t *testing.T) {
	app := project(t, sam.Files{"in.txt": "one\n"})
	s := python(t, shared(), refusing{app})
	err := s.Run(t.Context(), "open('in.txt', 'w').write('x')", s.call(""))
	if !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
	s.want("open('in.txt').read()", 0, "'one\\n'\n")
}

type refusing struct{ *sam.Project }

func (refusing) Apply(context.Context, ...sam.Edit) error { return fs.ErrPermission }

func TestPythonLimits(t *testing.T) {
	s := python(t, runner(t, wasi.Options{Output: 1000, Memory: 64 << 20}), project(t, nil))
	err := s.Run(t.Context(), "x = 1\nwhile True: print('flood')", s.call(""))
	if exitCode(err) != 141 || s.out.Len() > 1200 || !strings.Contains(s.out.String(), "[output truncated after 1000 bytes]") {
		t.Errorf("%v, %d bytes", err, s.out.Len())
	}
	err = s.Run(t.Context(), "a = []\nwhile True: a.append(bytes(1_000_000))", s.call(""))
	if exitCode(err) != 1 || !strings.HasSuffix(s.out.String(), "MemoryError\n") {
		t.Error(err, s.out.String())
	}
	s.want("print(len(a) > 20); del a", 0, "True\n")
	s.want("x", 0, "1\n")

	s = python(t, runner(t, wasi.Options{Timeout: time.Second}), project(t, nil))
	err = s.Run(t.Context(), "while True: pass", s.call(""))
	if exitCode(err) != 124 || !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// Calls of several callers go one after another, and those that wait can be given up.
func TestPythonQueue(t *testing.T) {
	s := python(t, shared(), project(t, nil))
	s.want("n = 0", 0, "")
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			var out bytes.Buffer
			if err := s.Run(t.Context(), "m = n\nfor _ in range(1000): pass\nn = m + 1\nprint('one')", &wasi.PythonCall{Stdout: &out}); err != nil || out.String() != "one\n" {
				t.Error(err, out.String())
			}
		})
	}
	calls.Wait()
	s.want("n", 0, "8\n")

	ctx, cancel := context.WithCancel(t.Context())
	begun := make(chan bool)
	calls.Go(func() {
		out := &trigger{at: "begun\n", f: func() { close(begun) }}
		if err := s.Run(t.Context(), "print('begun')\nwhile True: pass", &wasi.PythonCall{Stdout: out}); !errors.Is(err, wasi.ErrInterrupted) {
			t.Error(err)
		}
	})
	<-begun
	cancel()
	if err := s.Run(ctx, "n = 100", nil); exitCode(err) != 130 {
		t.Error(err)
	}
	s.Interrupt()
	calls.Wait()
	s.want("n", 0, "8\n")
}

func TestPythonPip(t *testing.T) {
	wheels := fstest.MapFS{
		"Fun_Pack-1.10-py3-none-any.whl":          wheelFile(t, map[string]string{"fun_pack/__init__.py": "from helper import h\nx = 'ten ' + h\n", "fun_pack/data.txt": "d", "Fun_Pack-1.10.dist-info/METADATA": "Name: Fun-Pack\nVersion: 1.10\nRequires-Dist: helper (>=2.0,<3)\nRequires-Dist: nothing; extra == 'dev'\n\nRequires-Dist: text\n"}),
		"fun_pack-1.9-py3-none-any.whl":           wheelFile(t, map[string]string{"fun_pack/__init__.py": "x = 'nine'\n"}),
		"helper-2.1-py2.py3-none-any.whl":         wheelFile(t, map[string]string{"helper.py": "h = 'helped'\n", "helper-2.1.data/scripts/run": "no"}),
		"helper-3.0-py3-none-any.whl":             wheelFile(t, map[string]string{"helper.py": "h = 'no'\n"}),
		"native-1.0-cp311-cp311-linux_x86_64.whl": wheelFile(t, nil),
		"bad-1.0-py3-none-any.whl":                wheelFile(t, map[string]string{"../../evil.py": "x"}),
		"torn-1.0-py3-none-any.whl":               {Data: []byte("PK no")},
		"secret-1.0-py3-none-any.whl":             wheelFile(t, map[string]string{"secret.py": ""}),
		"needy-1.0-py3-none-any.whl":              wheelFile(t, map[string]string{"needy.py": "", "needy-1.0.dist-info/METADATA": "Requires-Dist: absent\n"}),
	}
	r := runner(t, wasi.Options{Wheels: wasi.Wheels{FS: wheels, Allow: []string{"fun-pack", "Helper", "native", "bad", "torn", "needy", "absent"}}})
	s := python(t, r, project(t, nil))
	s.want("%pip install fun.pack\nimport fun_pack\nfun_pack.x, open(fun_pack.__path__[0] + '/data.txt').read()", 0, "Successfully installed fun-pack-1.10 helper-2.1\n('ten helped', 'd')\n")
	s.want("%pip install FUN-PACK", 0, "Requirement already satisfied: fun-pack==1.10\n")
	for name, want := range map[string]string{
		"secret": "secret is not on the list of packages that may be installed", "native": "no matching wheel in Python alone of native", "helper==9": "no matching wheel in Python alone of helper",
		"bad": "bad-1.0-py3-none-any.whl: a file is called \"../../evil.py\"", "torn": "torn-1.0-py3-none-any.whl: zip: not a valid zip file", "needy": "needy needs  absent: no matching wheel in Python alone of absent", "'x": "\"'x\" is no requirement",
	} {
		s.want("%pip install "+name, 1, "ERROR: "+want+"\n")
	}
	s.want("import needy", 1, "Traceback (most recent call last):\n  File \"<cell 2>\", line 1, in <module>\n    import needy\nModuleNotFoundError: No module named 'needy'\n")
	s.Reset()
	s.want("import helper; helper.h", 0, "'helped'\n")
	s.want("open(helper.__file__, 'w')", 1, "Traceback (most recent call last):\n  File \"<cell 2>\", line 1, in <module>\n    open(helper.__file__, 'w')\nOSError: [Errno 69] Read-only file system: '/usr/lib/python3/dist-packages/helper.py'\n")

	none := python(t, shared(), project(t, nil))
	none.want("%pip install helper", 1, "ERROR: there are no packages to install\n")
}

func wheelFile(t *testing.T, files map[string]string) *fstest.MapFile {
	t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for name, text := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: buf.Bytes()}
}

// runner is one with options of its own, which shares compiled code with the others.
func runner(t *testing.T, o wasi.Options) *wasi.Runner {
	t.Helper()
	o.CacheDir = codeCache
	r, err := wasi.New(&o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// codeCache is where runners of tests keep compiled code.
var codeCache string

func TestMain(m *testing.M) {
	var err error
	if codeCache, err = os.MkdirTemp("", "wasi-test-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(codeCache)
	os.Exit(code)
}
