package webapi

import (
	"hash"
	"math/big"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// A digestion is what a DigestStream has beside what a WritableStream has.
type digestion struct {
	result  *jsrt.Deferred
	written uint64
}

// digestStreamClass is crypto.DigestStream of Workers: a WritableStream whose digest is
// that of all bytes written to it.
func (r *Realm) digestStreamClass() *jsrt.Class {
	return r.Class("DigestStream", 1, func(c goja.ConstructorCall) any {
		name, _ := r.algorithmName(c.Argument(0))
		h := hashNamed(name)
		if h == nil {
			r.throw("NotSupportedError", "The hash '"+cut(name, 100)+"' is not supported.")
		}
		return r.newDigestStream(h.new())
	}, func(c *jsrt.Class) {
		c.Extends(r.writableStreamClass())
		this := func(v goja.Value) *digestion {
			if d := jsrt.This[*writableStream](r.Runtime, v).digestion; d != nil {
				return d
			}
			r.TypeError("Illegal invocation")
			return nil
		}
		c.Getter("digest", func(v goja.Value) goja.Value { return this(v).result.Promise })
		c.Getter("bytesWritten", func(v goja.Value) goja.Value { return r.VM.ToValue(new(big.Int).SetUint64(this(v).written)) })
	})
}

func (r *Realm) newDigestStream(h hash.Hash) *writableStream {
	c := r.newWritable(1, nil)
	d := &digestion{result: r.Defer()}
	r.Handled(d.result.Promise)
	c.s.digestion = d
	c.writeAlg = func(v goja.Value) goja.Value {
		return r.Async(func() goja.Value {
			b, ok := r.Bytes(v)
			if !ok {
				if !goja.IsString(v) {
					r.TypeError("DigestStream is a byte stream but received an object of non-ArrayBuffer/ArrayBufferView/string type on its writable side.")
				}
				b = []byte(r.str(v))
			}
			h.Write(b)
			d.written += uint64(len(b))
			return goja.Undefined()
		})
	}
	c.closeAlg = func() goja.Value {
		d.result.Resolve(r.Buffer(h.Sum(nil)))
		return r.Resolved(goja.Undefined())
	}
	c.abortAlg = func(reason goja.Value) goja.Value {
		d.result.Reject(reason)
		return r.Resolved(goja.Undefined())
	}
	c.start(goja.Undefined())
	return c.s
}
