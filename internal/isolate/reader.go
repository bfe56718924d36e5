package isolate

import (
	"errors"
	"fmt"
	"math"
)

// ErrPayload is the error of a [Reader] whose payload is too short, too long
// or otherwise not what was asked for.
var ErrPayload = errors.New("malformed payload")

// A Reader takes values from a payload in the order in which they were
// appended. It never panics: after the first failure every method returns the
// zero value and Err tells why. The strings it returns share the payload's
// memory. A Reader is not safe for concurrent use.
type Reader struct {
	s   string
	err error
}

// NewReader returns a Reader of payload.
func NewReader(payload string) Reader { return Reader{s: payload} }

// Err returns the first failure, or nil. Every such error is an ErrPayload.
func (r *Reader) Err() error { return r.err }

// Close returns Err, or an error if bytes are left.
func (r *Reader) Close() error {
	if r.err == nil && len(r.s) > 0 {
		r.fail("%d bytes too many", len(r.s))
	}
	return r.err
}

// Len returns the number of bytes left.
func (r *Reader) Len() int { return len(r.s) }

func (r *Reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrPayload, fmt.Sprintf(format, args...))
	}
	r.s = ""
}

// take returns the next n bytes, or "" after a failure.
func (r *Reader) take(n int) string {
	if n > len(r.s) {
		r.fail("wanted %d bytes, %d are left", n, len(r.s))
		return ""
	}
	s := r.s[:n]
	r.s = r.s[n:]
	return s
}

// Byte reads one byte.
func (r *Reader) Byte() byte {
	s := r.take(1)
	if s == "" {
		return 0
	}
	return s[0]
}

// Bool reads one byte, which must be 0 or 1.
func (r *Reader) Bool() bool {
	v := r.Byte()
	if v > 1 {
		r.fail("%d is no boolean", v)
		return false
	}
	return v == 1
}

// Uint32 reads four bytes.
func (r *Reader) Uint32() uint32 {
	s := r.take(4)
	if s == "" {
		return 0
	}
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// Uint64 reads eight bytes.
func (r *Reader) Uint64() uint64 {
	if len(r.s) < 8 {
		r.take(8)
		return 0
	}
	lo := r.Uint32()
	return uint64(lo) | uint64(r.Uint32())<<32
}

// Float64 reads eight bytes.
func (r *Reader) Float64() float64 { return math.Float64frombits(r.Uint64()) }

// Uvarint reads what AppendUvarint appended.
func (r *Reader) Uvarint() uint64 {
	var v uint64
	for i := 0; i < len(r.s) && i < 10; i++ {
		c := r.s[i]
		if i == 9 && c > 1 {
			break
		}
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			r.s = r.s[i+1:]
			return v
		}
	}
	r.fail("no varint")
	return 0
}

// Varint reads what AppendVarint appended.
func (r *Reader) Varint() int64 {
	u := r.Uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

// String reads what AppendString or AppendBytes appended.
func (r *Reader) String() string {
	n := r.Uint32()
	if uint64(n) > uint64(len(r.s)) {
		r.fail("a string of %d bytes, %d are left", n, len(r.s))
		return ""
	}
	return r.take(int(n))
}

// Count reads a number of elements, four bytes, each of which takes at least
// size bytes. It fails if they cannot be there, so that it is safe to allocate
// for as many.
func (r *Reader) Count(size int) int {
	n := r.Uint32()
	if uint64(n)*uint64(max(size, 1)) > uint64(len(r.s)) {
		r.fail("%d elements in %d bytes", n, len(r.s))
		return 0
	}
	return int(n)
}

// Rest reads all that is left.
func (r *Reader) Rest() string { return r.take(len(r.s)) }
