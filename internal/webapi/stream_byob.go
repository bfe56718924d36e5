package webapi

import (
	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// takeBytes detaches the buffer of a view and returns its bytes and where the view lay in them.
func (r *Realm) takeBytes(v goja.Value) (data []byte, offset, length int) {
	buffer, offset, length := r.viewed(v)
	data = buffer.Bytes()
	buffer.Detach()
	return data, offset, length
}

// viewed returns the buffer of a view, which is not detached, and where the view lies in it.
func (r *Realm) viewed(v goja.Value) (buffer goja.ArrayBuffer, offset, length int) {
	o, ok := v.(*goja.Object)
	if !ok || r.ViewType(v) == "" {
		r.TypeError("The argument must be an ArrayBuffer view.")
	}
	view, _ := r.Bytes(v)
	of := o.Get("buffer") // which code may have hidden behind a property of its own
	if _, ok := r.Bytes(of); !ok || r.ViewType(of) != "" {
		r.TypeError("The view's buffer is no ArrayBuffer.")
	}
	buffer, ok = of.(*goja.Object).Export().(goja.ArrayBuffer)
	if !ok || buffer.Detached() {
		r.TypeError("The view's buffer is detached.")
	}
	offset = int(o.Get("byteOffset").ToInteger())
	length = len(view)
	if offset < 0 || offset+length > len(buffer.Bytes()) {
		r.TypeError("The view lies outside its buffer.")
	}
	return buffer, offset, length
}

func (s *readableStream) acquireBYOB() *streamReader {
	if !s.asBytes() {
		s.r.TypeError("A BYOB reader needs a byte stream.")
	}
	rd := s.acquire()
	rd.byob = true
	return rd
}

var elementSize = map[string]int{
	"Uint8Array": 1, "Uint8ClampedArray": 1, "Int8Array": 1, "DataView": 1, "Uint16Array": 2, "Int16Array": 2,
	"Uint32Array": 4, "Int32Array": 4, "Float32Array": 4, "Float64Array": 8, "BigInt64Array": 8, "BigUint64Array": 8,
}

func (r *Realm) byobReaderClass() *jsrt.Class {
	return r.Class("ReadableStreamBYOBReader", 1, func(c goja.ConstructorCall) any {
		s, ok := streamOf(c.Argument(0))
		if !ok {
			r.TypeError("ReadableStreamBYOBReader needs a ReadableStream.")
		}
		return s.acquireBYOB()
	}, func(c *jsrt.Class) {
		this := func(v goja.Value) *streamReader {
			rd := jsrt.This[*streamReader](r.Runtime, v)
			if !rd.byob {
				r.TypeError("Illegal invocation")
			}
			return rd
		}
		r.readerMembers(c, this)
		read := func(rd *streamReader, view, least goja.Value) goja.Value {
			kind := r.ViewType(view)
			if kind == "" {
				r.TypeError("read needs an ArrayBuffer view.")
			}
			elem := elementSize[kind]
			if b, _ := r.Bytes(view); len(b) == 0 {
				r.TypeError("read needs a view that is not empty.")
			}
			if rd.stream == nil {
				r.TypeError("This reader has been released.")
			}
			minimum := int64(1)
			if least != nil {
				if minimum = r.enforceRange(least, "min"); minimum == 0 {
					r.TypeError("min must be at least 1.")
				}
			}
			b, _ := r.Bytes(view)
			if minimum > int64(len(b)/elem) {
				r.RangeError("min must be at most the view's length.")
			}
			data, offset, length := r.takeBytes(view)
			q, p := r.promiseRequest()
			rd.stream.wasUsed = true
			if rd.stream.state == streamErrored {
				q.fail(rd.stream.stored)
				return p
			}
			rd.stream.ctrl.(*byteController).pullInto(&pullInto{data: data, offset: offset, length: length, least: int(minimum) * elem, elem: elem, view: kind}, q)
			return p
		}
		c.Async("read", 1, func(f goja.FunctionCall) goja.Value {
			rd := this(f.This)
			return read(rd, f.Argument(0), member(r.dictionary(f.Argument(1), "The options of read"), "min"))
		})
		c.Async("readAtLeast", 2, func(f goja.FunctionCall) goja.Value { // workerd's own
			return read(this(f.This), f.Argument(1), f.Argument(0))
		})
	})
}

func (r *Realm) byteControllerClass() *jsrt.Class {
	return r.Class("ReadableByteStreamController", 0, nil, func(k *jsrt.Class) {
		this := func(v goja.Value) *byteController { return jsrt.This[*byteController](r.Runtime, v) }
		k.Getter("byobRequest", func(v goja.Value) goja.Value {
			c := this(v)
			if c.request == nil {
				if len(c.pulls) == 0 {
					return goja.Null()
				}
				p := c.pulls[0]
				buffer := r.VM.NewArrayBuffer(p.data)
				view, err := r.VM.New(r.VM.Get("Uint8Array"), r.VM.ToValue(buffer), r.VM.ToValue(p.offset+p.filled), r.VM.ToValue(p.length-p.filled))
				if err != nil {
					panic(err)
				}
				c.request = &byobRequest{c: c, view: view, buffer: buffer}
				c.request.self = r.byobRequestClass().New(c.request)
			}
			return c.request.self
		})
		k.Getter("desiredSize", func(v goja.Value) goja.Value {
			c := this(v)
			switch c.s.state {
			case streamErrored:
				return goja.Null()
			case streamClosed:
				return r.VM.ToValue(0)
			}
			return r.VM.ToValue(c.high - float64(c.total))
		})
		k.Method("close", 0, func(f goja.FunctionCall) goja.Value {
			c := this(f.This)
			if !c.open() {
				r.TypeError("The stream is not in a state that permits close.")
			}
			c.close()
			return goja.Undefined()
		})
		k.Method("enqueue", 1, func(f goja.FunctionCall) goja.Value {
			c := this(f.This)
			if b, ok := r.Bytes(f.Argument(0)); !ok || r.ViewType(f.Argument(0)) == "" || len(b) == 0 {
				r.TypeError("enqueue needs an ArrayBuffer view that is not empty.")
			}
			if !c.open() {
				r.TypeError("The stream is not in a state that permits enqueue.")
			}
			if c.request != nil && c.request.buffer.Detached() {
				r.TypeError("The request's buffer is detached.")
			}
			data, offset, length := r.takeBytes(f.Argument(0))
			c.enqueue(data[offset : offset+length : offset+length])
			return goja.Undefined()
		})
		k.Method("error", 0, func(f goja.FunctionCall) goja.Value { this(f.This).error(f.Argument(0)); return goja.Undefined() })
	})
}

func (r *Realm) byobRequestClass() *jsrt.Class {
	return r.Class("ReadableStreamBYOBRequest", 0, nil, func(k *jsrt.Class) {
		this := func(v goja.Value) *byobRequest { return jsrt.This[*byobRequest](r.Runtime, v) }
		open := func(v goja.Value) *byobRequest {
			q := this(v)
			if q.c == nil || len(q.c.pulls) == 0 {
				r.TypeError("This BYOB request has been answered.")
			}
			return q
		}
		k.Getter("view", func(v goja.Value) goja.Value { return this(v).view })
		k.Method("respond", 1, func(f goja.FunctionCall) goja.Value {
			q := open(f.This)
			n := r.enforceRange(f.Argument(0), "The number of bytes")
			if q.buffer.Detached() {
				r.TypeError("The request's buffer is detached.")
			}
			if n > int64(q.c.pulls[0].length) {
				r.RangeError("respond was given more bytes than the buffer holds.")
			}
			q.c.respond(int(n))
			return goja.Undefined()
		})
		k.Method("respondWithNewView", 1, func(f goja.FunctionCall) goja.Value {
			q := open(f.This)
			buffer, offset, length := r.viewed(f.Argument(0))
			q.c.checkView(len(buffer.Bytes()), offset, length)
			data := buffer.Bytes()
			buffer.Detach()
			q.c.respondWith(data, length)
			return goja.Undefined()
		})
	})
}
