package webapi

import (
	"github.com/dop251/goja"
	"strings"

	"samkit.dev/internal/jsrt"
)

// A keyUsage is a set of key usages.
type keyUsage uint16

const (
	useEncrypt keyUsage = 1 << iota
	useDecrypt
	useSign
	useVerify
	useDeriveKey
	useDeriveBits
	useWrapKey
	useUnwrapKey
)

// usageNames are the names of the usages, in their order.
var usageNames = [...]string{"encrypt", "decrypt", "sign", "verify", "deriveKey", "deriveBits", "wrapKey", "unwrapKey"}

func (u keyUsage) names() (list []string) {
	for i, name := range usageNames {
		if u&(1<<i) != 0 {
			list = append(list, name)
		}
	}
	return list
}

// usageNamed returns the usage of a name, or 0.
func usageNamed(name string) keyUsage {
	for i, n := range usageNames {
		if n == name {
			return 1 << i
		}
	}
	return 0
}

// A cryptoKey is what a CryptoKey carries. It does not change.
type cryptoKey struct {
	kind        string // "secret", "public" or "private"
	extractable bool
	usages      keyUsage
	algorithm   string         // its name
	hash        *hashAlgorithm // of those that have one
	details     []field        // members of the algorithm attribute after the name
	material    any            // what the algorithm needs: []byte for a secret key

	algorithmObject, usagesObject *goja.Object
}

// clone returns the key without its objects.
func (k *cryptoKey) clone() *cryptoKey {
	c := *k
	c.algorithmObject, c.usagesObject = nil, nil
	return &c
}

// fields are what an inspection shows; never the material.
func (k *cryptoKey) fields() []field {
	return []field{{"type", k.kind}, {"extractable", k.extractable}, {"algorithm", k.algorithm}}
}

// secret returns the bytes of a secret key.
func (k *cryptoKey) secret() []byte { b, _ := k.material.([]byte); return b }

func (r *Realm) cryptoKeyClass() *jsrt.Class {
	return r.Class("CryptoKey", 0, nil, func(c *jsrt.Class) {
		self := func(v goja.Value) *cryptoKey { return jsrt.This[*cryptoKey](r.Runtime, v) }
		c.Getter("type", func(this goja.Value) goja.Value { return r.VM.ToValue(self(this).kind) })
		c.Getter("extractable", func(this goja.Value) goja.Value { return r.VM.ToValue(self(this).extractable) })
		c.Getter("algorithm", func(this goja.Value) goja.Value {
			k := self(this)
			if k.algorithmObject == nil {
				k.algorithmObject = r.keyAlgorithm(k)
			}
			return k.algorithmObject
		})
		c.Getter("usages", func(this goja.Value) goja.Value {
			k := self(this)
			if k.usagesObject == nil {
				var names []any
				for _, n := range k.usages.names() {
					names = append(names, n)
				}
				k.usagesObject = r.VM.NewArray(names...)
			}
			return k.usagesObject
		})
	})
}

func (r *Realm) keyAlgorithm(k *cryptoKey) *goja.Object {
	o := r.VM.NewObject()
	jsrt.Data(o, "name", r.VM.ToValue(k.algorithm))
	details := func() {
		for _, f := range k.details {
			if b, ok := f.value.([]byte); ok {
				jsrt.Data(o, f.name, r.Uint8Array(append([]byte(nil), b...)))
				continue
			}
			jsrt.Data(o, f.name, r.VM.ToValue(f.value))
		}
	}
	isRSA := strings.HasPrefix(k.algorithm, "RSA")
	if isRSA { // in workerd's order
		details()
	}
	if k.hash != nil {
		h := r.VM.NewObject()
		jsrt.Data(h, "name", r.VM.ToValue(k.hash.name))
		jsrt.Data(o, "hash", h)
	}
	if !isRSA {
		details()
	}
	return o
}

// keyObject returns the CryptoKey of a key. A secret or private key that can do nothing is an error.
func (r *Realm) keyObject(k *cryptoKey) goja.Value {
	if k.usages == 0 && k.kind != "public" {
		r.throw("SyntaxError", "The key has no usages.")
	}
	return r.cryptoKeyClass().New(k)
}

// keyOf converts an argument to a CryptoKey.
func (r *Realm) keyOf(v goja.Value) *cryptoKey {
	k, ok := jsrt.Is[*cryptoKey](v)
	if !ok {
		r.TypeError("The key is not of type 'CryptoKey'")
	}
	return k
}

// maxUsages bounds the sequence of usages, which may be any iterable.
const maxUsages = 100

// usagesOf converts a sequence of usages.
func (r *Realm) usagesOf(v goja.Value) (u keyUsage) {
	o, ok := v.(*goja.Object)
	if !ok {
		r.TypeError("The key usages are not a sequence")
	}
	n := 0
	r.VM.ForOf(o, func(v goja.Value) bool {
		one := usageNamed(r.str(v))
		if n++; one == 0 || n > maxUsages {
			r.TypeError("'%s' is not a key usage", cut(r.str(v), 100))
		}
		u |= one
		return true
	})
	return u
}

// allow throws unless the usages are among those that a key can have.
func (r *Realm) allow(usages, possible keyUsage) {
	if bad := usages &^ possible; bad != 0 {
		r.throw("SyntaxError", "The key cannot be used to "+bad.names()[0]+".")
	}
}
