package jsrt

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// A Line is what somebody has typed at a prompt, compiled. Running it gives the function of [Program],
// which sets module.exports to an async function that runs the line and returns an array with the value
// of the expression statement that ran last, or undefined.
type Line struct {
	*Program
	Names []LineName // that the line declares, each once

	returns file.Idx // where a return statement stands outside of functions, or 0
}

// A LineName is a name of a session. A line assigns it as a global variable, so that later lines
// see it; whoever runs the line declares it before, and makes it constant afterwards.
type LineName struct {
	Name  string
	Const bool
	Keep  bool // of a var, which leaves what is there
}

// SealMember is the member of module in which a line looks for the function that it calls with names of its constants, in
// one string each, when they have their values.
const SealMember = "%seal"

// takeSeal is a statement before the line's function, whose code may do to module what it likes: const %seal = module["%seal"].
func takeSeal(at file.Idx) ast.Statement {
	return &ast.LexicalDeclaration{Idx: at, Token: token.CONST, List: []*ast.Binding{{
		Target:      &ast.Identifier{Name: SealMember, Idx: at},
		Initializer: &ast.DotExpression{Left: &ast.Identifier{Name: "module", Idx: at}, Identifier: ast.Identifier{Name: SealMember, Idx: at}},
	}}}
}

// sealing calls it.
func sealing(names []unistring.String, at file.Idx) ast.Expression {
	call := &ast.CallExpression{Callee: &ast.Identifier{Name: SealMember, Idx: at}, LeftParenthesis: at, RightParenthesis: at}
	for _, n := range names {
		call.ArgumentList = append(call.ArgumentList, &ast.StringLiteral{Idx: at, Value: n})
	}
	return call
}

