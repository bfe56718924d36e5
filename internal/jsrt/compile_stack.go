package jsrt

import (
	"bytes"
	"reflect"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// goja words the stack of an error when it is first read, with positions in the compiled text, and has no hook
// for it. So where code reads a property named stack, as it is or to take it apart as
// a string, the program asks a function of the runtime for it instead. What is
// evidently a list, as in this.stack.push(x), is left alone.

// stackName is the wrapper's fifth parameter in such programs, again a name that no source text can spell.
const stackName unistring.String = "%stack"

// stringMembers are what code asks of a stack that is a string.
var stringMembers = map[string]bool{
	"split": true, "replace": true, "replaceAll": true, "match": true, "matchAll": true, "substring": true, "substr": true, "slice": true,
	"trim": true, "trimStart": true, "trimEnd": true, "startsWith": true, "includes": true, "indexOf": true, "search": true, "toString": true, "concat": true,
}

// ReadsStack reports whether code may read the stack of an error.
func ReadsStack(code []byte) bool {
	for rest := code; ; {
		i := bytes.Index(rest, []byte("stack"))
		if i < 0 {
			return false
		}
		before, after := rest[:i], bytes.TrimLeft(rest[i+len("stack"):], " \t\r\n")
		if i > 0 && likelyStack(before[i-1], rest[i+len("stack"):], after) {
			return true
		}
		rest = rest[i+len("stack"):]
	}
}

// likelyStack looks at what stands around the word.
func likelyStack(before byte, next, after []byte) bool {
	if len(next) > 0 && isWordByte(next[0]) {
		return false
	}
	switch before {
	case '.':
	case '"', '\'', '`':
		return len(after) > 1 && after[0] == before && after[1] == ']'
	case ' ', '\t', '\n', '{', ',':
		return len(after) > 0 && (after[0] == '}' || after[0] == ',' || after[0] == ':') // of a pattern, perhaps
	default:
		return false
	}
	if len(after) == 0 {
		return true
	}
	switch after[0] {
	case '[', '(':
		return false
	case '=':
		return len(after) > 1 && after[1] == '='
	case '.':
		end := 1
		for end < len(after) && isWordByte(after[end]) {
			end++
		}
		return stringMembers[string(after[1:end])]
	}
	return true
}

// rewriteStacks puts the calls into module and adds the parameter.
func rewriteStacks(module *ast.FunctionLiteral, code []byte) bool {
	if !ReadsStack(code) {
		return false
	}
	s := stacks{seen: map[uintptr]bool{}, leave: map[ast.Expression]bool{}}
	s.walk(reflect.ValueOf(module.Body))
	if s.found {
		addParameter(module, 4)
	}
	return s.found
}

// stacks walks over a tree by reflection, like guarding.
type stacks struct {
	seen  map[uintptr]bool
	leave map[ast.Expression]bool // what is no read
	found bool
}

func (s *stacks) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		e, expression := v.Interface().(ast.Expression)
		if expression {
			s.look(e)
		}
		s.walk(v.Elem())
		if expression && v.Type() == expressionType && v.CanSet() {
			if to := s.rewritten(e); to != nil {
				s.found = true
				v.Set(reflect.ValueOf(to))
			}
		}
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().PkgPath() != astPackage || s.seen[v.Pointer()] {
			return
		}
		s.seen[v.Pointer()] = true
		switch n := v.Interface().(type) {
		case *ast.Binding:
			s.destructured(n.Target, &n.Initializer)
		case *ast.ForIntoExpression:
			s.leave[n.Expression] = true
			s.targets(n.Expression)
		}
		s.walk(v.Elem())
	case reflect.Struct:
		for _, i := range exportedFields(v.Type()) {
			s.walk(v.Field(i))
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			s.walk(v.Index(i))
		}
	}
}

