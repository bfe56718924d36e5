package jsrt

import (
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// A native function takes goja over a kilobyte, and a class has twenty. Members of a class are made
// when they are first asked for: its prototype becomes an object with a template, as
// goja's own prototypes are. See RATIONALE.md, "Globals in goja's template".

// members are those of a prototype that is such an object. Nil has none: they are made at once.
type members struct {
	names  *[]unistring.String // of the template
	listed *[]unistring.String // of the object, once somebody has asked for a list
	props  reflect.Value       // of the template: a map of names to propertyFactory
}

// layout is what is known of goja's types, or nil if they are not those known here.
type layout struct {
	plain     reflect.Type // baseObject
	templated reflect.Type // templatedObject
	template  reflect.Type // objectTemplate
	props     reflect.Type // of a template
	blank     propertyFactory
}

var knownLayout = sync.OnceValue(func() *layout {
	vm := goja.New()
	field := templateOf(vm.GlobalObject())
	plain := selfOf(vm.NewObject())
	if !field.IsValid() || field.Kind() != reflect.Pointer || field.IsNil() || !plain.IsValid() {
		return nil
	}
	props := field.Elem().FieldByName("props")
	if _, ok := exposed(field.Elem().FieldByName("propNames")).(*[]unistring.String); !ok || !isFactories(props) {
		return nil
	}
	l := &layout{plain: plain.Type(), templated: selfOf(vm.GlobalObject()).Type(), template: field.Type().Elem(), props: props.Type()}
	base, ok := l.templated.FieldByName("baseObject")
	if _, isNames := exposed(plain.FieldByName("propNames")).(*[]unistring.String); !ok || !isNames || base.Type != l.plain {
		return nil
	}
	l.blank = blankOf(props, vm)
	if l.blank == nil {
		return nil
	}
	return l
})

// selfOf returns the struct that goja has behind an object, or the zero Value.
func selfOf(o *goja.Object) reflect.Value {
	self := reflect.ValueOf(o).Elem().FieldByName("self")
	if !self.IsValid() || self.Kind() != reflect.Interface || self.Elem().Kind() != reflect.Pointer || self.Elem().Elem().Kind() != reflect.Struct {
		return reflect.Value{}
	}
	return self.Elem().Elem()
}

// isFactories reports whether props is what a template keeps its properties in.
func isFactories(props reflect.Value) bool {
	return props.IsValid() && props.Kind() == reflect.Map && props.Type().Key() == reflect.TypeFor[unistring.String]() &&
		props.Type().Elem().ConvertibleTo(reflect.TypeFor[propertyFactory]())
}

// blankOf returns what makes a property that is undefined and read-only, or nil if
// goja's properties are not laid out as known.
func blankOf(props reflect.Value, vm *goja.Runtime) propertyFactory {
	f := reflect.NewAt(props.Type(), unsafe.Pointer(props.UnsafeAddr())).Elem().MapIndex(reflect.ValueOf(unistring.String("undefined")))
	if !f.IsValid() {
		return nil
	}
	blank := f.Convert(reflect.TypeFor[propertyFactory]()).Interface().(propertyFactory)
	if !sameLayout(reflect.TypeOf(blank(vm)), reflect.TypeFor[*property]()) {
		return nil
	}
	return blank
}

// layoutOf returns the layout of a property that was blank.
func layoutOf(p goja.Value) *property {
	return (*property)((*[2]unsafe.Pointer)(unsafe.Pointer(&p))[1])
}

// templated gives a new ordinary object a template of its own.
func templated(o *goja.Object) *members {
	l := knownLayout()
	if l == nil {
		return nil
	}
	old := selfOf(o)
	if !old.IsValid() || old.Type() != l.plain {
		return nil
	}
	self := reflect.New(l.templated)
	base := self.Elem().FieldByName("baseObject")
	base = reflect.NewAt(l.plain, unsafe.Pointer(base.UnsafeAddr())).Elem()
	base.Set(reflect.NewAt(l.plain, unsafe.Pointer(old.UnsafeAddr())).Elem())
	tmpl := reflect.New(l.template)
	m := &members{
		names:  exposed(tmpl.Elem().FieldByName("propNames")).(*[]unistring.String),
		listed: exposed(base.FieldByName("propNames")).(*[]unistring.String),
	}
	*m.names, *m.listed = slices.Clone(*m.listed), nil
	props := tmpl.Elem().FieldByName("props")
	m.props = reflect.NewAt(l.props, unsafe.Pointer(props.UnsafeAddr())).Elem()
	m.props.Set(reflect.MakeMap(l.props))
	field := self.Elem().FieldByName("tmpl")
	reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Set(tmpl)
	field = reflect.ValueOf(o).Elem().FieldByName("self")
	reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Set(self)
	return m
}

// add adds a member that make gives when it is asked for. It returns false if the member must be made at once.
func (m *members) add(name string, make func() goja.Value) bool {
	if m == nil || *m.listed != nil {
		return false
	}
	n := unistring.NewFromString(name)
	key := reflect.ValueOf(n)
	if slices.Contains(*m.names, n) {
		return false
	}
	factory := propertyFactory(func(*goja.Runtime) goja.Value { return make() })
	m.props.SetMapIndex(key, reflect.ValueOf(factory).Convert(m.props.Type().Elem()))
	*m.names = append(*m.names, n)
	return true
}

// accessor returns the property of an attribute, as a template has it.
func accessor(vm *goja.Runtime, get, set *goja.Object) goja.Value {
	p := knownLayout().blank(vm)
	a := layoutOf(p)
	*a = property{configurable: true, enumerable: true, accessor: true, getterFunc: get, setterFunc: set}
	return p
}
