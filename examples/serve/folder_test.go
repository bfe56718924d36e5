package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"samkit.dev/sam"
)

// names lists a folder.
func names(t *testing.T, dir string) []string {
	t.Helper()
	return slices.Sorted(maps.Keys(scan(t, dir)))
}

func scan(t *testing.T, dir string) listing {
	t.Helper()
	f, err := openFolder(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	files, err := f.scan()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func wantNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func pkg(name string, deps ...string) string {
	var list []string
	for _, d := range deps {
		list = append(list, fmt.Sprintf("%q: \"*\"", d))
	}
	return fmt.Sprintf(`{"name": %q, "dependencies": {%s}}`, name, strings.Join(list, ", "))
}

func link(t *testing.T, dir, to, name string) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.FromSlash(to), name); err != nil {
		if runtime.GOOS == "windows" {
			t.Skip("links need a right that this account lacks: ", err)
		}
		t.Fatal(err)
	}
}

func TestWhatIsLeftOut(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "index.html", "x", ".env", "SECRET", ".git/HEAD", "x", "a/.DS_Store", "x", "a/b.js", "x",
		"node_modules/unused/index.js", "x", "node_modules/unused/package.json", "{}")
	if runtime.GOOS != "windows" {
		write(t, dir, "bad:name", "x", "aux.js", "x", "Same.txt", "x", "same.txt", "x")
	}
	got := names(t, dir)
	want := []string{"a/b.js", "index.html"}
	if slices.Contains(got, "Same.txt") { // not on a system that folds case
		want = []string{"Same.txt", "a/b.js", "index.html"}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLinks(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write(t, outside, "secret.txt", "x", "lib/a.js", "x")
	write(t, dir, "real/a.js", "x", "real/deep/b.js", "x")
	link(t, dir, "real", "same")
	link(t, dir, "real/a.js", "one.js")
	link(t, dir, filepath.Join(dir, "real", "a.js"), "absolute.js")
	link(t, dir, "..", "real/circle")
	link(t, dir, "nothing", "broken")
	link(t, dir, filepath.Join(outside, "secret.txt"), "secret.txt")
	link(t, dir, outside, "out")
	link(t, dir, outside, "node_modules/out")
	write(t, dir, "functions.js", "import 'out'")
	wantNames(t, dir, "absolute.js", "functions.js", "one.js", "real/a.js", "real/deep/b.js", "same/a.js", "same/deep/b.js")
}

func TestPackagesThatAreImported(t *testing.T) {
	dir := t.TempDir()
	write(t, dir,
		"functions.ts", "import a from 'a'\nimport type { T } from \"@s/types/sub\"\nconst b = require(`b/x.js`); import('./local'); import 'node:fs'",
		"page.tsx", "export const x = <b/>",
		"vite.config.ts", "import 'vite'", "a.test.ts", "import 'vitest'",
		"tsconfig.json", `{"extends": "@s/tsconfig/base.json", "compilerOptions": {"jsxImportSource": "preact"}}`)
	for _, name := range []string{"a", "b", "c", "d", "vite", "vitest", "react", "preact", "@s/types", "@s/tsconfig", "@s/other"} {
		write(t, dir, "node_modules/"+name+"/package.json", pkg(name), "node_modules/"+name+"/index.js", "")
	}
	write(t, dir, "node_modules/a/package.json", pkg("a", "c", "../../..", "missing"),
		"node_modules/c/package.json", pkg("c", "d", "a"),
		"node_modules/a/index.d.ts", "", "node_modules/a/index.js.map", "", "node_modules/a/README.md", "",
		"node_modules/a/build.node", "", "node_modules/a/.eslintrc", "", "node_modules/a/x.ts", "", "node_modules/a/x.wasm", "")
	var top []string
	for _, name := range names(t, dir) {
		if pkg, ok := strings.CutPrefix(name, "node_modules/"); ok && strings.HasSuffix(pkg, "index.js") {
			top = append(top, strings.TrimSuffix(pkg, "/index.js"))
		}
	}
	if want := []string{"@s/tsconfig", "@s/types", "a", "b", "c", "d", "preact", "react"}; !slices.Equal(top, want) {
		t.Errorf("it takes %q, want %q", top, want)
	}
	var files []string
	for _, name := range names(t, dir) {
		if file, ok := strings.CutPrefix(name, "node_modules/a/"); ok {
			files = append(files, file)
		}
	}
	if want := []string{"index.js", "package.json", "x.ts", "x.wasm"}; !slices.Equal(files, want) {
		t.Errorf("of a package it takes %q, want %q", files, want)
	}
}

// pnpm keeps every package once and links to it; what a package depends on lies
// beside it, where only it finds it.
func TestPackagesBehindLinks(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "functions.js", "import 'a'; import 'b'",
		"node_modules/.pnpm/a@1/node_modules/a/package.json", pkg("a", "x", "b"),
		"node_modules/.pnpm/a@1/node_modules/a/index.js", "",
		"node_modules/.pnpm/b@1/node_modules/b/package.json", pkg("b", "x", "a"),
		"node_modules/.pnpm/b@1/node_modules/b/index.js", "",
		"node_modules/.pnpm/x@1/node_modules/x/package.json", pkg("x"),
		"node_modules/.pnpm/x@1/node_modules/x/one.js", "",
		"node_modules/.pnpm/x@2/node_modules/x/package.json", pkg("x"),
		"node_modules/.pnpm/x@2/node_modules/x/two.js", "")
	link(t, dir, ".pnpm/a@1/node_modules/a", "node_modules/a")
	link(t, dir, ".pnpm/b@1/node_modules/b", "node_modules/b")
	link(t, dir, "../../x@1/node_modules/x", "node_modules/.pnpm/a@1/node_modules/x")
	link(t, dir, "../../b@1/node_modules/b", "node_modules/.pnpm/a@1/node_modules/b")
	link(t, dir, "../../x@2/node_modules/x", "node_modules/.pnpm/b@1/node_modules/x")
	link(t, dir, "../../a@1/node_modules/a", "node_modules/.pnpm/b@1/node_modules/a")
	wantNames(t, dir, "functions.js",
		"node_modules/a/index.js", "node_modules/a/package.json",
		"node_modules/b/index.js", "node_modules/b/node_modules/x/package.json", "node_modules/b/node_modules/x/two.js", "node_modules/b/package.json",
		"node_modules/x/one.js", "node_modules/x/package.json")
}

