package task

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"samkit.dev/sam"
)

// An entry is a file of a tree. A symbolic link has fs.ModeSymlink, and its target as contents.
type entry struct {
	hash string
	size int64
	mode fs.FileMode // permissions, and perhaps fs.ModeSymlink
}

func (e entry) link() bool { return e.mode&fs.ModeSymlink != 0 }

// plainMode is the mode of files whose ground has none.
const plainMode fs.FileMode = 0o644

// A tree is files by name. Folders are there as long as something is in them.
type tree struct {
	files map[string]entry
	kids  map[string]map[string]bool // of each folder: names, and whether they are folders
	folds map[string]string          // names, of files and folders, by sam.FoldName
}

func newTree() *tree {
	return &tree{map[string]entry{}, map[string]map[string]bool{".": {}}, map[string]string{}}
}

// set writes a file. A name for which another file or a folder stands in the way is an error.
func (t *tree) set(name string, e entry) error {
	if _, there := t.files[name]; there {
		t.files[name] = e
		return nil
	}
	if t.kids[name] != nil {
		return fmt.Errorf("%w: %s is a folder", fs.ErrExist, name)
	}
	for at := name; at != "."; at = path.Dir(at) {
		if _, file := t.files[at]; file && at != name {
			return fmt.Errorf("%w: %s is no folder", fs.ErrExist, at)
		}
		if t.kids[at] != nil {
			continue // the ground has it
		}
		if other, there := t.folds[sam.FoldName(at)]; there && other != at {
			return fmt.Errorf("%w: %s differs from %s only by case or normalisation", fs.ErrExist, at, other)
		}
	}
	t.put(name, e)
	return nil
}

// put is set for a name that is known to be free.
func (t *tree) put(name string, e entry) {
	t.files[name] = e
	for at, folder := name, false; at != "."; at, folder = path.Dir(at), true {
		dir := path.Dir(at)
		kids := t.kids[dir]
		if kids == nil {
			kids = map[string]bool{}
			t.kids[dir] = kids
		}
		if _, there := kids[path.Base(at)]; there {
			return
		}
		kids[path.Base(at)] = folder
		t.folds[sam.FoldName(at)] = at
	}
}

func (t *tree) remove(name string) {
	if _, there := t.files[name]; !there {
		return
	}
	delete(t.files, name)
	for at := name; at != "."; at = path.Dir(at) {
		dir := path.Dir(at)
		delete(t.kids[dir], path.Base(at))
		if fold := sam.FoldName(at); t.folds[fold] == at {
			delete(t.folds, fold)
		}
		if len(t.kids[dir]) > 0 || dir == "." {
			return
		}
		delete(t.kids, dir)
	}
}

// become makes t equal to files.
func (t *tree) become(files map[string]entry) {
	for name := range t.files {
		if _, there := files[name]; !there {
			t.remove(name)
		}
	}
	for name, e := range files {
		if _, there := t.files[name]; there {
			t.files[name] = e
		} else {
			t.put(name, e)
		}
	}
}

// changed returns the names that differ between two moments, sorted.
func changed(before, after map[string]entry) []string {
	var names []string
	for name, e := range after {
		if b, there := before[name]; !there || b != e {
			names = append(names, name)
		}
	}
	for name := range before {
		if _, there := after[name]; !there {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// manifestHash stands for files and their contents.
func manifestHash(patterns []string, files map[string]entry) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", patterns)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%s %o %q\n", files[name].hash, files[name].mode, name)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// leads reports whether a link's target is a path that stays within the ground.
func leads(name, target string) bool {
	if target == "" || strings.ContainsAny(target, "\\\x00") || path.IsAbs(target) || strings.Contains(target, ":") {
		return false
	}
	// Each step counts, for a folder on the way may be a link itself.
	depth := strings.Count(name, "/")
	for part := range strings.SplitSeq(target, "/") {
		switch part {
		case "..":
			if depth--; depth < 0 {
				return false
			}
		case "", ".":
		default:
			depth++
		}
	}
	return true
}
