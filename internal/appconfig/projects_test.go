package appconfig

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// The files in testdata/projects have the shape of wrangler files of public
// Worker projects: the keys that those have, as they write them. What is
// understood of each stands in its comment.
func TestPublicProjects(t *testing.T) {
	paths, err := fs.Glob(testdata, "testdata/projects/*")
	if err != nil || len(paths) < 10 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		data, err := fs.ReadFile(testdata, path)
		if err != nil {
			t.Fatal(err)
		}
		name := "wrangler" + path[strings.LastIndex(path, "."):]
		files := fstest.MapFS{name: &fstest.MapFile{Data: data}}
		var want []string
		for line := range strings.Lines(string(data)) {
			rest, ok := strings.CutPrefix(strings.TrimLeft(line, "#/ "), "want ")
			if !ok {
				continue
			}
			rest = strings.TrimSpace(rest)
			want = append(want, rest)
			if main, ok := strings.CutPrefix(rest, "main "); ok {
				files[main] = &fstest.MapFile{}
			}
		}
		c, err := Load(files)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if got := c.summary(); !slices.Equal(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", path, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// summary lists what a project asks for.
func (c *Config) summary() (lines []string) {
	add := func(format string, args ...any) {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf(format, args...)))
	}
	if c.Main != "" {
		add("main %s", c.Main)
	}
	if a := c.Assets; a.Directory != "" {
		add("assets %s as %s first=%t %v%v %s %s", a.Directory, a.Binding, a.RunWorkerFirst, a.RunWorkerFirstOn, c.Flags, a.NotFoundHandling, a.HTMLHandling)
	}
	for _, n := range c.KV {
		add("kv %s", n.Binding)
	}
	for _, d := range c.DB {
		add("db %s from %s", d.Binding, d.Migrations)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Vars)) {
		add("var %s %s", name, c.Vars[name])
	}
	for _, s := range c.Services {
		add("service %s", s.Binding)
	}
	for _, cron := range c.Crons {
		add("cron %s", cron.Text)
	}
	for _, what := range c.Ignored {
		_, key, _ := strings.Cut(what, ": ")
		add("ignored %s", key)
	}
	return lines
}

//go:embed testdata/projects
var testdata embed.FS
