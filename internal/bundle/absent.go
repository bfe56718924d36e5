package bundle

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// The modules "node:…" and "cloudflare:…" that nobody provides. Libraries name them at their
// top and use them in branches that are never taken here, behind a look at the platform.
// So require of one, and an import statement in a package, give a module whose members fail
// when they are called, as many do under nodejs_compat on Workers; require in a try block fails,
// which the code is ready for, and so does import(). Only an import statement in the
// project's own code, which its author can change, is a build error.
const (
	nsMissing  = "missing"  // imported by the project's own code: a build error where it is used
	nsThrowing = "throwing" // fails when it is evaluated
	nsStub     = "stub"     // its members fail when they are called
)

// absence says in which way the missing module spec is missing for who names it. Of a call of
// require only esbuild knows whether it stands in a try block, see [bundler.optional]:
// it is left to esbuild at first, which is what "" means.
func (b *bundler) absence(kind api.ResolveKind, importer, spec string) string {
	switch kind {
	case api.ResolveJSImportStatement:
		if inModules(importer) {
			return nsStub
		}
		return nsMissing
	case api.ResolveJSRequireCall:
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.stubbed[naming{importer, spec}] {
			return nsStub
		}
		return ""
	}
	return nsThrowing
}

// A naming is a specifier in a file.
type naming struct{ importer, spec string }

var unresolved = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^Could not resolve "([^"]+)"$`) })

// stub notes the calls of require that esbuild did not leave alone, and reports whether
// there are new ones.
func (b *bundler) stub(msgs []api.Message) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	more := false
	for _, m := range msgs {
		found := unresolved().FindStringSubmatch(m.Text)
		if m.Location == nil || found == nil || m.Detail != nil {
			continue
		}
		n := naming{projectPath(m.Location.File), found[1]}
		if b.required[n] && !b.stubbed[n] {
			b.stubbed[n] = true
			more = true
		}
	}
	return more
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
