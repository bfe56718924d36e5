package peer

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing/fstest"
)

// code is what of a package goes along: what a bundler may read.
var code = []string{".js", ".mjs", ".cjs", ".json"}

// addPackages puts packages and what they depend on into files, below node_modules.
func addPackages(files fstest.MapFS, dir string, names []string) error {
	seen := map[string]bool{}
	for queue := slices.Clone(names); len(queue) > 0; queue = queue[1:] {
		name := queue[0]
		if seen[name] {
			continue
		}
		seen[name] = true
		at := path.Join("node_modules", name)
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(at), "package.json"))
		if err != nil {
			if slices.Contains(names, name) {
				return fmt.Errorf("package %s is not installed: %w", name, err)
			}
			continue // nested in who needs it, or optional
		}
		var about struct {
			Dependencies     map[string]string
			PeerDependencies map[string]string
		}
		if err := json.Unmarshal(data, &about); err != nil {
			return fmt.Errorf("package %s: %w", name, err)
		}
		for dep := range about.Dependencies {
			queue = append(queue, dep)
		}
		for dep := range about.PeerDependencies {
			queue = append(queue, dep)
		}
		if err := addTree(files, dir, at); err != nil {
			return err
		}
	}
	return nil
}

func addTree(files fstest.MapFS, dir, at string) error {
	return fs.WalkDir(os.DirFS(dir), at, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains(code, path.Ext(name)) {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		files[name] = &fstest.MapFile{Data: data}
		return err
	})
}
