package webapi

import (
	"slices"
	"time"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// cloneGlobals is structuredClone.
var cloneGlobals = []global{function("structuredClone", 1, (*Realm).structuredClone)}

// maxCloneDepth bounds how deep the objects that are cloned nest.
const maxCloneDepth = 2000

// A cloner is a run of structured cloning. It serializes and deserializes in
// one pass, which code cannot tell: the copies are not seen before the end.
type cloner struct {
	r     *Realm
	done  map[*goja.Object]*goja.Object
	depth int
}

func (r *Realm) structuredClone(c goja.FunctionCall) goja.Value {
	r.argc(c, 1, "structuredClone")
	var transfer []*goja.Object
	if list := member(r.dictionary(c.Argument(1), "The options"), "transfer"); list != nil {
		transfer = r.transferList(list)
	}
	return r.cloneWith(c.Argument(0), transfer)
}

// clone returns a structured clone.
func (r *Realm) clone(v goja.Value) goja.Value { return r.cloneWith(v, nil) }

// transferList converts a sequence of transferable objects: ArrayBuffers.
func (r *Realm) transferList(v goja.Value) (list []*goja.Object) {
	o, ok := v.(*goja.Object)
	if !ok {
		r.TypeError("The transfer list is not iterable")
	}
	r.VM.ForOf(o, func(v goja.Value) bool {
		o, ok := v.(*goja.Object)
		if !ok {
			r.TypeError("A member of the transfer list is not an object")
		}
		if slices.Contains(list, o) {
			r.throw("DataCloneError", "The transfer list holds an object twice.")
		}
		list = append(list, o)
		return true
	})
	return list
}

// arrayBuffer returns the engine's view of an ArrayBuffer; a carrier is none.
func arrayBuffer(o *goja.Object) (goja.ArrayBuffer, bool) {
	if kindOf(o) != kindBuffer || jsrt.Unwrap(o) != nil {
		return goja.ArrayBuffer{}, false
	}
	ab, ok := o.Export().(goja.ArrayBuffer)
	return ab, ok
}

func (r *Realm) cloneWith(v goja.Value, transfer []*goja.Object) goja.Value {
	c := &cloner{r: r, done: map[*goja.Object]*goja.Object{}}
	for _, o := range transfer {
		ab, ok := arrayBuffer(o)
		if !ok {
			r.throw("DataCloneError", "An object of the transfer list is not transferable.")
		}
		if ab.Detached() {
			r.throw("DataCloneError", "An ArrayBuffer of the transfer list is detached.")
		}
		c.done[o] = r.Buffer(ab.Bytes()).(*goja.Object)
	}
	out := c.value(v)
	for _, o := range transfer {
		ab, _ := arrayBuffer(o)
		ab.Detach()
	}
	return out
}

func (c *cloner) fail(what string) {
	c.r.throw("DataCloneError", what+" could not be cloned.")
}

// refuse is fail in V8's words for a value: the source of a function, the class of
// another object.
func (c *cloner) refuse(v goja.Value) {
	o, ok := v.(*goja.Object)
	if !ok {
		c.fail("Symbol(" + v.String() + ")")
	}
	if _, callable := goja.AssertFunction(o); callable && kindOf(o) == kindFunction {
		c.fail(o.String())
	}
	if ctor, ok := o.Get("constructor").(*goja.Object); ok {
		if name := ctor.Get("name"); name != nil && goja.IsString(name) && name.String() != "" {
			c.fail("#<" + name.String() + ">")
		}
	}
	c.fail("#<Object>")
}

func (c *cloner) value(v goja.Value) goja.Value {
	switch v := v.(type) {
	case *goja.Symbol:
		c.refuse(v)
	case *goja.Object:
		if out := c.done[v]; out != nil {
			return out
		}
		if c.depth++; c.depth > maxCloneDepth {
			c.r.RangeError("The objects to clone are nested deeper than %d levels", maxCloneDepth)
		}
		defer func() { c.depth-- }()
		return c.object(v)
	}
	return v
}

// keep remembers a copy before what it holds is cloned, for cycles.
func (c *cloner) keep(o, out *goja.Object) *goja.Object {
	c.done[o] = out
	return out
}

func (c *cloner) object(o *goja.Object) goja.Value {
	r := c.r
	switch k := kindOf(o); k {
	case kindPlain, kindArguments:
		return c.members(o, c.keep(o, r.VM.NewObject()))
	case kindArray:
		out := c.keep(o, r.VM.NewArray())
		if err := out.Set("length", o.Get("length")); err != nil {
			panic(err)
		}
		return c.members(o, out)
	case kindError:
		return c.error(o)
	case kindDate:
		ms := goja.NaN()
		if t, ok := o.Export().(time.Time); ok {
			ms = r.VM.ToValue(t.UnixMilli())
		}
		return c.keep(o, r.make("Date", ms))
	case kindRegExp:
		source, flags := r.regExpParts(o)
		return c.keep(o, r.make("RegExp", r.VM.ToValue(source), r.VM.ToValue(flags)))
	case kindBoxed:
		v := r.VM.ToValue(o.Export())
		if _, isString := v.Export().(string); isString { // only a symbol exports as one
			c.fail("Object")
		}
		return c.keep(o, v.ToObject(r.VM))
	case kindBoxedString:
		return c.keep(o, r.call(stringValue, o).ToObject(r.VM))
	case kindMap, kindSet:
		return c.collection(o, k)
	case kindBuffer:
		return c.buffer(o)
	case kindTypedArray, kindDataView:
		return c.view(o, k)
	case kindProxy:
		c.fail("#<Object>")
	}
	c.refuse(o)
	return nil
}

// make constructs an instance of a standard class.
func (r *Realm) make(class string, args ...goja.Value) *goja.Object {
	ctor, ok := goja.AssertConstructor(r.VM.Get(class))
	if !ok {
		r.TypeError("%s is not a constructor", class) // the code replaced it
	}
	o, err := ctor(nil, args...)
	if err != nil {
		panic(err)
	}
	return o
}

// members clones the own enumerable properties with string keys.
func (c *cloner) members(o, out *goja.Object) *goja.Object {
	c.r.EachMember(o, func(key jsrt.Key, v goja.Value) { c.r.DataAt(out, key, c.value(v)) })
	return out
}

// errorNames are the classes of errors that are cloned as themselves.
var errorNames = []string{"Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"}

func (c *cloner) error(o *goja.Object) goja.Value {
	r, name := c.r, "Error"
	if v := o.Get("name"); v != nil && !goja.IsUndefined(v) {
		if s := r.str(v); slices.Contains(errorNames, s) {
			name = s
		}
	}
	message := r.ownValue(o, "message")
	var out *goja.Object
	if message == nil {
		out = r.make(name)
	} else {
		out = r.make(name, r.VM.ToValue(r.str(message)))
	}
	c.keep(o, out)
	hidden := func(key string, v goja.Value) {
		out.DefineDataProperty(key, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	if stack := r.ownValue(o, "stack"); stack != nil && goja.IsString(stack) {
		hidden("stack", stack)
	}
	if cause := r.ownValue(o, "cause"); cause != nil {
		hidden("cause", c.value(cause))
	}
	return out
}

// ownValue returns the value of an own data property, or nil. It runs no getter.
func (r *Realm) ownValue(o *goja.Object, key string) goja.Value {
	d, ok := r.call(getDescriptor, nil, o, r.VM.ToValue(key)).(*goja.Object)
	if !ok {
		return nil
	}
	return d.Get("value")
}

func (c *cloner) collection(o *goja.Object, k kind) goja.Value {
	r := c.r
	type entry struct{ key, value goja.Value }
	var entries []entry
	r.walk(o, k, func(key, value goja.Value) bool {
		entries = append(entries, entry{key, value})
		return true
	})
	if k == kindSet {
		out := c.keep(o, r.make("Set"))
		for _, e := range entries {
			r.call(setAdd, out, c.value(e.key))
		}
		return out
	}
	out := c.keep(o, r.make("Map"))
	for _, e := range entries {
		key := c.value(e.key)
		r.call(mapSet, out, key, c.value(e.value))
	}
	return out
}

// buffer clones an ArrayBuffer, or an object of a native class that is serializable.
func (c *cloner) buffer(o *goja.Object) goja.Value {
	r := c.r
	switch x := jsrt.Unwrap(o).(type) {
	case nil:
	case *domException:
		e := *x
		return c.keep(o, r.domExceptionClass().New(&e))
	case *blob:
		class := r.blobClass()
		if x.file {
			class = r.fileClass()
		}
		return c.keep(o, class.New(x)) // its state never changes
	case *cryptoKey:
		return c.keep(o, r.cryptoKeyClass().New(x.clone()))
	default:
		c.refuse(o)
	}
	ab, ok := arrayBuffer(o)
	if !ok || ab.Detached() {
		c.fail("A detached ArrayBuffer")
	}
	return c.keep(o, r.Buffer(slices.Clone(ab.Bytes())).(*goja.Object))
}

// view clones a typed array or a DataView over the clone of its buffer.
func (c *cloner) view(o *goja.Object, k kind) goja.Value {
	r := c.r
	name, get := "DataView", [3]intrinsic{viewBuffer, viewOffset, viewLength}
	if k == kindTypedArray {
		name, get = r.call(typedName, o).String(), [3]intrinsic{typedBuffer, typedOffset, typedLength}
	}
	buffer, ok := r.call(get[0], o).(*goja.Object)
	if ab, _ := arrayBuffer(buffer); !ok || ab.Detached() {
		c.fail("A view of a detached ArrayBuffer")
	}
	offset, length := r.call(get[1], o), r.call(get[2], o)
	return c.keep(o, r.make(name, c.value(buffer), offset, length))
}
