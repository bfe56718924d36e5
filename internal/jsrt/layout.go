package jsrt

import (
	"maps"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// These are laid out as what goja has behind its objects, which nothing exported gives. A runtime is made of some
// hundred objects that most code never looks at; goja makes its own ones from templates when they are asked
// for, and with these so do we. See RATIONALE.md, "Globals in goja's template".

// An object is goja's Object.
type object struct {
	self words
	vm   *goja.Runtime
}

// A baseObject is what all objects begin with.
type baseObject struct {
	class      string
	val        *goja.Object
	prototype  *goja.Object
	extensible bool

	values    map[unistring.String]goja.Value
	propNames []unistring.String

	lastSortedPropLen, idxPropCount int

	symValues       unsafe.Pointer
	privateElements unsafe.Pointer
}

// A template has the properties of objects of any number of runtimes, and what makes the value of one.
type template struct {
	propNames []unistring.String
	props     map[unistring.String]propertyFactory

	symProps     map[*goja.Symbol]propertyFactory
	symPropNames []*goja.Symbol

	//lint:ignore U1000 templates of goja have one
	protoFactory func(*goja.Runtime) *goja.Object
}

// A templatedObject has what values holds, and else what its template makes.
type templatedObject struct {
	baseObject
	tmpl *template

	protoMaterialised bool
}

type templatedFunc struct {
	templatedObject

	f         func(goja.FunctionCall) goja.Value
	construct func(args []goja.Value, newTarget *goja.Object) *goja.Object
}

type bufferObject struct {
	baseObject
	detached bool
	data     []byte
}

// property is goja's valueProperty.
type property struct {
	value                                        goja.Value
	writable, configurable, enumerable, accessor bool
	getterFunc, setterFunc                       *goja.Object
}

type propertyFactory = func(*goja.Runtime) goja.Value

// layout is what is known of goja's types, or nil if they are not those known here.
type layout struct {
	plain reflect.Type // baseObject

	// The first word of an interface with a pointer to such.
	object, templated, function, buffer, property unsafe.Pointer

	// Where a runtime has its AsyncContextTracker, and prototypes that no global leads to.
	tracker, asyncProto, generatorFunctionProto, generatorProto uintptr

	// Where a runtime has its interpreter, and where that has its stack and the stack's pointer.
	vm, stack, sp uintptr
}

var knownLayout = sync.OnceValue(func() *layout {
	vm := goja.New()
	global, plain, function := vm.GlobalObject(), vm.NewObject(), vm.Get("Object").(*goja.Object)
	buffer := vm.ToValue(vm.NewArrayBuffer(nil)).(*goja.Object)
	undefined := &property{}
	for _, known := range []struct {
		of   reflect.Type
		want reflect.Type
	}{
		{reflect.TypeFor[goja.Object](), reflect.TypeFor[object]()},
		{typeBehind(plain), reflect.TypeFor[baseObject]()},
		{typeBehind(global), reflect.TypeFor[templatedObject]()},
		{typeBehind(function), reflect.TypeFor[templatedFunc]()},
		{typeBehind(buffer), reflect.TypeFor[bufferObject]()},
	} {
		if !alike(known.of, known.want, 0) {
			return nil
		}
	}
	made := (*templatedObject)(selfWords(global).data).tmpl.props["undefined"]
	if made == nil {
		return nil
	}
	blank := made(vm)
	if !alike(reflect.TypeOf(blank), reflect.TypeOf(undefined), 0) {
		return nil
	}
	tracker, ok := reflect.TypeFor[goja.Runtime]().FieldByName("asyncContextTracker")
	globals, hasGlobals := reflect.TypeFor[goja.Runtime]().FieldByName("global")
	if !ok || tracker.Type != reflect.TypeFor[goja.AsyncContextTracker]() || !hasGlobals || globals.Type.Kind() != reflect.Struct {
		return nil
	}
	var hidden []uintptr
	for _, name := range []string{"AsyncFunctionPrototype", "GeneratorFunctionPrototype", "GeneratorPrototype"} {
		f, ok := globals.Type.FieldByName(name)
		if !ok || f.Type != reflect.TypeFor[*goja.Object]() {
			return nil
		}
		hidden = append(hidden, globals.Offset+f.Offset)
	}
	machine, hasMachine := reflect.TypeFor[goja.Runtime]().FieldByName("vm")
	if !hasMachine || machine.Type.Kind() != reflect.Pointer || machine.Type.Elem().Kind() != reflect.Struct {
		return nil
	}
	stack, hasStack := machine.Type.Elem().FieldByName("stack")
	sp, hasPointer := machine.Type.Elem().FieldByName("sp")
	if !hasStack || !stack.Type.ConvertibleTo(reflect.TypeFor[[]goja.Value]()) || !hasPointer || sp.Type.Kind() != reflect.Int {
		return nil
	}
	return &layout{
		vm: machine.Offset, stack: stack.Offset, sp: sp.Offset,
		plain:  typeBehind(plain),
		object: selfWords(plain).typ, templated: selfWords(global).typ, function: selfWords(function).typ, buffer: selfWords(buffer).typ, property: (*words)(unsafe.Pointer(&blank)).typ,
		tracker: tracker.Offset, asyncProto: hidden[0], generatorFunctionProto: hidden[1], generatorProto: hidden[2],
	}
})

// typeBehind is the type of the struct that goja has behind an object, or nil.
func typeBehind(o *goja.Object) reflect.Type {
	self := reflect.ValueOf(o).Elem().FieldByName("self")
	if !self.IsValid() || self.Kind() != reflect.Interface || self.Elem().Kind() != reflect.Pointer || self.Elem().Elem().Kind() != reflect.Struct {
		return nil
	}
	return self.Elem().Elem().Type()
}

// alike reports whether memory of type t can be looked at as of type want: fields of structs have the same names and
// places, and types that are not structs are of one kind, where it matters to the same type. It follows pointers to structs.
func alike(t, want reflect.Type, depth int) bool {
	switch {
	case t == nil || depth > 8:
		return false
	case t == want || want == reflect.TypeFor[unsafe.Pointer]() && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Map):
		return true
	case want == reflect.TypeFor[words]():
		return t.Kind() == reflect.Interface && t.NumMethod() > 0 || t.Kind() == reflect.Pointer
	case t.Kind() != want.Kind() || t.Size() != want.Size():
		return false
	}
	switch t.Kind() {
	case reflect.Pointer:
		return alike(t.Elem(), want.Elem(), depth+1)
	case reflect.Slice:
		return alike(t.Elem(), want.Elem(), depth+1)
	case reflect.Map:
		return t.Key() == want.Key() && alike(t.Elem(), want.Elem(), depth+1)
	case reflect.Func:
		return t.ConvertibleTo(want)
	case reflect.Struct:
		if t.NumField() != want.NumField() {
			return false
		}
		for i := range t.NumField() {
			f, w := t.Field(i), want.Field(i)
			renamed := t == reflect.TypeFor[goja.Object]() && w.Name == "vm" && f.Name == "runtime"
			if f.Name != w.Name && !renamed || f.Offset != w.Offset || !alike(f.Type, w.Type, depth+1) {
				return false
			}
		}
		return true
	}
	return false
}

