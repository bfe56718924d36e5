package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMapCommentsReadNothing names a source map of the machine in a comment,
// as esbuild would follow it.
func TestMapCommentsReadNothing(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	file := filepath.Join(dir, "x.map")
	if err := os.WriteFile(file, []byte(`{"version":3,"sources":["CANARY.ts"],"names":[],"mappings":"AAAA"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	url := "file://" + filepath.ToSlash(file)
	for _, end := range []string{
		"\n//# sourceMappingURL=" + url, "\n//# sourceMappingURL=" + url + "\n", "\n//@ sourceMappingURL=" + url,
		"\n/*# sourceMappingURL=" + url + " */", " //# sourceMappingURL=" + url, "\n//# sourceMappingURL=file://localhost" + filepath.ToSlash(file),
		"\n//# sourceMappingURL=x.map", "\n//# sourceMappingURL=" + url + "\nlet y = (a) => a",
		"\n//# sourceMappingURL=data:application/json,{\"version\":3,\"sources\":[\"CANARY.ts\"],\"names\":[],\"mappings\":\"AAAA\"}",
	} {
		for _, name := range []string{"functions.js", "functions.ts", "functions.tsx"} {
			src := "export default () => console.log(1)" + end
			out, err := Functions(t.Context(), tree(map[string]string{name: src}), name, nil)
			if err != nil {
				t.Fatalf("%s%q: %v", name, end, err)
			}
			if strings.Contains(string(out.Map), "CANARY") {
				t.Errorf("%s%q: the map holds %s", name, end, out.Map)
			}
			mod, err := Module(name, []byte(src), &ModuleOptions{Map: ExternalMap})
			if err != nil {
				t.Fatalf("Module %s%q: %v", name, end, err)
			}
			if strings.Contains(string(mod.Map), "CANARY") {
				t.Errorf("Module %s%q: the map holds %s", name, end, mod.Map)
			}
		}
	}
}

func TestMapCommentInAString(t *testing.T) {
	out := mustBuild(t, map[string]string{"functions.js": "export default (u) => '//# sourceMappingURL=' + u"})
	if !strings.Contains(string(out.Code), `"//# sourceMappingURL=" + u`) {
		t.Errorf("%s", out.Code)
	}
}

// TestWorkingDirectoryDoesNotMatter builds where the program's own folder has
// configuration for bundlers.
func TestWorkingDirectoryDoesNotMatter(t *testing.T) {
	files := map[string]string{"functions.js": "import {a} from './a.js'; export default () => <p>{a}</p>", "a.js": "export const a = 1; globalThis.kept = 1",
		"node_modules/react/jsx-runtime.js": "export const jsx = 1"}
	want := mustBuild(t, files)
	dir := t.TempDir()
	for name, text := range map[string]string{"package.json": `{"sideEffects":false,"type":"module","browser":{"./a.js":false}`, "tsconfig.json": `{"compilerOptions":{"jsx":"preserve","target":"es5"`, "functions.js": "CANARY"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	got := mustBuild(t, files)
	if got.Hash != want.Hash || string(got.Map) != string(want.Map) || len(got.Warnings) != 0 {
		t.Errorf("the bundle differs: %v\n%s", got.Warnings, got.Code)
	}
}
