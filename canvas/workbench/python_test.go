package workbench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"samkit.dev/sam"
)

// python shows the Python of a project.
func python3(t *testing.T, b *Bench, id sam.ProjectID) *viewer {
	t.Helper()
	return viewKind(t, b, id, "python")
}

// shows enters lines one after the other, and compares what the terminal shows.
func (v *viewer) shows(lines [][2]string) {
	v.t.Helper()
	for _, c := range lines {
		if got := v.enter(c[0]); got != c[1] {
			v.t.Errorf("%q shows %q, want %q", c[0], got, c[1])
		}
	}
}

func TestPythonTerminal(t *testing.T) {
	s := withCommands(t)
	p := s.project(t, "notes", sam.Files{"docs/a.md": "hello\n", "sums.py": "import sys\ntotal = sum(map(int, sys.argv[1:]))\nprint(total)\n"})
	if kinds := s.Terminals(); !slices.Equal(kinds, []string{"javascript", "python", "shell"}) {
		t.Errorf("kinds: %q", kinds)
	}
	v := python3(t, s.Bench, "notes")
	if v.last.Prompt != ">>> " || !v.last.Fresh || v.last.Busy {
		t.Errorf("at first: %+v", v.last)
	}
	v.shows([][2]string{
		{"x = 6", ">>> x = 6\n"},
		{"x * 7", ">>> x * 7\n42\n"},
		{"", ">>> \n"},
		{"def double(n):", ">>> def double(n):\n"},
		{"    return n * 2", "...     return n * 2\n"},
		{"", "... \n"},
		{"double(x)", ">>> double(x)\n12\n"},
		{"for i in range(2):\n    print(i)\n\nprint('end')", ">>> for i in range(2):\n    print(i)\n\nprint('end')\n0\n1\nend\n"},
		{"if x:", ">>> if x:\n"},
		{"    print('one')\n    print('two')\n", "...     print('one')\n    print('two')\n\none\ntwo\n"},
		{"print(open('docs/a.md').read(), end='')", ">>> print(open('docs/a.md').read(), end='')\nhello\n"},
		{"open('new.md', 'w').write('hi')", ">>> open('new.md', 'w').write('hi')\n2\n"},
		{"1 / 0", ">>> 1 / 0\nTraceback (most recent call last):\n  File \"<stdin>\", line 1, in <module>\nZeroDivisionError: division by zero\n"},
		{"x", "[1]>>> x\n6\n"},
		{"x +", ">>> x +\n  File \"<stdin>\", line 1\n    x +\n       ^\nSyntaxError: invalid syntax\n"},
		{"%run sums.py 1 2", "[1]>>> %run sums.py 1 2\n3\n"},
		{"total", ">>> total\n3\n"},
		{"%pip install idna", ">>> %pip install idna\nERROR: there are no packages to install\n"},
	})
	if data, err := p.ReadFile(t.Context(), "new.md"); err != nil || string(data) != "hi" {
		t.Errorf("new.md is %q, %v", data, err)
	}
	if err := p.WriteFile(t.Context(), "new.md", []byte("from outside")); err != nil {
		t.Fatal(err)
	}
	v.enter("open('new.md').read()")
	if !strings.HasSuffix(v.text.String(), "'from outside'\n") {
		t.Errorf("a file that was changed: %q", v.text.String())
	}

	// Ctrl-C forgets a statement, or ends a line.
	v.enter("def half():")
	if v.last.Prompt != "... " {
		t.Errorf("within a statement the prompt is %q", v.last.Prompt)
	}
	v.Interrupt("    ret")
	v.read()
	if !strings.HasSuffix(v.text.String(), "...     ret^C\n") || v.last.Prompt != ">>> " || v.last.Code != 130 {
		t.Errorf("after Ctrl-C: %q, %+v", v.text.String(), v.last)
	}
	v.shows([][2]string{{"x", "[130]>>> x\n6\n"}})
	for _, line := range []string{"while True: pass", "import time; time.sleep(100)", "input()"} {
		v.enter("x")
		v.begin(line)
		if v.last.Prompt != "... " && !v.last.Busy {
			t.Fatalf("%s: %+v", line, v.last)
		}
		if strings.HasPrefix(line, "while") {
			v.until("the prompt", func() bool { return !v.last.Busy })
			v.begin("")
		}
		v.until(line, func() bool { return v.last.Busy && !v.last.Waits })
		v.Interrupt("")
		v.until(line, func() bool { return !v.last.Busy })
		if v.last.Code != 130 || !strings.Contains(v.text.String(), "KeyboardInterrupt\n") {
			t.Errorf("%s: %d, %q", line, v.last.Code, v.text.String())
		}
		v.Clear()
		v.read()
	}

	// What is typed while a line runs is its input.
	v.begin("name = input('name? ')")
	v.until("the question", func() bool { return strings.HasSuffix(v.text.String(), "name? ") })
	v.begin("ada")
	v.until("the answer", func() bool { return !v.last.Busy })
	v.shows([][2]string{{"name, x", ">>> name, x\n('ada', 6)\n"}})
	v.begin("import sys; sys.stdin.read()")
	v.begin("rest")
	v.EndInput()
	v.until("the end", func() bool { return !v.last.Busy })
	if !strings.HasSuffix(v.text.String(), "'rest\\n'\n") {
		t.Errorf("read to the end: %q", v.text.String())
	}

	// exit begins anew, whatever its form.
	for _, line := range []string{"exit", "exit(3)", "quit()"} {
		v.enter("x = 7")
		v.enter(line)
		if got := v.enter("x"); !strings.Contains(got, "NameError") {
			t.Errorf("after %s: %q", line, got)
		}
	}
}

