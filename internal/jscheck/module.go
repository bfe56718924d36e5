package jscheck

import (
	"strconv"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

// A checker walks over the tree of a script.
type checker struct {
	text     *text
	opts     *Options
	at       func(file.Idx) (line, column int)
	globals  map[string]bool // of Options
	problems []Problem
	keys     []key
}

// A key is what a member is named by, to be judged when all assignments are known.
type key struct {
	value
	where string // "" if it is access, inObject or inClass
}

func newChecker(t *text, o *Options) *checker {
	c := &checker{text: t, opts: o}
	for _, name := range o.Globals {
		if c.globals == nil {
			c.globals = map[string]bool{}
		}
		c.globals[name] = true
	}
	return c
}

// add notes a problem. What comes after the first few hundred is not looked up.
func (c *checker) add(p Problem, i file.Idx) {
	if len(c.problems) >= 4*maxProblems {
		return
	}
	line, column := c.at(i)
	c.problems = append(c.problems, c.text.problem(p, line, column))
}

// module checks what esbuild made of a script: helpers, and the script's function.
func (c *checker) module(m *ast.FunctionLiteral) {
	helpers, fn := c.parts(m.Body.List)
	if fn == nil {
		c.add(Problem{Category: Syntax, Text: "Unexpected closing bracket: the script is the body of a function"}, closing(m))
		return
	}
	top := &scope{}
	for _, h := range helpers {
		for _, b := range h.List {
			top.pattern(b.Target)
		}
	}
	c.function(nil, fn.ParameterList, fn.DeclarationList, fn.Body, top, true)
	f := &folder{}
	for _, k := range c.keys {
		for _, text := range f.texts(k.e, k.in, 0) {
			if internals(text) && (k.where != inObject || text == "__proto__") {
				c.add(Problem{Category: Internal, Name: "[" + strconv.Quote(text) + "]"}, k.e.Idx0())
			}
		}
	}
}

// parts splits a module as esbuild writes it. That statements are helpers is known by where they
// stand: on lines before the script's function that come from nowhere in its source. What a script
// may smuggle out of its function comes after it, and then there is no fn.
func (c *checker) parts(list []ast.Statement) (helpers []*ast.VariableStatement, fn *ast.FunctionLiteral) {
	if len(list) < 2 || !isStrict(list[0]) {
		return nil, nil
	}
	for _, st := range list[1 : len(list)-1] {
		h, ok := st.(*ast.VariableStatement)
		if !ok || !c.fromNowhere(h) {
			return nil, nil
		}
		helpers = append(helpers, h)
	}
	return helpers, scriptFunction(list[len(list)-1])
}

func isStrict(st ast.Statement) bool {
	e, ok := st.(*ast.ExpressionStatement)
	if !ok {
		return false
	}
	s, ok := e.Expression.(*ast.StringLiteral)
	return ok && s.Value == "use strict"
}

// scriptFunction returns the function of module.exports = async function() { … }, or nil.
func scriptFunction(st ast.Statement) *ast.FunctionLiteral {
	e, ok := st.(*ast.ExpressionStatement)
	if !ok {
		return nil
	}
	assign, ok := e.Expression.(*ast.AssignExpression)
	if !ok {
		return nil
	}
	to, ok := assign.Left.(*ast.DotExpression)
	if !ok || to.Identifier.Name != "exports" {
		return nil
	}
	fn, ok := assign.Right.(*ast.FunctionLiteral)
	if !ok || !fn.Async || fn.Generator || fn.Name != nil || len(fn.ParameterList.List) > 0 || fn.ParameterList.Rest != nil {
		return nil
	}
	return fn
}

// fromNowhere reports whether no line of a statement comes from the source.
func (c *checker) fromNowhere(st ast.Node) bool {
	first, _ := c.at(st.Idx0())
	last, _ := c.at(st.Idx1())
	for line := first; line <= last; line++ {
		if c.text.origin().HasLine(line) {
			return false
		}
	}
	return true
}

// closing finds the bracket that ends the script's function too early.
func closing(m *ast.FunctionLiteral) file.Idx {
	for _, st := range m.Body.List {
		if e, ok := st.(*ast.ExpressionStatement); ok {
			if fn := first(e.Expression); fn != nil {
				return fn.Body.RightBrace
			}
		}
	}
	return m.Body.LeftBrace + 1
}

// first returns the function of module.exports = async function() { … } whatever follows it.
func first(e ast.Expression) *ast.FunctionLiteral {
	for {
		switch n := e.(type) {
		case *ast.FunctionLiteral:
			return n
		case *ast.AssignExpression:
			e = n.Right
		case *ast.SequenceExpression:
			e = n.Sequence[0]
		case *ast.BinaryExpression:
			e = n.Left
		case *ast.ConditionalExpression:
			e = n.Test
		case *ast.CallExpression:
			e = n.Callee
		case *ast.DotExpression:
			e = n.Left
		case *ast.BracketExpression:
			e = n.Left
		case *ast.OptionalChain:
			e = n.Expression
		case *ast.Optional:
			e = n.Expression
		case *ast.TemplateLiteral:
			e = n.Tag
		default:
			return nil
		}
	}
}
