package appconfig

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A reader fills a Config from documents.
type reader struct {
	c        *Config
	fsys     fs.FS
	bindings map[string]string // name → key that took it
	ignored  map[string]bool
	routes   *value // functions.routes
	order    *value // functions.assets
	pages    bool   // pages_build_output_dir is set
}

// A value is a part of a document.
type value struct {
	d   *document
	key string // "assets.directory", "kv_namespaces[0]"
	v   any
}

func (v value) wrong(format string, args ...any) error { return v.d.wrong(v.key, format, args...) }

type handler func(*reader, value) error

// known are the keys of both kinds of file. Nil means: understood, and
// without meaning here.
func known() map[string]handler {
	return map[string]handler{
		"$schema": nil,
		"name":    func(r *reader, v value) error { return v.text(&r.c.Name) },
		"main":    (*reader).main,
		"assets":  (*reader).assets,

		"pages_build_output_dir": func(r *reader, v value) (err error) {
			r.pages = true
			r.c.Assets.Directory, err = v.folder()
			return err
		},
		"kv_namespaces": (*reader).kv,
		"d1_databases":  (*reader).d1,
		"vars":          (*reader).vars,
		"services":      (*reader).services,
		"triggers":      (*reader).triggers,
		"rules":         (*reader).rules,
		"alias":         func(r *reader, v value) error { return v.names(&r.c.Alias) },
		"define":        func(r *reader, v value) error { return v.names(&r.c.Define) },
		"node_compat": func(r *reader, v value) error { // of old
			if v.v == true {
				r.c.Flags = append(r.c.Flags, "nodejs_compat")
			}
			return nil
		},
		"compatibility_flags": func(r *reader, v value) error { return v.texts(&r.c.Flags) },
		"compatibility_date":  func(r *reader, v value) error { return v.text(&r.c.Date) },
	}
}

// samOnly are the keys that only sam.json has.
func samOnly() map[string]handler {
	return map[string]handler{
		"functions":    (*reader).functions,
		"crons":        (*reader).crons,
		"uses":         (*reader).uses,
		"localStorage": func(r *reader, v value) error { return v.choice(&r.c.Storage, "server", "page") },
		"serve":        func(r *reader, v value) error { return v.texts(&r.c.Serve) },
		"role":         nil, // what it is meant to be on a workbench, and
		"wants":        nil, // the grant it proposes there
	}
}

func (r *reader) read(sam, wrangler *document) error {
	handlers := known()
	if wrangler != nil {
		// Before sam.json, whose keys replace these.
		for _, k := range slices.Sorted(maps.Keys(wrangler.root)) {
			if sam != nil {
				if _, replaced := sam.root[k]; replaced || k == "main" && sam.namesMain() {
					continue
				}
			}
			if err := r.key(handlers, wrangler, k); err != nil {
				return err
			}
		}
		r.c.Worker = r.c.Main != ""
	}
	if sam != nil {
		maps.Copy(handlers, samOnly())
		before := r.c.Main
		for _, k := range slices.Sorted(maps.Keys(sam.root)) {
			if err := r.key(handlers, sam, k); err != nil {
				return err
			}
		}
		if r.c.Main != before {
			r.c.Worker = false
		}
	}
	r.findMain(wrangler)
	return r.finish()
}

// namesMain reports whether functions.main is there.
func (d *document) namesMain() bool {
	f, _ := d.root["functions"].(map[string]any)
	return f["main"] != nil
}

func (r *reader) key(handlers map[string]handler, d *document, k string) error {
	h, ok := handlers[k]
	product, absent := absentKeys()[k]
	switch {
	case !ok && d.file != "sam.json" && absent:
		r.absent(d, k, product)
	case !ok && d.file != "sam.json" && irrelevant(k):
	case k == "build" && d.file != "sam.json":
		r.ignore(d, "build: its commands are not run, run them first")
	case !ok && k == "env":
		// Environments of a deployment: only the top level counts here.
		if envs, ok := d.root[k].(map[string]any); ok {
			for _, name := range slices.Sorted(maps.Keys(envs)) {
				r.ignore(d, "env."+name)
			}
		}
	case !ok:
		r.ignore(d, k)
	case h != nil:
		return h(r, value{d, k, d.root[k]})
	}
	return nil
}

func (r *reader) ignore(d *document, key string) {
	if len(key) > 100 {
		key = strings.ToValidUTF8(key[:100], "") + "…"
	}
	entry := d.file + ": " + key
	if !r.ignored[entry] && len(r.c.Ignored) < MaxEntries {
		r.ignored[entry] = true
		r.c.Ignored = append(r.c.Ignored, entry)
	}
}

func (r *reader) findMain(wrangler *document) {
	if r.c.Main != "" {
		return
	}
	if r.pages {
		r.findPages()
		return
	}
	for _, name := range entries {
		if r.isFile(name) {
			r.c.Main = name
			return
		}
	}
	if wrangler == nil {
		r.findPages() // a Pages project needs no wrangler file
		return
	}
	// With assets and without main a Worker project has no code.
	if r.c.Assets.Directory == "" {
		for _, name := range workerEntries {
			if r.isFile(name) {
				r.c.Main, r.c.Worker = name, true
				return
			}
		}
	}
}

