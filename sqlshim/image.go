package sqlshim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/ncruces/go-sqlite3"
	"samkit.dev/sam"
)

// Dump writes the database as a SQLite file. Other calls wait meanwhile. A
// database that never held anything is an empty file.
func (d *DB) Dump(ctx context.Context, w io.Writer) error {
	return d.do(ctx, func(c *conn) error {
		w := outsideWriter{c.call.pace, w}
		if c.pages == nil {
			return c.dumpFile(ctx, w)
		}
		if err := c.pages.flushGroup(); err != nil {
			return err
		}
		var zero [chunkSize]byte
		for n := range chunks(c.pages.committed) {
			if err := ctx.Err(); err != nil {
				return interrupted(err)
			}
			c.call.restart() // a slow writer is none of SQLite's fault
			p, err := c.pages.chunk(n)
			if err != nil {
				return &outsideError{"dump", err}
			}
			if p == nil {
				p = zero[:]
			}
			if _, err := w.Write(p[:min(chunkSize, c.pages.committed-n*chunkSize)]); err != nil {
				return &outsideError{"dump", err}
			}
		}
		return nil
	})
}

func (c *conn) dumpFile(ctx context.Context, w io.Writer) error {
	if _, _, err := c.db.WALCheckpoint("main", sqlite3.CHECKPOINT_TRUNCATE); err != nil {
		return err
	}
	f, err := os.Open(c.file)
	if err != nil {
		return &outsideError{"dump", err}
	}
	defer f.Close()
	if _, err := io.Copy(w, contextReader{ctx, rollbackMode(f)}); err != nil {
		return &outsideError{"dump", err}
	}
	return nil
}

// Load replaces the database by a SQLite file, all or nothing. It refuses a
// file that is damaged or larger than Options.MaxBytes.
func (d *DB) Load(ctx context.Context, r io.Reader) error {
	return d.do(ctx, func(c *conn) error {
		r := outsideReader{c.call.pace, r}
		head := make([]byte, headerSize)
		if _, err := io.ReadFull(r, head); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return notDatabase()
			}
			return &outsideError{"load", err}
		}
		if string(head[:len(magic)]) != magic {
			return notDatabase()
		}
		image := contextReader{ctx, rollbackMode(io.MultiReader(bytes.NewReader(head), io.LimitReader(r, d.opts.MaxBytes-headerSize+1)))}
		if c.pages == nil {
			return d.loadFile(ctx, c, image)
		}
		return d.loadPages(ctx, c, image)
	})
}

// loadPages writes the image as another generation, checks it, and makes the
// head point to it. The number is a random one: whatever else is written there at
// the same time, by another load or a checkpoint being restored, has another.
func (d *DB) loadPages(ctx context.Context, c *conn, image io.Reader) (err error) {
	f := c.pages
	if err := f.flushGroup(); err != nil {
		return err
	}
	next := f.gen
	for next == f.gen {
		next = rand.Uint32()
	}
	swapped := false
	defer func() {
		if !swapped {
			// Not ctx: what is dead goes, even if the caller has given up. If this
			// fails the next load tries again.
			d.removeGeneration(context.WithoutCancel(ctx), next)
		}
	}()
	size, err := d.writeGeneration(ctx, next, image)
	if err != nil {
		return err
	}
	check, err := d.connectPages(ctx, f.space, f.prefix, func(p *pageFile) {
		p.gen, p.size, p.committed, p.low = next, size, size, size
	})
	if err != nil {
		return err
	}
	err = check.quickCheck()
	check.close()
	if err != nil {
		return err
	}
	ops := []sam.Op{{Key: f.prefix + "head", Value: encodeHead(next, size), If: f.head}}
	// All other chunks are dead with this commit: those that the head had, and
	// those of loads that were cut off or have now lost.
	kept := generationPrefix(d.prefix, next)
	for e, err := range f.space.List(ctx, d.prefix, "") {
		if err != nil {
			return &outsideError{"load", err}
		}
		if e.Key != ops[0].Key && !strings.HasPrefix(e.Key, kept) {
			ops = append(ops, sam.Op{Key: e.Key, Delete: true, If: sam.Any})
		}
	}
	if _, err = f.space.Commit(context.WithoutCancel(ctx), ops...); err != nil {
		return err
	}
	swapped = true
	f.fetched = false
	return d.drop()
}

// writeGeneration stores an image and returns its size in bytes.
func (d *DB) writeGeneration(ctx context.Context, gen uint32, image io.Reader) (size int64, err error) {
	const most = 64 // chunks of a commit
	var ops []sam.Op
	for n := int64(0); ; n++ {
		p := make([]byte, chunkSize)
		got, err := io.ReadFull(image, p)
		if got > 0 {
			ops = append(ops, sam.Op{Key: chunkKey(d.prefix, gen, n), Value: p, If: sam.Any})
			size += int64(got)
		}
		done := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !done {
			return 0, &outsideError{"load", err}
		}
		if size > d.opts.MaxBytes {
			return 0, full(d.opts.MaxBytes)
		}
		if len(ops) == most || done && len(ops) > 0 {
			if _, err := d.state.Space.Commit(ctx, ops...); err != nil {
				return 0, &outsideError{"load", err}
			}
			ops = ops[:0]
		}
		if done {
			return size, nil
		}
	}
}