// CompileLine compiles a line, or several, of JavaScript as [Compile] does, but in sloppy mode, in which
// an assignment makes a variable, and with await outside of functions. Line numbers are those of the code
// plus one.
//
// What a line declares lives on after it, and may be declared again, with var, let, const, function and
// class alike: declarations become assignments of globals. They do so in the tree, so that places stay
// what they are.
func CompileLine(name string, code []byte, guard bool) (*Line, error) {
	l := &Line{}
	text := append(append([]byte(lineHead), code...), lineTail...)
	p, err := compileModule(name, text, guard, func(module *ast.FunctionLiteral, at func(file.Idx) (int, int)) error {
		fn := lineFunction(module)
		if fn == nil {
			return &SyntaxError{Line: 2, Column: 1, Text: "Unexpected closing bracket"}
		}
		l.rewrite(fn)
		module.Body.List = append([]ast.Statement{takeSeal(module.Body.LeftBrace)}, module.Body.List...)
		if l.returns > 0 {
			line, col := at(l.returns)
			return &SyntaxError{Line: line, Column: col, Text: "Illegal return statement"}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	l.Program = p
	return l, nil
}

const (
	lineHead = "module.exports=async function(){\n"
	lineTail = "\n}"
)

// lineFunction returns the function of lineHead, or nil if the code got out of it.
func lineFunction(module *ast.FunctionLiteral) *ast.FunctionLiteral {
	if len(module.Body.List) != 1 {
		return nil
	}
	e, ok := module.Body.List[0].(*ast.ExpressionStatement)
	if !ok {
		return nil
	}
	a, ok := e.Expression.(*ast.AssignExpression)
	if !ok {
		return nil
	}
	fn, _ := a.Right.(*ast.FunctionLiteral)
	return fn
}

// valueName is the variable that has the value of the line, a name that no source can spell.
const valueName unistring.String = "%value"

func (l *Line) rewrite(fn *ast.FunctionLiteral) {
	at := fn.Body.LeftBrace
	value := func() *ast.Identifier { return &ast.Identifier{Name: valueName, Idx: at} }
	body := []ast.Statement{&ast.LexicalDeclaration{Idx: at, Token: token.LET, List: []*ast.Binding{{Target: value(), Initializer: undefinedAt(at)}}}}
	var rest []ast.Statement
	for _, st := range fn.Body.List {
		switch n := st.(type) {
		case *ast.FunctionDeclaration: // before all else, as they are hoisted; without a name of its own it calls what has the name then
			f := n.Function
			id := f.Name
			l.note(id.Name, false, false)
			f.Name = nil
			body = append(body, assign(id, f))
		case *ast.ClassDeclaration:
			l.note(n.Class.Name.Name, false, false)
			rest = append(rest, assign(&ast.Identifier{Name: n.Class.Name.Name, Idx: n.Class.Name.Idx}, n.Class))
		case *ast.LexicalDeclaration:
			rest = append(rest, l.lexical(n)...)
		default:
			rest = append(rest, l.statement(st))
		}
	}
	body = append(body, rest...)
	fn.Body.List = append(body, &ast.ReturnStatement{Return: fn.Body.RightBrace, Argument: &ast.ArrayLiteral{LeftBracket: at, RightBracket: at, Value: []ast.Expression{value()}}})
	fn.DeclarationList = nil // of var, which are globals now
}

// lexical returns what stands in the place of let and const. What a constant's part of the declaration binds is sealed
// before the next part: what follows in the line cannot assign to it either.
func (l *Line) lexical(n *ast.LexicalDeclaration) (list []ast.Statement) {
	for _, b := range n.List {
		list = append(list, &ast.ExpressionStatement{Expression: assignments([]*ast.Binding{b}, true)})
		var names []unistring.String
		bind(b.Target, func(name unistring.String) {
			l.note(name, n.Token == token.CONST, false)
			names = append(names, name)
		})
		if n.Token == token.CONST && len(names) > 0 {
			list = append(list, &ast.ExpressionStatement{Expression: sealing(names, b.Target.Idx0())})
		}
	}
	return list
}

// statement returns what stands in the place of a statement: values are kept, and var is no
// declaration any more.
func (l *Line) statement(st ast.Statement) ast.Statement {
	switch n := st.(type) {
	case *ast.ExpressionStatement:
		n.Expression = &ast.AssignExpression{Operator: token.ASSIGN, Left: &ast.Identifier{Name: valueName, Idx: n.Idx0()}, Right: n.Expression}
	case *ast.VariableStatement:
		l.vars(n.List)
		if e := assignments(n.List, false); e != nil {
			return &ast.ExpressionStatement{Expression: e}
		}
		return &ast.EmptyStatement{Semicolon: n.Var}
	case *ast.BlockStatement:
		l.block(n)
	case *ast.IfStatement:
		n.Consequent = l.statement(n.Consequent)
		if n.Alternate != nil {
			n.Alternate = l.statement(n.Alternate)
		}
	case *ast.ForStatement:
		if v, ok := n.Initializer.(*ast.ForLoopInitializerVarDeclList); ok {
			l.vars(v.List)
			n.Initializer = nil
			if e := assignments(v.List, false); e != nil {
				n.Initializer = &ast.ForLoopInitializerExpression{Expression: e}
			}
		}
		n.Body = l.statement(n.Body)
	case *ast.ForInStatement:
		n.Into, n.Body = l.into(n.Into), l.statement(n.Body)
	case *ast.ForOfStatement:
		n.Into, n.Body = l.into(n.Into), l.statement(n.Body)
	case *ast.WhileStatement:
		n.Body = l.statement(n.Body)
	case *ast.DoWhileStatement:
		n.Body = l.statement(n.Body)
	case *ast.WithStatement:
		n.Body = l.statement(n.Body)
	case *ast.LabelledStatement:
		n.Statement = l.statement(n.Statement)
	case *ast.TryStatement:
		l.block(n.Body)
		if n.Catch != nil {
			l.block(n.Catch.Body)
		}
		if n.Finally != nil {
			l.block(n.Finally)
		}
	case *ast.ReturnStatement:
		l.returns = n.Return
	case *ast.SwitchStatement:
		for _, c := range n.Body {
			l.list(c.Consequent)
		}
	}
	return st
}

func (l *Line) block(b *ast.BlockStatement) { l.list(b.List) }

func (l *Line) list(list []ast.Statement) {
	for i, st := range list {
		list[i] = l.statement(st)
	}
}

func (l *Line) into(into ast.ForInto) ast.ForInto {
	v, ok := into.(*ast.ForIntoVar)
	if !ok {
		return into
	}
	l.vars([]*ast.Binding{v.Binding})
	return &ast.ForIntoExpression{Expression: v.Binding.Target}
}

func (l *Line) vars(list []*ast.Binding) {
	for _, b := range list {
		bind(b.Target, func(name unistring.String) { l.note(name, false, true) })
	}
}

// bind yields the names that a target binds.
func bind(e ast.Expression, yield func(unistring.String)) {
	switch n := e.(type) {
	case *ast.Identifier:
		yield(n.Name)
	case *ast.AssignExpression:
		bind(n.Left, yield)
	case *ast.ArrayPattern:
		for _, x := range n.Elements {
			bind(x, yield)
		}
		bind(n.Rest, yield)
	case *ast.ObjectPattern:
		for _, p := range n.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				yield(p.Name.Name)
			case *ast.PropertyKeyed:
				bind(p.Value, yield)
			}
		}
		bind(n.Rest, yield)
	}
}

func (l *Line) note(name unistring.String, constant, keep bool) {
	s := name.String()
	for i := range l.Names {
		if l.Names[i].Name == s {
			l.Names[i].Const = l.Names[i].Const || constant
			return
		}
	}
	l.Names = append(l.Names, LineName{s, constant, keep})
}

func assign(to ast.Expression, value ast.Expression) ast.Statement {
	return &ast.ExpressionStatement{Expression: &ast.AssignExpression{Operator: token.ASSIGN, Left: to, Right: value}}
}

// assignments is what bindings do, as one expression, or nil. With all those that have no value become undefined.
func assignments(list []*ast.Binding, all bool) ast.Expression {
	var s []ast.Expression
	for _, b := range list {
		value := b.Initializer
		if value == nil {
			if !all {
				continue
			}
			value = undefinedAt(b.Target.Idx0())
		}
		s = append(s, &ast.AssignExpression{Operator: token.ASSIGN, Left: b.Target, Right: value})
	}
	switch len(s) {
	case 0:
		return nil
	case 1:
		return s[0]
	}
	return &ast.SequenceExpression{Sequence: s}
}

// undefinedAt is void 0.
func undefinedAt(at file.Idx) ast.Expression {
	return &ast.UnaryExpression{Operator: token.VOID, Idx: at, Operand: &ast.NumberLiteral{Idx: at, Literal: "0", Value: int64(0)}}
}
