package webapi

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"math"
	"strings"

	"github.com/dop251/goja"
)

// A hashAlgorithm is one of the digests.
type hashAlgorithm struct {
	name string
	new  func() hash.Hash
	bits string // how JWK names it: HS256, RS256; "" where it has none
}

// hashes are the digests. MD5 is one as on Workers, for digest only.
var hashes = []hashAlgorithm{
	{"SHA-1", sha1.New, "1"}, {"SHA-256", sha256.New, "256"}, {"SHA-384", sha512.New384, "384"}, {"SHA-512", sha512.New, "512"},
	{"MD5", md5.New, ""},
}

// hashNamed returns a digest by its name, in whatever case, or nil.
func hashNamed(name string) *hashAlgorithm {
	for i := range hashes {
		if strings.EqualFold(hashes[i].name, name) {
			return &hashes[i]
		}
	}
	return nil
}

// hashParam is the member hash of an algorithm's parameters.
func (r *Realm) hashParam(params *goja.Object) *hashAlgorithm {
	v := member(params, "hash")
	if v == nil {
		r.TypeError("The algorithm has no hash")
	}
	name, _ := r.algorithmName(v)
	h := hashNamed(name)
	if h == nil || h.bits == "" {
		r.throw("NotSupportedError", "The hash '"+cut(name, 100)+"' is not supported.")
	}
	return h
}

var hmacAlgorithm = cryptoAlgorithm{
	name: "HMAC", generate: generateHMAC, importKey: importHMAC, exportKey: exportHMAC, sign: signHMAC, keyLength: hmacLength,
	verify: func(r *Realm, params *goja.Object, k *cryptoKey, signature, data []byte) bool {
		return hmac.Equal(signature, signHMAC(r, params, k, data))
	},
}

// maxHMACBits is the longest key that is made.
const maxHMACBits = 1 << 19

// hmacLength is the length of a key in bits: the parameter, else the block size of the hash.
func hmacLength(r *Realm, params *goja.Object) int {
	h := r.hashParam(params)
	v := member(params, "length")
	if v == nil {
		return 8 * h.new().BlockSize()
	}
	n := r.enforceRangeTo(v, math.MaxUint32, "The length")
	if n == 0 || n > maxHMACBits {
		r.throw("OperationError", "The length of the key is 0 or too large.")
	}
	return int(n)
}

func newHMAC(r *Realm, h *hashAlgorithm, secret []byte, bits int, extractable bool, usages keyUsage) *cryptoKey {
	r.allow(usages, useSign|useVerify)
	if spare := 8*len(secret) - bits; spare > 0 {
		secret[len(secret)-1] &= 0xFF << spare
	}
	return &cryptoKey{kind: "secret", extractable: extractable, usages: usages, algorithm: "HMAC", hash: h, details: []field{{"length", bits}}, material: secret}
}

func generateHMAC(r *Realm, params *goja.Object, extractable bool, usages keyUsage) goja.Value {
	bits := hmacLength(r, params)
	secret := make([]byte, (bits+7)/8)
	rand.Read(secret)
	return r.keyObject(newHMAC(r, r.hashParam(params), secret, bits, extractable, usages))
}

func importHMAC(r *Realm, format string, data []byte, jwk *jsonWebKey, params *goja.Object, extractable bool, usages keyUsage) *cryptoKey {
	h := r.hashParam(params)
	switch format {
	case "raw":
	case "jwk":
		jwk.check(r, "oct", "sig", extractable, usages)
		if jwk.Alg != "" && jwk.Alg != "HS"+h.bits {
			r.throw("DataError", "The key's alg is not 'HS"+h.bits+"'.")
		}
		data = jwk.bytes(r, "k", jwk.K)
	default:
		return nil
	}
	if len(data) == 0 {
		r.throw("DataError", "The key is empty.")
	}
	bits := 8 * len(data)
	if v := member(params, "length"); v != nil {
		n := r.enforceRangeTo(v, math.MaxUint32, "The length")
		if n > int64(bits) || n <= int64(bits-8) {
			r.throw("DataError", "The length does not fit the key.")
		}
		bits = int(n)
	}
	return newHMAC(r, h, data, bits, extractable, usages)
}

func exportHMAC(r *Realm, format string, k *cryptoKey) ([]byte, *jsonWebKey) {
	switch format {
	case "raw":
		return append([]byte{}, k.secret()...), nil
	case "jwk":
		j := k.exported("oct", "HS"+k.hash.bits)
		j.K = base64url(k.secret())
		return nil, j
	}
	return nil, nil
}

func signHMAC(_ *Realm, _ *goja.Object, k *cryptoKey, data []byte) []byte {
	mac := hmac.New(k.hash.new, k.secret())
	mac.Write(data)
	return mac.Sum(nil)
}
