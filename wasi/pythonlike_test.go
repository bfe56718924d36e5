package wasi_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"samkit.dev/sam"
	"samkit.dev/wasi"
)

// Programs that use the standard library print here what they print on Debian 12: the files .out
// are Debian's, which is asked again where it is installed, as in CI.
func TestPythonLikeDebian(t *testing.T) {
	programs, err := filepath.Glob("testdata/python/*.py")
	if err != nil || len(programs) == 0 {
		t.Fatal(programs, err)
	}
	debian := "/usr/bin/python3.11"
	if _, err := os.Stat(debian); err != nil {
		if os.Getenv("CI") != "" {
			t.Error(err)
		}
		t.Log("there is no Python of Debian's to ask; what it said once counts")
		debian = ""
	}
	for _, name := range programs {
		t.Run(strings.TrimSuffix(filepath.Base(name), "_.py"), func(t *testing.T) {
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(strings.TrimSuffix(name, ".py") + ".out")
			if err != nil {
				t.Fatal(err)
			}
			if debian != "" {
				path, err := filepath.Abs(name)
				if err != nil {
					t.Fatal(err)
				}
				cmd := exec.CommandContext(t.Context(), debian, path)
				cmd.Dir = t.TempDir()
				cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC", "PYTHONDONTWRITEBYTECODE=1"}
				if out, err := cmd.Output(); err != nil || string(out) != string(want) {
					t.Errorf("%v: Debian prints\n%s", err, out)
				}
			}
			got := run(t.Context(), shared(), wasi.Cmd{Files: project(t, sam.Files{"main.py": string(source)}), Args: []string{"python3", "main.py"}, Env: []string{"TZ=UTC"}})
			if got.code != 0 || got.out != string(want) {
				t.Errorf("exit code %d\n%s\n-- not\n%s\n-- messages\n%s", got.code, got.out, want, got.err)
			}
		})
	}
}

// python3 is a command as others are.
func TestPythonCommand(t *testing.T) {
	files := sam.Files{
		"main.py":         "import sys, os\nprint(sys.argv, os.environ.get('WHO'), os.getcwd(), __name__)\nsys.exit(3)\n",
		"pkg/__init__.py": "", "pkg/__main__.py": "from . import more\nprint(more.x)\n", "pkg/more.py": "x = 'more'\n",
		"bad.py": "def f():\n    return {}['k']\n\nf()\n",
	}
	for _, test := range []struct{ script, out, err string }{
		{script: "WHO=ada python3 main.py a 'b c'; echo $?", out: "['main.py', 'a', 'b c'] ada /project __main__\n3\n"},
		{script: "python3 -m pkg; cd pkg; python3 -c 'import more, sys; print(more.x, sys.argv)' x", out: "more\nmore ['-c', 'x']\n"},
		{script: "echo 'print(1 + 1)' | python3; echo hello | python3 -c 'print(input().upper())'; echo 'import sys; print(sys.argv)' | python - a", out: "2\nHELLO\n['-', 'a']\n"},
		{script: "seq 5 | python3 -c 'import sys; print(sum(map(int, sys.stdin)))' | sed s/1/x/", out: "x5\n"},
		{script: "python3 bad.py; echo $?", out: "1\n", err: "Traceback (most recent call last):\n  File \"/project/bad.py\", line 4, in <module>\n    f()\n  File \"/project/bad.py\", line 2, in f\n    return {}['k']\n           ~~^^^^^\nKeyError: 'k'\n"},
		{script: "python3 nothing.py; echo $?", out: "2\n", err: "python3: can't open file '/project/nothing.py': [Errno 44] No such file or directory\n"},
		{script: "python3 -c 'import sys; sys.exit(\"no\")'; echo $?", out: "1\n", err: "no\n"},
		{script: "python3 -c 'raise SystemExit'; echo $?; python3 -V", out: "0\nPython 3.11.2\n"},
		{script: "python3 -c 'while True: print(1)' | head -n 1", out: "1\n"},
		{script: "python3 -c 'open(\"new.txt\", \"w\").write(\"x\" * 3)'; cat new.txt; ls; ls /usr/lib/python3.11/json", out: "xxxbad.py\nmain.py\nnew.txt\npkg\n__init__.pyc\ndecoder.pyc\nencoder.pyc\nscanner.pyc\ntool.pyc\n"},
		{script: "python3 -c 'open(\"/usr/lib/python3.11/x.py\", \"w\")' 2>&1 | tail -n 1; rm /usr/lib/python3.11/os.pyc 2>&1; touch /usr/lib/x 2>&1; python3 -c 'print(1)'", out: "OSError: [Errno 69] Read-only file system: '/usr/lib/python3.11/x.py'\nrm: /usr/lib/python3.11/os.pyc: Read-only file system\ntouch: '/usr/lib/x': Read-only file system\n1\n"},
	} {
		got := script(t.Context(), shared(), test.script, wasi.Cmd{Files: project(t, files)})
		if got.out != test.out || got.err != test.err {
			t.Errorf("%s\n-- printed\n%s\n%s\n-- not\n%s\n%s", test.script, got.out, got.err, test.out, test.err)
		}
	}
}

