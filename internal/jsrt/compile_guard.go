package jsrt

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// guardName is the wrapper's fourth parameter in guarded programs, again a name
// that no source text can spell.
const guardName unistring.String = "%guard"

// CompileGuarded is [Compile] for code that runs where an integer of a gigabyte is not to be had:
// the program has a fourth parameter, an object with functions pow and shift.
// In place of a ** b it calls pow(a, b), and in place of a << b it evaluates
// a << shift(b), as far as the operands may be BigInts.
func CompileGuarded(name string, code []byte) (*Program, error) {
	return compileModule(name, code, true, nil)
}

// rewriteOperators puts the calls into module and adds the parameter.
func rewriteOperators(module *ast.FunctionLiteral, code []byte) {
	if bytes.Contains(code, []byte("**")) || bytes.Contains(code, []byte("<<")) {
		g := guarding{seen: map[uintptr]bool{}}
		g.walk(reflect.ValueOf(module))
	}
	addParameter(module, 3)
}

// addParameter makes the wrapper's parameters up to index what they always are. The
// survey of appends puts variables of its own behind them.
func addParameter(module *ast.FunctionLiteral, index int) {
	list := module.ParameterList.List
	for i, known := range []unistring.String{2: appendName, 3: guardName, 4: stackName, 5: fieldsName, 6: skipName} {
		if i < 2 || i > index {
			continue
		}
		if i < len(list) && list[i].Target.(*ast.Identifier).Name == known {
			continue
		}
		list = slices.Insert(list, i, &ast.Binding{Target: &ast.Identifier{Name: known, Idx: module.Idx0()}})
	}
	module.ParameterList.List = list
}

// guarding walks over a tree by reflection: operators stand everywhere, and only
// their own kind of node matters.
type guarding struct {
	seen map[uintptr]bool
}

var (
	astPackage     = reflect.TypeFor[ast.Identifier]().PkgPath()
	expressionType = reflect.TypeFor[ast.Expression]()
)

func (g *guarding) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		g.walk(v.Elem())
		if v.Type() == expressionType && v.CanSet() {
			if e := v.Interface().(ast.Expression); guarded(e) != e {
				v.Set(reflect.ValueOf(guarded(e)))
			}
		}
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().PkgPath() != astPackage || g.seen[v.Pointer()] {
			return
		}
		g.seen[v.Pointer()] = true
		g.walk(v.Elem())
	case reflect.Struct:
		for _, i := range exportedFields(v.Type()) {
			g.walk(v.Field(i))
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			g.walk(v.Index(i))
		}
	}
}

// guarded returns e, or what to evaluate in its place. Assignments are changed as they are.
func guarded(e ast.Expression) ast.Expression {
	switch n := e.(type) {
	case *ast.BinaryExpression:
		switch {
		case n.Operator == token.EXPONENT && !numberLiteral(n.Left) && !numberLiteral(n.Right):
			return guardCall("pow", n.Idx0(), n.Left, n.Right)
		case n.Operator == token.SHIFT_LEFT && !numberLiteral(n.Left) && !numberLiteral(n.Right) && !isShift(n.Right):
			n.Right = guardCall("shift", n.Right.Idx0(), n.Right)
		}
	case *ast.AssignExpression:
		switch {
		case n.Operator == token.EXPONENT && !numberLiteral(n.Right):
			if id, ok := n.Left.(*ast.Identifier); ok {
				n.Operator = token.ASSIGN
				n.Right = guardCall("pow", n.Right.Idx0(), &ast.Identifier{Name: id.Name, Idx: id.Idx}, n.Right)
			}
		case n.Operator == token.SHIFT_LEFT && !numberLiteral(n.Right) && !isShift(n.Right):
			n.Right = guardCall("shift", n.Right.Idx0(), n.Right)
		}
	}
	return e
}

// numberLiteral reports whether e is a literal of a Number: with it there is no BigInt operation.
func numberLiteral(e ast.Expression) bool {
	n, ok := e.(*ast.NumberLiteral)
	if !ok {
		return false
	}
	switch n.Value.(type) {
	case int64, float64, int:
		return true
	}
	return false
}

// isShift reports whether e has been guarded before.
func isShift(e ast.Expression) bool {
	c, ok := e.(*ast.CallExpression)
	if !ok {
		return false
	}
	d, ok := c.Callee.(*ast.DotExpression)
	if !ok {
		return false
	}
	id, ok := d.Left.(*ast.Identifier)
	return ok && id.Name == guardName && d.Identifier.Name == "shift"
}

func guardCall(fn unistring.String, at file.Idx, args ...ast.Expression) ast.Expression {
	return &ast.CallExpression{
		Callee:       &ast.DotExpression{Left: &ast.Identifier{Name: guardName, Idx: at}, Identifier: ast.Identifier{Name: fn, Idx: at}},
		ArgumentList: args, LeftParenthesis: at, RightParenthesis: at,
	}
}
