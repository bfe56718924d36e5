package webapi

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"github.com/dop251/goja"
)

const aesUsages = useEncrypt | useDecrypt | useWrapKey | useUnwrapKey

var (
	aesGCM = newAES("AES-GCM", "GCM", aesUsages, sealGCM, openGCM)
	aesCBC = newAES("AES-CBC", "CBC", aesUsages, encryptCBC, decryptCBC)
	aesCTR = newAES("AES-CTR", "CTR", aesUsages, cryptCTR, cryptCTR)
	aesKW  = newAES("AES-KW", "KW", useWrapKey|useUnwrapKey, wrapKW, unwrapKW)
)

type aesOperation = func(r *Realm, params *goja.Object, k *cryptoKey, data []byte) []byte

// newAES makes the algorithm of a mode. mode is its name in JWK, as in A128GCM.
func newAES(name, mode string, usages keyUsage, forward, back aesOperation) cryptoAlgorithm {
	key := func(r *Realm, secret []byte, extractable bool, use keyUsage) *cryptoKey {
		r.allow(use, usages)
		return &cryptoKey{kind: "secret", extractable: extractable, usages: use, algorithm: name, details: []field{{"length", 8 * len(secret)}}, material: secret}
	}
	a := cryptoAlgorithm{
		name:      name,
		keyLength: aesLength,
		generate: func(r *Realm, params *goja.Object, extractable bool, use keyUsage) goja.Value {
			secret := make([]byte, aesLength(r, params)/8)
			rand.Read(secret)
			return r.keyObject(key(r, secret, extractable, use))
		},
		importKey: func(r *Realm, format string, data []byte, jwk *jsonWebKey, _ *goja.Object, extractable bool, use keyUsage) *cryptoKey {
			switch format {
			case "raw":
			case "jwk":
				jwk.check(r, "oct", "enc", extractable, use)
				data = jwk.bytes(r, "k", jwk.K)
				if want := aesJWK(data, mode); jwk.Alg != "" && jwk.Alg != want {
					r.throw("DataError", "The key's alg is not '"+want+"'.")
				}
			default:
				return nil
			}
			if n := len(data); n != 16 && n != 24 && n != 32 {
				r.throw("DataError", "An AES key has 128, 192 or 256 bits.")
			}
			return key(r, data, extractable, use)
		},
		exportKey: func(r *Realm, format string, k *cryptoKey) ([]byte, *jsonWebKey) {
			switch format {
			case "raw":
				return slices.Clone(k.secret()), nil
			case "jwk":
				j := k.exported("oct", aesJWK(k.secret(), mode))
				j.K = base64url(k.secret())
				return nil, j
			}
			return nil, nil
		},
	}
	if usages&useEncrypt != 0 {
		a.encrypt, a.decrypt = forward, back
	} else {
		a.wrap, a.unwrap = forward, back
	}
	return a
}

func aesJWK(secret []byte, mode string) string { return "A" + strconv.Itoa(8*len(secret)) + mode }

func aesLength(r *Realm, params *goja.Object) int {
	v := member(params, "length")
	if v == nil {
		r.TypeError("The algorithm has no length")
	}
	n := r.enforceRangeTo(v, math.MaxUint16, "The length")
	if n != 128 && n != 192 && n != 256 {
		r.throw("OperationError", "An AES key has 128, 192 or 256 bits.")
	}
	return int(n)
}

// failed throws the error of an operation, which must not tell why.
func (r *Realm) failed() { r.throw("OperationError", "The operation failed.") }

// block returns the cipher of a key, whose length has been checked.
func (k *cryptoKey) block(r *Realm) cipher.Block {
	b, err := aes.NewCipher(k.secret())
	if err != nil {
		r.failed()
	}
	return b
}

// required is a member of the parameters that must be a BufferSource.
func (r *Realm) required(params *goja.Object, name string) []byte {
	b := r.bufferParam(params, name)
	if b == nil {
		r.TypeError("The algorithm has no %s", name)
	}
	return b
}

// gcm reads the parameters of AES-GCM. tag is in bytes.
func gcm(r *Realm, params *goja.Object, k *cryptoKey) (aead cipher.AEAD, iv, extra []byte, tag int) {
	iv, extra, tag = r.required(params, "iv"), r.bufferParam(params, "additionalData"), 16
	if v := member(params, "tagLength"); v != nil {
		n := r.enforceRangeTo(v, math.MaxUint8, "The tagLength")
		if !slices.Contains([]int64{32, 64, 96, 104, 112, 120, 128}, n) {
			r.throw("OperationError", "The tagLength is not one of those allowed.")
		}
		tag = int(n / 8)
	}
	if len(iv) == 0 {
		r.throw("OperationError", "The iv is empty.")
	}
	aead, err := cipher.NewGCMWithNonceSize(k.block(r), len(iv))
	if err != nil {
		r.failed()
	}
	return aead, iv, extra, tag
}

func sealGCM(r *Realm, params *goja.Object, k *cryptoKey, data []byte) []byte {
	aead, iv, extra, tag := gcm(r, params, k)
	out := aead.Seal(nil, iv, data, extra)
	return out[:len(data)+tag]
}

