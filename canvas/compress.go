package canvas

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A coding is a content coding that responses may have.
type coding uint8

const (
	identity coding = iota
	gzipCoding
	zstdCoding
)

var codingNames = [...]string{"", "gzip", "zstd"}

// minCompress is the size from which compressing pays.
const minCompress = 860

// acceptedCoding returns the best coding that an Accept-Encoding header allows.
func acceptedCoding(header string) coding {
	best, bestQ := identity, 0.0
	for part := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(part, ";")
		q := 1.0
		if v, ok := strings.CutPrefix(strings.ReplaceAll(strings.ToLower(params), " ", ""), "q="); ok {
			f, err := strconv.ParseFloat(v, 64)
			if err != nil || f < 0 || f > 1 {
				continue
			}
			q = f
		}
		var c coding
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "zstd":
			c = zstdCoding
		case "gzip", "x-gzip", "*":
			c = gzipCoding
		default:
			continue
		}
		if q > bestQ || q == bestQ && q > 0 && c > best {
			best, bestQ = c, q
		}
	}
	return best
}

// encode returns data in a coding, or nil if that is not smaller.
func encode(c coding, data []byte) []byte {
	var out []byte
	switch c {
	case gzipCoding:
		var buf bytes.Buffer
		w, _ := gzip.NewWriterLevel(&buf, 6) // the level is a valid one
		w.Write(data)                        // a Buffer takes everything
		w.Close()
		out = buf.Bytes()
	case zstdCoding:
		// One worker and a small window: responses are at most a few megabytes.
		w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20), zstd.WithEncoderLevel(zstd.SpeedDefault))
		if err != nil {
			return nil
		}
		out = w.EncodeAll(data, nil)
		w.Close()
	}
	if len(out) == 0 || len(out) >= len(data) {
		return nil
	}
	return out
}
