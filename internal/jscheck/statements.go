package jscheck

import (
	"fmt"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

func (c *checker) statements(list []ast.Statement, s *scope) {
	for _, st := range list {
		c.statement(st, s)
	}
}

// block is a scope of its own.
func (c *checker) block(n *ast.BlockStatement, outer *scope) {
	if n == nil {
		return
	}
	s := &scope{outer: outer}
	s.lexical(n.List)
	c.statements(n.List, s)
}

func (c *checker) statement(n ast.Statement, s *scope) {
	switch n := n.(type) {
	case nil, *ast.EmptyStatement, *ast.BranchStatement, *ast.DebuggerStatement:
	case *ast.BlockStatement:
		c.block(n, s)
	case *ast.ExpressionStatement:
		c.expr(n.Expression, s)
	case *ast.VariableStatement:
		c.bindings(n.List, s)
	case *ast.LexicalDeclaration:
		c.bindings(n.List, s)
	case *ast.FunctionDeclaration:
		f := n.Function
		c.function(nil, f.ParameterList, f.DeclarationList, f.Body, s, true)
	case *ast.ClassDeclaration:
		c.class(n.Class, s)
	case *ast.ReturnStatement:
		c.expr(n.Argument, s)
	case *ast.ThrowStatement:
		c.expr(n.Argument, s)
	case *ast.IfStatement:
		c.expr(n.Test, s)
		c.statement(n.Consequent, s)
		c.statement(n.Alternate, s)
	case *ast.ForStatement:
		c.forLoop(n, &scope{outer: s})
	case *ast.ForInStatement:
		c.forEach(n.Into, nil, n.Source, n.Body, &scope{outer: s})
	case *ast.ForOfStatement:
		c.forEach(n.Into, n.Source, n.Source, n.Body, &scope{outer: s})
	case *ast.WhileStatement:
		c.loop("while", n.While)
		c.expr(n.Test, s)
		c.statement(n.Body, s)
	case *ast.DoWhileStatement:
		c.loop("do…while", n.Do)
		c.statement(n.Body, s)
		c.expr(n.Test, s)
	case *ast.LabelledStatement:
		c.statement(n.Statement, s)
	case *ast.SwitchStatement:
		c.switches(n, s)
	case *ast.TryStatement:
		c.block(n.Body, s)
		c.catch(n.Catch, s)
		c.block(n.Finally, s)
	default: // with is a syntax error in strict mode
		c.add(Problem{Category: Syntax, Text: fmt.Sprintf("scripts cannot have this statement (%T)", n)}, n.Idx0())
	}
}

func (c *checker) bindings(list []*ast.Binding, s *scope) {
	for _, b := range list {
		s.gives(b.Target, b.Initializer)
		c.target(b.Target, s)
		c.expr(b.Initializer, s)
	}
}

func (c *checker) switches(n *ast.SwitchStatement, outer *scope) {
	c.expr(n.Discriminant, outer)
	s := &scope{outer: outer}
	for _, cs := range n.Body {
		s.lexical(cs.Consequent)
	}
	for _, cs := range n.Body {
		c.expr(cs.Test, s)
		c.statements(cs.Consequent, s)
	}
}

func (c *checker) catch(n *ast.CatchStatement, outer *scope) {
	if n == nil {
		return
	}
	s := &scope{outer: outer}
	if n.Parameter != nil {
		s.pattern(n.Parameter)
		c.target(n.Parameter, s)
	}
	c.block(n.Body, s)
}

func (c *checker) forLoop(n *ast.ForStatement, s *scope) {
	if n.Test == nil || truthy(n.Test) {
		c.loop("for without a bound", n.For)
	}
	switch init := n.Initializer.(type) {
	case *ast.ForLoopInitializerExpression:
		c.expr(init.Expression, s)
	case *ast.ForLoopInitializerVarDeclList:
		c.bindings(init.List, s)
	case *ast.ForLoopInitializerLexicalDecl:
		for _, b := range init.LexicalDeclaration.List {
			s.pattern(b.Target)
		}
		c.bindings(init.LexicalDeclaration.List, s)
	}
	c.expr(n.Test, s)
	c.expr(n.Update, s)
	c.statement(n.Body, s)
}

// forEach is for…in or for…of. The elements of a list that is written out are known.
func (c *checker) forEach(into ast.ForInto, list, source ast.Expression, body ast.Statement, s *scope) {
	var target ast.Expression
	switch into := into.(type) {
	case *ast.ForIntoVar:
		target = into.Binding.Target
		c.expr(into.Binding.Initializer, s)
	case *ast.ForDeclaration:
		target = into.Target
		s.pattern(target)
	case *ast.ForIntoExpression:
		target = into.Expression
	}
	if array, ok := list.(*ast.ArrayLiteral); ok {
		for _, e := range array.Value[:min(len(array.Value), maxTexts)] {
			s.gives(target, e)
		}
	}
	c.target(target, s)
	c.expr(source, s)
	c.statement(body, s)
}

// truthy reports whether a condition can only hold.
func truthy(e ast.Expression) bool {
	switch n := e.(type) {
	case *ast.BooleanLiteral:
		return n.Value
	case *ast.NumberLiteral:
		return n.Value != int64(0) && n.Value != float64(0)
	case *ast.StringLiteral:
		return n.Value != ""
	case *ast.UnaryExpression:
		return n.Operator == token.NOT && falsy(n.Operand)
	case *ast.BinaryExpression:
		return n.Operator == token.LOGICAL_OR && (truthy(n.Left) || truthy(n.Right)) || n.Operator == token.LOGICAL_AND && truthy(n.Left) && truthy(n.Right)
	case *ast.SequenceExpression:
		return truthy(n.Sequence[len(n.Sequence)-1])
	case *ast.ObjectLiteral, *ast.ArrayLiteral, *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.ClassLiteral, *ast.RegExpLiteral:
		return true
	}
	return false
}

// falsy reports whether a condition can never hold.
func falsy(e ast.Expression) bool {
	switch n := e.(type) {
	case *ast.BooleanLiteral:
		return !n.Value
	case *ast.NumberLiteral:
		return n.Value == int64(0) || n.Value == float64(0)
	case *ast.StringLiteral:
		return n.Value == ""
	case *ast.NullLiteral:
		return true
	case *ast.UnaryExpression:
		return n.Operator == token.VOID || n.Operator == token.NOT && truthy(n.Operand)
	}
	return false
}