func (r *reader) isFile(name string) bool {
	info, err := fs.Stat(r.fsys, name)
	return err == nil && !info.IsDir()
}

// finish decides what several keys decide together.
func (r *reader) finish() error {
	c := r.c
	c.Routes = []string{"/api/*"}
	if r.routes != nil {
		c.Worker = false
		if s, ok := r.routes.v.(string); ok {
			c.Routes = []string{s}
		} else if err := r.routes.texts(&c.Routes); err != nil {
			return err
		}
		c.AssetsFirst = slices.Contains(c.Routes, "*")
	}
	if r.order != nil {
		var s string
		if err := r.order.text(&s); err != nil {
			return err
		}
		if s != "first" && s != "last" {
			return r.order.wrong(`want "first" or "last", not %s`, quote(s))
		}
		c.AssetsFirst = s == "first"
	}
	if c.Assets.Binding == "" {
		c.Assets.Binding = "ASSETS"
	}
	r.settled()
	return nil
}

func (r *reader) main(v value) error {
	name, err := v.path()
	if err != nil {
		return err
	}
	if !r.isFile(name) {
		return v.wrong("there is no file %s", quote(name))
	}
	r.c.Main = name
	return nil
}

func (r *reader) functions(v value) error {
	return v.object(r, map[string]handler{
		"main":   (*reader).main,
		"routes": func(r *reader, v value) error { r.routes = &v; return nil },
		"assets": func(r *reader, v value) error { r.order = &v; return nil },
	})
}

func (r *reader) assets(v value) error {
	a := &r.c.Assets
	*a = Assets{}
	if _, ok := v.v.(string); ok { // the form of old
		var err error
		a.Directory, err = v.folder()
		return err
	}
	return v.object(r, map[string]handler{
		"directory": func(r *reader, v value) (err error) { a.Directory, err = v.folder(); return err },
		"binding":   func(r *reader, v value) error { return r.bind(v, &a.Binding) },
		"run_worker_first": func(r *reader, v value) error {
			if b, ok := v.v.(bool); ok {
				a.RunWorkerFirst = b
				return nil
			}
			return v.texts(&a.RunWorkerFirstOn)
		},
		"not_found_handling": func(r *reader, v value) error {
			return v.choice(&a.NotFoundHandling, "none", "404-page", "single-page-application")
		},
		"html_handling": func(r *reader, v value) error {
			return v.choice(&a.HTMLHandling, "auto-trailing-slash", "force-trailing-slash", "drop-trailing-slash", "none")
		},
	})
}

func (r *reader) kv(v value) error {
	return v.each(func(v value) error {
		var n Namespace
		err := v.object(r, map[string]handler{
			"binding":    func(r *reader, v value) error { return r.bind(v, &n.Binding) },
			"id":         func(r *reader, v value) error { return v.text(&n.ID) },
			"preview_id": (*reader).pass, "remote": (*reader).pass,
		})
		if err == nil && n.Binding == "" {
			err = v.wrong("binding is missing")
		}
		if n.ID == "" {
			n.ID = n.Binding
		}
		r.c.KV = append(r.c.KV, n)
		return err
	})
}

// pass takes a key that means nothing here.
func (*reader) pass(value) error { return nil }

func (r *reader) d1(v value) error {
	return v.each(func(v value) error {
		d := Database{Migrations: "migrations", Table: "d1_migrations"}
		err := v.object(r, map[string]handler{
			"binding":             func(r *reader, v value) error { return r.bind(v, &d.Binding) },
			"database_id":         func(r *reader, v value) error { return v.text(&d.ID) },
			"database_name":       func(r *reader, v value) error { return v.text(&d.Name) },
			"migrations_dir":      func(r *reader, v value) (err error) { d.Migrations, err = v.path(); return err },
			"preview_database_id": (*reader).pass, "remote": (*reader).pass,
			"migrations_table": func(r *reader, v value) error { return v.text(&d.Table) },
		})
		if err == nil && d.Binding == "" {
			err = v.wrong("binding is missing")
		}
		for _, s := range []string{d.Name, d.Binding} {
			if d.ID == "" {
				d.ID = s
			}
		}
		r.c.DB = append(r.c.DB, d)
		return err
	})
}

func (r *reader) vars(v value) error {
	m, ok := v.v.(map[string]any)
	if !ok {
		return v.wrong("want an object, not %s", kindOf(v.v))
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		var bound string
		at := value{v.d, v.key + "." + name, name}
		if reserved(name) && v.d.file != "sam.json" {
			r.ignore(v.d, at.key+", because the program gives "+name) // a Worker's author could not know
			continue
		}
		if err := r.bind(at, &bound); err != nil {
			return err
		}
		data, err := json.Marshal(m[name])
		if err != nil {
			return at.wrong("%v", err)
		}
		r.c.Vars[name] = data
	}
	return nil
}

