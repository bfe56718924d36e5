//go:build amd64 || arm64

package iofault

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// A disk is what is durable of a directory.
type disk struct {
	dir   string
	rand  *rand.Rand
	nodes map[uint64]*node // what there is, by inode
	now   bool             // write takes the names of now
}

// A node is a file or a directory.
type node struct {
	data    []byte           // durable contents
	lost    map[int64]bool   // blocks that a failed sync has given up
	entries map[string]*node // of a directory, durable; nil for a file
}

const block = 4096

// newDisk takes dir, which is empty, for durable.
func newDisk(dir string, r *rand.Rand) *disk {
	return &disk{dir: dir, rand: r, nodes: map[uint64]*node{}}
}

func (d *disk) node(ino uint64, dir bool) *node {
	n := d.nodes[ino]
	if n == nil {
		n = &node{}
		if dir {
			n.entries = map[string]*node{}
		}
		d.nodes[ino] = n
	}
	return n
}

func (d *disk) at(path string) (*node, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return nil, err
	}
	return d.node(st.Ino, st.Mode&unix.S_IFMT == unix.S_IFDIR), nil
}

func (d *disk) open(fd int) (*node, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, err
	}
	return d.node(st.Ino, false), nil
}

// gone forgets a name: another file may get its inode.
func (d *disk) gone(path string) {
	var st unix.Stat_t
	if unix.Lstat(path, &st) == nil && (st.Nlink < 2 || st.Mode&unix.S_IFMT == unix.S_IFDIR) {
		delete(d.nodes, st.Ino)
	}
}

// contents reads a file that may be open for writing only.
func contents(fd int) ([]byte, error) { return os.ReadFile("/proc/self/fd/" + strconv.Itoa(fd)) }

func (d *disk) sync(fd int) error {
	n, err := d.open(fd)
	if err != nil {
		return err
	}
	now, err := contents(fd)
	if err != nil {
		return err
	}
	n.sync(now)
	return nil
}

func (n *node) sync(now []byte) {
	for b := range n.lost {
		from, to := b*block, min((b+1)*block, int64(len(now)))
		if from >= to {
			continue
		}
		clear(now[from:to])
		if from < int64(len(n.data)) {
			copy(now[from:to], n.data[from:])
		}
	}
	n.data = now
}

// lose gives up what differs from the disk until it is written again.
func (d *disk) lose(fd int) error {
	n, err := d.open(fd)
	if err != nil {
		return err
	}
	now, err := contents(fd)
	if err != nil {
		return err
	}
	if n.lost == nil {
		n.lost = map[int64]bool{}
	}
	for from := int64(0); from < int64(len(now)); from += block {
		to := min(from+block, int64(len(now)))
		if to > int64(len(n.data)) || string(now[from:to]) != string(n.data[from:to]) {
			n.lost[from/block] = true
		}
	}
	return nil
}

// wrote notes that a part of a file is to be written again; 0 bytes mean any.
func (d *disk) wrote(fd int, off, size int64) {
	n, err := d.open(fd)
	if err != nil || len(n.lost) == 0 {
		return
	}
	if size == 0 {
		n.lost = nil
		return
	}
	for b := off / block; b*block < off+size; b++ {
		delete(n.lost, b)
	}
}

func (d *disk) syncDir(path string) error {
	n, err := d.at(path)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	before := n.entries
	n.entries = map[string]*node{}
	for _, e := range entries {
		child, err := d.at(filepath.Join(path, e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		n.entries[e.Name()] = child
		if before[e.Name()] != child && !linked(filepath.Join(path, e.Name())) {
			d.moved(n, child)
		}
	}
	return nil
}

// linked reports whether a file has several names, so that a new one does not mean that another is gone.
func linked(path string) bool {
	var st unix.Stat_t
	return unix.Lstat(path, &st) == nil && st.Mode&unix.S_IFMT != unix.S_IFDIR && st.Nlink > 1
}

// moved takes a node out of the directories where it was: file systems may lose
// a rename, but do not make half of it durable.
func (d *disk) moved(to, child *node) {
	for _, n := range d.nodes {
		for name, c := range n.entries {
			if c == child && n != to {
				delete(n.entries, name)
			}
		}
	}
}

func (d *disk) syncAll() error {
	return filepath.WalkDir(d.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			return d.syncDir(path)
		}
		n, err := d.at(path)
		if err != nil {
			return err
		}
		now, err := os.ReadFile(path)
		n.sync(now)
		return err
	})
}

// write puts what a loss of power leaves into a new directory.
func (d *disk) write(to string, left Left) error {
	root, err := d.at(d.dir)
	if err != nil {
		return err
	}
	d.now = left == Names || left == Mixed && d.rand.IntN(2) == 0
	return d.writeDir(root, d.dir, to, left)
}

// writeDir writes a directory; from is where it is now, or "" if it is nowhere.
func (d *disk) writeDir(n *node, from, to string, left Left) error {
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	if from != "" && d.now {
		entries, err := os.ReadDir(from)
		if err != nil {
			return err
		}
		for _, e := range entries {
			path := filepath.Join(from, e.Name())
			child, err := d.at(path)
			if err == nil {
				err = d.writeNode(child, path, filepath.Join(to, e.Name()), left)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	for name, child := range n.entries {
		path := ""
		if from != "" {
			path = filepath.Join(from, name)
			if now, err := d.at(path); err != nil || now != child {
				path = ""
			}
		}
		if err := d.writeNode(child, path, filepath.Join(to, name), left); err != nil {
			return err
		}
	}
	return nil
}

func (d *disk) writeNode(n *node, from, to string, left Left) error {
	if n.entries != nil {
		return d.writeDir(n, from, to, left)
	}
	data := n.data
	if from != "" && left != Least {
		now, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		data = d.mix(n, now, left)
	}
	return os.WriteFile(to, data, 0o644)
}

// mix returns contents between the durable ones and those of now.
func (d *disk) mix(n *node, now []byte, left Left) []byte {
	size := len(now)
	if d.rand.IntN(2) == 0 {
		size = len(n.data)
	}
	data := make([]byte, size)
	copy(data, n.data)
	if left != Mixed {
		return data
	}
	for from := 0; from < min(size, len(now)); from += block {
		if d.rand.IntN(2) == 0 && !n.lost[int64(from/block)] {
			copy(data[from:min(from+block, size)], now[from:])
		}
	}
	return data
}
