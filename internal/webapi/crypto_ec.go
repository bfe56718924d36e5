package webapi

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"math/big"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

var (
	ecdsaAlgorithm = newEC("ECDSA", "sig", useVerify, useSign)
	ecdhAlgorithm  = newEC("ECDH", "enc", 0, useDeriveKey|useDeriveBits)
)

// curveNamed returns a NIST curve, or nil.
func curveNamed(name string) elliptic.Curve {
	switch name {
	case "P-256":
		return elliptic.P256()
	case "P-384":
		return elliptic.P384()
	case "P-521":
		return elliptic.P521()
	}
	return nil
}

func (r *Realm) curveParam(params *goja.Object) elliptic.Curve {
	v := member(params, "namedCurve")
	if v == nil {
		r.TypeError("The algorithm has no namedCurve")
	}
	c := curveNamed(r.str(v))
	if c == nil {
		r.throw("NotSupportedError", "The curve '"+cut(r.str(v), 100)+"' is not supported.")
	}
	return c
}

// coordinate is the bytes of a coordinate of a curve.
func coordinate(c elliptic.Curve) int { return (c.Params().BitSize + 7) / 8 }

// newEC makes an algorithm whose keys are points of the NIST curves: what a
// public and a private key may be used for.
func newEC(name, use string, public, private keyUsage) cryptoAlgorithm {
	key := func(r *Realm, material any, c elliptic.Curve, extractable bool, usages keyUsage) *cryptoKey {
		k := &cryptoKey{kind: "public", extractable: extractable, usages: usages, algorithm: name, details: []field{{"namedCurve", c.Params().Name}}, material: material}
		possible := public
		if _, ok := material.(*ecdsa.PrivateKey); ok {
			k.kind, possible = "private", private
		}
		r.allow(usages, possible)
		return k
	}
	a := cryptoAlgorithm{
		name: name,
		generate: func(r *Realm, params *goja.Object, extractable bool, usages keyUsage) goja.Value {
			c := r.curveParam(params)
			r.allow(usages, public|private)
			secret, err := ecdsa.GenerateKey(c, rand.Reader)
			if err != nil {
				r.failed()
			}
			return r.keyPair(key(r, &secret.PublicKey, c, true, usages&public), key(r, secret, c, extractable, usages&private))
		},
		importKey: func(r *Realm, format string, data []byte, jwk *jsonWebKey, params *goja.Object, extractable bool, usages keyUsage) *cryptoKey {
			c := r.curveParam(params)
			var material any
			if format == "jwk" {
				jwk.check(r, "EC", use, extractable, usages)
				material = ecFromJWK(r, c, jwk)
			} else {
				material = ecFromBytes(c, format, data)
			}
			if material == nil {
				r.throw("DataError", "The key is not one of the curve "+c.Params().Name+".")
			}
			return key(r, material, c, extractable, usages)
		},
		exportKey: exportEC,
	}
	if name == "ECDSA" {
		a.sign, a.verify = signECDSA, verifyECDSA
	} else {
		a.deriveBits = deriveECDH
	}
	return a
}

// keyPair returns a CryptoKeyPair. A private key without usages is an error.
func (r *Realm) keyPair(public, private *cryptoKey) goja.Value {
	o, secret := r.VM.NewObject(), r.keyObject(private)
	jsrt.Data(o, "publicKey", r.keyObject(public))
	jsrt.Data(o, "privateKey", secret)
	return o
}

// uncompressed encodes a point as 04 X Y.
func uncompressed(c elliptic.Curve, x, y *big.Int) []byte {
	n := (c.Params().BitSize + 7) / 8
	b := make([]byte, 1+2*n)
	b[0] = 4
	x.FillBytes(b[1 : 1+n])
	y.FillBytes(b[1+n:])
	return b
}

// ecFromBytes parses a key of a curve; nil if it is none.
func ecFromBytes(c elliptic.Curve, format string, data []byte) any {
	switch format {
	case "raw":
		if k, err := ecdsa.ParseUncompressedPublicKey(c, data); err == nil {
			return k
		}
		if x, y := elliptic.UnmarshalCompressed(c, data); x != nil {
			if k, err := ecdsa.ParseUncompressedPublicKey(c, uncompressed(c, x, y)); err == nil {
				return k
			}
		}
	case "spki":
		if k, err := x509.ParsePKIXPublicKey(data); err == nil {
			if k, ok := k.(*ecdsa.PublicKey); ok && k.Curve == c {
				return k
			}
		}
	case "pkcs8":
		if k, err := x509.ParsePKCS8PrivateKey(data); err == nil {
			if k, ok := k.(*ecdsa.PrivateKey); ok && k.Curve == c {
				return k
			}
		}
	}
	return nil
}

