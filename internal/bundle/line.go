package bundle

import (
	"bytes"
	"errors"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// ErrUnfinished is the error of [Line] for source that more could make right: a bracket, a template or a comment
// is open at its end.
var ErrUnfinished = errors.New("bundle: the source is not finished")

// Line strips the types of src, what somebody has typed at a prompt, and lowers what the runtime
// cannot parse. Code is statements that may await; imports stay as they are. Source that is wrong gives an [*Error].
func Line(name string, src []byte) (*Output, error) {
	if err := checkBrackets(name, src, maxNesting); err != nil {
		return nil, err
	}
	var first *Error
	src = bytes.TrimRight(src, "\r\n")
	for _, loader := range []api.Loader{api.LoaderTS, api.LoaderJS} { // some JavaScript is no TypeScript: (a<b, c>(d))
		r := transformLine(name, string(withoutMap(src)), loader)
		switch {
		case len(r.Errors) == 0 && len(r.Code) > MaxOutput:
			return nil, failure(name, "The code is too large", "")
		case len(r.Errors) == 0:
			return &Output{Code: r.Code, Map: r.Map, Inputs: []string{name}, Needs: needsOf(r.Code)}, nil
		case unfinished(r.Errors), openTemplate(r.Errors) && moves(r.Errors, transformLine(name, string(src)+"\n", loader).Errors):
			return nil, ErrUnfinished
		case first == nil:
			first = &Error{diagnostics(r.Errors)}
		}
	}
	return nil, first
}

// unfinished reports whether the first thing that is wrong is that the source ends.
func unfinished(msgs []api.Message) bool {
	text := msgs[0].Text
	return strings.Contains(text, "end of file") || strings.HasPrefix(text, "Unterminated template") || strings.HasPrefix(text, `Expected "*/"`)
}

// openTemplate reports whether a literal is not closed: a string, or a template, in which more lines may come.
func openTemplate(msgs []api.Message) bool {
	return strings.HasPrefix(msgs[0].Text, "Unterminated string")
}

// moves reports whether one line more moves the first error, as it does in a template.
func moves(before, after []api.Message) bool {
	return len(after) > 0 && before[0].Location != nil && after[0].Location != nil && before[0].Location.Line != after[0].Location.Line
}

func transformLine(name, src string, loader api.Loader) api.TransformResult {
	return api.Transform(src, api.TransformOptions{
		Loader: loader, Sourcefile: name, Target: api.ES2022, Supported: lowered(api.FormatESModule), Charset: api.CharsetUTF8,
		LegalComments: api.LegalCommentsNone, LogLevel: api.LogLevelSilent, LogLimit: maxDiagnostics,
		Sourcemap: api.SourceMapExternal, SourcesContent: api.SourcesContentExclude,
		TsconfigRaw: `{"compilerOptions":{"verbatimModuleSyntax":true,"useDefineForClassFields":true}}`,
	})
}
