package sam

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// An intake reads the files of a stranger's fs.FS. It trusts nothing that the
// file system says: not its names, not its sizes, not that it ends.
type intake struct {
	ctx    context.Context // of the one call of read
	limits Limits
	blobs  Blobs
	known  *index // files whose contents need not be stored again; nil if there are none

	files   map[string]*fileRecord
	names   *nameSet
	bytes   int64
	entries int // files and folders seen
}

func (in *intake) read(fsys fs.FS) (map[string]*fileRecord, error) {
	in.files = map[string]*fileRecord{}
	in.names = newNameSet(nil)
	if fsys == nil {
		return in.files, nil
	}
	return in.files, in.dir(fsys, ".")
}

// dir reads a folder. Depth is bounded by the length of names.
func (in *intake) dir(fsys fs.FS, dir string) error {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := in.ctx.Err(); err != nil {
			return err
		}
		// fs.WalkDir would clean a hostile name, and so hide it.
		name := e.Name()
		if reason := badPart(name); reason != "" {
			return &NameError{Name: name, Reason: reason}
		}
		if i := bytes.IndexByte([]byte(name), '/'); i >= 0 {
			return &NameError{Name: name, Reason: "holds a slash"}
		}
		if dir != "." {
			name = dir + "/" + name
		}
		if err := CheckFileName(name); err != nil {
			return err
		}
		if in.entries++; in.entries > 4*in.limits.Files+64 {
			return &LimitError{Limit: "Files", Max: int64(in.limits.Files)}
		}
		switch {
		case e.IsDir():
			err = in.dir(fsys, name)
		case e.Type().IsRegular():
			err = in.file(fsys, name)
		default:
			err = &NameError{Name: name, Reason: fmt.Sprintf("is no regular file but %v", e.Type())}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// admit reports why there may be no file of a name, or not one more.
func (in *intake) admit(name string) error {
	if err := in.names.check(name); err != nil {
		return err
	}
	if len(in.files) >= in.limits.Files {
		return &LimitError{Limit: "Files", Max: int64(in.limits.Files)}
	}
	return nil
}

func (in *intake) file(fsys fs.FS, name string) error {
	if err := in.admit(name); err != nil {
		return err
	}
	f, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return &NameError{Name: name, Reason: fmt.Sprintf("is no regular file but %v", info.Mode())}
	}
	return in.take(fsys, name, f)
}

// take reads a file that was admitted from f. From fsys it can be opened again; that
// is done only where known has a file of this name.
func (in *intake) take(fsys fs.FS, name string, f io.Reader) error {
	r := &bounded{in: in, name: name, r: f}
	head, err := io.ReadAll(io.LimitReader(r, maxInline+1))
	if err != nil {
		return err
	}
	if len(head) < cap(head)/2 {
		head = bytes.Clone(head) // it stays in memory
	}
	record := newRecord(name, head)
	if record.blob {
		if record, err = in.large(fsys, name, head, r); err != nil {
			return err
		}
	}
	in.files[name] = record
	in.names.add(name)
	return nil
}

// large reads a file that goes to a blob, of which head is read already.
func (in *intake) large(fsys fs.FS, name string, head []byte, rest *bounded) (*fileRecord, error) {
	record := &fileRecord{File: File{Name: name, ModTime: time.Now()}, blob: true}
	if in.known != nil && in.known.files[name] != nil {
		// Probably the same as before: hashing alone is cheaper than storing.
		sum := sha256.New()
		sum.Write(head)
		n, err := io.Copy(sum, rest)
		if err != nil {
			return nil, err
		}
		record.Hash, record.Size = hex.EncodeToString(sum.Sum(nil)), n+int64(len(head))
		if in.known.files[name].Hash == record.Hash {
			return record, nil
		}
		again, err := fsys.Open(name)
		if err != nil {
			return nil, err
		}
		defer again.Close()
		in.bytes -= record.Size
		head, rest = nil, &bounded{in: in, name: name, r: again}
	}
	var err error
	record.Hash, record.Size, err = in.blobs.Put(in.ctx, io.MultiReader(bytes.NewReader(head), rest))
	return record, err
}

// A bounded reads a file up to the limits.
type bounded struct {
	in   *intake
	name string
	r    io.Reader
	n    int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if err := b.in.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := b.r.Read(p)
	if n < 0 || n > len(p) {
		return 0, errors.New("sam: a file's Read returned an impossible count")
	}
	b.n += int64(n)
	b.in.bytes += int64(n)
	if l := b.in.limits; b.n > l.FileBytes {
		return 0, &LimitError{Limit: "FileBytes", Max: l.FileBytes, Name: b.name}
	} else if b.in.bytes > l.ProjectBytes {
		return 0, &LimitError{Limit: "ProjectBytes", Max: l.ProjectBytes}
	}
	return n, err
}
