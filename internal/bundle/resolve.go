package bundle

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// A target is what a specifier stands for.
type target struct {
	namespace string
	path      string
}

// resolve finds what spec means in the file from, "" being no file.
func (b *bundler) resolve(from, spec string, require bool) (target, error) {
	if to, ok := b.opts.Alias[spec]; ok && to != spec {
		if isRelative(to) {
			from = "" // from the project's root
		}
		spec = to
	}
	if _, ok := b.modules[spec]; ok {
		return target{nsModule, spec}, nil
	}
	if strings.HasSuffix(spec, ".wasm?module") { // as Vercel writes it, and wrangler takes it
		spec = strings.TrimSuffix(spec, "?module")
	}
	dir := path.Dir(from)
	switch {
	case isPlatform(spec):
		return target{nsMissing, spec}, nil
	case isURL(spec):
		return target{}, failure("", fmt.Sprintf("%s cannot be imported", quote(spec)), "functions import only files of the project; put a copy of it there")
	case spec == "" || strings.ContainsAny(spec, "\x00\\"):
		return target{}, failure("", fmt.Sprintf("%s cannot be imported", quote(spec)), "")
	case isRelative(spec):
		return b.relative(from, path.Join(dir, spec), spec, require)
	case strings.HasPrefix(spec, "/"):
		return b.relative(from, path.Clean(spec[1:]), spec, require)
	case strings.HasPrefix(spec, "#"):
		return b.privateImport(dir, spec, require)
	}
	return b.bare(from, spec, require)
}

func isRelative(spec string) bool {
	return spec == "." || spec == ".." || strings.HasPrefix(spec, "./") || strings.HasPrefix(spec, "../")
}

func isURL(spec string) bool {
	i := strings.IndexByte(spec, ':')
	if i < 2 { // a Windows drive is no scheme either, but no name of ours
		return i >= 0
	}
	return !strings.ContainsAny(spec[:i], "/@#.")
}

// relative resolves a path in the project, as the browser map of the
// importer's package has it.
func (b *bundler) relative(from, name, spec string, require bool) (target, error) {
	if !fs.ValidPath(name) {
		return target{}, failure("", fmt.Sprintf("%s lies outside the project", quote(spec)), "")
	}
	found := b.fileOrFolder(name, require)
	if t, ok := b.browserMap(from, found, name, require); ok {
		return t, nil
	}
	if found == "" {
		if i := strings.IndexByte(name, '?'); i > 0 { // ?raw, ?inline of Vite
			found = b.file(name[:i])
		}
	}
	if found == "" {
		return target{}, failure("", fmt.Sprintf("There is no file %s", quote(spec)), b.nearby(name))
	}
	return target{nsProject, found}, nil
}

// nearby names a file that differs from a missing one in case only.
func (b *bundler) nearby(name string) string {
	entries, err := fs.ReadDir(b.fsys, path.Dir(name))
	if err != nil {
		return ""
	}
	base := path.Base(name)
	for _, e := range entries {
		n := e.Name()
		if strings.EqualFold(n, base) || strings.EqualFold(strings.TrimSuffix(n, path.Ext(n)), base) {
			return fmt.Sprintf("there is %s", quote(path.Join(path.Dir(name), n)))
		}
	}
	return ""
}

func (b *bundler) bare(from, spec string, require bool) (target, error) {
	name, sub, ok := splitPackage(spec)
	if !ok {
		return target{}, failure("", fmt.Sprintf("%s is no name of a package", quote(spec)), "")
	}
	dir := path.Dir(from)
	if t, ok := b.browserMap(from, "", spec, require); ok {
		return t, nil
	}
	if !inModules(from) {
		if found := b.tsPath(spec, require); found != "" {
			return target{nsProject, found}, nil
		}
	}
	if scope := b.scope(dir); scope != nil && scope.Name == name && scope.Exports != nil {
		return b.exported(scope, sub, spec, require)
	}
	for d := dir; ; d = path.Dir(d) {
		if path.Base(d) != "node_modules" {
			root := path.Join(d, "node_modules", name)
			if b.kind(root) == isDir {
				return b.fromPackage(root, sub, spec, require)
			}
			// A package of one file: node_modules/x.js.
			if found := b.file(root); found != "" && sub == "" {
				return target{nsProject, found}, nil
			}
		}
		if d == "." {
			break
		}
	}
	if _, ok := b.modules["node:"+spec]; ok {
		return target{nsModule, "node:" + spec}, nil
	}
	if slices.Contains(nodeModules, name) {
		return target{nsMissing, spec}, nil
	}
	return target{}, failure("", fmt.Sprintf("There is no package %s in the project", quote(name)), "packages are looked for in node_modules; a file is imported as \"./"+clip(spec, 100)+"\"")
}

