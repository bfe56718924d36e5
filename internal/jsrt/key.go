package jsrt

import "github.com/dop251/goja"

// A Key is the name of a property. Unlike a Go string it has all that a string of
// JavaScript can hold.
type Key struct{ key jsonKey }

// String returns the key with U+FFFD in place of surrogates without a partner.
func (k Key) String() string { return k.key.name }

// EachMember calls fn for the own enumerable properties of o whose names are strings, in
// their order. What a getter removes before its turn is left out.
func (rt *Runtime) EachMember(o *goja.Object, fn func(Key, goja.Value)) {
	member := func(k jsonKey) {
		if v := k.get(rt, o); v != nil {
			fn(Key{k}, v)
		}
	}
	names := o.Keys()
	if odd := rt.oddKeys(o, names); odd != nil {
		for _, k := range odd {
			member(k)
		}
		return
	}
	for _, name := range names {
		member(jsonKey{name: name})
	}
}

// DataAt is [Data] for a key of another object.
func (rt *Runtime) DataAt(o *goja.Object, k Key, v goja.Value) { rt.createProperty(o, k.key, v) }
