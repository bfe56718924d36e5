package jsrt

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// Globals are the names of a platform's globals, for any number of runtimes at once. A runtime
// makes the value of one when it is first asked for; until then none costs it anything.
//
// goja itself makes the built-ins of a global object so, from a template that all runtimes
// share. Nothing exported adds to it, so this reaches into goja's objects to give
// runtimes a template of ours. See RATIONALE.md, "Globals in goja's template".
type Globals struct {
	names, hidden []string
	amended       amendment
}

// NewGlobals returns globals of these names. Those in hidden are found by name only:
// no list of the properties of globalThis has them.
func NewGlobals(names, hidden []string) *Globals {
	g := &Globals{names: slices.Clone(names), hidden: slices.Clone(hidden)}
	g.amended.change = g.change
	return g
}

// SetGlobals gives the realm its globals, as properties that are replaceable and not
// enumerable. make gives the value of one; it is called once at most for a name. own
// is what goja has by this name, or nil. GoError, which only goja has, goes.
func (rt *Runtime) SetGlobals(g *Globals, make func(name string, own goja.Value) goja.Value) {
	rt.global = make
	l := knownLayout()
	if l == nil {
		for _, name := range slices.Concat(g.names, g.hidden) {
			rt.DefineGlobal(name, make(name, rt.Global.Get(name)))
		}
		rt.Global.Delete(goError)
		return
	}
	field := l.templateOf(rt.Global)
	amend(field, &g.amended)
	global := (*templatedObject)(selfWords(rt.Global).data)
	for _, name := range g.names { // what has been made before
		if global.values[unistring.NewFromString(name)] != nil {
			rt.DefineGlobal(name, make(name, rt.Global.Get(name)))
		}
	}
	if global.propNames != nil { // they are copied from the template when the first property is added
		global.propNames = withNames(global.propNames, g.names)
	}
}

const goError = "GoError"

// change adds the globals to a template.
func (g *Globals) change(t *template) {
	delete(t.props, goError)
	for _, name := range slices.Concat(g.names, g.hidden) {
		key := unistring.NewFromString(name)
		t.props[key] = factoryOf(name, t.props[key])
	}
	t.propNames = withNames(t.propNames, g.names)
}

// HideGlobal defines a global that is constant and found by its name only: no list of the properties of globalThis has it.
func (rt *Runtime) HideGlobal(name string, v goja.Value) {
	if l := knownLayout(); l != nil {
		(*templatedObject)(selfWords(rt.Global).data).values[unistring.NewFromString(name)] = l.value(&property{value: v})
		return
	}
	rt.Global.DefineDataProperty(name, v, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
}

// withNames returns a copy of known without GoError, and what of more it lacks.
func withNames(known []unistring.String, more []string) []unistring.String {
	known = slices.DeleteFunc(slices.Clone(known), func(n unistring.String) bool { return n == goError })
	for _, name := range more {
		if n := unistring.NewFromString(name); !slices.Contains(known, n) {
			known = append(known, n)
		}
	}
	return known
}

// factoryOf makes the property of a global. own makes goja's property of this name, or is nil.
func factoryOf(name string, own propertyFactory) propertyFactory {
	return func(vm *goja.Runtime) goja.Value {
		l := knownLayout()
		var value goja.Value
		if own != nil {
			if value = own(vm); l.propertyOf(value) != nil {
				value = l.propertyOf(value).value
			}
		}
		return l.value(&property{value: l.runtimeOf(vm).global(name, value), writable: true, configurable: true})
	}
}

// exposed returns a pointer to an unexported field, or nil for the zero Value.
func exposed(field reflect.Value) any {
	if !field.IsValid() {
		return nil
	}
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Interface()
}

// NewOnly makes calls of a native constructor without new throw a TypeError, as for classes. goja
// lets them construct. It does nothing if goja's type is not the one known here.
func (rt *Runtime) NewOnly(ctor *goja.Object, name string) {
	self := selfOf(ctor)
	if !self.IsValid() {
		return
	}
	call, ok := exposed(self.FieldByName("f")).(*func(goja.FunctionCall) goja.Value)
	if !ok {
		return
	}
	*call = func(goja.FunctionCall) goja.Value {
		rt.newOnly(name)
		return nil
	}
}

func (rt *Runtime) newOnly(name string) {
	rt.TypeError("Class constructor %s cannot be invoked without 'new'", name)
}

// DefineGlobal defines a global as those of the platform are: replaceable, not enumerable.
func (rt *Runtime) DefineGlobal(name string, v goja.Value) {
	rt.Global.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}
