package isolate

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
)

func TestPayload(t *testing.T) {
	var b []byte
	b = AppendByte(b, 7)
	b = AppendBool(AppendBool(b, true), false)
	b = AppendUint32(b, math.MaxUint32)
	b = AppendUint64(b, math.MaxUint64)
	b = AppendFloat64(b, -0.5)
	for _, v := range []uint64{0, 127, 128, math.MaxUint64} {
		b = AppendUvarint(b, v)
	}
	for _, v := range []int64{0, -1, math.MinInt64, math.MaxInt64} {
		b = AppendVarint(b, v)
	}
	b = AppendString(AppendBytes(b, []byte("bytes")), "")
	b = AppendUint32(b, 2)
	b = AppendString(AppendString(b, "one"), "two")
	b = append(b, "rest"...)

	r := NewReader(string(b))
	check := func(ok bool, what string) {
		t.Helper()
		if !ok || r.Err() != nil {
			t.Errorf("%s is wrong (%v)", what, r.Err())
		}
	}
	check(r.Byte() == 7, "byte")
	check(r.Bool() && !r.Bool(), "bool")
	check(r.Uint32() == math.MaxUint32, "uint32")
	check(r.Uint64() == math.MaxUint64, "uint64")
	check(r.Float64() == -0.5, "float64")
	for _, v := range []uint64{0, 127, 128, math.MaxUint64} {
		check(r.Uvarint() == v, "uvarint")
	}
	for _, v := range []int64{0, -1, math.MinInt64, math.MaxInt64} {
		check(r.Varint() == v, "varint")
	}
	check(r.String() == "bytes" && r.String() == "", "string")
	check(r.Count(4) == 2, "count")
	check(r.String() == "one" && r.String() == "two", "strings")
	check(r.Len() == 4 && r.Rest() == "rest", "rest")
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func TestReaderBounds(t *testing.T) {
	tests := []struct {
		name, payload string
		read          func(*Reader)
	}{
		{"byte", "", func(r *Reader) { r.Byte() }},
		{"bool", "\x02", func(r *Reader) { r.Bool() }},
		{"uint32", "abc", func(r *Reader) { r.Uint32() }},
		{"uint64", "abcdefg", func(r *Reader) { r.Uint64() }},
		{"string", "\x05\x00\x00\x00four", func(r *Reader) { _ = r.String() }},
		{"huge string", "\xff\xff\xff\xfffour", func(r *Reader) { _ = r.String() }},
		{"count", "\x02\x00\x00\x00seven..", func(r *Reader) { r.Count(4) }},
		{"huge count", "\xff\xff\xff\xff", func(r *Reader) { r.Count(0) }},
		{"endless varint", strings.Repeat("\x80", 11), func(r *Reader) { r.Uvarint() }},
		{"overflowing varint", strings.Repeat("\xff", 9) + "\x02", func(r *Reader) { r.Uvarint() }},
		{"short varint", "\x80", func(r *Reader) { r.Varint() }},
		{"trailing", "x", func(r *Reader) {}},
	}
	for _, tt := range tests {
		r := NewReader(tt.payload)
		tt.read(&r)
		if err := r.Close(); !errors.Is(err, ErrPayload) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if r.Byte() != 0 || r.String() != "" || r.Count(1) != 0 || r.Rest() != "" {
			t.Errorf("%s: reads on after the error", tt.name)
		}
	}
}

// frames feeds b to an inbox in pieces and returns what comes out.
func frames(b []byte, piece int) (out []byte, n int, err error) {
	in := inbox{limit: 1 << 20}
	r := bytes.NewReader(b)
	for {
		f, err := in.next()
		if ready := in.ready(); err == nil && f == nil && ready {
			return out, n, errors.New("ready, but no frame")
		}
		if err != nil {
			return out, n, err
		}
		if f != nil {
			typ, call := header(f)
			out = AppendFrame(out, typ, call, string(f[headerSize:]))
			n++
			continue
		}
		p := in.space()
		k, err := r.Read(p[:min(piece, len(p))])
		in.filled(k)
		if err != nil {
			return out, n, nil
		}
	}
}

func TestInbox(t *testing.T) {
	var b []byte
	for i := range 200 {
		b = AppendFrame(b, byte(i), uint32(i), strings.Repeat("x", i*i*i/40))
	}
	for _, piece := range []int{1 << 20, 40000, 4096, 1000, 17} {
		out, n, err := frames(b, piece)
		if err != nil || n != 200 || !bytes.Equal(out, b) {
			t.Errorf("in pieces of %d: %d frames, %v", piece, n, err)
		}
	}
	if _, _, err := frames(AppendFrame(nil, 1, 1, strings.Repeat("x", 1<<20)), 4096); !errors.Is(err, ErrFrame) {
		t.Error("over the limit:", err)
	}
}

// TestInboxMemory feeds a header that claims much and brings little.
func TestInboxMemory(t *testing.T) {
	in := inbox{limit: MaxFrame}
	in.filled(copy(in.space(), AppendUint32(nil, MaxFrame)))
	for range 10 {
		if f, err := in.next(); f != nil || err != nil {
			t.Fatal(f, err)
		}
		in.space()
		in.filled(100)
	}
	if len(in.buf) > 4*inboxSize {
		t.Errorf("%d bytes allocated for a claim", len(in.buf))
	}
}

// TestInboxLargest checks that the largest frame fits without a larger buffer.
func TestInboxLargest(t *testing.T) {
	for _, limit := range []int{headerSize, 1000, inboxSize, 100_000} {
		in := inbox{limit: limit}
		b := AppendFrame(AppendFrame(nil, 1, 1, strings.Repeat("x", limit-headerSize)), 2, 2, "")
		for n := 0; n < 2; {
			f, err := in.next()
			if err != nil {
				t.Fatal(err)
			}
			if f != nil {
				n++
				continue
			}
			p := in.space()
			if len(p) == 0 {
				t.Fatalf("limit %d: no space", limit)
			}
			k := copy(p, b)
			in.filled(k)
			b = b[k:]
		}
		if len(in.buf) > max(limit+lengthSize, inboxSize) {
			t.Errorf("limit %d: a buffer of %d", limit, len(in.buf))
		}
	}
}

func FuzzInbox(f *testing.F) {
	f.Add(AppendFrame(AppendFrame(nil, 1, 2, "three"), 4, 5, ""), 3)
	f.Add([]byte("\x04\x00\x00\x00abcd"), 100)
	f.Add([]byte("\xff\xff\xff\xffabcd"), 1)
	f.Fuzz(func(t *testing.T, b []byte, piece int) {
		piece = max(1, min(piece, 1<<16))
		out, n, err := frames(b, piece)
		all, m, err2 := frames(b, len(b)+1)
		if n != m || !bytes.Equal(out, all) || (err == nil) != (err2 == nil) {
			t.Fatalf("in pieces of %d: %d frames, %v; at once %d, %v", piece, n, err, m, err2)
		}
		if !bytes.HasPrefix(b, out) {
			t.Fatal("frames differ from what was sent")
		}
		if checkFrames(out) != nil {
			t.Fatal("ill-formed")
		}
	})
}

func FuzzReader(f *testing.F) {
	f.Add("\x01\x00\x00\x00a\x80\x01", []byte{5, 6})
	f.Add(string(AppendString(AppendUint32(nil, 1), "x")), []byte{7, 5, 8})
	f.Fuzz(func(t *testing.T, payload string, ops []byte) {
		r := NewReader(payload)
		for _, op := range ops {
			before := r.Len()
			switch op % 9 {
			case 0:
				r.Byte()
			case 1:
				r.Bool()
			case 2:
				r.Uint32()
			case 3:
				r.Uint64()
			case 4:
				r.Uvarint()
			case 5:
				if s := r.String(); len(s) > before {
					t.Fatal("more than there was")
				}
			case 6:
				r.Varint()
			case 7:
				if n := r.Count(int(op)); n > before {
					t.Fatal("more elements than bytes")
				}
			case 8:
				r.Rest()
			}
			if r.Err() != nil && (r.Len() != 0 || !errors.Is(r.Err(), ErrPayload)) {
				t.Fatal("reads on after", r.Err())
			}
		}
	})
}
