package main

import (
	"maps"
	"testing"
)

func TestParseEnv(t *testing.T) {
	got := parseEnv("# a comment\nA=1\r\nexport B = two words # gone\nC=\"x # y\\nz\" # gone\nD='a\\nb'\nKEY=\"-----BEGIN\nab=c\n-----END\"\nE=\nF=a=b==\nno line\n G=`x'y\"z`\nH=\"open\nI=last")
	want := map[string]string{"A": "1", "B": "two words", "C": "x # y\nz", "D": `a\nb`, "KEY": "-----BEGIN\nab=c\n-----END", "E": "", "F": "a=b==", "G": "x'y\"z", "H": `"open`, "I": "last"}
	if !maps.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestDevVars(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "wrangler.toml", "main = 'w.js'\n[vars]\nTOKEN = 'public'\nMODE = 'toml'\n",
		".dev.vars", "TOKEN=\"s3cret\"\nGIVEN=file\nbad-name=1\n",
		"w.js", "export default { fetch: (req, env) => Response.json([env.TOKEN, env.GIVEN, env.MODE]) }")
	p := start(t, "-secret", "GIVEN=flag", dir)
	p.want("", 200, `["s3cret","flag","toml"]`)
	p.says("secrets of .dev.vars: GIVEN, TOKEN")
	p.says("bad-name is passed over")

	static := t.TempDir()
	write(t, static, "index.html", "page", ".dev.vars", "TOKEN=s3cret\n", "wrangler.toml", "assets = '.'\n")
	p = start(t, static)
	p.want("", 200, "page")
	p.want(".dev.vars", 404, "")
}
