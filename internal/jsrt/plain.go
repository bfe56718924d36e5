package jsrt

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// Large JSON is many small objects. goja's exported functions give the names of an object's properties
// as copies, one allocation each, and take one property at a time. The plain view is of what goja keeps itself,
// for ordinary objects and dense arrays; others, and all objects of a goja that is laid out otherwise,
// have none. See RATIONALE.md, "Globals in goja's template".

// plainObject is the beginning of goja's baseObject.
type plainObject struct {
	class      string
	val        *goja.Object
	prototype  *goja.Object
	extensible bool

	values    map[unistring.String]goja.Value
	propNames []unistring.String

	lastSortedPropLen, idxPropCount int
}

// plainArray is the beginning of goja's arrayObject, behind its baseObject.
type plainArray struct {
	values         []goja.Value
	length         uint32
	objCount       int
	propValueCount int
}

// plainView tells plain objects by the type that goja has behind them.
type plainView struct {
	object, array, property unsafe.Pointer // the first word of an interface
	elements                uintptr        // where the plainArray is in an array
}

var knownPlain = sync.OnceValue(func() *plainView {
	l := knownLayout()
	if l == nil || !beginsLike(l.plain, reflect.TypeFor[plainObject](), 0) {
		return nil
	}
	vm := goja.New()
	o, a := vm.NewObject(), vm.NewArray()
	array := selfOf(a)
	if !array.IsValid() || array.NumField() < 2 || array.Type().Field(0).Type != l.plain || reflect.TypeFor[goja.Object]().Field(0).Name != "self" {
		return nil
	}
	elements := array.Type().Field(1).Offset
	if !beginsLike(array.Type(), reflect.TypeFor[plainArray](), elements) {
		return nil
	}
	return &plainView{object: selfWords(o).typ, array: selfWords(a).typ, property: l.property, elements: elements}
})

// beginsLike reports whether a struct of type t has at offset the fields of want, of the same names, places and types.
func beginsLike(t, want reflect.Type, offset uintptr) bool {
	for i := range want.NumField() {
		w := want.Field(i)
		f, ok := t.FieldByName(w.Name)
		if !ok || len(f.Index) != 1 || f.Offset != offset+w.Offset || f.Type != w.Type {
			return false
		}
	}
	return true
}

// objectOf returns the view of an ordinary object, or nil.
func (p *plainView) objectOf(o *goja.Object) *plainObject {
	if p == nil {
		return nil
	}
	if w := selfWords(o); w.typ == p.object {
		return (*plainObject)(w.data)
	}
	return nil
}

// arrayOf returns the view of a dense array, or nil.
func (p *plainView) arrayOf(o *goja.Object) (*plainObject, *plainArray) {
	if p == nil {
		return nil, nil
	}
	w := selfWords(o)
	if w.typ != p.array {
		return nil, nil
	}
	return (*plainObject)(w.data), (*plainArray)(unsafe.Add(w.data, p.elements))
}

// isValue reports whether what goja keeps for a property is its value: it is there, writable, enumerable and configurable.
func (p *plainView) isValue(v goja.Value) bool {
	return v != nil && (*words)(unsafe.Pointer(&v)).typ != p.property
}

// inOrder reports whether the names are in the order of the properties: goja moves integers to the front when it is asked.
func (o *plainObject) inOrder() bool {
	for _, name := range o.propNames[min(o.lastSortedPropLen, len(o.propNames)):] {
		if name != "" && name[0]-'0' <= 9 {
			return false
		}
	}
	return true
}
