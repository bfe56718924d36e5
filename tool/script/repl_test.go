package script_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"samkit.dev/host/console"
	"samkit.dev/host/engine"
	"samkit.dev/tool/script"
)

// A printer collects what a session prints.
type printer struct {
	mu    sync.Mutex
	lines []string
}

func (p *printer) add(e console.Entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines = append(p.lines, e.Text)
}

func (p *printer) take() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := strings.Join(p.lines, "|")
	p.lines = nil
	return s
}

func newREPL(t *testing.T, opts *script.REPLOptions, files map[string]string) *script.REPL {
	t.Helper()
	p := newProject(t)
	for name, text := range files {
		if err := p.WriteFile(t.Context(), name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := script.NewREPL(t.Context(), newEngine(t), p, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func TestREPL(t *testing.T) {
	out := &printer{}
	buffer := console.NewBuffer(1 << 20)
	r := newREPL(t, &script.REPLOptions{Print: out.add, Console: buffer}, map[string]string{
		"lib/math.ts": "export const double = (n: number): number => n * 2;\nexport function fail(): never {\n  throw new Error('from math');\n}\n",
		"main.js":     "import { double } from './lib/math';\nexport * from './lib/math.ts';\nexport const four = double(2);\nconsole.log('main ran', four);\n",
		"later.mjs":   "export const waited = await Promise.resolve('yes');\n",
		"bad.ts":      "const a = ;\n",
		"npm.js":      "import x from 'left-pad';\n",
		"notes/a.md":  "alpha",
	})
	for _, c := range []struct{ line, want, printed string }{
		{"1 + 1", "2", ""},
		{"", "", ""},
		{"  // only a comment", "undefined", ""},
		{"let a = 1", "undefined", ""},
		{"a", "1", ""},
		{"let a = { b: [1, 'two', null, undefined, 3n], f() {}, d: new Date(0), m: new Map([[1, { x: 1 }]]) }", "undefined", ""},
		{"a", "{\n  b: [ 1, 'two', null, undefined, 3n ],\n  f: [Function: f],\n  d: 1970-01-01T00:00:00.000Z,\n  m: Map(1) { 1 => { x: 1 } }\n}", ""},
		{"const k = 1", "undefined", ""},
		{"k = 2", "!Uncaught TypeError: Assignment to constant variable.", ""},
		{"k", "1", ""},
		{"const k = 3; k", "3", ""},
		{"implied = 5; implied", "5", ""},
		{"_ + 1", "6", ""},
		{"{ x: 1 }", "{ x: 1 }", ""},
		{"{ let q = 1; q }", "1", ""},
		{"{}", "{}", ""},
		{"const self = { n: 1 }; self.self = self; self", "<ref *1> { n: 1, self: [Circular *1] }", ""},
		{"({ a: { b: { c: { d: 1 } } } })", "{ a: { b: { c: [Object] } } }", ""},
		{"await new Promise((done) => setTimeout(() => done('waited'), 1))", "'waited'", ""},
		{"Promise.resolve(4)", "Promise { 4 }", ""},
		{"const fromAwait = await Promise.resolve([1]); fromAwait", "[ 1 ]", ""},
		{"function f(n: number): string { return 'x'.repeat(n) }\nf(3)", "'xxx'", ""},
		{"class A<T> { v?: T }\nnew A()", "A { v: undefined }", ""},
		{"console.log('hi', { a: 1 }); console.warn('careful')", "undefined", "hi { a: 1 }|careful"},
		{"throw new TypeError('no')", "!Uncaught TypeError: no\n    at REPL", ""},
		{"_error.message", "'no'", ""},
		{"throw 5", "!Uncaught 5", ""},
		{"nowhere", "!Uncaught ReferenceError: nowhere is not defined", ""},
		{"1 +* 2", "!Uncaught SyntaxError: Unexpected", ""},
		{"if (1) { return 2 }", "!Uncaught SyntaxError: Illegal return statement\n    at REPL", ""},
		{"import x from './lib/math'", "!Uncaught SyntaxError:", ""},
		{"eval('1')", "!Uncaught EvalError", ""},
		{"f(", "more", ""},
		{"f(\n1)", "'x'", ""},
		{"`a", "more", ""},
		{"const g = () => {", "more", ""},
		{"%run main.js", "", "main ran 4"},
		{"double(four)", "8", ""},
		{"%run /later.mjs", "", ""},
		{"waited", "'yes'", ""},
		{"fail()", "!Uncaught Error: from math\n    at fail (lib/math.ts:3:9)", ""},
		{"%run bad.ts", "!Uncaught SyntaxError: bad.ts:1:11", ""},
		{"%run none.js", "!", ""},
		{"%run npm.js", "!Uncaught SyntaxError: npm.js:1:15", ""},
		{"%run", "!%run is no command", ""},
		{"%pip install x", "!%pip install x is no command", ""},
		{"await rtcAgent.readFile('notes/a.md')", "'alpha'", ""},
		{"await rtcAgent.writeFile('made.txt', 'new'); await rtcAgent.listDir()", "[\n  'AGENT.md',   'bad.ts',\n  'functions/', 'later.mjs',\n  'lib/',       'made.txt',\n  'main.js',    'notes/',\n  'npm.js'\n]", ""},
		{"await new Promise(() => {})", "!The line waits for something that cannot happen.", ""},
		{"k", "3", ""},
		{"let URL = 7; URL", "7", ""},
		{"JSON.stringify = () => 'mine'; Object.prototype.toJSON = () => 1; 'still'", "'still'", ""},
		{"delete Object.prototype.toJSON; Array.prototype[Symbol.iterator] = null; 5", "5", ""},
	} {
		got, err := r.Eval(t.Context(), c.line)
		var thrown *script.Exception
		switch {
		case errors.Is(err, script.ErrMore):
			got = "more"
		case errors.As(err, &thrown):
			got = "!" + thrown.Text
			if thrown.Lost {
				t.Errorf("%s: the session is lost", c.line)
			}
		case err != nil:
			t.Errorf("%s: %v", c.line, err)
		}
		if strings.HasPrefix(c.want, "!") {
			if !strings.HasPrefix(got, c.want) || strings.Contains(got, "functions.bundle") {
				t.Errorf("%s: %q, want %q", c.line, got, c.want)
			}
		} else if got != c.want {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
		if printed := out.take(); printed != c.printed {
			t.Errorf("%s printed %q, want %q", c.line, printed, c.printed)
		}
	}
	if _, last := buffer.Range(); last != 3 {
		t.Errorf("the console has %d entries", last)
	}
}

// TestREPLConstants proves that nothing assigns to a constant, in its own line or in a later one, and that the
// line that tried leaves it as it was.
func TestREPLConstants(t *testing.T) {
	e, p := newEngine(t), newProject(t)
	r, err := script.NewREPL(t.Context(), e, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	const refused = "Uncaught TypeError: Assignment to constant variable."
	for _, tries := range []string{
		"x = 2", "x++", "--x", "x += 1", "x **= 2", "x &&= 2", "[x] = [2]", "({ x } = { x: 2 })", "({ a: { b: [x = 3] } } = { a: { b: [] } })", "[...x] = [2]", "for (x of [2]);", "for (x in { a: 1 });", "for ({ x } of [{}]);",
		"(() => { x = 2 })()", "function f() { x = 2 } f()", "await (async () => { await null; x = 2 })()", "{ x = 2 }", "if (1) x = 2", "new (class { static { x = 2 } })", "eval = x; x = eval", "await null; x = 2", "module = { exports: 1 }; x = 2", "const y = (x = 2)",
	} {
		for _, line := range []string{"const x = 1; " + tries, "const [x] = [1], z = x; " + tries, "const { a: { x = 1 } } = { a: {} };\n" + tries} {
			_, err := r.Eval(t.Context(), line)
			if err == nil || !strings.HasPrefix(err.Error(), refused) {
				t.Errorf("%s: %v", line, err)
			}
			if got, err := r.Eval(t.Context(), "x"); got != "1" || err != nil {
				t.Errorf("after %s: %q %v", line, got, err)
			}
		}
		if _, err := r.Eval(t.Context(), "const x = 1"); err != nil {
			t.Error(err)
		}
		if _, err := r.Eval(t.Context(), tries); err == nil || !strings.HasPrefix(err.Error(), refused) {
			t.Errorf("a line later, %s: %v", tries, err)
		}
	}
	for line, want := range map[string]string{
		"const x = 1; { let x = 2; x = 3 } x": "1", "const x = 1; ((x) => { x = 2; return x })(0) + x": "3", "const n = { a: 1 }; n.a = 2; n.a": "2", "const x = 5; x": "5", "let x = 1; x = 2; x": "2",
		"const a = 1, b = a + 1; const c = b + 1; [a, b, c]": "[ 1, 2, 3 ]", "const é = 1; é": "1", "const fn = () => 1; fn.name": "'fn'", "const x = 1; x ||= 2": "1", "const x = 1; try { x = 2 } catch (e) { e instanceof TypeError }": "true",
	} {
		if got, err := r.Eval(t.Context(), line); got != want || err != nil {
			t.Errorf("%s: %q %v, want %s", line, got, err, want)
		}
	}
}

// TestREPLPlaces has the places of exceptions in what was typed.
func TestREPLPlaces(t *testing.T) {
	r := newREPL(t, nil, nil)
	for _, c := range []struct{ line, at string }{
		{"null.x", "REPL1:1:6"},
		{"const n: number = 1;\n\n  interface I { a: 1 }\n  null.x", "REPL2:4:8"},
		{"{ a: 1, b: null.x }", "REPL3:1:17"},
		{"let é: string = 'ü', y = null.x", "REPL4:1:31"},
		{"\nlet z = ;", "REPL5:2:9"},
	} {
		_, err := r.Eval(t.Context(), c.line)
		if err == nil || !strings.Contains(err.Error(), "at ") || !strings.HasSuffix(strings.TrimSuffix(strings.SplitN(err.Error(), "\n", 3)[1], ")"), c.at) {
			t.Errorf("%s: %v, want %s", c.line, err, c.at)
		}
	}
}

func TestREPLColors(t *testing.T) {
	r := newREPL(t, &script.REPLOptions{Colors: true}, nil)
	for line, want := range map[string]string{
		"1":                        "\x1b[33m1\x1b[39m",
		"'a'":                      "\x1b[32m'a'\x1b[39m",
		"undefined":                "\x1b[90mundefined\x1b[39m",
		"null":                     "\x1b[1mnull\x1b[22m",
		"[true, () => {}]":         "[ \x1b[33mtrue\x1b[39m, \x1b[36m[Function (anonymous)]\x1b[39m ]",
		"({ a: /x/g, 'b c': 1n })": "{ a: \x1b[31m/x/g\x1b[39m, \x1b[32m'b c'\x1b[39m: \x1b[33m1n\x1b[39m }",
		"Array(30).fill(0).length": "\x1b[33m30\x1b[39m",
	} {
		if got, err := r.Eval(t.Context(), line); err != nil || got != want {
			t.Errorf("%s: %q %v, want %q", line, got, err, want)
		}
	}
	colored, err := r.Eval(t.Context(), "Array.from({ length: 40 }, (_, i) => i)")
	if err != nil || strings.Count(colored, "\n") != 5 { // as wide as without colors
		t.Errorf("%q %v", colored, err)
	}
}

// TestREPLStops has lines that do not end by themselves, and what is left of the session after them.
func TestREPLStops(t *testing.T) {
	r := newREPL(t, &script.REPLOptions{Timeout: 3 * time.Second}, nil)
	must := func(line, want string) {
		t.Helper()
		if got, err := r.Eval(t.Context(), line); err != nil || got != want {
			t.Errorf("%s: %q %v, want %q", line, got, err, want)
		}
	}
	must("let a = 1; a", "1")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	_, err := r.Eval(ctx, "await new Promise((done) => setTimeout(done, 60_000))")
	cancel()
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error("a line that waits:", err)
	}
	must("a", "1")
	for _, line := range []string{"for (;;) {}", "function f() { return f() + 1 }\nf()", "const all = []; for (;;) all.push(new Array(1e6).fill(0))"} {
		must("let b = 2; b", "2")
		_, err := r.Eval(t.Context(), line)
		var thrown *script.Exception
		if !errors.As(err, &thrown) || !thrown.Lost || !strings.Contains(thrown.Text, "are gone") {
			t.Errorf("%s: %v", line, err)
		}
		must("typeof b", "'undefined'")
	}
	must("let c = 3; c", "3")
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	_, err = r.Eval(ctx, "while (true) {}")
	cancel()
	var thrown *script.Exception
	if !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &thrown) || !thrown.Lost {
		t.Error("a line that computes:", err)
	}
	must("1", "1")

	began := make(chan struct{})
	go func() {
		defer close(began)
		time.Sleep(50 * time.Millisecond) // either way round
		r.Close()
	}()
	if _, err := r.Eval(t.Context(), "await new Promise((done) => setTimeout(done, 60_000))"); err == nil {
		t.Error("a line outlived its session")
	}
	<-began
	r.Close()
	if _, err := r.Eval(t.Context(), "1"); err == nil {
		t.Error("a closed session ran a line")
	}
}

// TestREPLAlone has two sessions of one project that see nothing of each other, and lines from many goroutines.
func TestREPLAlone(t *testing.T) {
	e, p := newEngine(t), newProject(t)
	one, err := script.NewREPL(t.Context(), e, p, &script.REPLOptions{Plan: true})
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	two, err := script.NewREPL(t.Context(), e, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer two.Close()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := one.Eval(t.Context(), "globalThis.n = (globalThis.n ?? 0) + 1"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got, err := one.Eval(t.Context(), "n"); err != nil || got != "8" {
		t.Error(got, err)
	}
	if got, err := two.Eval(t.Context(), "typeof n"); err != nil || got != "'undefined'" {
		t.Error(got, err)
	}
	if got, err := one.Eval(t.Context(), "await rtcAgent.writeFile('a', 'b').catch((e) => e.code)"); err != nil || got != "'denied'" {
		t.Error(got, err)
	}
}

// TestREPLMakesRoom has an engine with one worker, which two sessions take turns with.
func TestREPLMakesRoom(t *testing.T) {
	e, err := engine.New(&engine.Options{Isolation: engine.Process, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	out := &printer{}
	one, err := script.NewREPL(t.Context(), e, newProject(t), &script.REPLOptions{Print: out.add})
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	if _, err := one.Eval(t.Context(), "let a = 1"); err != nil {
		t.Fatal(err)
	}
	two, err := script.NewREPL(t.Context(), e, newProject(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer two.Close()
	if got, err := one.Eval(t.Context(), "typeof a"); err != nil || got != "'undefined'" || !strings.Contains(out.take(), "began anew") {
		t.Error(got, err)
	}
}
