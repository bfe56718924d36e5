package jsrt

import (
	"reflect"
	"slices"
	"sync"
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
	once          sync.Once
	template      reflect.Value // *objectTemplate of goja's; invalid if it is not what is known here
}

// NewGlobals returns globals of these names. Those in hidden are found by name only:
// no list of the properties of globalThis has them.
func NewGlobals(names, hidden []string) *Globals {
	return &Globals{names: slices.Clone(names), hidden: slices.Clone(hidden)}
}

// SetGlobals gives the realm its globals, as properties that are replaceable and not
// enumerable. make gives the value of one; it is called once at most for a name. own
// is what goja has by this name, or nil. GoError, which only goja has, goes.
func (rt *Runtime) SetGlobals(g *Globals, make func(name string, own goja.Value) goja.Value) {
	g.once.Do(func() { g.template = g.build(rt) })
	if !g.template.IsValid() {
		for _, name := range slices.Concat(g.names, g.hidden) {
			rt.DefineGlobal(name, make(name, rt.Global.Get(name)))
		}
		rt.Global.Delete(goError)
		return
	}
	// The template's functions get nothing but goja's runtime, and find the rest behind its global object.
	rt.Global.SetPrototype(rt.Wrap(&globalMaker{make}, rt.Global.Prototype()))
	field := templateOf(rt.Global)
	field.Set(g.template)
	made, _ := exposed(selfOf(rt.Global).FieldByName("values")).(*map[unistring.String]goja.Value)
	for _, name := range g.names { // what has been made before
		if made == nil || (*made)[unistring.NewFromString(name)] != nil {
			rt.DefineGlobal(name, make(name, rt.Global.Get(name)))
		}
	}
	// The names are copied from the template when the first property is added, which may have been.
	if names, ok := exposed(selfOf(rt.Global).FieldByName("propNames")).(*[]unistring.String); ok && *names != nil {
		*names = withNames(*names, g.names)
	}
}

// A globalMaker is carried by the prototype of the global object.
type globalMaker struct {
	make func(name string, own goja.Value) goja.Value
}

const goError = "GoError"

// property is the layout of goja's valueProperty.
type property struct {
	value                                        goja.Value
	writable, configurable, enumerable, accessor bool
	getterFunc, setterFunc                       *goja.Object
}

type propertyFactory = func(*goja.Runtime) goja.Value

// build copies goja's template and adds the globals. The zero Value means that goja's
// types are not those known here.
func (g *Globals) build(rt *Runtime) (made reflect.Value) {
	field := templateOf(rt.Global)
	if !field.IsValid() || field.Kind() != reflect.Pointer || field.IsNil() {
		return made
	}
	made = reflect.New(field.Type().Elem())
	made.Elem().Set(field.Elem())
	names, ok := exposed(made.Elem().FieldByName("propNames")).(*[]unistring.String)
	props := made.Elem().FieldByName("props")
	if !ok || !isFactories(props) {
		return reflect.Value{}
	}
	blank := blankOf(props, rt.VM)
	if blank == nil {
		return reflect.Value{}
	}
	props = reflect.NewAt(props.Type(), unsafe.Pointer(props.UnsafeAddr())).Elem()
	all := reflect.MakeMap(props.Type())
	for it := props.MapRange(); it.Next(); {
		all.SetMapIndex(it.Key(), it.Value())
	}
	all.SetMapIndex(reflect.ValueOf(unistring.String(goError)), reflect.Value{})
	for _, name := range slices.Concat(g.names, g.hidden) {
		key := reflect.ValueOf(unistring.NewFromString(name))
		var own propertyFactory
		if f := props.MapIndex(key); f.IsValid() {
			own, _ = f.Convert(reflect.TypeFor[propertyFactory]()).Interface().(propertyFactory)
		}
		all.SetMapIndex(key, reflect.ValueOf(factoryOf(name, blank, own)).Convert(props.Type().Elem()))
	}
	props.Set(all)
	*names = withNames(*names, g.names)
	return made
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

// factoryOf makes the property of a global. A blank property is undefined and read-only; own
// makes goja's property of this name, or is nil.
func factoryOf(name string, blank, own propertyFactory) propertyFactory {
	return func(vm *goja.Runtime) goja.Value {
		p := blank(vm)
		layout := layoutOf(p)
		layout.writable, layout.configurable = true, true
		var value goja.Value
		if own != nil {
			if value = own(vm); reflect.TypeOf(value) == reflect.TypeOf(p) {
				value = layoutOf(value).value
			}
			layout.value = value
		}
		if m, ok := Unwrap(vm.GlobalObject().Prototype()).(*globalMaker); ok { // or else code replaced the prototype
			layout.value = m.make(name, value)
		}
		return p
	}
}

// templateOf returns the field of a global object that holds its template.
func templateOf(global *goja.Object) reflect.Value {
	self := selfOf(global)
	if !self.IsValid() {
		return self
	}
	field := self.FieldByName("tmpl")
	if !field.IsValid() {
		return field
	}
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
}

// exposed returns a pointer to an unexported field, or nil for the zero Value.
func exposed(field reflect.Value) any {
	if !field.IsValid() {
		return nil
	}
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Interface()
}

// sameLayout reports whether two pointers to structs point to fields of the same names, places and kinds.
func sameLayout(a, b reflect.Type) bool {
	if a.Kind() != reflect.Pointer || a.Elem().Kind() != reflect.Struct || a.Elem().NumField() != b.Elem().NumField() {
		return false
	}
	for i := range a.Elem().NumField() {
		x, y := a.Elem().Field(i), b.Elem().Field(i)
		if x.Name != y.Name || x.Offset != y.Offset || x.Type != y.Type {
			return false
		}
	}
	return true
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
		rt.TypeError("Class constructor %s cannot be invoked without 'new'", name)
		return nil
	}
}

// DefineGlobal defines a global as those of the platform are: replaceable, not enumerable.
func (rt *Runtime) DefineGlobal(name string, v goja.Value) {
	rt.Global.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}
