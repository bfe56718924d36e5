//go:build unix

package workbench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"samkit.dev/sam"
	"samkit.dev/tool"
)

// 150: a link below a granted folder, swapped for a file all the time, leads nowhere.
func TestLinksBelowAGrant(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := sam.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	b, err := New(t.Context(), sam.NewWorkspace(store, "ada", nil), newEngine(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := b.Create(t.Context(), "notes", sam.Files{"docs/a.md": "hello", "secret.md": "hunter2"}); err != nil {
		t.Fatal(err)
	}
	session, err := b.OpenTool(t.Context(), "notes", tool.Grant{Project: "notes", Paths: []string{"docs/**"}, Mode: tool.ReadWrite, MaxCalls: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	docs, err := filepath.Glob(filepath.Join(dir, "*", "docs"))
	if err != nil || len(docs) != 1 {
		t.Fatalf("the project's folder: %v, %v", docs, err)
	}
	link := filepath.Join(docs[0], "link.md")
	done, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			os.Remove(link)
			switch i % 3 {
			case 0:
				os.Symlink(outside, link)
			case 1:
				os.Symlink("../secret.md", link)
			case 2:
				os.WriteFile(link, []byte("plain"), 0o600)
			}
		}
	}()
	defer func() { close(done); <-stopped }()
	call := func(name string, in any) string {
		out, err := b.tools[session.ID].Call(t.Context(), name, asJSON(in))
		if err != nil {
			return err.Error()
		}
		return string(out)
	}
	for range 300 {
		for name, in := range map[string]any{"files.read": statIn{Path: "docs/link.md"}, "files.write": writeIn{Path: "docs/link.md", Content: "mine"}} {
			if out := call(name, in); strings.Contains(out, "hunter2") {
				t.Fatalf("%s got past the grant: %s", name, out)
			}
		}
	}
	if data, err := os.ReadFile(outside); err != nil || string(data) != "hunter2" {
		t.Errorf("a file outside is %q, %v", data, err)
	}
}
