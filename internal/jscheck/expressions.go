package jscheck

import (
	"fmt"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/unistring"
)

func (c *checker) exprs(list []ast.Expression, s *scope) {
	for _, e := range list {
		c.expr(e, s)
	}
}

func (c *checker) expr(n ast.Expression, s *scope) {
	switch n := n.(type) {
	case nil, *ast.BooleanLiteral, *ast.NullLiteral, *ast.NumberLiteral, *ast.StringLiteral, *ast.RegExpLiteral, *ast.PrivateIdentifier, // of #x in o
		*ast.ThisExpression, *ast.SuperExpression, *ast.MetaProperty: // of these there is only new.target
	case *ast.Identifier:
		c.name(n.Name, n.Idx, s)
	case *ast.DotExpression:
		c.expr(n.Left, s)
		c.member(n.Identifier.Name, n.Identifier.Idx)
	case *ast.PrivateDotExpression:
		c.expr(n.Left, s)
	case *ast.BracketExpression:
		c.expr(n.Left, s)
		c.key(n.Member, s, "")
		c.expr(n.Member, s)
	case *ast.OptionalChain:
		c.expr(n.Expression, s)
	case *ast.Optional:
		c.expr(n.Expression, s)
	case *ast.SpreadElement:
		c.expr(n.Expression, s)
	case *ast.CallExpression:
		c.expr(n.Callee, s)
		c.exprs(n.ArgumentList, s)
	case *ast.NewExpression:
		c.expr(n.Callee, s)
		c.exprs(n.ArgumentList, s)
	case *ast.AssignExpression:
		s.assigned(n)
		c.target(n.Left, s)
		c.expr(n.Right, s)
	case *ast.BinaryExpression:
		c.expr(n.Left, s)
		c.expr(n.Right, s)
	case *ast.UnaryExpression:
		c.expr(n.Operand, s)
	case *ast.ConditionalExpression:
		c.expr(n.Test, s)
		c.expr(n.Consequent, s)
		c.expr(n.Alternate, s)
	case *ast.SequenceExpression:
		c.exprs(n.Sequence, s)
	case *ast.AwaitExpression:
		c.expr(n.Argument, s)
	case *ast.YieldExpression:
		c.expr(n.Argument, s)
	case *ast.TemplateLiteral:
		c.expr(n.Tag, s)
		c.exprs(n.Expressions, s)
	case *ast.ArrayLiteral:
		c.exprs(n.Value, s)
	case *ast.ObjectLiteral:
		c.object(n, s)
	case *ast.ArrayPattern, *ast.ObjectPattern:
		c.target(n, s)
	case *ast.FunctionLiteral:
		c.function(n.Name, n.ParameterList, n.DeclarationList, n.Body, s, true)
	case *ast.ArrowFunctionLiteral:
		c.function(nil, n.ParameterList, n.DeclarationList, n.Body, s, false)
	case *ast.ClassLiteral:
		c.class(n, s)
	default:
		c.add(Problem{Category: Syntax, Text: fmt.Sprintf("scripts cannot have this expression (%T)", n)}, n.Idx0())
	}
}

// name judges a name that is used.
func (c *checker) name(name unistring.String, at file.Idx, s *scope) {
	if s.find(name) != nil {
		return
	}
	text := name.String()
	if allowed[text] || c.globals[text] {
		return
	}
	category, known := blocked[text]
	if !known {
		category = Unknown
	}
	c.add(Problem{Category: category, Name: text}, at)
}

func (c *checker) loop(name string, at file.Idx) {
	if !c.opts.While {
		c.add(Problem{Category: Loops, Name: name}, at)
	}
}

func (c *checker) member(name unistring.String, at file.Idx) {
	if text := string(name); internals(text) {
		c.add(Problem{Category: Internal, Name: "." + text}, at)
	}
}

// Where a key stands that names no access.
const (
	inObject = "{…}"
	inClass  = "class {…}"
)

// key judges a key in brackets, at once if it is a plain string.
func (c *checker) key(e ast.Expression, s *scope, where string) {
	switch n := e.(type) {
	case *ast.NumberLiteral:
	case *ast.StringLiteral:
		if !internals(string(n.Value)) {
			return
		}
		c.keys = append(c.keys, key{value{e, s}, where})
	default:
		c.keys = append(c.keys, key{value{e, s}, where})
	}
}

