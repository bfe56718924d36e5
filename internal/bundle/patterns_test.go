package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPatternsReadNothing tries to make esbuild list the machine's folders.
func TestPatternsReadNothing(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"canary.js", "canary.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(`{"canary":1}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	up := "./" + strings.Repeat("../", 20) + strings.TrimPrefix(filepath.ToSlash(dir), "/") + "/"
	for _, src := range []string{
		`import("./" + x)`, `import('./' + x + '.js')`, "import(`./${x}.js`)", `import("./ca" + x)`,
		`require("./" + x)`, "require(`./${x}`)", `require?.("./" + x)`, `module.require("./" + x)`,
		`import(/* c */ ("./") + x)`, "import(// c\n'./' + x)", `import ( "\x2e/" + x)`, `import("." + "/" + x)`, `import("" + "./" + x)`,
		"import(`${'.'}/${x}`)", "import(`${\".\"}/${x}`)", "import(`.${'/'}${x}`)", "import(`${`.`}/${x}`)",
		`import(x ? "./" + x : "./a")`, `import(x ? "a" : x ? "./" + x : 1)`, `import((0, "./") + x)`,
		`\u0072equire("./" + x)`, `r\u{65}quire("./" + x)`, `require(("./" + x))`, `import("./" + (x, y))`,
		`import("` + up + `" + x)`, "import(`../${x}`)", `import("./" + x, {with: {type: "json"}})`,
		`import.defer("./" + x)`, `import.source("./" + x)`, `import("./".concat(x))`, `import(E.A + x)`, "import(`${E.A}${x}`)",
	} {
		files := map[string]string{"functions.ts": "enum E { A = './' }\nexport default (x) =>\n" + src + "\n", "a.js": ""}
		out, err := Functions(t.Context(), tree(files), "functions.ts", nil)
		text := ""
		if err != nil {
			for _, d := range err.(*Error).Diagnostics {
				text += d.String() + "\n"
			}
		} else {
			text = string(out.Code)
		}
		if strings.Contains(text, "canary") || strings.Contains(text, "outside the project") || strings.Contains(text, "glob") {
			t.Errorf("%s:\n%s", src, text)
		}
	}
}

func TestPatternsOfPackages(t *testing.T) {
	out := mustBuild(t, map[string]string{
		"functions.js":            "import m from 'm'; export default m",
		"node_modules/m/index.js": "module.exports = (name) => { try { return require('./locale/' + name) } catch { return 'FALLBACK' } }",
	})
	if code := string(out.Code); !strings.Contains(code, "FALLBACK") || strings.Contains(code, "glob") {
		t.Errorf("%s", code)
	}
}

func TestLiteralsAreNoPatterns(t *testing.T) {
	mustBuild(t, map[string]string{
		"functions.js": "export default () => [import('./a.js'), import(/* c */ \"./a.js\"), import(`./a.js`), require('./a.js'), import('./b.json', {with: {type: 'json'}})," +
			" 'import(x)'.length, document.require?.(1)]",
		"a.js": "export default 1", "b.json": "{}",
	})
}
