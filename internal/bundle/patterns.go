package bundle

import (
	"bytes"
	"regexp"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// esbuild resolves import("./" + name + ".js") and require of the same form
// itself: it lists folders of the machine, asks no plugin, and follows "../".
// So source that holds such a pattern must not reach it.

var (
	mayCall = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bimport\s*[(./]|require|\\u`) })
	call    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(?:import(?:\s*\.\s*[a-z]+)?|require)\s*(?:\?\.)?\s*\(`)
	})
)

// withoutPatterns returns src if nothing in it is a pattern. In a package,
// which the author of an app cannot change, require of a pattern is made a
// call that esbuild leaves alone and that fails at run time; packages guard it.
func withoutPatterns(name string, src []byte, loader api.Loader) ([]byte, error) {
	if !mayCall().Match(src) || !hasPattern(src, loader) {
		return src, nil
	}
	if inModules(name) {
		if edited := hideRequires(src); !hasPattern(edited, loader) {
			return edited, nil
		}
	}
	d := Diagnostic{File: name, Text: runtimeName, Hint: runtimeNameHint}
	for _, m := range call().FindAllIndex(src, -1) {
		if isPattern(src[m[1]:]) {
			start := bytes.LastIndexByte(src[:m[0]], '\n') + 1
			line, _, _ := bytes.Cut(src[start:], []byte("\n"))
			d.Line, d.Column, d.LineText = 1+bytes.Count(src[:start], []byte("\n")), column(string(line), m[0]-start), clip(string(line), 400)
			break
		}
	}
	return nil, &Error{[]Diagnostic{d}}
}

// hasPattern looks at the source as esbuild prints it: there escapes, comments
// and needless brackets are gone, and constants of enums are in place.
func hasPattern(src []byte, loader api.Loader) bool {
	r := api.Transform(string(src), api.TransformOptions{
		Loader: loader, Target: api.ESNext, LegalComments: api.LegalCommentsNone, JSX: api.JSXPreserve,
		LogLevel: api.LogLevelSilent, TsconfigRaw: "{}", Charset: api.CharsetUTF8,
	})
	// Source that does not parse is not resolved either.
	for _, m := range call().FindAllIndex(r.Code, -1) {
		if isPattern(r.Code[m[1]:]) {
			return true
		}
	}
	return false
}

func hideRequires(src []byte) []byte {
	var out []byte
	done := 0
	for _, m := range call().FindAllIndex(src, -1) {
		if bytes.HasPrefix(src[m[0]:], []byte("require")) && isPattern(src[m[1]:]) {
			out = append(out, src[done:m[0]]...)
			out = append(out, "(0,require)("...)
			done = m[1]
		}
	}
	return append(out, src[done:]...)
}

// isPattern reports whether the argument that args begins with is more than a
// literal and holds a string that begins with a dot. It may say yes too often:
// the pattern's pieces are not put together.
func isPattern(args []byte) bool {
	depth, strings, others, dotted := 0, 0, 0, false
	for i := 0; i < len(args); i++ {
		switch c := args[i]; c {
		case '"', '\'', '`':
			strings++
			dotted = dotted || i+1 < len(args) && args[i+1] == '.'
			for i++; i < len(args) && args[i] != c; i++ {
				if args[i] == '\\' {
					i++
				} else if c == '`' && args[i] == '$' && i+1 < len(args) && args[i+1] == '{' {
					others++
					i++
					if holdsDot(args[i+1:]) {
						dotted = true
					}
				}
			}
		case '/':
			if i+1 < len(args) && args[i+1] == '*' {
				if end := bytes.Index(args[i:], []byte("*/")); end > 0 {
					i += end + 1
					continue
				}
			}
			if i+1 < len(args) && args[i+1] == '/' {
				if end := bytes.IndexByte(args[i:], '\n'); end > 0 {
					i += end
					continue
				}
			}
			others++
		case '(', '[', '{':
			depth++
			others++
		case ')', ']', '}':
			if depth == 0 {
				return dotted && (strings > 1 || others > 0)
			}
			depth--
		case ',':
			if depth == 0 { // attributes follow
				return dotted && (strings > 1 || others > 0)
			}
		case ' ', '\t', '\n', '\r':
		default:
			others++
		}
	}
	return dotted
}

// holdsDot reports whether a substitution of a template may be a constant
// that begins with a dot.
func holdsDot(substitution []byte) bool {
	end := bytes.IndexByte(substitution, '}')
	if end < 0 {
		end = len(substitution)
	}
	s := substitution[:end]
	return bytes.Contains(s, []byte(`".`)) || bytes.Contains(s, []byte(`'.`)) || bytes.Contains(s, []byte("`."))
}
