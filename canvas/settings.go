package canvas

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
)

// settings are what a project says about itself, in sam.json or as a Worker
// project, as far as serving it goes. They are immutable.
type settings struct {
	assets  string          // folder that is served; "" is the root
	entry   string          // of functions.js; "" if there is none
	private map[string]bool // source of a Worker, by name
	exposed []string        // served though hidden by rule

	first    []pattern // routes that functions.js answers
	files    []pattern // routes that it does not, in spite of first
	last     []pattern // routes that it answers where there is no file
	notFound string    // "single-page-application", "404-page", "none" or ""
	jsx      string    // package that JSX is compiled to; "" is react

	kv, db     map[string]string // names in env, and in the project's state
	vars       map[string]json.RawMessage
	assetsName string // of env.ASSETS
}

func anyMatch(routes []pattern, path string) bool {
	return slices.ContainsFunc(routes, func(p pattern) bool { _, ok := p.match(path); return ok })
}

func (s *settings) functionsFirst(path string) bool {
	return anyMatch(s.first, path) && !anyMatch(s.files, path)
}

func (s *settings) functionsLast(path string) bool {
	return anyMatch(s.last, path) && !anyMatch(s.files, path)
}

// hides reports whether a file is the project's own business. name is as served.
func (s *settings) hides(name string) bool {
	if s.private[strings.TrimSuffix(s.assets+"/"+name, "/")] || s.private[name] && s.assets == "" {
		return true
	}
	return hidden(name) && !slices.Contains(s.exposed, name)
}

// absent says what to serve for a page that does not exist: the name of a
// file, or "", and the status.
func (s *settings) absent(name string, exists func(string) bool) (file string, status int) {
	switch s.notFound {
	case "none":
		return "", 404
	case "single-page-application":
		return "index.html", 200
	}
	// The nearest 404.html, which is served without being asked for as well.
	for dir := name; ; {
		i := strings.LastIndexByte(dir, '/')
		if i < 0 {
			break
		}
		dir = dir[:i]
		if f := dir + "/404.html"; exists(f) {
			return f, 404
		}
	}
	if exists("404.html") {
		return "404.html", 404
	}
	return "", 404
}

// sameSettings reports whether two settings make functions.js run alike.
func sameSettings(a, b *settings) bool {
	return a == b || a.entry == b.entry && a.assets == b.assets && a.assetsName == b.assetsName && equalMaps(a.kv, b.kv) && equalMaps(a.db, b.db) &&
		len(a.vars) == len(b.vars) && func() bool {
		for k, v := range a.vars {
			if w, ok := b.vars[k]; !ok || string(v) != string(w) {
				return false
			}
		}
		return true
	}()
}

func equalMaps(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if w, ok := b[k]; !ok || v != w {
			return false
		}
	}
	return true
}

// mustPatterns are patterns of our own.
func mustPatterns(list ...string) []pattern {
	var out []pattern
	for _, s := range list {
		p, problem := parsePattern(s)
		if problem != "" {
			panic("canvas: " + s + ": " + problem)
		}
		out = append(out, p)
	}
	return out
}

// configure reads the project's settings and rules.
func (g *generation) configure(fsys fs.FS) error {
	s := &settings{
		first: mustPatterns("/api", "/api/*"), assetsName: "ASSETS",
		kv: map[string]string{"KV": "KV"}, db: map[string]string{"DB": "DB"},
	}
	for _, name := range []string{"functions.js", "functions.ts", "functions.mjs"} {
		if _, err := fs.Stat(fsys, name); err == nil {
			s.entry = name
			break
		}
	}
	g.config = s
	return g.rules(fsys)
}
