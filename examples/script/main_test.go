package main

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"samkit.dev/host/engine"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

func TestScript(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.md": "one two", "words.ts": "const text: string = await rtcAgent.readFile(params.file);\nreturn text.split(' ').length", "bad.js": "fetch('x')"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		in   string
		yes  bool
		args []string
		want string // on the standard output, or in the error
	}{
		{"", true, []string{"eval", "return params.a + 1", `{"a":1}`}, "2\n"},
		{"y\n", false, []string{"eval", "return 1"}, "1\n"},
		{"n\n", false, []string{"eval", "return 1"}, "not permitted"},
		{"", true, []string{"save", "words", "words.ts"}, ""},
		{"", true, []string{"save", "bad", "bad.js"}, "fetch is blocked (network)"},
		{"", true, []string{"run", "words", `{"file":"a.md"}`}, "2\n"},
		{"", true, []string{"list"}, "words \n"},
		{"", true, []string{"eval", "await rtcAgent.writeFile('new/b.md', 'written')"}, `{"$undefined":true}` + "\n"},
		{"", true, []string{"eval", "throw new Error('no')"}, "failed"},
		{"", true, []string{"eval", "return 1", "{"}, "params"},
		{"let a = 1\n({ a,\nb: 2 })\n", true, []string{"repl"}, "undefined\n{ a: 1, b: 2 }\n"},
		{"", true, []string{"burn"}, "usage"},
	} {
		var out, errs bytes.Buffer
		cmd := &command{in: bufio.NewScanner(strings.NewReader(c.in)), out: &out, err: &errs, yes: c.yes, timeout: 30 * time.Second}
		err := cmd.run(t.Context(), dir, c.args)
		if err == nil && out.String() != c.want || err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %q %v (%s), want %q", c.args, out.String(), err, errs.String(), c.want)
		}
	}
	if data, err := os.ReadFile(filepath.Join(dir, "new", "b.md")); string(data) != "written" {
		t.Error(string(data), err)
	}
	if _, err := os.Stat(filepath.Join(dir, "scripts", "words.md")); err != nil {
		t.Error(err)
	}
}