// nodeModules are the names that mean a module of Node where there is no such
// package.
var nodeModules = strings.Fields(`assert async_hooks buffer child_process cluster console constants crypto dgram
	diagnostics_channel dns domain events fs http http2 https inspector module net os path perf_hooks process
	punycode querystring readline repl stream string_decoder sys timers tls trace_events tty url util v8 vm wasi
	worker_threads zlib`)

func (b *bundler) fromPackage(root, sub, spec string, require bool) (target, error) {
	pkg := b.pkg(root)
	if pkg != nil && pkg.err != nil {
		return target{}, pkg.err
	}
	if pkg != nil && pkg.Exports != nil {
		return b.exported(pkg, sub, spec, require)
	}
	if sub == "" {
		if found := b.folder(root, require); found != "" {
			return b.mapped(root, found, require), nil
		}
		return target{}, failure("", fmt.Sprintf("The package %s has no file to import", quote(spec)), "its package.json names none that exists")
	}
	found := b.fileOrFolder(path.Join(root, sub), require)
	if found == "" {
		return target{}, failure("", fmt.Sprintf("There is no file for %s", quote(spec)), "")
	}
	return b.mapped(root, found, require), nil
}

// mapped applies a package's browser map to one of its files.
func (b *bundler) mapped(root, found string, require bool) target {
	if t, ok := b.browserMap(path.Join(root, "package.json"), found, found, require); ok {
		return t
	}
	return target{nsProject, found}
}

// splitPackage splits "@scope/name/sub/path".
func splitPackage(spec string) (name, sub string, ok bool) {
	parts := strings.SplitN(spec, "/", 3)
	n := 1
	if strings.HasPrefix(spec, "@") {
		n = 2
	}
	if len(parts) < n {
		return "", "", false
	}
	name = strings.Join(parts[:n], "/")
	sub = strings.TrimSuffix(strings.TrimPrefix(spec[len(name):], "/"), "/")
	if !fs.ValidPath(name) || name == "." || strings.HasPrefix(name, ".") || sub != "" && !fs.ValidPath(sub) {
		return "", "", false
	}
	return name, sub, true
}

func inModules(file string) bool { return strings.Contains("/"+file, "/node_modules/") }

// fileOrFolder finds the file that a path without extension may mean.
func (b *bundler) fileOrFolder(name string, require bool) string {
	if found := b.file(name); found != "" {
		return found
	}
	if b.kind(name) == isDir {
		return b.folder(name, require)
	}
	return ""
}

var (
	sourceExts  = []string{".tsx", ".ts", ".jsx", ".js", ".mts", ".mjs", ".cts", ".cjs", ".json"}
	packageExts = []string{".jsx", ".js", ".mjs", ".cjs", ".tsx", ".ts", ".mts", ".cts", ".json"}
	typescript  = map[string][]string{".js": {".ts", ".tsx"}, ".jsx": {".tsx", ".ts"}, ".mjs": {".mts"}, ".cjs": {".cts"}}
)

func extensions(name string) []string {
	if inModules(name) {
		return packageExts
	}
	return sourceExts
}

func (b *bundler) file(name string) string {
	if b.kind(name) == isFile {
		return name
	}
	for _, ext := range extensions(name) {
		if b.kind(name+ext) == isFile {
			return name + ext
		}
	}
	ext := path.Ext(name)
	for _, ts := range typescript[ext] { // as written for tsc: "./x.js" is x.ts
		if n := strings.TrimSuffix(name, ext) + ts; b.kind(n) == isFile {
			return n
		}
	}
	return ""
}

func (b *bundler) folder(dir string, require bool) string {
	if pkg := b.pkg(dir); pkg != nil {
		for _, main := range pkg.mains(require) {
			name := path.Join(dir, main)
			if !fs.ValidPath(name) || !within(dir, name) {
				continue
			}
			if found := b.file(name); found != "" {
				return found
			}
			if found := b.index(name); found != "" {
				return found
			}
		}
	}
	return b.index(dir)
}

func (b *bundler) index(dir string) string {
	for _, ext := range extensions(dir) {
		if n := path.Join(dir, "index"+ext); b.kind(n) == isFile {
			return n
		}
	}
	return ""
}

// within reports whether name lies in dir.
func within(dir, name string) bool {
	return dir == "." || name == dir || strings.HasPrefix(name, dir+"/")
}

type fileKind uint8

const (
	unknown fileKind = iota
	isNothing
	isFile
	isDir
)

// kind says what a path is. Answers are kept for the build.
func (b *bundler) kind(name string) fileKind {
	b.mu.Lock()
	k := b.stats[name]
	b.mu.Unlock()
	if k != unknown {
		return k
	}
	k = isNothing
	if fs.ValidPath(name) {
		if info, err := fs.Stat(b.fsys, name); err == nil {
			if k = isFile; info.IsDir() {
				k = isDir
			}
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stats[name] = k
	return k
}

func quote(s string) string { return fmt.Sprintf("%q", clip(s, 200)) }
