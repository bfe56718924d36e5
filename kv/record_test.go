package kv

import (
	"bytes"
	"testing"
)

// FuzzRecord decodes what a damaged store may return.
func FuzzRecord(f *testing.F) {
	f.Add(record{value: []byte("v")}.encode())
	f.Add(record{expires: 1 << 40, metadata: []byte(`{}`), value: []byte("v")}.encode())
	f.Add(record{hash: string(bytes.Repeat([]byte("a"), hashLen)), size: 1 << 20}.encode())
	f.Add([]byte{0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decode(b)
		if err != nil {
			return
		}
		again, err := decode(r.encode())
		if err != nil || again.expires != r.expires || again.hash != r.hash || again.size != r.size ||
			!bytes.Equal(again.metadata, r.metadata) || !bytes.Equal(again.value, r.value) {
			t.Errorf("%v, then %v, %v", r, again, err)
		}
	})
}
