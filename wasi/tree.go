package wasi

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	xsys "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/sys"

	"samkit.dev/sam"
)

// projectDir is where commands find the files of the project.
const projectDir = "/project"

// flushAge is how long a finished file may wait for others to be committed with it.
const flushAge = 50 * time.Millisecond

// A tree is what commands see as the file system: the project's files in /project, a
// folder /tmp that ends with the tree, a few devices, and the names of commands in
// /bin. Folders are listed when they are looked into, contents read when they are
// opened, writes held until flush.
//
// There are no links of any kind: a name means one file, and nothing leads out.
type tree struct {
	ctx    context.Context // of the run, for reading and writing files
	files  Files
	base   fs.FS
	limit  int64 // for held
	atomic bool  // nothing is flushed until the end

	mu      sync.Mutex // guards all below
	root    *node
	project *node
	tmp     *node
	inode   uint64
	held    int64 // bytes of contents in memory
	dirty   map[*node]bool
	gone    map[string]bool // names in the project to be removed
	flushed time.Time
	err     error // the first that a flush had
}

// A node is a file or folder.
type node struct {
	inode        uint64
	name         string
	parent       *node // nil for the root, and for what was removed
	dir          bool
	fixed        bool // not to be removed, changed, or made things in
	device       string
	lazy         string // project's name of a folder that is not listed yet
	shelf        *shelf // what a fixed folder holds that is not listed yet
	open         int    // how often it is open
	made         bool   // a folder that mkdir has made
	kids         map[string]*node
	stored       string // project's name under which contents are committed
	data         []byte
	size         int64 // of contents that are not read yet
	read         bool  // data has the contents
	mtime, atime int64 // nanoseconds
}

// newTree returns a tree over files. names is what /bin lists.
func newTree(ctx context.Context, e *engine, files Files, names []string, limit int64) *tree {
	t := &tree{ctx: ctx, files: files, base: files.FS(ctx), limit: limit, dirty: map[*node]bool{}, gone: map[string]bool{}}
	t.root = t.folder(nil, "")
	t.root.fixed = true
	t.project = t.folder(t.root, path.Base(projectDir))
	t.project.fixed, t.project.lazy = true, "."
	t.tmp = t.folder(t.root, "tmp")
	t.tmp.fixed = true
	dev := t.folder(t.root, "dev")
	for _, name := range []string{"null", "zero", "urandom", "random", "stdin", "stdout", "stderr", "tty"} {
		t.make(dev, name).device = name
	}
	bin := t.folder(t.root, "bin")
	for _, name := range names {
		t.make(bin, name).read = true
	}
	dev.fixed, bin.fixed = true, true
	if slices.Contains(names, "python3") {
		lib := t.folder(t.folder(t.root, "usr"), "lib")
		lib.fixed, lib.parent.fixed = true, true
		std := t.folder(lib, "python3.11")
		std.fixed, std.shelf = true, &shelf{load: e.stdlib}
	}
	return t
}

func (t *tree) make(parent *node, name string) *node {
	t.inode++
	n := &node{inode: t.inode, name: name, parent: parent, mtime: time.Now().UnixNano()}
	n.atime = n.mtime
	if parent != nil {
		parent.kids[name] = n
	}
	return n
}

func (t *tree) folder(parent *node, name string) *node {
	n := t.make(parent, name)
	n.dir, n.kids = true, map[string]*node{}
	return n
}

// path is where n is, "" if it was removed.
func (t *tree) path(n *node) string {
	if n == t.root {
		return "/"
	}
	var parts []string
	for ; n != t.root; n = n.parent {
		if n == nil {
			return ""
		}
		parts = append(parts, n.name)
	}
	slices.Reverse(parts)
	return "/" + strings.Join(parts, "/")
}

// projectName is the name of n in the project, "" if it has none.
func (t *tree) projectName(n *node) string {
	name, ok := strings.CutPrefix(t.path(n), projectDir+"/")
	if !ok {
		return ""
	}
	return name
}

// list makes the nodes of a folder of the project, or of one that is linked in.
func (t *tree) list(n *node) xsys.Errno {
	if n.shelf != nil {
		return t.unpack(n)
	}
	if n.lazy == "" {
		return 0
	}
	entries, err := fs.ReadDir(t.base, n.lazy)
	// A folder that mkdir has made, or that holds an open file, need not be in the project.
	if own := n == t.project || n.made || len(n.kids) > 0; err != nil && !(own && errors.Is(err, fs.ErrNotExist)) {
		return errno(err)
	}
	dir := n.lazy
	n.lazy = ""
	for _, e := range entries {
		if n.kids[e.Name()] != nil {
			continue
		}
		name := path.Join(dir, e.Name())
		if e.IsDir() {
			t.folder(n, e.Name()).lazy = name
			continue
		}
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // removed just now, or nothing that a project holds
		}
		k := t.make(n, e.Name())
		k.stored, k.size = name, info.Size()
		k.mtime = info.ModTime().UnixNano()
		k.atime = k.mtime
	}
	return 0
}