// selfOf returns the struct that goja has behind an object, or the zero Value.
func selfOf(o *goja.Object) reflect.Value {
	if typeBehind(o) == nil {
		return reflect.Value{}
	}
	return reflect.ValueOf(o).Elem().FieldByName("self").Elem().Elem()
}

// words are an interface value.
type words struct{ typ, data unsafe.Pointer }

// selfWords is the interface that goja has behind an object.
func selfWords(o *goja.Object) words { return *(*words)(unsafe.Pointer(o)) }

// value returns a property as goja keeps it.
func (l *layout) value(p *property) (v goja.Value) {
	*(*words)(unsafe.Pointer(&v)) = words{l.property, unsafe.Pointer(p)}
	return v
}

// propertyOf returns what v is if goja keeps it as a property with attributes, or nil.
func (l *layout) propertyOf(v goja.Value) *property {
	if w := *(*words)(unsafe.Pointer(&v)); w.typ == l.property {
		return (*property)(w.data)
	}
	return nil
}

// runtimeOf returns the Runtime of a goja's.
func (l *layout) runtimeOf(vm *goja.Runtime) *Runtime {
	return (*(*goja.AsyncContextTracker)(unsafe.Add(unsafe.Pointer(vm), l.tracker))).(tracker).rt
}

// stackOf returns where a runtime has its stack, and how much of that is in use.
func (l *layout) stackOf(vm *goja.Runtime) (stack *[]goja.Value, used int) {
	machine := *(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(vm), l.vm))
	return (*[]goja.Value)(unsafe.Add(machine, l.stack)), *(*int)(unsafe.Add(machine, l.sp))
}

