package samkit_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The program in the README compiles, and what the README links to exists.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(text, -1)
	if len(blocks) != 1 {
		t.Fatalf("%d programs", len(blocks))
	}
	name := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(name, blocks[0][1], 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "vet", name).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, m := range regexp.MustCompile(`\]\(([^)]+)\)|go run \./(\S+)`).FindAllSubmatch(text, -1) {
		link := string(m[1]) + string(m[2])
		if strings.Contains(link, "://") {
			continue
		}
		if _, err := os.Stat(filepath.FromSlash(link)); err != nil {
			t.Error(err)
		}
	}
}