// look notes which expressions inside e are not read, or are evidently lists.
func (s *stacks) look(e ast.Expression) {
	switch n := e.(type) {
	case *ast.AssignExpression:
		s.leave[n.Left] = true
		s.targets(n.Left)
		if n.Operator == token.ASSIGN {
			s.destructured(n.Left, &n.Right)
		}
	case *ast.UnaryExpression:
		s.leave[n.Operand] = n.Operator == token.DELETE || n.Operator == token.INCREMENT || n.Operator == token.DECREMENT
	case *ast.CallExpression:
		s.leave[n.Callee] = true
	case *ast.TemplateLiteral:
		if n.Tag != nil {
			s.leave[n.Tag] = true
		}
	case *ast.ArrayPattern, *ast.ObjectPattern:
		s.targets(e)
	case *ast.BracketExpression:
		s.leave[n.Left] = true
	case *ast.DotExpression:
		if !stringMembers[n.Identifier.Name.String()] {
			s.leave[n.Left] = true
		}
		if o, ok := n.Left.(*ast.Optional); ok {
			s.leave[o.Expression] = s.leave[n.Left]
		}
	case *ast.OptionalChain:
		// What ends a chain early ends all of it, a call around it included.
		s.leave[n.Expression] = true
	case *ast.Optional: // a?.stack?.split
		if o, ok := stackOf(n.Expression).(*ast.Optional); ok && !s.leave[n.Expression] && !optional(o.Expression) {
			n.Expression, s.found = stackCall(o.Expression, always(o)), true
		}
	}
}

// targets leaves what a pattern assigns to.
func (s *stacks) targets(e ast.Expression) {
	switch n := e.(type) {
	case *ast.ArrayPattern:
		for _, x := range append(n.Elements, n.Rest) {
			s.target(x)
		}
	case *ast.ObjectPattern:
		for _, p := range n.Properties {
			if k, ok := p.(*ast.PropertyKeyed); ok {
				s.target(k.Value)
			}
		}
		s.target(n.Rest)
	}
}

func (s *stacks) target(e ast.Expression) {
	if a, ok := e.(*ast.AssignExpression); ok {
		e = a.Left
	}
	if e != nil {
		s.leave[e] = true
	}
}

// rewritten returns what to evaluate in place of a read of a stack, or nil.
func (s *stacks) rewritten(e ast.Expression) ast.Expression {
	if s.leave[e] {
		return nil
	}
	switch n := e.(type) {
	case *ast.DotExpression, *ast.BracketExpression:
		if left := stackOf(n); left != nil && !optional(left) {
			return stackCall(left)
		}
	case *ast.OptionalChain: // a?.stack
		if left := stackOf(n.Expression); left != nil {
			if o, ok := left.(*ast.Optional); ok && !optional(o.Expression) {
				return stackCall(o.Expression, always(o))
			}
		}
	}
	return nil
}

// stackOf returns what e reads the stack of, or nil.
func stackOf(e ast.Expression) ast.Expression {
	switch n := e.(type) {
	case *ast.DotExpression:
		if _, super := n.Left.(*ast.SuperExpression); n.Identifier.Name == "stack" && !super {
			return n.Left
		}
	case *ast.BracketExpression:
		name, ok := n.Member.(*ast.StringLiteral)
		if _, super := n.Left.(*ast.SuperExpression); ok && name.Value == "stack" && !super {
			return n.Left
		}
	}
	return nil
}

// optional reports whether e may end the chain that it stands in.
func optional(e ast.Expression) bool {
	for {
		switch n := e.(type) {
		case *ast.Optional:
			return true
		case *ast.DotExpression:
			e = n.Left
		case *ast.PrivateDotExpression:
			e = n.Left
		case *ast.BracketExpression:
			e = n.Left
		case *ast.CallExpression:
			e = n.Callee
		default:
			return false
		}
	}
}

// destructured lets the runtime see an error from which a pattern takes the stack.
func (s *stacks) destructured(target any, from *ast.Expression) {
	p, ok := target.(*ast.ObjectPattern)
	if !ok || *from == nil {
		return
	}
	for _, prop := range p.Properties {
		named := false
		switch prop := prop.(type) {
		case *ast.PropertyShort:
			named = prop.Name.Name == "stack"
		case *ast.PropertyKeyed:
			key, ok := prop.Key.(*ast.StringLiteral)
			named = ok && key.Value == "stack"
		}
		if named {
			null := &ast.NullLiteral{Idx: (*from).Idx0(), Literal: "null"}
			*from, s.found = stackCall(*from, null), true
			return
		}
	}
}

// always makes a call that has no stack of undefined and null.
func always(at ast.Expression) ast.Expression {
	return &ast.BooleanLiteral{Idx: at.Idx0(), Literal: "true", Value: true}
}

// stackCall asks for the stack of e. With true as second argument undefined and null have
// none; with null it is e itself that is wanted, with a stack to be read.
func stackCall(e ast.Expression, how ...ast.Expression) ast.Expression {
	at := e.Idx0()
	return &ast.CallExpression{
		Callee:           &ast.Identifier{Name: stackName, Idx: at},
		ArgumentList:     append([]ast.Expression{e}, how...),
		LeftParenthesis:  at,
		RightParenthesis: at,
	}
}
