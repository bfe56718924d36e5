// Prune removes from a fixture's node_modules what bundling its code does not read,
// but for licences, and from package.json where it was published to.
//
//	go run ./examples/serve/testdata/prune examples/serve/testdata/hono functions.js
package main

import (
	"context"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"samkit.dev/internal/bundle"
)

var kept = regexp.MustCompile(`(?i)^(licen[cs]e|notice|copying)`)

// publishing says where a package is published to.
var publishing = regexp.MustCompile(`\s*"publishConfig":\s*\{[^{}]*\},`)

func withoutPublishing(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, publishing.ReplaceAll(data, nil), 0o644)
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: prune FOLDER ENTRY")
	}
	dir := os.Args[1]
	out, err := bundle.Functions(context.Background(), os.DirFS(dir), os.Args[2], nil)
	if err != nil {
		log.Fatal(err)
	}
	modules := filepath.Join(dir, "node_modules")
	var dirs []string
	err = filepath.WalkDir(modules, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			dirs = append(dirs, path)
			return nil
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if d.Name() == "package.json" && slices.Contains(out.Inputs, filepath.ToSlash(name)) {
			return withoutPublishing(path)
		}
		if slices.Contains(out.Inputs, filepath.ToSlash(name)) || kept.MatchString(d.Name()) {
			return nil
		}
		return os.Remove(path)
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range slices.Backward(dirs) {
		os.Remove(d) // fails where something is left in it
	}
}
