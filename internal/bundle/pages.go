package bundle

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
)

// The functions of a Pages project are files whose names are routes. They are bundled behind
// an entry that imports them all and chooses.

//go:embed pages/router.js
var pagesRouter string

const (
	pagesModule = "samkit:pages"
	pagesEntry  = "samkit:pages-entry"
)

// A pageRoute is a route as the router takes it.
type pageRoute struct {
	file       string
	Path       string        `json:"path"` // as written, for people
	Segments   []pageSegment `json:"segments"`
	Middleware bool          `json:"middleware"`
}

type pageSegment struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // "text", "one" segment, "all" that follow
}

// pageRouteOf returns the route of a file in dir: [x] stands for a segment, [[x]] for all that
// follow, index for the folder, and _middleware goes before all in its folder.
func pageRouteOf(dir, file string) pageRoute {
	rel := strings.TrimPrefix(strings.TrimSuffix(file, path.Ext(file)), dir+"/")
	parts := strings.Split(rel, "/")
	last := parts[len(parts)-1]
	r := pageRoute{file: file, Segments: []pageSegment{}, Middleware: last == "_middleware"}
	if last == "index" || r.Middleware {
		parts = parts[:len(parts)-1]
	}
	r.Path = "/" + strings.Join(parts, "/")
	for _, p := range parts {
		s := pageSegment{p, "text"}
		if name, ok := strings.CutPrefix(p, "[["); ok && strings.HasSuffix(name, "]]") {
			s = pageSegment{strings.TrimSuffix(name, "]]"), "all"}
		} else if name, ok := strings.CutPrefix(p, "["); ok && strings.HasSuffix(name, "]") {
			s = pageSegment{strings.TrimSuffix(name, "]"), "one"}
		}
		r.Segments = append(r.Segments, s)
	}
	return r
}

// comparePages sorts middleware from the root on, then routes as wrangler does: those of more
// segments first, and of as many those that say most.
func comparePages(a, b pageRoute) int {
	if a.Middleware != b.Middleware {
		if a.Middleware {
			return -1
		}
		return 1
	}
	if a.Middleware {
		return cmp.Or(cmp.Compare(len(a.Segments), len(b.Segments)), strings.Compare(a.file, b.file))
	}
	if c := cmp.Compare(len(b.Segments), len(a.Segments)); c != 0 {
		return c
	}
	rank := map[string]int{"text": 0, "one": 1, "all": 2}
	for i := range a.Segments {
		if c := cmp.Compare(rank[a.Segments[i].Kind], rank[b.Segments[i].Kind]); c != 0 {
			return c
		}
	}
	return strings.Compare(a.file, b.file)
}

// pagesEntrySource is the entry of a Pages project whose functions are files in dir.
func pagesEntrySource(dir string, files []string) (string, error) {
	var routes []pageRoute
	for _, f := range files {
		routes = append(routes, pageRouteOf(dir, f))
	}
	slices.SortFunc(routes, comparePages)
	var imports, list strings.Builder
	for i, r := range routes {
		data, err := json.Marshal(r)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&imports, "import * as m%d from %q;\n", i, "./"+r.file)
		fmt.Fprintf(&list, "{ ...%s, module: m%d },\n", data, i)
	}
	return fmt.Sprintf("import { pages } from %q;\n%sexport default pages([\n%s]);\n", pagesModule, imports.String(), list.String()), nil
}
