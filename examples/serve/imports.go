package main

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// imported is the packages that a source names.
type imported struct {
	source
	packages []string
}

// Specifiers are found by their looks, not by parsing: a few too many cost only a
// copy, and one that is computed no bundler can follow either.
var (
	importing = regexp.MustCompile("\\b(?:from|import|require)\\b\\s*\\(?\\s*[\"'`]([^\"'`\\s]{1,300})[\"'`]")
	jsxPragma = regexp.MustCompile(`@jsxImportSource\s+(\S{1,300})`)
	aliases   = regexp.MustCompile(`[=:]\s*["']([^"'\s]{1,300})["']`) // in a wrangler file
	tsOptions = regexp.MustCompile(`"(?:jsxImportSource|extends)"\s*:\s*"([^"\s]{1,300})"`)
)

// maxSource is the size of the largest file that is looked through.
const maxSource = 4 << 20

// importsOf returns the packages that the project's own file names, sorted.
// Sources that did not change are not read again.
func (f *folder) importsOf(name string, s source) []string {
	patterns, jsx := patternsFor(name)
	if patterns == nil || s.size > maxSource {
		return nil
	}
	if known, ok := f.imports[s.path]; ok && known.source == s {
		return known.packages
	}
	data, err := f.root.ReadFile(s.path)
	if err != nil {
		return nil // it is gone or locked: the next scan knows more
	}
	var found []string
	for _, p := range patterns {
		for _, m := range p.FindAllSubmatch(data, -1) {
			if name := packageName(string(m[1])); name != "" {
				found = append(found, name)
			}
		}
	}
	if jsx {
		found = append(found, "react") // what JSX means unless something says otherwise
	}
	slices.Sort(found)
	found = slices.Compact(found)
	f.imports[s.path] = imported{s, found}
	return found
}

// patternsFor says what to look for in a file, if in it at all. Tests and the
// settings of tools import what never runs here.
func patternsFor(name string) (patterns []*regexp.Regexp, jsx bool) {
	base := path.Base(name)
	for _, part := range []string{".config.", ".test.", ".spec.", ".d."} {
		if strings.Contains(base, part) {
			return nil, false
		}
	}
	if name == "wrangler.toml" || name == "wrangler.json" || name == "wrangler.jsonc" {
		return []*regexp.Regexp{aliases}, false
	}
	switch ext := path.Ext(base); ext {
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx":
		return []*regexp.Regexp{importing, jsxPragma}, ext == ".jsx" || ext == ".tsx"
	case ".json":
		if strings.HasPrefix(base, "tsconfig") {
			return []*regexp.Regexp{tsOptions}, false
		}
	}
	return nil, false
}

// packageName returns the package that a specifier lies in, or "" if in none.
func packageName(spec string) string {
	if strings.ContainsAny(spec, ":\\\x00") || strings.HasPrefix(spec, ".") || strings.HasPrefix(spec, "/") || strings.HasPrefix(spec, "#") {
		return ""
	}
	parts := strings.SplitN(spec, "/", 3)
	name := parts[0]
	if strings.HasPrefix(spec, "@") {
		if len(parts) < 2 {
			return ""
		}
		name += "/" + parts[1]
	}
	if path.Clean(name) != name || strings.HasSuffix(name, "/..") {
		return ""
	}
	return name
}
