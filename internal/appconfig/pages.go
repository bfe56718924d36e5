package appconfig

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// pagesFolder is where the functions of a Pages project are.
const pagesFolder = "functions"

// findPages looks for the code of a Pages project: _worker.js among what is built, or the
// folder of functions, each of which is a route.
func (r *reader) findPages() {
	dir := r.c.Assets.Directory
	for _, name := range []string{"_worker.js", "_worker.js/index.js", "_worker.mjs"} {
		if name = path.Join(dir, name); r.pages && r.isFile(name) {
			r.c.Main, r.c.Worker, r.c.Assets.RunWorkerFirst = name, true, true
			return
		}
	}
	files := r.pageFunctions()
	if len(files) == 0 {
		return
	}
	r.c.Main, r.c.Worker, r.c.Pages = pagesFolder, true, files
	var on []string
	for _, f := range files {
		on = append(on, pagePattern(f))
	}
	slices.Sort(on)
	on = slices.Compact(on)
	if len(on) > maxPatterns || slices.ContainsFunc(on, func(p string) bool { return len(p) > maxPattern || p == "/*" }) {
		r.c.Assets.RunWorkerFirst = true
		return
	}
	r.c.Assets.RunWorkerFirstOn = on
}

// pagePattern is a pattern of the paths that a function may answer, or of more: the router
// knows exactly, and leaves the rest to the files.
func pagePattern(file string) string {
	rel := strings.TrimPrefix(strings.TrimSuffix(file, path.Ext(file)), pagesFolder)
	dir, base := path.Split(rel)
	switch {
	case base == "index" && !strings.Contains(dir, "["):
		if dir == "/" {
			return "/"
		}
		return strings.TrimSuffix(dir, "/") + "*"
	case base == "_middleware" || base == "index":
		rel = dir
	}
	if i := strings.IndexByte(rel, '['); i >= 0 {
		rel = rel[:i]
		if rel != "/" { // a folder that all may be below, or the folder itself
			rel = strings.TrimSuffix(rel, "/")
		}
	} else if base == "_middleware" && rel != "/" {
		rel = strings.TrimSuffix(rel, "/")
	}
	return rel + "*"
}

// pageFunctions lists the files that look like functions of a Pages project.
func (r *reader) pageFunctions() []string {
	var files []string
	fs.WalkDir(r.fsys, pagesFolder, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || len(files) == MaxEntries:
			return fs.SkipAll
		case d.IsDir() && d.Name() == "node_modules":
			return fs.SkipDir
		case d.IsDir() || strings.HasSuffix(name, ".d.ts") || !slices.Contains([]string{".js", ".mjs", ".ts", ".jsx", ".tsx"}, path.Ext(name)):
			return nil
		}
		if info, err := d.Info(); err != nil || info.Size() > MaxFile {
			return nil
		}
		if data, err := fs.ReadFile(r.fsys, name); err == nil && bytes.Contains(data, []byte("onRequest")) {
			files = append(files, name)
		}
		return nil
	})
	return files
}
