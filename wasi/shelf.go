package wasi

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"path"
	"strings"
	"sync"

	xsys "github.com/tetratelabs/wazero/experimental/sys"

	"samkit.dev/wasi/internal/modules"
)

// A shelf is a folder that cannot be written, and whose contents all trees share.
type shelf struct {
	load  func() (*shelf, error) // what it holds, instead of the rest
	dirs  map[string]*shelf
	files map[string][]byte
}

// unpack makes the nodes of what is on n's shelf.
func (t *tree) unpack(n *node) xsys.Errno {
	s := n.shelf
	if s.load != nil {
		var err error
		if s, err = s.load(); err != nil {
			return xsys.EIO
		}
	}
	n.shelf = nil
	for name, d := range s.dirs {
		k := t.folder(n, name)
		k.fixed, k.shelf = true, d
	}
	for name, data := range s.files {
		k := t.make(n, name)
		k.data, k.read = data, true
	}
	return 0
}

// put places a file on the shelf, in the folders that its name has.
func (s *shelf) put(name string, data []byte) {
	if dir, _ := path.Split(name); dir != "" {
		for part := range strings.SplitSeq(strings.TrimSuffix(dir, "/"), "/") {
			d := s.dirs[part]
			if d == nil {
				d = newShelf()
				s.dirs[part] = d
			}
			s = d
		}
	}
	s.files[path.Base(name)] = data
}

func newShelf() *shelf { return &shelf{dirs: map[string]*shelf{}, files: map[string][]byte{}} }

// library is the standard library of Python, once somebody has needed it.
var library struct {
	once  sync.Once
	shelf *shelf
	err   error
}

// stdlib returns the library.
func (e *engine) stdlib() (*shelf, error) {
	library.once.Do(func() {
		module, err := e.read("python")
		if err != nil {
			library.err = err
			return
		}
		_, archive := modules.Cut(module, "library")
		library.shelf, library.err = untar(archive)
	})
	return library.shelf, library.err
}

// pythonCode is the module without the library that its recipe has put into it, which is kept.
func pythonCode(module []byte) []byte {
	code, archive := modules.Cut(module, "library")
	library.once.Do(func() { library.shelf, library.err = untar(archive) })
	return code
}

func untar(archive []byte) (*shelf, error) {
	if archive == nil {
		return nil, errors.New("wasi: python has no library")
	}
	s := newShelf()
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := r.Next()
		if err == io.EOF {
			return s, nil
		}
		if err != nil {
			return nil, err
		}
		data := make([]byte, h.Size)
		if _, err := io.ReadFull(r, data); err != nil {
			return nil, err
		}
		s.put(h.Name, data)
	}
}
