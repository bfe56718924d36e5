package webapi

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"math"
	"math/big"

	"github.com/dop251/goja"
)

var (
	rsaPKCS1 = newRSA("RSASSA-PKCS1-v1_5", "sig", "RS", "", useVerify, useSign)
	rsaPSS   = newRSA("RSA-PSS", "sig", "PS", "", useVerify, useSign)
	rsaOAEP  = newRSA("RSA-OAEP", "enc", "RSA-OAEP", "-", useEncrypt|useWrapKey, useDecrypt|useUnwrapKey)
)

// Sizes of RSA keys in bits. Making a longer one takes long, and nothing can interrupt it.
const (
	minRSA    = 2048
	maxRSA    = 4096 // that is made
	maxRSAUse = 8192 // that is imported
)

// cryptoHashes are the digests as package rsa names them.
var cryptoHashes = map[string]crypto.Hash{"SHA-1": crypto.SHA1, "SHA-256": crypto.SHA256, "SHA-384": crypto.SHA384, "SHA-512": crypto.SHA512}

// newRSA makes one of the RSA algorithms. prefix and dash make its names in JWK: RS256, RSA-OAEP-256.
func newRSA(name, use, prefix, dash string, public, private keyUsage) cryptoAlgorithm {
	jwkName := func(h *hashAlgorithm) string {
		if h.name == "SHA-1" && dash != "" {
			return prefix
		}
		return prefix + dash + h.bits
	}
	key := func(r *Realm, material any, h *hashAlgorithm, extractable bool, usages keyUsage) *cryptoKey {
		k := &cryptoKey{kind: "public", extractable: extractable, usages: usages, algorithm: name, hash: h, material: material}
		possible := public
		if _, ok := material.(*rsa.PrivateKey); ok {
			k.kind, possible = "private", private
		}
		r.allow(usages, possible)
		p := k.rsaPublic()
		k.details = []field{{"modulusLength", p.N.BitLen()}, {"publicExponent", big.NewInt(int64(p.E)).Bytes()}}
		return k
	}
	a := cryptoAlgorithm{
		name: name,
		generate: func(r *Realm, params *goja.Object, extractable bool, usages keyUsage) goja.Value {
			h, bits := r.hashParam(params), rsaParams(r, params)
			r.allow(usages, public|private)
			if usages&private == 0 {
				r.throw("SyntaxError", "The key has no usages.")
			}
			secret, err := rsa.GenerateKey(rand.Reader, bits)
			if err != nil {
				r.failed()
			}
			return r.keyPair(key(r, &secret.PublicKey, h, true, usages&public), key(r, secret, h, extractable, usages&private))
		},
		importKey: func(r *Realm, format string, data []byte, jwk *jsonWebKey, params *goja.Object, extractable bool, usages keyUsage) *cryptoKey {
			h := r.hashParam(params)
			var material any
			switch format {
			case "jwk":
				jwk.check(r, "RSA", use, extractable, usages)
				if jwk.Alg != "" && jwk.Alg != jwkName(h) {
					r.throw("DataError", "The key's alg is not '"+jwkName(h)+"'.")
				}
				material = rsaFromJWK(r, jwk)
			case "spki":
				if k, err := x509.ParsePKIXPublicKey(data); err == nil {
					material, _ = k.(*rsa.PublicKey)
				}
			case "pkcs8":
				if k, err := x509.ParsePKCS8PrivateKey(data); err == nil {
					material, _ = k.(*rsa.PrivateKey)
				}
			default:
				return nil
			}
			if !soundRSA(material) {
				r.throw("DataError", "The key is not an RSA key of a length that is allowed.")
			}
			return key(r, material, h, extractable, usages)
		},
		exportKey: func(r *Realm, format string, k *cryptoKey) ([]byte, *jsonWebKey) {
			return exportRSA(r, format, k, jwkName(k.hash))
		},
	}
	switch name {
	case "RSA-OAEP":
		a.encrypt, a.decrypt = encryptOAEP, decryptOAEP
	case "RSA-PSS":
		a.sign, a.verify = signPSS, verifyPSS
	default:
		a.sign, a.verify = signPKCS1, verifyPKCS1
	}
	return a
}

func soundRSA(material any) bool {
	switch k := material.(type) {
	case *rsa.PublicKey:
		return k != nil && k.N.BitLen() <= maxRSAUse
	case *rsa.PrivateKey:
		return k != nil && k.N.BitLen() <= maxRSAUse
	}
	return false
}

// rsaParams reads the size of a key to make.
func rsaParams(r *Realm, params *goja.Object) (bits int) {
	v := member(params, "modulusLength")
	if v == nil {
		r.TypeError("The algorithm has no modulusLength")
	}
	n := r.enforceRangeTo(v, math.MaxUint32, "The modulusLength")
	if n < minRSA || n > maxRSA || n%8 != 0 {
		r.throw("OperationError", "The modulusLength is not a multiple of 8 from 2048 to 4096.")
	}
	if e := new(big.Int).SetBytes(r.required(params, "publicExponent")); e.Cmp(big.NewInt(65537)) != 0 {
		r.throw("OperationError", "The publicExponent is not 65537.")
	}
	return int(n)
}

func (k *cryptoKey) rsaPublic() *rsa.PublicKey {
	if secret, ok := k.material.(*rsa.PrivateKey); ok {
		return &secret.PublicKey
	}
	return k.material.(*rsa.PublicKey)
}

// rsaPrivate throws unless the key is private.
func (k *cryptoKey) rsaPrivate(r *Realm) *rsa.PrivateKey {
	secret, ok := k.material.(*rsa.PrivateKey)
	if !ok {
		r.throw("InvalidAccessError", "The key is not private.")
	}
	return secret
}

