package jsrt

import "github.com/dop251/goja"

// revive gives a reviver what was read, from the inside out.
func (rt *Runtime) revive(v goja.Value, reviver goja.Callable) goja.Value {
	root := rt.VM.NewObject()
	Data(root, "", v)
	defer func(depth int) { rt.json.depth = depth }(rt.json.depth)
	return rt.reviveProperty(root, jsonKey{}, reviver)
}

// reviveProperty is InternalizeJSONProperty of ECMA-262.
func (rt *Runtime) reviveProperty(holder *goja.Object, key jsonKey, reviver goja.Callable) goja.Value {
	v := key.get(rt, holder)
	if v == nil {
		v = goja.Undefined()
	}
	if o, ok := v.(*goja.Object); ok {
		if rt.json.depth++; rt.json.depth > maxJSONDepth {
			rt.RangeError("JSON is nested too deeply")
		}
		rt.reviveMembers(o, reviver)
		rt.json.depth--
	}
	return rt.Call(reviver, holder, key.value(rt), v)
}

func (rt *Runtime) reviveMembers(o *goja.Object, reviver goja.Callable) {
	member := func(k jsonKey) {
		if v := rt.reviveProperty(o, k, reviver); goja.IsUndefined(v) {
			rt.deleteProperty(o, k)
		} else {
			rt.createProperty(o, k, v)
		}
	}
	if isArray(rt, o) {
		for i := range toLength(o.Get("length")) {
			member(jsonKey{name: jsonIndex(int(i))})
		}
		return
	}
	names := o.Keys()
	if odd := rt.oddKeys(o, names); odd != nil {
		for _, k := range odd {
			member(k)
		}
		return
	}
	for _, n := range names {
		member(jsonKey{name: n})
	}
}

// createProperty is CreateDataProperty, which does not mind where it is refused.
func (rt *Runtime) createProperty(o *goja.Object, k jsonKey, v goja.Value) {
	if k.odd != nil || o.ExportType() == proxyType {
		rt.Call(rt.jsonOdd().define, goja.Undefined(), o, k.value(rt), v)
		return
	}
	Data(o, k.name, v)
}

// deleteProperty is [[Delete]].
func (rt *Runtime) deleteProperty(o *goja.Object, k jsonKey) {
	if k.odd != nil || o.ExportType() == proxyType {
		rt.Call(rt.jsonOdd().delete, goja.Undefined(), o, k.value(rt))
		return
	}
	o.Delete(k.name)
}