func (r *reader) services(v value) error {
	return v.each(func(v value) error {
		var s Service
		err := v.object(r, map[string]handler{
			"binding": func(r *reader, v value) error { return r.bind(v, &s.Binding) },
			"service": func(r *reader, v value) error { return v.text(&s.Service) },
		})
		if err == nil && (s.Binding == "" || s.Service == "") {
			err = v.wrong("binding and service are needed")
		}
		r.c.Services = append(r.c.Services, s)
		return err
	})
}

func (r *reader) triggers(v value) error {
	return v.object(r, map[string]handler{"crons": (*reader).crons})
}

// maxCrons is how many cron triggers a project has. They run one after the other.
const maxCrons = 50

func (r *reader) crons(v value) error {
	var all []Cron
	err := v.each(func(v value) error {
		var text string
		if err := v.text(&text); err != nil {
			return err
		}
		c, err := ParseCron(text)
		if err != nil {
			return v.wrong("%v", err)
		}
		if len(all) == maxCrons {
			return v.wrong("a project has at most %d cron triggers", maxCrons)
		}
		all = append(all, c)
		return nil
	})
	r.c.Crons = all
	return err
}

func (r *reader) uses(v value) error {
	m, ok := v.v.(map[string]any)
	if !ok {
		return v.wrong("want an object, not %s", kindOf(v.v))
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		n, err := strconv.Atoi(fmt.Sprint(m[name]))
		if err != nil || n < 1 {
			return value{v.d, v.key + "." + name, nil}.wrong("want a version such as 2, not %s", quote(fmt.Sprint(m[name])))
		}
		r.c.Uses[name] = n
	}
	return nil
}

var bindingName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`) })

// maxBindingName is how many bytes such a name may have.
const maxBindingName = 128

// reserved reports whether the program alone gives the binding of a name.
func reserved(name string) bool { return name == "HOST" || name == "TOOL" }

// bind takes the name of a member of env.
func (r *reader) bind(v value, to *string) error {
	if err := v.text(to); err != nil {
		return err
	}
	name := *to
	switch {
	case len(name) > maxBindingName || !bindingName().MatchString(name) || name == "__proto__":
		return v.wrong("%s does not fit as the name of a binding: letters, digits, _ and $", quote(name))
	case reserved(name):
		return v.wrong("%s is given by the program, never by a project", name)
	case r.bindings[name] != "":
		return v.wrong("%s is bound twice, here and by %s", name, r.bindings[name])
	}
	r.bindings[name] = v.key
	return nil
}

func (v value) object(r *reader, handlers map[string]handler) error {
	m, ok := v.v.(map[string]any)
	if !ok {
		return v.wrong("want an object, not %s", kindOf(v.v))
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		key := v.key + "." + k
		if h := handlers[k]; h == nil {
			list, _, _ := strings.Cut(v.key, "[")
			r.ignore(v.d, list+"."+k)
		} else if err := h(r, value{v.d, key, m[k]}); err != nil {
			return err
		}
	}
	return nil
}

func (v value) each(do func(value) error) error {
	list, ok := v.v.([]any)
	if !ok {
		return v.wrong("want a list, not %s", kindOf(v.v))
	}
	if len(list) > MaxEntries {
		return v.wrong("%d entries, more than %d", len(list), MaxEntries)
	}
	for i, e := range list {
		if err := do(value{v.d, v.key + "[" + strconv.Itoa(i) + "]", e}); err != nil {
			return err
		}
	}
	return nil
}

func (v value) text(to *string) error {
	s, ok := v.v.(string)
	if !ok {
		return v.wrong("want a string, not %s", kindOf(v.v))
	}
	if len(s) > 1024 {
		return v.wrong("the string has %d bytes, more than 1024", len(s))
	}
	*to = s
	return nil
}

func (v value) texts(to *[]string) error {
	var out []string
	err := v.each(func(v value) error {
		var s string
		err := v.text(&s)
		out = append(out, s)
		return err
	})
	*to = out
	return err
}

func (v value) choice(to *string, allowed ...string) error {
	if err := v.text(to); err != nil {
		return err
	}
	if !slices.Contains(allowed, *to) {
		return v.wrong("%s is none of %s", quote(*to), strings.Join(allowed, ", "))
	}
	return nil
}

// path reads a path of the project.
func (v value) path() (string, error) {
	name, err := v.folder()
	if err == nil && name == "." {
		err = v.wrong("want a path in the project")
	}
	return name, err
}

// folder reads a path of the project, which may be all of it.
func (v value) folder() (string, error) {
	var s string
	if err := v.text(&s); err != nil {
		return "", err
	}
	name := path.Clean(strings.TrimPrefix(s, "/"))
	if s == "" || !fs.ValidPath(name) || strings.ContainsAny(s, "\\\x00") {
		return "", v.wrong("%s is no path in the project", quote(s))
	}
	return name, nil
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return "a number"
}

func quote(s string) string {
	if len(s) > 100 {
		s = s[:100]
	}
	return strconv.Quote(s)
}