// load reads contents.
func (t *tree) load(n *node) xsys.Errno {
	if n.read || n.dir || n.device != "" {
		return 0
	}
	if t.held+n.size > t.limit {
		return t.full()
	}
	data, err := fs.ReadFile(t.base, n.stored)
	if err != nil {
		return errno(err)
	}
	n.data, n.read = data, true
	t.held += int64(len(data))
	return 0
}

// full records that there is no room; preview1 as wazero has it has no ENOSPC.
func (t *tree) full() xsys.Errno {
	if t.err == nil {
		t.err = &sam.LimitError{Limit: "Memory", Max: t.limit}
	}
	return xsys.EIO
}

// clean is a path from the root without dots, as parts.
func clean(name string) []string {
	name = strings.Trim(path.Clean("/"+name), "/")
	if name == "" {
		return nil
	}
	return strings.Split(name, "/")
}

// find returns the node at a path.
func (t *tree) find(name string) (*node, xsys.Errno) {
	if len(name) > 4096 {
		return nil, xsys.ENAMETOOLONG
	}
	n := t.root
	for _, part := range clean(name) {
		if !n.dir {
			return nil, xsys.ENOTDIR
		}
		if e := t.list(n); e != 0 {
			return nil, e
		}
		k := n.kids[part]
		if k == nil {
			return nil, xsys.ENOENT
		}
		n = k
	}
	return n, 0
}

// place returns the folder that a path's last part is in, and that part.
func (t *tree) place(name string) (*node, string, xsys.Errno) {
	parts := clean(name)
	if len(parts) == 0 {
		return nil, "", xsys.EEXIST
	}
	dir, e := t.find(strings.Join(parts[:len(parts)-1], "/"))
	if e != 0 {
		return nil, "", e
	}
	if !dir.dir {
		return nil, "", xsys.ENOTDIR
	}
	return dir, parts[len(parts)-1], t.list(dir)
}

// free returns where a new file or folder of this path goes.
func (t *tree) free(name string) (*node, string, xsys.Errno) {
	dir, last, e := t.place(name)
	if e != 0 {
		return nil, "", e
	}
	if dir.kids[last] != nil {
		return nil, "", xsys.EEXIST
	}
	if dir.fixed && dir != t.project && dir != t.tmp {
		return nil, "", xsys.EROFS
	}
	if in := t.projectName(dir); in != "" || dir == t.project {
		if sam.CheckFileName(path.Join(in, last)) != nil {
			return nil, "", xsys.EINVAL
		}
	}
	return dir, last, 0
}

func (t *tree) create(name string) (*node, xsys.Errno) {
	dir, last, e := t.free(name)
	if e != 0 {
		return nil, e
	}
	n := t.make(dir, last)
	n.read = true
	dir.mtime = n.mtime
	t.dirty[n] = true
	return n, 0
}

func (t *tree) mkdir(name string) xsys.Errno {
	dir, last, e := t.free(name)
	if e == 0 {
		n := t.folder(dir, last)
		n.made, dir.mtime = true, n.mtime
	}
	return e
}

// remove takes n out of the tree.
func (t *tree) remove(n *node) {
	delete(n.parent.kids, n.name)
	n.parent.mtime = time.Now().UnixNano()
	n.parent = nil
	t.forget(n)
}

// forget has what n holds in the project removed by the next flush.
func (t *tree) forget(n *node) {
	delete(t.dirty, n)
	if n.stored != "" {
		t.gone[n.stored] = true
	}
	if !n.read {
		n.size = 0
	}
	t.held -= int64(len(n.data))
	n.stored = ""
}

func (t *tree) unlink(name string) xsys.Errno {
	n, e := t.find(name)
	switch {
	case e != 0:
		return e
	case n.dir:
		return xsys.EISDIR
	case n.parent.fixed && n.parent != t.project && n.parent != t.tmp:
		return xsys.EROFS
	}
	// Who has it open still reads it.
	if e := t.load(n); e != 0 {
		return e
	}
	t.remove(n)
	return 0
}

func (t *tree) rmdir(name string) xsys.Errno {
	n, e := t.find(name)
	switch {
	case e != 0:
		return e
	case !n.dir:
		return xsys.ENOTDIR
	case n.fixed:
		return xsys.EROFS
	}
	if e := t.list(n); e != 0 {
		return e
	}
	if len(n.kids) > 0 {
		return xsys.ENOTEMPTY
	}
	t.remove(n)
	return 0
}

