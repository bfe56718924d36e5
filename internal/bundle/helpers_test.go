package bundle

import (
	"bytes"
	"testing"
	"testing/fstest"
)

// TestLeanHelpers is of esbuild's helpers: if it has changed them, the lines of leanLines have to follow.
func TestLeanHelpers(t *testing.T) {
	files := fstest.MapFS{
		"functions.js": {Data: []byte("import a, { b } from './b.cjs'; export const more = 1; export default { fetch() { return Response.json({ a, b }) } }")},
		"b.cjs":        {Data: []byte("module.exports = { b: 5 }")},
	}
	out, err := Functions(t.Context(), files, "functions.js", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range leanLines {
		if !bytes.Contains(out.Code, []byte(l.to)) {
			t.Errorf("the bundle lacks %q:\n%s", l.to, out.Code)
		}
		if bytes.Count([]byte(l.from), []byte("\n")) != bytes.Count([]byte(l.to), []byte("\n")) {
			t.Errorf("%q moves lines", l.to)
		}
	}
}
