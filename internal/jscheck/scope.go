package jscheck

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// A scope has the names that a function, block, or the like binds.
type scope struct {
	outer *scope
	names map[unistring.String]*binding // nil until there is one
}

// A binding is what a name stands for, and what is known of its values.
type binding struct {
	values  []value
	folding bool     // it is being folded
	folded  bool     // and has been
	texts   []string // that it may be
}

// A value is an expression that a binding may get, in its scope.
type value struct {
	e  ast.Expression
	in *scope
}

func (s *scope) declare(name unistring.String) *binding {
	if b := s.names[name]; b != nil {
		return b
	}
	if s.names == nil {
		s.names = map[unistring.String]*binding{}
	}
	b := &binding{}
	s.names[name] = b
	return b
}

func (s *scope) find(name unistring.String) *binding {
	for ; s != nil; s = s.outer {
		if b := s.names[name]; b != nil {
			return b
		}
	}
	return nil
}

// pattern declares the names of a target.
func (s *scope) pattern(target ast.Expression) {
	switch t := target.(type) {
	case *ast.Identifier:
		s.declare(t.Name)
	case *ast.AssignExpression: // with a default
		s.pattern(t.Left)
	case *ast.ArrayPattern:
		for _, e := range t.Elements {
			s.pattern(e)
		}
		s.pattern(t.Rest)
	case *ast.ObjectPattern:
		for _, p := range t.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				s.declare(p.Name.Name)
			case *ast.PropertyKeyed:
				s.pattern(p.Value)
			}
		}
		s.pattern(t.Rest)
	}
}

// vars declares what var does in a function.
func (s *scope) vars(list []*ast.VariableDeclaration) {
	for _, d := range list {
		for _, b := range d.List {
			s.pattern(b.Target)
		}
	}
}

// lexical declares what the statements of a block do, except with var.
func (s *scope) lexical(list []ast.Statement) {
	for _, st := range list {
		switch n := st.(type) {
		case *ast.LexicalDeclaration:
			for _, b := range n.List {
				s.pattern(b.Target)
			}
		case *ast.ClassDeclaration:
			s.declare(n.Class.Name.Name)
		case *ast.FunctionDeclaration:
			s.declare(n.Function.Name.Name)
		}
	}
}

// gives notes that a target may get the value of e. A part of a pattern gets a part of it.
func (s *scope) gives(target, e ast.Expression) {
	if e == nil {
		return
	}
	switch t := target.(type) {
	case *ast.Identifier:
		if b := s.find(t.Name); b != nil {
			b.values = append(b.values, value{e, s})
		}
	case *ast.AssignExpression:
		s.gives(t.Left, e)
		s.gives(t.Left, t.Right)
	case *ast.ArrayPattern:
		for i, part := range t.Elements {
			if part != nil {
				s.gives(part, &ast.BracketExpression{Left: e, Member: &ast.NumberLiteral{Value: int64(i)}})
			}
		}
	case *ast.ObjectPattern:
		for _, p := range t.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				s.gives(&p.Name, &ast.DotExpression{Left: e, Identifier: p.Name})
				s.gives(&p.Name, p.Initializer)
			case *ast.PropertyKeyed:
				s.gives(p.Value, &ast.BracketExpression{Left: e, Member: p.Key})
			}
		}
	}
}

// assigned notes what an assignment does to its target.
func (s *scope) assigned(n *ast.AssignExpression) {
	switch n.Operator {
	case token.ASSIGN, token.LOGICAL_AND, token.LOGICAL_OR, token.COALESCE:
		s.gives(n.Left, n.Right)
	case token.PLUS:
		s.gives(n.Left, &ast.BinaryExpression{Operator: token.PLUS, Left: n.Left, Right: n.Right})
	}
}
