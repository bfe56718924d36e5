package bundle

import (
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// A Rule says what importing the files that a glob matches means, as the rules of a wrangler
// file do. In a glob, * stands for any characters, / included.
type Rule struct {
	Type  string // Text, Data, CompiledWasm, ESModule or CommonJS; others match nothing
	Globs []string
}

// A format is what a file of the project is, for who imports it.
type format uint8

const (
	formatCode format = iota // by its loader
	formatData               // an ArrayBuffer
	formatWasm               // a WebAssembly.Module
)

// formatOf says what the file name is, imported with the attribute type.
func (b *bundler) formatOf(name, attribute string) (format, api.Loader, error) {
	if attribute == "" {
		for _, r := range b.opts.Rules {
			if !b.matches(r.Globs, name) {
				continue
			}
			switch r.Type {
			case "Text":
				return formatCode, api.LoaderText, nil
			case "Data":
				return formatData, 0, nil
			case "CompiledWasm":
				return formatWasm, 0, nil
			case "ESModule", "CommonJS":
				if l, err := loaderOf(name, ""); err == nil && isCode(l) && l != api.LoaderJSON {
					return formatCode, l, nil
				}
				return formatCode, api.LoaderJS, nil
			}
		}
	}
	l, err := loaderOf(name, attribute)
	switch {
	case err != nil:
		return 0, 0, err
	case l == api.LoaderBinary && attribute == "":
		return formatData, 0, nil
	case l == api.LoaderCopy:
		return formatWasm, 0, nil
	}
	return formatCode, l, nil
}

// matches compares globs with a file's path from the project's root and from the
// folder of the entry, with and without ./ before it.
func (b *bundler) matches(globs []string, name string) bool {
	dir := b.entry[:strings.LastIndexByte(b.entry, '/')+1]
	for _, g := range globs {
		if match(g, name) || match(g, "./"+name) {
			return true
		}
		if rest, ok := strings.CutPrefix(name, dir); ok && dir != "" && (match(g, rest) || match(g, "./"+rest)) {
			return true
		}
	}
	return false
}

// match compares a glob with a name, in time linear in both for each star.
func match(glob, name string) bool {
	parts := strings.Split(glob, "*")
	if len(parts) == 1 {
		return glob == name
	}
	last := len(parts) - 1
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok || len(rest) < len(parts[last]) || !strings.HasSuffix(rest, parts[last]) {
		return false
	}
	rest = rest[:len(rest)-len(parts[last])]
	for _, p := range parts[1:last] {
		i := strings.Index(rest, p)
		if i < 0 {
			return false
		}
		rest = rest[i+len(p):]
	}
	return true
}