// hidden returns where a runtime keeps a prototype; it is nil until it is used.
func hidden(vm *goja.Runtime, at uintptr) **goja.Object {
	return (**goja.Object)(unsafe.Add(unsafe.Pointer(vm), at))
}

// templateOf returns the template of an object that has one, or nil.
func (l *layout) templateOf(o *goja.Object) **template {
	if w := selfWords(o); w.typ == l.templated || w.typ == l.function {
		return &(*templatedObject)(w.data).tmpl
	}
	return nil
}

// newObject returns an object with the properties of a template.
func (l *layout) newObject(vm *goja.Runtime, proto *goja.Object, t *template) *goja.Object {
	s := &struct {
		object
		templatedObject
	}{}
	s.object = object{words{l.templated, unsafe.Pointer(&s.templatedObject)}, vm}
	o := (*goja.Object)(unsafe.Pointer(&s.object))
	s.class, s.val, s.prototype, s.extensible = "Object", o, proto, true
	s.values, s.tmpl, s.protoMaterialised = map[unistring.String]goja.Value{}, t, true
	return o
}

// newFunc returns a function with the properties of a template. A nil construct means that it is no constructor.
func (l *layout) newFunc(vm *goja.Runtime, proto *goja.Object, t *template, fn func(goja.FunctionCall) goja.Value, construct func([]goja.Value, *goja.Object) *goja.Object) *goja.Object {
	s := &struct {
		object
		templatedFunc
	}{}
	s.object = object{words{l.function, unsafe.Pointer(&s.templatedFunc)}, vm}
	o := (*goja.Object)(unsafe.Pointer(&s.object))
	s.class, s.val, s.prototype, s.extensible = "Function", o, proto, true
	s.values, s.tmpl, s.protoMaterialised = map[unistring.String]goja.Value{}, t, true
	s.f, s.construct = fn, construct
	return o
}

// put adds a property to a template that no object has yet.
func (t *template) put(name string, make propertyFactory) {
	n := unistring.NewFromString(name)
	if t.props == nil {
		t.props = map[unistring.String]propertyFactory{}
	}
	if t.props[n] == nil {
		t.propNames = append(t.propNames, n)
	}
	t.props[n] = make
}

// putSymbol is put for a symbol.
func (t *template) putSymbol(s *goja.Symbol, make propertyFactory) {
	if t.symProps == nil {
		t.symProps = map[*goja.Symbol]propertyFactory{}
	}
	if t.symProps[s] == nil {
		t.symPropNames = append(t.symPropNames, s)
	}
	t.symProps[s] = make
}

// An amendment changes templates of goja's, of which it makes copies: one for each, for all runtimes.
type amendment struct {
	change func(*template) // of the copy
	copies sync.Map        // by what they are of
}

// amend gives an object, whose template is in field, an amended one.
func amend(field **template, a *amendment) {
	if t, ok := a.copies.Load(*field); ok {
		*field = t.(*template)
		return
	}
	t := **field
	t.props, t.propNames = maps.Clone(t.props), slices.Clone(t.propNames)
	a.change(&t)
	made, _ := a.copies.LoadOrStore(*field, &t)
	*field = made.(*template)
}

// has reports whether the template has a property of a name.
func (t *template) has(name string) bool { return t.props[unistring.NewFromString(name)] != nil }
