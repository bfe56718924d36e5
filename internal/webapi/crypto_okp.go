package webapi

import (
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

var (
	ed25519Algorithm = newOKP("Ed25519", "sig", useVerify, useSign)
	x25519Algorithm  = newOKP("X25519", "enc", 0, useDeriveKey|useDeriveBits)
)

// okpSize is the bytes of a key, public or private.
const okpSize = 32

// An okp is a key of the curves of RFC 8037: its bytes, with the seed if it is private.
type okp struct{ public, seed []byte }

// newOKP makes the algorithm of one of the two curves.
func newOKP(name, use string, public, private keyUsage) cryptoAlgorithm {
	key := func(r *Realm, m *okp, extractable bool, usages keyUsage) *cryptoKey {
		k := &cryptoKey{kind: "public", extractable: extractable, usages: usages, algorithm: name, material: m}
		possible := public
		if m.seed != nil {
			k.kind, possible = "private", private
		}
		r.allow(usages, possible)
		return k
	}
	a := cryptoAlgorithm{
		name: name,
		generate: func(r *Realm, _ *goja.Object, extractable bool, usages keyUsage) goja.Value {
			r.allow(usages, public|private)
			seed := make([]byte, okpSize)
			rand.Read(seed)
			m := okpFromSeed(name, seed)
			return r.keyPair(key(r, &okp{public: m.public}, true, usages&public), key(r, m, extractable, usages&private))
		},
		importKey: func(r *Realm, format string, data []byte, jwk *jsonWebKey, _ *goja.Object, extractable bool, usages keyUsage) *cryptoKey {
			var m *okp
			if format == "jwk" {
				jwk.check(r, "OKP", use, extractable, usages)
				m = okpFromJWK(r, name, jwk)
			} else {
				m = okpFromBytes(name, format, data)
			}
			if m == nil {
				r.throw("DataError", "The key is not one for "+name+".")
			}
			return key(r, m, extractable, usages)
		},
		exportKey: exportOKP,
	}
	if name == "Ed25519" {
		a.sign, a.verify = signEd25519, verifyEd25519
	} else {
		a.deriveBits = deriveX25519
	}
	return a
}

func okpFromSeed(name string, seed []byte) *okp {
	if name == "Ed25519" {
		return &okp{ed25519.NewKeyFromSeed(seed).Public().(ed25519.PublicKey), seed}
	}
	k, err := ecdh.X25519().NewPrivateKey(seed)
	if err != nil {
		return nil
	}
	return &okp{k.PublicKey().Bytes(), seed}
}

func okpFromBytes(name, format string, data []byte) *okp {
	switch format {
	case "raw":
		if len(data) == okpSize {
			return &okp{public: data}
		}
	case "spki":
		k, _ := x509.ParsePKIXPublicKey(data)
		switch k := k.(type) {
		case ed25519.PublicKey:
			if name == "Ed25519" {
				return &okp{public: k}
			}
		case *ecdh.PublicKey:
			if name == "X25519" && k.Curve() == ecdh.X25519() {
				return &okp{public: k.Bytes()}
			}
		}
	case "pkcs8":
		k, _ := x509.ParsePKCS8PrivateKey(data)
		switch k := k.(type) {
		case ed25519.PrivateKey:
			if name == "Ed25519" {
				return okpFromSeed(name, k.Seed())
			}
		case *ecdh.PrivateKey:
			if name == "X25519" && k.Curve() == ecdh.X25519() {
				return okpFromSeed(name, k.Bytes())
			}
		}
	}
	return nil
}

func okpFromJWK(r *Realm, name string, j *jsonWebKey) *okp {
	public := j.bytes(r, "x", j.X)
	if j.Crv != name || len(public) != okpSize || name == "Ed25519" && j.Alg != "" && j.Alg != "EdDSA" && j.Alg != "Ed25519" {
		return nil
	}
	if j.D == "" {
		return &okp{public: public}
	}
	seed := j.bytes(r, "d", j.D)
	if len(seed) != okpSize {
		return nil
	}
	m := okpFromSeed(name, seed)
	if m == nil || string(m.public) != string(public) {
		return nil
	}
	return m
}

func exportOKP(r *Realm, format string, k *cryptoKey) (data []byte, jwk *jsonWebKey) {
	m := k.material.(*okp)
	switch {
	case format == "jwk":
		alg := ""
		if k.algorithm == "Ed25519" {
			alg = "EdDSA"
		}
		j := k.exported("OKP", alg)
		j.Crv, j.X = k.algorithm, base64url(m.public)
		if m.seed != nil {
			j.D = base64url(m.seed)
		}
		return nil, j
	case (m.seed != nil) != (format == "pkcs8"):
		r.throw("InvalidAccessError", "A "+k.kind+" key is not exported as '"+format+"'.")
	case format == "raw":
		return append([]byte{}, m.public...), nil
	}
	var err error
	if format == "spki" {
		data, err = m.spki(k.algorithm)
	} else {
		data, err = m.pkcs8(k.algorithm)
	}
	if err != nil {
		r.failed()
	}
	return data, nil
}

func (m *okp) spki(name string) ([]byte, error) {
	if name == "Ed25519" {
		return x509.MarshalPKIXPublicKey(ed25519.PublicKey(m.public))
	}
	k, err := ecdh.X25519().NewPublicKey(m.public)
	if err != nil {
		return nil, err
	}
	return x509.MarshalPKIXPublicKey(k)
}

func (m *okp) pkcs8(name string) ([]byte, error) {
	if name == "Ed25519" {
		return x509.MarshalPKCS8PrivateKey(ed25519.NewKeyFromSeed(m.seed))
	}
	k, err := ecdh.X25519().NewPrivateKey(m.seed)
	if err != nil {
		return nil, err
	}
	return x509.MarshalPKCS8PrivateKey(k)
}

func signEd25519(r *Realm, _ *goja.Object, k *cryptoKey, data []byte) []byte {
	m := k.material.(*okp)
	if m.seed == nil {
		r.throw("InvalidAccessError", "The key is not private.")
	}
	return ed25519.Sign(ed25519.NewKeyFromSeed(m.seed), data)
}

func verifyEd25519(r *Realm, _ *goja.Object, k *cryptoKey, signature, data []byte) bool {
	m := k.material.(*okp)
	if m.seed != nil {
		r.throw("InvalidAccessError", "The key is not public.")
	}
	return len(signature) == ed25519.SignatureSize && ed25519.Verify(m.public, data, signature)
}

func deriveX25519(r *Realm, params *goja.Object, k *cryptoKey, bits int) []byte {
	peer, isKey := jsrt.Is[*cryptoKey](member(params, "public"))
	if !isKey {
		r.TypeError("The algorithm has no public key")
	}
	mine, theirs := k.material.(*okp), (*okp)(nil)
	if peer.algorithm == k.algorithm {
		theirs, _ = peer.material.(*okp)
	}
	if mine.seed == nil || theirs == nil || theirs.seed != nil {
		r.throw("InvalidAccessError", "The keys are not a private and a public one of X25519.")
	}
	secret, err := ecdh.X25519().NewPrivateKey(mine.seed)
	if err != nil {
		r.failed()
	}
	public, err := ecdh.X25519().NewPublicKey(theirs.public)
	if err != nil {
		r.failed()
	}
	return r.agree(secret, public, bits)
}
