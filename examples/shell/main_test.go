package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestShell(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(filepath.Dir(dir), "outside")
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip("this machine has no links:", err)
	}
	use := func(script, in string, args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		s := &session{in: strings.NewReader(in), out: &out, err: &errs}
		code, err := s.run(dir, script, args, nil)
		if err != nil {
			t.Errorf("%s%s: %v", script, in, err)
		}
		return code, out.String(), errs.String()
	}
	if code, out, errs := use("mkdir -p a/b; tr a-z A-Z >a/b/c; cat a/b/*; exit 3", "hello\n"); code != 3 || out != "HELLO\n" || errs != "" {
		t.Errorf("-c: %d, %q, %q", code, out, errs)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "a/b/c")); string(data) != "HELLO\n" || err != nil {
		t.Errorf("the file is %q, %v", data, err)
	}
	if code, out, errs := use("", "x=1; cd a/b\necho $x $(pwd) | tr x y\nfalse\necho $?\nrm c; exit 4\necho no\n"); code != 4 || out != "1 /project/a/b\n1\n" {
		t.Errorf("lines: %d, %q, %q", code, out, errs)
	}
	if _, err := os.Stat(filepath.Join(dir, "a")); !os.IsNotExist(err) {
		t.Errorf("an empty folder was left: %v", err)
	}
	// What cannot be written is told at the end, when it is written.
	s := &session{in: strings.NewReader(""), out: io.Discard, err: io.Discard}
	if code, err := s.run(dir, "echo x >link", nil, nil); code != 1 || err == nil {
		t.Errorf("a link: %d, %v", code, err)
	}
	if _, err := os.Stat(outside); !os.IsNotExist(err) {
		t.Errorf("a link was followed out of the folder: %v", err)
	}
}
