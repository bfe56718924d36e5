package workbench

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"samkit.dev/sam"
)

var colors = regexp.MustCompile("\x1b\\[[0-9;]*m")

// plain enters a line and returns what the terminal shows afterwards, without colors.
func (v *viewer) plain(line string) string {
	v.t.Helper()
	return colors.ReplaceAllString(v.enter(line), "")
}

func TestJavaScriptTerminal(t *testing.T) {
	s := serve(t, Options{})
	p := s.project(t, "notes", sam.Files{"src/sum.ts": "import { one } from './one.ts'\nexport const sum = (n: number) => n + one\n", "src/one.ts": "export const one: number = 1\n"})
	v := viewKind(t, s.Bench, "notes", "javascript")
	if v.last.Prompt != "> " || !v.last.Fresh || v.last.Busy {
		t.Errorf("at first: %+v", v.last)
	}
	for _, c := range [][2]string{
		{"const x = 6", "> const x = 6\nundefined\n"},
		{"x * 7", "> x * 7\n42\n"},
		{"", "> \n"},
		{"function double(n) {", "> function double(n) {\n"},
		{"", "... \n"},
		{"  return n * 2", "...   return n * 2\n"},
		{"}", "... }\nundefined\n"},
		{"({ a: double(x) })", "> ({ a: double(x) })\n{ a: 12 }\n"},
		{"`a", "> `a\n"},
		{"b`", "... b`\n'a\\nb'\n"},
		{"let y = 1\ny + 1", "> let y = 1\ny + 1\n2\n"},
		{"console.log('hi', x); console.error('ho')", "> console.log('hi', x); console.error('ho')\nhi 6\nho\nundefined\n"},
		{"await Promise.resolve(3)", "> await Promise.resolve(3)\n3\n"},
		{"%run src/sum.ts", "> %run src/sum.ts\n"},
		{"sum(x)", "> sum(x)\n7\n"},
		{"await rtcAgent.writeFile('made.md', 'hi')", ""},
	} {
		if got := v.plain(c[0]); c[1] != "" && got != c[1] {
			t.Errorf("%q shows %q, want %q", c[0], got, c[1])
		}
	}
	if data, err := p.ReadFile(t.Context(), "made.md"); err != nil || string(data) != "hi" {
		t.Errorf("made.md is %q, %v", data, err)
	}
	if got := v.plain("nothing.at.all"); !strings.Contains(got, "Uncaught ReferenceError: nothing is not defined\n") || !strings.Contains(got, ":1:1") || v.last.Code != 1 {
		t.Errorf("an exception: %d, %q", v.last.Code, got)
	}
	if got := v.plain("1 +* 2"); !strings.Contains(got, "SyntaxError") {
		t.Errorf("no JavaScript: %q", got)
	}
	if got := v.plain("x"); got != "[1]> x\n6\n" {
		t.Errorf("after an exception: %q", got)
	}

	// Ctrl-C forgets what is not finished, or ends a line.
	v.enter("[1,")
	if v.last.Prompt != "... " {
		t.Errorf("within something the prompt is %q", v.last.Prompt)
	}
	v.Interrupt("2")
	v.read()
	if !strings.HasSuffix(v.text.String(), "... 2^C\n") || v.last.Prompt != "> " || v.last.Code != 130 {
		t.Errorf("after Ctrl-C: %q, %+v", v.text.String(), v.last)
	}
	v.begin("await new Promise((yes) => setTimeout(yes, 1e6))")
	v.until("it runs", func() bool { return v.last.Busy && !v.last.Waits })
	v.Interrupt("")
	v.until("it ends", func() bool { return !v.last.Busy })
	if v.last.Code != 130 {
		t.Errorf("a line that was stopped: %+v", v.last)
	}
	if got := v.plain("x"); !strings.HasSuffix(got, "> x\n6\n") {
		t.Errorf("a line that waited was stopped, and %q", got)
	}
	v.begin("for (;;);")
	v.until("it runs", func() bool { return v.last.Busy && !v.last.Waits })
	v.Interrupt("")
	v.until("it ends", func() bool { return !v.last.Busy })
	if v.last.Code != 130 {
		t.Errorf("a line that computed was stopped: %+v", v.last)
	}
	if got := v.plain("1 + 1"); !strings.HasSuffix(got, "2\n") {
		t.Errorf("afterwards: %q", got)
	}

	// exit begins anew.
	v.enter("var z = 9")
	v.enter("exit")
	if got := v.plain("typeof z"); !strings.HasSuffix(got, "'undefined'\n") {
		t.Errorf("after exit: %q", got)
	}
}

func TestJavaScriptsComeAndGo(t *testing.T) {
	s := serve(t, Options{})
	s.project(t, "notes", nil)
	v := viewKind(t, s.Bench, "notes", "javascript")
	v.enter("var x = 6")
	session := v.repl.(*javascript).session
	s.project(t, "other", nil)
	if got := viewKind(t, s.Bench, "other", "javascript").plain("typeof x"); !strings.HasSuffix(got, "'undefined'\n") {
		t.Errorf("another project: %q", got)
	}
	for i := range maxTerminals {
		id := sam.ProjectID(fmt.Sprintf("p%d", i))
		s.project(t, id, nil)
		viewKind(t, s.Bench, id, "javascript")
	}
	if _, err := session.Eval(t.Context(), "1"); err == nil {
		t.Error("a session outlives its terminal")
	}
	v = viewKind(t, s.Bench, "notes", "javascript")
	if got := v.plain("typeof x"); !strings.HasSuffix(got, "'undefined'\n") {
		t.Errorf("a terminal that left and came back: %q", got)
	}
	v.begin("await new Promise((yes) => setTimeout(yes, 1e6))")
	v.until("it runs", func() bool { return v.last.Busy && !v.last.Waits })
	if err := s.Delete(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	if err := v.Enter("1"); err == nil {
		t.Error("the terminal of a deleted project takes lines")
	}
	s.project(t, "notes", nil)
	v = viewKind(t, s.Bench, "notes", "javascript")
	v.enter("1")
	session = v.repl.(*javascript).session
	v.begin("await new Promise((yes) => setTimeout(yes, 1e6))")
	v.until("it runs", func() bool { return v.last.Busy && !v.last.Waits })
	s.Close()
	if _, err := session.Eval(t.Context(), "1"); err == nil {
		t.Error("a session outlives its bench")
	}
}
