package jscheck

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"

	"samkit.dev/internal/bundle"
	"samkit.dev/internal/jsrt"
)

// Limits of a script.
const (
	MaxSource   = 256 << 10 // bytes
	MaxNesting  = 500       // brackets open at one place
	maxProblems = 100       // that are reported
)

// Options says how to read a script. Nil is the zero Options.
type Options struct {
	Name       string   // in stack traces; "" means "script"
	JavaScript bool     // the source has no types; otherwise it is TypeScript
	Globals    []string // allowed beside [Allowed]
	While      bool     // while, do…while and for without a bound are allowed
}

// A Program is a script that has no problems. It is immutable and may be run by many runtimes at once.
type Program struct {
	// Program is the script as a guarded module, see [jsrt.CompileGuarded], that sets
	// module.exports to an async function without parameters.
	*jsrt.Program

	Code  []byte // the JavaScript that was compiled
	Map   []byte // its source map, in which the script begins on line 2
	Needs string // what of ECMAScript to complete before [Harden], see [bundle.Output]

	text *text
}

// Original turns a position that goja reports for the program, in a stack trace for example, into
// the one in the source, both from 1. ok is false for what the compiler added.
func (p *Program) Original(line, column int) (l, c int, ok bool) {
	return p.text.original(p.Unpatch(line, column))
}

// Check reads the script src. It returns the program, or why there is none, in the order of the source.
func Check(src []byte, opts *Options) (*Program, []Problem) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Name == "" {
		o.Name = "script"
	}
	if len(src) > MaxSource {
		return nil, []Problem{{Category: Size, Line: 1, Column: 1, Text: fmt.Sprintf("The script has %d bytes, more than %d", len(src), MaxSource)}}
	}
	if !utf8.Valid(src) {
		return nil, []Problem{{Category: Syntax, Line: 1, Column: 1, Text: "The script is not UTF-8"}}
	}
	out, err := bundle.Script(o.Name, src, &bundle.ScriptOptions{JavaScript: o.JavaScript, Brackets: MaxNesting})
	if err != nil {
		return nil, notParsed(err)
	}
	t := newText(out)
	program, problems := t.compile(&o)
	if len(problems) > 0 {
		slices.SortStableFunc(problems, comparePlaces)
		problems = slices.Compact(problems)
		return nil, problems[:min(len(problems), maxProblems)]
	}
	return &Program{program, out.Code, out.Map, out.Needs, t}, nil
}

// notParsed has the problems of source that esbuild refuses.
func notParsed(err error) []Problem {
	var wrong *bundle.Error
	if !errors.As(err, &wrong) {
		return []Problem{{Category: Syntax, Line: 1, Column: 1, Text: err.Error()}}
	}
	var list []Problem
	for _, d := range wrong.Diagnostics {
		p := Problem{Category: Syntax, Text: d.Text, Line: max(d.Line, 1), Column: max(d.Column, 1)}
		if s := strings.TrimLeft(d.LineText, " \t"); strings.HasPrefix(s, "import ") || strings.HasPrefix(s, "export ") {
			p.Category, p.Instead = Modules, "a script is the body of a function: it imports and exports nothing"
		}
		list = append(list, p)
	}
	slices.SortStableFunc(list, comparePlaces)
	return list
}

// compile compiles the code, or says why it must not be run.
func (t *text) compile(o *Options) (*jsrt.Program, []Problem) {
	im := newImports(t)
	for {
		c := newChecker(t, o)
		program, err := jsrt.CompileLooked(o.Name, im.code, func(module *ast.FunctionLiteral, at func(file.Idx) (int, int)) error {
			c.at = at
			c.module(module)
			if len(c.problems)+len(im.problems) > 0 {
				return errFound
			}
			return nil
		})
		var wrong *jsrt.SyntaxError
		switch {
		case err == nil:
			return program, nil
		case errors.Is(err, errFound):
			return nil, append(im.without(c.problems), im.problems...)
		case !errors.As(err, &wrong):
			return nil, []Problem{{Category: Syntax, Text: err.Error(), Line: 1, Column: 1}}
		case !im.take(wrong):
			return nil, append(im.problems, t.problem(Problem{Category: Syntax, Text: wrong.Text}, wrong.Line, wrong.Column))
		}
	}
}

var errFound = errors.New("jscheck: the script has problems")
