package jsrt

import (
	"errors"
	"fmt"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
)

// The wrapper stands on the first line, so that lines do not shift. Its third
// parameter is in the syntax tree only, under a name that no source text can
// spell (see rewriteAppends).
const (
	wrapperHead = "(function(module,exports){"
	wrapperTail = "\n})"
)

// A Program is a compiled CommonJS module body. It may be run by many runtimes
// at once.
//
// Running it gives a function of seven parameters: module, exports, the [Appender.Value] of the runtime, those of
// [CompileGuarded] and of ReadsStack, and what [Runtime.LateFields] and [Runtime.Skip] give.
type Program struct {
	*goja.Program
	shifts []shift

	// ReadsStack is true if the function has a fifth parameter, because the code reads properties named stack: a
	// function (o, how) that it calls for them. With how undefined it returns o.stack; with
	// true the same, or undefined if o is undefined or null; with null it returns o, whose stack
	// the code is about to read.
	ReadsStack bool

	// late are the classes whose instances get fields from the function that is the sixth parameter: see [Runtime.LateFields].
	late []lateClass

	// loops are those that a seventh parameter lets step over characters: see [Runtime.Skip].
	loops []codes
}

// A SyntaxError is why code does not compile.
type SyntaxError struct {
	Line   int // from 1
	Column int // from 1, in bytes
	Text   string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("SyntaxError: %s (%d:%d)", e.Text, e.Line, e.Column)
}

// Compile compiles the body of a CommonJS module. The name appears in stack
// traces and nothing else: source maps that the code refers to are not read.
//
// The program means what the code means, with these differences from plain goja: class
// fields may be named get, set and async, and appending to a string
// takes time in proportion to what is appended (see [Appender]). What it reads of stacks goes through
// the runtime (see [Program.ReadsStack]).
//
// The error is a *[SyntaxError], also for code that would overflow the
// compiler's stack.
func Compile(name string, code []byte) (*Program, error) {
	return compileModule(name, code, false, nil)
}

// A Look judges the syntax tree of code before it is compiled. The tree is that of the function
// around the code, as goja parsed it; at turns what its nodes have into the line and column in the code,
// from 1, columns in bytes.
type Look func(module *ast.FunctionLiteral, at func(file.Idx) (line, column int)) error

// CompileLooked is [CompileGuarded] for code that look has to agree to: what it
// has seen is what the program is made of. An error of look is returned as it is.
func CompileLooked(name string, code []byte, look Look) (*Program, error) {
	return compileModule(name, code, true, look)
}

func compileModule(name string, code []byte, guard bool, look Look) (*Program, error) {
	s, err := scanCode(code)
	if err != nil {
		return nil, err
	}
	p := &Program{shifts: shiftsOf(code, s.edits)}
	tree, err := p.parse(name, wrapperHead+applyEdits(code, s.edits)+wrapperTail)
	if err != nil {
		return nil, err
	}
	module := moduleFunction(tree, len(wrapperHead)+len(code)+growth(s.edits)+1)
	if module == nil {
		line, col := lineColumn(code, max(s.stray, 0))
		return nil, &SyntaxError{Line: line, Column: col, Text: "Unexpected closing bracket"}
	}
	if look != nil {
		at := func(i file.Idx) (int, int) {
			place := tree.File.Position(int(i) - tree.File.Base())
			return p.Unpatch(place.Line, place.Column)
		}
		if err := look(module, at); err != nil {
			return nil, err
		}
	}
	if err := p.compile(tree, module, code, guard); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Program) parse(name, src string) (tree *ast.Program, err error) {
	defer p.recovered(&err)
	tree, err = parser.ParseFile(nil, name, src, 0, parser.WithDisableSourceMaps)
	if err != nil {
		return nil, p.syntaxError(err)
	}
	return tree, nil
}

// moduleFunction returns the wrapper's function, or nil if code such as
// "}); f(function(){" got out of it. Its body must end at offset end.
func moduleFunction(tree *ast.Program, end int) *ast.FunctionLiteral {
	if len(tree.Body) != 1 {
		return nil
	}
	s, ok := tree.Body[0].(*ast.ExpressionStatement)
	if !ok {
		return nil
	}
	f, ok := s.Expression.(*ast.FunctionLiteral)
	if !ok || int(f.Body.RightBrace)-1 != end {
		return nil
	}
	return f
}

func (p *Program) compile(tree *ast.Program, module *ast.FunctionLiteral, code []byte, guard bool) (err error) {
	defer p.recovered(&err)
	survey := surveyOf(module)
	rewriteAppends(module, survey, likelyAppend)
	rewriteTargets(module, code)
	if guard {
		rewriteOperators(module, code)
	}
	p.ReadsStack = rewriteStacks(module, code)
	p.late = rewriteFields(module, code)
	p.loops = rewriteLoops(module, survey.loops)
	p.Program, err = goja.CompileAST(tree, false)
	return p.syntaxError(err)
}

// recovered turns a panic of goja's parser or compiler, which would be a defect of theirs, into an error.
func (p *Program) recovered(err *error) {
	if x := recover(); x != nil {
		*err = &SyntaxError{Line: 1, Column: 1, Text: fmt.Sprintf("compiler failed: %v", x)}
	}
}

// syntaxError says in terms of the original code what goja found.
func (p *Program) syntaxError(err error) error {
	if err == nil {
		return nil
	}
	line, col, text := 1, 1, err.Error()
	var list parser.ErrorList
	var compiling *goja.CompilerSyntaxError
	switch {
	case errors.As(err, &list) && len(list) > 0:
		line, col, text = list[0].Position.Line, list[0].Position.Column, list[0].Message
	case errors.As(err, &compiling):
		text = compiling.Message
		if compiling.File != nil {
			at := compiling.File.Position(compiling.Offset)
			line, col = at.Line, at.Column
		}
	}
	line, col = p.Unpatch(line, col)
	return &SyntaxError{Line: line, Column: col, Text: text}
}

// Unpatch turns a position that goja reports for the program, in a stack trace for
// example, into the position in the code that was given to [Compile].
// Lines and columns count from 1, columns in bytes.
func (p *Program) Unpatch(line, col int) (int, int) {
	return unshift(p.shifts, line, col)
}
