package bundle

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"
)

func TestWasm(t *testing.T) {
	one, two := "\x00asm\x01\x00\x00\x00", "\x00asm\x01\x00\x00\x00\x00\x02\x01a"
	fsys := fstest.MapFS{}
	for name, text := range map[string]string{
		"functions.js": `import a from "./lib/one.wasm"; import b from "./two.wasm?module"; import c from "pkg/one.WASM?module"; import unused from "./three.wasm";
			import raw from "./two.wasm" with { type: "bytes" };
			export default { fetch: () => [a, b, c, raw, require("./two.wasm").default] }`,
		"lib/one.wasm": one, "two.wasm": two, "three.wasm": one + "\x00\x02\x01b",
		"node_modules/pkg/package.json": `{"name": "pkg"}`, "node_modules/pkg/one.WASM": one,
	} {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	_, err := Functions(t.Context(), fsys, "functions.js", nil)
	if err == nil || !strings.Contains(err.Error(), "one.WASM?module") {
		t.Fatalf("a suffix in capitals: %v", err)
	}
	fsys["functions.js"].Data = bytes.Replace(fsys["functions.js"].Data, []byte("one.WASM?module"), []byte("one.WASM"), 1)
	out, err := Functions(t.Context(), fsys, "functions.js", nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Wasm) != 2 {
		t.Fatalf("%d modules", len(out.Wasm))
	}
	for _, m := range out.Wasm {
		if b := string(m.Binary); b != one && b != two || !strings.Contains(string(out.Code), `globalThis.__samkit_wasm("`+m.Name+`")`) {
			t.Errorf("%s: %q", m.Name, b)
		}
	}
	again, err := Functions(t.Context(), fsys, "functions.js", nil)
	if err != nil || again.Hash != out.Hash {
		t.Error("built twice, it differs", err)
	}
}
