package workbench

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"
	"testing"

	"samkit.dev/host"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/wasi"
)

// An agent runs Python on the files of a project: HOST.python.run. What it defines is there in the next call.
func ExampleOptions_python() {
	ctx := context.Background()
	eng, err := engine.New(&engine.Options{Isolation: engine.InProcess})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	runner, err := wasi.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer runner.Close()
	if err := runner.Prepare("python3"); err != nil {
		log.Fatal(err)
	}
	bench, err := New(ctx, sam.NewWorkspace(sam.NewMemStore(), "ada", nil), eng, &Options{Commands: runner})
	if err != nil {
		log.Fatal(err)
	}
	defer bench.Close()
	for _, id := range []sam.ProjectID{"notes", "bot"} {
		if _, err := bench.Create(ctx, id, sam.Files{"prices.csv": "item,price\ntea,2\ncake,5\n"}); err != nil {
			log.Fatal(err)
		}
	}
	if err := bench.SetAgent(ctx, "bot"); err != nil {
		log.Fatal(err)
	}
	for _, args := range []string{
		`{"project":"notes","code":"import csv\nrows = list(csv.DictReader(open('prices.csv')))"}`,
		`{"project":"notes","code":"sum(int(r['price']) for r in rows)"}`,
	} {
		out, err := bench.Host().Call(ctx, "python.run", json.RawMessage(args))
		fmt.Printf("%s %v\n", out, err)
	}
	// Output:
	// {"exitCode":0,"stdout":"","stderr":"","anew":true} <nil>
	// {"exitCode":0,"stdout":"7\n","stderr":""} <nil>
}

func TestPythonRun(t *testing.T) {
	s, call := withAgent(t, Options{Commands: commands()})
	run := func(code string) answer { return call("python.run", m{"code": code}) }
	has(t, "first", run("x = 6"), `{"exitCode":0,"stdout":"","stderr":"","anew":true}`)
	has(t, "the next call", run("x * 7"), `{"exitCode":0,"stdout":"42\n","stderr":""}`)
	has(t, "a file that is read", run("open('a.md').read()"), `'one\\ntwo\\nthree'`)
	has(t, "a file that is written", run("open('prog.py', 'w').write('import sys\\nprint(sys.argv[1:], sys.stdin.read())\\ny = 1')"), `"exitCode":0`)
	has(t, "a file that is closed", run("with open('made/kept.txt', 'w') as f: f.write('x')"), `FileNotFoundError`)
	has(t, "a file that is closed", run("import os\nos.mkdir('made')\nwith open('made/kept.txt', 'w') as f: f.write('x')\nos.rename('made/kept.txt', 'made/own.txt')\nopen('made/own.txt').read()"), `{"exitCode":0,"stdout":"'x'\n"`)
	has(t, "a program", call("python.run", m{"file": "prog.py", "args": []string{"a", "b"}, "stdin": "typed"}), `['a', 'b'] typed`)
	has(t, "what a program defined", call("runPython", m{"code": "x + y"}), `"stdout":"7\n"`)
	has(t, "%run", run("%run prog.py c"), `['c']`)
	has(t, "a traceback", run("x = 8\n1 / 0"), `"exitCode":1,"stdout":"","stderr":"Traceback`)
	has(t, "a traceback", run("1 / 0"), `ZeroDivisionError`)
	has(t, "exit", run("exit(3)"), `"exitCode":3`)
	has(t, "which keeps the variables", run("x"), `8\n`)
	has(t, "no input", run("input()"), `EOFError`)
	has(t, "time", call("python.run", m{"code": "while True: pass", "timeoutMs": 50}), `"exitCode":124`)
	has(t, "time", call("python.run", m{"code": "import time; time.sleep(100)", "timeoutMs": 50}), `"exitCode":124`)
	has(t, "a machine's files", run("open('/etc/passwd')"), `FileNotFoundError`)
	has(t, "output", run("print('x' * 300000)"), `"truncated":true`)
	for name, args := range map[string]m{
		"neither": {}, "both": {"code": "1", "file": "prog.py"}, "args of code": {"code": "1", "args": []string{"x"}}, "a file outside": {"file": "../prog.py"},
		"time": {"code": "1", "timeoutMs": -1}, "too many": {"file": "prog.py", "args": make([]string, maxCmdArgs+1)}, "a number": {"code": 1},
	} {
		if a := call("python.run", args); a.Code != "invalid" {
			t.Errorf("%s: %s", name, a)
		}
	}
	has(t, "no such file", call("python.run", m{"file": "none.py"}), `FileNotFoundError`)
	has(t, "no such project", call("python.run", m{"code": "1", "project": "none"}), "not_found")
	if a := withoutPython(t); a.Code != "" || !strings.Contains(a.String(), "not a function") && !strings.Contains(a.String(), "undefined") {
		t.Errorf("without commands: %s", a)
	}

	// It reads its own files, and has an interpreter of its own there.
	has(t, "its own", call("python.run", m{"project": "bot", "code": "x"}), `NameError`)
	has(t, "its own", call("python.run", m{"project": "bot", "code": "z = 1; open('prompt.md').read()"}), `'be kind'`)
	has(t, "its own", call("python.run", m{"project": "bot", "code": "z"}), `"stdout":"1\n"`)
	if got := python3(t, s.Bench, "bot").enter("z"); !strings.Contains(got, "NameError") {
		t.Errorf("the person shares an interpreter with an agent that may not write: %q", got)
	}
}

