package isolate

import "encoding/binary"

const (
	inboxSize = 32 << 10 // at first
	inboxKeep = 1 << 20  // larger buffers are dropped once they are empty
)

// An inbox cuts a stream of bytes into frames.
type inbox struct {
	buf   []byte
	k, n  int // buf[k:n] is not yet consumed
	limit int // of a frame
}

// next returns the next whole frame without its length, valid until space is
// called, or nil if more bytes are needed.
func (in *inbox) next() ([]byte, error) {
	b := in.buf[in.k:in.n]
	if len(b) < lengthSize {
		return nil, nil
	}
	n := binary.LittleEndian.Uint32(b)
	if err := checkLength(n, in.limit); err != nil {
		return nil, err
	}
	if uint64(len(b)-lengthSize) < uint64(n) {
		return nil, nil
	}
	in.k += lengthSize + int(n)
	return b[lengthSize : lengthSize+n], nil
}

// ready reports whether next would return a frame or an error.
func (in *inbox) ready() bool {
	b := in.buf[in.k:in.n]
	if len(b) < lengthSize {
		return false
	}
	n := binary.LittleEndian.Uint32(b)
	return checkLength(n, in.limit) != nil || uint64(len(b)-lengthSize) >= uint64(n)
}

// space returns where to read more bytes to. The buffer doubles as bytes
// arrive, whatever length a frame claims.
func (in *inbox) space() []byte {
	switch {
	case in.k == in.n:
		in.k, in.n = 0, 0
		if in.buf == nil || len(in.buf) > inboxKeep {
			in.buf = make([]byte, inboxSize)
		}
	case len(in.buf)-in.n >= inboxSize/8:
	case in.k > len(in.buf)/2:
		in.n = copy(in.buf, in.buf[in.k:in.n])
		in.k = 0
	default:
		buf := make([]byte, min(max(2*(in.n-in.k), inboxSize), max(in.limit+lengthSize, inboxSize)))
		in.n = copy(buf, in.buf[in.k:in.n])
		in.k, in.buf = 0, buf
	}
	return in.buf[in.n:]
}

// filled says that n bytes were put where space said.
func (in *inbox) filled(n int) { in.n += n }

func header(frame []byte) (typ byte, call uint32) {
	return frame[0], binary.LittleEndian.Uint32(frame[1:])
}
