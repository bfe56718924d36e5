package jsrt

import (
	"bytes"
	"reflect"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/unistring"
)

// Classes give their instances methods as fields, name = (…) => …, so that they can be passed on without
// their object. goja makes such functions for each instance, at 650 bytes in seven pieces, and most are never
// called: those of Hono's Context were a fifth of a request. So such a class
//
//	class { a = 1; f = (x) => this.a + x }
//
// becomes
//
//	class { #fields = fields(this, this.#make, 0); #make(i) { switch (i) { case 0: return { "f": (x) => this.a + x } } } }
//
// where the function fields makes the instance one whose properties have their values or, as goja's own
// built-ins, are made when somebody asks for one. Nothing but time tells the difference: to make a function runs no code, and
// nobody can see the instance of a class that extends nothing before its last field is there,
// if no field's value speaks of it.

// Names that no source text can spell.
const (
	fieldsName unistring.String = "%fields" // the wrapper's sixth parameter, and a private name
	makeName   unistring.String = "%make"   // a private method, and its parameter
)

// worthLate is how many functions an instance must have for it.
const worthLate = 4

// A lateClass is what instances of such a class have.
type lateClass struct {
	names  []unistring.String // of all public fields, in their order
	values []ast.Expression   // of each: a literal, or nil for one that is made late or that the class still gives
	late   []int              // indices of those made late
}

// rewriteFields changes the classes in module for which that is right. It returns them; there is a sixth parameter if there are any.
func rewriteFields(module *ast.FunctionLiteral, code []byte) []lateClass {
	if !bytes.Contains(code, []byte("class")) || !bytes.Contains(code, []byte("=>")) || knownLayout() == nil {
		return nil
	}
	f := fields{seen: map[uintptr]bool{}}
	f.walk(reflect.ValueOf(module.Body))
	if f.classes != nil {
		addParameter(module, 5)
	}
	return f.classes
}

// fields walks over a tree by reflection, like guarding.
type fields struct {
	seen    map[uintptr]bool
	classes []lateClass
}

func (f *fields) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			f.walk(v.Elem())
		}
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().PkgPath() != astPackage {
			return
		}
		n, ok := v.Interface().(*ast.ClassLiteral)
		if ok && f.seen[v.Pointer()] {
			return
		}
		if ok {
			f.seen[v.Pointer()] = true
		}
		f.walk(v.Elem())
		if ok {
			methods(n)
			f.class(n)
		}
	case reflect.Struct:
		for _, i := range exportedFields(v.Type()) {
			f.walk(v.Field(i))
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			f.walk(v.Index(i))
		}
	}
}

// class changes a class if that is right and worth it.
func (f *fields) class(n *ast.ClassLiteral) {
	if n.SuperClass != nil {
		return
	}
	var c lateClass
	var kept []ast.ClassElement
	var made []*ast.FieldDefinition
	named := map[unistring.String]bool{}
	for _, e := range n.Body {
		d, ok := e.(*ast.FieldDefinition)
		if !ok || d.Static {
			kept = append(kept, e)
			continue
		}
		arrow, late := d.Initializer.(*ast.ArrowFunctionLiteral)
		if d.Computed || !late && speaks(d.Initializer, true) {
			return
		}
		key, public := d.Key.(*ast.StringLiteral)
		if !public {
			if _, private := d.Key.(*ast.PrivateIdentifier); !private {
				return
			}
			kept = append(kept, e)
			continue
		}
		name := key.Value
		if named[name] || name == "" || name == "__proto__" || name[0] >= '0' && name[0] <= '9' {
			return
		}
		named[name] = true
		value := d.Initializer
		switch {
		case late && !speaks(arrow, false):
			c.late = append(c.late, len(c.names))
			made = append(made, d)
			value = nil
		case late:
			return
		case !literal(value):
			kept = append(kept, e)
			value = nil
		}
		c.names, c.values = append(c.names, name), append(c.values, value)
	}
	if len(c.late) < worthLate {
		return
	}
	at := made[0].Idx
	n.Body = append([]ast.ClassElement{f.call(at), maker(at, made)}, kept...)
	f.classes = append(f.classes, c)
}

