package bundle

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// This file is Node's PACKAGE_EXPORTS_RESOLVE and PACKAGE_IMPORTS_RESOLVE,
// https://nodejs.org/api/esm.html#resolution-algorithm-specification.

// exported resolves "./sub" of a package that has exports.
func (b *bundler) exported(p *packageJSON, sub, spec string, require bool) (target, error) {
	if p.err != nil {
		return target{}, p.err
	}
	key := "."
	if sub != "" {
		key = "./" + sub
	}
	exports := p.Exports
	if !hasSubpaths(exports) { // sugar for {".": exports}
		exports = &node{kind: 'o', keys: []string{"."}, vals: []*node{p.Exports}}
	}
	found, matched := b.match(p, exports, key, require)
	if found.path == "" {
		why := fmt.Sprintf("The package %s does not export %s", quote(p.name()), quote(key))
		hint := ""
		if matched {
			hint = "its package.json has an entry for it, but none for the conditions workerd, worker, browser, default, or the file is missing"
		}
		return target{}, failure("", why, hint)
	}
	return found, nil
}

func (p *packageJSON) name() string {
	if p.Name != "" {
		return p.Name
	}
	return p.dir
}

func hasSubpaths(n *node) bool {
	return n.kind == 'o' && len(n.keys) > 0 && strings.HasPrefix(n.keys[0], ".")
}

// privateImport resolves "#name" by the imports of the importer's package.
func (b *bundler) privateImport(dir, spec string, require bool) (target, error) {
	p := b.scope(dir)
	if p == nil {
		return target{}, failure("", fmt.Sprintf("%s needs a package.json with imports", quote(spec)), "")
	}
	if p.err != nil {
		return target{}, p.err
	}
	if spec != "#" && p.Imports != nil {
		if found, _ := b.match(p, p.Imports, spec, require); found.path != "" {
			return found, nil
		}
	}
	if found := b.tsPath(spec, require); found != "" {
		return target{nsProject, found}, nil
	}
	return target{}, failure("", fmt.Sprintf("The imports of %s do not name %s", quote(path.Join(p.dir, "package.json")), quote(spec)), "")
}

// match finds the entry for key: the exact one, else the pattern with the
// longest part before its star.
func (b *bundler) match(p *packageJSON, entries *node, key string, require bool) (target, bool) {
	if entries.kind != 'o' {
		return target{}, false
	}
	if v := entries.get(key); v != nil && !strings.Contains(key, "*") && !strings.HasSuffix(key, "/") {
		return b.entryTarget(p, v, "", false, require), true
	}
	var best *node
	bestPrefix, bestLen, star := "", 0, ""
	for i, pattern := range entries.keys {
		prefix, suffix, isPattern := strings.Cut(pattern, "*")
		if !isPattern && !strings.HasSuffix(pattern, "/") || strings.Contains(suffix, "*") {
			continue
		}
		if len(key) < len(prefix)+len(suffix) || !strings.HasPrefix(key, prefix) || !strings.HasSuffix(key, suffix) || key == prefix {
			continue
		}
		if best == nil || len(prefix) > len(bestPrefix) || len(prefix) == len(bestPrefix) && len(pattern) > bestLen {
			best, bestPrefix, bestLen = entries.vals[i], prefix, len(pattern)
			star = key[len(prefix) : len(key)-len(suffix)]
		}
	}
	if best == nil {
		return target{}, false
	}
	return b.entryTarget(p, best, star, true, require), true
}

// entryTarget follows conditions, in the order written, to a file. The zero
// target means that there is none.
func (b *bundler) entryTarget(p *packageJSON, n *node, star string, pattern, require bool) target {
	switch n.kind {
	case 's':
		return b.targetFile(p, n.text, star, pattern, require)
	case 'a':
		for _, v := range n.vals {
			if t := b.entryTarget(p, v, star, pattern, require); t.path != "" {
				return t
			}
		}
	case 'o':
		for i, condition := range n.keys {
			if !holds(condition, require) {
				continue
			}
			if n.vals[i].kind == 'n' {
				return target{} // null hides the rest
			}
			if t := b.entryTarget(p, n.vals[i], star, pattern, require); t.path != "" {
				return t
			}
		}
	}
	return target{}
}

func holds(condition string, require bool) bool {
	switch condition {
	case "workerd", "worker", "browser", "default":
		return true
	case "import":
		return !require
	case "require":
		return require
	}
	return false
}

func (b *bundler) targetFile(p *packageJSON, text, star string, pattern, require bool) target {
	if pattern {
		if strings.HasSuffix(text, "/") && !strings.Contains(text, "*") {
			text += star // a folder mapping of old
		}
		text = strings.ReplaceAll(text, "*", star)
	}
	rel, ok := strings.CutPrefix(text, "./")
	if !ok {
		// Only imports may name another package; of exports none does.
		if name, sub, ok := splitPackage(text); ok && !strings.HasPrefix(text, ".") && !strings.HasPrefix(text, "/") {
			return b.otherPackage(p, name, sub, text, require)
		}
		return target{}
	}
	for part := range strings.SplitSeq(rel, "/") {
		if part == "" || part == "." || part == ".." || strings.EqualFold(part, "node_modules") {
			return target{}
		}
	}
	name := path.Join(p.dir, rel)
	if !fs.ValidPath(name) {
		return target{}
	}
	if b.kind(name) != isFile {
		if name = b.file(name); name == "" {
			return target{}
		}
	}
	return b.mapped(p.dir, name, require)
}

func (b *bundler) otherPackage(p *packageJSON, name, sub, spec string, require bool) target {
	if _, ok := b.modules[spec]; ok {
		return target{nsModule, spec}
	}
	if strings.HasPrefix(spec, "node:") {
		return target{nsMissing, spec}
	}
	for d := p.dir; ; d = path.Dir(d) {
		if root := path.Join(d, "node_modules", name); root != p.dir && b.kind(root) == isDir {
			if t, err := b.fromPackage(root, sub, spec, require); err == nil {
				return t
			}
			return target{}
		}
		if d == "." {
			return target{}
		}
	}
}
