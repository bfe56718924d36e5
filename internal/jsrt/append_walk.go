package jsrt

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// A variable is what the code says about a name within one function. Blocks are
// not told apart: what is gathered here only has to be true of every variable
// of that name together.
type variable struct {
	kinds    kinds
	anything bool // it may be given values that are not in writes
	constant bool // it may be a const
}

// A frame is a function's variables.
type frame struct {
	outer *frame
	vars  map[unistring.String]*variable
}

func (f *frame) lookup(name unistring.String) *variable {
	for ; f != nil; f = f.outer {
		if v := f.vars[name]; v != nil {
			return v
		}
	}
	return nil
}

// mark notes that name may be given values that are not known. As blocks are
// not told apart, it may be a variable of an outer function that is meant.
func (f *frame) mark(name unistring.String) {
	for ; f != nil; f = f.outer {
		if v := f.vars[name]; v != nil {
			v.anything = true
		}
	}
}

// primitive reports whether name is only given primitive values that are no symbols.
func (f *frame) primitive(name unistring.String) bool {
	found := false
	for ; f != nil; f = f.outer {
		if v := f.vars[name]; v != nil {
			if v.anything {
				return false
			}
			found = true
		}
	}
	return found
}

// A write gives a variable or a property a value.
type write struct {
	in     *frame
	target ast.Expression // *ast.Identifier, or one with a property name
	value  ast.Expression // nil if it is not known
	number bool           // it is used as a number; nothing is written
}

// A site is an expression that may be appending.
type site struct {
	in     *frame
	assign *ast.AssignExpression // s += x or s = s + x
	call   *ast.CallExpression   // list.reduce((s, x) => s + x)
}

// A survey walks over a module once and notes writes, and sites outside of with statements.
type survey struct {
	in     *frame
	with   int
	eval   bool // the code calls eval by that name
	writes []write
	sites  []site
	loops  []loop
}

func surveyOf(module *ast.FunctionLiteral) *survey {
	s := &survey{}
	s.function(nil, module.ParameterList, module.Body)
	return s
}

func (s *survey) declare(name unistring.String) *variable {
	v := s.in.vars[name]
	if v == nil {
		v = &variable{}
		s.in.vars[name] = v
	}
	return v
}

// bind declares what a declaration or parameter binds. The value is nil if it
// is not known.
func (s *survey) bind(target ast.Expression, value ast.Expression) {
	switch t := target.(type) {
	case *ast.Identifier:
		v := s.declare(t.Name)
		if value == nil {
			v.anything = true
		} else {
			s.hint(t, value)
		}
	case *ast.AssignExpression: // an element with a default
		s.bind(t.Left, nil)
		s.hint(t.Left, t.Right)
		s.expr(t.Right)
	case *ast.ArrayPattern:
		for _, e := range t.Elements {
			s.bind(e, nil)
		}
		s.bind(t.Rest, nil)
	case *ast.ObjectPattern:
		for _, p := range t.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				s.bind(&p.Name, nil)
				s.hint(&p.Name, p.Initializer)
				s.expr(p.Initializer)
			case *ast.PropertyKeyed:
				s.expr(p.Key)
				s.bind(p.Value, nil)
			}
		}
		s.bind(t.Rest, nil)
	}
}

// hint notes a value that target may have.
func (s *survey) hint(target, value ast.Expression) {
	if value != nil {
		s.writes = append(s.writes, write{in: s.in, target: target, value: value})
	}
}

// number notes that e is used as a number.
func (s *survey) number(e ast.Expression) {
	switch e.(type) {
	case *ast.Identifier, *ast.DotExpression, *ast.PrivateDotExpression:
		s.writes = append(s.writes, write{in: s.in, target: e, number: true})
	}
}

func (s *survey) bindings(list []*ast.Binding, unknown bool) {
	for _, b := range list {
		switch {
		case unknown: // a parameter
			s.bind(b.Target, nil)
			s.hint(b.Target, b.Initializer)
		case b.Initializer == nil:
			if id, ok := b.Target.(*ast.Identifier); ok {
				s.declare(id.Name) // undefined until it is written
			}
		default:
			s.bind(b.Target, patternValue(b))
		}
		s.expr(b.Initializer)
	}
}

// patternValue is the initialiser if it becomes the value of a single name.
func patternValue(b *ast.Binding) ast.Expression {
	if _, ok := b.Target.(*ast.Identifier); ok {
		return b.Initializer
	}
	return nil
}

