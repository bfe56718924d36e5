package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDist checks that what is committed is what the sources give, byte for byte.
func TestDist(t *testing.T) {
	ui, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	if err := install(ui); err != nil {
		t.Fatal(err)
	}
	dist, vendor, err := build(ui)
	if err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]map[string][]byte{"dist": dist, "vendor": vendor} {
		dir := filepath.Join(ui, "..", folder)
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if want[e.Name()] == nil {
				t.Errorf("%s/%s comes from nothing", folder, e.Name())
			}
		}
		for name, data := range want {
			got, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Error(err)
			} else if !bytes.Equal(got, data) {
				t.Errorf("%s/%s is not what the sources give; run go generate ./canvas/playground", folder, name)
			}
		}
	}
}

// TestLockfile checks that the lockfile names no registry: npm asks the one that is set up.
func TestLockfile(t *testing.T) {
	lock, err := os.ReadFile("../package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(lock, []byte(`"resolved"`)) {
		t.Error("package-lock.json names a registry; npm config set omit-lockfile-registry-resolved true")
	}
	if !bytes.Contains(lock, []byte(`"integrity"`)) {
		t.Error("package-lock.json has no checksums")
	}
}

func TestPackages(t *testing.T) {
	meta := `{"outputs":{"a.js":{"inputs":{
		"src/app.tsx":{"bytesInOutput":10}, "node_modules/preact/dist/x.js":{"bytesInOutput":5},
		"node_modules/@codemirror/view/x.js":{"bytesInOutput":5}, "node_modules/a/node_modules/b/x.js":{"bytesInOutput":1},
		"node_modules/unused/x.js":{"bytesInOutput":0}}}}}`
	got, err := packages(meta)
	if err != nil {
		t.Fatal(err)
	}
	if want := "@codemirror/view b preact"; strings.Join(got, " ") != want {
		t.Errorf("packages %q, want %q", got, want)
	}
}

func TestAPackageWithoutLicence(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := licences(dir, []string{"x"}); err == nil {
		t.Error("a package without a licence was taken")
	}
}