func (c *checker) object(n *ast.ObjectLiteral, s *scope) {
	for _, p := range n.Value {
		switch p := p.(type) {
		case *ast.PropertyShort:
			c.protoKey(p.Name.Name, p.Name.Idx)
			c.expr(&p.Name, s)
			c.expr(p.Initializer, s)
		case *ast.PropertyKeyed:
			c.literalKey(p.Key, p.Computed, s, inObject)
			c.expr(p.Value, s)
		case *ast.SpreadElement:
			c.expr(p.Expression, s)
		}
	}
}

// literalKey judges a key of an object or class. One that is not computed may be constructor.
func (c *checker) literalKey(k ast.Expression, computed bool, s *scope, where string) {
	if computed {
		c.key(k, s, where)
		c.expr(k, s)
		return
	}
	switch n := k.(type) {
	case *ast.StringLiteral:
		c.protoKey(n.Value, n.Idx)
	case *ast.Identifier:
		c.protoKey(n.Name, n.Idx)
	}
}

func (c *checker) protoKey(name unistring.String, at file.Idx) {
	if name == "__proto__" {
		c.add(Problem{Category: Internal, Name: "__proto__:"}, at)
	}
}

// target judges what is bound or assigned to. What a pattern takes out of a value is access.
func (c *checker) target(t ast.Expression, s *scope) {
	switch n := t.(type) {
	case nil:
	case *ast.AssignExpression: // with a default
		c.target(n.Left, s)
		c.expr(n.Right, s)
	case *ast.ArrayPattern:
		for _, e := range n.Elements {
			c.target(e, s)
		}
		c.target(n.Rest, s)
	case *ast.ObjectPattern:
		c.taken(n.Properties, s)
		c.target(n.Rest, s)
	case *ast.ArrayLiteral: // goja makes patterns of them; in case that it once does not
		for _, e := range n.Value {
			c.target(e, s)
		}
	case *ast.ObjectLiteral:
		c.taken(n.Value, s)
	case *ast.SpreadElement:
		c.target(n.Expression, s)
	default:
		c.expr(t, s)
	}
}

func (c *checker) taken(list []ast.Property, s *scope) {
	for _, p := range list {
		switch p := p.(type) {
		case *ast.PropertyShort:
			c.member(p.Name.Name, p.Name.Idx)
			c.name(p.Name.Name, p.Name.Idx, s)
			c.expr(p.Initializer, s)
		case *ast.PropertyKeyed:
			switch k := p.Key.(type) {
			case *ast.StringLiteral:
				c.member(k.Value, k.Idx)
			case *ast.Identifier:
				if !p.Computed {
					c.member(k.Name, k.Idx)
				}
			}
			if _, plain := p.Key.(*ast.StringLiteral); p.Computed && !plain {
				c.key(p.Key, s, "")
				c.expr(p.Key, s)
			}
			c.target(p.Value, s)
		case *ast.SpreadElement:
			c.target(p.Expression, s)
		}
	}
}

// function checks a function. Its parameters are a scope around that of its body, whose
// variables their defaults do not see.
func (c *checker) function(name *ast.Identifier, params *ast.ParameterList, vars []*ast.VariableDeclaration, body ast.Node, outer *scope, arguments bool) {
	s := &scope{outer: outer}
	if name != nil { // of an expression: it sees itself
		s.declare(name.Name)
		s = &scope{outer: s}
	}
	if arguments {
		s.declare("arguments")
	}
	if params != nil {
		for _, b := range params.List {
			s.pattern(b.Target)
		}
		s.pattern(params.Rest)
		c.bindings(params.List, s)
		c.target(params.Rest, s)
	}
	switch b := body.(type) {
	case *ast.BlockStatement:
		inner := &scope{outer: s}
		inner.vars(vars)
		inner.lexical(b.List)
		c.statements(b.List, inner)
	case *ast.ExpressionBody:
		c.expr(b.Expression, s)
	}
}

func (c *checker) class(n *ast.ClassLiteral, outer *scope) {
	s := &scope{outer: outer}
	if n.Name != nil {
		s.declare(n.Name.Name)
	}
	c.expr(n.SuperClass, s)
	for _, e := range n.Body {
		switch e := e.(type) {
		case *ast.FieldDefinition:
			c.literalKey(e.Key, e.Computed, s, inClass)
			c.expr(e.Initializer, s)
		case *ast.MethodDefinition:
			c.literalKey(e.Key, e.Computed, s, inClass)
			c.expr(e.Body, s)
		case *ast.ClassStaticBlock:
			c.function(nil, nil, e.DeclarationList, e.Block, s, false)
		}
	}
}