func rsaFromJWK(r *Realm, j *jsonWebKey) any {
	number := func(name, s string) *big.Int {
		b := j.bytes(r, name, s)
		if len(b) > maxRSAUse/8 {
			r.throw("DataError", "The key is too long.")
		}
		return new(big.Int).SetBytes(b)
	}
	n, e := number("n", j.N), number("e", j.E)
	if !e.IsInt64() || e.Int64() > 1<<31-1 || e.Int64() < 3 || n.Sign() == 0 {
		return nil
	}
	public := rsa.PublicKey{N: n, E: int(e.Int64())}
	if j.D == "" {
		return &public
	}
	secret := &rsa.PrivateKey{PublicKey: public, D: number("d", j.D), Primes: []*big.Int{number("p", j.P), number("q", j.Q)}}
	number("dp", j.DP)
	number("dq", j.DQ)
	number("qi", j.QI)
	if secret.Validate() != nil {
		return nil
	}
	secret.Precompute()
	return secret
}

func exportRSA(r *Realm, format string, k *cryptoKey, alg string) (data []byte, jwk *jsonWebKey) {
	secret, private := k.material.(*rsa.PrivateKey)
	public := k.rsaPublic()
	var err error
	switch {
	case format == "jwk":
		j := k.exported("RSA", alg)
		j.N, j.E = base64url(public.N.Bytes()), base64url(big.NewInt(int64(public.E)).Bytes())
		if private {
			if len(secret.Primes) != 2 {
				r.throw("NotSupportedError", "The key has more than two primes.")
			}
			secret.Precompute()
			j.D, j.P, j.Q = base64url(secret.D.Bytes()), base64url(secret.Primes[0].Bytes()), base64url(secret.Primes[1].Bytes())
			j.DP, j.DQ, j.QI = base64url(secret.Precomputed.Dp.Bytes()), base64url(secret.Precomputed.Dq.Bytes()), base64url(secret.Precomputed.Qinv.Bytes())
		}
		return nil, j
	case format == "raw":
		return nil, nil
	case private != (format == "pkcs8"):
		r.throw("InvalidAccessError", "A "+k.kind+" key is not exported as '"+format+"'.")
	case private:
		data, err = x509.MarshalPKCS8PrivateKey(secret)
	default:
		data, err = x509.MarshalPKIXPublicKey(public)
	}
	if err != nil {
		r.failed()
	}
	return data, nil
}

func (k *cryptoKey) digest(data []byte) []byte {
	sum := k.hash.new()
	sum.Write(data)
	return sum.Sum(nil)
}

func signPKCS1(r *Realm, _ *goja.Object, k *cryptoKey, data []byte) []byte {
	out, err := rsa.SignPKCS1v15(nil, k.rsaPrivate(r), cryptoHashes[k.hash.name], k.digest(data))
	if err != nil {
		r.failed()
	}
	return out
}

func verifyPKCS1(_ *Realm, _ *goja.Object, k *cryptoKey, signature, data []byte) bool {
	return rsa.VerifyPKCS1v15(k.rsaPublic(), cryptoHashes[k.hash.name], k.digest(data), signature) == nil
}

// pssOptions reads saltLength, in bytes.
func pssOptions(r *Realm, params *goja.Object, k *cryptoKey) *rsa.PSSOptions {
	v := member(params, "saltLength")
	if v == nil {
		r.TypeError("The algorithm has no saltLength")
	}
	n := r.enforceRangeTo(v, math.MaxUint32, "The saltLength")
	if n > int64(k.rsaPublic().Size()) {
		r.throw("OperationError", "The saltLength is too large for the key.")
	}
	return &rsa.PSSOptions{SaltLength: int(n), Hash: cryptoHashes[k.hash.name]}
}

func signPSS(r *Realm, params *goja.Object, k *cryptoKey, data []byte) []byte {
	options := pssOptions(r, params, k)
	if options.SaltLength == 0 {
		out := signUnsalted(k.rsaPrivate(r), k.hash, k.digest(data))
		if out == nil {
			r.failed()
		}
		return out
	}
	out, err := rsa.SignPSS(rand.Reader, k.rsaPrivate(r), options.Hash, k.digest(data), options)
	if err != nil {
		r.failed()
	}
	return out
}

func verifyPSS(r *Realm, params *goja.Object, k *cryptoKey, signature, data []byte) bool {
	options := pssOptions(r, params, k)
	if options.SaltLength == 0 {
		return verifyUnsalted(k.rsaPublic(), k.hash, k.digest(data), signature)
	}
	return rsa.VerifyPSS(k.rsaPublic(), options.Hash, k.digest(data), signature, options) == nil
}

// oaepLabel is the parameter label, which may be missing.
func oaepLabel(r *Realm, params *goja.Object) []byte { return r.bufferParam(params, "label") }

func encryptOAEP(r *Realm, params *goja.Object, k *cryptoKey, data []byte) []byte {
	if k.kind != "public" {
		r.throw("InvalidAccessError", "The key is not public.")
	}
	out, err := rsa.EncryptOAEP(k.hash.new(), rand.Reader, k.rsaPublic(), data, oaepLabel(r, params))
	if err != nil {
		r.failed()
	}
	return out
}

func decryptOAEP(r *Realm, params *goja.Object, k *cryptoKey, data []byte) []byte {
	out, err := rsa.DecryptOAEP(k.hash.new(), nil, k.rsaPrivate(r), data, oaepLabel(r, params))
	if err != nil {
		r.failed()
	}
	return out
}
