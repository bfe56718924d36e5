package bundle

import (
	"path"
	"strings"
)

// In a package of "type": "module", the default import of a CommonJS module is all that
// it exports, as in Node; elsewhere it is exports.default where __esModule says so.
// esbuild tells by the package.json, which it does not read for us, or by the extension
// .mjs. So the files of such packages have a mark for a name, which no name of a
// project can end with.
const esmMark = ":.mjs"

// marked returns a file's path as esbuild is to know it.
func (b *bundler) marked(name string) string {
	switch path.Ext(name) {
	case ".js", ".jsx", ".ts", ".tsx":
		if p := b.scope(path.Dir(name)); p != nil && p.Type == "module" {
			return name + esmMark
		}
	}
	return name
}

func unmarked(name string) string { return strings.TrimSuffix(name, esmMark) }
