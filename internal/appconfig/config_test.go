package appconfig

import (
	"encoding/json"
	"errors"
	"io/fs"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func crons(texts ...string) []Cron {
	var all []Cron
	for _, text := range texts {
		c, err := ParseCron(text)
		if err != nil {
			panic(err)
		}
		all = append(all, c)
	}
	return all
}

func tree(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

const fullTOML = `#:schema node_modules/wrangler/config-schema.json
name = "shop"
main = "./src/index.ts"
compatibility_date = "2025-09-01"
compatibility_flags = ["nodejs_compat", "url_standard"]
workers_dev = true
account_id = "0123"

[vars]
API_HOST = "api.example.com"
RETRIES = 3
RATIO = 0.5
SINCE = 2024-01-02T03:04:05Z
FEATURES = { beta = true, tags = ["a", "b"] }

[assets]
directory = "./public/"
binding = "STATIC"
run_worker_first = ["/api/*", "!/api/docs/*"]
not_found_handling = "single-page-application"
html_handling = "drop-trailing-slash"

[[kv_namespaces]]
binding = "CACHE"
id = "kv1"
preview_id = "kv2"

[[kv_namespaces]]
binding = "SESSIONS"

[[d1_databases]]
binding = "DB"
database_name = "shop"
database_id = "db1"
migrations_dir = "db/migrations"

[[services]]
binding = "CRM"
service = "crm"
environment = "production"

[[r2_buckets]]
binding = "FILES"
bucket_name = "files"

[triggers]
crons = ["*/5 * * * *", "0 0 * * MON"]

[observability]
enabled = true

[env.staging.vars]
API_HOST = "staging.example.com"

[env.production]
name = "shop-production"
`

const fullJSONC = `{
  // A comment with "quotes" and a trailing comma below
  "$schema": "node_modules/wrangler/config-schema.json",
  "name": "shop",
  "main": "./src/index.ts",
  "compatibility_date": "2025-09-01",
  "compatibility_flags": ["nodejs_compat", "url_standard"],
  "workers_dev": true,
  "account_id": "0123",
  "vars": {
    "API_HOST": "api.example.com", "RETRIES": 3, "RATIO": 0.5, "SINCE": "2024-01-02T03:04:05Z",
    "FEATURES": { "beta": true, "tags": ["a", "b"] },
  },
  "assets": {
    "directory": "./public/", "binding": "STATIC",
    "run_worker_first": ["/api/*", "!/api/docs/*"], /* patterns */
    "not_found_handling": "single-page-application", "html_handling": "drop-trailing-slash",
  },
  "kv_namespaces": [{ "binding": "CACHE", "id": "kv1", "preview_id": "kv2" }, { "binding": "SESSIONS" }],
  "d1_databases": [{ "binding": "DB", "database_name": "shop", "database_id": "db1", "migrations_dir": "db/migrations" }],
  "services": [{ "binding": "CRM", "service": "crm", "environment": "production" }],
  "r2_buckets": [{ "binding": "FILES", "bucket_name": "files" }],
  "triggers": { "crons": ["*/5 * * * *", "0 0 * * MON"] },
  "observability": { "enabled": true },
  "env": { "staging": { "vars": {} }, "production": { "name": "shop-production" } },
}
`

func TestWorkerProject(t *testing.T) {
	for name, text := range map[string]string{"wrangler.toml": fullTOML, "wrangler.jsonc": fullJSONC, "wrangler.json": fullJSONC} {
		t.Run(name, func(t *testing.T) {
			c, err := Load(tree(map[string]string{name: text, "src/index.ts": "", "functions.js": ""}))
			if err != nil {
				t.Fatal(err)
			}
			c.routes, c.workFirst = nil, nil
			want := &Config{
				Name: "shop", Main: "src/index.ts", Worker: true, Routes: []string{"/api/*"},
				Assets: Assets{Directory: "public", Binding: "STATIC", RunWorkerFirstOn: []string{"/api/*", "!/api/docs/*"},
					NotFoundHandling: "single-page-application", HTMLHandling: "drop-trailing-slash"},
				KV: []Namespace{{"CACHE", "kv1"}, {"SESSIONS", "SESSIONS"}},
				DB: []Database{{"DB", "db1", "shop", "db/migrations", "d1_migrations"}},
				Vars: map[string]json.RawMessage{
					"API_HOST": json.RawMessage(`"api.example.com"`), "RETRIES": json.RawMessage("3"), "RATIO": json.RawMessage("0.5"),
					"SINCE": json.RawMessage(`"2024-01-02T03:04:05Z"`), "FEATURES": json.RawMessage(`{"beta":true,"tags":["a","b"]}`),
				},
				Services: []Service{{"CRM", "crm"}},
				Crons:    crons("*/5 * * * *", "0 0 * * MON"),
				Flags:    []string{"nodejs_compat", "url_standard"}, Date: "2025-09-01",
				Uses:    map[string]int{},
				Absent:  []Absence{{"FILES", "R2"}},
				Ignored: []string{name + ": env.production", name + ": env.staging", name + ": r2_buckets: no R2 here", name + ": services.environment"},
				Files:   []string{name},
			}
			if !reflect.DeepEqual(c, want) {
				t.Errorf("got  %+v\nwant %+v", c, want)
			}
		})
	}
}

func TestDefaults(t *testing.T) {
	c, err := Load(tree(nil))
	if err != nil {
		t.Fatal(err)
	}
	if c.Main != "" || c.Worker || c.Assets.Binding != "ASSETS" || c.Ignored != nil || c.Files != nil {
		t.Errorf("%+v", c)
	}
	if c.Route("/api/x") != ToFunctions || c.Route("/index.html") != ToAssets {
		t.Error("default routes")
	}
}

func TestEntry(t *testing.T) {
	for _, tt := range []struct {
		name, main string
		worker     bool
		files      map[string]string
	}{
		{"js before ts", "functions.js", false, map[string]string{"functions.js": "", "functions.ts": ""}},
		{"ts", "functions.ts", false, map[string]string{"functions.ts": "", "functions/index.js": ""}},
		{"folder", "functions/index.tsx", false, map[string]string{"functions/index.tsx": ""}},
		{"src without wrangler is a front end", "", false, map[string]string{"src/index.ts": ""}},
		{"src with wrangler", "src/index.ts", true, map[string]string{"src/index.ts": "", "wrangler.toml": ""}},
		{"assets only", "", false, map[string]string{"src/index.ts": "", "wrangler.toml": "assets = { directory = \"public\" }"}},
		{"functions in a wrangler project without main", "functions.js", false, map[string]string{"functions.js": "", "wrangler.toml": "name = 'x'"}},
		{"sam.json wins", "a.js", false, map[string]string{"a.js": "", "b.js": "", "wrangler.toml": "main = 'b.js'", "sam.json": `{"main":"a.js"}`}},
		{"functions.main wins, wrangler's is missing", "a.js", false, map[string]string{"a.js": "", "wrangler.toml": "main = 'dist/b.js'", "sam.json": `{"functions":{"main":"./a.js"}}`}},
		{"sam.json without main keeps the worker", "b.js", true, map[string]string{"b.js": "", "wrangler.toml": "main = 'b.js'", "sam.json": `{"vars":{"A":1}}`}},
		{"a folder is no entry", "", false, map[string]string{"functions.js/x": ""}},
	} {
		c, err := Load(tree(tt.files))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if c.Main != tt.main || c.Worker != tt.worker {
			t.Errorf("%s: Main = %q, Worker = %v", tt.name, c.Main, c.Worker)
		}
	}
}

func TestSAMReplacesKeys(t *testing.T) {
	c, err := Load(tree(map[string]string{
		"wrangler.toml": "name = 'w'\nvars = { A = 1, B = 2 }\ntriggers = { crons = ['1 * * * *'] }\n",
		"wrangler.json": "{}",
		"sam.json":      `{"vars": {"A": 9}, "crons": ["2 * * * *"], "uses": {"crm": 2}, "serve": ["migrations/*.md"], "theme": "dark"}`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Vars) != 1 || string(c.Vars["A"]) != "9" || c.Uses["crm"] != 2 || !reflect.DeepEqual(c.Crons, crons("2 * * * *")) {
		t.Errorf("%+v", c)
	}
	if want := []string{"wrangler.toml, because there is wrangler.json", "sam.json: theme"}; !reflect.DeepEqual(c.Ignored, want) {
		t.Errorf("Ignored = %q", c.Ignored)
	}
	if !c.Serves("migrations/README.md") || c.Serves("migrations/1.sql") {
		t.Error("Serves")
	}
}

func TestRoute(t *testing.T) {
	worker := func(assets string) map[string]string {
		return map[string]string{"w.js": "", "wrangler.toml": "main = 'w.js'\n" + assets}
	}
	sam := func(text string) map[string]string { return map[string]string{"functions.js": "", "sam.json": text} }
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  map[string]Route
	}{
		{"default", sam(`{}`), map[string]Route{"/api/": ToFunctions, "/api/a/b": ToFunctions, "/api": ToAssets, "/apis": ToAssets, "/": ToAssets, "/x/api/": ToAssets}},
		{"more routes", sam(`{"functions":{"routes":["/api/*","/auth/*","!/api/docs/*"]}}`),
			map[string]Route{"/auth/x": ToFunctions, "/api/docs/x": ToAssets, "/api/x": ToFunctions, "/": ToAssets}},
		{"exception first", sam(`{"functions":{"routes":["!/api/docs/*","/api/*"]}}`), map[string]Route{"/api/docs/x": ToAssets}},
		{"all", sam(`{"functions":{"routes":"*"}}`), map[string]Route{"/": ToAssetsFirst, "/x": ToAssetsFirst}},
		{"all, assets last", sam(`{"functions":{"routes":"*","assets":"last"}}`), map[string]Route{"/": ToFunctions, "/x.css": ToFunctions}},
		{"some, assets first", sam(`{"functions":{"routes":["/a/*"],"assets":"first"}}`), map[string]Route{"/a/x": ToAssetsFirst, "/b": ToAssets}},
		{"stars inside", sam(`{"functions":{"routes":["/*/edit","/u/*/p/*.json"]}}`),
			map[string]Route{"/a/b/edit": ToFunctions, "/edit": ToAssets, "/u/1/p/2.json": ToFunctions, "/u/1/p/2.jso": ToAssets}},
		{"worker alone", worker(""), map[string]Route{"/": ToFunctions, "/x.css": ToFunctions}},
		{"worker with assets", worker("[assets]\ndirectory='public'"), map[string]Route{"/": ToAssetsFirst, "/api/x": ToAssetsFirst}},
		{"worker first", worker("[assets]\ndirectory='public'\nrun_worker_first=true"), map[string]Route{"/": ToFunctions}},
		{"worker first on some", worker("[assets]\ndirectory='public'\nrun_worker_first=['/api/*','!/api/docs/*']"),
			map[string]Route{"/api/x": ToFunctions, "/api/docs/x": ToAssets, "/": ToAssetsFirst}},
		{"worker with routes of sam.json", map[string]string{"w.js": "", "wrangler.toml": "main='w.js'", "sam.json": `{"functions":{"routes":["/w/*"]}}`},
			map[string]Route{"/w/x": ToFunctions, "/": ToAssets}},
	} {
		c, err := Load(tree(tt.files))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		for path, want := range tt.want {
			if got := c.Route(path); got != want {
				t.Errorf("%s: Route(%s) = %d; want %d", tt.name, path, got, want)
			}
		}
	}
}

func TestBrokenFiles(t *testing.T) {
	for _, tt := range []struct{ name, file, text, want string }{
		{"json syntax", "sam.json", "{\n  \"main\": }", "sam.json:2:11: "},
		{"json ends", "sam.json", "{", "sam.json:1:2: "},
		{"empty json", "sam.json", "", "sam.json:1:1: "},
		{"json list", "sam.json", "[]", "sam.json:1:1: the file is no object"},
		{"json null", "sam.json", "null", "sam.json:1:1: the file is no object"},
		{"two values", "sam.json", "{}\n{}", "sam.json:2:1: "},
		{"not UTF-8", "sam.json", "{\"a\":\"\xff\"}", "sam.json: the file is not UTF-8"},
		{"toml syntax", "wrangler.toml", "name = 'a'\nmain = \n", "wrangler.toml:2:"},
		{"toml twice", "wrangler.toml", "name = 'a'\nname = 'b'\n", "wrangler.toml:2:"},
		{"toml not a number", "wrangler.toml", "vars = { A = nan }", "wrangler.toml: the file holds a number that JSON cannot: NaN"},
		{"type of main", "sam.json", "{\n\n\"main\": 1}", "sam.json:3:2: main: want a string, not a number"},
		{"no such main", "wrangler.toml", "# main\n\nmain = 'dist/x.js'", `wrangler.toml:3:1: main: there is no file "dist/x.js"`},
		{"main outside", "sam.json", `{"main":"../x.js"}`, `sam.json:1:3: main: "../x.js" is no path in the project`},
		{"main on Windows", "sam.json", `{"main":"a\\b.js"}`, `sam.json:1:3: main: "a\\b.js" is no path`},
		{"assets outside", "wrangler.toml", "[assets]\ndirectory = '../..'", `wrangler.toml:2:1: assets.directory: "../.." is no path`},
		{"not_found_handling", "sam.json", `{"assets":{"not_found_handling":"spa"}}`, `sam.json:1:13: assets.not_found_handling: "spa" is none of none, 404-page,`},
		{"kv list", "sam.json", `{"kv_namespaces":{}}`, "sam.json:1:3: kv_namespaces: want a list, not an object"},
		{"kv entry", "wrangler.toml", "[[kv_namespaces]]\nid='x'", "wrangler.toml:1:3: kv_namespaces[0]: binding is missing"},
		{"binding name", "wrangler.toml", "[[kv_namespaces]]\nbinding='a-b'", `wrangler.toml:2:1: kv_namespaces[0].binding: "a-b" does not fit`},
		{"binding HOST", "sam.json", `{"vars":{"HOST":1}}`, "sam.json:1:11: vars.HOST: HOST is given by the program"},
		{"bound twice", "sam.json", `{"kv_namespaces":[{"binding":"A"}],"vars":{"A":1}}`, "sam.json:1:"},
		{"var __proto__", "sam.json", `{"vars":{"__proto__":1}}`, "sam.json:1:11: vars.__proto__: "},
		{"service", "sam.json", `{"services":[{"binding":"A"}]}`, "sam.json:1:3: services[0]: binding and service are needed"},
		{"uses", "sam.json", `{"uses":{"crm":"two"}}`, "sam.json:1:11: uses.crm: want a version"},
		{"uses 0", "sam.json", `{"uses":{"crm":0}}`, "sam.json:1:11: uses.crm: want a version"},
		{"route", "sam.json", `{"functions":{"routes":["api/*"]}}`, `sam.json: functions.routes: the pattern "api/*" does not begin with /`},
		{"routes of a wrong type", "sam.json", `{"functions":{"routes":5}}`, "sam.json:1:16: functions.routes: want a list"},
		{"many crons", "sam.json", `{"crons":[` + strings.Repeat(`"0 0 * * *",`, 50) + `"0 0 * * *"]}`, `sam.json:1:3: crons[50]: a project has at most 50 cron triggers`},
		{"cron", "sam.json", `{"crons":["0 0 * * *","0 24 * * *"]}`, `sam.json:1:3: crons[1]: the cron trigger "0 24 * * *": hour: 24 is not from 0 to 23`},
		{"order", "sam.json", `{"functions":{"assets":"middle"}}`, `sam.json:1:16: functions.assets: want "first" or "last"`},
		{"large", "sam.json", `{"a":"` + strings.Repeat("x", MaxFile) + `"}`, "sam.json: the file has 262152 bytes"},
		{"deep json", "sam.json", strings.Repeat(`{"a":`, 1000) + "1" + strings.Repeat("}", 1000), "sam.json:1:161: the file is nested more than"},
		{"deep toml", "wrangler.toml", "a = " + strings.Repeat("[", 1000) + strings.Repeat("]", 1000), "wrangler.toml:1:37: the file is nested more than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Load(tree(map[string]string{tt.file: tt.text}))
			var e *Error
			if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestHostileFilesEndInTime(t *testing.T) {
	fill := func(unit string) string { return strings.Repeat(unit, MaxFile/len(unit)-8) }
	for name, text := range map[string]string{
		"json brackets": fill("["), "json objects": fill(`{"a":`), "json comments": "{" + fill("/**/"),
		"json keys": "{" + fill(`"a":1,`) + "}",
	} {
		start := time.Now()
		_, _ = Load(tree(map[string]string{"sam.json": text}))
		if d := time.Since(start); d > 3*time.Second {
			t.Errorf("%s: %v", name, d)
		}
	}
	for name, text := range map[string]string{
		"toml brackets": "a=" + fill("["), "toml tables": "a=" + fill("{a="), "toml dots": fill("a.") + "a=1", "toml headers": fill("[[a]]\n"), "toml nested headers": "[" + fill("a.") + "a]",
	} {
		start := time.Now()
		_, _ = Load(tree(map[string]string{"wrangler.toml": text}))
		if d := time.Since(start); d > 3*time.Second {
			t.Errorf("%s: %v", name, d)
		}
	}
	if start := time.Now(); glob(strings.Repeat("*a", 500), strings.Repeat("a", 100_000)+"b") || time.Since(start) > time.Second {
		t.Errorf("glob took %v", time.Since(start))
	}
}

type failingFS struct{}

func (failingFS) Open(string) (fs.File, error) { return nil, fs.ErrPermission }

func TestStoreError(t *testing.T) {
	if _, err := Load(failingFS{}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("wrangler.toml", []byte(fullTOML))
	f.Add("wrangler.jsonc", []byte(fullJSONC))
	f.Add("sam.json", []byte(`{"functions":{"routes":"*","assets":"first"},"uses":{"a":1},"serve":["*"],"crons":[]}`))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		switch name {
		case "sam.json", "wrangler.toml", "wrangler.json", "wrangler.jsonc":
		default:
			name = "wrangler.toml"
		}
		c, err := Load(fstest.MapFS{name: &fstest.MapFile{Data: data}, "src/index.ts": &fstest.MapFile{}})
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.File == "" || e.Text == "" {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		for _, v := range c.Vars {
			if !json.Valid(v) {
				t.Fatalf("a variable is %q", v)
			}
		}
		if r := c.Route("/api/x"); r < ToAssets || r > ToAssetsFirst {
			t.Fatalf("Route = %d", r)
		}
	})
}