func (t *tree) rename(from, to string) xsys.Errno {
	n, e := t.find(from)
	if e != 0 {
		return e
	}
	if n.fixed || n.parent.fixed && n.parent != t.project && n.parent != t.tmp {
		return xsys.EROFS
	}
	dir, last, e := t.place(to)
	if e != 0 {
		return e
	}
	for up := dir; up != nil; up = up.parent {
		if up == n {
			return xsys.EINVAL // into itself
		}
	}
	if old := dir.kids[last]; old != nil {
		if old == n {
			return 0
		}
		switch {
		case old.fixed || old.device != "":
			return xsys.EROFS
		case old.dir && !n.dir:
			return xsys.EISDIR
		case !old.dir && n.dir:
			return xsys.ENOTDIR
		case old.dir:
			e = t.rmdir(to)
		default:
			e = t.unlink(to)
		}
		if e != 0 {
			return e
		}
	}
	if dir, last, e = t.free(to); e != 0 {
		return e
	}
	if e := t.detach(n); e != 0 {
		return e
	}
	delete(n.parent.kids, n.name)
	n.name, n.parent = last, dir
	dir.kids[last] = n
	return 0
}

// detach has the contents of n, and of all in it, written anew wherever they are then.
func (t *tree) detach(n *node) xsys.Errno {
	if !n.dir {
		if e := t.load(n); e != 0 {
			return e
		}
		if n.stored != "" {
			t.gone[n.stored], n.stored = true, ""
		}
		t.dirty[n] = true
		return 0
	}
	if e := t.list(n); e != 0 {
		return e
	}
	for _, k := range n.kids {
		if e := t.detach(k); e != 0 {
			return e
		}
	}
	return 0
}

// resize makes contents n bytes long, with zeros at the end if they grow.
func (t *tree) resize(n *node, size int64) xsys.Errno {
	if size < 0 {
		return xsys.EINVAL
	}
	more := size - int64(len(n.data))
	if more > 0 && t.held+more > t.limit {
		return t.full()
	}
	if more > 0 {
		n.data = append(n.data, make([]byte, more)...)
	} else {
		n.data = n.data[:size]
	}
	t.held += more
	t.touch(n)
	return 0
}

// touch notes that contents were changed.
func (t *tree) touch(n *node) {
	n.mtime = time.Now().UnixNano()
	if t.path(n) != "" {
		t.dirty[n] = true
	}
}

func (t *tree) stat(n *node) sys.Stat_t {
	st := sys.Stat_t{Ino: n.inode, Nlink: 1, Size: int64(len(n.data)), Mode: 0o644, Atim: n.atime, Mtim: n.mtime, Ctim: n.mtime}
	switch {
	case n.dir:
		st.Mode = fs.ModeDir | 0o755
	case n.device != "":
		st.Mode = fs.ModeDevice | fs.ModeCharDevice | 0o666
	case n.parent != nil && n.parent.name == "bin" && n.parent.fixed:
		st.Mode = 0o755
	case !n.read:
		st.Size = n.size
	}
	return st
}

// closed is called when a file was written and is done with.
func (t *tree) closed() xsys.Errno {
	if t.atomic || time.Since(t.flushed) < flushAge {
		return 0
	}
	if err := t.flush(t.ctx); err != nil {
		return errno(err)
	}
	return 0
}

// flush commits what was changed.
func (t *tree) flush(ctx context.Context) error {
	var edits []sam.Edit
	var written []*node
	keep := map[string]bool{}
	for n := range t.dirty {
		if name := t.projectName(n); name != "" && !n.dir && n.device == "" {
			keep[name] = true
			written = append(written, n)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.gone)) {
		if !keep[name] {
			edits = append(edits, sam.Edit{Name: name, Remove: true, IfHash: "*"})
		}
	}
	slices.SortFunc(written, func(a, b *node) int { return strings.Compare(t.projectName(a), t.projectName(b)) })
	for _, n := range written {
		edits = append(edits, sam.Edit{Name: t.projectName(n), Data: n.data, IfHash: "*"})
	}
	t.flushed = time.Now()
	if len(edits) == 0 {
		clear(t.dirty)
		return nil
	}
	err := t.apply(ctx, edits)
	if err != nil {
		if t.err == nil {
			t.err = err
		}
		return err
	}
	for _, n := range written {
		n.stored = t.projectName(n)
	}
	clear(t.dirty)
	clear(t.gone)
	return nil
}

// apply writes edits. What somebody else has removed in the meantime is removed.
func (t *tree) apply(ctx context.Context, edits []sam.Edit) error {
	for {
		err := t.files.Apply(ctx, edits...)
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		there := slices.DeleteFunc(slices.Clone(edits), func(e sam.Edit) bool {
			_, err := fs.Stat(t.base, e.Name)
			return e.Remove && errors.Is(err, fs.ErrNotExist)
		})
		if len(there) == len(edits) {
			return err
		}
		edits = there
	}
}

// errno is what a guest learns of an error.
func errno(err error) xsys.Errno {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, fs.ErrNotExist):
		return xsys.ENOENT
	case errors.Is(err, fs.ErrExist):
		return xsys.EEXIST
	case errors.Is(err, fs.ErrPermission):
		return xsys.EACCES
	case errors.Is(err, fs.ErrInvalid):
		return xsys.EINVAL
	}
	return xsys.EIO
}
