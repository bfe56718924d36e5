package bundle

import (
	"bytes"
	_ "embed"
	"fmt"
	"regexp"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// A Worker of the old form exports nothing and calls addEventListener("fetch", …), and its
// bindings are globals. It is bundled behind an entry that makes handlers of its listeners.

//go:embed listeners/runtime.js
var listenersRuntime string

const (
	listenersModule = "samkit:listeners"
	listenersEntry  = "samkit:listeners-entry"
)

func listenersEntrySource(entry string) string {
	return fmt.Sprintf("import { handlers } from %q;\nimport %q;\nexport default handlers();\n", listenersModule, "./"+entry)
}

var exporting = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^export (?:default|\*|const|let|var|class|function|async|\{\s*[\w$"])|\bexports\b`)
})

// listens reports whether the entry, of which code was made, is a Worker of the old form.
func (b *bundler) listens(code []byte) bool {
	if !bytes.Contains(code, []byte("addEventListener")) {
		return false
	}
	src, err := b.load(b.entry)
	if err != nil {
		return false
	}
	loader, err := loaderOf(b.entry, "")
	if err != nil || !isCode(loader) || loader == api.LoaderJSON {
		return false
	}
	// As esbuild prints it: types and comments are gone, and an export begins a line.
	r := api.Transform(string(withoutMap(src)), api.TransformOptions{
		Loader: loader, Target: api.ESNext, LegalComments: api.LegalCommentsNone, JSX: api.JSXPreserve,
		LogLevel: api.LogLevelSilent, TsconfigRaw: "{}",
	})
	return len(r.Errors) == 0 && !exporting().Match(r.Code)
}
