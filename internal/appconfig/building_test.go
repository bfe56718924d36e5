package appconfig

import (
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

func TestBuilding(t *testing.T) {
	load := func(text string) (*Config, error) {
		return Load(fstest.MapFS{"wrangler.toml": &fstest.MapFile{Data: []byte(text)}})
	}
	c, err := load(`
wasm_modules = { X = "x.wasm" }
text_blobs = { Y = "y.txt" }
[alias]
"pkg" = "./shim.js"
[define]
VERSION = '"1.0"'
[[rules]]
type = "Text"
globs = ["**/*.md", "**/*.tpl"]
fallthrough = true
[[rules]]
type = "PythonModule"
globs = ["**/*.py"]
`)
	if err != nil {
		t.Fatal(err)
	}
	if want := []Rule{{"Text", []string{"**/*.md", "**/*.tpl"}}}; !reflect.DeepEqual(c.Rules, want) {
		t.Errorf("Rules = %v", c.Rules)
	}
	if c.Alias["pkg"] != "./shim.js" || c.Define["VERSION"] != `"1.0"` {
		t.Errorf("Alias = %v, Define = %v", c.Alias, c.Define)
	}
	if got, want := strings.Join(c.Ignored, "|"), "wrangler.toml: rules of type PythonModule|wrangler.toml: text_blobs|wrangler.toml: wasm_modules"; got != want {
		t.Errorf("Ignored = %s", got)
	}
	for text, want := range map[string]string{
		"rules = 1": "want a list", "[[rules]]\ntype = 'Text'": "type and globs are needed", "define = 1": "want an object",
		"[alias]\nx = 1": "alias.x: want a string", "[[rules]]\ntype = 'Text'\nglobs = ['" + strings.Repeat("*a", 60) + "']": "at most 100",
	} {
		if _, err := load(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
