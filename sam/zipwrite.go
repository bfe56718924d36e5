package sam

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"runtime"
	"sync"
	"unicode/utf8"

	"github.com/klauspost/compress"
	"github.com/klauspost/compress/flate"
)

// An archive is written in one pass and by all processors: contents are cut into
// blocks, which are packed beside each other and written in order. What comes out
// depends on the contents alone, not on who was faster.
//
// An entry of one block has its sizes in its header. One of several has them
// behind it, and is deflated whatever it holds; what does not shrink is a stored
// block of the deflate format.

const (
	blockSize  = 1 << 20
	blocksHeld = 8 // that are packed or wait, at most
	maxPackers = 4
)

// A packEntry is a file to be written.
type packEntry struct {
	name string
	size int64
	open func(ctx context.Context) (io.ReadCloser, error) // nil if data holds it
	data []byte
}

// A block is a part of an entry.
type block struct {
	e      *packEntry
	first  bool
	last   bool
	raw    []byte
	method uint16
	packed []byte
	err    error // of reading
	done   chan struct{}
}

// writeZip writes entries, which are in the order of their names.
func writeZip(ctx context.Context, w io.Writer, entries []packEntry) error {
	ctx, cancel := context.WithCancel(ctx)
	packers := min(runtime.GOMAXPROCS(0), maxPackers)
	jobs := make(chan *block, blocksHeld)
	order := make(chan *block, blocksHeld)
	var running sync.WaitGroup
	for range packers {
		running.Go(func() { packBlocks(jobs) })
	}
	running.Go(func() {
		defer close(order)
		defer close(jobs)
		cutBlocks(ctx, entries, func(b *block) bool {
			// order has room for what jobs has, so who waits for a block finds it in jobs.
			select {
			case jobs <- b:
			case <-ctx.Done():
				return false
			}
			select {
			case order <- b:
				return true
			case <-ctx.Done():
				return false
			}
		})
	})
	defer running.Wait()
	defer cancel()
	z := &zipWriter{w: w}
	for b := range order {
		<-b.done
		if b.err != nil {
			return b.err
		}
		if err := z.block(b); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return z.end()
}

// cutBlocks reads entries and hands out their blocks.
func cutBlocks(ctx context.Context, entries []packEntry, emit func(*block) bool) {
	for i := range entries {
		e := &entries[i]
		if e.open == nil {
			for at := 0; ; at += blockSize {
				end := min(at+blockSize, len(e.data))
				b := &block{e: e, first: at == 0, last: end == len(e.data), raw: e.data[at:end], done: make(chan struct{})}
				if !emit(b) {
					return
				}
				if b.last {
					break
				}
			}
			continue
		}
		if err := cutReader(ctx, e, emit); err != nil {
			emit(&block{e: e, err: fmt.Errorf("file %q: %w", e.name, err), done: make(chan struct{})})
			return
		}
	}
}

// cutReader cuts an entry that has to be opened.
func cutReader(ctx context.Context, e *packEntry, emit func(*block) bool) error {
	r, err := e.open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	for at := int64(0); ; {
		n := min(e.size-at, blockSize)
		b := &block{e: e, first: at == 0, raw: make([]byte, n), done: make(chan struct{})}
		if _, err := io.ReadFull(contextReader{ctx, r}, b.raw); err != nil {
			return err
		}
		at += n
		b.last = at == e.size
		if !emit(b) || b.last {
			return nil
		}
	}
}

// packBlocks packs blocks until there are no more.
func packBlocks(jobs <-chan *block) {
	p := &packer{}
	for b := range jobs {
		if b.err == nil {
			p.pack(b)
		}
		close(b.done)
	}
}

// A packer deflates. Its writers are made when they are needed, and used again.
type packer struct {
	fast, plain *flate.Writer
}

// estimateLen is how much of a block is looked at to see whether it will shrink.
const estimateLen = 16 << 10

func (p *packer) pack(b *block) {
	whole := b.first && b.last
	b.method = zipDeflate
	// What is hardly there to be packed is seldom smaller with a header of its own.
	if len(b.raw) > 32 && (len(b.raw) < estimateLen || compress.Estimate(b.raw[len(b.raw)/2:][:estimateLen/2]) > 0.02 || compress.Estimate(b.raw[:estimateLen/2]) > 0.02) {
		b.packed = p.deflate(&p.fast, packLevel, b)
		if !whole && len(b.raw) > maxPackageRatio*3/4*len(b.packed) {
			// Readers take this for a bomb; by Huffman codes alone nothing becomes one.
			b.packed = p.deflate(&p.plain, flate.HuffmanOnly, b)
		}
		if len(b.packed) < len(b.raw) {
			return
		}
	}
	if whole {
		b.method, b.packed = zipStore, b.raw
		return
	}
	b.packed = storedBlocks(b.raw, b.last)
}

// packLevel is the level of package flate for contents.
const packLevel = 1

// deflate returns a block packed: the end of a stream if it is an entry's last one,
// else up to where another may follow.
func (p *packer) deflate(w **flate.Writer, level int, b *block) []byte {
	out := bytes.NewBuffer(make([]byte, 0, len(b.raw)/2+64))
	if *w == nil {
		*w, _ = flate.NewWriter(out, level) // the level is one of flate's
	} else {
		(*w).Reset(out)
	}
	(*w).Write(b.raw) // a bytes.Buffer takes all
	if b.last {
		(*w).Close()
	} else {
		(*w).Flush()
	}
	return out.Bytes()
}

// storedBlocks returns data as stored blocks of the deflate format.
func storedBlocks(data []byte, last bool) []byte {
	const most = 1<<16 - 1
	out := make([]byte, 0, len(data)+5*(len(data)/most+1))
	for {
		part := data[:min(most, len(data))]
		data = data[len(part):]
		final := byte(0)
		if last && len(data) == 0 {
			final = 1
		}
		out = append(out, final)
		out = binary.LittleEndian.AppendUint16(out, uint16(len(part)))
		out = binary.LittleEndian.AppendUint16(out, ^uint16(len(part)))
		out = append(out, part...)
		if len(data) == 0 {
			return out
		}
	}
}

// A zipWriter writes blocks in order.
type zipWriter struct {
	w         io.Writer
	at        int64 // bytes written
	directory []byte
	count     int

	crc          uint32 // of the entry that is being written
	packed, size int64
	offset       int64
}

func (z *zipWriter) write(b []byte) error {
	n, err := z.w.Write(b)
	z.at += int64(n)
	if err == nil && n != len(b) {
		err = io.ErrShortWrite
	}
	return err
}

func (z *zipWriter) block(b *block) error {
	if b.first {
		z.crc, z.packed, z.size, z.offset = 0, 0, 0, z.at
	}
	z.crc = crc32.Update(z.crc, crc32.IEEETable, b.raw)
	z.packed += int64(len(b.packed))
	z.size += int64(len(b.raw))
	if z.size >= zipMax32 || z.packed >= zipMax32 || z.at >= zipMax32-zipLocalLen-maxName {
		return errPackageLarge
	}
	flags := uint16(0)
	if !(b.first && b.last) {
		flags |= zipFlagDesc
	}
	for i := range len(b.e.name) {
		if b.e.name[i] >= utf8.RuneSelf {
			flags |= zipFlagUTF8
			break
		}
	}
	if b.first {
		h := binary.LittleEndian.AppendUint32(nil, zipLocal)
		h = z.common(h, flags, b)
		h = append(h, 0, 0) // no extra fields
		if err := z.write(append(h, b.e.name...)); err != nil {
			return err
		}
	}
	if err := z.write(b.packed); err != nil || !b.last {
		return err
	}
	if flags&zipFlagDesc != 0 {
		d := binary.LittleEndian.AppendUint32(nil, zipData)
		if err := z.write(z.sizes(d)); err != nil {
			return err
		}
	}
	z.entry(flags, b)
	return nil
}

// common appends what the headers of both kinds hold, up to the length of the name.
func (z *zipWriter) common(h []byte, flags uint16, b *block) []byte {
	const version, midnight, firstDay = 20, 0, 1<<5 | 1 // of 1980, always
	for _, v := range [...]uint16{version, flags, b.method, midnight, firstDay} {
		h = binary.LittleEndian.AppendUint16(h, v)
	}
	if flags&zipFlagDesc != 0 && !b.last {
		h = append(h, make([]byte, 12)...)
	} else {
		h = z.sizes(h)
	}
	return binary.LittleEndian.AppendUint16(h, uint16(len(b.e.name)))
}

func (z *zipWriter) sizes(h []byte) []byte {
	h = binary.LittleEndian.AppendUint32(h, z.crc)
	h = binary.LittleEndian.AppendUint32(h, uint32(z.packed))
	return binary.LittleEndian.AppendUint32(h, uint32(z.size))
}

// entry adds the entry that was written to the directory.
func (z *zipWriter) entry(flags uint16, b *block) {
	const unix, mode = 3, zipUnixFile<<12 | 0o644
	le := binary.LittleEndian
	h := le.AppendUint32(z.directory, zipCentral)
	h = le.AppendUint16(h, unix<<8|20)
	h = z.common(h, flags, b)
	h = append(h, make([]byte, 8)...) // no extra fields, no comment, the first piece, no attributes
	h = le.AppendUint32(h, mode<<16)
	h = le.AppendUint32(h, uint32(z.offset))
	z.directory = append(h, b.e.name...)
	z.count++
}

// end writes the directory.
func (z *zipWriter) end() error {
	if z.at+int64(len(z.directory)) >= zipMax32 {
		return errPackageLarge
	}
	le := binary.LittleEndian
	h := le.AppendUint32(z.directory, zipEnd)
	h = append(h, 0, 0, 0, 0) // the only piece
	h = le.AppendUint16(h, uint16(z.count))
	h = le.AppendUint16(h, uint16(z.count))
	h = le.AppendUint32(h, uint32(len(z.directory)))
	h = le.AppendUint32(h, uint32(z.at))
	return z.write(append(h, 0, 0)) // no comment
}

var errPackageLarge = &PackageError{Reason: "would be larger than 4 GiB"}