// literal reports whether e is a value that need not be computed; none at all is undefined.
func literal(e ast.Expression) bool {
	switch e := e.(type) {
	case nil, *ast.NullLiteral, *ast.BooleanLiteral:
		return true
	case *ast.NumberLiteral:
		_, whole := e.Value.(int64)
		return whole
	}
	return false
}

// speaks reports whether code below e may mean something else, or see something else, elsewhere: whether
// it says eval, arguments, super or new.target, and, if self is set, whether it says this.
func speaks(e ast.Expression, self bool) bool {
	s := speech{self: self, seen: map[uintptr]bool{}}
	s.walk(reflect.ValueOf(&e).Elem())
	return s.found
}

type speech struct {
	self, found bool
	seen        map[uintptr]bool
}

func (s *speech) walk(v reflect.Value) {
	if s.found {
		return
	}
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			s.walk(v.Elem())
		}
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().PkgPath() != astPackage || s.seen[v.Pointer()] {
			return
		}
		s.seen[v.Pointer()] = true
		switch n := v.Interface().(type) {
		case *ast.ThisExpression:
			s.found = s.self
		case *ast.SuperExpression, *ast.MetaProperty, *ast.AwaitExpression, *ast.YieldExpression:
			_, super := v.Interface().(*ast.SuperExpression)
			_, meta := v.Interface().(*ast.MetaProperty)
			s.found = super || meta || s.self
		case *ast.Identifier:
			s.found = n.Name == "eval" || n.Name == "arguments"
		}
		s.walk(v.Elem())
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[ast.Identifier]() {
			return
		}
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

// call is the field #fields = fields(this, this.#make, n).
func (f *fields) call(at file.Idx) *ast.FieldDefinition {
	private := func(name unistring.String) ast.PrivateIdentifier {
		return ast.PrivateIdentifier{Identifier: ast.Identifier{Name: name, Idx: at}}
	}
	key := private(fieldsName)
	return &ast.FieldDefinition{Idx: at, Key: &key, Initializer: &ast.CallExpression{
		Callee: &ast.Identifier{Name: fieldsName, Idx: at},
		ArgumentList: []ast.Expression{
			&ast.ThisExpression{Idx: at},
			&ast.PrivateDotExpression{Left: &ast.ThisExpression{Idx: at}, Identifier: private(makeName)},
			number(len(f.classes), at),
		},
		LeftParenthesis: at, RightParenthesis: at,
	}}
}

// maker is the method #make.
func maker(at file.Idx, made []*ast.FieldDefinition) *ast.MethodDefinition {
	choice := &ast.SwitchStatement{Switch: at, Discriminant: &ast.Identifier{Name: makeName, Idx: at}, Default: -1, RightBrace: at}
	for i, d := range made {
		object := &ast.ObjectLiteral{LeftBrace: d.Idx, RightBrace: d.Idx, Value: []ast.Property{
			&ast.PropertyKeyed{Key: d.Key, Kind: ast.PropertyKindValue, Value: d.Initializer},
		}}
		choice.Body = append(choice.Body, &ast.CaseStatement{Case: d.Idx, Test: number(i, d.Idx), Consequent: []ast.Statement{
			&ast.ReturnStatement{Return: d.Idx, Argument: object},
		}})
	}
	return &ast.MethodDefinition{
		Idx: at, Kind: ast.PropertyKindMethod,
		Key: &ast.PrivateIdentifier{Identifier: ast.Identifier{Name: makeName, Idx: at}},
		Body: &ast.FunctionLiteral{
			Function:      at,
			ParameterList: &ast.ParameterList{Opening: at, Closing: at, List: []*ast.Binding{{Target: &ast.Identifier{Name: makeName, Idx: at}}}},
			Body:          &ast.BlockStatement{LeftBrace: at, RightBrace: at, List: []ast.Statement{choice}},
		},
	}
}

func number(i int, at file.Idx) *ast.NumberLiteral {
	return &ast.NumberLiteral{Idx: at, Value: int64(i)}
}
