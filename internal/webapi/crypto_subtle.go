package webapi

import (
	"bytes"
	"crypto/subtle"
	"encoding/json"
	"math"
	"strings"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// A cryptoAlgorithm is an algorithm of the Web Cryptography API: the operations
// it has. They get the algorithm's parameters as code gave them, or nil if it
// gave only the name, and throw DOMExceptions. Another algorithm joins by an
// entry in algorithmNamed; its functions must not refer to that.
type cryptoAlgorithm struct {
	name     string
	generate func(r *Realm, params *goja.Object, extractable bool, usages keyUsage) goja.Value
	// importKey gets data for the formats raw, pkcs8 and spki, and jwk for jwk.
	importKey  func(r *Realm, format string, data []byte, jwk *jsonWebKey, params *goja.Object, extractable bool, usages keyUsage) *cryptoKey
	exportKey  func(r *Realm, format string, k *cryptoKey) ([]byte, *jsonWebKey)
	sign       func(r *Realm, params *goja.Object, k *cryptoKey, data []byte) []byte
	verify     func(r *Realm, params *goja.Object, k *cryptoKey, signature, data []byte) bool
	encrypt    func(r *Realm, params *goja.Object, k *cryptoKey, data []byte) []byte
	decrypt    func(r *Realm, params *goja.Object, k *cryptoKey, data []byte) []byte
	wrap       func(r *Realm, params *goja.Object, k *cryptoKey, data []byte) []byte // if it is not encrypt
	unwrap     func(r *Realm, params *goja.Object, k *cryptoKey, data []byte) []byte
	deriveBits func(r *Realm, params *goja.Object, k *cryptoKey, bits int) []byte // bits is -1 for "all"
	// keyLength is the bits that a derived key of this algorithm needs, or -1 for any number.
	keyLength func(r *Realm, params *goja.Object) int
}

// algorithmNamed returns an algorithm by its name, in whatever case, or nil.
func algorithmNamed(name string) *cryptoAlgorithm {
	switch strings.ToUpper(name) {
	case "HMAC":
		return &hmacAlgorithm
	case "AES-GCM":
		return &aesGCM
	case "AES-CBC":
		return &aesCBC
	case "AES-CTR":
		return &aesCTR
	case "AES-KW":
		return &aesKW
	case "PBKDF2":
		return &pbkdf2Algorithm
	case "HKDF":
		return &hkdfAlgorithm
	case "ECDSA":
		return &ecdsaAlgorithm
	case "ECDH":
		return &ecdhAlgorithm
	case "ED25519":
		return &ed25519Algorithm
	case "X25519":
		return &x25519Algorithm
	case "RSASSA-PKCS1-V1_5":
		return &rsaPKCS1
	case "RSA-PSS":
		return &rsaPSS
	case "RSA-OAEP":
		return &rsaOAEP
	}
	return nil
}

// algorithm normalizes an AlgorithmIdentifier: a name, or an object that has one.
func (r *Realm) algorithm(v goja.Value) (*cryptoAlgorithm, *goja.Object) {
	name, params := r.algorithmName(v)
	a := algorithmNamed(name)
	if a == nil {
		r.unsupported(name)
	}
	return a, params
}

func (r *Realm) algorithmName(v goja.Value) (name string, params *goja.Object) {
	o, ok := v.(*goja.Object)
	if !ok {
		return r.str(v), nil
	}
	n := member(o, "name")
	if n == nil {
		r.TypeError("The algorithm has no name")
	}
	return r.str(n), o
}

func (r *Realm) unsupported(name string) {
	r.throw("NotSupportedError", "The algorithm '"+cut(name, 100)+"' does not support the operation.")
}

// A subtleState is what crypto.subtle carries.
type subtleState struct{ _ byte }

// copyOf returns a copy of the bytes of a BufferSource.
func (r *Realm) copyOf(v goja.Value) []byte {
	b, ok := r.Bytes(v)
	if !ok {
		r.TypeError("The value is neither an ArrayBuffer nor a view of one.")
	}
	return bytes.Clone(b)
}

// bufferParam is a member of the parameters that is a BufferSource; nil if it is missing.
func (r *Realm) bufferParam(params *goja.Object, name string) []byte {
	v := member(params, name)
	if v == nil {
		return nil
	}
	return append([]byte{}, r.copyOf(v)...)
}

func (r *Realm) subtleClass() *jsrt.Class {
	return r.Class("SubtleCrypto", 0, nil, func(c *jsrt.Class) {
		method := func(name string, args int, fn func(args []goja.Value) goja.Value) {
			c.Async(name, args, func(f goja.FunctionCall) goja.Value {
				jsrt.This[*subtleState](r.Runtime, f.This)
				r.argc(f, args, name+" on SubtleCrypto")
				return fn(append(f.Arguments[:len(f.Arguments):len(f.Arguments)], goja.Undefined(), goja.Undefined()))
			})
		}
		method("digest", 2, func(a []goja.Value) goja.Value {
			name, _ := r.algorithmName(a[0])
			h := hashNamed(name)
			if h == nil {
				r.unsupported(name)
			}
			sum := h.new()
			sum.Write(r.copyOf(a[1]))
			return r.Buffer(sum.Sum(nil))
		})
		method("generateKey", 3, func(a []goja.Value) goja.Value {
			alg, params := r.algorithm(a[0])
			if alg.generate == nil {
				r.unsupported(alg.name)
			}
			return alg.generate(r, params, a[1].ToBoolean(), r.usagesOf(a[2]))
		})
		method("importKey", 5, func(a []goja.Value) goja.Value {
			format := r.keyFormat(a[0])
			alg, params := r.algorithm(a[2])
			var data []byte
			var jwk *jsonWebKey
			if format == "jwk" {
				jwk = r.jwkOf(a[1])
			} else {
				data = r.copyOf(a[1])
			}
			return r.importKey(alg, format, data, jwk, params, a[3].ToBoolean(), r.usagesOf(a[4]))
		})
		method("exportKey", 2, func(a []goja.Value) goja.Value {
			data, jwk := r.exportKey(r.keyFormat(a[0]), r.keyOf(a[1]))
			if jwk != nil {
				return jwk.object(r)
			}
			return r.Buffer(data)
		})
		r.subtleKeyOperations(method)
		r.subtleDerivation(method)
		c.Method("timingSafeEqual", 2, func(f goja.FunctionCall) goja.Value {
			jsrt.This[*subtleState](r.Runtime, f.This)
			r.argc(f, 2, "timingSafeEqual on SubtleCrypto")
			a, b := r.bufferSource(f.Argument(0), "timingSafeEqual on SubtleCrypto"), r.bufferSource(f.Argument(1), "timingSafeEqual on SubtleCrypto")
			if len(a) != len(b) {
				r.TypeError("Input buffers must have the same byte length")
			}
			return r.VM.ToValue(subtle.ConstantTimeCompare(a, b) == 1)
		})
	})
}

type subtleMethod = func(name string, args int, fn func([]goja.Value) goja.Value)

// subtleKeyOperations are the operations on data with a key.
func (r *Realm) subtleKeyOperations(method subtleMethod) {
	method("sign", 3, func(a []goja.Value) goja.Value {
		alg, params := r.algorithm(a[0])
		k, data := r.keyOf(a[1]), r.copyOf(a[2])
		if alg.sign == nil {
			r.unsupported(alg.name)
		}
		r.checkUse(alg, k, useSign)
		return r.Buffer(alg.sign(r, params, k, data))
	})
	method("verify", 4, func(a []goja.Value) goja.Value {
		alg, params := r.algorithm(a[0])
		k, signature, data := r.keyOf(a[1]), r.copyOf(a[2]), r.copyOf(a[3])
		if alg.verify == nil {
			r.unsupported(alg.name)
		}
		r.checkUse(alg, k, useVerify)
		return r.VM.ToValue(alg.verify(r, params, k, signature, data))
	})
	method("encrypt", 3, func(a []goja.Value) goja.Value {
		alg, params := r.algorithm(a[0])
		k, data := r.keyOf(a[1]), r.copyOf(a[2])
		if alg.encrypt == nil {
			r.unsupported(alg.name)
		}
		r.checkUse(alg, k, useEncrypt)
		return r.Buffer(alg.encrypt(r, params, k, data))
	})
	method("decrypt", 3, func(a []goja.Value) goja.Value {
		alg, params := r.algorithm(a[0])
		k, data := r.keyOf(a[1]), r.copyOf(a[2])
		if alg.decrypt == nil {
			r.unsupported(alg.name)
		}
		r.checkUse(alg, k, useDecrypt)
		return r.Buffer(alg.decrypt(r, params, k, data))
	})
	method("wrapKey", 4, func(a []goja.Value) goja.Value {
		format, key, wrapping := r.keyFormat(a[0]), r.keyOf(a[1]), r.keyOf(a[2])
		alg, params := r.algorithm(a[3])
		wrap := alg.wrap
		if wrap == nil {
			wrap = alg.encrypt
		}
		if wrap == nil {
			r.unsupported(alg.name)
		}
		r.checkUse(alg, wrapping, useWrapKey)
		data, jwk := r.exportKey(format, key)
		if jwk != nil {
			data = r.Stringify(jwk.object(r))
		}
		return r.Buffer(wrap(r, params, wrapping, data))
	})
	method("unwrapKey", 7, func(a []goja.Value) goja.Value {
		format, data, unwrapping := r.keyFormat(a[0]), r.copyOf(a[1]), r.keyOf(a[2])
		alg, params := r.algorithm(a[3])
		to, toParams := r.algorithm(a[4])
		usages := r.usagesOf(a[6])
		unwrap := alg.unwrap
		if unwrap == nil {
			unwrap = alg.decrypt
		}
		if unwrap == nil {
			r.unsupported(alg.name)
		}
		r.checkUse(alg, unwrapping, useUnwrapKey)
		data = unwrap(r, params, unwrapping, data)
		var jwk *jsonWebKey
		if format == "jwk" {
			if jwk = new(jsonWebKey); json.Unmarshal(data, jwk) != nil {
				r.throw("DataError", "The unwrapped key is not JSON.")
			}
		}
		return r.importKey(to, format, data, jwk, toParams, a[5].ToBoolean(), usages)
	})
}

// maxDerivedBits bounds what deriveBits makes.
const maxDerivedBits = 1 << 20

// subtleDerivation are deriveBits and deriveKey.
func (r *Realm) subtleDerivation(method subtleMethod) {
	derive := func(alg *cryptoAlgorithm, params *goja.Object, k *cryptoKey, use keyUsage, bits int) []byte {
		if alg.deriveBits == nil {
			r.unsupported(alg.name)
		}
		r.checkUse(alg, k, use)
		if bits > maxDerivedBits {
			r.throw("OperationError", "The length is too large.")
		}
		return alg.deriveBits(r, params, k, bits)
	}
	method("deriveBits", 2, func(a []goja.Value) goja.Value {
		alg, params := r.algorithm(a[0])
		k, bits := r.keyOf(a[1]), -1
		if jsrt.Defined(a[2]) {
			bits = int(r.enforceRangeTo(a[2], math.MaxUint32, "The length"))
		}
		return r.Buffer(derive(alg, params, k, useDeriveBits, bits))
	})
	method("deriveKey", 5, func(a []goja.Value) goja.Value {
		alg, params := r.algorithm(a[0])
		k := r.keyOf(a[1])
		to, toParams := r.algorithm(a[2])
		usages := r.usagesOf(a[4])
		if to.keyLength == nil || to.importKey == nil {
			r.unsupported(to.name)
		}
		data := derive(alg, params, k, useDeriveKey, to.keyLength(r, toParams))
		return r.importKey(to, "raw", data, nil, toParams, a[3].ToBoolean(), usages)
	})
}

// checkUse throws unless a key is of the algorithm and may be used so.
func (r *Realm) checkUse(alg *cryptoAlgorithm, k *cryptoKey, use keyUsage) {
	if k.algorithm != alg.name {
		r.throw("InvalidAccessError", "The key is for '"+k.algorithm+"', not for '"+alg.name+"'.")
	}
	if k.usages&use == 0 {
		r.throw("InvalidAccessError", "The key does not allow '"+use.names()[0]+"'.")
	}
}

func (r *Realm) keyFormat(v goja.Value) string {
	switch s := r.str(v); s {
	case "raw", "jwk", "pkcs8", "spki":
		return s
	default:
		r.TypeError("'%s' is not a key format", cut(s, 100))
		return ""
	}
}

func (r *Realm) importKey(alg *cryptoAlgorithm, format string, data []byte, jwk *jsonWebKey, params *goja.Object, extractable bool, usages keyUsage) goja.Value {
	if alg.importKey == nil {
		r.unsupported(alg.name)
	}
	k := alg.importKey(r, format, data, jwk, params, extractable, usages)
	if k == nil {
		r.throw("NotSupportedError", "A key for '"+alg.name+"' cannot be imported as '"+format+"'.")
	}
	return r.keyObject(k)
}

func (r *Realm) exportKey(format string, k *cryptoKey) ([]byte, *jsonWebKey) {
	alg := algorithmNamed(k.algorithm)
	if alg.exportKey == nil {
		r.unsupported(alg.name)
	}
	if !k.extractable {
		r.throw("InvalidAccessError", "The key is not extractable.")
	}
	data, jwk := alg.exportKey(r, format, k)
	if data == nil && jwk == nil {
		r.throw("NotSupportedError", "A key for '"+k.algorithm+"' cannot be exported as '"+format+"'.")
	}
	return data, jwk
}