func withoutPython(t *testing.T) answer {
	_, call := withAgent(t, Options{})
	return call("python.run", m{"code": "1"})
}

// The person and the agent share variables, in turns, for as long as the agent may change the project.
func TestPersonAndAgentShareVariables(t *testing.T) {
	s, call := withAgent(t, Options{Commands: commands()})
	v := python3(t, s.Bench, "notes")
	v.enter("x = 6")
	has(t, "the agent", call("runPython", m{"code": "y = x * 7; y"}), `{"exitCode":0,"stdout":"42\n","stderr":""}`)
	v.shows([][2]string{
		{"y", ">>> y\n42\n"},
		{"def half(n):", ">>> def half(n):\n"},
	})
	has(t, "the agent, while the person has not finished", call("runPython", m{"code": "y += 1"}), `"exitCode":0`)
	v.shows([][2]string{
		{"    return n / 2", "...     return n / 2\n"},
		{"", "... \n"},
		{"half(y)", ">>> half(y)\n21.5\n"},
	})
	// A person who gives up a statement does not stop the agent.
	v.enter("def half(n):")
	type result struct {
		out json.RawMessage
		err error
	}
	agent := make(chan result, 1)
	begin := func(args string) {
		go func() {
			out, err := s.Host().Call(context.WithoutCancel(t.Context()), "python.run", json.RawMessage(args))
			agent <- result{out, err}
		}()
		v.until("the agent's turn", func() bool { return len(v.last.Jobs) == 1 && v.last.Jobs[0].Agent })
	}
	begin(`{"code":"import time; time.sleep(1); 'went on'"}`)
	v.Interrupt("")
	if r := <-agent; r.err != nil || !strings.Contains(string(r.out), "went on") {
		t.Errorf("the agent: %s, %v", r.out, r.err)
	}
	notes, err := s.Workspace().Open(t.Context(), "notes")
	if err != nil {
		t.Fatal(err)
	}
	if got := v.enter("half(4)"); !strings.HasSuffix(got, "2.0\n") {
		t.Errorf("after a statement that was given up: %q", got)
	}
	// What the agent leaves behind acts for nobody once its session has ended: not between lines,
	has(t, "a trap", call("runPython", m{"code": "import builtins\ndef show(*a): open('trap.txt', 'a').write('x')\nbuiltins.print = show"}), `"exitCode":0`)
	v.enter("print(1)")
	if _, err := notes.ReadFile(t.Context(), "trap.txt"); err != nil {
		t.Errorf("the trap of a session that is there: %v", err)
	}
	if err := s.SetAgent(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if got := v.enter("print(2)"); !strings.Contains(got, "began anew") || !strings.HasSuffix(got, "\n2\n") {
		t.Errorf("after the agent's session: %q", got)
	}
	// and not in the middle of one.
	if err := s.SetAgent(t.Context(), "bot"); err != nil {
		t.Fatal(err)
	}
	has(t, "a trap", call("runPython", m{"code": "import time, builtins\nbuiltins.print = lambda *a: time.sleep(1000) or open('late.txt', 'w')"}), `"exitCode":0`)
	v.begin("print(3)")
	v.until("it runs", func() bool { return v.last.Busy && !v.last.Waits })
	if err := s.SetAgent(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	v.until("it ends", func() bool { return !v.last.Busy })
	if !strings.Contains(v.text.String(), "The interpreter ended: "+endedForAgent) {
		t.Errorf("the line: %q", v.text.String())
	}
	if got := v.enter("print(4)"); !strings.HasSuffix(got, "\n4\n") {
		t.Errorf("after the agent's session: %q", got)
	}
	// The next agent meets none of it, in projects of others neither.
	has(t, "another agent, on its own", s.call(t, "notes", s.Agent().ID, "HOST.runPython", m{"code": "time"}), "NameError")
	v.enter("mine = 1")
	has(t, "another agent, on its own", s.call(t, "notes", s.Agent().ID, "HOST.runPython", m{"code": "mine"}), "NameError")
}

// Code of an agent that loses its role ends, and writes nothing more.
func TestPythonEndsWithTheRole(t *testing.T) {
	s, call := withAgent(t, Options{Commands: commands()})
	has(t, "begun", call("runPython", m{"code": "1"}), `"anew":true`)
	has(t, "its own", call("runPython", m{"project": "bot", "code": "1"}), `"anew":true`)
	if n := len(s.pythons.list()); n != 2 {
		t.Errorf("%d interpreters", n)
	}
	v := view(t, s.Bench, "notes")
	done := make(chan error, 1)
	go func() {
		_, err := s.Host().Call(context.WithoutCancel(t.Context()), "python.run", json.RawMessage(`{"code":"f = open('late.txt', 'w')\nwhile True:\n    try:\n        f.write('x')\n    except BaseException:\n        pass"}`))
		done <- err
	}()
	v.until("it runs", func() bool { return len(v.last.Jobs) == 1 && strings.HasPrefix(v.last.Jobs[0].Command, "python3") })
	if err := s.SetAgent(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if err := <-done; code(err) != host.Denied {
		t.Errorf("the former agent hears %v", err)
	}
	v.until("it has ended", func() bool { return len(v.last.Jobs) == 0 })
	if got := v.enter("ls late.txt"); !strings.Contains(got, "No such file") {
		t.Errorf("it wrote: %q", got)
	}
	s.Close() // waits for all that ends
	if n := len(s.pythons.list()); n != 0 {
		t.Errorf("%d interpreters outlive the agent", n)
	}
}
