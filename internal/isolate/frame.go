package isolate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// A frame is, in little-endian order: the length of the rest as four bytes,
// its type, the call it belongs to as four bytes, and the payload. Type 0 is
// this package's own.
const (
	lengthSize = 4
	headerSize = 1 + 4 // type and call
)

// MaxFrame bounds what follows a frame's length, in bytes. [Options.MaxFrame]
// may lower it for frames from the worker.
const MaxFrame = 128 << 20

// ErrFrame is what a stream that holds no frames, or too long ones, ends with.
var ErrFrame = errors.New("malformed frame")

// Begin appends the start of a frame to b and returns where it is, for [End].
func Begin(b []byte, typ byte, call uint32) ([]byte, int) {
	at := len(b)
	b = append(b, 0, 0, 0, 0, typ)
	return binary.LittleEndian.AppendUint32(b, call), at
}

// End completes the frame that Begin started at at.
func End(b []byte, at int) []byte {
	binary.LittleEndian.PutUint32(b[at:], uint32(len(b)-at-lengthSize))
	return b
}

// AppendFrame appends a whole frame with the payload given.
func AppendFrame(b []byte, typ byte, call uint32, payload string) []byte {
	b, at := Begin(b, typ, call)
	return End(append(b, payload...), at)
}

// AppendByte appends one byte.
func AppendByte(b []byte, v byte) []byte { return append(b, v) }

// AppendBool appends one byte, 0 or 1.
func AppendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

// AppendUint32 appends four bytes.
func AppendUint32(b []byte, v uint32) []byte { return binary.LittleEndian.AppendUint32(b, v) }

// AppendUint64 appends eight bytes.
func AppendUint64(b []byte, v uint64) []byte { return binary.LittleEndian.AppendUint64(b, v) }

// AppendFloat64 appends the eight bytes of v in IEEE 754 form.
func AppendFloat64(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

// AppendUvarint appends one to ten bytes, few for small numbers.
func AppendUvarint(b []byte, v uint64) []byte { return binary.AppendUvarint(b, v) }

// AppendVarint appends one to ten bytes, few for numbers near zero.
func AppendVarint(b []byte, v int64) []byte { return binary.AppendVarint(b, v) }

// AppendString appends the length of s as four bytes, then s.
func AppendString(b []byte, s string) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(s)))
	return append(b, s...)
}

// AppendBytes is AppendString for a slice.
func AppendBytes(b, s []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(s)))
	return append(b, s...)
}

// checkFrames reports whether b is a sequence of whole frames, each at most
// MaxFrame long.
func checkFrames(b []byte) error {
	for len(b) > 0 {
		if len(b) < lengthSize+headerSize {
			return fmt.Errorf("%w: %d bytes of a header", ErrFrame, len(b))
		}
		n := binary.LittleEndian.Uint32(b)
		if err := checkLength(n, MaxFrame); err != nil {
			return err
		}
		if uint64(n) > uint64(len(b)-lengthSize) {
			return fmt.Errorf("%w: it says %d bytes and has %d", ErrFrame, n, len(b)-lengthSize)
		}
		b = b[lengthSize+int(n):]
	}
	return nil
}

func checkLength(n uint32, limit int) error {
	if n < headerSize {
		return fmt.Errorf("%w: length %d is less than its header", ErrFrame, n)
	}
	if uint64(n) > uint64(limit) {
		return fmt.Errorf("%w: length %d is over the limit of %d", ErrFrame, n, limit)
	}
	return nil
}
