package bundle

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// esbuild keeps an await outside of functions in ES modules only. So code that has one is built
// once more, as a module, and the module is made the body of an async function.

// awaits reports whether a build failed because code awaits outside of functions.
func awaits(r api.BuildResult) bool {
	for _, m := range r.Errors {
		if strings.HasPrefix(m.Text, topAwait) {
			return true
		}
	}
	return false
}

// topAwait begins esbuild's message on an await that the output format has no place for.
const topAwait = "Top-level await is not available"

// exported is how esbuild ends a module that exports: with names, or with the value of a
// CommonJS module.
var exported = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)\nexport (?:\{\n([^{}]*)\n\}|default (require_[^;\n]*\(\)));\n$`)
})

// asyncBody makes an ES module of esbuild's the body of a CommonJS function that returns a promise.
// Lines stay where they are.
func asyncBody(code []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(code, []byte(directive+"\n"))
	if !ok {
		return nil, fmt.Errorf("bundle: esbuild's module begins with %q", clip(string(code), 40))
	}
	var out bytes.Buffer
	out.WriteString(directive + asyncHead + "\n")
	m := exported().FindSubmatchIndex(code)
	if m == nil {
		out.Write(rest)
		out.WriteString("})();\n")
		return out.Bytes(), nil
	}
	out.Write(code[len(directive)+1 : m[0]+1])
	if m[2] < 0 {
		fmt.Fprintf(&out, "module.exports = { default: %s };\n})();\n", code[m[4]:m[5]])
		return out.Bytes(), nil
	}
	out.WriteString("module.exports = {\n")
	for line := range strings.SplitSeq(string(code[m[2]:m[3]]), "\n") {
		local, name, renamed := strings.Cut(strings.TrimSuffix(strings.TrimSpace(line), ","), " as ")
		if !renamed {
			name = local
		}
		fmt.Fprintf(&out, "  get %s() { return %s; },\n", name, local)
	}
	out.WriteString("};\n})();\n")
	return out.Bytes(), nil
}

// asyncHead follows the directive of an async body.
const asyncHead = "return(async()=>{"
