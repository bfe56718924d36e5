package jsrt

import (
	"maps"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/unistring"
)

// LateFields is the function that the sixth parameter of a program takes, or undefined if it has none. It gives an
// instance of a class the fields that are made late; see rewriteFields.
func (rt *Runtime) LateFields(p *Program) goja.Value {
	if p.late == nil {
		return goja.Undefined()
	}
	l := knownLayout()
	given := make([]map[unistring.String]goja.Value, len(p.late))
	return rt.VM.ToValue(func(call goja.FunctionCall) goja.Value {
		i := call.Argument(2).ToInteger()
		if given[i] == nil {
			given[i] = p.late[i].given(rt)
		}
		l.giveFields(rt, call.Argument(0).(*goja.Object), call.Argument(1), &p.late[i], given[i])
		return goja.Undefined()
	})
}

// given are the values of fields that are there from the start. A field that the class itself gives is undefined until it does.
func (c *lateClass) given(rt *Runtime) map[unistring.String]goja.Value {
	m := map[unistring.String]goja.Value{}
	for i, name := range c.names {
		m[name] = goja.Undefined()
		switch e := c.values[i].(type) {
		case *ast.NullLiteral:
			m[name] = goja.Null()
		case *ast.BooleanLiteral:
			m[name] = rt.VM.ToValue(e.Value)
		case *ast.NumberLiteral:
			m[name] = rt.VM.ToValue(e.Value)
		}
	}
	for _, i := range c.late {
		delete(m, c.names[i])
	}
	return m
}

// giveFields makes o, which has no properties yet, an object with a template of its own. maker gives its functions.
func (l *layout) giveFields(rt *Runtime, o *goja.Object, maker goja.Value, c *lateClass, given map[unistring.String]goja.Value) {
	self := selfWords(o)
	if self.typ != l.object || len((*baseObject)(self.data).values) > 0 {
		rt.TypeError("Cannot define the fields of what is no new object")
	}
	s := &struct {
		templatedObject
		own template
	}{}
	s.baseObject = *(*baseObject)(self.data)
	s.values, s.tmpl, s.protoMaterialised = maps.Clone(given), &s.own, true
	s.own.propNames, s.own.props = c.names, make(map[unistring.String]propertyFactory, len(c.late))
	for k, i := range c.late {
		s.own.props[c.names[i]] = func(vm *goja.Runtime) goja.Value {
			fn, _ := goja.AssertFunction(maker)
			made, err := fn(o, vm.ToValue(k))
			if err != nil {
				panic(err) // an interrupt
			}
			return made.(*goja.Object).Get(c.names[i].String())
		}
	}
	*(*words)(unsafe.Pointer(o)) = words{l.templated, unsafe.Pointer(&s.templatedObject)}
}