// generationPrefix is that of the keys of a generation's chunks.
func generationPrefix(prefix string, gen uint32) string {
	first := chunkKey(prefix, gen, 0)
	return first[:len(first)-8]
}

// removeGeneration deletes the chunks of a generation.
func (d *DB) removeGeneration(ctx context.Context, gen uint32) error {
	const most = 1000 // keys of a commit
	prefix := generationPrefix(d.prefix, gen)
	for {
		var ops []sam.Op
		for e, err := range d.state.Space.List(ctx, prefix, "") {
			if err != nil {
				return err
			}
			if ops = append(ops, sam.Op{Key: e.Key, Delete: true, If: sam.Any}); len(ops) == most {
				break
			}
		}
		if len(ops) == 0 {
			return nil
		}
		if _, err := d.state.Space.Commit(ctx, ops...); err != nil {
			return err
		}
	}
}

// loadFile writes the image beside the database file and renames it.
func (d *DB) loadFile(ctx context.Context, c *conn, image io.Reader) error {
	tmp, err := os.CreateTemp(d.opts.Dir, "load-*.tmp")
	if err != nil {
		return &outsideError{"load", err}
	}
	defer func() {
		os.Remove(tmp.Name())
		os.Remove(tmp.Name() + "-wal")
	}()
	size, err := io.Copy(tmp, image)
	if err == nil {
		err = tmp.Sync()
	}
	if e := tmp.Close(); err == nil {
		err = e
	}
	switch {
	case err != nil:
		return &outsideError{"load", err}
	case size > d.opts.MaxBytes:
		return full(d.opts.MaxBytes)
	}
	check := &conn{call: &call{}, opts: &d.opts, file: tmp.Name()}
	if err := check.openFile(ctx); err != nil {
		return err
	}
	err = check.quickCheck()
	if e := check.close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	if err := d.drop(); err != nil {
		return err
	}
	// Closing has emptied the log; one left by a crash must not be replayed
	// into the new file.
	os.Remove(c.file + "-wal")
	if err := os.Rename(tmp.Name(), c.file); err != nil {
		return &outsideError{"load", err}
	}
	return syncDir(filepath.Dir(c.file))
}

// syncDir makes a rename durable, where the system can.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return &outsideError{"load", err}
	}
	defer f.Close()
	f.Sync()
	return nil
}

// quickCheck reports whether the database is sound.
func (c *conn) quickCheck() error {
	return guard(func() error {
		st, _, err := c.db.Prepare("PRAGMA quick_check(1)")
		if err != nil {
			return c.explain(err)
		}
		defer st.Close()
		if !st.Step() {
			return c.explain(errors.Join(st.Err(), sqlite3.CORRUPT))
		}
		if found := st.ColumnText(0); found != "ok" {
			return &Error{Code: "SQLITE_CORRUPT", Offset: -1, Text: "database disk image is malformed", Err: errors.New(found)}
		}
		return nil
	})
}

const (
	magic      = "SQLite format 3\x00"
	headerSize = 100
)

func notDatabase() error {
	return &Error{Code: "SQLITE_NOTADB", Offset: -1, Text: "file is not a database"}
}

func full(max int64) error {
	return &Error{Code: "SQLITE_FULL", Offset: -1, Text: "database or disk is full", Err: &sam.LimitError{Limit: "MaxBytes", Max: max}}
}

// rollbackMode reads a SQLite file as one without a write-ahead log: the mark
// in its header is cleared.
func rollbackMode(r io.Reader) io.Reader {
	head := make([]byte, headerSize)
	n, err := io.ReadFull(r, head)
	if n >= 20 && head[18] == 2 {
		head[18], head[19] = 1, 1
	}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return io.MultiReader(bytes.NewReader(head[:n]), errReader{err})
	}
	return io.MultiReader(bytes.NewReader(head[:n]), r)
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r contextReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(b)
}

// An outsideReader and an outsideWriter are the caller's: what waits for them has no place among the
// statements of its project, which they may come from.
type outsideReader struct {
	pace *pace
	r    io.Reader
}

func (r outsideReader) Read(b []byte) (n int, err error) {
	r.pace.pause(func() { n, err = r.r.Read(b) })
	return n, err
}

type outsideWriter struct {
	pace *pace
	w    io.Writer
}

func (w outsideWriter) Write(b []byte) (n int, err error) {
	w.pace.pause(func() { n, err = w.w.Write(b) })
	return n, err
}

// An outsideError is an error of the caller's reader or writer, or of the store.
type outsideError struct {
	doing string
	err   error
}

func (e *outsideError) Error() string { return fmt.Sprintf("sqlshim: %s: %v", e.doing, e.err) }
func (e *outsideError) Unwrap() error { return e.err }
