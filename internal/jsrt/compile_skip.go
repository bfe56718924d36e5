package jsrt

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// Code that looks for characters, a router in the path of each request for example, says
//
//	for (; i < s.length; i++) {
//		const c = s.charCodeAt(i);
//		if (c === 37) {…} else if (c === 63 || c === 35) break;
//	}
//
// which takes goja some 0.3 µs a character. The steps for other characters do nothing, so the test of such a loop becomes
//
//	(i = skip(s, i, 0)) < s.length
//
// where the function skip returns the next index, from i on, that is not such a step's; i itself if s is no
// string, i no index of it, or String.prototype.charCodeAt not what it was. A character that the
// loop does something for may come at each step: skip then costs a call in vain.

// skipName is the wrapper's seventh parameter, a name that no source text can spell.
const skipName unistring.String = "%skip"

// codes are the UTF-16 units that a loop does something for.
type codes struct {
	ascii [2]uint64
	more  []uint16
}

func (c *codes) has(u uint16) bool {
	if u < 128 {
		return c.ascii[u>>6]&(1<<(u&63)) != 0
	}
	for _, m := range c.more {
		if m == u {
			return true
		}
	}
	return false
}

func (c *codes) add(u uint16) {
	if u < 128 {
		c.ascii[u>>6] |= 1 << (u & 63)
	} else if !c.has(u) {
		c.more = append(c.more, u)
	}
}

// A loop is a for statement, within a function.
type loop struct {
	in *frame
	n  *ast.ForStatement
}

// rewriteLoops changes the tests of such loops. It returns their codes; there is a seventh parameter if there are any.
func rewriteLoops(module *ast.FunctionLiteral, loops []loop) (all []codes) {
	if knownLayout() == nil {
		return nil
	}
	for _, l := range loops {
		test, index, text, ok := scanTest(l.n)
		if !ok {
			continue
		}
		// A global could be a getter.
		if i := l.in.lookup(index.Name); i == nil || i.constant || l.in.lookup(text.Name) == nil {
			continue
		}
		var c codes
		if !c.ofBody(l.n.Body, index.Name, text.Name) {
			continue
		}
		at := test.Left.Idx0()
		name := func(n unistring.String) *ast.Identifier { return &ast.Identifier{Name: n, Idx: at} }
		test.Left = &ast.AssignExpression{Operator: token.ASSIGN, Left: name(index.Name), Right: &ast.CallExpression{
			Callee:          name(skipName),
			ArgumentList:    []ast.Expression{name(text.Name), name(index.Name), number(len(all), at)},
			LeftParenthesis: at, RightParenthesis: at,
		}}
		all = append(all, c)
	}
	if all != nil {
		addParameter(module, 6)
	}
	return all
}

// scanTest takes the head (…; i < s.length; i++) apart.
func scanTest(n *ast.ForStatement) (test *ast.BinaryExpression, index, text *ast.Identifier, ok bool) {
	if test, ok = n.Test.(*ast.BinaryExpression); !ok || test.Operator != token.LESS {
		return nil, nil, nil, false
	}
	index, isName := test.Left.(*ast.Identifier)
	length, isMember := test.Right.(*ast.DotExpression)
	step, isStep := n.Update.(*ast.UnaryExpression)
	if !isName || !isMember || !isStep || length.Identifier.Name != "length" || step.Operator != token.INCREMENT {
		return nil, nil, nil, false
	}
	counter, isName := step.Operand.(*ast.Identifier)
	if !isName || counter.Name != index.Name {
		return nil, nil, nil, false
	}
	text, ok = length.Left.(*ast.Identifier)
	return test, index, text, ok && text.Name != index.Name
}

// ofBody collects the codes for which the body of a loop does something. It returns false if that may be others, too.
func (c *codes) ofBody(body ast.Statement, index, text unistring.String) bool {
	block, ok := body.(*ast.BlockStatement)
	if !ok || len(block.List) != 2 {
		return false
	}
	d, ok := block.List[0].(*ast.LexicalDeclaration)
	if !ok || len(d.List) != 1 {
		return false
	}
	code, ok := d.List[0].Target.(*ast.Identifier)
	if !ok || code.Name == index || code.Name == text || !readsCode(d.List[0].Initializer, index, text) {
		return false
	}
	switch s := block.List[1].(type) {
	case *ast.IfStatement:
		for {
			if !c.ofTest(s.Test, code.Name) {
				return false
			}
			if s.Alternate == nil {
				return true
			}
			if s, ok = s.Alternate.(*ast.IfStatement); !ok {
				return false
			}
		}
	case *ast.SwitchStatement:
		if id, ok := s.Discriminant.(*ast.Identifier); !ok || id.Name != code.Name || s.Default != -1 {
			return false
		}
		for _, k := range s.Body {
			if !c.ofNumber(k.Test) {
				return false
			}
		}
		return true
	}
	return false
}

// readsCode reports whether e is text.charCodeAt(index).
func readsCode(e ast.Expression, index, text unistring.String) bool {
	call, ok := e.(*ast.CallExpression)
	if !ok || len(call.ArgumentList) != 1 {
		return false
	}
	callee, isMember := call.Callee.(*ast.DotExpression)
	i, isName := call.ArgumentList[0].(*ast.Identifier)
	if !isMember || !isName || i.Name != index || callee.Identifier.Name != "charCodeAt" {
		return false
	}
	s, ok := callee.Left.(*ast.Identifier)
	return ok && s.Name == text
}

// ofTest adds the codes for which a test may hold, and looks at nothing but the code for all others.
func (c *codes) ofTest(e ast.Expression, code unistring.String) bool {
	n, ok := e.(*ast.BinaryExpression)
	if !ok {
		return false
	}
	switch n.Operator {
	case token.LOGICAL_OR:
		return c.ofTest(n.Left, code) && c.ofTest(n.Right, code)
	case token.LOGICAL_AND:
		return c.ofTest(n.Left, code)
	case token.STRICT_EQUAL, token.EQUAL:
		if id, ok := n.Left.(*ast.Identifier); ok && id.Name == code {
			return c.ofNumber(n.Right)
		}
		if id, ok := n.Right.(*ast.Identifier); ok && id.Name == code {
			return c.ofNumber(n.Left)
		}
	}
	return false
}

func (c *codes) ofNumber(e ast.Expression) bool {
	n, ok := e.(*ast.NumberLiteral)
	if !ok {
		return false
	}
	v, ok := n.Value.(int64)
	if !ok || v < 0 || v > 0xffff || len(c.more) > 16 {
		return false
	}
	c.add(uint16(v))
	return true
}
