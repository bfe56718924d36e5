package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"samkit.dev/sam"
)

// A repository is what the fetcher of the tests has.
type repository map[string]string

func (r repository) Fetch(ctx context.Context, owner, repo, ref string) (io.ReadCloser, error) {
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	w := tar.NewWriter(gz)
	for name, data := range r {
		w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: repo + "-1234567/" + name, Size: int64(len(data)), Mode: 0o644})
		io.WriteString(w, data)
	}
	w.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: repo + "-1234567/link", Linkname: "/"})
	w.Close()
	gz.Close()
	return io.NopCloser(&b), nil
}

func pack(out io.Writer, args ...string) error {
	c := &command{out: out, fetcher: func() (sam.Fetcher, error) { return repository{"index.html": "from afar"}, nil }}
	return c.run(context.Background(), args)
}

func put(t testing.TB, name, data string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func names(t testing.TB, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestPack(t *testing.T) {
	dir := t.TempDir()
	hello := filepath.Join(dir, "hello")
	put(t, filepath.Join(hello, "index.html"), "<h1>hello</h1>")
	put(t, filepath.Join(hello, "js/app.js"), "let a")
	put(t, filepath.Join(hello, ".git/config"), "mine")
	out := filepath.Join(dir, "hello.sam")
	if err := pack(io.Discard, hello, out); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	back := filepath.Join(dir, "back")
	if err := pack(io.Discard, "unpack", out, back); err != nil {
		t.Fatal(err)
	}
	if got := names(t, back); !slices.Equal(got, []string{"index.html", "js"}) {
		t.Errorf("unpacked %q", got)
	}
	if data, err := os.ReadFile(filepath.Join(back, "js/app.js")); err != nil || string(data) != "let a" {
		t.Errorf("%q, %v", data, err)
	}
	put(t, filepath.Join(back, "js/app.js"), "what was unpacked can be edited")
	if err := pack(io.Discard, hello, out); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(out); err != nil || !bytes.Equal(first, again) {
		t.Errorf("the same folder gives another package, %v", err)
	}
	var text strings.Builder
	if err := pack(&text, "github", "octo/Web@v1", filepath.Join(dir, "web.sam")); err != nil || text.String() != "left out link, a symbolic link\n" {
		t.Errorf("%q, %v", text.String(), err)
	}
	text.Reset()
	if err := pack(&text, "list", filepath.Join(dir, "web.sam")); err != nil || text.String() != "project \"web\"\n           9 index.html\n" {
		t.Errorf("%q, %v", text.String(), err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"back", "hello", "hello.sam", "web.sam"}) {
		t.Errorf("left behind: %q", got)
	}
}

func TestPackRefuses(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	put(t, in("app/index.html"), "x")
	put(t, in("full/mine"), "x")
	put(t, in("damaged.sam"), "PK")
	put(t, in("app.zip"), "PK")
	put(t, in("windows/a:b"), "x")
	if err := pack(io.Discard, in("app"), in("app.sam")); err != nil {
		t.Fatal(err)
	}
	before := names(t, dir)
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "usage"},
		{[]string{"list"}, "usage"},
		{[]string{"-help", "x"}, "usage"},
		{[]string{in("app"), in("app.zip")}, "ends in .sam"},
		{[]string{in("missing"), in("x.sam")}, "no such file"},
		{[]string{in("app"), in("missing/x.sam")}, "no such file"},
		{[]string{in("windows"), in("x.sam")}, "holds a colon"},
		{[]string{"list", in("app.zip")}, "ends in .sam"},
		{[]string{"list", in("damaged.sam")}, "no ZIP archive"},
		{[]string{"unpack", in("damaged.sam"), in("new")}, "no ZIP archive"},
		{[]string{"unpack", in("app.sam"), in("full")}, "is not empty"},
		{[]string{"unpack", in("app.sam"), in("full/mine")}, "not a directory"},
		{[]string{"github", "../x", in("x.sam")}, "is no owner/repo"},
		{[]string{"github", "octo/web:missing", in("x.sam")}, "no folder"},
	} {
		err := pack(io.Discard, c.args...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.args, err, c.want)
		}
	}
	if got := names(t, dir); !slices.Equal(got, before) {
		t.Errorf("left behind: %q", got)
	}
	if data, err := os.ReadFile(in("full/mine")); err != nil || string(data) != "x" {
		t.Errorf("a file in the place of the folder: %q, %v", data, err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	c := &command{out: io.Discard}
	if err := c.run(canceled, []string{in("app"), in("y.sam")}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if _, err := os.Stat(in("y.sam")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("canceled, and there is %v", err)
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "pack")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	folder, out := filepath.Join(dir, "hello"), filepath.Join(dir, "hello.sam")
	if err := os.CopyFS(folder, sam.Files{"index.html": "<h1>hello</h1>", "js/app.js": "let a"}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(pack(os.Stdout, folder, out))
	fmt.Println(pack(os.Stdout, "list", out))
	// Output:
	// <nil>
	// project "hello"
	//           14 index.html
	//            5 js/app.js
	// <nil>
}
