// Package appconfig reads what a project says about itself: sam.json, and the
// wrangler.json, wrangler.jsonc or wrangler.toml of a Worker project, so that
// one runs as it is.
//
// Both kinds of file have the keys of wrangler: main, assets, kv_namespaces,
// d1_databases, vars, services, triggers, rules, alias, define, pages_build_output_dir,
// compatibility_flags and compatibility_date. sam.json may hold more:
//
//	{
//	  "functions": {
//	    "main": "server/index.ts",
//	    "routes": ["/api/*", "!/api/docs/*"],
//	    "assets": "last"
//	  },
//	  "crons": ["*/5 * * * *"],
//	  "uses":  {"crm": 2},
//	  "localStorage": "server",
//	  "serve": ["migrations/README.md"]
//	}
//
// routes may be "*". With "assets": "first" a file that exists answers before
// the functions do; "last" leaves matching routes to the functions. The
// default is last, and for the routes "*" first. A key in sam.json replaces
// the same key of a wrangler file. A project with pages_build_output_dir, or without a wrangler
// file, may be one of Pages: its code is _worker.js there, or the files below functions. Whatever is not understood is listed in
// Ignored, and is never an error.
package appconfig

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// Limits of what is read.
const (
	MaxFile    = 256 << 10 // bytes of a file
	MaxEntries = 500       // entries of a list
)

// A Config is what a project asks for. A Config is not changed after Load.
type Config struct {
	Name string // of a wrangler file, or ""

	// Main is the file whose default export answers requests, or "".
	Main string
	// Worker says that Main is that of a Worker project: it answers all
	// routes, but for files where Assets.Directory is set.
	Worker bool
	// Pages are the files of a Pages project that each answer a route; Main is their folder then.
	Pages []string
	// Routes are the patterns that Main answers if Worker is false.
	Routes []string
	// AssetsFirst says that a file goes before the functions on Routes.
	AssetsFirst bool

	Assets    Assets
	KV        []Namespace
	DB        []Database
	Vars      map[string]json.RawMessage // valid JSON, by name
	Services  []Service
	Absent    []Absence // bindings that there cannot be
	Crons     []Cron
	Flags     []string          // compatibility_flags
	Date      string            // compatibility_date
	Rules     []Rule            // what importing a file means, the first that matches
	Alias     map[string]string // what is imported in the place of a specifier
	Define    map[string]string // constants for global names in the code
	Uses      map[string]int    // capability → version that is wanted
	Storage   string            // "server" keeps localStorage of the pages' visitors there; "page" or ""
	Serve     []string          // patterns of files to serve although their names are sealed
	Ignored   []string          // "wrangler.toml: routes", each once, in order
	Files     []string          // what was read
	workFirst []rule            // of Assets.RunWorkerFirst
	routes    []rule
}

// Assets says how the files of a project are served.
type Assets struct {
	Directory        string   // project path; "" if not set
	Binding          string   // "ASSETS" unless set
	RunWorkerFirst   bool     // on all routes
	RunWorkerFirstOn []string // on these; "!/x/*" excepts
	NotFoundHandling string   // "none", "404-page", "single-page-application"; "" if not set
	HTMLHandling     string   // "auto-trailing-slash", "force-trailing-slash", "drop-trailing-slash", "none"; "" if not set
}

// A Namespace is a KV binding.
type Namespace struct {
	Binding string
	ID      string // equal ids mean the same data; Binding if not set
}

// A Database is a D1 binding.
type Database struct {
	Binding    string
	ID         string // equal ids mean the same data; the name or Binding if not set
	Name       string
	Migrations string // project path of the folder of .sql files; "migrations" if not set
	Table      string // where applied migrations are listed; "d1_migrations" if not set
}

// A Service is a binding to what the embedding program offers.
type Service struct {
	Binding string
	Service string
}

// A Rule says what importing the files that its globs match means.
type Rule struct {
	Type  string // such as "Text", "Data", "CompiledWasm", "ESModule"
	Globs []string
}

// An Error is a configuration file that is wrong.
type Error struct {
	File   string
	Line   int // from 1; 0 if unknown
	Column int // from 1, in bytes; 0 if unknown
	Text   string
}

// Error returns "file:line:column: text", without what is unknown.
func (e *Error) Error() string {
	switch {
	case e.Line == 0:
		return e.File + ": " + e.Text
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Text)
}

// wranglerFiles in the order in which wrangler looks for them.
var wranglerFiles = []string{"wrangler.json", "wrangler.jsonc", "wrangler.toml"}

// entries are where functions are looked for when no file names them.
var entries = []string{
	"functions.js", "functions.ts", "functions.mjs", "functions.mts", "functions.jsx", "functions.tsx",
	"functions/index.js", "functions/index.ts", "functions/index.mjs", "functions/index.mts", "functions/index.jsx", "functions/index.tsx",
}

// workerEntries are also looked for in a Worker project.
var workerEntries = []string{"src/index.ts", "src/index.js", "src/index.tsx", "src/index.mjs"}

// Load reads the configuration of a project. A project without any is
// configured by defaults. A file that is broken or asks for what cannot be
// gives an [*Error]; what fsys fails with is returned as it is.
func Load(fsys fs.FS) (*Config, error) {
	c := &Config{Vars: map[string]json.RawMessage{}, Uses: map[string]int{}}
	sam, err := c.open(fsys, "sam.json", true)
	if err != nil {
		return nil, err
	}
	var wrangler *document
	for _, name := range wranglerFiles {
		d, err := c.open(fsys, name, wrangler == nil)
		switch {
		case err != nil:
			return nil, err
		case d == nil:
		case wrangler == nil:
			wrangler = d
		default:
			c.Ignored = append(c.Ignored, name+", because there is "+wrangler.file)
		}
	}
	r := &reader{c: c, fsys: fsys, bindings: map[string]string{}, ignored: map[string]bool{}}
	if err := r.read(sam, wrangler); err != nil {
		return nil, err
	}
	if err := c.compile(); err != nil {
		return nil, err
	}
	return c, nil
}

// open reads a file, if there is one. Without parse it only looks.
func (c *Config) open(fsys fs.FS, name string, parse bool) (*document, error) {
	info, err := fs.Stat(fsys, name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	if !parse {
		return &document{file: name}, nil
	}
	if info.Size() > MaxFile {
		return nil, &Error{File: name, Text: fmt.Sprintf("the file has %d bytes, more than %d", info.Size(), MaxFile)}
	}
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	if len(data) > MaxFile { // Size was not the truth
		return nil, &Error{File: name, Text: fmt.Sprintf("the file has %d bytes, more than %d", len(data), MaxFile)}
	}
	c.Files = append(c.Files, name)
	d := &document{file: name, data: data}
	if path.Ext(name) == ".toml" {
		return d, d.parseTOML()
	}
	return d, d.parseJSON()
}
