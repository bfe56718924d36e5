package jsexec_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/tool/script/jsexec"
	"samkit.dev/wasi"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

func TestCommand(t *testing.T) {
	e, err := engine.New(&engine.Options{Isolation: engine.Process})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	r, err := wasi.New(&wasi.Options{Builtins: map[string]wasi.Builtin{"js-exec": jsexec.New(e)}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	app, err := sam.NewWorkspace(sam.NewMemStore(), "ada", nil).Create(t.Context(), "app", sam.Files{
		"a.txt": "one\ntwo\n", "AGENT.md": "mine\n", "src/main.ts": "import { twice } from './lib.js'\nconst n: number = Number(process.argv[2])\nconsole.log(twice(n), await fs.promises.readdir('.'))\n",
		"src/lib.js": "export const twice = (n) => 2 * n\n", "bad.js": "let x = ;\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	use := func(ctx context.Context, text, in string) (string, string, int) {
		var out, errs bytes.Buffer
		err := r.Shell(ctx, text, &wasi.Cmd{Files: app, Stdin: strings.NewReader(in), Stdout: &out, Stderr: &errs})
		code := 0
		var exit *wasi.ExitError
		if errors.As(err, &exit) {
			code = exit.Code
		} else if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		return out.String(), errs.String(), code
	}
	for _, c := range []struct {
		script, in, out, err string
		code                 int
	}{
		{script: `js-exec -c 'console.log("a", {b: [1]}); console.error("e"); 5'`, out: "a { b: [ 1 ] }\n", err: "e"},
		{script: `js-exec -c 'console.log((await fs.promises.readFile("a.txt")).split("\n").length, process.argv[2])' x | tr x y`, out: "3 y\n"},
		{script: `cd src; js-exec main.ts 21`, out: "42 [ 'lib.js', 'main.ts' ]\n"},
		{script: `js-exec /project/src/main.ts 2; A=5 js-exec -c 'console.log(process.env.A, process.cwd())'`, out: "4 [ 'AGENT.md', 'a.txt', 'bad.js', 'src' ]\n5 /project\n"},
		{script: `echo hi | js-exec -c 'console.log((await require("node:fs/promises").readFile("/dev/stdin")).trim().toUpperCase())'`, out: "HI\n"},
		{script: `js-exec -c 'await fs.promises.writeFile("out/x.txt", "new"); await fs.promises.appendFile("/project/out/x.txt", "!")' && cat out/x.txt AGENT.md`, out: "new!mine\n"},
		{script: `echo 'console.log(1 as number)' | js-exec; echo 'console.log(process.argv.slice(1))' | js-exec - a`, out: "1\n[ '-', 'a' ]\n"},
		{script: `js-exec -c 'try { process.exit(3) } finally { console.log("f") }'; echo $?; js-exec -c 'process.exitCode = 4'; echo $?`, out: "f\n3\n4\n"},
		{script: `js-exec -c 'throw new TypeError("no")'`, err: "Uncaught TypeError: no", code: 1},
		{script: `js-exec -c 'await fs.promises.readFile("nothing")'`, err: "ENOENT", code: 1},
		{script: `js-exec -c 'await fs.promises.access("src"); await fs.promises.access("nope").catch(e => console.log(e.code)); console.log(await fs.promises.readFile("AGENT.md"))'`, out: "ENOENT\nmine\n\n"},
		{script: `js-exec -c 'await fs.promises.readFile("/etc/passwd")'`, err: "EACCES", code: 1},
		{script: `js-exec -c 'fs.readFileSync("a.txt")'`, err: "fs.promises.readFile", code: 1},
		{script: `js-exec -c 'let x = {'`, err: "SyntaxError", code: 1},
		{script: `js-exec bad.js`, err: "SyntaxError", code: 1}, {script: `js-exec nothing.js`, err: "no file nothing.js", code: 1},
		{script: `js-exec -c 'fetch'`, code: 0}, {script: `js-exec --nope`, err: "unrecognized", code: 2}, {script: `js-exec -c`, err: "requires", code: 2},
		{script: `js-exec --help | head -n 1; help js-exec | head -n 1`, out: "usage: js-exec [-c CODE | FILE | -] [ARG]...\nusage: js-exec [-c CODE | FILE | -] [ARG]...\n"},
	} {
		out, errs, code := use(t.Context(), c.script, c.in)
		if out != c.out || code != c.code || c.err == "" && errs != "" || !strings.Contains(errs, c.err) {
			t.Errorf("%s\n-- exit code %d\n%s\n-- messages\n%s\n-- expected, exit code %d\n%s\n%s", c.script, code, out, errs, c.code, c.out, c.err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if out, errs, code := use(ctx, "js-exec -c 'for (;;);'", ""); code != 124 && code != 130 {
		t.Errorf("a loop: %q, %q, %d", out, errs, code)
	}
}
