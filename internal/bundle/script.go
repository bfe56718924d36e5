package bundle

import (
	"bytes"
	"fmt"

	"github.com/evanw/esbuild/pkg/api"
)

// ScriptOptions says how to make a script. Nil is the zero ScriptOptions.
type ScriptOptions struct {
	JavaScript bool // the source has no types; otherwise it is TypeScript
	Brackets   int  // that may be open at one place; zero means what protects the stack
}

// The source of a script stands between these, so that it may return and await. Its first line
// is the second.
const (
	scriptHead = directive + "module.exports=async function(){\n"
	scriptTail = "\n};\n"
)

// Script strips the types of src, the body of an async function, and lowers what
// the runtime cannot parse. Code is the body of a CommonJS function, in strict mode: statements
// that declare esbuild's helpers, if any, and an assignment of the async function to
// module.exports. Whether src is one function body is for who parses Code to see: "}; f(); {" is
// no error here. Comments, import() and import.meta stay as they are, or go.
//
// Map knows src from its line 2 on; [Error] counts from line 1. The map that a
// comment in src may name is not read.
func Script(name string, src []byte, opts *ScriptOptions) (*Output, error) {
	var o ScriptOptions
	if opts != nil {
		o = *opts
	}
	if len(src) > MaxFile {
		return nil, failure(name, fmt.Sprintf("The script has %d bytes, more than %d", len(src), MaxFile), "")
	}
	if o.Brackets <= 0 {
		o.Brackets = maxNesting
	}
	if err := checkBrackets(name, src, o.Brackets); err != nil {
		return nil, err
	}
	loader := api.LoaderTS
	if o.JavaScript {
		loader = api.LoaderJS
	}
	var text bytes.Buffer
	text.Grow(len(scriptHead) + len(src) + len(scriptTail))
	text.WriteString(scriptHead)
	text.Write(src)
	text.WriteString(scriptTail)
	r := api.Transform(string(withoutMap(text.Bytes())), api.TransformOptions{
		Loader: loader, Sourcefile: name, Target: api.ES2022, Supported: scriptLowered, Charset: api.CharsetUTF8,
		LegalComments: api.LegalCommentsNone, LogLevel: api.LogLevelSilent, LogLimit: maxDiagnostics,
		Sourcemap: api.SourceMapExternal, SourcesContent: api.SourcesContentExclude,
		TsconfigRaw: `{"compilerOptions":{"verbatimModuleSyntax":true,"useDefineForClassFields":true}}`,
	})
	if len(r.Errors) > 0 {
		e := &Error{diagnostics(r.Errors)}
		last := 1 + bytes.Count(src, []byte("\n"))
		for i := range e.Diagnostics {
			d := &e.Diagnostics[i]
			d.Line = max(d.Line-1, 1)
			if d.Line > last { // in the tail: something in src is not closed
				d.Line, d.Column, d.LineText = last, column(string(src[bytes.LastIndexByte(src, '\n')+1:]), len(src)), ""
			}
		}
		return nil, e
	}
	if len(r.Code) > MaxOutput {
		return nil, failure(name, fmt.Sprintf("The script becomes %d bytes, more than %d", len(r.Code), MaxOutput), "")
	}
	return &Output{Code: r.Code, Map: r.Map, Inputs: []string{name}, Needs: needsOf(r.Code)}, nil
}

// scriptLowered is lowered without what a script must not have: whoever looks for it has to find it.
var scriptLowered = func() map[string]bool {
	m := lowered(api.FormatCommonJS)
	m["dynamic-import"], m["import-meta"] = true, true
	return m
}()
