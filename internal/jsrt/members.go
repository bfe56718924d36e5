package jsrt

import (
	"sync"
	"sync/atomic"

	"github.com/dop251/goja"
)

// A native function takes goja over a kilobyte, and a class has twenty. The members of a class are made
// when they are first asked for, and that they are there is written down once for all runtimes: the class's function
// define runs once to list them, then again for each that is made, with a class that takes nothing but this one.
// See RATIONALE.md, "Globals in goja's template".

// classTemplates are of the constructor and the prototype of a class.
type classTemplates struct {
	ctor, proto *template
	iterator    string // the method that is also at Symbol.iterator
	members     int    // how many times define defines one
}

// knownClasses has the classTemplates of a class, by its name.
var knownClasses sync.Map

// where a member is.
type place int

const (
	onProto place = iota
	onCtor
	onBoth
)

// A search is for the value of one member.
type search struct {
	name  string
	on    place
	found goja.Value
}

// templatesOf returns the templates of a class. Defined is called for one that has none yet.
func templatesOf(c *Class) *classTemplates {
	if t, ok := knownClasses.Load(c.Name); ok {
		return t.(*classTemplates)
	}
	t, _ := knownClasses.LoadOrStore(c.Name, listMembers(c))
	return t.(*classTemplates)
}

// listMembers makes the templates of a class.
func listMembers(c *Class) *classTemplates {
	t := &classTemplates{ctor: &template{}, proto: &template{}}
	name := c.Name
	of := func(vm *goja.Runtime) *Class { return knownLayout().runtimeOf(vm).classes[name] }
	fixed := func(vm *goja.Runtime, p property) goja.Value { return knownLayout().value(&p) }
	t.ctor.put("length", func(vm *goja.Runtime) goja.Value {
		return fixed(vm, property{value: vm.ToValue(of(vm).length), configurable: true})
	})
	t.ctor.put("name", func(vm *goja.Runtime) goja.Value {
		return fixed(vm, property{value: vm.ToValue(name), configurable: true})
	})
	t.ctor.put("prototype", func(vm *goja.Runtime) goja.Value {
		return fixed(vm, property{value: of(vm).Proto, writable: true})
	})
	t.proto.put("constructor", func(vm *goja.Runtime) goja.Value {
		return fixed(vm, property{value: of(vm).Ctor, writable: true, configurable: true})
	})
	t.proto.putSymbol(goja.SymToStringTag, func(vm *goja.Runtime) goja.Value {
		return fixed(vm, property{value: vm.ToValue(name), configurable: true})
	})
	c.define(c.standIn(&listing{templates: t, of: of}, nil))
	return t
}

// A listing notes members of a class.
type listing struct {
	templates *classTemplates
	of        func(*goja.Runtime) *Class
}

func (l *listing) member(name string, on place) {
	l.templates.members++
	if on != onCtor {
		l.templates.proto.put(name, func(vm *goja.Runtime) goja.Value { return l.of(vm).member(name, onProto) })
	}
	if on != onProto {
		l.templates.ctor.put(name, func(vm *goja.Runtime) goja.Value { return l.of(vm).member(name, onCtor) })
	}
}

func (l *listing) alias(method string) {
	l.templates.iterator = method
	l.templates.proto.putSymbol(goja.SymIterator, func(vm *goja.Runtime) goja.Value {
		return knownLayout().value(&property{value: l.of(vm).iterator(), writable: true, configurable: true})
	})
}

// standIn is a class for define to add members to that are of no consequence.
func (c *Class) standIn(l *listing, s *search) *Class {
	o := c.rt.VM.NewObject()
	return &Class{Name: c.Name, Ctor: o, Proto: o, rt: c.rt, real: c, listing: l, search: s}
}

// member makes a member.
func (c *Class) member(name string, on place) goja.Value {
	if c.templates.iterator == name && on == onProto {
		return c.iterator()
	}
	return c.find(name, on)
}

// iterator is what is first at Symbol.iterator.
func (c *Class) iterator() goja.Value {
	if c.iterate == nil {
		c.iterate = c.find(c.templates.iterator, onProto)
	}
	return c.iterate
}

func (c *Class) find(name string, on place) goja.Value {
	s := &search{name: name, on: on}
	c.define(c.standIn(nil, s))
	return s.found
}

// add takes a member that make gives. It returns false if the member must be made at once.
func (c *Class) add(name string, on place, make func() goja.Value) bool {
	switch {
	case c.listing != nil:
		c.listing.member(name, on)
	case c.search != nil:
		if c.search.name == name && (on == onBoth || c.search.on == on) {
			c.search.found = make()
		}
	case c.templates != nil:
		c.defined++
		return (on == onCtor || c.templates.proto.has(name)) && (on == onProto || c.templates.ctor.has(name))
	default:
		return false
	}
	return true
}

// accessor returns the property of an attribute, as a template has it.
func accessor(get, set *goja.Object) goja.Value {
	return knownLayout().value(&property{configurable: true, enumerable: true, accessor: true, getterFunc: get, setterFunc: set})
}

// A signature is what a native function has beside its code.
type signature struct {
	name   string
	length int
}

var (
	signatures     sync.Map // of signature to *template
	signatureCount atomic.Int64
)

// maxSignatures bounds what is kept for functions whose names code gives, such as exports of WebAssembly.
const maxSignatures = 4096

// template returns the template of the functions of a signature.
func (s signature) template() *template {
	if t, ok := signatures.Load(s); ok {
		return t.(*template)
	}
	t := &template{}
	t.put("length", func(vm *goja.Runtime) goja.Value {
		return knownLayout().value(&property{value: vm.ToValue(s.length), configurable: true})
	})
	t.put("name", func(vm *goja.Runtime) goja.Value {
		return knownLayout().value(&property{value: vm.ToValue(s.name), configurable: true})
	})
	if signatureCount.Add(1) <= maxSignatures {
		signatures.Store(s, t)
	}
	return t
}
