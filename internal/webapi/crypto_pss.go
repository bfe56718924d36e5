package webapi

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"encoding/binary"
	"math/big"
)

// Package rsa takes a salt of no bytes for one of any length, so that EMSA-PSS
// (RFC 8017, 9.1) without a salt is here.

// encodePSS is EMSA-PSS-ENCODE of a digest with an empty salt for a modulus of n.
func encodePSS(h *hashAlgorithm, digest []byte, n *big.Int) ([]byte, bool) {
	bits := n.BitLen() - 1
	size := (bits + 7) / 8
	if size < len(digest)+2 {
		return nil, false
	}
	sum := h.new()
	sum.Write(make([]byte, 8))
	sum.Write(digest)
	tail := sum.Sum(nil)
	em := make([]byte, size)
	db := em[:size-len(tail)-1]
	db[len(db)-1] = 1
	maskMGF1(h, db, tail)
	db[0] &= 0xFF >> (8*size - bits)
	copy(em[len(db):], tail)
	em[size-1] = 0xBC
	return em, true
}

// maskMGF1 adds the mask that MGF1 makes of a seed.
func maskMGF1(h *hashAlgorithm, out, seed []byte) {
	for i := uint32(0); len(out) > 0; i++ {
		sum := h.new()
		sum.Write(seed)
		sum.Write(binary.BigEndian.AppendUint32(nil, i))
		mask := sum.Sum(nil)
		for j := 0; j < min(len(mask), len(out)); j++ {
			out[j] ^= mask[j]
		}
		out = out[min(len(mask), len(out)):]
	}
}

// signUnsalted signs a digest by RSA-PSS without a salt; nil if it cannot. The power is
// of the message times a random one, so that how long it takes tells nothing.
func signUnsalted(k *rsa.PrivateKey, h *hashAlgorithm, digest []byte) []byte {
	em, ok := encodePSS(h, digest, k.N)
	if !ok {
		return nil
	}
	e, m := big.NewInt(int64(k.E)), new(big.Int).SetBytes(em)
	for {
		blind, err := rand.Int(rand.Reader, k.N)
		if err != nil {
			return nil
		}
		back := new(big.Int).ModInverse(blind, k.N)
		if back == nil { // 0, or a factor of N
			continue
		}
		s := blind.Exp(blind, e, k.N)
		s.Mul(s, m).Mod(s, k.N)
		s.Exp(s, k.D, k.N)
		s.Mul(s, back).Mod(s, k.N)
		if new(big.Int).Exp(s, e, k.N).Cmp(m) != 0 { // a fault would give the key away
			return nil
		}
		return s.FillBytes(make([]byte, k.Size()))
	}
}

// verifyUnsalted reports whether signUnsalted made a signature, which is the only one.
func verifyUnsalted(k *rsa.PublicKey, h *hashAlgorithm, digest, signature []byte) bool {
	em, ok := encodePSS(h, digest, k.N)
	s := new(big.Int).SetBytes(signature)
	if !ok || len(signature) != k.Size() || s.Cmp(k.N) >= 0 {
		return false
	}
	m := s.Exp(s, big.NewInt(int64(k.E)), k.N)
	return m.BitLen() <= 8*len(em) && bytes.Equal(m.FillBytes(make([]byte, len(em))), em)
}
