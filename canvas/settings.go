package canvas

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
	"samkit.dev/internal/appconfig"
)

// settings are what a project says about itself, in sam.json or as a Worker
// project. They are immutable.
type settings struct {
	*appconfig.Config
	assets  string // folder that is served; "" is the root
	entry   string // of functions.js; "" if there is none
	jsx     string // package that JSX is compiled to; "" is react
	invalid *Diagnostic
}

// configure reads the project's settings and rules. Settings that are wrong
// are no error: whoever visits the project is told.
func (g *generation) configure(fsys fs.FS) error {
	c, err := appconfig.Load(fsys)
	s := &settings{Config: c}
	var bad *appconfig.Error
	switch {
	case errors.As(err, &bad):
		s.Config = &appconfig.Config{Assets: appconfig.Assets{Binding: "ASSETS"}}
		s.invalid = &Diagnostic{File: bad.File, Line: bad.Line, Column: bad.Column, Text: bad.Text}
	case err != nil:
		return err
	}
	s.assets, s.entry = s.Assets.Directory, s.Main
	if s.assets == "." {
		s.assets = "" // all of the project
	}
	if s.jsx, err = jsxSource(fsys); err != nil {
		return err
	}
	g.config = s
	for _, what := range s.Ignored {
		g.site.remark("Ignored: " + what)
	}
	if g.sql, err = migrationsHash(fsys, s); err != nil {
		return err
	}
	return g.rules(fsys)
}

// maxTSConfig bounds a tsconfig.json that is read.
const maxTSConfig = 64 << 10

// jsxSource reads from tsconfig.json which package JSX is compiled to. A file
// that cannot be understood says nothing: it is the editor's more than ours.
func jsxSource(fsys fs.FS) (string, error) {
	text, err := optional(fsys, "tsconfig.json")
	if err != nil || len(text) > maxTSConfig {
		return "", err
	}
	var c struct {
		CompilerOptions struct {
			JSXImportSource string `json:"jsxImportSource"`
		} `json:"compilerOptions"`
	}
	if plain, err := hujson.Standardize([]byte(text)); err != nil || json.Unmarshal(plain, &c) != nil {
		return "", nil
	}
	return c.CompilerOptions.JSXImportSource, nil
}

// functionsFirst reports whether functions.js answers a path, file or not.
func (s *settings) functionsFirst(path string) bool { return s.Route(path) == appconfig.ToFunctions }

// functionsLast reports whether functions.js answers a path where there is no file.
func (s *settings) functionsLast(path string) bool {
	return s.Route(path) == appconfig.ToAssetsFirst || path == "/api" && s.functionsFirst("/api/")
}

// hides reports whether a file, by its name as served, is the project's own business.
func (s *settings) hides(name string) bool {
	file := name
	if s.assets != "" {
		file = s.assets + "/" + name
	}
	file = strings.TrimSuffix(file, "/")
	return (hidden(name) || s.migrates(file)) && !s.Serves(file)
}

// migrates reports whether a file of the project lies in a folder of migrations,
// wherever the settings put it.
func (s *settings) migrates(file string) bool {
	for _, d := range s.DB {
		dir := fold(d.Migrations)
		if name := fold(file); name == dir || strings.HasPrefix(name, dir+"/") {
			return true
		}
	}
	return false
}

// absent says what to serve for a page that does not exist: the name of a
// file, or "", and the status.
func (s *settings) absent(name string, exists func(string) bool) (file string, status int) {
	switch s.Assets.NotFoundHandling {
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
	return a == b || a.entry == b.entry && a.assets == b.assets && a.Assets.Binding == b.Assets.Binding &&
		maps.Equal(a.namespaces(), b.namespaces()) && maps.Equal(a.databases(), b.databases()) && maps.Equal(a.services(), b.services()) && maps.Equal(a.Uses, b.Uses) && slices.Equal(a.Absent, b.Absent) && maps.EqualFunc(a.Vars, b.Vars, equalJSON)
}

func equalJSON(a, b json.RawMessage) bool { return string(a) == string(b) }

// namespaces are the KV bindings: name in env, and in the project's state. A
// project has KV without asking.
func (s *settings) namespaces() map[string]string {
	m := map[string]string{"KV": "KV"}
	for _, n := range s.KV {
		m[n.Binding] = n.ID
	}
	return m
}

// databases are the D1 bindings. A project has DB without asking.
func (s *settings) databases() map[string]appconfig.Database {
	m := map[string]appconfig.Database{"DB": {Binding: "DB", ID: "DB", Name: "DB", Migrations: "migrations", Table: "d1_migrations"}}
	for _, d := range s.DB {
		m[d.Binding] = d
	}
	return m
}

// private reports whether a file is source of a Worker: what its main imports.
// Without a bundle that says so, all code next to main and below it is.
func (v *visit) private(gen *generation, file string) bool {
	if !gen.config.Worker || gen.config.Serves(file) {
		return false
	}
	code := false
	switch strings.ToLower(path.Ext(file)) {
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx", ".json":
		code = true
	}
	// A folder of assets is there to be served; where that is the whole project, what
	// code imports as text or bytes is its own as well.
	if !code && gen.config.assets != "" {
		return false
	}
	inputs, err := v.site.inputs(v.ctx(), gen)
	if err != nil && !code {
		return false // its pages are shown, broken code or not
	}
	if err != nil {
		dir := path.Dir(gen.config.entry)
		return dir == "." || strings.HasPrefix(file, dir+"/")
	}
	_, used := inputs[file]
	return used
}

// inputs are the files that functions.js is made of.
func (s *site) inputs(ctx context.Context, gen *generation) (map[string]string, error) {
	s.scripts.mu.Lock()
	defer s.scripts.mu.Unlock()
	if _, err := s.bundled(ctx, gen); err != nil {
		return nil, err
	}
	return s.scripts.built.inputs, nil
}

// services are what the project asks for by name in env.
func (s *settings) services() map[string]string {
	m := map[string]string{}
	for _, svc := range s.Services {
		m[svc.Binding] = svc.Service
	}
	return m
}
