package webapi

import (
	"bytes"
	"slices"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// completeErrors adds Error.captureStackTrace, of V8 (https://v8.dev/docs/stack-trace-api).
func (r *Realm) completeErrors() {
	r.define(r.VM.Get("Error"), "captureStackTrace", 2, func(c goja.FunctionCall) goja.Value {
		o, ok := c.Argument(0).(*goja.Object)
		if !ok {
			r.TypeError("Invalid argument")
		}
		until := ""
		if fn, ok := c.Argument(1).(*goja.Object); ok {
			until = fn.Get("name").String()
		}
		jsrt.Hide(o, "stack", r.VM.ToValue(r.stackTrace(o, until)))
		return goja.Undefined()
	})
}

// stackTrace words the call stack as the stack of an error. Frames down to that of the function
// until are left out, if it is on the stack.
func (r *Realm) stackTrace(o *goja.Object, until string) string {
	var b bytes.Buffer
	b.WriteString(r.errorTitle(o))
	b.WriteByte('\n')
	frames := slices.DeleteFunc(r.VM.CaptureCallStack(exceptionStack, nil), func(f goja.StackFrame) bool { return ownFrame(&f) })
	if len(frames) > 0 && frames[0].SrcName() == "<native>" {
		frames = frames[1:] // captureStackTrace itself
	}
	for _, f := range frames[below(frames, until):] {
		b.WriteString("\tat ")
		f.Write(&b)
		b.WriteByte('\n')
	}
	return b.String()
}

// below returns how many frames there are down to that of the function. goja does
// not name the frames of constructors.
func below(frames []goja.StackFrame, function string) int {
	if function == "" {
		return 0
	}
	for i := range frames {
		if frames[i].FuncName() == function {
			return i + 1
		}
	}
	for i := range frames {
		if name := frames[i].FuncName(); name != "" && name != "<anonymous>" {
			return i
		}
	}
	return 0
}

// errorTitle is what Error.prototype.toString gives for o.
func (r *Realm) errorTitle(o *goja.Object) string {
	part := func(name, otherwise string) string {
		if v := o.Get(name); v != nil && !goja.IsUndefined(v) {
			return v.String()
		}
		return otherwise
	}
	name, message := part("name", "Error"), part("message", "")
	switch {
	case name == "":
		return message
	case message == "":
		return name
	}
	return name + ": " + message
}

// completeStrings adds String.prototype.isWellFormed and toWellFormed.
func (r *Realm) completeStrings() {
	text := func(c goja.FunctionCall) goja.String {
		if !jsrt.Defined(c.This) {
			r.TypeError("Cannot convert undefined or null to object")
		}
		return c.This.ToString().(goja.String)
	}
	// lone returns the index of the next surrogate without its other half, or the length.
	lone := func(s goja.String, from int) int {
		for i, n := from, s.Length(); i < n; i++ {
			switch c := s.CharAt(i); {
			case c < 0xd800 || c > 0xdfff:
			case c < 0xdc00 && i+1 < n && s.CharAt(i+1)&0xfc00 == 0xdc00:
				i++
			default:
				return i
			}
		}
		return s.Length()
	}
	proto := r.proto("String")
	r.define(proto, "isWellFormed", 0, func(c goja.FunctionCall) goja.Value {
		s := text(c)
		return r.VM.ToValue(lone(s, 0) == s.Length())
	})
	r.define(proto, "toWellFormed", 0, func(c goja.FunctionCall) goja.Value {
		s := text(c)
		var b goja.StringBuilder
		for from := 0; ; {
			i := lone(s, from)
			b.WriteSubstring(s, from, i)
			if i == s.Length() {
				return b.String()
			}
			b.WriteRune(0xfffd)
			from = i + 1
		}
	})
}

// A weakRef is what a WeakRef carries. It holds its target strongly: an isolate lives
// shortly and in bounded memory, and nobody may rely on when a target goes.
type weakRef struct{ target goja.Value }

// completeWeak adds WeakRef and FinalizationRegistry, which never calls back: ECMAScript promises no call.
func (r *Realm) completeWeak() {
	held := func(v goja.Value) bool {
		switch v.(type) {
		case *goja.Object, *goja.Symbol:
			return true
		}
		return false
	}
	add := func(name string, construct func(goja.ConstructorCall) any, define func(*jsrt.Class)) {
		if v := r.Global.Get(name); v == nil || goja.IsUndefined(v) {
			r.DefineGlobal(name, r.Class(name, 1, construct, define).Ctor)
		}
	}
	hide := func(k *jsrt.Class, name string, length int, fn func(goja.FunctionCall) goja.Value) {
		jsrt.Hide(k.Proto, name, r.Func(name, length, fn))
	}
	add("WeakRef", func(c goja.ConstructorCall) any {
		if !held(c.Argument(0)) {
			r.TypeError("WeakRef: target must be an object")
		}
		return &weakRef{c.Argument(0)}
	}, func(k *jsrt.Class) {
		hide(k, "deref", 0, func(c goja.FunctionCall) goja.Value { return jsrt.This[*weakRef](r.Runtime, c.This).target })
	})
	type registry struct{}
	add("FinalizationRegistry", func(c goja.ConstructorCall) any {
		if _, ok := goja.AssertFunction(c.Argument(0)); !ok {
			r.TypeError("FinalizationRegistry: cleanup must be callable")
		}
		return &registry{}
	}, func(k *jsrt.Class) {
		hide(k, "register", 2, func(c goja.FunctionCall) goja.Value {
			jsrt.This[*registry](r.Runtime, c.This)
			if !held(c.Argument(0)) {
				r.TypeError("FinalizationRegistry.prototype.register: invalid target")
			}
			return goja.Undefined()
		})
		hide(k, "unregister", 1, func(c goja.FunctionCall) goja.Value {
			jsrt.This[*registry](r.Runtime, c.This)
			return r.VM.ToValue(false)
		})
	})
}

// completeBuffers adds ArrayBuffer.prototype.transfer and its kin. Buffers do not change their length.
func (r *Realm) completeBuffers() {
	proto := r.proto("ArrayBuffer")
	transfer := func(c goja.FunctionCall) goja.Value {
		o, ok := c.This.(*goja.Object)
		if !ok {
			r.TypeError("Receiver is not an ArrayBuffer")
		}
		b, ok := arrayBuffer(o)
		if !ok {
			r.TypeError("Receiver is not an ArrayBuffer")
		}
		length := r.VM.ToValue(len(b.Bytes()))
		if v := c.Argument(0); !goja.IsUndefined(v) {
			length = r.VM.ToValue(v.ToInteger())
		}
		if b.Detached() {
			r.TypeError("Cannot perform ArrayBuffer.prototype.transfer on a detached ArrayBuffer")
		}
		to, err := r.VM.New(r.VM.Get("ArrayBuffer"), length) // which knows what may be allocated
		if err != nil {
			panic(err)
		}
		if made, ok := arrayBuffer(to); ok {
			copy(made.Bytes(), b.Bytes())
		}
		b.Detach()
		return to
	}
	r.define(proto, "transfer", 0, transfer)
	r.define(proto, "transferToFixedLength", 0, transfer)
	if o, ok := proto.(*goja.Object); ok && o.Get("detached") == nil {
		o.DefineAccessorProperty("detached", r.Func("get detached", 0, func(c goja.FunctionCall) goja.Value {
			if o, ok := c.This.(*goja.Object); ok {
				if b, ok := arrayBuffer(o); ok {
					return r.VM.ToValue(b.Detached())
				}
			}
			r.TypeError("Receiver is not an ArrayBuffer")
			return nil
		}), nil, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
}
