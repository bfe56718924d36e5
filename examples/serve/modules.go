package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

// A wanted package is one that the sources in a directory import.
type wanted struct{ dir, name string }

// modules is what was taken of node_modules: it is large and changes seldom, so it
// is not looked through every time.
type modules struct {
	wanted []wanted
	files  listing
	until  time.Time
}

// modulesAge is for how long node_modules is taken to be as it was, unless the
// sources import something else. It is longer where looking takes long.
const modulesAge = 2 * time.Second

// addModules adds the packages that w's sources import, and those that they
// depend on, laid out so that each finds its own.
func (f *folder) addModules(w *walk) error {
	want := f.wantedBy(w.found)
	if !slices.Equal(want, f.modules.wanted) || time.Now().After(f.modules.until) {
		began := time.Now()
		p := &packing{f: f, files: &walk{f: f, found: listing{}, folded: map[string]string{}, lean: true}, placed: map[string]string{}}
		if err := p.packages(want); err != nil {
			return err
		}
		f.modules = modules{want, p.files.found, time.Now().Add(max(modulesAge, 20*time.Since(began)))}
	}
	maps.Copy(w.found, f.modules.files)
	return nil
}

func (f *folder) wantedBy(own listing) []wanted {
	seen := map[wanted]bool{}
	for name, s := range own {
		for _, pkg := range f.importsOf(name, s) {
			dir := path.Dir(name)
			if dir == "." {
				dir = ""
			}
			seen[wanted{dir, pkg}] = true
		}
	}
	return slices.SortedFunc(maps.Keys(seen), func(a, b wanted) int {
		return strings.Compare(a.dir+"\x00"+a.name, b.dir+"\x00"+b.name)
	})
}

// A packing lays packages out. npm, yarn and pnpm lay them out in different ways, the
// last with links; what counts is that a package finds the copy that it found
// before, by looking in node_modules from its own directory upwards.
type packing struct {
	f      *folder
	files  *walk
	placed map[string]string // where a package is in the project → in the folder
	queue  []string          // keys of placed whose dependencies are to be placed
}

func (p *packing) packages(want []wanted) error {
	for _, w := range want {
		if at, real := p.find(w.dir, w.name); real != "" {
			if err := p.place(at, real); err != nil {
				return err
			}
		}
	}
	// First come, first served: all of a package's own dependencies stand before
	// those of a package below it are looked for.
	for len(p.queue) > 0 {
		at := p.queue[0]
		p.queue = p.queue[1:]
		for _, name := range p.f.dependencies(p.placed[at]) {
			if err := p.dependency(at, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// find looks for a package from dir upwards. It returns the path at which it was
// found and the one that this is when its links are followed; "" means none.
func (p *packing) find(dir, name string) (at, real string) {
	for d := dir; ; d = parent(d) {
		if path.Base(d) != "node_modules" {
			at := path.Join(d, "node_modules", name)
			real, inside, err := p.f.resolve(at)
			if err == nil && !inside {
				p.f.remark("%s is passed over: it is a link that leads out of the folder", at)
			} else if err == nil {
				if info, err := p.f.root.Stat(orDot(real)); err == nil && info.IsDir() {
					return at, real
				}
			}
		}
		if d == "" {
			return "", ""
		}
	}
}

// dependency places what the package at has as name, unless it would find it anyway.
func (p *packing) dependency(at, name string) error {
	_, real := p.find(p.placed[at], name)
	if real == "" {
		return nil // optional, or another platform's
	}
	for d := at; ; d = parent(d) {
		other, taken := p.placed[path.Join(d, "node_modules", name)]
		switch {
		case taken && other == real:
			return nil
		case taken:
			return p.place(path.Join(at, "node_modules", name), real)
		case d == "":
			return p.place(path.Join("node_modules", name), real)
		}
	}
}

// maxPlaced bounds the packages; layouts that conflict can multiply them.
const maxPlaced = 5000

func (p *packing) place(at, real string) error {
	if _, ok := p.placed[at]; ok {
		return nil
	}
	if len(p.placed) == maxPlaced {
		return errors.New("the sources import more packages than serve can hold")
	}
	p.placed[at] = real
	p.queue = append(p.queue, at)
	err := p.files.tree(at, real, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // being installed or removed: the next scan knows more
	}
	return err
}

// dependencies returns the packages that the one in dir names.
func (f *folder) dependencies(dir string) []string {
	file, err := f.root.Open(path.Join(dir, "package.json"))
	if err != nil {
		return nil
	}
	defer file.Close()
	var pkg struct{ Dependencies, OptionalDependencies, PeerDependencies map[string]json.RawMessage }
	if err := json.NewDecoder(file).Decode(&pkg); err != nil {
		return nil
	}
	names := map[string]bool{}
	for _, m := range []map[string]json.RawMessage{pkg.Dependencies, pkg.OptionalDependencies, pkg.PeerDependencies} {
		for name := range m {
			if packageName(name) == name {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// maxCode is the size of the largest file of a package that is taken. The
// largest that can be bundled is smaller.
const maxCode = 16 << 20

// codeOf reports whether a file of a package may matter to code that runs.
func codeOf(name string, size int64) bool {
	switch path.Ext(name) {
	case ".map", ".md", ".markdown", ".node", ".flow", ".tsbuildinfo":
		return false
	case ".ts", ".mts", ".cts":
		if strings.Contains(path.Base(name), ".d.") {
			return false
		}
	}
	return size <= maxCode
}

// parent is the directory above a path with slashes; "" is above all.
func parent(dir string) string {
	if up := path.Dir(dir); up != "." {
		return up
	}
	return ""
}
