package webapi

import (
	"crypto/rand"
	"encoding/hex"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// cryptoGlobals are crypto and the classes of the Web Cryptography API.
var cryptoGlobals = []global{
	{"crypto", (*Realm).crypto},
	class("Crypto", (*Realm).cryptoClass),
	class("SubtleCrypto", (*Realm).subtleClass),
	class("CryptoKey", (*Realm).cryptoKeyClass),
}

// maxRandom is the most bytes that getRandomValues fills at once.
const maxRandom = 65536

// A cryptoObject is what the global crypto carries.
type cryptoObject struct{ subtle *goja.Object }

func (r *Realm) crypto() goja.Value { return r.cryptoClass().New(&cryptoObject{}) }

func (r *Realm) cryptoClass() *jsrt.Class {
	return r.Class("Crypto", 0, nil, func(c *jsrt.Class) {
		self := func(v goja.Value) *cryptoObject { return jsrt.This[*cryptoObject](r.Runtime, v) }
		c.Getter("subtle", func(this goja.Value) goja.Value {
			o := self(this)
			if o.subtle == nil {
				o.subtle = r.subtleClass().New(&subtleState{})
			}
			return o.subtle
		})
		c.Getter("DigestStream", func(this goja.Value) goja.Value { self(this); return r.digestStreamClass().Ctor })
		c.Method("getRandomValues", 1, func(f goja.FunctionCall) goja.Value {
			self(f.This)
			r.argc(f, 1, "getRandomValues on Crypto")
			b := r.integerArray(f.Argument(0))
			if len(b) > maxRandom {
				r.throw("QuotaExceededError", "getRandomValues() fills at most 65536 bytes at once.")
			}
			rand.Read(b)
			return f.Argument(0)
		})
		c.Method("randomUUID", 0, func(f goja.FunctionCall) goja.Value {
			self(f.This)
			return r.VM.ToValue(randomUUID())
		})
	})
}

// integerArray returns the bytes of a typed array of integers.
func (r *Realm) integerArray(v goja.Value) []byte {
	switch r.ViewType(v) {
	case "Uint8Array", "Uint8ClampedArray", "Int8Array", "Uint16Array", "Int16Array", "Uint32Array", "Int32Array", "BigInt64Array", "BigUint64Array":
		b, _ := r.Bytes(v)
		return b
	case "Float32Array", "Float64Array", "DataView":
		r.throw("TypeMismatchError", "The data argument must be an integer-type TypedArray.")
	}
	r.TypeError("Failed to execute 'getRandomValues' on 'Crypto': parameter 1 is not of type 'ArrayBufferView'.")
	return nil
}

// randomUUID returns a version 4 UUID.
func randomUUID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0F|0x40, b[8]&0x3F|0x80
	var s [36]byte
	hex.Encode(s[:8], b[:4])
	hex.Encode(s[9:13], b[4:6])
	hex.Encode(s[14:18], b[6:8])
	hex.Encode(s[19:23], b[8:10])
	hex.Encode(s[24:], b[10:])
	s[8], s[13], s[18], s[23] = '-', '-', '-', '-'
	return string(s[:])
}