func (s *survey) function(name *ast.Identifier, params *ast.ParameterList, body ast.Node) {
	s.in = &frame{outer: s.in, vars: map[unistring.String]*variable{}}
	if name != nil {
		s.bind(name, nil)
	}
	if params != nil {
		s.bindings(params.List, true)
		s.bind(params.Rest, nil)
	}
	switch b := body.(type) {
	case *ast.BlockStatement:
		s.stmts(b.List)
	case *ast.ExpressionBody:
		s.expr(b.Expression)
	}
	s.in = s.in.outer
}

func (s *survey) stmts(list []ast.Statement) {
	for _, st := range list {
		s.stmt(st)
	}
}

func (s *survey) stmt(n ast.Statement) {
	switch n := n.(type) {
	case *ast.BlockStatement:
		if n != nil {
			s.stmts(n.List)
		}
	case *ast.ExpressionStatement:
		s.expr(n.Expression)
	case *ast.VariableStatement:
		s.bindings(n.List, false)
	case *ast.LexicalDeclaration:
		s.lexical(n)
	case *ast.FunctionDeclaration:
		if n.Function.Name != nil {
			s.bind(n.Function.Name, nil)
		}
		s.expr(n.Function)
	case *ast.ClassDeclaration:
		s.expr(n.Class)
	case *ast.ReturnStatement:
		s.expr(n.Argument)
	case *ast.ThrowStatement:
		s.expr(n.Argument)
	case *ast.IfStatement:
		s.expr(n.Test)
		s.stmt(n.Consequent)
		s.stmt(n.Alternate)
	case *ast.ForStatement:
		if s.with == 0 {
			s.loops = append(s.loops, loop{in: s.in, n: n})
		}
		s.forInit(n.Initializer)
		s.expr(n.Test)
		s.expr(n.Update)
		s.stmt(n.Body)
	case *ast.ForInStatement:
		s.forInto(n.Into, &ast.TemplateLiteral{}) // a key is a string
		s.expr(n.Source)
		s.stmt(n.Body)
	case *ast.ForOfStatement:
		s.forInto(n.Into, nil)
		s.expr(n.Source)
		s.stmt(n.Body)
	case *ast.WhileStatement:
		s.expr(n.Test)
		s.stmt(n.Body)
	case *ast.DoWhileStatement:
		s.stmt(n.Body)
		s.expr(n.Test)
	case *ast.LabelledStatement:
		s.stmt(n.Statement)
	case *ast.SwitchStatement:
		s.expr(n.Discriminant)
		for _, c := range n.Body {
			s.expr(c.Test)
			s.stmts(c.Consequent)
		}
	case *ast.TryStatement:
		s.stmt(n.Body)
		if n.Catch != nil {
			if n.Catch.Parameter != nil {
				s.bind(n.Catch.Parameter, nil)
			}
			s.stmt(n.Catch.Body)
		}
		s.stmt(n.Finally)
	case *ast.WithStatement:
		s.expr(n.Object)
		s.with++
		s.stmt(n.Body)
		s.with--
	}
}

func (s *survey) lexical(n *ast.LexicalDeclaration) {
	s.bindings(n.List, false)
	for _, b := range n.List {
		if id, ok := b.Target.(*ast.Identifier); ok && n.Token == token.CONST {
			s.declare(id.Name).constant = true
		}
	}
}

func (s *survey) forInit(n ast.ForLoopInitializer) {
	switch n := n.(type) {
	case *ast.ForLoopInitializerExpression:
		s.expr(n.Expression)
	case *ast.ForLoopInitializerVarDeclList:
		s.bindings(n.List, false)
	case *ast.ForLoopInitializerLexicalDecl:
		s.lexical(&n.LexicalDeclaration)
	}
}

func (s *survey) forInto(n ast.ForInto, value ast.Expression) {
	switch n := n.(type) {
	case *ast.ForIntoVar:
		s.bind(n.Binding.Target, value)
	case *ast.ForDeclaration:
		s.bind(n.Target, value)
	case *ast.ForIntoExpression:
		s.assigned(n.Expression)
		s.expr(n.Expression)
	}
}

// assigned notes that the targets of a destructuring assignment, or of a loop, get values that are not known.
func (s *survey) assigned(target ast.Expression) {
	switch t := target.(type) {
	case *ast.Identifier:
		s.writes = append(s.writes, write{in: s.in, target: t})
	case *ast.AssignExpression:
		s.assigned(t.Left)
	case *ast.ArrayPattern:
		for _, e := range t.Elements {
			s.assigned(e)
		}
		s.assigned(t.Rest)
	case *ast.ObjectPattern:
		for _, p := range t.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				s.assigned(&p.Name)
			case *ast.PropertyKeyed:
				s.assigned(p.Value)
			}
		}
		s.assigned(t.Rest)
	}
}
