package webapi

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"iter"
	"runtime"
)

// maxDecompressed bounds what a DecompressionStream makes of one chunk.
const maxDecompressed = 128 << 20

// A decompressor decodes what it is given as it comes. Go's decoders read, so
// one runs as a coroutine that pauses where it would have to wait.
type decompressor struct {
	state  *decompression
	resume func() (struct{}, bool)
	stop   func()
}

// A decompression is what the coroutine works on. It does not know its
// decompressor, whose end ends it.
type decompression struct {
	format string
	in     bytes.Reader // the chunk
	out    bytes.Buffer
	closed bool // no more chunks come
	pause  func() bool
	over   bool // the data has ended
	err    error
}

func newDecompressor(format string) *decompressor {
	s := &decompression{format: format}
	d := &decompressor{state: s}
	d.resume, d.stop = iter.Pull(func(yield func(struct{}) bool) {
		s.pause = func() bool { return yield(struct{}{}) }
		s.err = s.decode()
		s.over = true
	})
	runtime.AddCleanup(d, func(stop func()) { stop() }, d.stop)
	return d
}

var (
	errTooLarge  = errors.New("The compressed data is too large.")
	errTrailing  = errors.New("Trailing bytes after end of compressed data")
	errBroken    = errors.New("Decompression failed.")
	errAbandoned = errors.New("The stream was given up.")
)

// write decodes a chunk.
func (d *decompressor) write(b []byte) error {
	s := d.state
	switch {
	case s.over && s.err != nil:
		return s.err
	case len(b) == 0:
		return nil
	case s.over:
		return errTrailing
	}
	s.in.Reset(b)
	d.resume()
	rest := s.in.Len()
	s.in.Reset(nil) // the chunk is the code's again
	if s.over && s.err == nil && rest > 0 {
		return errTrailing
	}
	return s.err
}

// finish ends the data, which has to be complete.
func (d *decompressor) finish() error {
	s := d.state
	s.closed = true
	if !s.over {
		d.resume()
	}
	d.stop()
	return s.err
}

// decode runs in the coroutine.
func (s *decompression) decode() error {
	src, err := s.open()
	if err != nil {
		return errBroken
	}
	buf := make([]byte, 32<<10)
	for {
		n, err := src.Read(buf)
		if s.out.Len()+n > maxDecompressed {
			return errTooLarge
		}
		s.out.Write(buf[:n])
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return errBroken
		}
	}
}

func (s *decompression) open() (io.Reader, error) {
	switch s.format {
	case "gzip":
		z, err := gzip.NewReader(s)
		if err == nil {
			z.Multistream(false)
		}
		return z, err
	case "deflate":
		return zlib.NewReader(s)
	}
	return flate.NewReader(s), nil
}

// fill waits for a chunk.
func (s *decompression) fill() error {
	for s.in.Len() == 0 {
		if s.closed {
			return io.ErrUnexpectedEOF
		}
		if !s.pause() {
			return errAbandoned
		}
	}
	return nil
}

// Read implements io.Reader for the decoders.
func (s *decompression) Read(p []byte) (int, error) {
	if err := s.fill(); err != nil {
		return 0, err
	}
	return s.in.Read(p)
}

// ReadByte has the decoders take no more than they need.
func (s *decompression) ReadByte() (byte, error) {
	if err := s.fill(); err != nil {
		return 0, err
	}
	return s.in.ReadByte()
}
