package webapi

import (
	"encoding/base64"
	"slices"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// A jsonWebKey is a JsonWebKey dictionary (RFC 7517). Empty members are missing.
type jsonWebKey struct {
	Kty    string   `json:"kty"`
	Use    string   `json:"use"`
	KeyOps []string `json:"key_ops"`
	Alg    string   `json:"alg"`
	Ext    *bool    `json:"ext"`
	Crv    string   `json:"crv"`
	X      string   `json:"x"`
	Y      string   `json:"y"`
	D      string   `json:"d"`
	N      string   `json:"n"`
	E      string   `json:"e"`
	P      string   `json:"p"`
	Q      string   `json:"q"`
	DP     string   `json:"dp"`
	DQ     string   `json:"dq"`
	QI     string   `json:"qi"`
	K      string   `json:"k"`
}

// jwkMembers are the string members, in the order in which they are written.
var jwkMembers = []struct {
	name string
	of   func(*jsonWebKey) *string
}{
	{"kty", func(j *jsonWebKey) *string { return &j.Kty }}, {"use", func(j *jsonWebKey) *string { return &j.Use }},
	{"alg", func(j *jsonWebKey) *string { return &j.Alg }}, {"crv", func(j *jsonWebKey) *string { return &j.Crv }},
	{"x", func(j *jsonWebKey) *string { return &j.X }}, {"y", func(j *jsonWebKey) *string { return &j.Y }},
	{"d", func(j *jsonWebKey) *string { return &j.D }}, {"n", func(j *jsonWebKey) *string { return &j.N }},
	{"e", func(j *jsonWebKey) *string { return &j.E }}, {"p", func(j *jsonWebKey) *string { return &j.P }},
	{"q", func(j *jsonWebKey) *string { return &j.Q }}, {"dp", func(j *jsonWebKey) *string { return &j.DP }},
	{"dq", func(j *jsonWebKey) *string { return &j.DQ }}, {"qi", func(j *jsonWebKey) *string { return &j.QI }},
	{"k", func(j *jsonWebKey) *string { return &j.K }},
}

// jwkOf converts a value to a JsonWebKey.
func (r *Realm) jwkOf(v goja.Value) *jsonWebKey {
	o, ok := v.(*goja.Object)
	if !ok {
		r.TypeError("The key data is not a JsonWebKey")
	}
	if _, isBuffer := r.Bytes(o); isBuffer {
		r.TypeError("The key data is not a JsonWebKey")
	}
	j := &jsonWebKey{}
	for _, m := range jwkMembers {
		if v := member(o, m.name); v != nil {
			*m.of(j) = r.str(v)
		}
	}
	if v := member(o, "ext"); v != nil {
		ext := v.ToBoolean()
		j.Ext = &ext
	}
	if v := member(o, "key_ops"); v != nil {
		list, ok := v.(*goja.Object)
		if !ok {
			r.TypeError("The key's key_ops is not a sequence")
		}
		j.KeyOps = []string{}
		r.VM.ForOf(list, func(v goja.Value) bool {
			if len(j.KeyOps) == maxUsages {
				r.throw("DataError", "The key has too many key_ops.")
			}
			j.KeyOps = append(j.KeyOps, r.str(v))
			return true
		})
	}
	return j
}

// object returns the JavaScript object of a key that is exported.
func (j *jsonWebKey) object(r *Realm) *goja.Object {
	o := r.VM.NewObject()
	for _, m := range jwkMembers {
		if s := *m.of(j); s != "" {
			jsrt.Data(o, m.name, r.VM.ToValue(s))
		}
	}
	var ops []any
	for _, op := range j.KeyOps {
		ops = append(ops, op)
	}
	jsrt.Data(o, "key_ops", r.VM.NewArray(ops...))
	if j.Ext != nil {
		jsrt.Data(o, "ext", r.VM.ToValue(*j.Ext))
	}
	return o
}

// check throws a DataError unless the key is of a type and allows what is asked of it.
// use is its intended use, "sig" or "enc".
func (j *jsonWebKey) check(r *Realm, kty, use string, extractable bool, usages keyUsage) {
	switch {
	case j.Kty != kty:
		r.throw("DataError", "The key's kty is not '"+kty+"'.")
	case usages != 0 && j.Use != "" && j.Use != use:
		r.throw("DataError", "The key's use is not '"+use+"'.")
	case extractable && j.Ext != nil && !*j.Ext:
		r.throw("DataError", "The key's ext says that it is not extractable.")
	}
	if j.KeyOps == nil {
		return
	}
	for i, op := range j.KeyOps {
		if slices.Contains(j.KeyOps[:i], op) {
			r.throw("DataError", "The key's key_ops hold one twice.")
		}
	}
	for _, name := range usages.names() {
		if !slices.Contains(j.KeyOps, name) {
			r.throw("DataError", "The key's key_ops do not allow '"+name+"'.")
		}
	}
}

// bytes decodes a base64url member; missing or malformed ones throw a DataError.
func (j *jsonWebKey) bytes(r *Realm, name, value string) []byte {
	b, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil || value == "" {
		r.throw("DataError", "The key's '"+name+"' is missing or not base64url.")
	}
	return b
}

func base64url(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// exported returns the JWK of a key without its material.
func (k *cryptoKey) exported(kty, alg string) *jsonWebKey {
	return &jsonWebKey{Kty: kty, Alg: alg, KeyOps: k.usages.names(), Ext: &k.extractable}
}
