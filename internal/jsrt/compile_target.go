package jsrt

import (
	"bytes"
	"reflect"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// goja leaves new.target as it is when a function is called without new, so that within
// a constructor all functions seem to be called with it. What is constructed inherits from
// new.target; so in functions that can be called either way
//
//	new.target    new.target && this instanceof new.target ? new.target : void 0
//
// and in methods, which cannot, void 0.

// rewriteTargets does that in module.
func rewriteTargets(module *ast.FunctionLiteral, code []byte) {
	if bytes.Contains(code, []byte("target")) {
		t := targets{seen: map[uintptr]bool{}}
		t.walk(reflect.ValueOf(module.Body), right)
	}
}

// A target is what goja's new.target is worth in a function.
type target int

const (
	right target = iota // in the constructor of a class
	doubtful
	never // in a method
)

// targets walks over a tree by reflection, like guarding.
type targets struct {
	seen map[uintptr]bool
}

// walk looks for new.target below v.
func (t *targets) walk(v reflect.Value, is target) {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		if m, ok := v.Interface().(*ast.MetaProperty); ok && is != right && v.CanSet() {
			v.Set(reflect.ValueOf(checkedTarget(m, is)))
			return
		}
		t.walk(v.Elem(), is)
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().PkgPath() != astPackage || t.seen[v.Pointer()] {
			return
		}
		t.seen[v.Pointer()] = true
		switch n := v.Interface().(type) {
		case *ast.MethodDefinition:
			t.walk(reflect.ValueOf(&n.Key).Elem(), is)
			if key, ok := n.Key.(*ast.StringLiteral); ok && key.Value == "constructor" && !n.Static && !n.Computed {
				t.walk(reflect.ValueOf(n.Body).Elem(), right)
			} else {
				t.walk(reflect.ValueOf(n.Body).Elem(), never)
			}
			return
		case *ast.FunctionLiteral:
			is = doubtful
		}
		t.walk(v.Elem(), is)
	case reflect.Struct:
		for _, i := range exportedFields(v.Type()) {
			t.walk(v.Field(i), is)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			t.walk(v.Index(i), is)
		}
	}
}

func checkedTarget(m *ast.MetaProperty, is target) ast.Expression {
	void := &ast.UnaryExpression{Operator: token.VOID, Idx: m.Idx0(), Operand: &ast.NumberLiteral{Idx: m.Idx0(), Literal: "0", Value: int64(0)}}
	if is == never {
		return void
	}
	return &ast.ConditionalExpression{
		Test: &ast.BinaryExpression{Operator: token.LOGICAL_AND, Left: m, Right: &ast.BinaryExpression{
			Operator: token.INSTANCEOF, Left: &ast.ThisExpression{Idx: m.Idx0()}, Right: m,
		}},
		Consequent: m,
		Alternate:  void,
	}
}
