package webapi

import (
	"crypto/hkdf"
	"crypto/pbkdf2"
	"math"
	"strconv"

	"github.com/dop251/goja"
)

var (
	pbkdf2Algorithm = newKDF("PBKDF2", derivePBKDF2)
	hkdfAlgorithm   = newKDF("HKDF", deriveHKDF)
)

// Bounds of PBKDF2, since nothing can interrupt it: iterations as on Workers,
// and in all those of every block of output.
const (
	maxIterations = 100000
	maxRounds     = 2000000
)

// newKDF makes an algorithm that derives keys from a secret.
func newKDF(name string, derive func(r *Realm, params *goja.Object, k *cryptoKey, bits int) []byte) cryptoAlgorithm {
	return cryptoAlgorithm{
		name:       name,
		deriveBits: derive,
		keyLength:  func(*Realm, *goja.Object) int { return -1 },
		importKey: func(r *Realm, format string, data []byte, _ *jsonWebKey, _ *goja.Object, extractable bool, usages keyUsage) *cryptoKey {
			if format != "raw" {
				return nil
			}
			r.allow(usages, useDeriveKey|useDeriveBits)
			if extractable {
				r.throw("SyntaxError", "A key for '"+name+"' cannot be extractable.")
			}
			return &cryptoKey{kind: "secret", usages: usages, algorithm: name, material: data}
		},
	}
}

// wholeBytes checks a length to derive, and returns it in bytes.
func (r *Realm) wholeBytes(bits int) int {
	if bits < 0 || bits%8 != 0 {
		r.throw("OperationError", "The length is not a multiple of 8.")
	}
	return bits / 8
}

func derivePBKDF2(r *Realm, params *goja.Object, k *cryptoKey, bits int) []byte {
	h, salt := r.hashParam(params), r.required(params, "salt")
	v := member(params, "iterations")
	if v == nil {
		r.TypeError("The algorithm has no iterations")
	}
	n, size := r.enforceRangeTo(v, math.MaxUint32, "The iterations"), r.wholeBytes(bits)
	hashSize := h.new().Size()
	switch {
	case n == 0:
		r.throw("OperationError", "The iterations are 0.")
	case n > maxIterations:
		r.throw("NotSupportedError", "Pbkdf2 failed: iteration counts above 100000 are not supported (requested "+strconv.FormatInt(n, 10)+").")
	case n*int64((size+hashSize-1)/hashSize) > maxRounds:
		r.throw("OperationError", "The length is too large for so many iterations.")
	case size == 0:
		return []byte{}
	}
	out, err := pbkdf2.Key(h.new, string(k.secret()), salt, int(n), size)
	if err != nil {
		r.failed()
	}
	return out
}

func deriveHKDF(r *Realm, params *goja.Object, k *cryptoKey, bits int) []byte {
	h, salt, info := r.hashParam(params), r.required(params, "salt"), r.required(params, "info")
	size := r.wholeBytes(bits)
	if size > 255*h.new().Size() {
		r.throw("OperationError", "The length is too large for the hash.")
	}
	if size == 0 {
		return []byte{}
	}
	out, err := hkdf.Key(h.new, k.secret(), salt, string(info), size)
	if err != nil {
		r.failed()
	}
	return out
}
