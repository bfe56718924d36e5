// Package arch checks that packages import only rows below their own.
package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "samkit.dev"

// row is the layer of each package. A package may import packages of lower rows only.
var row = map[string]int{
	"sam": 1, "host": 1, "host/console": 1, "internal/bundle": 1, "internal/httpcache": 1, "internal/htmlrewrite": 1, "internal/jsrt": 1, "internal/isolate": 1,
	"internal/locale": 1, "internal/netguard": 1, "internal/standards": 1, "internal/wasm": 1,
	"kv": 2, "sqlshim": 2, "tool": 2, "sam/boltstore": 2, "sam/github": 2, "sam/storetest": 2, "internal/webapi": 2, "internal/appconfig": 2, "internal/jscheck": 2,
	"internal/workers":          3,
	"host/engine":               4,
	"tool/script":               5,
	"tool/script/jsexec":        6,
	"internal/hostile":          4,
	"host/engine/samkit-worker": 5,
	"internal/outbound":         4,
	"canvas":                    5,
	"canvas/canvastest":         6,
	"canvas/workbench":          7,
	"canvas/playground":         8,
	"internal/load":             8,
	"internal/esregexp":         0,
	"internal/iofault":          0,
	"internal/seccomp":          0,
	"internal/confine":          1,
	"tool/task/internal/box":    3,
	"internal/share":            0,
	"internal/durable":          0,
	"wasi":                      2,
	"wasi/build":                2,
	"wasi/internal/modules":     1,
	"wasi/internal/documents":   1,
	"wasi/internal/xan":         1,
	"tool/task":                 4,
	"tool/task/taskjs":          5,
}

// door names the only packages that may import a dependency, so that its types cannot surface.
var door = map[string][]string{
	"github.com/dop251/goja":       {"internal/jsrt", "internal/webapi", "internal/workers", "internal/jscheck"},
	"github.com/evanw/esbuild":     {"internal/bundle"},
	"go.etcd.io/bbolt":             {"sam/boltstore"},
	"github.com/ncruces/go-sqlite": {"sqlshim"},
	"github.com/coder/websocket":   {"canvas", "canvas/playground", "docs", "internal/load"}, // docs has tests only; internal/load has clients
	"github.com/tetratelabs":       {"internal/wasm", "wasi"},
	"mvdan.cc/sh":                  {"wasi"},
	"go.yaml.in/yaml":              {"wasi/internal/documents"},
	"github.com/JohannesKaufmann":  {"wasi"},
}

// nested reports whether dir is the root of another module.
func nested(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func TestRows(t *testing.T) {
	const root = "../.."
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != root && (nested(path) || d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		pkg, _ := filepath.Rel(root, filepath.Dir(path))
		pkg = filepath.ToSlash(pkg)
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		checkDoors(t, pkg, f.Imports, path)
		if pkg == "." || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(pkg, "examples/") {
			return nil
		}
		if _, known := row[pkg]; !known {
			t.Errorf("%s stands on no row", pkg)
		}
		for _, imp := range imports(f.Imports) {
			if dep, ok := strings.CutPrefix(imp, module+"/"); ok && row[dep] >= row[pkg] {
				t.Errorf("%s (row %d) imports %s (row %d)", pkg, row[pkg], dep, row[dep])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func imports(specs []*ast.ImportSpec) []string {
	var paths []string
	for _, s := range specs {
		p, _ := strconv.Unquote(s.Path.Value)
		paths = append(paths, p)
	}
	return paths
}

// checkDoors reports imports of a guarded dependency from elsewhere than its door.
func checkDoors(t *testing.T, pkg string, specs []*ast.ImportSpec, path string) {
	for _, imp := range imports(specs) {
		for dep, doors := range door {
			if !strings.HasPrefix(imp, dep) {
				continue
			}
			ok := false
			for _, d := range doors {
				ok = ok || d == pkg
			}
			if !ok {
				t.Errorf("%s imports %s; only %v may", path, imp, doors)
			}
		}
	}
}