// ecFromJWK makes a key from its coordinates; nil if they are on no such curve.
func ecFromJWK(r *Realm, c elliptic.Curve, j *jsonWebKey) any {
	size := coordinate(c)
	x, y := j.bytes(r, "x", j.X), j.bytes(r, "y", j.Y)
	if j.Crv != c.Params().Name || len(x) != size || len(y) != size {
		return nil
	}
	public, err := ecdsa.ParseUncompressedPublicKey(c, append(append([]byte{4}, x...), y...))
	if err != nil {
		return nil
	}
	if j.D == "" {
		return public
	}
	secret, err := ecdsa.ParseRawPrivateKey(c, j.bytes(r, "d", j.D))
	if err != nil || !secret.PublicKey.Equal(public) {
		return nil
	}
	return secret
}

func exportEC(r *Realm, format string, k *cryptoKey) (data []byte, jwk *jsonWebKey) {
	secret, private := k.material.(*ecdsa.PrivateKey)
	public, _ := k.material.(*ecdsa.PublicKey)
	if private {
		public = &secret.PublicKey
	}
	var err error
	switch {
	case format == "jwk":
		point, fail := public.Bytes()
		if fail != nil {
			r.failed()
		}
		size := coordinate(public.Curve)
		j := k.exported("EC", "")
		j.Crv, j.X, j.Y = public.Params().Name, base64url(point[1:1+size]), base64url(point[1+size:])
		if private {
			d, fail := secret.Bytes()
			if fail != nil {
				r.failed()
			}
			j.D = base64url(d)
		}
		return nil, j
	case private != (format == "pkcs8"):
		r.throw("InvalidAccessError", "A "+k.kind+" key is not exported as '"+format+"'.")
	case format == "raw":
		data, err = public.Bytes()
	case format == "spki":
		data, err = x509.MarshalPKIXPublicKey(public)
	default:
		data, err = x509.MarshalPKCS8PrivateKey(secret)
	}
	if err != nil {
		r.failed()
	}
	return data, nil
}

// signECDSA gives r and s, each as long as a coordinate.
func signECDSA(r *Realm, params *goja.Object, k *cryptoKey, data []byte) []byte {
	secret, ok := k.material.(*ecdsa.PrivateKey)
	if !ok {
		r.throw("InvalidAccessError", "The key is not private.")
	}
	x, y, err := ecdsa.Sign(rand.Reader, secret, r.digestFor(params, data))
	if err != nil {
		r.failed()
	}
	size := coordinate(secret.Curve)
	out := make([]byte, 2*size)
	x.FillBytes(out[:size])
	y.FillBytes(out[size:])
	return out
}

func verifyECDSA(r *Realm, params *goja.Object, k *cryptoKey, signature, data []byte) bool {
	public, ok := k.material.(*ecdsa.PublicKey)
	if !ok {
		r.throw("InvalidAccessError", "The key is not public.")
	}
	digest, size := r.digestFor(params, data), coordinate(public.Curve)
	if len(signature) != 2*size {
		return false
	}
	return ecdsa.Verify(public, digest, new(big.Int).SetBytes(signature[:size]), new(big.Int).SetBytes(signature[size:]))
}

// digestFor is the digest of data by the parameters' hash.
func (r *Realm) digestFor(params *goja.Object, data []byte) []byte {
	sum := r.hashParam(params).new()
	sum.Write(data)
	return sum.Sum(nil)
}

func deriveECDH(r *Realm, params *goja.Object, k *cryptoKey, bits int) []byte {
	secret, ok := k.material.(*ecdsa.PrivateKey)
	peer, isKey := jsrt.Is[*cryptoKey](member(params, "public"))
	if !isKey {
		r.TypeError("The algorithm has no public key")
	}
	public, isPublic := peer.material.(*ecdsa.PublicKey)
	if !ok || !isPublic || peer.algorithm != k.algorithm || public.Curve != secret.Curve {
		r.throw("InvalidAccessError", "The keys are not a private and a public one of the same curve.")
	}
	mine, err := secret.ECDH()
	if err != nil {
		r.failed()
	}
	theirs, err := public.ECDH()
	if err != nil {
		r.failed()
	}
	return r.agree(mine, theirs, bits)
}

// agree derives a shared secret, cut to a number of bits.
func (r *Realm) agree(secret *ecdh.PrivateKey, public *ecdh.PublicKey, bits int) []byte {
	shared, err := secret.ECDH(public)
	if err != nil {
		r.failed()
	}
	if bits < 0 {
		return shared
	}
	if bits > 8*len(shared) {
		r.throw("OperationError", "The length is more than the keys give.")
	}
	shared = shared[:(bits+7)/8]
	if spare := 8*len(shared) - bits; spare > 0 {
		shared[len(shared)-1] &= 0xFF << spare
	}
	return shared
}
