package webapi

import (
	"strconv"

	"github.com/dop251/goja"
)

// goja hands the traps apply and construct an array on top of its own stack, which
// holds other values once the trap has returned: a client that keeps the arguments
// until its request is sent would send those. So a Proxy of a function gets a handler
// in front of its own, which copies them.

// completeProxy replaces Proxy by one that does so.
func (r *Realm) completeProxy() {
	original, ok := r.VM.Get("Proxy").(*goja.Object)
	if !ok {
		return
	}
	revocable, ok := goja.AssertFunction(original.Get("revocable"))
	if !ok {
		return
	}
	ctor := r.VM.ToValue(func(c goja.ConstructorCall) *goja.Object {
		p, err := r.VM.New(original, c.Argument(0), r.copying(c.Argument(0), c.Argument(1)))
		if err != nil {
			panic(err)
		}
		return p
	}).(*goja.Object)
	r.NewOnly(ctor, "Proxy")
	ctor.DefineDataProperty("name", r.VM.ToValue("Proxy"), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	ctor.DefineDataProperty("length", r.VM.ToValue(2), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	r.Method(ctor, "revocable", 2, func(c goja.FunctionCall) goja.Value {
		return r.Call(revocable, original, c.Argument(0), r.copying(c.Argument(0), c.Argument(1)))
	})
	r.DefineGlobal("Proxy", ctor)
}

// copying returns what goja gets as the handler of a proxy.
func (r *Realm) copying(target, handler goja.Value) goja.Value {
	h, ok := handler.(*goja.Object)
	if _, callable := goja.AssertFunction(target); !callable || !ok {
		return handler
	}
	return r.VM.NewDynamicObject(&traps{r: r, of: h})
}

// traps is a handler in front of another. It asks that one each time, as code may
// change it.
type traps struct {
	r    *Realm
	of   *goja.Object
	made map[string]trap
}

// A trap is a function of the other handler, and what calls it.
type trap struct{ of, calls goja.Value }

func (t *traps) Get(name string) goja.Value {
	v := t.of.Get(name)
	fn, ok := goja.AssertFunction(v)
	if !ok {
		return v
	}
	if m := t.made[name]; m.of == v {
		return m.calls
	}
	list := -1 // which argument is a list of arguments
	switch name {
	case "apply":
		list = 2
	case "construct":
		list = 1
	}
	calls := t.r.VM.ToValue(func(c goja.FunctionCall) goja.Value {
		args := append([]goja.Value(nil), c.Arguments...)
		if list >= 0 && list < len(args) {
			args[list] = t.r.copyArray(args[list])
		}
		return t.r.Call(fn, t.of, args...)
	})
	if t.made == nil {
		t.made = map[string]trap{}
	}
	t.made[name] = trap{v, calls}
	return calls
}

func (t *traps) Has(name string) bool        { return t.of.Get(name) != nil }
func (t *traps) Set(string, goja.Value) bool { return false }
func (t *traps) Delete(string) bool          { return false }
func (t *traps) Keys() []string              { return nil }

// copyArray copies an array that has no holes.
func (r *Realm) copyArray(v goja.Value) goja.Value {
	o, ok := v.(*goja.Object)
	if !ok {
		return v
	}
	values := make([]any, o.Get("length").ToInteger())
	for i := range values {
		values[i] = o.Get(strconv.Itoa(i))
	}
	return r.VM.NewArray(values...)
}