func openGCM(r *Realm, params *goja.Object, k *cryptoKey, data []byte) []byte {
	aead, iv, extra, tag := gcm(r, params, k)
	if len(data) < tag {
		r.failed()
	}
	if tag == aead.Overhead() {
		out, err := aead.Open(nil, iv, data, extra)
		if err != nil {
			r.failed()
		}
		return out
	}
	// The package takes no short tags with any nonce. Sealing the ciphertext
	// applies the same key stream and so gives the plaintext; sealing that gives the tag.
	text, want := data[:len(data)-tag], data[len(data)-tag:]
	plain := aead.Seal(nil, iv, text, extra)[:len(text)]
	sealed := aead.Seal(nil, iv, plain, extra)
	if subtle.ConstantTimeCompare(sealed[len(text):len(text)+tag], want) != 1 {
		r.failed()
	}
	return plain
}

func blockIV(r *Realm, params *goja.Object, name string) []byte {
	iv := r.required(params, name)
	if len(iv) != aes.BlockSize {
		r.throw("OperationError", "The "+name+" is not 16 bytes.")
	}
	return iv
}

func encryptCBC(r *Realm, params *goja.Object, k *cryptoKey, data []byte) []byte {
	iv := blockIV(r, params, "iv")
	pad := aes.BlockSize - len(data)%aes.BlockSize
	for range pad {
		data = append(data, byte(pad))
	}
	cipher.NewCBCEncrypter(k.block(r), iv).CryptBlocks(data, data)
	return data
}

func decryptCBC(r *Realm, params *goja.Object, k *cryptoKey, data []byte) []byte {
	iv := blockIV(r, params, "iv")
	if len(data) == 0 || len(data)%aes.BlockSize != 0 {
		r.failed()
	}
	cipher.NewCBCDecrypter(k.block(r), iv).CryptBlocks(data, data)
	pad := int(data[len(data)-1])
	if pad == 0 || pad > aes.BlockSize {
		r.failed()
	}
	for _, c := range data[len(data)-pad:] {
		if int(c) != pad {
			r.failed()
		}
	}
	return data[:len(data)-pad]
}

// cryptCTR counts in the low bits of the counter block only, as many as length says.
func cryptCTR(r *Realm, params *goja.Object, k *cryptoKey, data []byte) []byte {
	counter := blockIV(r, params, "counter")
	v := member(params, "length")
	if v == nil {
		r.TypeError("The algorithm has no length")
	}
	bits := r.enforceRangeTo(v, math.MaxUint8, "The length")
	if bits < 1 || bits > 128 {
		r.throw("OperationError", "The length is not from 1 to 128.")
	}
	blocks := uint64(len(data)+aes.BlockSize-1) / aes.BlockSize
	room := uint64(1) << 62 // blocks before the counter wraps
	if bits < 64 {
		low := binary.BigEndian.Uint64(counter[8:])
		if size := uint64(1) << bits; blocks > size {
			r.throw("OperationError", "The data is too long for the counter.")
		} else {
			room = size - low&(size-1)
		}
	}
	first := data
	if blocks > room {
		first = data[:room*aes.BlockSize]
	}
	block := k.block(r)
	cipher.NewCTR(block, counter).XORKeyStream(first, first)
	if rest := data[len(first):]; len(rest) > 0 {
		low := binary.BigEndian.Uint64(counter[8:])
		binary.BigEndian.PutUint64(counter[8:], low&^(1<<bits-1))
		cipher.NewCTR(block, counter).XORKeyStream(rest, rest)
	}
	return data
}

// kwIV is the initial value of RFC 3394.
const kwIV = 0xA6A6A6A6A6A6A6A6

func wrapKW(r *Realm, _ *goja.Object, k *cryptoKey, data []byte) []byte {
	if len(data) < 16 || len(data)%8 != 0 {
		r.throw("OperationError", "The key to wrap is not a multiple of 64 bits.")
	}
	block, n := k.block(r), len(data)/8
	out := append(make([]byte, 8), data...)
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], kwIV)
	for t := 0; t < 6*n; t++ {
		part := out[8*(t%n+1):][:8]
		copy(b[8:], part)
		block.Encrypt(b[:], b[:])
		copy(part, b[8:])
		binary.BigEndian.PutUint64(b[:8], binary.BigEndian.Uint64(b[:8])^uint64(t+1))
	}
	copy(out, b[:8])
	return out
}

func unwrapKW(r *Realm, _ *goja.Object, k *cryptoKey, data []byte) []byte {
	if len(data) < 24 || len(data)%8 != 0 {
		r.failed()
	}
	block, n := k.block(r), len(data)/8-1
	var b [16]byte
	copy(b[:8], data)
	out := data[8:]
	for t := 6*n - 1; t >= 0; t-- {
		part := out[8*(t%n):][:8]
		binary.BigEndian.PutUint64(b[:8], binary.BigEndian.Uint64(b[:8])^uint64(t+1))
		copy(b[8:], part)
		block.Decrypt(b[:], b[:])
		copy(part, b[8:])
	}
	var want [8]byte
	binary.BigEndian.PutUint64(want[:], kwIV)
	if subtle.ConstantTimeCompare(b[:8], want[:]) != 1 {
		r.failed()
	}
	return out
}
