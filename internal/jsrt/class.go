package jsrt

import "github.com/dop251/goja"

// A Class is a native class of one realm, in the shape that Web IDL gives:
// members are enumerable, configurable and stand on the prototype.
type Class struct {
	Name  string
	Ctor  *goja.Object
	Proto *goja.Object

	rt        *Runtime
	length    int
	define    func(*Class)
	templates *classTemplates // nil if members are made at once
	defined   int
	iterate   goja.Value // what was first at Symbol.iterator, once somebody has asked for it

	// Of a stand-in; see members.go.
	real    *Class
	listing *listing
	search  *search
}

// Class returns the class of a name, building it on first use. construct returns the
// Go value that an instance carries; nil means that code cannot construct
// one ("Illegal constructor"). define adds the members. It is called again when a member is first
// used, so it changes nothing but the class that it gets.
func (rt *Runtime) Class(name string, length int, construct func(goja.ConstructorCall) any, define func(*Class)) *Class {
	if c := rt.classes[name]; c != nil {
		return c
	}
	c := &Class{Name: name, rt: rt, length: length, define: define}
	rt.classes[name] = c
	if l := knownLayout(); l != nil && !rt.atOnce {
		c.build(l, templatesOf(c), construct)
		if define(c); c.defined == c.templates.members {
			return c
		}
		*c = Class{Name: name, rt: rt, length: length, define: define} // one that has the name of another
		c.build(l, listMembers(c), construct)
		define(c)
		return c
	}
	c.Ctor = rt.VM.ToValue(func(call goja.ConstructorCall) *goja.Object {
		return c.instance(construct, call, call.This.Prototype())
	}).(*goja.Object)
	rt.NewOnly(c.Ctor, name)
	c.Ctor.DefineDataProperty("name", rt.VM.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	if length != 0 {
		c.Ctor.DefineDataProperty("length", rt.VM.ToValue(length), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	c.Proto = c.Ctor.Get("prototype").(*goja.Object)
	c.Proto.DefineDataPropertySymbol(goja.SymToStringTag, rt.VM.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	define(c)
	return c
}

// build makes the constructor and the prototype from templates.
func (c *Class) build(l *layout, t *classTemplates, construct func(goja.ConstructorCall) any) {
	rt := c.rt
	c.templates = t
	c.Proto = l.newObject(rt.VM, rt.objectProto, t.proto)
	c.Ctor = l.newFunc(rt.VM, rt.functionProto, t.ctor, func(goja.FunctionCall) goja.Value {
		rt.newOnly(c.Name)
		return nil
	}, func(args []goja.Value, target *goja.Object) *goja.Object {
		if target == nil {
			target = c.Ctor
		}
		proto, ok := target.Get("prototype").(*goja.Object)
		if !ok {
			proto = rt.objectProto
		}
		return c.instance(construct, goja.ConstructorCall{Arguments: args, NewTarget: target}, proto)
	})
}

// instance constructs an instance for code.
func (c *Class) instance(construct func(goja.ConstructorCall) any, call goja.ConstructorCall, proto *goja.Object) *goja.Object {
	if construct == nil {
		c.rt.TypeError("Illegal constructor")
	}
	v := construct(call)
	o := c.rt.Wrap(v, proto)
	if owner, ok := v.(Owner); ok {
		owner.Own(o)
	}
	return o
}

// An Owner is what an instance carries that has properties of its own when it
// is constructed.
type Owner interface{ Own(o *goja.Object) }

// New returns an instance that carries v.
func (c *Class) New(v any) *goja.Object {
	if c.real != nil {
		c = c.real
	}
	return c.rt.Wrap(v, c.Proto)
}

// Extends makes the class a subclass of parent, on both chains.
func (c *Class) Extends(parent *Class) {
	if c.real != nil {
		return
	}
	c.Proto.SetPrototype(parent.Proto)
	c.Ctor.SetPrototype(parent.Ctor)
}

// Method defines an operation.
func (c *Class) Method(name string, length int, fn func(goja.FunctionCall) goja.Value) {
	if !c.add(name, onProto, func() goja.Value { return c.rt.Func(name, length, fn) }) {
		c.rt.Method(c.Proto, name, length, fn)
	}
}

// Async defines an operation that returns a promise: what fn throws, the brand
// check included, rejects it.
func (c *Class) Async(name string, length int, fn func(goja.FunctionCall) goja.Value) {
	c.Method(name, length, func(call goja.FunctionCall) goja.Value {
		return c.rt.Async(func() goja.Value { return fn(call) })
	})
}

// Static defines a static operation.
func (c *Class) Static(name string, length int, fn func(goja.FunctionCall) goja.Value) {
	if !c.add(name, onCtor, func() goja.Value { return c.rt.Func(name, length, fn) }) {
		c.rt.Method(c.Ctor, name, length, fn)
	}
}

// Getter defines a read-only attribute.
func (c *Class) Getter(name string, get func(this goja.Value) goja.Value) {
	c.Accessor(name, get, nil)
}

// Accessor defines an attribute; a nil set makes it read-only.
func (c *Class) Accessor(name string, get func(this goja.Value) goja.Value, set func(this, v goja.Value)) {
	functions := func() (getter, setter *goja.Object) {
		if set != nil {
			setter = c.rt.Func("set "+name, 1, func(call goja.FunctionCall) goja.Value {
				set(call.This, call.Argument(0))
				return goja.Undefined()
			})
		}
		return c.rt.Func("get "+name, 0, func(call goja.FunctionCall) goja.Value { return get(call.This) }), setter
	}
	if c.add(name, onProto, func() goja.Value { return accessor(functions()) }) {
		return
	}
	getter, setter := functions()
	if setter == nil {
		c.Proto.DefineAccessorProperty(name, getter, nil, goja.FLAG_TRUE, goja.FLAG_TRUE)
		return
	}
	c.Proto.DefineAccessorProperty(name, getter, setter, goja.FLAG_TRUE, goja.FLAG_TRUE)
}

// Const defines a constant on the class and its prototype.
func (c *Class) Const(name string, v any) {
	if c.add(name, onBoth, func() goja.Value { return knownLayout().value(&property{value: c.rt.VM.ToValue(v), enumerable: true}) }) {
		return
	}
	for _, o := range []*goja.Object{c.Ctor, c.Proto} {
		o.DefineDataProperty(name, c.rt.VM.ToValue(v), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_TRUE)
	}
}

// Alias makes a symbol name the same function as a method, as Symbol.iterator
// does with entries.
func (c *Class) Alias(sym *goja.Symbol, method string) {
	switch {
	case c.listing != nil:
		if sym == goja.SymIterator {
			c.listing.alias(method)
		}
		return
	case c.search != nil, c.templates != nil && sym == goja.SymIterator && c.templates.iterator == method:
		return
	}
	fn := c.Proto.Get(method)
	if sym == goja.SymIterator {
		c.iterate = fn
	}
	c.Proto.DefineDataPropertySymbol(sym, fn, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// Iterates reports whether v is the method that the class had at Symbol.iterator at first.
func (c *Class) Iterates(v goja.Value) bool { return c.iterate != nil && v.SameAs(c.iterate) }

// An iteration is what an iterator object carries.
type iteration struct {
	next func() (goja.Value, bool)
}

// Iterator returns an iterator object of the given class name, such as "Headers
// Iterator". next returns false when there is no more.
func (rt *Runtime) Iterator(name string, next func() (goja.Value, bool)) goja.Value {
	c := rt.Class(name, 0, nil, func(c *Class) {
		c.Proto.SetPrototype(rt.IteratorPrototype())
		c.Method("next", 0, func(call goja.FunctionCall) goja.Value {
			it := This[*iteration](rt, call.This)
			v, ok := it.next()
			if !ok {
				v = goja.Undefined()
				it.next = func() (goja.Value, bool) { return nil, false }
			}
			res := rt.VM.NewObject()
			Data(res, "value", v)
			Data(res, "done", rt.VM.ToValue(!ok))
			return res
		})
	})
	return c.New(&iteration{next})
}

// IteratorPrototype returns %IteratorPrototype%.
func (rt *Runtime) IteratorPrototype() *goja.Object {
	if rt.iteratorProto == nil {
		rt.iteratorProto = rt.constant(iteratorProto)
	}
	return rt.iteratorProto
}
