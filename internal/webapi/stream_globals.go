package webapi

import (
	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

var streamGlobals = []global{
	class("ReadableStream", (*Realm).readableStreamClass),
	class("ReadableStreamDefaultReader", (*Realm).defaultReaderClass),
	class("ReadableStreamBYOBReader", (*Realm).byobReaderClass),
	class("ReadableStreamDefaultController", (*Realm).defaultControllerClass),
	class("ReadableByteStreamController", (*Realm).byteControllerClass),
	class("ReadableStreamBYOBRequest", (*Realm).byobRequestClass),
	class("WritableStream", (*Realm).writableStreamClass),
	class("WritableStreamDefaultWriter", (*Realm).writerClass),
	class("WritableStreamDefaultController", (*Realm).writableControllerClass),
	class("TransformStream", (*Realm).transformStreamClass),
	class("TransformStreamDefaultController", (*Realm).transformControllerClass),
	class("CountQueuingStrategy", (*Realm).countStrategyClass),
	class("ByteLengthQueuingStrategy", (*Realm).byteLengthStrategyClass),
	class("IdentityTransformStream", (*Realm).identityTransformClass),
	class("FixedLengthStream", (*Realm).fixedLengthStreamClass),
	class("TextEncoderStream", (*Realm).textEncoderStreamClass),
	class("TextDecoderStream", (*Realm).textDecoderStreamClass),
	class("CompressionStream", (*Realm).compressionStreamClass),
	class("DecompressionStream", (*Realm).decompressionStreamClass),
}

// strategy is a queuing strategy's high-water mark, as it was given.
type strategy struct{ high goja.Value }

func (r *Realm) strategyClass(name string, args int, size func(goja.Value) goja.Value) *jsrt.Class {
	return r.Class(name, 1, func(c goja.ConstructorCall) any {
		v := jsrt.Option(c.Argument(0), "highWaterMark")
		if v == nil {
			r.TypeError("A queuing strategy needs an object with highWaterMark.")
		}
		return &strategy{r.VM.ToValue(r.number(v))}
	}, func(c *jsrt.Class) {
		fn := r.Func("size", args, func(f goja.FunctionCall) goja.Value { return size(f.Argument(0)) })
		this := func(v goja.Value) *strategy { return jsrt.This[*strategy](r.Runtime, v) }
		c.Getter("highWaterMark", func(v goja.Value) goja.Value { return this(v).high })
		c.Getter("size", func(v goja.Value) goja.Value { this(v); return fn })
	})
}

func (r *Realm) countStrategyClass() *jsrt.Class {
	return r.strategyClass("CountQueuingStrategy", 0, func(goja.Value) goja.Value { return r.VM.ToValue(1) })
}

func (r *Realm) byteLengthStrategyClass() *jsrt.Class {
	return r.strategyClass("ByteLengthQueuingStrategy", 1, func(v goja.Value) goja.Value {
		if !jsrt.Defined(v) {
			r.TypeError("undefined and null have no byteLength.")
		}
		if n := v.ToObject(r.VM).Get("byteLength"); n != nil {
			return n
		}
		return goja.Undefined()
	})
}