func TestPackagesOfPackages(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "functions.js", "import 'a'", "sub/worker.js", "import 'a'",
		"node_modules/a/package.json", pkg("a", "x"),
		"node_modules/a/node_modules/x/package.json", pkg("x", "y"),
		"node_modules/x/package.json", pkg("x"),
		"node_modules/y/package.json", pkg("y", "x"),
		"sub/node_modules/a/package.json", pkg("a"))
	got := names(t, dir)
	// y finds the outer x, as it did; a the inner one.
	f, err := openFolder(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	files, err := f.scan()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range [][2]string{
		{"node_modules/a/package.json", "node_modules/a/package.json"},
		{"node_modules/x/package.json", "node_modules/a/node_modules/x/package.json"},
		{"node_modules/y/node_modules/x/package.json", "node_modules/x/package.json"},
		{"sub/node_modules/a/package.json", "sub/node_modules/a/package.json"},
	} {
		if files[want[0]].path != want[1] {
			t.Errorf("%s is %q, want %s; there are %q", want[0], files[want[0]].path, want[1], got)
		}
	}
}

func TestALargeFolderIsTakenQuickly(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "functions.js", "import 'used'", "node_modules/used/package.json", pkg("used"), "node_modules/used/index.js", "")
	for i := range 100 {
		unused := fmt.Sprintf("node_modules/unused%d/", i)
		for j := range 50 {
			write(t, dir, fmt.Sprintf("%sf%d.js", unused, j), "x")
		}
	}
	began := time.Now()
	wantNames(t, dir, "functions.js", "node_modules/used/index.js", "node_modules/used/package.json")
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
	// A package with more files than a project has by default.
	for i := range 101 {
		for j := range 100 {
			write(t, dir, fmt.Sprintf("node_modules/used/d%d/f%d.js", i, j), "x")
		}
	}
	f, err := openFolder(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	follow := &follower{dir: f, ws: sam.NewWorkspace(sam.NewMemStore(), "o", &sam.Options{Limits: limits})}
	if _, err := follow.deploy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(follow.last); n != 10_103 {
		t.Errorf("it took %d files", n)
	}
	began = time.Now()
	if _, err := f.scan(); err != nil {
		t.Fatal(err)
	}
	t.Logf("looking again takes %v", time.Since(began))
}

func TestPackageNames(t *testing.T) {
	for spec, want := range map[string]string{
		"a": "a", "a/b/c": "a", "@s/a": "@s/a", "@s/a/b": "@s/a", "@s": "", "./a": "", "../a": "", "/a": "", "#a": "",
		"node:fs": "", "https://x.example/a": "", "a\\b": "", "": "", ".": "", "@s/..": "", "@../a": "@../a",
	} {
		if got := packageName(spec); got != want {
			t.Errorf("%q is in %q, want %q", spec, got, want)
		}
	}
}