// What there is not, says so.
func TestPythonRefuses(t *testing.T) {
	for code, want := range map[string]string{
		"import subprocess; subprocess.run(['ls'])":                              "OSError: [Errno 58] wasi does not support processes.",
		"import os; os.system('ls')":                                             "OSError: [Errno 58] there are no processes here",
		"import threading; threading.Thread(target=print).start()":               "RuntimeError: can't start new thread",
		"import socket; socket.socket()":                                         "OSError: [Errno 58] there is no network here",
		"import socket; socket.create_connection(('ex.org', 80))":                "socket.gaierror: [Errno -4] there is no network here",
		"import urllib.request; urllib.request.urlopen('http://ex.org')":         "urllib.error.URLError: <urlopen error [Errno -4] there is no network here>",
		"import asyncio; asyncio.run(asyncio.Event().wait())":                    "RuntimeError: deadlock: every task waits for something that nothing here can bring",
		"x = bytearray(10**9)":                                                   "MemoryError",
		"x = []\nwhile True: x.append('x' * 1_000_000)":                          "MemoryError",
		"class A:\n    def __getattr__(s, n): return getattr(s, n + 'x')\nA().y": "RecursionError: maximum recursion depth exceeded",
		"def f(): f()\nf()":                                                      "RecursionError: maximum recursion depth exceeded",
		"a = []\nfor i in range(10**5): a = [a]\nrepr(a)":                        "RecursionError: maximum recursion depth exceeded while getting the repr of an object",
		"import json; json.loads('[' * 10**5)":                                   "RecursionError: maximum recursion depth exceeded while decoding a JSON array from a unicode string",
		"eval('-' * 10**5 + '1')":                                                "MemoryError",
		"import ctypes":                                                          "ModuleNotFoundError: No module named 'ctypes'",
		"open('/etc/passwd')":                                                    "FileNotFoundError: [Errno 44] No such file or directory: '/etc/passwd'",
		"open('../../../../etc/passwd')":                                         "PermissionError: [Errno 63] Operation not permitted: '../../../../etc/passwd'",
		"import os; os.symlink('/', 'x')":                                        "PermissionError: [Errno 63] Operation not permitted: '/' -> 'x'",
	} {
		got := run(t.Context(), shared(), wasi.Cmd{Files: project(t, nil), Args: []string{"python3", "-c", code}})
		lines := strings.Split(strings.TrimSpace(got.err), "\n")
		if last := lines[len(lines)-1]; got.code != 1 || last != want && last != "_"+want {
			t.Errorf("%s\n-- code %d, said\n%s\n-- not\n%s", code, got.code, last, want)
		}
	}
}
