package appconfig

import (
	"slices"
	"testing"
	"testing/fstest"
)

func TestPagePatterns(t *testing.T) {
	for file, want := range map[string]string{
		"functions/index.js": "/", "functions/a/index.ts": "/a*", "functions/a.js": "/a*", "functions/a/[id].js": "/a*", "functions/[id].js": "/*",
		"functions/[a]/index.js": "/*", "functions/_middleware.js": "/*", "functions/a/_middleware.js": "/a*", "functions/a/[[p]].js": "/a*",
	} {
		if got := pagePattern(file); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}

func TestPagesProjects(t *testing.T) {
	const fn = "export const onRequest = () => new Response()"
	load := func(files map[string]string) *Config {
		m := fstest.MapFS{}
		for name, text := range files {
			m[name] = &fstest.MapFile{Data: []byte(text)}
		}
		c, err := Load(m)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := load(map[string]string{"wrangler.toml": "pages_build_output_dir = 'out'", "functions/a.js": fn, "functions/lib.js": "", "functions/x.d.ts": fn})
	if !c.Worker || c.Main != "functions" || !slices.Equal(c.Pages, []string{"functions/a.js"}) || c.Route("/a") != ToFunctions || c.Route("/b.css") == ToFunctions {
		t.Errorf("%+v", c)
	}
	c = load(map[string]string{"functions/_middleware.js": fn})
	if !c.Assets.RunWorkerFirst || c.Main != "functions" {
		t.Errorf("%+v", c)
	}
	for _, files := range []map[string]string{
		{"functions/index.js": fn, "functions/a.js": fn}, {"functions/netlify.js": "exports.handler = 1"}, {"wrangler.toml": "name = 'x'", "functions/a.js": fn}, {"out/_worker.js": ""},
	} {
		if c := load(files); c.Pages != nil || c.Main == "functions" {
			t.Errorf("%v: %+v", files, c)
		}
	}
}
