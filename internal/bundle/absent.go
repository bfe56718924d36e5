package bundle

import (
	"fmt"
	"path"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// The modules "node:…" and "cloudflare:…" that nobody provides. Libraries name them in
// branches that are never taken here, behind a look at the platform. So
// require and import() of one fail when they run, and an import statement in a package gives
// members that fail when they are called, as under nodejs_compat on Workers. Only
// an import statement in the project's own code, which its author can change,
// is a build error.
const (
	nsMissing  = "missing"  // imported by the project's own code: a build error where it is used
	nsThrowing = "throwing" // fails when it is evaluated
	nsStub     = "stub"     // its members fail when they are called
)

// absence says in which way a missing module is missing for who names it.
func absence(kind api.ResolveKind, importer string) string {
	switch {
	case kind != api.ResolveJSImportStatement:
		return nsThrowing
	case inModules(importer):
		return nsStub
	}
	return nsMissing
}

// absentModule is the source that stands for a missing module. It is CommonJS, so that
// any name can be imported from it.
func absentModule(namespace, spec string) string {
	if namespace != nsStub {
		return fmt.Sprintf(`module.exports = {}; throw Object.assign(new Error(%q), {code: "MODULE_NOT_FOUND"});`, "No such module: "+spec)
	}
	return fmt.Sprintf(`const members = Object.create(null);
module.exports = new Proxy({}, { get(_, name) {
  if (typeof name === "symbol" || name === "__esModule" || name === "then") return undefined;
  if (name === "default") return module.exports;
  return members[name] ??= function () { throw new Error(%q + "." + name + " is not available in functions"); };
} });`, spec)
}

// dataModule is the source of a module whose default export is the bytes of a file as an
// ArrayBuffer, as Workers have it.
func dataModule(name string) string {
	return fmt.Sprintf(`import bytes from %q with { type: "bytes" }; export default /* @__PURE__ */ ((b) => b.buffer)(bytes);`, "./"+path.Base(name))
}

func isPlatform(spec string) bool {
	return strings.HasPrefix(spec, "node:") || strings.HasPrefix(spec, "cloudflare:")
}