// Each project has its own, for as long as there is room.
func TestPythonsComeAndGo(t *testing.T) {
	s := withCommands(t)
	first := s.project(t, "notes", nil)
	if err := first.WriteFile(t.Context(), "mine.txt", nil); err != nil {
		t.Fatal(err)
	}
	v := python3(t, s.Bench, "notes")
	v.enter("x = 6")
	for i := range maxPythons {
		id := sam.ProjectID(fmt.Sprintf("p%d", i))
		s.project(t, id, nil)
		other := python3(t, s.Bench, id) // within a statement of the first
		if got := other.enter("x"); !strings.Contains(got, "NameError") {
			t.Errorf("another project: %q", got)
		}
		if n := len(s.pythons.list()); n > maxPythons {
			t.Errorf("%d interpreters", n)
		}
		if i < maxPythons-1 {
			v.enter("")
			if got := v.enter("import os; x, os.path.exists('mine.txt')"); !strings.HasSuffix(got, "\n(6, True)\n") {
				t.Errorf("there is room: %q", got)
			}
			v.enter("if x: y = 1")
		}
	}
	for i := range maxPythons {
		python3(t, s.Bench, sam.ProjectID(fmt.Sprintf("p%d", i))).enter("1")
	}
	got := v.enter("x")
	if !strings.Contains(got, "began anew") || !strings.Contains(got, "NameError") {
		t.Errorf("without room: %q", got)
	}
	// A statement that was open when it left is forgotten.
	v.enter("def f():")
	for i := range maxPythons {
		python3(t, s.Bench, sam.ProjectID(fmt.Sprintf("p%d", i))).enter("1")
	}
	if got := v.enter("1 + 1"); !strings.HasSuffix(got, "2\n") || !strings.Contains(got, "began anew") {
		t.Errorf("a statement of an interpreter that left: %q", got)
	}

	// A project that is deleted takes its own along, in the middle of a line.
	v.begin("import time; time.sleep(1000)")
	v.until("it runs", func() bool { return v.last.Busy && !v.last.Waits })
	if err := s.Delete(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	for _, at := range s.pythons.list() {
		if at.of.project == "notes" {
			t.Error("an interpreter outlives its project")
		}
	}
	s.project(t, "notes", nil)
	if got := python3(t, s.Bench, "notes").enter("time"); !strings.Contains(got, "NameError") || strings.Contains(got, "anew") {
		t.Errorf("a new project: %q", got)
	}

	// A bench that closes ends a line.
	v = python3(t, s.Bench, "notes")
	v.begin("import time; time.sleep(1000)")
	v.until("it runs", func() bool { return v.last.Busy && !v.last.Waits })
	s.Close()
	if _, err := s.python(context.WithoutCancel(t.Context()), first, nil); err == nil {
		t.Error("a closed bench makes interpreters")
	}
}
