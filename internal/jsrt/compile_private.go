package jsrt

import (
	"reflect"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/unistring"
)

// A private field that holds an arrow function, and that the class only ever calls, may as well be a
// private method: made once for the class, where goja makes the function for each instance.
//
//	class { #f = (x) => this.a + x; m() { return this.#f(1) } }
//	class { #f(x) { return this.a + x } m() { return this.#f(1) } }
//
// Whoever calls o.#f has its field, so o is what this was in the arrow function; nobody else gets hold of the function.
func methods(n *ast.ClassLiteral) {
	u := privateUses{seen: map[uintptr]bool{}, called: map[*ast.PrivateDotExpression]bool{}, other: map[unistring.String]bool{}}
	found := false
	for _, e := range n.Body {
		d, ok := e.(*ast.FieldDefinition)
		if !ok {
			u.walk(reflect.ValueOf(e))
			continue
		}
		_, arrow := d.Initializer.(*ast.ArrowFunctionLiteral)
		found = found || arrow
		u.early = !arrow && !d.Static // it may be at work before the field is there
		u.walk(reflect.ValueOf(&d.Initializer).Elem())
		u.early = false
		if d.Computed {
			u.walk(reflect.ValueOf(&d.Key).Elem())
		}
	}
	if !found {
		return
	}
	for i, e := range n.Body {
		d, ok := e.(*ast.FieldDefinition)
		if !ok || d.Static || d.Computed {
			continue
		}
		key, private := d.Key.(*ast.PrivateIdentifier)
		arrow, late := d.Initializer.(*ast.ArrowFunctionLiteral)
		if !private || !late || u.other[key.Name] || speaks(arrow, false) {
			continue
		}
		n.Body[i] = &ast.MethodDefinition{Idx: d.Idx, Key: key, Kind: ast.PropertyKindMethod, Body: &ast.FunctionLiteral{
			Function: arrow.Start, ParameterList: arrow.ParameterList, Body: blockOf(arrow.Body), Source: arrow.Source,
			DeclarationList: arrow.DeclarationList, Async: arrow.Async,
		}}
	}
}

// blockOf is the body of an arrow function as that of another.
func blockOf(body ast.ConciseBody) *ast.BlockStatement {
	switch b := body.(type) {
	case *ast.BlockStatement:
		return b
	case *ast.ExpressionBody:
		at := b.Expression.Idx0()
		return &ast.BlockStatement{LeftBrace: at, RightBrace: b.Expression.Idx1(), List: []ast.Statement{&ast.ReturnStatement{Return: at, Argument: b.Expression}}}
	}
	return nil
}

// privateUses collects, by reflection, the private names that are used for more than calls.
type privateUses struct {
	seen   map[uintptr]bool
	early  bool
	called map[*ast.PrivateDotExpression]bool
	other  map[unistring.String]bool
}

func (u *privateUses) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			u.walk(v.Elem())
		}
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().PkgPath() != astPackage || u.seen[v.Pointer()] {
			return
		}
		u.seen[v.Pointer()] = true
		switch n := v.Interface().(type) {
		case *ast.CallExpression:
			if p, ok := n.Callee.(*ast.PrivateDotExpression); ok {
				u.called[p] = !u.early
			}
		case *ast.PrivateDotExpression:
			if !u.called[n] {
				u.other[n.Identifier.Name] = true
			}
		case *ast.PrivateIdentifier: // #f in o, or of a class within
			u.other[n.Name] = true
		}
		u.walk(v.Elem())
	case reflect.Struct:
		for _, i := range exportedFields(v.Type()) {
			u.walk(v.Field(i))
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			u.walk(v.Index(i))
		}
	}
}
