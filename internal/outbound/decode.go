package outbound

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

var (
	errDecode  = errors.New("the body is not in its encoding")
	errWindows = errors.New("too many decoders")
)

// A budget is what decoders of a client may hold together.
type budget struct {
	mu   sync.Mutex
	left int64
}

func (b *budget) take(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n > b.left {
		return false
	}
	b.left -= n
	return true
}

func (b *budget) give(n int64) {
	b.mu.Lock()
	b.left += n
	b.mu.Unlock()
}

// A decoder decodes a body while it is read. Its errors are io.EOF, errDecode, errWindows
// and those of the body.
type decoder struct {
	encoding string
	in       *bufio.Reader
	out      io.Reader // once the body has begun
	windows  *budget
	holds    int64
	source   *failing
}

// failing notes the error of a reader, which decoders replace with theirs.
type failing struct {
	io.Reader
	err error
}

func (f *failing) Read(b []byte) (int, error) {
	n, err := f.Reader.Read(b)
	if err != nil {
		f.err = err
	}
	return n, err
}

// decoder returns the decoder of a body, or nil if it has no encoding or none that is known. One
// encoding is undone, not several.
func (c *Client) decoder(encodings []string, body io.Reader) *decoder {
	encoding := strings.ToLower(strings.TrimSpace(strings.Join(encodings, ",")))
	switch encoding {
	case "gzip", "x-gzip", "deflate", "br":
		source := &failing{Reader: body}
		return &decoder{encoding: encoding, in: bufio.NewReader(source), windows: &c.windows, source: source}
	}
	return nil
}

// Read implements [io.Reader].
func (d *decoder) Read(b []byte) (int, error) {
	if d.out == nil {
		if err := d.begin(); err != nil {
			return 0, d.cause(err)
		}
	}
	n, err := d.out.Read(b)
	return n, d.cause(err)
}

// cause prefers the body's own error to what a decoder makes of it.
func (d *decoder) cause(err error) error {
	switch {
	case err == nil, err == io.EOF, err == errWindows:
		return err
	case d.source.err != nil && d.source.err != io.EOF:
		return d.source.err
	}
	return errDecode
}

// begin chooses by the first bytes. No bytes are an empty body in any encoding.
func (d *decoder) begin() error {
	head, err := d.in.Peek(2)
	if len(head) == 0 {
		return err
	}
	switch d.encoding {
	case "br":
		holds := int64(1) << brotliWindow(head[0])
		if !d.windows.take(holds) {
			return errWindows
		}
		d.holds = holds
		d.out = brotli.NewReader(d.in)
	case "deflate": // is zlib, but some servers leave its wrapping out
		if len(head) == 2 && head[0]&15 == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
			d.out, err = zlib.NewReader(d.in)
			return err
		}
		d.out = flate.NewReader(d.in)
	default:
		z, err := gzip.NewReader(d.in)
		if err != nil {
			return err
		}
		d.out = z
	}
	return nil
}

// brotliWindow reads the logarithm of the window from a stream's first byte (RFC 7932, 9.1).
func brotliWindow(b byte) int {
	switch {
	case b&1 == 0:
		return 16
	case b>>1&7 != 0:
		return 17 + int(b>>1&7)
	case b>>4&7 == 0:
		return 17
	case b>>4&7 == 1: // a larger window than the format has; the decoder refuses it
		return 24
	}
	return 8 + int(b>>4&7)
}

func (d *decoder) close() {
	d.windows.give(d.holds)
	d.holds = 0
}
