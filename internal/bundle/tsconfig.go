package bundle

import (
	"encoding/json"
	"io/fs"
	"path"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/tailscale/hujson"
)

// A tsconfig is what matters here of a tsconfig.json or jsconfig.json.
// Whatever else it holds is for tsc.
type tsconfig struct {
	JSX                     string              `json:"jsx"`
	JSXFactory              string              `json:"jsxFactory"`
	JSXFragmentFactory      string              `json:"jsxFragmentFactory"`
	JSXImportSource         string              `json:"jsxImportSource"`
	ExperimentalDecorators  *bool               `json:"experimentalDecorators"`
	UseDefineForClassFields *bool               `json:"useDefineForClassFields"`
	VerbatimModuleSyntax    *bool               `json:"verbatimModuleSyntax"`
	BaseURL                 string              `json:"baseUrl"`
	Paths                   map[string][]string `json:"paths"`
}

// A pathMap is the paths of a tsconfig.json.
type pathMap struct {
	dir     string
	baseURL bool // plain names are looked for in dir as well
	paths   map[string][]string
}

// tsconfig reads the configuration at the project's root and what it extends
// within the project. A broken file counts as none: it is not ours to check.
func (b *bundler) tsconfig() tsconfig {
	for _, name := range []string{"tsconfig.json", "jsconfig.json"} {
		if b.kind(name) == isFile {
			var c tsconfig
			b.extend(&c, name, 0)
			return c
		}
	}
	return tsconfig{}
}

func (b *bundler) extend(c *tsconfig, name string, depth int) {
	data, err := b.load(name)
	if err != nil || len(data) > 1<<20 || depth > 8 {
		return
	}
	std, err := standardJSON(data)
	if err != nil {
		return
	}
	var file struct {
		Extends         json.RawMessage `json:"extends"`
		CompilerOptions json.RawMessage `json:"compilerOptions"`
	}
	if json.Unmarshal(std, &file) != nil {
		return
	}
	var parents []string
	if json.Unmarshal(file.Extends, &parents) != nil {
		var one string
		if json.Unmarshal(file.Extends, &one) == nil {
			parents = []string{one}
		}
	}
	for _, p := range parents {
		if !strings.HasPrefix(p, ".") {
			continue // a package of settings for tsc
		}
		for _, n := range []string{path.Join(path.Dir(name), p), path.Join(path.Dir(name), p+".json")} {
			if b.kind(n) == isFile {
				b.extend(c, n, depth+1)
				break
			}
		}
	}
	before := c.BaseURL
	c.Paths, c.BaseURL = nil, ""
	_ = json.Unmarshal(file.CompilerOptions, c) // what is of a wrong type stays unset
	if dir := path.Join(path.Dir(name), c.BaseURL); (c.Paths != nil || c.BaseURL != "") && fs.ValidPath(dir) {
		b.mu.Lock()
		b.paths = &pathMap{dir: dir, baseURL: c.BaseURL != "", paths: c.Paths}
		b.mu.Unlock()
	}
	if c.BaseURL == "" {
		c.BaseURL = before
	}
}

// standardJSON strips comments and trailing commas.
func standardJSON(data []byte) ([]byte, error) {
	if err := checkNesting("", data); err != nil { // hujson is recursive
		return nil, err
	}
	return hujson.Standardize(data)
}

func (c tsconfig) jsx() api.JSX {
	switch c.JSX {
	case "react":
		return api.JSXTransform
	case "":
		if c.JSXFactory != "" {
			return api.JSXTransform
		}
	}
	return api.JSXAutomatic
}

// raw returns what esbuild reads from a tsconfig.json. It is never empty, so
// that esbuild looks for no file.
func (c tsconfig) raw() string {
	options := map[string]any{}
	set := func(name string, v *bool) {
		if v != nil {
			options[name] = *v
		}
	}
	set("experimentalDecorators", c.ExperimentalDecorators)
	set("useDefineForClassFields", c.UseDefineForClassFields)
	set("verbatimModuleSyntax", c.VerbatimModuleSyntax)
	data, _ := json.Marshal(map[string]any{"compilerOptions": options}) // of booleans: never fails
	return string(data)
}

// tsPath resolves a plain name by the paths of tsconfig.json, or returns "".
func (b *bundler) tsPath(spec string, require bool) string {
	b.mu.Lock()
	m := b.paths
	b.mu.Unlock()
	if m == nil {
		return ""
	}
	var targets []string
	star, best := "", -1
	for pattern, to := range m.paths {
		prefix, suffix, wild := strings.Cut(pattern, "*")
		if !wild {
			if pattern == spec {
				targets, star = to, ""
				break
			}
			continue
		}
		if len(prefix) > best && len(spec) >= len(prefix)+len(suffix) && strings.HasPrefix(spec, prefix) && strings.HasSuffix(spec, suffix) {
			targets, best = to, len(prefix)
			star = spec[len(prefix) : len(spec)-len(suffix)]
		}
	}
	if m.baseURL {
		targets = append(targets[:len(targets):len(targets)], spec)
	}
	for _, t := range targets {
		name := path.Join(m.dir, strings.Replace(t, "*", star, 1))
		if !fs.ValidPath(name) {
			continue
		}
		if found := b.fileOrFolder(name, require); found != "" {
			return found
		}
	}
	return ""
}
