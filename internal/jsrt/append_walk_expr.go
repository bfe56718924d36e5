package jsrt

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

func (s *survey) exprs(list []ast.Expression) {
	for _, e := range list {
		s.expr(e)
	}
}

func (s *survey) expr(n ast.Expression) {
	switch n := n.(type) {
	case *ast.AssignExpression:
		s.assignment(n)
	case *ast.BinaryExpression:
		s.binary(n)
	case *ast.UnaryExpression:
		switch n.Operator {
		case token.INCREMENT, token.DECREMENT, token.MINUS, token.PLUS, token.BITWISE_NOT:
			s.number(n.Operand)
		}
		s.expr(n.Operand)
	case *ast.CallExpression:
		s.call(n)
	case *ast.NewExpression:
		s.expr(n.Callee)
		s.exprs(n.ArgumentList)
	case *ast.DotExpression:
		s.expr(n.Left)
	case *ast.PrivateDotExpression:
		s.expr(n.Left)
	case *ast.BracketExpression:
		s.expr(n.Left)
		s.expr(n.Member)
	case *ast.OptionalChain:
		s.expr(n.Expression)
	case *ast.Optional:
		s.expr(n.Expression)
	case *ast.SpreadElement:
		s.expr(n.Expression)
	case *ast.ConditionalExpression:
		s.expr(n.Test)
		s.expr(n.Consequent)
		s.expr(n.Alternate)
	case *ast.SequenceExpression:
		s.exprs(n.Sequence)
	case *ast.ArrayLiteral:
		s.exprs(n.Value)
	case *ast.ObjectLiteral:
		s.properties(n.Value)
	case *ast.ArrayPattern:
		s.exprs(n.Elements)
		s.expr(n.Rest)
	case *ast.ObjectPattern:
		s.properties(n.Properties)
		s.expr(n.Rest)
	case *ast.TemplateLiteral:
		s.expr(n.Tag)
		s.exprs(n.Expressions)
	case *ast.AwaitExpression:
		s.expr(n.Argument)
	case *ast.YieldExpression:
		s.expr(n.Argument)
	case *ast.FunctionLiteral:
		s.function(n.Name, n.ParameterList, n.Body)
	case *ast.ArrowFunctionLiteral:
		s.function(nil, n.ParameterList, n.Body)
	case *ast.ClassLiteral:
		s.class(n)
	}
}

func (s *survey) properties(list []ast.Property) {
	for _, p := range list {
		switch p := p.(type) {
		case *ast.PropertyShort:
			s.expr(p.Initializer)
		case *ast.PropertyKeyed:
			if p.Kind == ast.PropertyKindValue && !p.Computed {
				s.hint(p.Key, p.Value)
			}
			s.expr(p.Key)
			s.expr(p.Value)
		case *ast.SpreadElement:
			s.expr(p.Expression)
		}
	}
}

func (s *survey) class(n *ast.ClassLiteral) {
	if n.Name != nil {
		s.bind(n.Name, nil)
	}
	s.expr(n.SuperClass)
	for _, e := range n.Body {
		switch e := e.(type) {
		case *ast.FieldDefinition:
			if !e.Computed {
				s.hint(e.Key, e.Initializer)
			}
			s.expr(e.Key)
			s.expr(e.Initializer)
		case *ast.MethodDefinition:
			s.expr(e.Key)
			s.expr(e.Body)
		case *ast.ClassStaticBlock:
			s.function(nil, nil, e.Block)
		}
	}
}

func (s *survey) binary(n *ast.BinaryExpression) {
	switch n.Operator {
	case token.MINUS, token.MULTIPLY, token.SLASH, token.REMAINDER, token.EXPONENT,
		token.AND, token.OR, token.EXCLUSIVE_OR, token.SHIFT_LEFT, token.SHIFT_RIGHT, token.UNSIGNED_SHIFT_RIGHT,
		token.LESS, token.GREATER, token.LESS_OR_EQUAL, token.GREATER_OR_EQUAL:
		s.number(n.Left)
		s.number(n.Right)
	}
	s.expr(n.Left)
	s.expr(n.Right)
}

func (s *survey) assignment(n *ast.AssignExpression) {
	switch n.Operator {
	case token.ASSIGN, token.PLUS:
		if s.with == 0 {
			s.sites = append(s.sites, site{in: s.in, assign: n})
		}
		if p, ok := n.Left.(ast.Pattern); ok {
			s.assigned(p)
		} else {
			s.hint(n.Left, n)
		}
	case token.LOGICAL_AND, token.LOGICAL_OR, token.COALESCE:
		s.hint(n.Left, n.Right)
	default:
		s.number(n.Left)
	}
	s.expr(n.Left)
	s.expr(n.Right)
}

func (s *survey) call(n *ast.CallExpression) {
	switch callee := n.Callee.(type) {
	case *ast.Identifier:
		s.eval = s.eval || callee.Name == "eval"
	case *ast.DotExpression:
		if s.with == 0 && len(n.ArgumentList) > 0 && (callee.Identifier.Name == "reduce" || callee.Identifier.Name == "reduceRight") {
			s.sites = append(s.sites, site{in: s.in, call: n})
		}
	}
	s.expr(n.Callee)
	s.exprs(n.ArgumentList)
}
