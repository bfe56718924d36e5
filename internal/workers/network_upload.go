package workers

import (
	"github.com/dop251/goja"

	"samkit.dev/internal/isolate"
)

// upload sends the next piece of the request body, unless one is on its way.
func (f *fetching) upload() {
	if f.sent || f.push != nil {
		return
	}
	if f.source == nil {
		end := min(f.offset+maxPiece, uint64(len(f.bytes)))
		f.pushed(f.bytes[f.offset:end], end == uint64(len(f.bytes)))
		return
	}
	if len(f.piece) > 0 {
		n := min(len(f.piece), maxPiece)
		piece := f.piece[:n]
		f.piece = f.piece[n:]
		f.pushed(piece, false)
		return
	}
	f.read()
}

// read takes the next piece from the stream. One that delivers at once must not make the
// stack grow.
func (f *fetching) read() {
	for again := true; again && !f.sent; {
		again = false
		now := true
		f.source.Pull(func(chunk []byte, done bool, err goja.Value) {
			switch {
			case f.sent:
			case err != nil:
				f.broken(err)
			case done:
				f.piece = nil
				f.pushed(chunk, true)
			case len(chunk) > 0:
				f.piece = chunk
				f.upload()
			case now:
				again = true
			default:
				f.read()
			}
		})
		now = false
	}
}

// broken ends the exchange because the code's own stream failed.
func (f *fetching) broken(err goja.Value) {
	f.source = nil // it has ended by itself
	f.abort(err)
}

// pushed sends a piece.
func (f *fetching) pushed(piece []byte, last bool) {
	p := isolate.AppendUint64(make([]byte, 0, 16+len(piece)), f.offset)
	p = isolate.AppendBool(p, last)
	f.offset += uint64(len(piece))
	f.push = f.ask(actPush, append(p, piece...), func(rd *isolate.Reader, thrown goja.Value) {
		f.push = nil
		wanted := rd.Uint64()
		if thrown != nil || rd.Err() != nil || wanted == pushedAll || f.source != nil && wanted != f.offset || wanted > uint64(len(f.bytes)) && f.source == nil {
			f.finishUpload(thrown)
			return
		}
		f.offset = wanted
		f.upload()
	})
}

// finishUpload ends the request body; what is left of a stream is canceled.
func (f *fetching) finishUpload(reason goja.Value) {
	if f.sent {
		return
	}
	f.sent, f.piece, f.bytes = true, nil, nil
	if f.source != nil {
		if reason == nil {
			reason = goja.Undefined()
		}
		f.source.Cancel(reason)
	}
}
